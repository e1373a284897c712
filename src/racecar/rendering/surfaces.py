# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Flat faces of what stands around, collected into few meshes: a thousand boxes draw as one.

Texture coordinates are metres along a face, so that a pattern has one size everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from racecar.scene.grid_map import OccupancyGrid
from racecar.scene.scene import Box, HIGHEST, rectangle_corners

if TYPE_CHECKING:
    from mujoco import MjSpec

Point = tuple[float, float, float]


class Surfaces:
    """Four-cornered faces; each corner has a place, a normal and a place on the texture."""

    def __init__(self) -> None:
        """Begin without faces."""
        self._corners: list[Point] = []
        self._normals: list[Point] = []
        self._texture: list[tuple[float, float]] = []

    def __bool__(self) -> bool:
        return bool(self._corners)

    def add(self, corners: Sequence[Point], normal: Point) -> None:
        """Add a face, its corners counter-clockwise for who looks against the normal [m].

        The texture begins at the first corner; the second is where it goes to the right.
        """
        origin, along = corners[0], math.dist(corners[0], corners[1])
        up = math.dist(corners[0], corners[3])
        # Upright faces of one wall go on with one pattern where they begin at one place.
        offset = origin[0] + origin[1] if abs(normal[2]) < 0.5 else 0.0
        self._corners += corners
        self._normals += [normal] * 4
        if abs(normal[2]) < 0.5:
            self._texture += [(offset, origin[2]), (offset + along, origin[2]),
                              (offset + along, origin[2] + up), (offset, origin[2] + up)]
        else:
            self._texture += [(x, y) for x, y, _ in corners]

    def add_box(self, box: Box) -> None:
        """Add all faces of a box but the one below."""
        self.add_block(
            rectangle_corners(box.x, box.y, box.yaw, box.length, box.width), 0.0,
            min(box.height, HIGHEST))

    def add_block(
        self, corners: Sequence[tuple[float, float]], bottom: float, top: float,
    ) -> None:
        """Add the sides and the top of a prism over corners that go counter-clockwise [m]."""
        for (x1, y1), (x2, y2) in zip(corners, (*corners[1:], corners[0]), strict=True):
            self.add_side(x1, y1, x2, y2, bottom, top)
        self.add([(x, y, top) for x, y in corners], (0.0, 0.0, 1.0))

    def add_side(
        self, x1: float, y1: float, x2: float, y2: float, bottom: float, top: float,
    ) -> None:
        """Add an upright face that is seen from the right of the way from one end to the other."""
        length = math.dist((x1, y1), (x2, y2))
        if length > 0.0:
            self.add(
                [(x1, y1, bottom), (x2, y2, bottom), (x2, y2, top), (x1, y1, top)],
                ((y2 - y1) / length, (x1 - x2) / length, 0.0))

    def mesh(self, spec: MjSpec, name: str) -> None:
        """Add the faces to an MjSpec as a mesh of this name."""
        mesh = spec.add_mesh(name=name)
        first = np.arange(0, len(self._corners), 4)[:, None]
        faces = np.concatenate([first + (0, 1, 2), first + (0, 2, 3)], axis=1).ravel()
        mesh.uservert = np.array(self._corners).ravel()
        mesh.usernormal = np.array(self._normals).ravel()
        mesh.usertexcoord = np.array(self._texture).ravel()
        mesh.userface = faces
        mesh.userfacenormal = faces
        mesh.userfacetexcoord = faces
        # Open surfaces enclose no volume.
        from racecar.simulation.world.engine import load_engine
        mesh.inertia = load_engine().mjtMeshInertia.mjMESH_INERTIA_SHELL


def add_grid(surfaces: Surfaces, grid: OccupancyGrid, height: float) -> None:
    """Add the walls of a map: tops of the cells, and sides where a wall ends."""
    top = min(height, HIGHEST)
    cell = grid.resolution
    for row, column, end_row, end_column in grid.rectangles().tolist():
        surfaces.add(
            [(*grid.point(x * cell, y * cell), top)
             for x, y in ((column, row), (end_column, row), (end_column, end_row),
                          (column, end_row))], (0.0, 0.0, 1.0))
    for x1, y1, x2, y2 in _edges(grid.occupied):
        surfaces.add_side(*grid.point(x1 * cell, y1 * cell), *grid.point(x2 * cell, y2 * cell),
                          0.0, top)


def _edges(cells: NDArray[np.bool_]) -> Iterable[tuple[int, int, int, int]]:
    """Yield where occupied cells meet free ones, as x1, y1, x2, y2 in cells.

    Runs along an axis are one edge. The free side is to the right.
    """
    padded = np.pad(cells, 1)
    # Free above an occupied cell or below it; likewise for columns.
    for axis in (0, 1):
        change = np.diff(padded.astype(np.int8), axis=axis)
        lines = change[:, 1:-1] if axis == 0 else change[1:-1].T
        for sign in (1, -1):
            marks = np.zeros((lines.shape[0], lines.shape[1] + 2), dtype=np.int8)
            marks[:, 1:-1] = lines == sign
            ends = np.diff(marks, axis=1)
            rows, starts = np.nonzero(ends == 1)
            _, stops = np.nonzero(ends == -1)
            for line, start, stop in zip(
                    rows.tolist(), starts.tolist(), stops.tolist(), strict=True):
                # Of a row: free below (sign 1) is seen from y lower, hence towards +x.
                if axis == 0:
                    yield (start, line, stop, line) if sign > 0 else (stop, line, start, line)
                else:
                    yield (line, stop, line, start) if sign > 0 else (line, start, line, stop)
