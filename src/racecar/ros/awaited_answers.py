# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whose answers lockstep waits for, and what becomes of robots that do not answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import time

from racecar.base.types import NANOSECONDS
from racecar.ros.diagnostics import Spread
from racecar.ros.node import TableNode
from racecar.ros.raw_subscription import THROTTLE
from racecar.ros.robot_link import RobotLink
from racecar.simulation.ports import COAST, Input, Plant, RETIRE, STOP, WAIT

_REPEAT_PERIOD = 1.0
# So long at least [s] lockstep waits for the first command of a robot, whose node may just start.
_FIRST_DEADLINE = 5.0


class AwaitedAnswers:
    """Robots whose last awaited output has no answer yet: none without lockstep.

    waits: wall time for which answers were waited for [s]. missed: what was waited for in vain
    first, '' for nothing.
    """

    def __init__(
        self, node: TableNode, links: Sequence[RobotLink], plant: Plant,
        stamp_ns: Callable[[], int], on_answer: Callable[[], None],
    ) -> None:
        """Wait for all robots of a plant.

        stamp_ns: of the newest odometry [ns]; on_answer: called when less is waited for.
        """
        self._node, self._links, self._plant = node, links, plant
        self._stamp_ns, self._on_answer = stamp_ns, on_answer
        self._unanswered = set(links) if node.values['lockstep'] else set()
        self.waits, self.missed = Spread(), ''
        self._shown_at = self._asked_again_at = 0.0

    @property
    def is_waiting(self) -> bool:
        """Whether a robot is waited for."""
        return bool(self._unanswered)

    @property
    def are_late(self) -> bool:
        """Whether the deadline has passed since all was shown."""
        return time.monotonic() - self._shown_at > self._deadline

    @property
    def _deadline(self) -> float:
        """How long is waited for a command, but for the first one [s]."""
        deadline: float = self._node.values['lockstep_deadline']
        return deadline

    def note_shown(self) -> None:
        """Begin to count the time for which is waited."""
        self._shown_at = time.monotonic()

    def forget(self) -> None:
        """Wait for nobody."""
        self._unanswered.clear()

    def take(self, link: RobotLink, port: Input, stamp_ns: int) -> None:
        """Note a value of an answer."""
        link.note_answer(port, stamp_ns)
        if link.is_answered:
            self._unanswered.discard(link)
            self.waits.note(time.monotonic() - self._shown_at)
            self._on_answer()

    def watch(self, show: Callable[[], None]) -> None:
        """Say whom is waited for, and treat who has not answered within the deadline.

        show: publishes everything.
        """
        if not self._unanswered:
            return
        waited, deadline = time.monotonic() - self._shown_at, self._deadline
        silent = [link for link in self._links if link in self._unanswered]
        topics_of_silent = ' and '.join(link.waits_on for link in silent)
        strays = ''.join(link.stray for link in silent)
        if not any(link.has_obeyed for link in self._links):
            if waited > _REPEAT_PERIOD:
                self._node.get_logger().info(
                    f'lockstep: waiting for the first command on {topics_of_silent};'
                    f' is the controller running and active?{strays}', throttle_duration_sec=5.0)
                show()
        elif waited > self._deadline_of(silent):
            self._node.get_logger().error(
                f'lockstep: no command stamped {self._stamp_ns()} ns came on'
                f' {topics_of_silent} within lockstep_deadline'
                f' ({deadline:g} s of wall time);'
                f' {self._consequence}.'
                ' Every node of the chain must stamp its output with the odometry stamp that'
                f' caused it{strays}', throttle_duration_sec=THROTTLE)
            if self._node.values['lockstep_policy'] == WAIT:
                return
            self.missed = self.missed or (
                f'no command came on {topics_of_silent} at {self._plant.time_ns / NANOSECONDS:g} s'
                f' within lockstep_deadline ({deadline:g} s of wall time)')
            self._node.diagnostics.count('deadlines of lockstep missed')
            for link in silent:
                link.attendance.note_missed()
                link.go_on_without(self._plant.time_ns)
            self._unanswered.clear()
            self._on_answer()
        else:
            self._ask_again([link for link in silent if not link.has_obeyed])

    def _ask_again(self, silent: Sequence[RobotLink]) -> None:
        """Publish once more to robots whose first answer may have been sent before we heard it."""
        now = time.monotonic()
        if silent and now - max(self._shown_at, self._asked_again_at) > _REPEAT_PERIOD:
            self._asked_again_at = now
            for link in silent:
                link.publish(*divmod(self._stamp_ns(), NANOSECONDS), None)

    def _deadline_of(self, silent: Sequence[RobotLink]) -> float:
        """How long robots that have not answered are waited for [s]."""
        has_begun = all(link.has_obeyed or link.attendance.is_absent for link in silent)
        return self._deadline if has_begun else max(self._deadline, _FIRST_DEADLINE)

    @property
    def _consequence(self) -> str:
        """What lockstep_policy does with a car, for messages."""
        return {
            WAIT: 'it is waited for', COAST: 'the car coasts',
            STOP: 'the car is stopped', RETIRE: 'the car is stopped and retired',
        }[self._node.values['lockstep_policy']]

    def wait_for(self, asked: Sequence[RobotLink]) -> None:
        """Wait for the answers of robots that take part; of the absent if nobody else does."""
        taking_part = [link for link in asked if not link.attendance.is_retired]
        present = [link for link in taking_part if not link.attendance.is_absent]
        self._unanswered.update(present or taking_part)
        if present:
            for link in taking_part:
                if link.attendance.is_absent:
                    link.attendance.note_missed()

    def is_one(self, link: RobotLink, stamp_ns: int, now_ns: int) -> bool:
        """Whether a command is the answer to the newest value of the awaited output."""
        attendance = link.attendance
        if link.is_unasked:
            # Late, or of a node which has missed the odometry.
            return False
        if attendance.exceeds():
            self._leave_out(link)
            return False
        if stamp_ns != now_ns:
            link.note_stray(stamp_ns, now_ns)
            attendance.note_late(stamp_ns, now_ns)
            return False
        is_first = len(self._links) == 1 or not link.is_commanded
        return is_first and not attendance.is_retired and attendance.may_answer()

    def _leave_out(self, link: RobotLink) -> None:
        """Go on without a robot that is commanded more often than asked."""
        if link.attendance.is_flooded:
            link.go_deaf()
        if not link.attendance.is_absent:
            self._node.get_logger().error(
                f'lockstep: more commands came on {link.commanded_on} than one for each odometry;'
                f' {self._consequence}. Does somebody else publish there, or a node by a timer?',
                throttle_duration_sec=THROTTLE)
            self._node.diagnostics.count('cars commanded more often than asked')
            link.go_on_without(self._plant.time_ns)
            self._unanswered.discard(link)
            self._on_answer()
