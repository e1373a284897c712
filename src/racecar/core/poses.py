# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Poses and twists in space, from one frame to another fixed to it."""

from __future__ import annotations

from scipy.spatial.transform import Rotation

from racecar.core.types import Pose3, Twist3


def pose_of_angles(
    x: float, y: float, z: float, roll: float, pitch: float, yaw: float,
) -> Pose3:
    """Return a pose of a position [m] and angles about the fixed axes [rad] (REP-103)."""
    return Pose3(x, y, z, *map(float, Rotation.from_euler('xyz', (roll, pitch, yaw)).as_quat()))


def pose_of_child(parent: Pose3, child: Pose3) -> Pose3:
    """Return the pose of a child whose pose in its parent is given; both in the parent's frame."""
    rotation = Rotation.from_quat(parent[3:])
    x, y, z = parent[:3] + rotation.apply(child[:3])
    quaternion = (rotation * Rotation.from_quat(child[3:])).as_quat()
    return Pose3(float(x), float(y), float(z), *map(float, quaternion))


def twist_of_child(twist: Twist3, child: Pose3) -> Twist3:
    """Return the twist of a child fixed to a body, in the frame of the child."""
    vx, vy, vz, wx, wy, wz = twist
    x, y, z = child[:3]
    velocity = (vx + wy * z - wz * y, vy + wz * x - wx * z, vz + wx * y - wy * x)
    to_child = Rotation.from_quat(child[3:]).inv()
    return Twist3(*map(float, (*to_child.apply(velocity), *to_child.apply((wx, wy, wz)))))
