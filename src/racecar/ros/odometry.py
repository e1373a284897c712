# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Odometry as the control nodes take it in."""

from __future__ import annotations

from collections.abc import Callable

from nav_msgs.msg import Odometry as OdometryMessage
from rclpy.node import Node
from rclpy.subscription import Subscription

from racecar.base.types import Odometry
from racecar.ros import qos, topics
from racecar.ros.codecs.odometry import read_finite_odometry
from racecar.ros.freshness import earliness
from racecar.ros.node import TableNode
from racecar.ros.raw_subscription import subscribe_raw, THROTTLE


def subscribe_odometry(
    node: Node, callback: Callable[[Odometry], object], *, lockstep: bool = False,
) -> Subscription:
    """Call back with each odometry message that is finite; in lockstep also with the last one."""
    return subscribe_raw(
        node, OdometryMessage, topics.ODOMETRY, read_finite_odometry, callback,
        qos.ODOMETRY_LOCKSTEP_SUBSCRIPTION if lockstep else qos.ODOMETRY_SUBSCRIPTION)


def follow_odometry(
    node: TableNode, callback: Callable[[Odometry], object], *, lockstep: bool,
) -> Subscription:
    """Do the same for a node that controls a car, without odometry of another clock.

    What is further in the future than the parameter odometry_timeout is dropped, but in lockstep,
    where odometry is the time: it would never grow old, and make the time go back after it.
    """
    node.follows_stamps = lockstep

    def on_tick(odometry: Odometry) -> None:
        node.take_stamp(odometry.time_ns)
        callback(odometry)

    def on_odometry(odometry: Odometry) -> None:
        early = earliness(odometry.time_ns, node.now_ns(), node.values['odometry_timeout'])
        if early is None:
            callback(odometry)
        else:
            node.diagnostics.count('odometry dropped')
            node.get_logger().error(
                f'odometry not used: {early}', throttle_duration_sec=THROTTLE)

    return subscribe_odometry(node, on_tick if lockstep else on_odometry, lockstep=lockstep)
