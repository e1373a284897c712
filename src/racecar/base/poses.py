# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Poses and twists in space, from one frame to another fixed to it.

Plain arithmetic: sensors ask thousands of times a second.
"""

from __future__ import annotations

import math

from racecar.base.compiled import pure
from racecar.base.errors import ParameterError
from racecar.base.types import Acceleration3, Pose2, Pose3, Twist3

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
"""Unit quaternion x, y, z, w."""

NO_POSE = Pose3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
"""A frame in itself."""


def pose_of_angles(
    x: float, y: float, z: float, roll: float, pitch: float, yaw: float,
) -> Pose3:
    """Pose of a position [m] and angles about the fixed axes [rad] (REP-103)."""
    sr, cr = math.sin(0.5 * roll), math.cos(0.5 * roll)
    sp, cp = math.sin(0.5 * pitch), math.cos(0.5 * pitch)
    sy, cy = math.sin(0.5 * yaw), math.cos(0.5 * yaw)
    return Pose3(
        x, y, z, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy)


def check_planar_pose(pose: Pose2) -> None:
    """Raise ParameterError if a number of the pose is NaN or infinite."""
    if not all(map(math.isfinite, pose)):
        raise ParameterError(
            f'pose has x {pose.x!r}, y {pose.y!r} and yaw {pose.yaw!r}, expected finite'
            ' numbers [m, m, rad]')


@pure
def rotated(rotation: Quaternion, vector: Vector3) -> Vector3:
    """Vector in the parent's axes; rotation: of the child in the parent."""
    qx, qy, qz, qw = rotation
    x, y, z = vector
    # v + 2 q x (q x v + w v)
    tx = 2.0 * (qy * z - qz * y)
    ty = 2.0 * (qz * x - qx * z)
    tz = 2.0 * (qx * y - qy * x)
    return (x + qw * tx + qy * tz - qz * ty, y + qw * ty + qz * tx - qx * tz,
            z + qw * tz + qx * ty - qy * tx)


def unrotated(rotation: Quaternion, vector: Vector3) -> Vector3:
    """Vector of the parent in the child's axes; rotation: of the child in the parent."""
    qx, qy, qz, qw = rotation
    return rotated((-qx, -qy, -qz, qw), vector)


def cross(a: Vector3, b: Vector3) -> Vector3:
    """Cross product a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@pure
def pose_of_child(parent: Pose3, child: Pose3) -> Pose3:
    """Pose of a child whose pose in its parent is given; both in the parent's frame."""
    px, py, pz, ax, ay, az, aw = parent
    bx, by, bz, bw = child[3:]
    x, y, z = rotated((ax, ay, az, aw), child[:3])
    if bw == 1.0:
        return Pose3(px + x, py + y, pz + z, ax, ay, az, aw)
    return Pose3(
        px + x, py + y, pz + z,
        aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def inverse_pose(pose: Pose3) -> Pose3:
    """Pose of the parent in the child, for that of the child in the parent."""
    qx, qy, qz, qw = pose[3:]
    x, y, z = unrotated((qx, qy, qz, qw), pose[:3])
    return Pose3(-x, -y, -z, -qx, -qy, -qz, qw)


def twist_of_child(twist: Twist3, child: Pose3) -> Twist3:
    """Twist of a child fixed to a body, in the frame of the child."""
    vx, vy, vz, wx, wy, wz = twist
    x, y, z, *rotation = child
    to_child = (rotation[0], rotation[1], rotation[2], rotation[3])
    velocity = (vx + wy * z - wz * y, vy + wz * x - wx * z, vz + wx * y - wy * x)
    return Twist3(*unrotated(to_child, velocity), *unrotated(to_child, (wx, wy, wz)))


def acceleration_of_child(
    acceleration: Acceleration3, twist: Twist3, child: Pose3,
) -> Acceleration3:
    """Acceleration of a child fixed to a body, in the frame of the child.

    acceleration, twist: of the body, in its own frame. a + alpha x r + w x (w x r).
    """
    place, rotation = child[:3], child[3:]
    angular, rates = acceleration[3:], twist[3:]
    turning, centripetal = cross(angular, place), cross(rates, cross(rates, place))
    x, y, z = (acceleration[i] + turning[i] + centripetal[i] for i in range(3))
    return Acceleration3(*unrotated(rotation, (x, y, z)), *unrotated(rotation, angular))
