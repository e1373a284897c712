# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Distance, time and laps of a drive, of poses that come one by one."""

from __future__ import annotations

from collections.abc import Sequence
import math

# Faster than this [m/s] no car drives: somebody has put it elsewhere.
_FASTEST = 200.0

REACH = 2.5
"""A lap ends at a crossing of the start line at most this far from the start [m]."""


class DriveSum:
    """Sums of a drive in constant memory; where a car is put elsewhere, that is no way.

    The start line goes through the first pose, across its heading. A lap is complete when the car
    crosses it in this direction within REACH, having been twice as far away since the last one.
    One that is put elsewhere begins a lap there if that is within REACH of the start, otherwise
    when it crosses the line next.
    """

    def __init__(self) -> None:
        self.distance = 0.0
        self.duration = 0.0
        self.laps: list[float] = []
        """Time of each lap [s]."""
        self._start: tuple[float, float, float, float] | None = None
        # Time, x, y and the place along the direction of the start.
        self._last = (0.0, 0.0, 0.0, 0.0)
        self._lap_began: float | None = 0.0
        self._was_away = False

    def add(self, time: float, x: float, y: float, yaw: float) -> None:
        """Add a pose [s, m, m, rad], later than the last."""
        if self._start is None:
            self._start, self._lap_began = (x, y, math.cos(yaw), math.sin(yaw)), time
            self._last = (time, x, y, 0.0)
            return
        start_x, start_y, cosine, sine = self._start
        dx, dy = x - start_x, y - start_y
        along, away = dx * cosine + dy * sine, math.hypot(dx, dy)
        before, last_x, last_y, last_along = self._last
        way = math.hypot(x - last_x, y - last_y)
        self.duration += time - before
        if way > _FASTEST * (time - before):
            self._lap_began, self._was_away = time if away <= REACH else None, False
        else:
            self.distance += way
            self._was_away = self._was_away or away > 2.0 * REACH
            if self._was_away and away <= REACH and last_along < 0.0 <= along:
                crossed = time - (time - before) * along / (along - last_along)
                if self._lap_began is not None:
                    self.laps.append(crossed - self._lap_began)
                self._lap_began, self._was_away = crossed, False
        self._last = (time, x, y, along)

    def text(self, collisions: int | None = None) -> str:
        """The drive in one line; collisions: None where nobody counts."""
        return drive_text(self.distance, self.duration, collisions, self.laps)


def drive_text(
    distance: float, duration: float, collisions: int | None, laps: Sequence[float],
) -> str:
    """How far and how long a car drove [m, s], its laps and how often it ran into something."""
    parts = [f'{distance:.1f} m in {duration:.1f} s']
    if laps:
        count = '1 lap' if len(laps) == 1 else f'{len(laps)} laps, the best'
        parts.append(f'{count} in {min(laps):.2f} s')
    if collisions is not None:
        parts.append(f"{collisions or 'no'} collision{'s' * (collisions != 1)}")
    return ', '.join(parts)
