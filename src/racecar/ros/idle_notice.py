# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node that was started and does nothing says once what it waits for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rclpy.clock import Clock
from rclpy.node import Node

from racecar.ros import qos

_PERIOD = 1.0

# Not at once, so that a stack may come up; counted in calls, for the first is overdue where a
# node is constructed long before it is spun.
_CALLS = 3


class IdleNotice:
    """Asks a node some seconds after its start what it waits for, and logs the answer.

    In a stack in one process a node that waits for another one that waits itself is not worth a
    line: it logs for debugging only. Nor is a node that is not needed while another one works.
    """

    def __init__(
        self, node: Node, clock: Clock, waits_for: Callable[[], str],
        may_work: Callable[[], bool] = lambda: True,
    ) -> None:
        """clock: a steady one. waits_for: gives a sentence, empty if the node is at work.

        may_work: whether the node could be; the seconds before do not count.
        """
        self._may_work = may_work
        self._node = node
        self._waits_for = waits_for
        self._calls = 0
        self._others: Sequence[IdleNotice] = ()
        self._is_needless: Callable[[], bool] = lambda: False
        self._timer = node.create_timer(_PERIOD, self._on_timer, clock=clock)

    def follow(self, others: Sequence[IdleNotice]) -> None:
        """Be one of a stack; others: of the nodes on which this one depends."""
        self._others = others

    def be_needless_while(self, condition: Callable[[], bool]) -> None:
        """Be of a node that may wait while a condition holds, as others do its work."""
        self._is_needless = condition

    @property
    def is_due(self) -> bool:
        """Whether the node could work and waits."""
        return self._may_work() and bool(self._waits_for())

    def _on_timer(self) -> None:
        self._calls += self._may_work()
        if self._calls < _CALLS:
            return
        # Not destroyed: the EventsExecutor does not survive that in the timer's own callback.
        self._timer.cancel()
        awaited = self._waits_for()
        if awaited:
            logger = self._node.get_logger()
            text = '; '.join((awaited, *self._unheard()))
            if self._is_needless() or any(other.is_due for other in self._others):
                logger.debug(text)
            else:
                logger.info(text)

    def _unheard(self) -> list[str]:
        """Sentence for each topic with publishers that cannot be heard."""
        found = []
        for subscription in self._node.subscriptions:
            topic = subscription.topic_name
            others = qos.incompatible_publishers(self._node, topic, subscription.qos_profile)
            if others:
                found.append(f"{topic} of {' and '.join(others)} cannot be heard")
        return found
