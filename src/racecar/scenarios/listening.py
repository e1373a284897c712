# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A drive of nodes in other processes, heard by their topics."""

from __future__ import annotations

from collections.abc import Callable
import contextlib
from functools import partial
import threading
import time

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rosgraph_msgs.msg import Clock as ClockMessage
from std_msgs.msg import UInt32

from racecar.base.types import NANOSECONDS, Odometry
from racecar.clients.graph.view import GraphView
from racecar.faults.plant import shows_truth
from racecar.ros import qos
from racecar.ros.codecs.odometry import read_odometry
from racecar.ros.initialising import init
from racecar.ros.message_values import load_type
from racecar.ros.raw_subscription import subscribe_raw
from racecar.ros.topics import CLOCK, COLLISIONS, GROUND_TRUTH, ODOMETRY
from racecar.scenarios.drive_record import DriveRecord
from racecar.scenarios.scenario import Scenario, tracker_of
from racecar.simulation.reckoned_plant import is_reckoned
from racecar.stacks.parts import absolute, renamed

_LOOK = 0.1
"""From one look for publishers to the next [s]."""
_STILL = 3
"""Looks after the last node has come for its topics to come, too."""
_LONGEST_WAY = 5.0
"""Messages of the last time that have not come after so long do not come [s]."""
_DEPTH = 1000


class Listening:
    """Hears a drive in a thread of its own, until it is closed.

    The simulator waits for subscriptions to the output that lockstep awaits an answer to. They
    come last, so that nothing is missed. simulator: its full name, without the leading slash.
    """

    def __init__(self, scenario: Scenario) -> None:
        """Begin to hear. Raises RacecarError for a scenario that cannot run."""
        options = scenario.driven(ends=False)
        descriptions = scenario.describe()
        simulator = next(d for d in descriptions if d.spec.is_simulator)
        values = simulator.resolve()
        self._end_ns = round(scenario.duration * NANOSECONDS)
        self.record = DriveRecord(self._end_ns, tracker_of(scenario.stack, descriptions))
        self.simulator = simulator.full_name
        self.period_ns = round(NANOSECONDS / float(values['rate']))
        self._clock_ns, self._motion_ns = 0, -1
        self._passed_at: float | None = None
        self._names = {f'/{d.full_name}' for d in descriptions}
        self._looks = 0
        self._context = rclpy.Context()
        init(context=self._context)
        self._node = Node(
            'scenario_listener', namespace=simulator.namespace, context=self._context)
        self._graph = GraphView(self._node)

        def full(topic: str) -> str:
            return topic if topic.startswith('/') else absolute(
                simulator.namespace, renamed(options, topic))

        motion = full(GROUND_TRUTH if is_reckoned(values) or shows_truth(values) else ODOMETRY)
        self._stamped: set[str] = set()
        self._callbacks: dict[str, list[Callable[[bytes], object]]] = {}
        for topic in scenario.expected.topics:
            self._hear(full(topic), partial(self._on_message, topic, full(topic)))
        self._hear(motion, lambda data: self._on_motion(read_odometry(data)))
        self._hear(full(ODOMETRY), lambda data: self.record.add_seen(read_odometry(data)))
        # The simulator starts once these are subscribed to.
        self._last = [full(ODOMETRY), full(scenario.stack.recorded[-1])]
        self._hear(self._last[-1], lambda _: None)
        self._node.create_subscription(ClockMessage, CLOCK, self._on_clock, qos.CLOCK)
        self._node.create_subscription(UInt32, full(COLLISIONS), self._on_count, qos.LATCHED)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._node.create_timer(_LOOK, self._look)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def _hear(self, topic: str, callback: Callable[[bytes], object]) -> None:
        """Let a function have what comes on a topic, once somebody publishes there."""
        self._callbacks.setdefault(topic, []).append(callback)

    @property
    def time_ns(self) -> int:
        """Simulated time that has come [ns]."""
        return max(self._clock_ns, self._motion_ns)

    @property
    def has_ended(self) -> bool:
        """Whether the time is up, and the last odometry has come or been lost."""
        if self._clock_ns < self._end_ns:
            return False
        self._passed_at = self._passed_at or time.monotonic()
        return self._motion_ns + self.period_ns > self._end_ns or (
            time.monotonic() - self._passed_at > _LONGEST_WAY)

    def waits_for(self) -> str:
        """Say which nodes or topics are not there."""
        nodes = sorted(self._names.difference(self._graph.nodes()))
        silent = sorted(self._callbacks)
        parts = [*([f"no node {' and '.join(nodes)}"] if nodes else []),
                 *([f"nobody publishes {' and '.join(silent)}"] if silent else [])]
        return '; '.join(parts) or 'all nodes are there'

    def close(self) -> None:
        """Hear no more; a second call does nothing."""
        if not self._context.ok():
            return
        self._executor.shutdown()
        self._thread.join()
        self._node.destroy_node()
        self._context.try_shutdown()

    def _spin(self) -> None:
        with contextlib.suppress(ExternalShutdownException):
            self._executor.spin()

    def _look(self) -> None:
        """Subscribe to topics that have publishers, to the last ones when all nodes are there."""
        if self._names <= {*self._graph.nodes()}:
            self._looks += 1
        others = [topic for topic in self._callbacks if topic not in self._last]
        for topic in others:
            self._subscribe(topic)
        if self._looks >= _STILL or not others and self._looks:
            for topic in self._last:
                self._subscribe(topic)

    def _subscribe(self, topic: str) -> None:
        publishers = self._graph.publishers(topic)
        if not publishers or topic not in self._callbacks:
            return
        callbacks = self._callbacks.pop(topic)

        def on_message(data: bytes) -> None:
            for callback in callbacks:
                callback(data)

        kind = load_type(publishers[0].topic_type, 'msg')
        if hasattr(kind, 'header'):
            self._stamped.add(topic)
        subscribe_raw(
            self._node, kind, topic, bytes, on_message,
            qos.matching([info.qos_profile for info in publishers], _DEPTH))

    def _on_clock(self, message: ClockMessage) -> None:
        self._clock_ns = message.clock.sec * NANOSECONDS + message.clock.nanosec
        self.record.note_time(self._clock_ns)

    def _on_motion(self, odometry: Odometry) -> None:
        self._motion_ns = odometry.time_ns
        self.record.add_motion(odometry)

    def _on_count(self, message: UInt32) -> None:
        if self.time_ns <= self._end_ns:
            self.record.collisions = message.data

    def _on_message(self, topic: str, full_name: str, data: bytes) -> None:
        self.record.note_message(topic, data, is_stamped=full_name in self._stamped)
