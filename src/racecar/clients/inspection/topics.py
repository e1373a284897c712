# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Topics: their messages as text, their rates, and messages of one's own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import math
import time
from typing import NamedTuple

from rclpy.subscription import Subscription

from racecar.base.errors import ConfigurationError
from racecar.clients.inspection.inspector import Inspector
from racecar.ros import qos
from racecar.ros.message_values import load_type, type_name

_DEPTH = 10
_REPORT_PERIOD = 1.0
# How long to wait for a subscription of the right type before those of others are looked at [s].
_TYPE_PATIENCE = 2.0


def listen(
    inspector: Inspector, topic: str, type_name: str | None, callback: Callable[..., object],
    *, raw: bool = False,
) -> Subscription:
    """Subscribe as the publishers of a topic allow; type_name: None for that which it has.

    Raises ConfigurationError for a topic that is not there, if no type is given.
    """
    message_type = load_type(type_name or inspector.topic_type(topic), 'msg')
    profiles = inspector.graph.publisher_profiles(topic)

    def on_message(message: object) -> None:
        callback(message)

    return inspector.node.create_subscription(
        message_type, topic, on_message, qos.matching(profiles, _DEPTH) if profiles else qos.STATE,
        raw=raw)


class RateMeter:
    """Times between messages, of the newest of them."""

    def __init__(self, window: int) -> None:
        """window: how many messages count."""
        self._times: deque[float] = deque(maxlen=max(2, window))

    def add(self, at: float) -> None:
        """Note that a message came at a time [s]."""
        self._times.append(at)

    @property
    def summary(self) -> str:
        """Rate and spread, as ros2 topic hz prints them; empty if there are too few messages."""
        times = [*self._times]
        steps = [later - earlier for earlier, later in zip(times, times[1:], strict=False)]
        total = sum(steps)
        if not steps or total <= 0.0:
            return ''
        mean = total / len(steps)
        deviation = math.sqrt(sum((step - mean) ** 2 for step in steps) / len(steps))
        return (f'average rate: {1.0 / mean:.3f}\n'
                f'\tmin: {min(steps):.3f}s max: {max(steps):.3f}s'
                f' std dev: {deviation:.5f}s window: {len(times)}')


def measure_rate(
    inspector: Inspector, topic: str, window: int, report: Callable[[str], object],
    times: int | None,
) -> None:
    """Report the rate of a topic every second, so many times; None for ever.

    Raises ConfigurationError for a topic that is not there.
    """
    meter = RateMeter(window)
    count = 0

    def on_message(_: bytes) -> None:
        nonlocal count
        count += 1
        meter.add(time.monotonic())

    listen(inspector, topic, None, on_message, raw=True)
    reported = seen = 0
    while times is None or reported < times:
        inspector.spin(lambda: False, _REPORT_PERIOD)
        if count == seen:
            report('no new messages')
        elif meter.summary:
            report(meter.summary)
        reported, seen = reported + 1, count


def _check_type(inspector: Inspector, own: str, topic: str) -> None:
    types = {info.topic_type for info in inspector.graph.subscriptions(topic)}
    if types and own not in types:
        raise ConfigurationError(
            f"subscriptions of {topic} have the type {', '.join(sorted(types))}, not {own}")


class Schedule(NamedTuple):
    """When to publish a message.

    rate: [Hz]. times: how often, None for ever. subscribers: how many to wait for first.
    """

    rate: float
    times: int | None
    subscribers: int


def publish(
    inspector: Inspector, message: object, topic: str, schedule: Schedule,
    report: Callable[[str], object],
) -> None:
    """Publish a message.

    Raises ConfigurationError if all subscriptions that are found instead of those to wait for
    have another type.
    """
    rate, times, subscribers = schedule
    # Fits every subscription, also one that is not discovered yet and asks for what is latched.
    publisher = inspector.node.create_publisher(type(message), topic, qos.LATCHED)
    if publisher.get_subscription_count() < subscribers:
        report(f'waiting for {subscribers} subscription{"s" * (subscribers != 1)}...')

        def is_enough() -> bool:
            return bool(publisher.get_subscription_count() >= subscribers)

        if not inspector.spin(is_enough, _TYPE_PATIENCE):
            _check_type(inspector, type_name(type(message)), publisher.topic_name)
            inspector.spin(is_enough)
    report('publisher: beginning loop')
    count = 0
    due = time.monotonic()
    while times is None or count < times:
        count += 1
        report(f'publishing #{count}: {message!r}\n')
        publisher.publish(message)
        due += 1.0 / rate
        last = times is not None and count >= times
        # The last one needs time to go out.
        inspector.spin(lambda: False, 0.1 if last else max(0.0, due - time.monotonic()))
