# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The laser of f1tenth_gym on maps: beams in 2000 directions that leap through a distance field.

Ranges have the errors of this method, so that programs which depend on them repeat: beams that
pass an edge may end there, and distances are those of the middles of cells.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import kernel
from racecar.scene.distance_field import distances_to
from racecar.scene.grid_map import OccupancyGrid

Array = NDArray[np.float64]

_DIRECTIONS = 2000
# A beam ends where the field is smaller [m].
_END = 1e-4


class _Field(NamedTuple):
    """Distances to walls (rows, columns) [m], and the frame of the grid."""

    distances: Array
    resolution: float
    x: float
    y: float
    cosine: float
    sine: float


class MapLaser:
    """Beams from right to left on a map."""

    def __init__(
        self, grid: OccupancyGrid, beams: int, field_of_view: float, range_max: float,
    ) -> None:
        """field_of_view [rad], range_max [m]."""
        self._beams, self._field_of_view, self._range_max = beams, field_of_view, range_max
        # Directions of both ends are the same one.
        directions = np.linspace(0.0, 2.0 * math.pi, _DIRECTIONS)
        self._sines, self._cosines = np.sin(directions), np.cos(directions)
        x, y, yaw = grid.origin
        self._field = _Field(
            grid.resolution * distances_to(grid.occupied), grid.resolution, x, y, math.cos(yaw),
            math.sin(yaw))

    def scan(self, x: float, y: float, yaw: float) -> Array:
        """Ranges (beams,) [m] from a place [m] in a heading [rad]."""
        step = self._field_of_view / (self._beams - 1)
        first = math.fmod(
            _DIRECTIONS * (yaw - 0.5 * self._field_of_view) / (2.0 * math.pi), _DIRECTIONS)
        found = np.empty(self._beams)
        _leap(self._field, self._cosines, self._sines, (x, y), (
            first if first >= 0.0 else first + _DIRECTIONS,
            _DIRECTIONS * step / (2.0 * math.pi), self._range_max), found)
        return found


@kernel
def _leap(
    field: _Field, cosines: Array, sines: Array, place: tuple[float, float],
    beam: tuple[float, float, float], found: Array,
) -> None:
    """Fill ranges; beam: direction of the first and step [1/2000 turn], longest range [m]."""
    direction, step, longest = beam
    rows, columns = field.distances.shape
    for k in range(len(found)):
        cosine, sine = cosines[int(direction)], sines[int(direction)]
        x, y = place
        far = 0.0
        while True:
            dx, dy = x - field.x, y - field.y
            along = dx * field.cosine + dy * field.sine
            across = -dx * field.sine + dy * field.cosine
            row, column = rows - 1, columns - 1
            if 0.0 <= along < columns * field.resolution and (
                    0.0 <= across < rows * field.resolution):
                row, column = int(across / field.resolution), int(along / field.resolution)
            # Beyond the map it is as in its last cell.
            room = field.distances[row, column]
            far += room
            if room <= _END or far > longest:
                break
            x += room * cosine
            y += room * sine
        found[k] = min(far, longest)
        direction += step
        while direction >= _DIRECTIONS:
            direction -= _DIRECTIONS
