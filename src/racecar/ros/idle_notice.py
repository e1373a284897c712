# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node that was started and does nothing says once what it waits for."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.clock import Clock
from rclpy.node import Node

from racecar.ros import qos

_PERIOD = 1.0

# Not at once, so that a stack may come up; counted in calls, for the first is overdue where a
# node is constructed long before it is spun.
_CALLS = 3


class IdleNotice:
    """Asks a node some seconds after its start what it waits for, and logs the answer."""

    def __init__(self, node: Node, clock: Clock, waits_for: Callable[[], str]) -> None:
        """clock: a steady one. waits_for: gives a sentence, empty if the node is at work."""
        self._node = node
        self._waits_for = waits_for
        self._calls = 0
        self._timer = node.create_timer(_PERIOD, self._on_timer, clock=clock)

    def _on_timer(self) -> None:
        self._calls += 1
        if self._calls < _CALLS:
            return
        # Not destroyed: the EventsExecutor does not survive that in the timer's own callback.
        self._timer.cancel()
        awaited = self._waits_for()
        if awaited:
            self._node.get_logger().info('; '.join((awaited, *self._unheard())))

    def _unheard(self) -> list[str]:
        """Sentence for each topic with publishers that cannot be heard."""
        found = []
        for subscription in self._node.subscriptions:
            topic = subscription.topic_name
            others = qos.incompatible_publishers(self._node, topic, subscription.qos_profile)
            if others:
                found.append(f"{topic} of {' and '.join(others)} cannot be heard")
        return found
