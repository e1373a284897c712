# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who takes part in lockstep, and what becomes of a robot that does not answer as it should."""

from __future__ import annotations

from racecar.base.types import NANOSECONDS
from racecar.simulation.ports import COAST, RETIRE, WAIT

MOST_SURPLUS = 10
"""Commands beyond one for each value of the awaited output that are borne."""

# Late answers after which a robot is waited for again.
_LATE, _MOST_LATE = 5, 1000

# So many of them are a flood. Each value takes a little more than one command away, so that who
# answers as it should is forgiven.
_FLOOD, _FORGIVEN = 2 * MOST_SURPLUS, 1.25


class Attendance:
    """How a robot answers in lockstep.

    A robot that has not answered in time is absent: it is not waited for any more while others
    take part, until it answers in time, or late several times; more often each time that it was
    waited for in vain. Of several robots one that is commanded more often than asked, as by a
    second publisher, is absent, too, until that is over. Its commands are not even listened to for
    a while if they are a flood.

    missed: how many values it did not answer. has_exceeded: whether it was commanded more often
    than asked. retired_ns: since when it takes no part for good [ns], None if it does.
    """

    def __init__(self, policy: str, is_one_of_several: bool) -> None:
        """policy: of the parameter lockstep_policy."""
        self.policy = policy
        self._is_guarded = is_one_of_several and policy != WAIT
        self.begin()

    def begin(self) -> None:
        """Forget what was."""
        self.missed = 0
        self.is_absent = self.has_exceeded = False
        self.retired_ns: int | None = None
        # When it left [ns]; late answers since, and how many are needed; whether it has answered
        # since it was waited for again.
        self._left_ns, self._late, self._needed, self._is_on_trial = 0, 0, _LATE, False
        # Of the last commands, how many are more than one for each value.
        self._excess = 0.0

    @property
    def is_retired(self) -> bool:
        """Whether it takes no part any more."""
        return self.retired_ns is not None

    @property
    def coasts(self) -> bool:
        """Whether it keeps its last command for a while when it does not answer."""
        return self.policy == COAST

    def note_asked(self) -> None:
        """Note that the awaited output had a value."""
        self._excess = max(self._excess - _FORGIVEN, 0.0)

    def note_missed(self) -> None:
        """Note that the newest value was not answered."""
        self.missed += 1

    def leave(self, time_ns: int) -> None:
        """Be absent from a time [ns], for good if that is the policy."""
        self.is_absent = True
        self._left_ns, self._late = time_ns, 0
        self._needed = min(2 * self._needed, _MOST_LATE) if self._is_on_trial else _LATE
        self._is_on_trial = False
        if self.policy == RETIRE:
            self.retired_ns = time_ns

    def exceeds(self) -> bool:
        """Count a command; whether there are too many."""
        self._excess = min(self._excess + 1.0, _FLOOD)
        is_too_many = self._is_guarded and self._excess > MOST_SURPLUS
        self.has_exceeded |= is_too_many
        return is_too_many

    @property
    def is_flooded(self) -> bool:
        """Whether it is better not to listen to its commands for a while."""
        return self._is_guarded and self._excess >= _FLOOD

    def listen_again(self) -> None:
        """Listen to its commands again, and wait until they are one for each value."""
        self._excess = MOST_SURPLUS

    def may_answer(self) -> bool:
        """Whether a command is taken for an answer."""
        return not self.is_absent or not self._is_guarded or self._excess <= 1.0

    def note_late(self, stamp_ns: int, now_ns: int) -> None:
        """Note a command with the stamp of another value than the newest [ns]."""
        if self._left_ns < stamp_ns < now_ns and self.is_absent and not self.is_retired \
                and self.may_answer():
            self._late += 1
            if self._late >= self._needed:
                self.is_absent, self._is_on_trial = False, True

    def note_answered(self) -> None:
        """Note that the newest value was answered in time."""
        self._is_on_trial = False
        if self.is_absent:
            self.is_absent = False
            self.missed -= 1

    @property
    def text(self) -> str:
        """What was not as it should be, for people; empty for nothing."""
        found = []
        if self.missed:
            found.append(f"{self.missed} odometry message{'s' * (self.missed > 1)} unanswered")
        if self.has_exceeded:
            found.append('commanded more often than asked')
        if self.retired_ns is not None:
            found.append(f'retired at {self.retired_ns / NANOSECONDS:g} s')
        return f"{', '.join(found)} (lockstep_policy {self.policy})" if found else ''
