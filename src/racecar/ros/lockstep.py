# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""In lockstep every message is awaited, so none may be sent before somebody listens.

Who answers by messages of two topics waits for both that are due; their stamps tell which.
"""

from __future__ import annotations

from typing import TypeVar

from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.timer import Timer

from racecar.base.types import NANOSECONDS
from racecar.ros.node import TableNode

Message = TypeVar('Message')

_POLL_PERIOD = 0.01
# Two times of one step of a simulator [ns], of which the periods are whole numbers.
_ROUNDING = 1000


def is_last_due(stamp_ns: int, now_ns: int, period: float) -> bool:
    """Whether of messages that come with a period [s] this one is the last due at a time [ns].

    The one before was due a whole period earlier. The time and the stamp are of one simulator.
    """
    return now_ns - period * NANOSECONDS + _ROUNDING < stamp_ns <= now_ns


class AnswerPublisher:
    """A publisher whose first message waits for the first subscription if `lockstep` is set.

    Discovery takes its time: an answer sent before the next node of the chain is connected would
    be lost, and the loop would wait for it for ever.
    """

    def __init__(self, node: TableNode, message_type: type, topic: str, qos: QoSProfile,
                 lockstep: bool) -> None:
        """Create the publisher on the node."""
        self._node = node
        self.publisher: Publisher = node.create_publisher(message_type, topic, qos)
        self._connected = not lockstep
        self._held: object = None
        self._timer: Timer | None = None
        if lockstep:
            self._timer = node.create_timer(
                _POLL_PERIOD, self._on_poll_timer, clock=node.steady_clock)

    def publish(self, message: object) -> None:
        """Send the message, now or as soon as somebody listens."""
        if self._connected:
            self.publisher.publish(message)
        else:
            self._held = message

    def destroy(self) -> None:
        """Let go of the publisher and of what it still holds."""
        if self._timer is not None:
            self._timer.cancel()
        self._node.destroy_publisher(self.publisher)

    def _on_poll_timer(self) -> None:
        assert self._timer is not None
        if self.publisher.get_subscription_count() == 0:
            return
        self._connected = True
        # Not destroyed: the EventsExecutor does not survive that from the timer's own callback.
        self._timer.cancel()
        if self._held is not None:
            self.publisher.publish(self._held)
            self._held = None
