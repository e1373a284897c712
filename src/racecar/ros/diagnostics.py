# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What nodes tell of themselves on /diagnostics: rates, latency, what they dropped and cut off.

The library for it, diagnostic_updater, has no wheels; messages and levels are its, so that
rqt_robot_monitor and diagnostic_aggregator show them. A message is only counted; all else is done
once a period of wall time, and published only while somebody listens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
import platform
import struct
import time
from typing import Protocol

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile

from racecar.base.errors import MessageError
from racecar.base.types import NANOSECONDS
from racecar.ros import qos, topics
from racecar.ros.conversions import set_stamp
from racecar.ros.observed_publisher import ObservedPublisher
from racecar.ros.wire import read_header

# Topics that every node has, and that say nothing of its work.
_COMMON = ('/parameter_events', '/rosout', topics.DIAGNOSTICS)


class Spread:
    """Number, mean and largest of values that were noted since they were last taken."""

    def __init__(self) -> None:
        self._count = 0
        self._total = self._largest = 0.0

    def note(self, value: float) -> None:
        """Note a value."""
        self._count += 1
        self._total += value
        self._largest = max(self._largest, value)

    def take(self) -> tuple[float, float] | None:
        """Mean and largest, and begin anew; None if there was none."""
        found = (self._total / self._count, self._largest) if self._count else None
        self._count, self._total, self._largest = 0, 0.0, 0.0
        return found


class Share:
    """How many of the things that were noted since it was last taken were of a kind."""

    def __init__(self) -> None:
        self._count = self._found = 0

    def note(self, is_one: bool) -> None:
        """Note a thing; is_one: whether it is of the kind."""
        self._count += 1
        self._found += is_one

    def take(self) -> float | None:
        """Share from 0 to 1, and begin anew; None if there was nothing."""
        found = self._found / self._count if self._count else None
        self._count = self._found = 0
        return found


class Traffic:
    """What came on a topic: number of messages, and their age when they were handled [s]."""

    def __init__(self) -> None:
        self.count = 0
        self.ages = Spread()


class Report:
    """Values of a node by their names for people, and how it is: the worst that was said."""

    def __init__(self) -> None:
        self.level = DiagnosticStatus.OK
        self.values: list[KeyValue] = []
        self._message = ''

    @property
    def message(self) -> str:
        """Sentence on how the node is."""
        return self._message or 'at work'

    def add(self, name: str, value: object) -> None:
        """Add a value; numbers that are no integers with six digits."""
        text = f'{value:.6g}' if isinstance(value, float) else str(value)
        self.values.append(KeyValue(key=name, value=text))

    def add_spread(self, name: str, spread: Spread) -> None:
        """Add mean and largest of what was noted, if anything was [s]."""
        found = spread.take()
        if found is not None:
            for what, value in zip(('mean', 'largest'), found, strict=True):
                self.add(f'{name}, {what} [s]', value)

    def add_share(self, name: str, share: Share) -> None:
        """Add a share [%], if anything was noted."""
        found = share.take()
        if found is not None:
            self.add(f'{name} [%]', 100.0 * found)

    def stale(self, text: str) -> None:
        """Say that the node waits for something."""
        self._say(DiagnosticStatus.STALE, text)

    def warn(self, text: str) -> None:
        """Say that something is not as it should be."""
        self._say(DiagnosticStatus.WARN, text)

    def error(self, text: str) -> None:
        """Say that the node cannot do its work."""
        self._say(DiagnosticStatus.ERROR, text)

    def _say(self, level: bytes, text: str) -> None:
        # STALE is the highest number, but who waits does no harm.
        order = (DiagnosticStatus.OK, DiagnosticStatus.STALE, DiagnosticStatus.WARN,
                 DiagnosticStatus.ERROR)
        if level == self.level:
            self._message += f'; {text}'
        elif order.index(level) > order.index(self.level):
            self.level, self._message = level, text


class Diagnosed(Protocol):
    """What is asked of a node that tells of itself; see racecar.ros.node.TableNode."""

    @property
    def values(self) -> Mapping[str, object]:
        """Values of its parameters."""

    @property
    def publishers(self) -> Iterable[Publisher]:
        """All that it has."""

    def create_publisher(
            self, msg_type: type, topic: str, qos_profile: QoSProfile) -> ObservedPublisher:
        """Create one."""

    def get_fully_qualified_name(self) -> str:
        """Namespace and name."""

    def watch_graph(self, look: Callable[[], object]) -> None:
        """Call a function every 0.5 s of wall time."""

    def now_ns(self) -> int:
        """Its time [ns]."""

    def waits_for(self) -> str:
        """What it waits for, empty if it is at work."""

    def diagnose(self, report: Report) -> None:
        """Add what it alone knows."""


class Diagnostics:
    """Counts what comes and goes, and what a node does not use, and publishes it."""

    def __init__(self, node: Diagnosed) -> None:
        """Ask nothing of the node before begin(): it is not complete yet."""
        self._node = node
        self._inputs: dict[str, Traffic] = {}
        self._events: Counter[str] = Counter()
        self._told: Counter[str] = Counter()
        self._sent: Counter[str] = Counter()
        self._received: Counter[str] = Counter()
        self._period = 0.0
        self._reported_at = 0.0

    def begin(self, rate: float) -> None:
        """Report from now on, so often [Hz]; 0: never."""
        if rate == 0.0:
            return
        self._publisher = self._node.create_publisher(
            DiagnosticArray, topics.DIAGNOSTICS, qos.DIAGNOSTICS)
        # Of the looks at the graph each one, or each second one, is early by a little.
        self._period = 0.9 / rate
        self._reported_at = time.monotonic()
        self._node.watch_graph(self._look)

    def count(self, event: str) -> None:
        """Count something that should not happen, such as a command that is too old."""
        self._events[event] += 1

    def counted(
        self, topic: str, callback: Callable[..., None], *, is_timed: bool,
    ) -> Callable[..., None]:
        """Callback of a subscription that also counts, if anything is to be reported.

        topic: full name. is_timed: whether messages are serialised and begin with a header; their
        latency is from its stamp until they are handled. In lockstep there is none.
        """
        if not self._period:
            return callback
        traffic = self._inputs.setdefault(topic, Traffic())

        def count(message: object) -> None:
            traffic.count += 1
            callback(message)

        def count_and_time(data: bytes) -> None:
            traffic.count += 1
            self._note_age(traffic, data)
            callback(data)

        return count_and_time if is_timed and not self._node.values.get('lockstep') else count

    def _note_age(self, traffic: Traffic, data: bytes) -> None:
        try:
            stamp_ns = read_header(data, 1)[0]
        except (MessageError, struct.error):
            # Whoever decodes it says so.
            return
        now_ns = self._node.now_ns()
        if stamp_ns and now_ns:
            # A clock that comes a little later than what it stamps is no negative latency.
            traffic.ages.note(max((now_ns - stamp_ns) / NANOSECONDS, 0.0))

    def _look(self) -> None:
        now = time.monotonic()
        elapsed = now - self._reported_at
        if elapsed < self._period:
            return
        self._reported_at = now
        report = self._report(elapsed)
        if self._publisher.get_subscription_count():
            node, values = self._node, self._node.values
            message = DiagnosticArray(status=[DiagnosticStatus(
                level=report.level, name=node.get_fully_qualified_name().lstrip('/'),
                message=report.message, values=report.values,
                hardware_id=str(values.get('vehicle.name') or values.get('robot.name')
                                or platform.node()))])
            set_stamp(message.header.stamp, node.now_ns())
            self._publisher.publish(message)

    def _report(self, elapsed: float) -> Report:
        """What was in the last seconds."""
        report = Report()
        waits = self._node.waits_for()
        if waits:
            report.stale(waits)
        for topic, traffic in self._inputs.items():
            if topic not in _COMMON:
                self._add_rate(report, f'in {topic}', traffic.count, self._received, elapsed)
                report.add_spread(f'latency {topic}', traffic.ages)
        sent: Counter[str] = Counter()
        for publisher in self._node.publishers:
            if isinstance(publisher, ObservedPublisher) and publisher.topic_name not in _COMMON:
                sent[publisher.topic_name] += publisher.sent
        for topic, count in sent.items():
            self._add_rate(report, f'out {topic}', count, self._sent, elapsed)
        for event, count in self._events.items():
            report.add(event, count)
            fresh = count - self._told[event]
            if fresh:
                self._told[event] = count
                report.warn(f'{event}: {fresh} in the last {elapsed:.1f} s')
        self._node.diagnose(report)
        return report

    @staticmethod
    def _add_rate(
            report: Report, name: str, count: int, before: Counter[str], elapsed: float) -> None:
        report.add(f'{name} [Hz]', (count - before[name]) / elapsed)
        before[name] = count
