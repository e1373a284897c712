# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated time of all nodes of a process: from one subscription, where rclpy has many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from rclpy.clock import ClockType, ROSClock
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.time import Time
from rclpy.time_source import CLOCK_TOPIC
from rosgraph_msgs.msg import Clock as ClockMessage

from racecar.ros.codecs.clock import read_clock
from racecar.ros.node import TableNode, TimeWatch
from racecar.ros.raw_subscription import subscribe_raw

# As rclpy's own: only the newest time counts.
_PROFILE = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


class SharedClock:
    """Hears the simulated time once and sets the clocks of nodes that share an executor.

    Every tick, rclpy would decode the message into objects for each node again. A node alone in
    its process whose messages carry the time (TableNode.follows_stamps) takes it from these:
    /clock would wake the process once more a tick, which costs more than its own work.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        """Take over from the nodes that use simulated time; they are not in an executor yet."""
        self.time_ns = 0
        self._by_stamps = len(nodes) == 1 and all(
            isinstance(node, TableNode) and node.follows_stamps for node in nodes)
        self._clocks: dict[Node, ROSClock] = {}
        self._watches: list[TimeWatch] = []
        # Who hears the time for all, and on which topic.
        self._owner: Node | None = None
        self._topic = ''
        for node in nodes:
            self.join(node)

    def join(self, node: Node) -> None:
        """Take over from a node as well, if it uses simulated time; it is in no executor yet."""
        subscription = next(
            (row for row in node.subscriptions if row.msg_type is ClockMessage), None)
        if subscription is None or self._topic not in ('', subscription.topic_name):
            return
        self._topic = subscription.topic_name
        node.destroy_subscription(subscription)
        # A node has no other, though rclpy promises only a Clock.
        self._clocks[node] = cast(ROSClock, node.get_clock())
        if isinstance(node, TableNode):
            node.shared_clock = self
            for watch in node.time_watches:
                watch.follow_shared_clock()
            self._watches += node.time_watches
        if self._owner is None:
            self._hear_by(node)

    def leave(self, node: Node) -> None:
        """Do without a node that ends; another one hears the time in its place."""
        self._clocks.pop(node, None)
        if isinstance(node, TableNode):
            self._watches = [watch for watch in self._watches if watch not in node.time_watches]
        if node is self._owner:
            self._owner = None
            if self._clocks:
                self._hear_by(next(iter(self._clocks)))

    def _hear_by(self, node: Node) -> None:
        self._owner = node
        if not self._by_stamps:
            subscribe_raw(node, ClockMessage, CLOCK_TOPIC, read_clock, self._on_clock, _PROFILE)

    def take_stamp(self, stamp_ns: int) -> None:
        """Set the time, unless /clock does."""
        if self._by_stamps and stamp_ns != self.time_ns:
            self._on_clock(stamp_ns)

    def _on_clock(self, time_ns: int) -> None:
        self.time_ns = time_ns
        time = Time(nanoseconds=time_ns, clock_type=ClockType.ROS_TIME)
        for clock in self._clocks.values():
            clock.set_ros_time_override(time)
        for watch in self._watches:
            watch.on_time(time_ns)
