# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Centre lines and widths of closed tracks: found in a map, or drawn by a seed."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import kernel
from racecar.base.errors import ConfigurationError
from racecar.base.types import ORIGIN, Pose2
from racecar.scene.distance_field import distances_to
from racecar.scene.grid_map import FREE, OccupancyGrid, OCCUPIED, UNKNOWN

Array = NDArray[np.float64]
Cells = NDArray[np.bool_]

SPACING = 0.2
"""Way from a point of a centre line to the next [m]."""

WALL = 0.15
"""Thickness of the walls of a generated track [m]."""

# The line is smoothed over this share of its mean width to one side. Islands in the track that are
# smaller than this share of the largest do not part it.
_SMOOTHING, _SMALL = 0.5, 0.02
# Of a generated track: waves round the course, and how much of their height is tried next.
_WAVES, _FLATTER = range(2, 9), 0.9
_MARGIN = 0.5


class CentreLine(NamedTuple):
    """A closed centre line: points (n, 2) [m], of which the last repeats the first.

    widths: (n, 2) to the nearest border on the right and on the left [m].
    """

    points: Array
    widths: Array

    @property
    def length(self) -> float:
        """Way round [m]."""
        return float(np.hypot(*np.diff(self.points, axis=0).T).sum())

    @property
    def curvature(self) -> Array:
        """Curvature at each point but the last, positive to the left, (n - 1,) [1/m]."""
        first = self.points[:-1]
        ahead, behind = np.roll(first, -1, axis=0) - first, first - np.roll(first, 1, axis=0)
        turn = np.arctan2(behind[:, 0] * ahead[:, 1] - behind[:, 1] * ahead[:, 0],
                          np.sum(ahead * behind, axis=1))
        found: Array = 2.0 * turn / (np.hypot(*ahead.T) + np.hypot(*behind.T))
        return found

    @property
    def smallest_radius(self) -> float:
        """Radius of the sharpest bend [m]."""
        return 1.0 / max(float(np.abs(self.curvature).max()), 1e-9)

    @property
    def narrowest(self) -> float:
        """Least distance from border to border [m]."""
        return float(self.widths.sum(axis=1).min())

    def reversed(self) -> CentreLine:
        """The same line the other way round, from the same start."""
        return CentreLine(self.points[::-1], self.widths[::-1, ::-1])


class TrackShape(NamedTuple):
    """How a generated track is: length, width, radius of the sharpest bend [m]; roughness.

    roughness: height of the waves as a share of the mean radius at first, 0 for a circle.
    """

    length: float = 80.0
    width: float = 2.2
    smallest_radius: float = 1.5
    roughness: float = 0.6

    def check(self) -> None:
        """Raise ConfigurationError for what cannot be a track."""
        for name, value, least in (
                ('width', self.width, 0.2),
                ('smallest radius', self.smallest_radius, 0.5 * self.width),
                ('length', self.length, 2.0 * math.pi * self.smallest_radius)):
            if not least <= value <= 2000.0:
                raise ConfigurationError(
                    f'{name} of the track is {value:g} m, expected {least:.4g} m to 2000 m')
        if not 0.0 <= self.roughness <= 1.0:
            raise ConfigurationError(
                f'roughness of the track is {self.roughness:g}, expected 0 to 1')


SHAPE = TrackShape()
"""A track for cars of scale 1:10."""


def find_centre_line(
    grid: OccupancyGrid, start: Pose2 = ORIGIN, spacing: float = SPACING,
) -> CentreLine:
    """Centre line of the closed track in a map on which a car starts.

    The track is the free ground around the start; what it runs round is the largest island in it.
    The line is where island and outside are equally far, made smooth; widths are the distances to
    the nearest border of the two. It begins next to the start, and goes where the car looks.
    spacing: of its points [m]. Raises ConfigurationError if the start is not free or the ground
    runs round nothing.
    """
    from contourpy import contour_generator

    row, column = _cell(grid, start)
    free = np.pad(grid.values == FREE, 1)
    labels = _pieces(free)
    ground = labels == labels[row + 1, column + 1]
    rows, columns = np.flatnonzero(ground.any(axis=1)), np.flatnonzero(ground.any(axis=0))
    low = (max(int(rows[0]) - 1, 0), max(int(columns[0]) - 1, 0))
    ground = ground[low[0]:rows[-1] + 2, low[1]:columns[-1] + 2]
    found = _largest_island(ground)
    if found is None:
        raise ConfigurationError(
            f'the free ground around ({start.x:g}, {start.y:g}) m runs round nothing, expected a'
            ' closed track; give another start, or close its gaps in the image')
    inner, ground = found
    outer = ~(ground | inner)
    to_inner, to_outer = distances_to(inner), distances_to(outer)
    lines = contour_generator(z=to_inner - to_outer).lines(0.0)
    # In cells, from the middle of the first one: column, row.
    line = max((np.asarray(one) for one in lines), key=lambda one: float(
        np.hypot(*np.diff(one, axis=0).T).sum()))
    half = float(np.mean(_between(to_inner, line)))
    line = _smooth(_evenly(line, spacing / grid.resolution), _SMOOTHING * half)
    # To the edges of the cells of the borders.
    sides = np.column_stack([_between(field, line) - 0.5 for field in (to_outer, to_inner)])
    if np.any(sides <= 0.0):
        raise ConfigurationError(
            'the smooth centre line leaves the track, expected a track of even width; close side'
            ' rooms in the image')
    points = np.array([grid.point(
        (x + low[1] - 0.5) * grid.resolution, (y + low[0] - 0.5) * grid.resolution)
        for x, y in line])
    # The island is on the left of who goes counter-clockwise.
    if _area(points) < 0.0:
        sides = sides[:, ::-1]
    return _begun(CentreLine(_closed(points), _closed(sides * grid.resolution)), start)


def generate_centre_line(
    seed: int, shape: TrackShape = SHAPE, spacing: float = SPACING,
) -> CentreLine:
    """Smooth closed track that a seed makes; it begins at the origin, along x.

    Waves of random height and phase round a circle become flatter until no bend is sharper than
    the smallest radius and the track nowhere comes near itself. Equal for equal arguments. Raises
    ConfigurationError for a shape that cannot be.
    """
    shape.check()
    random = np.random.default_rng(seed)
    heights = random.normal(size=len(_WAVES)) / np.array(_WAVES)
    phases = random.uniform(0.0, 2.0 * math.pi, len(_WAVES))
    angles = np.linspace(0.0, 2.0 * math.pi, 4000, endpoint=False)
    waves = np.sum([height * np.cos(wave * angles + phase) for wave, height, phase in zip(
        _WAVES, heights, phases, strict=True)], axis=0)
    waves *= shape.roughness / max(float(np.abs(waves).max()), 1e-9)
    while True:
        radius = 1.0 + waves
        line = radius[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
        line *= shape.length / float(np.hypot(*np.diff(_closed(line), axis=0).T).sum())
        line = _evenly(_closed(line), spacing)
        found = CentreLine(_closed(line), np.full((len(line) + 1, 2), 0.5 * shape.width))
        if float(np.abs(waves).max()) < 1e-3 or (
                found.smallest_radius >= shape.smallest_radius and _keeps_off(
                    line, shape.width + 2.0 * WALL, spacing)):
            return _at_origin(found)
        waves *= _FLATTER


def track_map(line: CentreLine, resolution: float = 0.05) -> OccupancyGrid:
    """Map of a track: free between its borders, with walls around it, unknown beyond."""
    width = float(line.widths.max())
    low = np.floor(line.points.min(axis=0) - width - WALL - _MARGIN)
    high = np.ceil(line.points.max(axis=0) + width + WALL + _MARGIN)
    columns, rows = np.round((high - low) / resolution).astype(int)
    values = np.full((rows, columns), UNKNOWN, np.int8)
    borders = line.widths.max(axis=1)
    away = np.full((rows, columns), np.inf)
    # The distance to the line, less the width there; of each segment in its surroundings only.
    reach = width + WALL + resolution
    for start, end, half in zip(line.points, line.points[1:], borders, strict=False):
        first = np.floor((np.minimum(start, end) - reach - low) / resolution).astype(int)
        last = np.ceil((np.maximum(start, end) + reach - low) / resolution).astype(int)
        y, x = np.mgrid[first[1]:last[1], first[0]:last[0]]
        to = np.stack([x, y], axis=-1) * resolution + 0.5 * resolution + low - start
        step = end - start
        share = np.clip(to @ step / (step @ step), 0.0, 1.0)
        part = away[first[1]:last[1], first[0]:last[0]]
        np.minimum(part, np.linalg.norm(to - share[..., None] * step, axis=-1) - half, out=part)
    values[away <= WALL] = OCCUPIED
    values[away <= 0.0] = FREE
    return OccupancyGrid(values, resolution, Pose2(float(low[0]), float(low[1]), 0.0))


def _cell(grid: OccupancyGrid, start: Pose2) -> tuple[int, int]:
    """Row and column of a place that is free."""
    numbers = grid.numbers
    x, y = start.x - numbers.x, start.y - numbers.y
    column = math.floor((x * numbers.cosine + y * numbers.sine) * numbers.scale)
    row = math.floor((y * numbers.cosine - x * numbers.sine) * numbers.scale)
    rows, columns = grid.values.shape
    if not (0 <= row < rows and 0 <= column < columns) or grid.values[row, column] != FREE:
        raise ConfigurationError(
            f'({start.x:g}, {start.y:g}) m is not free on the map, expected a place on the track;'
            ' give another start')
    return row, column


@kernel
def _label(cells: Cells, labels: NDArray[np.int64], stack: NDArray[np.int64]) -> int:
    """Number pieces of cells that are joined by their edges from 1 on; how many there are.

    labels: zeros, are filled; stack: room for all cells.
    """
    rows, columns = cells.shape
    found = 0
    for begin in range(rows * columns):
        if labels[begin // columns, begin % columns] or not cells[begin // columns,
                                                                  begin % columns]:
            continue
        found += 1
        count = 1
        stack[0] = begin
        labels[begin // columns, begin % columns] = found
        while count:
            count -= 1
            row, column = stack[count] // columns, stack[count] % columns
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                y, x = row + down, column + right
                if 0 <= y < rows and 0 <= x < columns and cells[y, x] and not labels[y, x]:
                    labels[y, x] = found
                    stack[count] = y * columns + x
                    count += 1
    return found


def _pieces(cells: Cells) -> NDArray[np.int64]:
    """Number of the piece that each cell is in, 0 for others."""
    labels = np.zeros(cells.shape, np.int64)
    _label(np.ascontiguousarray(cells), labels, np.empty(cells.size, np.int64))
    return labels


def _largest_island(ground: Cells) -> tuple[Cells, Cells] | None:
    """The largest piece that the ground runs round, and the ground with the small ones."""
    labels = _pieces(np.pad(~ground, 1, constant_values=True))
    islands = labels[1:-1, 1:-1]
    sizes = np.bincount(islands.ravel())
    # The first is what is joined to the corner, outside.
    sizes[:2] = 0
    if not sizes.any():
        return None
    largest = int(np.argmax(sizes))
    # What is small and inside the track is in the way of a car, but no border.
    small = np.flatnonzero((sizes > 0) & (sizes < _SMALL * sizes[largest]))
    return islands == largest, ground | np.isin(islands, small)


def _between(field: Array, line: Array) -> Array:
    """Values of a field at points (n, 2), column and row, from its four neighbours."""
    x, y = line.T
    column = np.clip(np.floor(x).astype(int), 0, field.shape[1] - 2)
    row = np.clip(np.floor(y).astype(int), 0, field.shape[0] - 2)
    u, v = x - column, y - row
    found: Array = ((1.0 - v) * ((1.0 - u) * field[row, column] + u * field[row, column + 1])
                    + v * ((1.0 - u) * field[row + 1, column] + u * field[row + 1, column + 1]))
    return found


def _evenly(line: Array, spacing: float) -> Array:
    """Points of a closed line, the last of which repeats the first, at even steps, open."""
    way = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    places = np.arange(count := max(round(way[-1] / spacing), 8)) * way[-1] / count
    return np.column_stack([np.interp(places, way, line[:, axis]) for axis in (0, 1)])


def _smooth(line: Array, width: float) -> Array:
    """An open ring of even steps, smoothed by a Gaussian whose standard deviation is a width."""
    step = float(np.hypot(*np.diff(line, axis=0).T).mean())
    waves = np.fft.rfftfreq(len(line)) / step
    damping = np.exp(-2.0 * (math.pi * waves * width) ** 2)
    found: Array = np.fft.irfft(
        np.fft.rfft(line, axis=0) * damping[:, None], len(line), axis=0)
    return found


def _closed(rows: Array) -> Array:
    return np.concatenate([rows, rows[:1]])


def _area(points: Array) -> float:
    """Twice the area that an open ring encloses, positive counter-clockwise [m^2]."""
    x, y = points.T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def _begun(line: CentreLine, start: Pose2) -> CentreLine:
    """A line that begins where a car stands, and goes where it looks."""
    nearest = int(np.argmin(np.hypot(*(line.points[:-1] - (start.x, start.y)).T)))
    turned = CentreLine(*(_closed(np.roll(part[:-1], -nearest, axis=0)) for part in line))
    ahead = turned.points[1] - turned.points[-2]
    looks = (math.cos(start.yaw), math.sin(start.yaw))
    return turned if ahead @ looks >= 0.0 else turned.reversed()


def _at_origin(line: CentreLine) -> CentreLine:
    """A line moved and turned, so that it begins at the origin, along x, on a straight part."""
    straight = int(np.argmin(_smooth(
        np.column_stack([np.abs(line.curvature)] * 2), 3.0)[:, 0]))
    points = np.roll(line.points[:-1], -straight, axis=0)
    ahead = points[1] - points[-1]
    c, s = ahead / math.hypot(*ahead)
    return line._replace(points=_closed((points - points[0]) @ np.array([[c, -s], [s, c]])))


def _keeps_off(line: Array, width: float, spacing: float) -> bool:
    """Whether parts of an open ring that are far apart along it are farther apart than a width."""
    count, near = len(line), math.ceil(0.5 * math.pi * width / spacing)
    away = np.hypot(*(line[:, None, :] - line[None, :, :]).transpose(2, 0, 1))
    along = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    return bool(np.all(away[np.minimum(along, count - along) > near] > width))
