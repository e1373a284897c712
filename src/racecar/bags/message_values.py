# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Values of decoded messages, which anybody may have recorded.

Each function takes a message as rosbags decodes it, and raises one of racecar.bags.reader.UNUSABLE
for one that the bag defines otherwise.
"""

from __future__ import annotations

import math
from operator import attrgetter

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

# A message has the fields of its definition in the bag, whatever they are.
_STAMP = attrgetter('header.stamp.sec', 'header.stamp.nanosec')
_POSE = attrgetter(*(f'pose.pose.{part}' for part in (
    'position.x', 'position.y', 'position.z',
    'orientation.x', 'orientation.y', 'orientation.z', 'orientation.w')))
_TWIST = attrgetter(*(f'twist.twist.{part}' for part in (
    'linear.x', 'linear.y', 'linear.z', 'angular.x', 'angular.y', 'angular.z')))
_LIT = attrgetter(
    'front_lights_lit', 'rear_lights_lit', 'antifog_lights_lit', 'brake_lights_lit',
    'backwards_lights_lit', 'indicator_period')


def stamp_ns(message: object) -> int:
    """The header.stamp [ns]."""
    sec, nanosec = map(int, _STAMP(message))
    return sec * NANOSECONDS + nanosec


def pose_in_plane(message: object) -> tuple[float, float, float]:
    """x, y [m] and yaw [rad] of an Odometry."""
    x, y, _, *turn = _POSE(message)
    return x, y, quaternion_to_yaw(*turn)


def body_state(message: object) -> BodyState | None:
    """Pose and twist of an Odometry; None if its numbers are not finite."""
    pose, twist = Pose3(*map(float, _POSE(message))), Twist3(*map(float, _TWIST(message)))
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


def joint_states(message: object) -> JointStates | None:
    """Names and positions of a JointState; None if they do not fit each other."""
    found_names, found_positions = attrgetter('name', 'position')(message)
    names, positions = tuple(found_names), tuple(map(float, found_positions))
    if len(names) != len(positions) or not all(map(math.isfinite, positions)):
        return None
    return JointStates(names, positions, ())


def ackermann(message: object) -> AckermannCommand:
    """The command of an AckermannDriveStamped."""
    return AckermannCommand(
        *map(float, attrgetter('drive.speed', 'drive.steering_angle')(message)))


def twist_command(message: object) -> AckermannCommand:
    """The speed of a TwistStamped as a command without steering."""
    return AckermannCommand(float(attrgetter('twist.linear.x')(message)), math.nan)


def lamp_switches(message: object) -> LampSwitches:
    """The values of a racecar_interfaces/LampSwitches."""
    return LampSwitches(*attrgetter(*LampSwitches._fields)(message))


def switches_of_state(message: object) -> LampSwitches:
    """The switches that a racecar_interfaces/DriverState reports."""
    flash, indicator = attrgetter('hazard_flashers', 'indicator')(message)
    return LampSwitches(
        flash or indicator == Indicator.LEFT, flash or indicator == Indicator.RIGHT,
        *_LIT(message))


def path_points(message: object) -> NDArray[np.float64]:
    """Positions of a Path, (n, 2) [m]; they need not be finite."""
    position = attrgetter('pose.position.x', 'pose.position.y')
    return np.array([*map(position, attrgetter('poses')(message))],
                    dtype=np.float64).reshape(-1, 2)


def grid(message: object) -> OccupancyGrid:
    """The map of a nav_msgs/OccupancyGrid. Raises MessageError for what is none."""
    info, cells = attrgetter('info', 'data')(message)
    place, turn = info.origin.position, info.origin.orientation
    # Converted here: a compiled function takes numbers only, and says at length that it does.
    return grid_of_cells(
        np.array(cells, dtype=np.int8), info.height, info.width, float(info.resolution),
        Pose2(float(place.x), float(place.y),
              quaternion_to_yaw(*map(float, (turn.x, turn.y, turn.z, turn.w)))))
