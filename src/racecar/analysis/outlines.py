# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Outlines of what stands in a scene, as lines in the plane."""

from __future__ import annotations

from contourpy import contour_generator, LineType
import numpy as np

from racecar.base.columns import Array
from racecar.scene.grid_map import OccupancyGrid
from racecar.scene.scene import Scene

_CORNERS = 16  # of the foot of a cone


def outlines(scene: Scene) -> list[Array]:
    """Lines (n, 2) [m] around walls, boxes, boards, cones and the occupied cells of the grid."""
    lines = [np.array([[wall.x1, wall.y1], [wall.x2, wall.y2]]) for wall in scene.surfaces]
    angles = np.linspace(0.0, 2.0 * np.pi, _CORNERS + 1)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    lines += [0.5 * cone.base * circle + [cone.x, cone.y] for cone in scene.cones]
    return lines if scene.grid is None else [*lines, *_of_grid(scene.grid)]


def _of_grid(grid: OccupancyGrid) -> list[Array]:
    # Free cells around, so that walls at the edge are closed.
    cells = np.pad(grid.occupied.astype(np.float64), 1)
    found = contour_generator(z=cells, line_type=LineType.Separate).lines(0.5)
    x, y, yaw = grid.origin
    turn = np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])
    # Middles of cells; the first row and column are those that were added.
    return [(_corners(np.asarray(line, dtype=np.float64)) - 0.5) * grid.resolution @ turn + [x, y]
            for line in found]


def _corners(line: Array) -> Array:
    """The points of a line at which its direction changes, and both ends."""
    steps = np.diff(line, axis=0)
    turns = steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0]
    kept: Array = line[np.concatenate([[True], np.abs(turns) > 1e-9, [True]])]
    return kept
