# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The time of the messages that are passed on: simulated where somebody publishes it."""

from __future__ import annotations

from collections.abc import Callable
import time

from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from rosgraph_msgs.msg import Clock

from racecar.ros import topics
from racecar.ros.codecs.clock import read_clock
from racecar.ros.raw_subscription import subscribe_raw

# Only the newest time counts.
_PROFILE = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
# Of wall time, between two times that are reported to clients [s].
_PERIOD = 0.02


class SimulatedTime:
    """Follows /clock for as long as somebody wants it, and reports the time to clients."""

    def __init__(self, node: Node, report: Callable[[int], object]) -> None:
        """report: called with the time [ns], at most 50 times a second of wall time."""
        self._node = node
        self._report = report
        self._reported_at = 0.0
        self._time_ns: int | None = None
        self._subscription: Subscription | None = None

    def now_ns(self) -> int:
        """The simulated time, else that of the computer [ns]."""
        if self._subscription is None:
            return time.time_ns()
        return 0 if self._time_ns is None else self._time_ns

    def follow(self, wanted: bool) -> None:
        """Listen to /clock, if there is one; or stop."""
        if wanted and self._subscription is None and self._node.count_publishers(topics.CLOCK):
            self._subscription = subscribe_raw(
                self._node, Clock, topics.CLOCK, read_clock, self._on_time, _PROFILE)
        elif self._subscription is not None and not (
                wanted and self._node.count_publishers(topics.CLOCK)):
            self._node.destroy_subscription(self._subscription)
            self._subscription = self._time_ns = None

    def _on_time(self, time_ns: int) -> None:
        self._time_ns = time_ns
        now = time.monotonic()
        if now - self._reported_at >= _PERIOD:
            self._reported_at = now
            self._report(time_ns)
