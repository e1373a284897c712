# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a rectangle or a disc on the ground overlaps with what stands there.

Rectangles by separating axes, discs by the nearest points. What stands there: walls, boxes and
cones, rows of numbers as Scene gives them, of any height, and the fields of GridNumbers. These and
the fields of Rectangle and Disc come as plain tuples, whose types Numba sees faster than those of
named ones. To touch is not to overlap.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import kernel, pure, routine
from racecar.scene.distance_field import MARGIN, WALL
from racecar.scene.grid_map import GridNumbers
from racecar.scene.scene import Rows

GridFields: TypeAlias = tuple[
    NDArray[np.float32], int, float, float, float, float, float, float, float]
"""The fields of GridNumbers."""


class Rectangle(NamedTuple):
    """Middle [m], cosine and sine of the heading, half of the length and of the width [m]."""

    x: float
    y: float
    cosine: float
    sine: float
    length: float
    width: float


class Disc(NamedTuple):
    """Middle and radius [m]."""

    x: float
    y: float
    radius: float


@routine
def _meets_wall(
    x1: float, y1: float, x2: float, y2: float, length: float, width: float,
) -> bool:
    """Whether a segment meets the rectangle |x| < length, |y| < width."""
    if max(x1, x2) <= -length or min(x1, x2) >= length:
        return False
    if max(y1, y2) <= -width or min(y1, y2) >= width:
        return False
    # Across the segment, unless it is a point.
    nx, ny = y1 - y2, x2 - x1
    reach = length * abs(nx) + width * abs(ny)
    return reach == 0.0 or abs(nx * x1 + ny * y1) < reach


@routine
def meets_box(box: Rectangle, length: float, width: float) -> bool:
    """Whether a rectangle meets the rectangle |x| < length, |y| < width."""
    c, s = abs(box.cosine), abs(box.sine)
    if abs(box.x) >= length + box.length * c + box.width * s:
        return False
    if abs(box.y) >= width + box.length * s + box.width * c:
        return False
    if abs(box.x * box.cosine + box.y * box.sine) >= box.length + length * c + width * s:
        return False
    return abs(box.y * box.cosine - box.x * box.sine) < box.width + length * s + width * c


@pure
def rectangles_overlap(one: Rectangle, other: Rectangle) -> bool:
    """Whether two rectangles overlap."""
    dx, dy = other.x - one.x, other.y - one.y
    reach = one.length + one.width + other.length + other.width
    if dx * dx + dy * dy >= reach * reach:
        return False
    c, s = one.cosine, one.sine
    return meets_box(
        Rectangle(dx * c + dy * s, dy * c - dx * s, other.cosine * c + other.sine * s,
                  other.sine * c - other.cosine * s, other.length, other.width),
        one.length, one.width)


@routine
def _is_near(
    x: float, y: float, length: float, width: float, radius: float,
) -> bool:
    """Whether a point is nearer than a radius to the rectangle |x| < length, |y| < width."""
    gap_x, gap_y = max(abs(x) - length, 0.0), max(abs(y) - width, 0.0)
    return gap_x * gap_x + gap_y * gap_y < radius * radius


@pure
def meets_disc(place: Rectangle, x: float, y: float, radius: float) -> bool:
    """Whether a rectangle overlaps with a disc about a point."""
    dx, dy = x - place.x, y - place.y
    return _is_near(dx * place.cosine + dy * place.sine, dy * place.cosine - dx * place.sine,
                    place.length, place.width, radius)


@pure
def in_grid(grid: GridNumbers, place: Rectangle) -> tuple[float, float, float, float]:
    """Middle of a rectangle along and across a grid [m], cosine and sine of its turn there."""
    px, py = place.x - grid.x, place.y - grid.y
    return (px * grid.cosine + py * grid.sine, py * grid.cosine - px * grid.sine,
            place.cosine * grid.cosine + place.sine * grid.sine,
            place.sine * grid.cosine - place.cosine * grid.sine)


@routine
def _meets_grid(grid: GridNumbers, place: Rectangle) -> bool:
    """Whether a rectangle meets a wall of a grid."""
    if grid.length == 0.0:
        return False
    length, width, scale = place.length, place.width, grid.scale
    along, across, c, s = in_grid(grid, place)
    if 0.0 <= along < grid.length and 0.0 <= across < grid.width:
        free = grid.room[int(across * scale + MARGIN) * grid.stride + int(along * scale + MARGIN)]
        if free >= 0.0 and free * free > (length * length + width * width) * scale * scale:
            return False
    reach_x, reach_y = length * abs(c) + width * abs(s), length * abs(s) + width * abs(c)
    columns = grid.stride - 2 * MARGIN
    rows = len(grid.room) // grid.stride - 2 * MARGIN
    half = 0.5 / scale
    for row in range(max(math.floor((across - reach_y) * scale), 0),
                     min(math.floor((across + reach_y) * scale), rows - 1) + 1):
        column = max(math.floor((along - reach_x) * scale), 0)
        last = min(math.floor((along + reach_x) * scale), columns - 1)
        while column <= last:
            room = grid.room[(row + MARGIN) * grid.stride + column + MARGIN]
            if room != WALL:
                # As far as there is room there is no wall.
                column += 1 + max(int(room), 0)
                continue
            dx, dy = (column + 0.5) / scale - along, (row + 0.5) / scale - across
            # In the rectangle's own axes the cell is turned the other way.
            if meets_box(Rectangle(dx * c + dy * s, dy * c - dx * s, c, -s, half, half),
                          length, width):
                return True
            column += 1
    return False


@routine
def _disc_meets_grid(grid: GridNumbers, disc: Disc) -> bool:
    """Whether a disc meets a wall of a grid."""
    if grid.length == 0.0:
        return False
    scale, radius = grid.scale, disc.radius
    dx, dy = disc.x - grid.x, disc.y - grid.y
    along, across = dx * grid.cosine + dy * grid.sine, dy * grid.cosine - dx * grid.sine
    rows, columns = len(grid.room) // grid.stride - 2 * MARGIN, grid.stride - 2 * MARGIN
    half = 0.5 / scale
    for row in range(max(math.floor((across - radius) * scale), 0),
                     min(math.floor((across + radius) * scale), rows - 1) + 1):
        for column in range(max(math.floor((along - radius) * scale), 0),
                            min(math.floor((along + radius) * scale), columns - 1) + 1):
            if grid.room[(row + MARGIN) * grid.stride + column + MARGIN] == WALL and _is_near(
                    along - (column + 0.5) / scale, across - (row + 0.5) / scale, half, half,
                    radius):
                return True
    return False


@kernel
def overlaps(
    walls: Rows, boxes: Rows, cones: Rows, grid: GridFields,
    rectangle: tuple[float, float, float, float, float, float],
) -> bool:
    """Whether a rectangle overlaps with anything; see the module."""
    x, y, cosine, sine, length, width = rectangle
    reach = length + width
    for row in range(len(walls)):
        x1, y1 = walls[row, 0] - x, walls[row, 1] - y
        x2, y2 = walls[row, 2] - x, walls[row, 3] - y
        if (max(x1, x2) > -reach and min(x1, x2) < reach
                and max(y1, y2) > -reach and min(y1, y2) < reach
                and _meets_wall(
                    x1 * cosine + y1 * sine, y1 * cosine - x1 * sine, x2 * cosine + y2 * sine,
                    y2 * cosine - x2 * sine, length, width)):
            return True
    for row in range(len(boxes)):
        dx, dy = boxes[row, 0] - x, boxes[row, 1] - y
        c, s = boxes[row, 2], boxes[row, 3]
        if meets_box(
                Rectangle(dx * cosine + dy * sine, dy * cosine - dx * sine,
                          c * cosine + s * sine, s * cosine - c * sine, boxes[row, 4],
                          boxes[row, 5]), length, width):
            return True
    for row in range(len(cones)):
        dx, dy = cones[row, 0] - x, cones[row, 1] - y
        if _is_near(dx * cosine + dy * sine, dy * cosine - dx * sine, length, width,
                         cones[row, 2]):
            return True
    return _meets_grid(GridNumbers(*grid), Rectangle(*rectangle))


@kernel
def disc_overlaps(
    walls: Rows, boxes: Rows, cones: Rows, grid: GridFields, disc: tuple[float, float, float],
) -> bool:
    """Whether a disc overlaps with anything; see the module."""
    x, y, radius = disc
    for row in range(len(walls)):
        x1, y1 = walls[row, 0] - x, walls[row, 1] - y
        dx, dy = walls[row, 2] - walls[row, 0], walls[row, 3] - walls[row, 1]
        square = dx * dx + dy * dy
        share = min(max(-(x1 * dx + y1 * dy) / square, 0.0), 1.0) if square > 0.0 else 0.0
        px, py = x1 + share * dx, y1 + share * dy
        if px * px + py * py < radius * radius:
            return True
    for row in range(len(boxes)):
        dx, dy = x - boxes[row, 0], y - boxes[row, 1]
        c, s = boxes[row, 2], boxes[row, 3]
        if _is_near(
                dx * c + dy * s, dy * c - dx * s, boxes[row, 4], boxes[row, 5], radius):
            return True
    for row in range(len(cones)):
        dx, dy = cones[row, 0] - x, cones[row, 1] - y
        reach = cones[row, 2] + radius
        if dx * dx + dy * dy < reach * reach:
            return True
    return _disc_meets_grid(GridNumbers(*grid), Disc(*disc))
