# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What must be there before the first tick: who listens to the robots, and who commands them."""

from __future__ import annotations

from collections.abc import Sequence
import time

from rclpy.node import Node
from rclpy.publisher import Publisher

from racecar.base.errors import RunError
from racecar.ros.node import TableNode


class StartGate:
    """Keeps a simulator from starting as its parameters wait_for_* and start_deadline say."""

    def __init__(self, node: TableNode, publishers: Sequence[Publisher]) -> None:
        """publishers: of the outputs whose subscriptions count."""
        self._node = node
        self._publishers = publishers
        self._topics = [
            node.resolve_topic_name(topic) for topic in node.values['wait_for_publishers']]
        self._since: float | None = None

    def is_open(self) -> bool:
        """Whether all are there. Raises RunError that says who is not after the deadline."""
        wanted = self._node.values['wait_for_subscribers']
        if all(publisher.get_subscription_count() >= wanted for publisher in self._publishers) \
                and all(map(self._node.count_publishers, self._topics)):
            return True
        now = time.monotonic()
        self._since = self._since or now
        deadline = self._node.values['start_deadline']
        if deadline and now - self._since > deadline:
            raise RunError(
                f'nothing was simulated within start_deadline ({deadline:g} s of wall time):'
                f' {self.missing()}')
        return False

    def missing(self) -> str:
        """Say what is waited for; empty if all are there."""
        wanted = self._node.values['wait_for_subscribers']
        found = min(publisher.get_subscription_count() for publisher in self._publishers)
        awaited = []
        if found < wanted:
            names = ' and '.join(publisher.topic_name for publisher in self._publishers)
            awaited.append(
                f'{wanted} subscriptions to {names} (wait_for_subscribers), there are {found}')
        awaited += [
            f'somebody who publishes {described(self._node, topic)} (wait_for_publishers)'
            for topic in self._topics if not self._node.count_publishers(topic)]
        return f"waiting for {', and for '.join(awaited)}" if awaited else ''


def described(node: Node, topic: str) -> str:
    """`TYPE on TOPIC` with the full name of a topic and the type its subscribers take."""
    name: str = node.resolve_topic_name(topic)
    types = sorted({row.topic_type for row in node.get_subscriptions_info_by_topic(name)})
    return f"{' or '.join(types)} on {name}" if types else f'on {name}'
