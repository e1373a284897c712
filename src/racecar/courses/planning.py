# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""When a planner is told the pose of the car and the goal that is due, as a person clicks them.

Planners take the start of a path from the odometry or from the last /initialpose, and need
seconds to minutes of the computer's time for it. So both are told for each goal, and the time of
the case stands until the path has come.
"""

from __future__ import annotations

from enum import Enum

_PAUSE = 0.3
"""Between the pose and the goal, which come on topics of their own [s]."""

_AGAIN = 5.0
"""After which a car that stands has it told again [s] of simulated time."""

_PATIENCE, _SHORTEST = 5.0, 10.0
"""Times the longest path before, and at least so long [s], another path is awaited."""


class Tell(Enum):
    """What a planner is to be told."""

    NOTHING = 0
    POSE = 1
    GOAL = 2


class Planning:
    """What a planner is told, and whether the time of the case waits for its path.

    limit: longest wait for a path [s] of the computer's time, less where those before came sooner;
    0: there is none. took: how long paths have taken [s].
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._goal: tuple[float, float] | None = None
        self._posed_at: float | None = None
        self._asked_at: float | None = None
        self._told_at = 0.0
        self.took: list[float] = []

    def next(
        self, goal: tuple[float, float] | None, time: float, now: float, *, stands: bool,
    ) -> Tell:
        """What to tell now.

        goal: that is due [m]. time: simulated, now: of the computer [s]. stands: whether the car
        does.
        """
        if goal is None:
            self._posed_at = self._asked_at = None
            return Tell.NOTHING
        if self._posed_at is not None:
            if now - self._posed_at < _PAUSE:
                return Tell.NOTHING
            self._posed_at, self._told_at = None, time
            self._asked_at = now if self._limit else None
            return Tell.GOAL
        again = stands and time - self._told_at > _AGAIN and not self.is_waiting(now)
        if goal == self._goal and not again:
            return Tell.NOTHING
        self._goal, self._posed_at, self._asked_at = goal, now, None
        return Tell.POSE

    def planned(self, now: float) -> None:
        """A path has come."""
        if self._asked_at is not None:
            self.took.append(now - self._asked_at)
        self._asked_at = None

    def is_waiting(self, now: float) -> bool:
        """Whether the time has to stand."""
        return self._posed_at is not None or (
            self._asked_at is not None and now - self._asked_at < self._wait)

    @property
    def _wait(self) -> float:
        if not self.took:
            return self._limit
        return min(self._limit, max(_SHORTEST, _PATIENCE * max(self.took)))
