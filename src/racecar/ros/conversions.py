# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Between ROS messages and the values of racecar.core, where speed does not matter."""

from __future__ import annotations

import math

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Pose

from racecar.core.types import NANOSECONDS, Pose2, quaternion_to_yaw


def set_stamp(stamp: Time, time_ns: int) -> None:
    """Write nanoseconds into a stamp."""
    stamp.sec, stamp.nanosec = divmod(time_ns, NANOSECONDS)


def pose_from_message(message: Pose) -> Pose2:
    """Return the planar part of a pose.

    Raises ValueError if it is not finite or its quaternion is not of unit length.
    """
    q = message.orientation
    numbers = (message.position.x, message.position.y, q.x, q.y, q.z, q.w)
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError(f'pose holds {numbers}, expected finite numbers')
    norm = math.sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w)
    if abs(norm - 1.0) > 1e-3:
        raise ValueError(
            f'orientation has length {norm:.6g}, expected a unit quaternion (w: 1.0 for yaw 0)')
    return Pose2(message.position.x, message.position.y,
                 quaternion_to_yaw(q.x / norm, q.y / norm, q.z / norm, q.w / norm))
