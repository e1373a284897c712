# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Between ROS messages and the values of racecar.base, where speed does not matter."""

from __future__ import annotations

import math

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Pose, TransformStamped

from racecar.base.types import NANOSECONDS, Pose3, POSITION_LIMIT
from racecar.ros.transformations import euler_from_quaternion


def set_stamp(stamp: Time, time_ns: int) -> None:
    """Write nanoseconds into a stamp."""
    stamp.sec, stamp.nanosec = divmod(time_ns, NANOSECONDS)


def stamp_ns_of(stamp: Time) -> int:
    """Nanoseconds of a stamp."""
    return int(stamp.sec) * NANOSECONDS + int(stamp.nanosec)


def pose_from_message(message: Pose) -> Pose3:
    """Pose with a quaternion of exactly unit length.

    Raises ValueError if it is not finite, too far for any model, or its quaternion is not of unit
    length.
    """
    p, q = message.position, message.orientation
    numbers = (p.x, p.y, p.z, q.x, q.y, q.z, q.w)
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError(f'pose holds {numbers}, expected finite numbers')
    if max(abs(p.x), abs(p.y), abs(p.z)) >= POSITION_LIMIT:
        raise ValueError(
            f'position is ({p.x:g}, {p.y:g}, {p.z:g}) m, expected each below {POSITION_LIMIT:g} m')
    norm = math.sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w)
    if abs(norm - 1.0) > 1e-3:
        raise ValueError(
            f'orientation has length {norm:.6g}, expected a unit quaternion (w: 1.0 for yaw 0)')
    return Pose3(p.x, p.y, p.z, q.x / norm, q.y / norm, q.z / norm, q.w / norm)


def transform_from_pose(parent: str, child: str, pose: Pose3) -> TransformStamped:
    """Transform, without a stamp, of a frame that stands so in its parent."""
    transform = TransformStamped(child_frame_id=child)
    transform.header.frame_id = parent
    translation, rotation = transform.transform.translation, transform.transform.rotation
    translation.x, translation.y, translation.z = pose[:3]
    rotation.x, rotation.y, rotation.z, rotation.w = pose[3:]
    return transform


def yaw_of(pose: Pose3) -> float:
    """Heading in (-pi, pi] [rad]."""
    return float(euler_from_quaternion(pose[3:])[2])
