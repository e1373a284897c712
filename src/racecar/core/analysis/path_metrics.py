# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Errors against the path of the reference: cross-track, heading and speed error.

Cross-track and heading error are those of path followers, as in G. Hoffmann, C. Tomlin,
M. Montemerlo, S. Thrun, "Autonomous automobile trajectory tracking for off-road driving",
American Control Conference 2007, and J. Snider, "Automatic steering methods for autonomous
automobile path tracking", CMU-RI-TR-09-08, 2009.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.core.analysis.path_kernels import SLACK, SLOWEST_COURSE

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

PATH_WINDOW = 3.0
"""The nearest point of the path is sought this long before and after the sample [s]."""

# Samples that are summed at once, and the fewest that are worked on at once.
_BLOCK = 4096

# Numbers in a temporary array of the search: few enough for the cache.
_BUDGET = 1 << 15


@dataclass(frozen=True)
class PathMetrics:
    """Errors of the tracked point against the path of the reference, over a run.

    The path is the polyline of the reference positions at the samples; the nearest point of it
    is sought at most PATH_WINDOW before and after the sample.
    cross_track_rmse: sqrt(mean(d^2)), d being the distance to the nearest point [m].
    max_cross_track_error: largest d [m].
    heading_rmse: sqrt(mean(e^2)), e being the course of the tracked point minus the direction of
    the path at the nearest point, in (-pi, pi] [rad]; modulo pi, in [-pi/2, pi/2], where the path
    turns back on itself within the window, as a car does that drives backwards. Samples count
    where tracked point and reference move at SLOWEST_COURSE or faster; None without any.
    speed_rmse: sqrt(mean((v - v_reference)^2)), the speeds at the same time [m/s]; None for a
    run of one sample. Course and speeds are those of the difference between the samples before
    and after, for tracked point and reference alike.
    """

    cross_track_rmse: float
    max_cross_track_error: float
    heading_rmse: float | None
    speed_rmse: float | None

    def as_dict(self) -> dict[str, float | None]:
        """Return the values by name."""
        return asdict(self)

    def as_rows(self) -> list[tuple[str, str, str]]:
        """Return (name, value, unit) for people, in a fixed order."""
        return [
            ('cross-track RMSE', f'{self.cross_track_rmse:.4f}', 'm'),
            ('maximum cross-track error', f'{self.max_cross_track_error:.4f}', 'm'),
            ('heading RMSE', _text(self.heading_rmse), 'rad'),
            ('speed RMSE', _text(self.speed_rmse), 'm/s'),
        ]


class PathMetricsSum:
    """PathMetrics of a run that comes in pieces; memory does not grow with the run.

    The pieces follow each other in time. However a run is divided, the result is the same to the
    last digit: a sample waits until its whole window is there, and sums are taken over blocks of
    as many samples.
    """

    def __init__(self) -> None:
        # Rows t, x, y, reference_x, reference_y. The first _done samples are worked off and stay
        # for the windows of the later ones; of the very first only the position is needed.
        self._rows = np.empty((5, 0))
        self._done = 0
        self._new: list[Array] = []
        self._waiting = 0
        self._start = -np.inf
        # Squares of cross-track, heading and speed error.
        self._block = np.empty((3, _BLOCK))
        self._filled = 0
        self._sums = np.zeros(3)
        self._samples = 0
        self._with_course = 0
        self._largest = 0.0

    def add(self, rows: Array, start: float = -np.inf) -> None:
        """Add samples that follow the last ones, maybe none.

        rows: (5, n) time [s], strictly ascending, x, y of the tracked point and x, y of the
        reference [m]. start: time from which samples count [s], the same for all pieces; the
        path before it remains path.
        """
        self._start = start
        self._new.append(rows)
        self._waiting += rows.shape[1]
        if self._waiting >= _BLOCK:
            self._work_off(is_end=False)

    def result(self) -> PathMetrics:
        """Return the metrics of what was added, of which at least one sample must count."""
        whole = deepcopy(self)
        whole._work_off(is_end=True)
        cross_track, heading, speed = whole._sums + np.sum(
            whole._block[:, :whole._filled], axis=1)
        return PathMetrics(
            cross_track_rmse=math.sqrt(cross_track / whole._samples),
            max_cross_track_error=whole._largest,
            heading_rmse=math.sqrt(heading / whole._with_course) if whole._with_course else None,
            speed_rmse=None if math.isnan(speed) else math.sqrt(speed / whole._samples))

    def _work_off(self, *, is_end: bool) -> None:
        rows = np.hstack([self._rows, *self._new])
        self._new, self._waiting = [], 0
        t = rows[0]
        if not t.size:
            return
        end = t.size if is_end else int(np.searchsorted(t + PATH_WINDOW, t[-1]))
        first = max(self._done, int(np.searchsorted(t, self._start)))
        if first < end:
            self._count(path_errors(rows, first, end))
        self._done = max(self._done, end)
        oldest = np.searchsorted(t, t[min(self._done, t.size - 1)] - PATH_WINDOW)
        unneeded = max(0, int(oldest) - 1)
        self._rows = rows[:, unneeded:].copy()
        self._done -= unneeded

    def _count(self, errors: PathErrors) -> None:
        has_course = ~np.isnan(errors.heading)
        self._samples += errors.cross_track.size
        self._with_course += int(np.sum(has_course))
        self._largest = max(self._largest, float(np.max(errors.cross_track)))
        squares = np.stack([
            errors.cross_track**2, np.where(has_course, errors.heading, 0.0)**2,
            errors.speed**2])
        done, size = 0, squares.shape[1]
        while done < size:
            if self._filled == _BLOCK:
                self._sums = self._sums + np.sum(self._block, axis=1)
                self._filled = 0
            more = min(size - done, _BLOCK - self._filled)
            self._block[:, self._filled:self._filled + more] = squares[:, done:done + more]
            self._filled += more
            done += more


class PathErrors(NamedTuple):
    """Errors of samples, each (n,).

    cross_track: distance to the nearest point of the path [m]. heading: [rad], NaN where there is
    no course. speed: actual minus desired [m/s], NaN in a run of one sample.
    """

    cross_track: Array
    heading: Array
    speed: Array


def path_errors(rows: Array, first: int, end: int) -> PathErrors:
    """Return the errors of the samples first to end - 1, as PathMetrics defines them.

    rows: (5, m) as in PathMetricsSum.add; 0 <= first < end <= m.
    """
    t, x, y, path_x, path_y = rows
    vx, vy, speed = _velocity(t, x, y)
    path_vx, path_vy, path_speed = _velocity(t, path_x, path_y)
    part = slice(first, end)
    low = np.searchsorted(t, t[part] - PATH_WINDOW)
    high = np.searchsorted(t, t[part] + PATH_WINDOW, side='right') - 1
    squared, segment, share = nearest_points(x[part], y[part], path_x, path_y, low, high)

    # Direction of the path: between those at both ends of the segment, as on a smooth curve.
    after = np.minimum(segment + 1, high)
    moves = path_speed >= SLOWEST_COURSE
    safe = np.where(moves, path_speed, 1.0)
    ux, uy = path_vx / safe, path_vy / safe
    tangent_x = (1.0 - share) * ux[segment] + share * ux[after]
    tangent_y = (1.0 - share) * uy[segment] + share * uy[after]
    along = tangent_x * vx[part] + tangent_y * vy[part]
    across = tangent_x * vy[part] - tangent_y * vx[part]
    turned = _turns_back(ux, uy, np.flatnonzero(moves), low, high) & (along < 0.0)
    sign = np.where(turned, -1.0, 1.0)
    heading = np.arctan2(sign * across, sign * along)
    has_course = (speed[part] >= SLOWEST_COURSE) & moves[segment] & moves[after]
    return PathErrors(
        np.sqrt(squared), np.where(has_course, heading, np.nan), speed[part] - path_speed[part])


def nearest_points(
    x: Array, y: Array, path_x: Array, path_y: Array, low: Indices, high: Indices,
) -> tuple[Array, Indices, Array]:
    """Return where a polyline is nearest to points, each within a part of it.

    x, y: (n,) points [m]; path_x, path_y: (m,) corners of the polyline [m]; low, high: (n,) first
    and last corner of the part, 0 <= low <= high < m.
    Returns (n,) squared distance [m^2], first corner of the nearest segment, of several equally
    near ones the first, and the share of the segment before the nearest point, 0 to 1.
    The result is exact and independent of how the search is divided: groups of segments whose
    disc is farther than a corner known to be near are not looked at.
    """
    size = max(2, math.isqrt(int(np.max(high - low)) + 1) // 2)
    groups = -(-path_x.size // size)
    corners = np.minimum(
        size * np.arange(groups)[:, None] + np.arange(size + 1), path_x.size - 1)
    middle = corners[:, size // 2]
    radius = np.max(np.hypot(
        path_x[corners] - path_x[middle, None], path_y[corners] - path_y[middle, None]), axis=1)
    rests = radius == 0.0
    step_x, step_y = np.append(np.diff(path_x), 0.0), np.append(np.diff(path_y), 0.0)
    squared, segment, share = np.empty(x.size), np.empty(x.size, np.intp), np.empty(x.size)
    widest = int(np.max(high // size - low // size)) + 1
    for part in _parts(x.size, _BUDGET // widest):
        lows, highs = low[part, None], high[part, None]
        group = lows // size + np.arange(widest)
        is_there = group <= highs // size
        group = np.minimum(group, groups - 1)
        center = middle[group]
        away_x, away_y = path_x[center] - x[part, None], path_y[center] - y[part, None]
        # Many times as fast as numpy.hypot.
        distance = np.sqrt(away_x * away_x + away_y * away_y)
        is_inside = is_there & (lows <= center) & (center <= highs)
        any_corner = np.hypot(path_x[low[part]] - x[part], path_y[low[part]] - y[part])
        bound = np.minimum(any_corner, np.min(np.where(is_inside, distance, np.inf), axis=1))
        # While the path rests, one group at its place stands for those after it.
        repeats = rests[group] & rests[group - 1] & (size * (group - 1) >= lows)
        point, column = np.nonzero(
            is_there & ~repeats & (distance - radius[group] <= bound[:, None] + SLACK))
        group = group[point, column]
        best = tuple(np.concatenate(values) for values in zip(*(
            _nearest_of_groups(
                x[part][point[pairs]], y[part][point[pairs]], path_x, path_y, step_x, step_y,
                size * group[pairs], low[part][point[pairs]], high[part][point[pairs]], size)
            for pairs in _parts(point.size, _BUDGET // size)), strict=True))
        # The pairs of a point follow each other; the first of its nearest ones.
        starts = np.flatnonzero(np.diff(point, prepend=-1))
        least = np.minimum.reduceat(best[0], starts)
        hits = np.flatnonzero(best[0] == least[point])
        chosen = hits[np.flatnonzero(np.diff(point[hits], prepend=-1))]
        squared[part], segment[part], share[part] = (values[chosen] for values in best)
    return squared, segment, share


def _nearest_of_groups(
    x: Array, y: Array, path_x: Array, path_y: Array, step_x: Array, step_y: Array,
    begin: Indices, low: Indices, high: Indices, size: int,
) -> tuple[Array, Indices, Array]:
    """Return squared distance, segment and share of the nearest of `size` segments each."""
    index = begin[:, None] + np.arange(size)
    is_there = (index >= low[:, None]) & (index <= high[:, None])
    # At the last corner a segment without length.
    has_length = index < high[:, None]
    index = np.minimum(index, path_x.size - 1)
    dx = np.where(has_length, step_x[index], 0.0)
    dy = np.where(has_length, step_y[index], 0.0)
    rx, ry = x[:, None] - path_x[index], y[:, None] - path_y[index]
    length = dx * dx + dy * dy
    share = np.clip(
        (rx * dx + ry * dy) / np.where(length > 0.0, length, 1.0), 0.0, 1.0)
    ex, ey = rx - share * dx, ry - share * dy
    squared = np.where(is_there, ex * ex + ey * ey, np.inf)
    best = np.argmin(squared, axis=1)
    row = np.arange(best.size)
    return squared[row, best], index[row, best], share[row, best]


def _turns_back(
    ux: Array, uy: Array, moving: Indices, low: Indices, high: Indices,
) -> NDArray[np.bool_]:
    """Return for each part, low to high, whether the path changes to the opposite direction.

    It does where it turns by more than a right angle from one moving corner to the next.
    """
    is_turn = ux[moving[1:]] * ux[moving[:-1]] + uy[moving[1:]] * uy[moving[:-1]] < 0.0
    before, after = moving[:-1][is_turn], moving[1:][is_turn]
    return np.searchsorted(after, high, side='right') > np.searchsorted(before, low)


def _velocity(t: Array, x: Array, y: Array) -> tuple[Array, Array, Array]:
    """Return x, y and modulus of the mean velocity between the neighbours, each (n,) [m/s]."""
    if t.size < 2:
        nothing = np.full(t.size, np.nan)
        return nothing, nothing, nothing
    # Not numpy.gradient, whose digits depend on whether all steps of a piece are equal.
    number = np.arange(t.size)
    before, after = np.maximum(number - 1, 0), np.minimum(number + 1, t.size - 1)
    time = t[after] - t[before]
    vx, vy = (x[after] - x[before]) / time, (y[after] - y[before]) / time
    # As the kernels have it; numpy.hypot may differ in the last digit.
    return vx, vy, np.sqrt(vx * vx + vy * vy)


def _parts(size: int, most: int) -> Iterator[slice]:
    step = max(1, most)
    for start in range(0, size, step):
        yield slice(start, start + step)


def _text(value: float | None) -> str:
    return '-' if value is None else f'{value:.4f}'
