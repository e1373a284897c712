# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""PathMetrics of cars side by side whose samples have the same stamps, and of one run."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import has_compiler
from racecar.base.errors import RunError
from racecar.base.rows import first_row, flatten
from racecar.base.vectors import Flat, Vector, vector
from racecar.metrics.path_kernels import (
    NO_SUMS,
    path_kernel,
    PATH_ROWS,
    Stretch,
    SUMS,
)
from racecar.metrics.path_metrics import PATH_WINDOW, PathMetrics

Array = NDArray[np.float64]

Ticks: TypeAlias = Sequence[int] | NDArray[np.int64]

# Pieces that are added before the rows are moved.
_PIECES = 8

# Samples of one run that are worked off at once: few, as memory that is in the cache is fast.
_PIECE = 512


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
    """The window of each sample of a run: ticks at most PATH_WINDOW before and after it.

    Those of a run that still goes on are known up to PATH_WINDOW before its last sample.
    """

    def __init__(self, times: Vector, skip: float, origin: int = 0) -> None:
        """times: of the ticks from `origin` on [s], ascending; skip: when samples count [s]."""
        stamps = np.asarray(times)
        lows = origin + np.searchsorted(stamps, stamps - PATH_WINDOW)
        self._highs = origin + np.searchsorted(stamps, stamps + PATH_WINDOW, side='right') - 1
        self.times = times
        self.origin = origin
        self.final = origin + stamps.size - 1
        self.lows: Ticks = lows if has_compiler() else lows.tolist()
        self.highs: Ticks = self._highs if has_compiler() else self._highs.tolist()
        self.start = origin + int(np.searchsorted(stamps, skip))

    @property
    def widest(self) -> int:
        """Most ticks from the first to the last of a window."""
        return int(np.max(np.subtract(self._highs, self.lows)))

    def low(self, tick: int) -> int:
        """Return the first tick of the window of a sample, or of the last one if it is later."""
        return int(self.lows[min(tick, self.final) - self.origin])

    def ready(self, end: int) -> int:
        """Return before which sample all have their window, and a tick behind it, up to a tick."""
        return self.origin + int(np.searchsorted(self._highs, end - 1, side='right'))


class PathRows:
    """The stretch of the path that the next samples of some cars need, and their sums so far.

    It takes 80 B per car and tick.
    """

    def __init__(self, count: int, room: int) -> None:
        """room: ticks to hold at first; there will be more if a window needs them."""
        self._count = count
        self._room = room
        self._rows: Flat = vector(count * PATH_ROWS * room)
        self._sums: Flat = vector([*flatten(NO_SUMS)] * count)
        self._base = 0
        self._done = 0

    @property
    def base(self) -> int:
        """First tick that is held; what follows needs none before it."""
        return self._base

    def add(
        self, windows: PathWindows, points: Vector, stride: int, first: int, ticks: int,
        diverged: Vector, *, goes_on: bool = False,
    ) -> None:
        """Add ticks, the first of them numbered `first`; arguments as in path_kernel().

        windows: of the ticks from `base` on at least; goes_on: whether others follow the last.
        """
        end = first + ticks - 1
        done = max(self._done, windows.start)
        shift = 0
        if end - self._base >= self._room:
            # The course of a sample, and that of the last corner, take the tick before.
            oldest = min(windows.low(done), first - 1) - 1
            shift = max(oldest - self._base, 0)
            if end - self._base - shift >= self._room:
                self._grow(end - self._base + 1)
        ready = windows.ready(end)
        self._base += shift
        path_kernel()(
            (self._rows, self._sums), points, diverged, windows.times,
            (windows.lows, windows.highs), tuple(Stretch(
                self._room, self._base, shift, stride, self._count, first, ticks,
                -1 if goes_on else windows.final, windows.origin, done, ready)))
        self._done = max(done, ready)

    def result(self) -> PathColumns:
        """Return the metrics of all cars, whose last tick must have been added."""
        samples, with_course, cross_track, heading, speed, largest = np.reshape(
            self._sums, (-1, SUMS)).T[:6]
        with np.errstate(invalid='ignore'):
            return PathColumns(
                np.sqrt(cross_track / samples), np.where(samples > 0.0, largest, np.nan),
                np.sqrt(heading / with_course), np.sqrt(speed / samples))

    def samples(self, car: int) -> int:
        """Return how many samples of a car count so far."""
        return int(self._sums[SUMS * car + first_row(NO_SUMS, 'errors', 'samples')])

    def _grow(self, least: int) -> None:
        # Twice as many, so that a run at another rate is not copied again and again.
        room = 2 * least
        rows = np.zeros((self._count * PATH_ROWS, room))
        rows[:, :self._room] = np.reshape(self._rows, (-1, self._room))
        self._rows, self._room = vector(rows.ravel()), room


class PathBatch:
    """Path metrics of cars that run side by side; memory does not grow with the run.

    It takes 80 B per car and tick of the longest window and some pieces more.
    """

    def __init__(self, windows: PathWindows, count: int, piece: int) -> None:
        """piece: as many ticks come at once, at most."""
        self._windows = windows
        self._rows = PathRows(count, windows.widest + 2 + _PIECES * piece)

    def add(self, points: Vector, stride: int, first: int, ticks: int, diverged: Vector) -> None:
        """Add ticks, the first of them numbered `first`; arguments as in path_kernel()."""
        self._rows.add(self._windows, points, stride, first, ticks, diverged)

    def result(self) -> PathColumns:
        """Return the metrics of all cars, whose last tick must have been added."""
        return self._rows.result()


class _RunPath:
    """The path of one run, of which only the times are kept that are still needed."""

    def __init__(self, room: int) -> None:
        self.rows = PathRows(1, room)
        self._times = np.empty(0)
        self._origin = 0

    def add(self, rows: Array, start: float, *, goes_on: bool) -> None:
        """Work off samples; arguments as in PathMetricsSum.add() and PathRows.add()."""
        first = self._origin + self._times.size
        times = np.concatenate([self._times, rows[0]])
        if times.size:
            self.rows.add(
                PathWindows(vector(times), start, self._origin), vector(rows[1:].T.ravel()),
                1, first, rows.shape[1], vector([-1.0]), goes_on=goes_on)
        self._times = times[self.rows.base - self._origin:]
        self._origin = self.rows.base


class PathMetricsSum:
    """PathMetrics of a run that comes in pieces; memory does not grow with the run.

    The pieces follow each other in time. However a run is divided, the result is the same to the
    last digit, and that of a car of a batch with these samples. A sample waits until its whole
    window is there.
    """

    def __init__(self, piece: int = _PIECE) -> None:
        """piece: samples that are worked off at once, at least 1; memory and time depend on it."""
        self._piece = piece
        self._path = _RunPath(_PIECES * piece)
        # Rows of add() that wait.
        self._waiting = np.empty((5, 0))
        self._start = -np.inf

    def add(self, rows: Array, start: float = -np.inf) -> None:
        """Add samples that follow the last ones, maybe none.

        rows: (5, n) time [s], strictly ascending, x, y of the tracked point and x, y of the
        reference [m]. start: time from which samples count [s], the same for all pieces; the
        path before it remains path.
        """
        self._start = start
        waiting = np.hstack([self._waiting, rows])
        first, size = 0, waiting.shape[1]
        while size - first >= self._piece:
            self._path.add(waiting[:, first:first + self._piece], start, goes_on=True)
            first += self._piece
        self._waiting = waiting[:, first:].copy()

    def result(self) -> PathMetrics:
        """Return the metrics of what was added.

        Raises ValueError if no sample counts, RunError if positions are so large that the squares
        of errors overflow.
        """
        whole = deepcopy(self._path)
        whole.add(self._waiting, self._start, goes_on=False)
        if not whole.rows.samples(0):
            raise ValueError(
                f'no sample counts, expected at least one at {self._start:g} s or later')
        found = whole.rows.result().metrics(0)
        if found is None or not math.isfinite(found.cross_track_rmse):
            raise RunError(
                'the squared error against the path overflows, expected positions below 1e150 m;'
                ' the run diverged or its source is broken')
        return found


def warm_up_path_metrics() -> None:
    """Compile the kernel, which may take seconds at the first start, so that no add() does."""
    path_kernel().compile()
