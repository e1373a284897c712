# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Path through the waypoints of a CSV file, with limits of speed and acceleration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
import math
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import pure
from racecar.base.errors import ConfigurationError, excerpt, ParameterError
from racecar.base.parameters import Parameter
from racecar.base.share import find_track
from racecar.base.vectors import as_vector, Vector
from racecar.control.spline import Spline, spline_through
from racecar.control.trajectories.base import ClosedForm, Motion, Trajectory
from racecar.control.trajectories.waypoint_file import MIN_SPACING, read_way_points
from racecar.metrics.laps import Course

Array = NDArray[np.float64]

# Cells per waypoint, and their length [m] where waypoints lie far apart.
_MIN_CELLS = 8
_CELL = 0.02
# Where these are more than so many cells, they become fewer and longer, but one per waypoint.
_MAX_CELLS = 200_000
# A longer path [m] of waypoints farther apart than this on average [m] is not in metres.
_LENGTH_LIMIT = 4000.0
_MAX_MEAN_SPACING = 10.0
# Numbers of a cell.
CELL_SIZE = 12
_GAUSS_NODES, _GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(5)


@pure
def way_point_motion(time: float, numbers: Vector) -> Motion:
    """Motion at a time [s]; an open path ends at rest.

    numbers: how many nodes and cells there are, lap_start or -1, then the fields of MotionPlan one
    after the other, cell by cell.
    """
    nodes, cells, lap_start = int(numbers[0]), int(numbers[1]), int(numbers[2])
    times = 3
    speeds = times + nodes
    accelerations = speeds + nodes
    end = numbers[speeds - 1]
    if time >= end and lap_start >= 0:
        first = numbers[times + lap_start]
        time = first + (time - first) % (end - first)
    # The last node that is not later.
    low, high = 0, nodes
    while low < high:
        middle = (low + high) // 2
        if time < numbers[times + middle]:
            high = middle
        else:
            low = middle + 1
    index = min(max(low - 1, 0), nodes - 2)
    at = accelerations + nodes - 1 + CELL_SIZE * (index % cells)
    distance, speed, acceleration = numbers[at + 9], 0.0, 0.0
    if time < end:
        elapsed = max(0.0, time - numbers[times + index])
        start, acceleration = numbers[speeds + index], numbers[accelerations + index]
        distance = elapsed * (start + 0.5 * acceleration * elapsed)
        speed = start + acceleration * elapsed
    x0, x1, x2, x3 = numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]
    y0, y1, y2, y3 = numbers[at + 4], numbers[at + 5], numbers[at + 6], numbers[at + 7]
    width, length = numbers[at + 8], numbers[at + 9]
    p = distance / length
    q = 1.0 - p
    u = (width * p * p * (3.0 - 2.0 * p)
         + length * p * q * (q * numbers[at + 10] - p * numbers[at + 11]))
    dx, dy = x1 + u * (2.0 * x2 + u * 3.0 * x3), y1 + u * (2.0 * y2 + u * 3.0 * y3)
    ddx, ddy = 2.0 * x2 + 6.0 * u * x3, 2.0 * y2 + 6.0 * u * y3
    norm = math.sqrt(dx * dx + dy * dy)
    curvature = (dx * ddy - dy * ddx) / (norm * norm * norm)
    tx, ty = dx / norm, dy / norm
    turning = speed * curvature
    return Motion(
        x0 + u * (x1 + u * (x2 + u * x3)), y0 + u * (y1 + u * (y2 + u * y3)),
        speed * tx, speed * ty,
        acceleration * tx - speed * turning * ty, acceleration * ty + speed * turning * tx,
        math.atan2(dy, dx), turning, 1.0)


@dataclass(frozen=True)
class WayPointPath(Trajectory):
    """A cubic spline through waypoints, driven as fast as the limits allow.

    The curvature is continuous. The speed is the least of the limit, the waypoints' own speeds
    (interpolated by distance) and what the lateral acceleration allows, v^2 |curvature|, with the
    longitudinal acceleration bounded by a pass forwards and one backwards. It starts from rest;
    an open path ends at rest, a closed one goes on round and round. The limits of longitudinal
    and lateral acceleration hold each for itself.
    points: [m], of an open path, in the place of those of the file; start_speed: with which it
    then starts [m/s]. Raises ParameterError if the file or the points cannot be used.
    """

    name: ClassVar[str] = 'waypoints'
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter('waypoints_file', str, 'hall',
                  'Waypoints: CSV file with x, y [m] and optionally speed [m/s], a path or a name'
                  ' in config/tracks'),
        Parameter('waypoints_path', str, 'auto',
                  'Waypoints: closed, open, or auto: closed if the last one repeats the first',
                  choices=('auto', 'closed', 'open')),
        Parameter('waypoints_speed_limit', float, 1.5, 'Waypoints: maximum speed', 'm/s',
                  above=0.0, maximum=100.0),
        Parameter('waypoints_lateral_acceleration', float, 2.0,
                  'Waypoints: maximum lateral acceleration', 'm/s^2', above=0.0, maximum=100.0),
        Parameter('waypoints_longitudinal_acceleration', float, 1.0,
                  'Waypoints: maximum acceleration and deceleration along the path', 'm/s^2',
                  above=0.0, maximum=100.0),
    )

    file: str
    path: str
    speed_limit: float
    lateral_acceleration: float
    longitudinal_acceleration: float
    points: tuple[tuple[float, float], ...] = ()
    start_speed: float = 0.0

    closed_form: ClassVar[ClosedForm | None] = staticmethod(way_point_motion)

    def __post_init__(self) -> None:
        limits = Limits(
            self.speed_limit, self.lateral_acceleration, self.longitudinal_acceleration,
            self.start_speed)
        try:
            if self.points:
                object.__setattr__(self, '_plan', _plan_through(
                    np.array(self.points), np.full(len(self.points), math.inf), closed=False,
                    limits=limits, place=lambda index: f'path, pose {index + 1}'))
                return
            found = find_track(self.file)
            stamp = found.stat()
            plan = _plan(
                found, (stamp.st_mtime_ns, stamp.st_size), self.path, limits)
        except ConfigurationError as error:
            source = '' if self.points else "parameter 'waypoints_file': "
            raise ParameterError(f'{source}{error}') from error
        object.__setattr__(self, '_plan', plan)

    @property
    def plan(self) -> MotionPlan:
        """Path and motion along it."""
        return self._plan  # type: ignore[attr-defined,no-any-return]

    @cached_property
    def numbers(self) -> Vector:
        """The plan, in the layout that way_point_motion() describes."""
        plan = self.plan
        # A million waypoints are too many to be numbers of Python.
        return as_vector(np.concatenate([
            [len(plan.times), len(plan.cells),
             -1 if plan.lap_start is None else plan.lap_start],
            plan.times, plan.speeds, plan.accelerations, plan.cells.ravel()]))

    @property
    def period(self) -> float | None:
        """Time of a flying lap [s]; None for an open path."""
        plan = self.plan
        return None if plan.lap_start is None else float(
            plan.times[-1] - plan.times[plan.lap_start])

    @property
    def duration(self) -> float | None:
        """Time until the end of an open path, or of the first lap, which starts from rest [s]."""
        plan = self.plan
        return float(plan.times[-1 if plan.lap_start is None else plan.lap_start])


    @cached_property
    def course(self) -> Course:
        """The waypoints with their widths if the file has any, else the path."""
        return self.plan.course or self.sampled_course()


class MotionPlan(NamedTuple):
    """Motion along the path: times [s], speeds [m/s] at n nodes, accelerations between them.

    cells: pieces of the path, one after each node, (m, 12): coefficients of the cubics x and y in
    u [m], u from the start of the cell; width of the cell in u; length of its arc [m]; du/ds at
    both ends, s being the distance in the cell, of which u is a Hermite cubic. lap_start: the node
    from which a closed path repeats (the first lap, from rest, comes before it), None if it is
    open. course: the waypoints and their widths, None if the file has none.
    """

    times: Array
    speeds: Array
    accelerations: Array
    cells: Array
    lap_start: int | None
    course: Course | None = None


class Limits(NamedTuple):
    """Largest speed [m/s] and accelerations [m/s^2]; start: speed at the start of an open path."""

    speed: float
    lateral: float
    longitudinal: float
    start: float = 0.0


@lru_cache(maxsize=8)
def _plan(path: Path, _: object, kind: str, limits: Limits) -> MotionPlan:
    """Return the motion for a file; the second argument tells versions of the file apart."""
    points, speeds, lines, widths = read_way_points(path)
    course = None if widths is None else Course.along(points, widths)
    points, speeds, closed = _closed(path, points, speeds, kind)
    label = f'waypoint file {excerpt(str(path))}'
    return _plan_through(
        points, speeds, closed=closed, limits=limits,
        place=lambda index: f'{label}, line {lines[min(index, len(lines) - 1)]}',
    )._replace(course=course)


def _grid(
        knots: Array, cells_per_chord: NDArray[np.int64],
) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    """Return where cells of a path begin and end, the chord of each, and which begin at knots."""
    at_points = np.concatenate([[0], np.cumsum(cells_per_chord)])
    # As numpy.linspace() between each two knots.
    piece = np.repeat(np.arange(len(cells_per_chord)), cells_per_chord)
    within_piece = np.arange(at_points[-1]) - at_points[piece]
    grid = np.append(
        within_piece * (np.diff(knots) / cells_per_chord)[piece] + knots[piece], knots[-1])
    return grid, piece, at_points


def _plan_through(
        points: Array, speeds: Array, *, closed: bool, limits: Limits,
        place: Callable[[int], str],
) -> MotionPlan:
    """Return the motion along points (n, 2) with speeds (n,), of a closed path the first again.

    place: says which point a number is, for messages.
    """
    chords = np.hypot(*np.diff(points, axis=0).T)
    knots = np.concatenate([[0.0], np.cumsum(chords)])
    spline = spline_through(
        knots, np.vstack([points[:-1], points[:1]]) if closed else points, closed=closed)

    longest = max(_LENGTH_LIMIT, _MAX_MEAN_SPACING * len(chords))
    if knots[-1] > longest:
        raise ConfigurationError(
            f'{place(0)}: the path is {knots[-1]:g} m long, expected at'
            f' most {longest:g} m for {len(points)} waypoints; give coordinates in metres')
    grid, piece, at_points = _grid(knots, _count_cells(chords))
    widths = np.diff(grid)
    inner = grid[:-1, None] + 0.5 * widths[:, None] * (1.0 + _GAUSS_NODES)
    inner_pieces, grid_pieces = piece[:, None], np.append(piece, len(chords) - 1)
    inner_first = spline.derivative(inner, inner_pieces)
    norms = np.hypot(*np.moveaxis(inner_first, -1, 0))
    lengths = 0.5 * widths * (norms @ _GAUSS_WEIGHTS)
    first, second = spline.derivative(grid, grid_pieces), spline.second(grid, grid_pieces)
    norm = np.hypot(first[:, 0], first[:, 1])
    if float(norm.min()) < 1e-3 or float(norms.min()) < 1e-3:
        worst = int(np.argmin(norm))
        raise ConfigurationError(
            f'{place(int(np.searchsorted(knots, grid[worst])))}: the path turns back on itself;'
            ' reverse is not possible on waypoints')
    curvature = _curvature(first, second)
    # The largest of the cells on both sides of a node: where the path bends sharply the curvature
    # changes a lot within a cell.
    within = np.concatenate([
        [0.0], _curvature(inner_first, spline.second(inner, inner_pieces)).max(axis=1), [0.0]])
    curvature = np.maximum(curvature, np.maximum(within[:-1], within[1:]))

    with np.errstate(divide='ignore'):
        allowed = np.minimum(np.sqrt(limits.lateral / curvature), limits.speed)
    distances = np.concatenate([[0.0], np.cumsum(lengths)])
    given = np.minimum(speeds, limits.speed)
    squares = np.minimum(
        allowed, np.interp(distances, distances[at_points], given)) ** 2
    gain = 2.0 * limits.longitudinal * lengths
    cells = _cells(spline, grid, widths, lengths, 1.0 / norm, piece)

    return _motion(
        _laps(squares, gain, limits.start, closed=closed), lengths, cells,
        len(lengths) if closed else None)


def _closed(path: Path, points: Array, speeds: Array, kind: str) -> tuple[Array, Array, bool]:
    """Return waypoints (n, 2) and their speeds (n,), of a closed path with the first again."""
    repeats = bool(np.hypot(*(points[-1] - points[0])) < MIN_SPACING)
    if not (repeats if kind == 'auto' else kind == 'closed'):
        return points, speeds, False
    if not repeats:
        points, speeds = np.vstack([points, points[:1]]), np.append(speeds, speeds[0])
    if len(points) < 4:
        raise ConfigurationError(
            f'waypoint file {excerpt(str(path))} has {len(points) - 1} different waypoints,'
            ' expected at least 3 for a closed path')
    speeds[0] = speeds[-1] = min(speeds[0], speeds[-1])
    return points, speeds, True


def _laps(squares: Array, gain: Array, start: float, *, closed: bool) -> list[Array]:
    """Return squared speeds of the only way along the path, or of the first lap and the others."""
    if not closed:
        squares[0], squares[-1] = min(start * start, squares[0]), 0.0
        return [_backward(_forward(squares, gain), gain)]
    # Three times round each way: the start of the lap is bound to its end.
    for _lap in range(3):
        squares[0] = squares[-1] = min(squares[0], squares[-1])
        squares = _backward(_forward(squares, gain), gain)
    standing = squares.copy()
    standing[0] = 0.0
    return [_forward(standing, gain), squares]


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
    """Return the number of cells between each two waypoints."""
    length = max(_CELL, float(chords.sum()) / _MAX_CELLS)
    least = max(1, min(_MIN_CELLS, _MAX_CELLS // len(chords)))
    counts: NDArray[np.int64] = np.maximum(least, np.ceil(chords / length)).astype(np.int64)
    return counts


def _cells(
        spline: Spline, grid: Array, widths: Array, lengths: Array, slopes: Array,
        piece: NDArray[np.int64],
) -> Array:
    """Return the cells of MotionPlan: the spline about the start of each of them."""
    shift = grid[:-1] - spline.knots[piece]
    c0, c1, c2, c3 = (part[piece] for part in spline.parts)
    h = shift[:, None]
    moved = (c0 + h * (c1 + h * (c2 + h * c3)), c1 + h * (2.0 * c2 + h * 3.0 * c3),
             c2 + 3.0 * h * c3, c3)
    return np.column_stack([
        *(part[:, axis] for axis in (0, 1) for part in moved), widths, lengths, slopes[:-1],
        slopes[1:]])


def _motion(
        laps: list[Array], lengths: Array, cells: Array, lap_start: int | None,
) -> MotionPlan:
    """Return the motion over laps of squared speeds, (n + 1,) each, one after the other."""
    times, speeds, accelerations = [np.zeros(1)], [np.sqrt(laps[0][:1])], []
    for squares in laps:
        speed = np.sqrt(squares)
        steps = 2.0 * lengths / (speed[:-1] + speed[1:])
        accelerations.append((speed[1:] - speed[:-1]) / steps)
        speeds.append(speed[1:])
        times.append(times[-1][-1] + np.cumsum(steps))
    return MotionPlan(
        np.concatenate(times), np.concatenate(speeds), np.concatenate(accelerations), cells,
        lap_start)
