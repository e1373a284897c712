# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Odometry as the control nodes take it in."""

from __future__ import annotations

from racecar.core.types import Odometry
from racecar.ros.node import TableNode, THROTTLE
from racecar.ros.wire import read_odometry


def finite_odometry(node: TableNode, data: bytes) -> Odometry | None:
    """Read a serialised odometry message; if it is not finite, log that and return None."""
    odometry = read_odometry(data)
    if odometry.is_finite:
        return odometry
    node.get_logger().error(
        f'odometry dropped: {odometry}, expected finite numbers',
        throttle_duration_sec=THROTTLE)
    return None
