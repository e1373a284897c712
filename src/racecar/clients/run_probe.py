# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hears how a trajectory is followed, for metrics without a bag."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import math

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry as OdometryMessage
from rclpy.node import Node

from racecar.base.columns import Array
from racecar.base.errors import RacecarError, RunError
from racecar.base.types import AckermannCommand, NANOSECONDS, Odometry
from racecar.control.tracker import TrajectoryTracker
from racecar.metrics.run_table import RunJoin
from racecar.ros import qos
from racecar.ros.codecs.ackermann_command import read_command
from racecar.ros.codecs.body_twist import read_stamped_twist
from racecar.ros.codecs.odometry import read_odometry
from racecar.ros.raw_subscription import subscribe_raw
from racecar.ros.topics import (
    GROUND_TRUTH,
    NAVIGATION_COMMAND,
    ODOMETRY,
    REFERENCE_TRAJECTORY,
    TWIST_COMMAND,
)
from racecar.ros.waiting_messages import take_waiting


def _read_speed(data: bytes) -> tuple[AckermannCommand, int]:
    """Speed of a twist, without a steering angle, and the stamp [ns]."""
    twist, stamp_ns = read_stamped_twist(data)
    return AckermannCommand(twist.speed, math.nan), stamp_ns


# Type and reader of topics of commands that are none of a car.
_COMMANDS: dict[str, tuple[type, Callable[[bytes], tuple[AckermannCommand, int]]]] = {
    TWIST_COMMAND: (TwistStamped, _read_speed)}


class Heard:
    """Which stamps of a topic came.

    period_ns: from one stamp to the next [ns]; None if that is not known.
    """

    def __init__(self, period_ns: int | None) -> None:
        self._period_ns = period_ns
        self._first_ns: int | None = None
        self._last_ns = -1
        self._missing = 0
        self.count = 0

    def add(self, stamp_ns: int) -> None:
        """Note a stamp; one that does not go beyond those before counts for nothing."""
        if self._first_ns is None:
            self._first_ns = stamp_ns
        elif stamp_ns <= self._last_ns:
            return
        elif self._period_ns is not None:
            self._missing += (stamp_ns - self._last_ns) // self._period_ns - 1
        self._last_ns = stamp_ns
        self.count += 1

    def reaches(self, end_ns: int) -> bool:
        """Whether a time [ns] or a later one came."""
        return self._last_ns >= end_ns

    def gaps(self, end_ns: int | None) -> str:
        """Say what is missing from 0 to a time [ns], None for the newest; empty for nothing."""
        if self._first_ns is None:
            return 'nothing came'
        if end_ns is not None and not self.reaches(end_ns):
            return (f'the end at {end_ns / NANOSECONDS:g} s did not come, the last was'
                    f' {self._last_ns / NANOSECONDS:g} s')
        if self._missing:
            return f'{self._missing} of {self._missing + self.count} messages did not come'
        return self.late_start()

    def late_start(self) -> str:
        """Say whether the beginning is missing; empty if not."""
        if self._period_ns is None or not self._first_ns:
            return ''
        return f'the first {self._first_ns // self._period_ns} messages did not come'


class RunProbe(Node):
    """Joins odometry, reference and commands of a run to rows of COLUMNS, in constant memory.

    Subscribes: reference_trajectory, a topic of commands, vesc/odom and, where that is reckoned,
    ground_truth/odom, whose motion counts then.
    In lockstep it knows what has to come, and finish() raises RunError if something did not.
    Without, the rate of the answers is not known, and the reliable topics are trusted.
    """

    def __init__(
        self, on_rows: Callable[[Array], object], *, period_ns: int | None = None,
        namespace: str = '', topics: Mapping[str, str] | None = None,
        commands: str = NAVIGATION_COMMAND, reckoned: bool = False, answered: bool = True,
        tracker: TrajectoryTracker | None = None,
    ) -> None:
        """on_rows: gets the rows, (n, len(COLUMNS)), as they are complete.

        period_ns: of the odometry in lockstep [ns], None without. topics: renamed relative
        topic names. commands: the one on which each odometry message is answered. reckoned:
        whether the odometry is not the true motion. answered: whether each is answered; not if
        some are lost. tracker: knows where the reference is, as that of the nodes, whose
        references are not heard then.
        """
        super().__init__(
            'run_probe', namespace=namespace, start_parameter_services=False)
        self._join = RunJoin(self._hand_out)
        self._commands = commands
        self._motion = GROUND_TRUTH if reckoned else ODOMETRY
        self._tracker = tracker
        # Stamps of the motion before the tracker has begun [ns].
        self._early: list[int] = []
        self._on_rows = on_rows
        self.failure: RacecarError | None = None
        self._in_lockstep = period_ns is not None
        self._is_answered = self._in_lockstep and answered
        renamed = topics or {}
        self._heard: dict[str, Heard] = {}
        self._names: dict[str, str] = {}
        # The odometry last: the simulator starts once it is subscribed to.
        self._subscriptions_in_turn = []
        inputs: tuple[tuple[str, type, Callable[[bytes], object], Callable[..., None]], ...] = (
            (REFERENCE_TRAJECTORY, OdometryMessage, read_odometry,
             self._on_reference if tracker is None else lambda _: None),
            (commands, *_COMMANDS.get(commands, (AckermannDriveStamped, read_command)),
             self._on_command),
            (self._motion, OdometryMessage, read_odometry, self._on_motion),
            *(((ODOMETRY, OdometryMessage, read_odometry, self._begin),) if reckoned else ()))
        for topic, message_type, decode, callback in inputs:
            self._heard[topic] = Heard(period_ns)
            subscription = subscribe_raw(
                self, message_type, renamed.get(topic, topic), decode, callback,
                qos.ODOMETRY_LOCKSTEP if topic == ODOMETRY and self._in_lockstep
                else qos.STATE)
            self._names[topic] = subscription.topic_name
            self._subscriptions_in_turn.append(subscription)

    def _hand_out(self, rows: Array) -> None:
        # The executor would tell of an exception in a callback at length.
        if self.failure is None:
            try:
                self._on_rows(rows)
            except RacecarError as error:
                self.failure = error

    def _on_motion(self, o: Odometry) -> None:
        self._heard[self._motion].add(o.time_ns)
        self._join.add_odometry(
            (o.time_ns / NANOSECONDS, o.x, o.y, o.yaw, o.vx, o.vy, o.yaw_rate))

        if self._motion == ODOMETRY:
            self._begin(o)
        if self._tracker is not None:
            self._early.append(o.time_ns)
            self._refer(self._tracker)

    def _begin(self, odometry: Odometry) -> None:
        """Let the tracker begin as that of the nodes does, with the first odometry."""
        if self._tracker is not None and not self._tracker.started:
            self._tracker.start(odometry, odometry.time_ns)
            self._refer(self._tracker)

    def _refer(self, tracker: TrajectoryTracker) -> None:
        """Add the reference at the times of motion that have none yet."""
        if not tracker.started:
            return
        for stamp_ns in self._early:
            self._heard[REFERENCE_TRAJECTORY].add(stamp_ns)
            self._join.add_reference((stamp_ns / NANOSECONDS, *tracker.reference_at(stamp_ns)))
        self._early.clear()

    def _on_reference(self, reference: Odometry) -> None:
        self._heard[REFERENCE_TRAJECTORY].add(reference.time_ns)
        self._join.add_reference((reference.time_ns / NANOSECONDS, reference.x, reference.y))

    def _on_command(self, message: tuple[AckermannCommand, int]) -> None:
        command, stamp_ns = message
        self._heard[self._commands].add(stamp_ns)
        self._join.add_command((stamp_ns / NANOSECONDS, *command))

    def has_heard(self, end_ns: int) -> bool:
        """Whether the odometry of a time [ns] came and, in lockstep, its answer."""
        topics = (self._motion, self._commands) if self._is_answered else (self._motion,)
        return all(self._heard[topic].reaches(end_ns) for topic in topics)

    def destroy_node(self) -> None:
        """Take what has come first."""
        try:
            for subscription in self._subscriptions_in_turn:
                take_waiting(subscription)
        finally:
            super().destroy_node()

    @property
    def unreferenced(self) -> int:
        """How many odometry messages in lockstep have no reference of their own."""
        return self._heard[self._motion].count - self._heard[REFERENCE_TRAJECTORY].count \
            if self._is_answered else 0

    def finish(self, end_ns: int | None = None, *, from_the_start: bool = True) -> None:
        """Join what is left and check that nothing is missing, after the node is destroyed.

        end_ns: what the run has reached [ns]; None where it was broken off. from_the_start: the
        tracker was to be active then. Raises RunError that says what did not come, or what
        on_rows raised before; failure has that already while the node is spun.
        """
        self._join.finish()
        if self.failure is not None:
            raise self.failure
        for topic in (self._motion, REFERENCE_TRAJECTORY):
            if not self._heard[topic].count:
                raise RunError(
                    f'nothing came on {self._names[topic]} to compute the tracking error from;'
                    ' was the tracker active?')
        needed = [self._motion, *([self._commands] if self._is_answered else [])]
        for topic in needed:
            self._check(topic, self._heard[topic].gaps(end_ns))
        if self._is_answered and from_the_start:
            # Later a tracker may rest, and give none meanwhile.
            self._check(REFERENCE_TRAJECTORY, self._heard[REFERENCE_TRAJECTORY].late_start())
        if self._join.late:
            raise RunError(
                f'{self._join.late} messages on {self._names[self._motion]} carry stamps long'
                ' past; does somebody else publish there?')

    def _check(self, topic: str, missing: str) -> None:
        if missing:
            raise RunError(
                f'the tracking error is not known: on {self._names[topic]} {missing}; the'
                ' computer may be too slow for this rate, try a lower one')
