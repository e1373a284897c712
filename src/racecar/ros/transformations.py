# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Roll, pitch, yaw of a quaternion: tf_transformations, or what it wraps.

tf_transformations comes with a ROS installation and is no wheel; transforms3d, which does its
work, is.
"""

try:
    from tf_transformations import euler_from_quaternion
except ImportError:
    from collections.abc import Sequence

    from transforms3d.euler import quat2euler

    def euler_from_quaternion(quaternion: Sequence[float]) -> tuple[float, float, float]:
        """Roll, pitch, yaw about fixed axes (REP-103) [rad] of x, y, z, w."""
        x, y, z, w = quaternion
        roll, pitch, yaw = quat2euler((w, x, y, z))
        return roll, pitch, yaw

__all__ = ['euler_from_quaternion']
