# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Path through the way-points of a CSV file, with limits of speed and acceleration."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
import math
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from racecar.core.errors import ConfigurationError, excerpt, ParameterError
from racecar.core.parameters import Parameter
from racecar.core.share import find_track
from racecar.core.trajectories.base import Attitude, ReferencePoint, Trajectory
from racecar.core.trajectories.waypoint_file import MIN_SPACING, read_way_points

Array = NDArray[np.float64]

# Cells per way-point, and their length [m] where way-points lie far apart.
_MIN_CELLS = 8
_CELL = 0.02
# Where these are more than so many cells, they become fewer and longer, but one per way-point.
_MAX_CELLS = 200_000
# A longer path [m] of way-points farther apart than this on average [m] is not in metres.
_LENGTH_LIMIT = 4000.0
_MAX_MEAN_SPACING = 10.0
_GAUSS_NODES, _GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(5)


@dataclass(frozen=True)
class WayPointPath(Trajectory):
    """A cubic spline through way-points, driven as fast as the limits allow.

    The curvature is continuous. The speed is the least of the limit, the way-points' own speeds
    (interpolated by distance) and what the lateral acceleration allows, v^2 |curvature|, with the
    longitudinal acceleration bounded by a pass forwards and one backwards. It starts from rest;
    an open path ends at rest, a closed one goes on round and round. The limits of longitudinal
    and lateral acceleration hold each for itself.
    Raises ParameterError if the file cannot be used.
    """

    name: ClassVar[str] = 'waypoints'
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter('waypoints_file', str, 'hall',
                  'Way-points: CSV file with x, y [m] and optionally speed [m/s], a path or a name'
                  ' in config/tracks'),
        Parameter('waypoints_path', str, 'auto',
                  'Way-points: closed, open, or auto: closed if the last one repeats the first',
                  choices=('auto', 'closed', 'open')),
        Parameter('waypoints_speed_limit', float, 1.5, 'Way-points: largest speed', 'm/s',
                  above=0.0, maximum=100.0),
        Parameter('waypoints_lateral_acceleration', float, 2.0,
                  'Way-points: largest lateral acceleration', 'm/s^2', above=0.0, maximum=100.0),
        Parameter('waypoints_longitudinal_acceleration', float, 1.0,
                  'Way-points: largest acceleration and deceleration along the path', 'm/s^2',
                  above=0.0, maximum=100.0),
    )

    file: str
    path: str
    speed_limit: float
    lateral_acceleration: float
    longitudinal_acceleration: float

    def __post_init__(self) -> None:
        try:
            found = find_track(self.file)
            stamp = found.stat()
            table = _tabulate(
                found, (stamp.st_mtime_ns, stamp.st_size), self.path, self.speed_limit,
                self.lateral_acceleration, self.longitudinal_acceleration)
        except ConfigurationError as error:
            raise ParameterError(f"parameter 'waypoints_file': {error}") from error
        object.__setattr__(self, '_table', table)

    @property
    def table(self) -> MotionTable:
        """Path and motion at the nodes of the grid."""
        return self._table  # type: ignore[attr-defined,no-any-return]

    @property
    def period(self) -> float | None:
        """Time of a flying lap [s]; None for an open path."""
        table = self.table
        return None if table.lap_start is None else table.times[-1] - table.times[table.lap_start]

    @property
    def duration(self) -> float | None:
        """Time until the end of an open path, or of the first lap, which starts from rest [s]."""
        table = self.table
        return table.times[-1 if table.lap_start is None else table.lap_start]

    def at(self, time: float) -> ReferencePoint:
        """Return the reference at the time since activation [s]; an open path ends at rest."""
        return self._at(time)[0]

    def attitude(self, time: float) -> Attitude | None:
        """Return how the car is to stand: along the path."""
        return self._at(time)[1]

    def _at(self, time: float) -> tuple[ReferencePoint, Attitude]:
        table = self.table
        times = table.times
        if time >= times[-1] and table.lap_start is not None:
            first = times[table.lap_start]
            time = first + math.fmod(time - first, times[-1] - first)
        index = min(max(bisect_right(times, time) - 1, 0), len(times) - 2)
        cell = table.cells[index % len(table.cells)]
        if time >= times[-1]:
            return cell.at(cell.length, 0.0, 0.0)
        elapsed = max(0.0, time - times[index])
        acceleration = table.accelerations[index]
        return cell.at(
            elapsed * (table.speeds[index] + 0.5 * acceleration * elapsed),
            table.speeds[index] + acceleration * elapsed, acceleration)


class Cell(NamedTuple):
    """A piece of the spline: cubics in u, and u as a Hermite cubic of the distance s in it.

    x, y: coefficients of u^0 to u^3, u from the start of the cell [m]; width: of the cell in u;
    length: of its arc [m]; slope_from, slope_to: du/ds at its ends.
    """

    x: tuple[float, float, float, float]
    y: tuple[float, float, float, float]
    width: float
    length: float
    slope_from: float
    slope_to: float

    def at(
            self, distance: float, speed: float, acceleration: float,
    ) -> tuple[ReferencePoint, Attitude]:
        """Return the reference at a distance [m] in the cell for a motion along the path."""
        p = distance / self.length
        q = 1.0 - p
        u = (self.width * p * p * (3.0 - 2.0 * p)
             + self.length * p * q * (q * self.slope_from - p * self.slope_to))
        x0, x1, x2, x3 = self.x
        y0, y1, y2, y3 = self.y
        dx, dy = x1 + u * (2.0 * x2 + u * 3.0 * x3), y1 + u * (2.0 * y2 + u * 3.0 * y3)
        ddx, ddy = 2.0 * x2 + 6.0 * u * x3, 2.0 * y2 + 6.0 * u * y3
        norm = math.sqrt(dx * dx + dy * dy)
        curvature = (dx * ddy - dy * ddx) / (norm * norm * norm)
        tx, ty = dx / norm, dy / norm
        turning = speed * curvature
        return ReferencePoint(
            x0 + u * (x1 + u * (x2 + u * x3)), y0 + u * (y1 + u * (y2 + u * y3)),
            speed * tx, speed * ty,
            acceleration * tx - speed * turning * ty,
            acceleration * ty + speed * turning * tx), Attitude(math.atan2(dy, dx), turning, 1.0)


class Cells:
    """The cells of a path, (n, 12): a million are too many to keep each as an object."""

    def __init__(self, rows: Array) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Cell:
        x0, x1, x2, x3, y0, y1, y2, y3, *rest = self._rows[index].tolist()
        return Cell((x0, x1, x2, x3), (y0, y1, y2, y3), *rest)


class MotionTable(NamedTuple):
    """Motion along the path: times [s], speeds [m/s] at n nodes, accelerations between them.

    cells: pieces of the path, one after each node; lap_start: the node from which a closed path
    repeats (the first lap, from rest, comes before it), None if it is open.
    """

    times: list[float]
    speeds: list[float]
    accelerations: list[float]
    cells: Cells
    lap_start: int | None


@lru_cache(maxsize=8)
def _tabulate(
        path: Path, _: Any, kind: str, speed_limit: float, lateral: float, longitudinal: float,
) -> MotionTable:
    """Return the motion for a file; the second argument tells versions of the file apart."""
    points, speeds, lines = read_way_points(path)
    repeats = bool(np.hypot(*(points[-1] - points[0])) < MIN_SPACING)
    closed = repeats if kind == 'auto' else kind == 'closed'
    if closed and not repeats:
        points, speeds = np.vstack([points, points[:1]]), np.append(speeds, speeds[0])
    if closed and len(points) < 4:
        raise ConfigurationError(
            f'way-point file {excerpt(str(path))} has {len(points) - 1} different way-points,'
            ' expected at least 3 for a closed path')
    chords = np.hypot(*np.diff(points, axis=0).T)
    knots = np.concatenate([[0.0], np.cumsum(chords)])
    spline_points = points.copy()
    if closed:
        spline_points[-1] = spline_points[0]
        speeds[0] = speeds[-1] = min(speeds[0], speeds[-1])
    spline = CubicSpline(
        knots, spline_points, bc_type='periodic' if closed else 'natural')

    longest = max(_LENGTH_LIMIT, _MAX_MEAN_SPACING * len(chords))
    if knots[-1] > longest:
        raise ConfigurationError(
            f'way-point file {excerpt(str(path))}: the path is {knots[-1]:g} m long, expected at'
            f' most {longest:g} m for {len(points)} way-points; give coordinates in metres')
    cells_per_chord = _count_cells(chords)
    at_points = np.concatenate([[0], np.cumsum(cells_per_chord)])
    # As numpy.linspace() between each two knots.
    piece = np.repeat(np.arange(len(chords)), cells_per_chord)
    within_piece = np.arange(at_points[-1]) - at_points[piece]
    grid = np.append(
        within_piece * (np.diff(knots) / cells_per_chord)[piece] + knots[piece], knots[-1])
    widths = np.diff(grid)
    inner = grid[:-1, None] + 0.5 * widths[:, None] * (1.0 + _GAUSS_NODES)
    norms = np.hypot(*np.moveaxis(spline(inner, 1), -1, 0))
    lengths = 0.5 * widths * (norms @ _GAUSS_WEIGHTS)
    first, second = spline(grid, 1), spline(grid, 2)
    norm = np.hypot(first[:, 0], first[:, 1])
    if float(norm.min()) < 1e-3 or float(norms.min()) < 1e-3:
        worst = int(np.argmin(norm))
        near = lines[min(int(np.searchsorted(knots, grid[worst])), len(lines) - 1)]
        raise ConfigurationError(
            f'way-point file {excerpt(str(path))}, line {near}: the path turns back on itself;'
            ' reverse is'
            ' not possible on way-points')
    curvature = _curvature(first, second)
    # The largest of the cells on both sides of a node: where the path bends sharply the curvature
    # changes a lot within a cell.
    within = np.concatenate([
        [0.0], _curvature(spline(inner, 1), spline(inner, 2)).max(axis=1), [0.0]])
    curvature = np.maximum(curvature, np.maximum(within[:-1], within[1:]))

    with np.errstate(divide='ignore'):
        allowed = np.minimum(np.sqrt(lateral / curvature), speed_limit)
    distances = np.concatenate([[0.0], np.cumsum(lengths)])
    given = np.minimum(speeds, speed_limit)
    squares = np.minimum(
        allowed, np.interp(distances, distances[at_points], given)) ** 2
    gain = 2.0 * longitudinal * lengths
    cells = Cells(_cells(spline, grid, widths, lengths, 1.0 / norm, piece))

    if not closed:
        squares[0] = squares[-1] = 0.0
        lap = _backward(_forward(squares, gain), gain)
        return _motion([lap], lengths, cells, None)
    # Twice round each way: the start of the lap is bound to its end.
    for _lap in range(2):
        squares[0] = squares[-1] = min(squares[0], squares[-1])
        squares = _backward(_forward(squares, gain), gain)
    squares[0] = squares[-1] = min(squares[0], squares[-1])
    squares = _backward(_forward(squares, gain), gain)
    standing = squares.copy()
    standing[0] = 0.0
    return _motion([_forward(standing, gain), squares], lengths, cells, len(lengths))


def _curvature(first: Array, second: Array) -> Array:
    """Return the modulus of the curvature [1/m] from derivatives by a parameter, (..., 2) each."""
    crossed = np.abs(first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0])
    norm: Array = np.hypot(first[..., 0], first[..., 1])
    return np.asarray(crossed / norm**3)


def _forward(squares: Array, gain: Array) -> Array:
    """Return squared speeds that grow by no more than gain from node to node."""
    result = squares.tolist()
    for i, more in enumerate(gain.tolist()):
        result[i + 1] = min(result[i + 1], result[i] + more)
    return np.array(result)


def _backward(squares: Array, gain: Array) -> Array:
    """Return squared speeds that fall by no more than gain from node to node."""
    return _forward(squares[::-1], gain[::-1])[::-1]


def _count_cells(chords: Array) -> NDArray[np.int64]:
    """Return the number of cells between each two way-points."""
    length = max(_CELL, float(chords.sum()) / _MAX_CELLS)
    least = max(1, min(_MIN_CELLS, _MAX_CELLS // len(chords)))
    counts: NDArray[np.int64] = np.maximum(least, np.ceil(chords / length)).astype(np.int64)
    return counts


def _cells(
        spline: Any, grid: Array, widths: Array, lengths: Array, slopes: Array,
        piece: NDArray[np.int64],
) -> Array:
    """Return the rows of Cells: the spline with its polynomials about the start of each cell."""
    shift = grid[:-1] - spline.x[piece]
    c3, c2, c1, c0 = (spline.c[k][piece] for k in range(4))
    h = shift[:, None]
    moved = (c0 + h * (c1 + h * (c2 + h * c3)), c1 + h * (2.0 * c2 + h * 3.0 * c3),
             c2 + 3.0 * h * c3, c3)
    return np.column_stack([
        *(part[:, axis] for axis in (0, 1) for part in moved), widths, lengths, slopes[:-1],
        slopes[1:]])


def _motion(
        laps: list[Array], lengths: Array, cells: Cells, lap_start: int | None,
) -> MotionTable:
    """Return the motion over laps of squared speeds, (n + 1,) each, one after the other."""
    times, speeds, accelerations = [0.0], [math.sqrt(float(laps[0][0]))], []
    for squares in laps:
        speed = np.sqrt(squares)
        steps = 2.0 * lengths / (speed[:-1] + speed[1:])
        accelerations += ((speed[1:] - speed[:-1]) / steps).tolist()
        speeds += speed[1:].tolist()
        times += (times[-1] + np.cumsum(steps)).tolist()
    return MotionTable(
        times, speeds, accelerations, cells, lap_start)
