# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages that have come and are read later, many at a time, so that none costs much then."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription

from racecar.cockpit.samples import MOST_WAITING
from racecar.core.errors import MessageError
from racecar.ros import qos
from racecar.ros.message_rows import MessageRows, Rows
from racecar.ros.observed_publisher import Observer
from racecar.ros.raw_subscription import Complaints, subscribe_raw
from racecar.ros.waiting_messages import take_waiting

Observe = Callable[[str, Observer], bool]
"""Adds an observer of a topic of this full name; returns whether nodes here publish there."""


def nowhere(topic: str, observer: Observer) -> bool:
    """Observe nothing: no other node is in this process."""
    return False


class _Single(NamedTuple):
    """Messages that are used one by one."""

    waiting: deque[Any]
    decode: Callable[[Any], Any]
    use: Callable[[Any], object]
    complaints: Complaints

    def read(self) -> None:
        waiting, decode, use, complaints = self
        take = waiting.popleft
        while waiting:
            try:
                while waiting:
                    use(decode(take()))
            except MessageError as error:
                complaints.dropped(error)


class _Together(NamedTuple):
    """Messages of which all that wait are used at once."""

    waiting: deque[bytes]
    rows: MessageRows
    use: Callable[[Rows], object]
    complaints: Complaints

    def read(self) -> None:
        waiting, rows, use, complaints = self
        if not waiting:
            return
        messages = [*waiting]
        waiting.clear()
        found = rows.read(messages, complaints.dropped)
        if len(found):
            use(found)


class Backlog:
    """Hears topics: from publishers in this process at once, from others by subscriptions."""

    def __init__(self, node: Node, observe: Observe) -> None:
        """node: which subscribes to what observe() does not find."""
        self._node = node
        self._observe = observe
        self._topics: list[_Single | _Together] = []
        self._subscriptions: list[Subscription] = []

    def hear(
        self, message_type: type[Any], topic: str, decode: Callable[[bytes], Any],
        use: Callable[[Any], object], profile: QoSProfile = qos.STATE, *, most: int = MOST_WAITING,
    ) -> None:
        """Let read() call use() with what decode() makes of each message on a full topic name.

        decode: as in subscribe_raw(). most: so many of the newest ones wait.
        """
        waiting: deque[bytes] = deque(maxlen=most)
        self._topics.append(_Single(waiting, decode, use, Complaints(self._node, topic)))
        self._listen(message_type, topic, waiting, profile)

    def hear_many(
        self, message_type: type[Any], topic: str, rows: MessageRows,
        use: Callable[[Rows], object],
    ) -> None:
        """Let read() call use() with the rows of all messages that wait on a full topic name.

        For what comes some thousand times a second at full speed.
        """
        waiting: deque[bytes] = deque(maxlen=MOST_WAITING)
        self._topics.append(_Together(waiting, rows, use, Complaints(self._node, topic)))
        self._listen(message_type, topic, waiting, qos.STATE)

    def _listen(
        self, message_type: type[Any], topic: str, waiting: deque[bytes], profile: QoSProfile,
    ) -> None:
        if not self._observe(topic, waiting.append):
            self._subscriptions.append(subscribe_raw(
                self._node, message_type, topic, bytes, waiting.append, profile))

    def note(self, topic: str, look: Callable[[], Any], use: Callable[[Any], object]) -> bool:
        """Let read() call use() with what look() returned when each message on a topic was sent.

        Returns False, and does nothing, if nobody in this process publishes there.
        """
        waiting: deque[Any] = deque(maxlen=MOST_WAITING)
        is_found = self._observe(topic, lambda _: waiting.append(look()))
        if is_found:
            self._topics.append(_Single(
                waiting, lambda value: value, use, Complaints(self._node, topic)))
        return is_found

    def read(self) -> None:
        """Use what waits, topic by topic; complain of what cannot be decoded."""
        for topic in self._topics:
            topic.read()

    def finish(self) -> None:
        """Use also what the executor, which does not spin any more, has not taken."""
        for subscription in self._subscriptions:
            take_waiting(subscription)
        self.read()
