# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Euler angles and quaternions x, y, z, w: tf_transformations, or what it wraps.

tf_transformations comes with a ROS installation and is no wheel; transforms3d, which does its
work, is. Angles: roll, pitch, yaw about fixed axes (REP-103) [rad].
"""

try:
    from tf_transformations import euler_from_quaternion, quaternion_from_euler
except ImportError:
    from collections.abc import Sequence

    from transforms3d.euler import euler2quat, quat2euler

    def euler_from_quaternion(quaternion: Sequence[float]) -> tuple[float, float, float]:
        """Roll, pitch, yaw."""
        x, y, z, w = quaternion
        roll, pitch, yaw = quat2euler((w, x, y, z))
        return roll, pitch, yaw

    def quaternion_from_euler(
        roll: float, pitch: float, yaw: float,
    ) -> tuple[float, float, float, float]:
        """x, y, z, w."""
        w, x, y, z = euler2quat(roll, pitch, yaw)
        return x, y, z, w

__all__ = ['euler_from_quaternion', 'quaternion_from_euler']
