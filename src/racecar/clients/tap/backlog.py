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

from racecar.core.errors import MessageError
from racecar.ros import qos
from racecar.ros.observed_publisher import Observer
from racecar.ros.raw_subscription import Complaints, subscribe_raw
from racecar.ros.waiting_messages import take_waiting

Observe = Callable[[str, Observer], bool]
"""Adds an observer of a topic of this full name; returns whether nodes here publish there."""

# So many messages of a topic may wait: more than half a second at full speed.
_MOST = 5000


def nowhere(topic: str, observer: Observer) -> bool:
    """Observe nothing: no other node is in this process."""
    return False


class _Topic(NamedTuple):
    waiting: deque[Any]
    decode: Callable[[Any], Any]
    use: Callable[[Any], object]
    complaints: Complaints


class Backlog:
    """Hears topics: from publishers in this process at once, from others by subscriptions."""

    def __init__(self, node: Node, observe: Observe) -> None:
        """node: which subscribes to what observe() does not find."""
        self._node = node
        self._observe = observe
        self._topics: list[_Topic] = []
        self._subscriptions: list[Subscription] = []

    def hear(
        self, message_type: type[Any], topic: str, decode: Callable[[bytes], Any],
        use: Callable[[Any], object], profile: QoSProfile = qos.STATE, *, most: int = _MOST,
    ) -> None:
        """Let read() call use() with what decode() makes of each message on a full topic name.

        decode: as in subscribe_raw(). most: so many of the newest ones wait.
        """
        waiting: deque[bytes] = deque(maxlen=most)
        self._topics.append(_Topic(waiting, decode, use, Complaints(self._node, topic)))
        if not self._observe(topic, waiting.append):
            self._subscriptions.append(subscribe_raw(
                self._node, message_type, topic, bytes, waiting.append, profile))

    def note(self, topic: str, look: Callable[[], Any], use: Callable[[Any], object]) -> bool:
        """Let read() call use() with what look() returned when each message on a topic was sent.

        Returns False, and does nothing, if nobody in this process publishes there.
        """
        waiting: deque[Any] = deque(maxlen=_MOST)
        is_found = self._observe(topic, lambda _: waiting.append(look()))
        if is_found:
            self._topics.append(_Topic(
                waiting, lambda value: value, use, Complaints(self._node, topic)))
        return is_found

    def read(self) -> None:
        """Use what waits, topic by topic; complain of what cannot be decoded."""
        for waiting, decode, use, complaints in self._topics:
            take = waiting.popleft
            while waiting:
                try:
                    # Some thousands a second at full speed.
                    while waiting:
                        use(decode(take()))
                except MessageError as error:
                    complaints.dropped(error)

    def finish(self) -> None:
        """Use also what the executor, which does not spin any more, has not taken."""
        for subscription in self._subscriptions:
            take_waiting(subscription)
        self.read()
