# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""When the time of a case waits for the student's programs, so that a busy computer is no excuse.

Programs of students answer scans without saying which one, by whatever threads and timers they
have. What can be seen is whether something comes after each scan.
"""

from __future__ import annotations

from collections import deque
import math

_LOOKED_AT = 20
"""Scans by which is judged whether a program answers each of them."""

_MOST_MISSED = 4

_QUIET = 0.5
"""After so long without an answer the scans that had piled up are done with [s]."""

_LONGEST_PILE = 5.0


class Pacing:
    """Waits after each scan until something has been answered, as long as that is the custom.

    limit: longest wait for one answer [s] of the computer's time; 0: there is none. Times are
    those of a clock of the computer [s]. Programs that command by a timer do not answer each scan:
    after some waits in vain nothing waits for them, until every scan is answered again. An answer
    that comes after its wait was given up is not taken for that to the next scan, or the program
    would be a scan behind for good.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._missed: deque[bool] = deque(maxlen=_LOOKED_AT)
        self._waits = False
        # Answers until time goes on: one, or two after one that came too late.
        self._owed = 0
        self._is_behind = False
        self._sent_at = self._answered_at = -math.inf
        self._began_at = math.nan

    @property
    def is_customary(self) -> bool:
        """Whether scans are answered so regularly that waiting is worth while."""
        return self._limit > 0.0 and sum(self._missed) <= _MOST_MISSED

    def begin(self, now: float) -> None:
        """The first answer has come, if it is: what has piled up before is awaited, too."""
        if not math.isnan(self._began_at):
            return
        self._began_at = self._answered_at = now
        self._waits = self._limit > 0.0

    def sent(self, now: float, *, is_answered: bool = False) -> None:
        """A scan goes out.

        is_answered: by programs that follow the odometry instead, and wait for the next one.
        """
        if math.isnan(self._began_at):
            return
        is_late = self._owed > 0
        self._missed.append(is_late)
        # Once only, as the scan may be lost.
        self._is_behind = is_late and not self._is_behind
        self._owed = 0 if is_answered else 2 if self._is_behind else 1
        self._sent_at = now
        self._waits = self.is_customary

    def answered(self, now: float) -> None:
        """Something has come."""
        self._answered_at = now
        self._owed = max(self._owed - 1, 0)

    def is_waiting(self, now: float) -> bool:
        """Whether the time has to stand."""
        if self._waits:
            if self._sent_at < self._began_at:
                self._waits = (now - self._answered_at < _QUIET
                               and now - self._began_at < _LONGEST_PILE)
            else:
                self._waits = self._owed > 0 and now - self._sent_at < self._limit
        return self._waits
