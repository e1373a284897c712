# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rays through an occupancy grid: from cell to cell near walls, in leaps where there is room.

A walk over the cells (Amanatides and Woo, A fast voxel traversal algorithm for ray tracing, 1987)
is exact; a leap by the distance field skips cells that are free for certain (Hart, Sphere tracing,
1996, for a field that counts from any point of a cell to any point of a wall). Rays go side by
side in blocks, so that the loops over a block vectorise; all they write lies in one array, as
compilers must not take several for overlapping. Single precision, in cells from that of the
sensor.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array
from racecar.base.compiled import pure, routine
from racecar.scene.distance_field import MARGIN, WALL
from racecar.scene.grid_map import GridNumbers

Singles: TypeAlias = NDArray[np.float32]

BLOCK = 64
"""Rays side by side: with fewer the registers idle, with more those that have ended ride along."""

FEW = 16
"""Rays that are left go on by themselves once they are so few."""

# What rounding may take of a leap [cells].
_SLACK = np.float32(0.01)
# Whether a ray goes on. Compilers combine the integers of a block with vector instructions, but
# take the maximum of floating-point numbers one after the other.
_GOES_ON, _ENDED = np.int32(1), np.int32(0)
_ZERO, _ONE, _TINY = np.float32(0.0), np.float32(1.0), np.float32(1e-30)

# Where in the room of a block each of its rows begins.
_DX, _DY, _INVERSE_X, _INVERSE_Y, _FROM_X, _FROM_Y, _BACK_X, _BACK_Y, _SIDE_X, _SIDE_Y, _X, _Y, \
    _END, _WAY, _FREE, _ROOM = range(0, 16 * BLOCK, BLOCK)


class MarchFrom(NamedTuple):
    """A sensor in a grid: where in the grid's own axes from its corner [cells].

    turn_x, turn_y: cosine and sine of the angle from the grid's axes to those of the directions;
    largest_offset: from the sensor to where a ray begins [m].
    """

    x: float
    y: float
    turn_x: float
    turn_y: float
    largest_offset: float


@routine
def march(
    grid: GridNumbers, start: MarchFrom, directions: tuple[Array, Array],
    offsets: tuple[Array, Array], limits: Array, ranges: Array,
) -> None:
    """Lower ranges [m] to where rays meet a wall.

    directions: x and y of unit vectors. offsets: x and y from the sensor to where each ray begins,
    within the grid, in the axes of the directions, in modulus at most start.largest_offset, or
    empty if all begin there; limits: how far it goes [m]. Of all these and of ranges there is a
    whole number of blocks.
    """
    room, scale = grid.room, grid.scale
    directions_x, directions_y = directions
    offsets_x, offsets_y = offsets
    # From the corner of the sensor's cell numbers stay small and so precise.
    cell_x, cell_y = np.floor(start.x), np.floor(start.y)
    part_x, part_y = start.x - cell_x, start.y - cell_y
    home = np.int32(int(cell_y + MARGIN) * grid.stride + int(cell_x + MARGIN))
    # The first leap is that of all.
    free = room[np.uint32(home)] - np.float32(start.largest_offset * scale) - _SLACK
    begin = free if free > _ZERO else _ZERO
    block = np.zeros(_ROOM, np.float32)
    block[_FROM_X:_FROM_X + BLOCK], block[_FROM_Y:_FROM_Y + BLOCK] = part_x, part_y
    at, few = np.empty(BLOCK, np.int32), np.empty(_ROOM // BLOCK * FEW, np.float32)
    places = np.empty(FEW, np.int32)
    for first in range(0, len(directions_x), BLOCK):
        last = first + BLOCK
        # Of slices an index is not asked whether it counts from the end.
        _turn(block, directions_x[first:last], directions_y[first:last], start)
        if len(offsets_x) > 0:
            off_x, off_y = offsets_x[first:last], offsets_y[first:last]
            for k in range(BLOCK):
                ox, oy = off_x[k] * scale, off_y[k] * scale
                block[_FROM_X + k] = part_x + (ox * start.turn_x - oy * start.turn_y)
                block[_FROM_Y + k] = part_y + (ox * start.turn_y + oy * start.turn_x)
        _begin(block, limits[first:last], scale, begin)
        _walk((block, few), (at, places), room, home, np.int32(grid.stride))
        _finish(block, ranges[first:last], 1.0 / scale)


@pure
def _turn(block: Singles, ray_x: Array, ray_y: Array, start: MarchFrom) -> None:
    """Write the directions of a block of rays in the axes of the grid."""
    for k in range(BLOCK):
        dx, dy = ray_x[k], ray_y[k]
        block[_DX + k] = dx * start.turn_x - dy * start.turn_y
        block[_DY + k] = dx * start.turn_y + dy * start.turn_x


@pure
def _begin(block: Singles, limit: Array, scale: float, begin: np.float32) -> None:
    """Write where the rays of a block are after the first leap, and what a step of each takes."""
    for k in range(BLOCK):
        block[_END + k] = limit[k] * scale
    for k in range(BLOCK):
        dx, dy = block[_DX + k], block[_DY + k]
        # A direction along an axis never leaves by the other.
        dx = dx if abs(dx) > _TINY else _TINY
        dy = dy if abs(dy) > _TINY else _TINY
        block[_INVERSE_X + k], block[_INVERSE_Y + k] = _ONE / dx, _ONE / dy
        # What is subtracted from a cell's corner to get the side by which the ray leaves.
        block[_BACK_X + k] = block[_FROM_X + k] - (_ONE if dx > _ZERO else _ZERO)
        block[_BACK_Y + k] = block[_FROM_Y + k] - (_ONE if dy > _ZERO else _ZERO)
        block[_SIDE_X + k] = _ONE if dx > _ZERO else -_ONE
        block[_SIDE_Y + k] = _ONE if dy > _ZERO else -_ONE
        block[_WAY + k] = begin
        block[_X + k] = np.floor(block[_FROM_X + k] + dx * begin)
        block[_Y + k] = np.floor(block[_FROM_Y + k] + dy * begin)


@pure
def _walk(
    rays: tuple[Singles, Singles], numbers: tuple[NDArray[np.int32], NDArray[np.int32]],
    room: Singles, home: np.int32, columns: np.int32,
) -> None:
    """Move the rays of a block on until each has ended.

    Most end soon, and the last ones take many steps: few that are left go on by themselves. rays:
    the block, and room for few of it; numbers: room for the cell of each, and for where the few
    are in the block.
    """
    (block, few), (at, places) = rays, numbers
    moving = np.int32(BLOCK)
    while moving > FEW:
        moving = _advance(block, at, room, home, columns, BLOCK)
    if moving == _ENDED:
        return
    few[:] = _ZERO
    count = _gather(block, few, places)
    while moving != _ENDED:
        moving = _advance(few, at, room, home, columns, FEW)
    for k in range(count):
        block[_WAY + places[k]] = few[_WAY // BLOCK * FEW + k]
        block[_FREE + places[k]] = few[_FREE // BLOCK * FEW + k]


@pure
def _gather(block: Singles, few: Singles, places: NDArray[np.int32]) -> int:
    """Copy the rays of a block that go on, and where each is in it; how many there are."""
    count = 0
    for k in range(BLOCK):
        stop = block[_END + k] if block[_FREE + k] >= _ZERO else _ZERO
        if block[_WAY + k] < stop:
            for row in range(_ROOM // BLOCK):
                few[row * FEW + count] = block[row * BLOCK + k]
            places[count] = k
            count += 1
    # The others have ended before they begin: where a ray is, so that there is a cell.
    for k in range(count, FEW):
        few[_X // BLOCK * FEW + k] = few[_X // BLOCK * FEW]
        few[_Y // BLOCK * FEW + k] = few[_Y // BLOCK * FEW]
    return count


@pure
def _advance(
    block: Singles, at: NDArray[np.int32], room: Singles, home: np.int32, columns: np.int32,
    size: int,
) -> np.int32:
    """Move rays on by a leap or to the next cell; how many go on. size: of a row of the block."""
    shrink = BLOCK // size
    x_at, y_at, free_at, way_at, end_at = (
        _X // shrink, _Y // shrink, _FREE // shrink, _WAY // shrink, _END // shrink)
    for k in range(size):
        line = np.int32(np.int32(block[y_at + k]) * columns)
        at[k] = home + line + np.int32(block[x_at + k])
    for k in range(size):
        block[free_at + k] = room[np.uint32(at[k])]
    moving = _ENDED
    for k in range(size):
        way, free = block[way_at + k], block[free_at + k]
        x, y = block[x_at + k], block[y_at + k]
        out_x = (x - block[_BACK_X // shrink + k]) * block[_INVERSE_X // shrink + k]
        out_y = (y - block[_BACK_Y // shrink + k]) * block[_INVERSE_Y // shrink + k]
        stop = block[end_at + k] if free >= _ZERO else _ZERO
        # Without room for it a leap might land where it began, and never come further.
        leap = way + free if free >= _ONE else _ZERO
        leaves = out_x if out_x < out_y else out_y
        # Rounding may have put a ray into a cell that it has left.
        leaves = leaves if leaves > way else way
        leap_x = np.floor(block[_FROM_X // shrink + k] + block[_DX // shrink + k] * leap)
        leap_y = np.floor(block[_FROM_Y // shrink + k] + block[_DY // shrink + k] * leap)
        step_x = x + block[_SIDE_X // shrink + k] if out_x < out_y else x
        step_y = y if out_x < out_y else y + block[_SIDE_Y // shrink + k]
        next_x = leap_x if leap > leaves else step_x
        next_y = leap_y if leap > leaves else step_y
        goal = leap if leap > leaves else leaves
        goal = goal if way < stop else way
        # At its end a ray stays in the cell that it has come through.
        block[x_at + k] = next_x if goal < stop else x
        block[y_at + k] = next_y if goal < stop else y
        block[way_at + k] = goal
        moving += _GOES_ON if goal < stop else _ENDED
    return moving


@pure
def _finish(block: Singles, found: Array, cell: float) -> None:
    """Lower ranges [m] to where the rays of a block have met a wall; cell: its edge [m]."""
    for k in range(BLOCK):
        way = block[_WAY + k]
        distance = way * cell if way < block[_END + k] else math.inf
        distance = distance if block[_FREE + k] == WALL else math.inf
        found[k] = distance if distance < found[k] else found[k]
