# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Outlines of the walls of a map: smooth lines along its cells, no further off than a cell."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array
from racecar.scene.grid_map import OccupancyGrid

# A line may leave the edges of the cells by so much [cells]: steps of a slanted wall vanish,
# corners stay.
_BAND = 0.75
_ROUNDS, _REACH = 20, 4.0
# Points that lie closer than this to the line between their neighbours are left out [cells].
_FLAT = 0.01
_PASSES = 2


def outlines(grid: OccupancyGrid) -> list[Array]:
    """Closed lines (n, 2) [m] about the walls in the frame of the map, walls to the left."""
    from contourpy import contour_generator

    # The outermost cells of a map may be walls.
    cells = np.pad(grid.occupied, 1).astype(float)
    lines = contour_generator(z=cells, name='serial').lines(0.5)
    x, y, yaw = grid.origin
    turn = np.array([[math.cos(yaw), math.sin(yaw)], [-math.sin(yaw), math.cos(yaw)]])
    # The middle of the first cell is at half a cell.
    return [(smoothed(np.asarray(line)[:-1]) - 0.5) * grid.resolution @ turn + (x, y)
            for line in lines]


def smoothed(line: Array) -> Array:
    """Closed line (n, 2) of one point per cell without the steps of the cells [cells]."""
    from scipy.ndimage import gaussian_filter1d

    def mean(points: Array) -> Array:
        result: Array = gaussian_filter1d(
            points, min(_REACH, len(line) / 8.0), axis=0, mode='wrap', truncate=3.0)
        return result

    points = line
    for _ in range(_ROUNDS):
        once = mean(points)
        # Without the second term circles would shrink.
        off = once + mean(points - once) - line
        points = line + off / np.maximum(1.0, np.hypot(*off.T) / _BAND)[:, None]
    for _ in range(_PASSES):
        points = points[~_superfluous(points)]
    return points


def _superfluous(points: Array) -> NDArray[np.bool_]:
    """Which points can be left out, no two of them side by side."""
    before, after = np.roll(points, 1, axis=0), np.roll(points, -1, axis=0)
    chord = after - before
    length = np.maximum(np.hypot(*chord.T), 1e-9)
    off = points - before
    found: NDArray[np.bool_] = np.abs(
        chord[:, 0] * off[:, 1] - chord[:, 1] * off[:, 0]) < _FLAT * length
    found[::2] = False
    return found if len(points) > 8 else np.zeros(len(points), bool)
