# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A scene as an occupancy grid, for who localises a car or plans its way."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from racecar.base.types import Pose2
from racecar.scene.grid_map import FREE, OccupancyGrid, OCCUPIED
from racecar.scene.scene import rectangle_corners, Scene

RESOLUTION = 0.05
"""Edge of a cell [m], unless the scene is so large that they would be more than MOST_CELLS."""

MOST_CELLS = 4_000_000
_MARGIN = 1.0
"""Free ground around what stands [m]."""


def scene_map(scene: Scene) -> OccupancyGrid:
    """Map of what stands still in a scene; cones, which can move, are not in it.

    Where the scene has a grid, its cells are those of the map, and what lies beyond it is left
    out; otherwise all is free that is not occupied.
    """
    shapes = [
        *([(wall.x1, wall.y1), (wall.x2, wall.y2)] for wall in scene.walls),
        *(rectangle_corners(box.x, box.y, box.yaw, box.length, box.width)
          for box in scene.solids)]
    if scene.grid is None:
        grid = _ground(shapes)
    elif not shapes:
        return scene.grid
    else:
        grid = scene.grid
    values = grid.values.copy()
    for shape in shapes:
        _draw(values, grid, np.array(shape))
    return OccupancyGrid(values, grid.resolution, grid.origin, grid.occupied_value)


def _ground(shapes: list[list[tuple[float, float]]]) -> OccupancyGrid:
    """Free grid around shapes."""
    points = np.array([point for shape in shapes for point in shape] or [(0.0, 0.0)])
    low, high = points.min(axis=0) - _MARGIN, points.max(axis=0) + _MARGIN
    span = high - low
    resolution = max(RESOLUTION, math.sqrt(float(span[0] * span[1]) / MOST_CELLS))
    # So that grids of different scenes have their cells in the same places.
    low = np.floor(low / resolution) * resolution
    columns, rows = np.ceil((high - low) / resolution).astype(int)
    return OccupancyGrid(
        np.full((rows, columns), FREE, dtype=np.int8), resolution,
        Pose2(float(low[0]), float(low[1]), 0.0))


def _draw(values: NDArray[np.int8], grid: OccupancyGrid, corners: NDArray[np.float64]) -> None:
    """Occupy the cells in a convex polygon, and those that its edges pass."""
    x, y, yaw = grid.origin
    c, s = math.cos(yaw), math.sin(yaw)
    moved = (corners - (x, y)) @ np.array([[c, -s], [s, c]]) / grid.resolution
    ends = np.roll(moved, -1, axis=0)
    for start, end in zip(moved, ends, strict=True):
        count = 4 * math.ceil(math.dist(start, end)) + 2
        points = np.floor(np.linspace(start, end, count)).astype(int)
        _occupy(values, points[:, 1], points[:, 0])
    if len(corners) < 3:
        return
    low, high = np.floor(moved.min(axis=0)).astype(int), np.ceil(moved.max(axis=0)).astype(int)
    low, high = np.maximum(low, 0), np.minimum(high, values.shape[::-1])
    if (high <= low).any():
        return
    across, along = np.mgrid[low[1]:high[1], low[0]:high[0]] + 0.5
    inside = np.ones(across.shape, dtype=bool)
    for start, end in zip(moved, ends, strict=True):
        inside &= ((end[0] - start[0]) * (across - start[1])
                   - (end[1] - start[1]) * (along - start[0])) >= 0.0
    values[low[1]:high[1], low[0]:high[0]][inside] = OCCUPIED


def _occupy(values: NDArray[np.int8], rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
    """Occupy those of some cells that there are."""
    inside = (rows >= 0) & (rows < values.shape[0]) & (columns >= 0) & (columns < values.shape[1])
    values[rows[inside], columns[inside]] = OCCUPIED
