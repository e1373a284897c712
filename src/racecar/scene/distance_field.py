# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How much room there is around each cell of a grid, for whoever moves through it in leaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

WALL, OUTSIDE = np.float32(-1.0), np.float32(-2.0)
"""Room in a wall, and beyond the grid."""

MARGIN = 1
"""Cells around the grid that are OUTSIDE: what leaves it stops there."""


def room_around(occupied: NDArray[np.bool_]) -> NDArray[np.float32]:
    """How far one may go from any point of a cell without meeting anything [cells].

    occupied (rows, columns); the field has a margin around it, which is OUTSIDE, and is WALL in
    walls.
    """
    from scipy.ndimage import binary_dilation, distance_transform_edt

    walls = np.pad(occupied, MARGIN)
    ends = np.pad(occupied, MARGIN, constant_values=True)
    # From the centre of a cell to that of a neighbour of a wall: as far as from the nearest
    # point of the cell to the nearest one of the wall.
    room: NDArray[np.float32] = distance_transform_edt(
        ~binary_dilation(ends, np.ones((3, 3)))).astype(np.float32)
    room[ends] = OUTSIDE
    room[walls] = WALL
    room.flags.writeable = False
    return room
