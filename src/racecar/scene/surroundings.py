# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several scenes as one set of arrays, of which a kernel takes the one that it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import pure, routine
from racecar.base.rows import span
from racecar.scene.grid_map import GridNumbers, NO_GRID
from racecar.scene.overlaps import overlaps, Rectangle
from racecar.scene.scene import cone_rows, foot_rows, Rows, Scene

# Numbers of a scene in a table: rows of walls, boxes and cones from and to, cells of the grid from
# and to, then the fields of its GridNumbers but the first, and the height of the grid.
_FIELDS = 17


class Surroundings(NamedTuple):
    """Scenes one after the other.

    walls, boxes: rows as Scene gives them; cones: as a laser sees them; feet: of the cones, which
    stop a car; room: of all grids; table: where each scene lies, (scenes, _FIELDS).
    """

    walls: Rows
    boxes: Rows
    cones: Rows
    feet: Rows
    room: NDArray[np.float32]
    table: Rows


def surroundings_of(scenes: Sequence[Scene]) -> Surroundings:
    """Arrays of some scenes, at least one, in C order; those of the scenes are copied."""
    grids = [NO_GRID if scene.grid is None else scene.grid.numbers for scene in scenes]
    parts: list[list[NDArray[Any]]] = [
        [scene.wall_rows for scene in scenes], [scene.box_rows for scene in scenes],
        [cone_rows(scene.cones) for scene in scenes], [grid.room for grid in grids]]
    table = np.zeros((len(scenes), _FIELDS))
    for column, arrays in enumerate(parts):
        ends = np.cumsum([len(array) for array in arrays])
        table[:, 2 * column], table[:, 2 * column + 1] = ends - [*map(len, arrays)], ends
    for row, (scene, grid) in enumerate(zip(scenes, grids, strict=True)):
        table[row, 8:] = *grid[1:], scene.grid_height
    walls, boxes, cones = (np.concatenate(part) for part in parts[:3])
    return Surroundings(
        walls, boxes, cones, np.concatenate([foot_rows(scene.cones) for scene in scenes]),
        np.concatenate([grid.room for grid in grids]), table)


@pure
def grid_of(around: Surroundings, scene: int) -> GridNumbers:
    """Grid of a scene."""
    t = around.table
    return GridNumbers(
        span(around.room, int(t[scene, 6]), int(t[scene, 7])), int(t[scene, 8]), t[scene, 9],
        t[scene, 10], t[scene, 11], t[scene, 12], t[scene, 13], t[scene, 14], t[scene, 15])


@pure
def grid_height_of(around: Surroundings, scene: int) -> float:
    """Height of the walls of the grid of a scene [m]."""
    return float(around.table[scene, 16])


@pure
def part_of(rows: Rows, around: Surroundings, scene: int, column: int) -> Rows:
    """Rows of a scene: of walls in column 0 of the table, of boxes in 2, of cones in 4."""
    return span(rows, int(around.table[scene, column]), int(around.table[scene, column + 1]))


@routine
def is_taken(around: Surroundings, scene: int, place: Rectangle) -> bool:
    """Whether a rectangle overlaps with anything of a scene, see overlaps()."""
    grid = grid_of(around, scene)
    return overlaps(
        part_of(around.walls, around, scene, 0), part_of(around.boxes, around, scene, 2),
        part_of(around.feet, around, scene, 4),
        (grid.room, grid.stride, grid.scale, grid.x, grid.y, grid.cosine, grid.sine, grid.length,
         grid.width),
        (place.x, place.y, place.cosine, place.sine, place.length, place.width))
