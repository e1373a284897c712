# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How much room there is around each cell of a grid, for whoever moves through it in leaps."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import kernel

Line: TypeAlias = NDArray[np.int64]

WALL, OUTSIDE = np.float32(-1.0), np.float32(-2.0)
"""Room in a wall, and beyond the grid."""

MARGIN = 1
"""Cells around the grid that are OUTSIDE: what leaves it stops there."""


def room_around(occupied: NDArray[np.bool_]) -> NDArray[np.float32]:
    """How far one may go from any point of a cell without meeting anything [cells].

    occupied (rows, columns); the field has a margin around it, which is OUTSIDE, and is WALL in
    walls. It is read-only, row by row.
    """
    walls = np.pad(occupied, MARGIN)
    ends = np.pad(occupied, MARGIN, constant_values=True)
    # From the centre of a cell to that of a neighbour of a wall: as far as from the nearest
    # point of the cell to the nearest one of the wall.
    room = np.sqrt(_squared_distances(_with_neighbours(ends))).astype(np.float32, order='C')
    room[ends] = OUTSIDE
    room[walls] = WALL
    room.flags.writeable = False
    return room


def distances_to(cells: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Distance of the middle of each cell to the nearest middle of some [cells].

    In a row without any of them it is right only up to the number of columns.
    """
    return np.sqrt(_squared_distances(cells))


def _with_neighbours(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cells and the eight neighbours of each."""
    padded = np.pad(cells, 1)
    lying = padded[:-2] | padded[1:-1] | padded[2:]
    return lying[:, :-2] | lying[:, 1:-1] | lying[:, 2:]


def _squared_distances(cells: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Squared distance of each cell to the nearest of some, of which each row has one."""
    columns = cells.shape[1]
    number = np.arange(columns)
    before = np.maximum.accumulate(np.where(cells, number, -columns), axis=1)
    after = np.minimum.accumulate(
        np.where(cells, number, 2 * columns)[:, ::-1], axis=1)[:, ::-1]
    # Column after column, each a line of its own.
    squares = np.ascontiguousarray(np.minimum(number - before, after - number).T) ** 2
    _add_across(squares, *np.empty((2, cells.shape[0]), np.int64))
    return squares.T


@kernel
def _add_across(lines: NDArray[np.int64], lowest: Line, start: Line) -> None:
    """Replace line[u] by the least of line[i] + (u - i)^2 over all i, for each line.

    A. Meijster, J. Roerdink, W. Hesselink, A general algorithm for computing distance transforms
    in linear time, 2000. lowest, start: room for the places i of the parabolas that are the least
    somewhere, and for where each begins to be so.
    """
    for line in lines:
        last, lowest[0], start[0] = 0, 0, 0
        for u in range(1, len(line)):
            while last >= 0 and (
                    (start[last] - lowest[last])**2 + line[lowest[last]]
                    > (start[last] - u)**2 + line[u]):
                last -= 1
            if last < 0:
                last, lowest[0] = 0, u
            else:
                i = lowest[last]
                begin = 1 + (u * u - i * i + line[u] - line[i]) // (2 * (u - i))
                if begin < len(line):
                    last += 1
                    lowest[last], start[last] = u, begin
        copy = line.copy()
        for u in range(len(line) - 1, -1, -1):
            line[u] = (u - lowest[last])**2 + copy[lowest[last]]
            last -= u == start[last]
