# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""PathMetrics of many cars side by side, whose samples have the same stamps."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from racecar.core.analysis.path_kernels import (
    follow_paths,
    load_sums,
    NO_SUMS,
    PATH_ROWS,
    SUMS,
)
from racecar.core.analysis.path_metrics import Array, PATH_WINDOW, PathMetrics
from racecar.core.compiled import COMPILED
from racecar.core.packing import vector

# Pieces that are added before the rows are moved.
_PIECES = 8


class PathColumns(NamedTuple):
    """The fields of PathMetrics for n cars, each (n,), NaN for None."""

    cross_track_rmse: Array
    max_cross_track_error: Array
    heading_rmse: Array
    speed_rmse: Array

    def metrics(self, car: int) -> PathMetrics | None:
        """Return those of one car; None if no sample counts."""
        cross_track, largest, heading, speed = (float(column[car]) for column in self)
        if np.isnan(cross_track):
            return None
        return PathMetrics(
            cross_track, largest, None if np.isnan(heading) else heading,
            None if np.isnan(speed) else speed)

    def columns(self) -> dict[str, Array]:
        """Return the columns by name."""
        return self._asdict()

    def put(self, car: int, metrics: PathMetrics) -> None:
        """Write those of one car."""
        for name, column in zip(self._fields, self, strict=True):
            value = getattr(metrics, name)
            column[car] = np.nan if value is None else value


class PathWindows:
    """The window of each sample of a run: ticks at most PATH_WINDOW before and after it."""

    def __init__(self, times: Any, skip: float) -> None:
        """times: of all ticks [s], ascending; skip: time from which samples count [s]."""
        stamps = np.asarray(times)
        lows = np.searchsorted(stamps, stamps - PATH_WINDOW)
        self._highs = np.searchsorted(stamps, stamps + PATH_WINDOW, side='right') - 1
        self.times = times
        self.lows: Any = lows if COMPILED else lows.tolist()
        self.highs: Any = self._highs if COMPILED else self._highs.tolist()
        self.widest = int(np.max(self._highs - lows))
        self.start = int(np.searchsorted(stamps, skip))

    def ready(self, end: int) -> int:
        """Return how many samples have their window, and a tick behind it, up to a tick."""
        return int(np.searchsorted(self._highs, end - 1, side='right'))


class PathBatch:
    """Path metrics of cars that run side by side; memory does not grow with the run.

    It takes 80 B per car and tick of the longest window and some pieces more.
    """

    def __init__(self, windows: PathWindows, count: int, piece: int) -> None:
        """piece: as many ticks come at once, at most."""
        self._windows = windows
        self._count = count
        self._room = windows.widest + 2 + _PIECES * piece
        self._rows: Any = vector(count * PATH_ROWS * self._room)
        self._sums: Any = vector([*NO_SUMS] * count)
        self._base = 0
        self._done = windows.start

    def add(self, points: Any, stride: int, first: int, ticks: int, diverged: Any) -> None:
        """Add ticks, the first of them numbered `first`; arguments as in follow_paths()."""
        windows = self._windows
        end = first + ticks - 1
        final = len(windows.times) - 1
        shift = 0
        if end - self._base >= self._room:
            # The course of a sample, and that of the last corner, take the tick before.
            oldest = min(windows.lows[min(self._done, final)], first - 1) - 1
            shift = max(int(oldest) - self._base, 0)
        ready = windows.ready(end)
        follow_paths(
            self._rows, self._sums, self._room, self._base, shift, points, stride, self._count,
            first, ticks, diverged, final, windows.times, windows.lows, windows.highs, self._done,
            ready)
        self._base += shift
        self._done = max(self._done, ready)

    def result(self) -> PathColumns:
        """Return the metrics of all cars, whose last tick must have been added."""
        found = [load_sums(self._sums, SUMS * car, 1) for car in range(self._count)]
        samples, with_course, cross_track, heading, speed, largest = np.array(
            [sums[:6] for sums in found]).reshape(-1, 6).T
        with np.errstate(invalid='ignore'):
            return PathColumns(
                np.sqrt(cross_track / samples), np.where(samples > 0.0, largest, np.nan),
                np.sqrt(heading / with_course), np.sqrt(speed / samples))
