# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pose and twist of the odometry that anybody may have recorded."""

from __future__ import annotations

import math
from typing import Any

from racecar.base.poses import NO_POSE
from racecar.base.types import BodyState, Pose3, Twist3


def body_state(message: Any) -> BodyState | None:
    """Return pose and twist of an Odometry; None if its numbers are not finite."""
    place, turn = message.pose.pose.position, message.pose.pose.orientation
    linear, angular = message.twist.twist.linear, message.twist.twist.angular
    pose = Pose3(*map(float, (place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w)))
    twist = Twist3(*map(float, (linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)))
    if not all(map(math.isfinite, (*pose, *twist))):
        return None
    norm = math.hypot(*pose[3:])
    if not 0.5 <= norm < math.inf:
        # What nobody has filled in.
        return BodyState(Pose3(*pose[:3], *NO_POSE[3:]), twist)
    return BodyState(Pose3(*pose[:3], *(part / norm for part in pose[3:])), twist)
