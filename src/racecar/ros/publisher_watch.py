# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Topics with more publishers than they should have: who they are, in the log and as a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
import math
import time

from rclpy.node import Node
from rclpy.topic_endpoint_info import TopicEndpointInfo

_REPEAT = 10.0

# As rmw names a node of which it has only heard of the topics so far.
_UNKNOWN = '_NODE_NAME_UNKNOWN_'


class PublisherWatch:
    """Looks whether a topic has more publishers than it should, and says who they are.

    It reports when that begins, when they change, and maybe again from time to time. A node that
    was killed stays in the graph until its lease ends, 20 s with Fast DDS.
    """

    def __init__(
        self, node: Node, topic: str, most: int, complaint: Callable[[str, int, str], str],
        tell: Callable[[str], object], repeat: float,
    ) -> None:
        """topic: the full name, as publishers and subscriptions have it. most: that it may have.

        complaint: makes a sentence of topic, number and names of publishers. tell: is given it,
        again after a time `repeat` [s].
        """
        self._node = node
        self._topic = topic
        self._most = most
        self._complaint = complaint
        self._tell = tell
        self._repeat = repeat
        self._reported = ''
        self._reported_at = 0.0
        self.complaint = ''

    def look(self) -> None:
        """Look now, at little cost; complaint keeps what was ever found."""
        publishers = []
        if self._node.count_publishers(self._topic) > self._most:
            publishers = self._node.get_publishers_info_by_topic(self._topic)
        if len(publishers) <= self._most:
            self._reported = ''
            return
        text = self._complaint(self._topic, len(publishers), _names(publishers))
        self.complaint = text
        now = time.monotonic()
        if text != self._reported or now - self._reported_at > self._repeat:
            self._reported, self._reported_at = text, now
            self._tell(text)


def conflict_watch(node: Node, topic: str, remedy: str) -> PublisherWatch:
    """Watch for two publishers that overrule each other: an error.

    remedy: besides those that there always are, with a comma after it.
    """
    def complaint(topic: str, count: int, names: str) -> str:
        return (f'{topic} has {count} publishers, expected one: {names}; they overrule each other.'
                f' Stop all but one,{remedy} or separate them by a namespace or ROS_DOMAIN_ID')

    # rclpy wants one severity for each line that logs.
    return PublisherWatch(
        node, topic, 1, complaint, lambda text: node.get_logger().error(text), _REPEAT)


def outsider_watch(node: Node, topic: str) -> PublisherWatch:
    """Watch for publishers that a simulator in lockstep does not wait for: a warning."""
    def complaint(topic: str, _: int, names: str) -> str:
        return (f'{names} publishes on {topic}, which lockstep does not wait for: commands of a'
                ' lower priority than those of the loop are not used, others from the first that'
                ' comes in time, and those without the stamp of an odometry in place of the'
                " loop's until they fall silent. To let it drive from the start, leave out the"
                ' node in whose place it is (`racecar up plant`, or `--without`), or run without'
                ' lockstep')

    return PublisherWatch(
        node, topic, 0, complaint, lambda text: node.get_logger().warning(text), math.inf)


def doubled_watch(node: Node, topic: str, remedy: str) -> PublisherWatch:
    """Watch for publishers of what is published already: a warning."""
    def complaint(topic: str, count: int, names: str) -> str:
        return f'{topic} has {count} publishers, expected one: {names}; {remedy}'

    return PublisherWatch(
        node, topic, 1, complaint, lambda text: node.get_logger().warning(text), math.inf)


def _names(publishers: list[TopicEndpointInfo]) -> str:
    counts = Counter(
        'a node not known yet' if row.node_name == _UNKNOWN
        else f'{row.node_namespace.rstrip("/")}/{row.node_name}' for row in publishers)
    return ', '.join(f'{name} ({count} times)' if count > 1 else name
                     for name, count in sorted(counts.items()))
