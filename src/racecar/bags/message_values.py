# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Values of decoded messages, which anybody may have recorded.

Each function takes a message as rosbags decodes it, and raises one of racecar.bags.reader.UNUSABLE
for one that the bag defines otherwise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racecar.base.poses import NO_POSE
from racecar.base.types import (
    AckermannCommand,
    BodyState,
    JointStates,
    LampSwitches,
    NANOSECONDS,
    Odometry,
    Pose2,
    Pose3,
    quaternion_to_yaw,
    Twist3,
)
from racecar.driver.controls import Indicator
from racecar.scene.grid_map import grid_of_cells, OccupancyGrid


def stamp_ns(message: Any) -> int:
    """The header.stamp [ns]."""
    stamp = message.header.stamp
    return int(stamp.sec) * NANOSECONDS + int(stamp.nanosec)


def pose_in_plane(message: Any) -> tuple[float, float, float]:
    """x, y [m] and yaw [rad] of an Odometry."""
    place, turn = message.pose.pose.position, message.pose.pose.orientation
    return place.x, place.y, quaternion_to_yaw(turn.x, turn.y, turn.z, turn.w)


def body_state(message: Any) -> BodyState | None:
    """Pose and twist of an Odometry; None if its numbers are not finite."""
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


def reference(message: object, time_ns: int) -> Odometry | None:
    """The planar part of an Odometry; None if its numbers are not finite."""
    state = body_state(message)
    return None if state is None else Odometry.of_body(time_ns, state)


def joint_states(message: Any) -> JointStates | None:
    """Names and positions of a JointState; None if they do not fit each other."""
    names, positions = tuple(message.name), tuple(map(float, message.position))
    if len(names) != len(positions) or not all(map(math.isfinite, positions)):
        return None
    return JointStates(names, positions, ())


def ackermann(message: Any) -> AckermannCommand:
    """The command of an AckermannDriveStamped."""
    return AckermannCommand(float(message.drive.speed), float(message.drive.steering_angle))


def twist_command(message: Any) -> AckermannCommand:
    """The speed of a TwistStamped as a command without steering."""
    return AckermannCommand(float(message.twist.linear.x), math.nan)


def lamp_switches(message: object) -> LampSwitches:
    """The values of a racecar_interfaces/LampSwitches."""
    return LampSwitches(*(getattr(message, name) for name in LampSwitches._fields))


def switches_of_state(message: Any) -> LampSwitches:
    """The switches that a racecar_interfaces/DriverState tells."""
    return LampSwitches(
        message.hazard_flashers or message.indicator == Indicator.LEFT,
        message.hazard_flashers or message.indicator == Indicator.RIGHT,
        message.front_lights_lit, message.rear_lights_lit, message.antifog_lights_lit,
        message.brake_lights_lit, message.backwards_lights_lit, message.indicator_period)


def path_points(message: Any) -> NDArray[np.float64]:
    """Positions of a Path, (n, 2) [m]; they need not be finite."""
    return np.array([(pose.pose.position.x, pose.pose.position.y) for pose in message.poses],
                    dtype=np.float64).reshape(-1, 2)


def grid(message: Any) -> OccupancyGrid:
    """The map of a nav_msgs/OccupancyGrid. Raises MessageError for what is none."""
    info = message.info
    place, turn = info.origin.position, info.origin.orientation
    # Converted here: a compiled function takes numbers only, and says at length that it does.
    return grid_of_cells(
        np.array(message.data, dtype=np.int8), info.height, info.width, float(info.resolution),
        Pose2(float(place.x), float(place.y),
              quaternion_to_yaw(*map(float, (turn.x, turn.y, turn.z, turn.w)))))
