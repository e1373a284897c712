# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Topics on which two publishers would overrule each other: the clock, odometry, commands."""

from __future__ import annotations

from collections import Counter
import time

from rclpy.node import Node
from rclpy.topic_endpoint_info import TopicEndpointInfo

_REPEAT = 10.0

# As rmw names a node of which it has only heard of the topics so far.
_UNKNOWN = '_NODE_NAME_UNKNOWN_'


class RivalWatch:
    """Looks whether one of a node's topics has several publishers, and says who they are.

    An error is logged when that begins, when they change, and again from time to time. A node
    that was killed stays in the graph until its lease ends, 20 s with Fast DDS.
    """

    def __init__(self, node: Node, topic: str) -> None:
        """topic: the full name, as publishers and subscriptions have it."""
        self._node = node
        self._topic = topic
        self._told = ''
        self._told_at = 0.0
        self.complaint = ''

    def look(self) -> None:
        """Look now, at little cost; complaint keeps what was ever found."""
        publishers = []
        if self._node.count_publishers(self._topic) > 1:
            publishers = self._node.get_publishers_info_by_topic(self._topic)
        if len(publishers) < 2:
            self._told = ''
            return
        text = (f'{self._topic} has {len(publishers)} publishers, expected one:'
                f' {_names(publishers)}; they overrule each other. Stop all but one, or separate'
                ' them by a namespace or ROS_DOMAIN_ID')
        self.complaint = text
        now = time.monotonic()
        if text != self._told or now - self._told_at > _REPEAT:
            self._told, self._told_at = text, now
            self._node.get_logger().error(text)


def _names(publishers: list[TopicEndpointInfo]) -> str:
    counts = Counter(
        'a node not known yet' if row.node_name == _UNKNOWN
        else f'{row.node_namespace.rstrip("/")}/{row.node_name}' for row in publishers)
    return ', '.join(f'{name} ({count} times)' if count > 1 else name
                     for name, count in sorted(counts.items()))
