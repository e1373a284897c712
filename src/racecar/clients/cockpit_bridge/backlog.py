# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages that have come and are read later, many at a time, so that none costs much then."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription

from racecar.base.errors import MessageError
from racecar.clients.cockpit_bridge.local_stack import Observe
from racecar.cockpit.samples import MOST_WAITING
from racecar.ros import qos
from racecar.ros.message_rows import MessageRows, Rows
from racecar.ros.raw_subscription import Complaints, subscribe_raw
from racecar.ros.waiting_messages import take_waiting

Value = TypeVar('Value')


class _Topic(NamedTuple):
    waiting: deque[Any]
    use: Callable[[list[Any]], object]


class Backlog:
    """Hears topics: from publishers in this process at once, from others by subscriptions."""

    def __init__(self, node: Node, observe: Observe) -> None:
        """node: which subscribes to what observe() does not find."""
        self._node = node
        self._observe = observe
        self._topics: list[_Topic] = []
        self._subscriptions: list[Subscription] = []

    def hear(
        self, message_type: type, topic: str, decode: Callable[[bytes], Value],
        use: Callable[[Value], object], profile: QoSProfile = qos.STATE, *,
        most: int = MOST_WAITING,
    ) -> None:
        """Let read() call use() with what decode() makes of each message on a full topic name.

        decode: as in subscribe_raw(). most: so many of the newest ones wait.
        """
        complaints = Complaints(self._node, topic)

        def use_each(messages: list[bytes]) -> None:
            for data in messages:
                try:
                    use(decode(data))
                except MessageError as error:
                    complaints.dropped(error)

        self._listen(message_type, topic, use_each, profile, most)

    def hear_many(
        self, message_type: type, topic: str, rows: MessageRows,
        use: Callable[[Rows], object],
    ) -> None:
        """Let read() call use() with the rows of all messages that wait on a full topic name.

        For what comes some thousand times a second at full speed.
        """
        complaints = Complaints(self._node, topic)

        def use_all(messages: list[bytes]) -> None:
            found = rows.read(messages, complaints.dropped)
            if len(found):
                use(found)

        self._listen(message_type, topic, use_all, qos.STATE, MOST_WAITING)

    def _listen(
        self, message_type: type, topic: str, use: Callable[[list[bytes]], object],
        profile: QoSProfile, most: int,
    ) -> None:
        waiting: deque[bytes] = deque(maxlen=most)
        self._topics.append(_Topic(waiting, use))
        if not self._observe(topic, waiting.append):
            self._subscriptions.append(subscribe_raw(
                self._node, message_type, topic, bytes, waiting.append, profile))

    def note(
        self, topic: str, look: Callable[[], Value], use: Callable[[list[Value]], object],
    ) -> bool:
        """Let read() call use() with what look() returned when each message on a topic was sent.

        Returns False, and does nothing, if nobody in this process publishes there.
        """
        waiting: deque[Value] = deque(maxlen=MOST_WAITING)
        is_found = self._observe(topic, lambda _: waiting.append(look()))
        if is_found:
            self._topics.append(_Topic(waiting, use))
        return is_found

    @property
    def waiting(self) -> int:
        """How many messages of a topic wait, of the one of which most do."""
        return max(len(topic.waiting) for topic in self._topics)

    def read(self) -> None:
        """Use what waits, topic by topic; complain of what cannot be decoded."""
        for waiting, use in self._topics:
            if waiting:
                values = [*waiting]
                waiting.clear()
                use(values)

    def finish(self) -> None:
        """Use also what the executor, which does not spin any more, has not taken."""
        for subscription in self._subscriptions:
            take_waiting(subscription)
        self.read()
