# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Odometry as the control nodes take it in."""

from __future__ import annotations

from collections.abc import Callable

from nav_msgs.msg import Odometry as OdometryMessage
from rclpy.node import Node
from rclpy.subscription import Subscription

from racecar.core.types import Odometry
from racecar.ros import qos, topics
from racecar.ros.codecs.odometry import read_finite_odometry
from racecar.ros.raw_subscription import subscribe_raw


def subscribe_odometry(
    node: Node, callback: Callable[[Odometry], object], *, lockstep: bool = False,
) -> Subscription:
    """Call back with each odometry message that is finite; in lockstep also with the last one."""
    return subscribe_raw(
        node, OdometryMessage, topics.ODOMETRY, read_finite_odometry, callback,
        qos.ODOMETRY_LOCKSTEP_SUBSCRIPTION if lockstep else qos.ODOMETRY_SUBSCRIPTION)
