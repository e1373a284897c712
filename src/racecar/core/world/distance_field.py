# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Distance fields: how far each cell of a grid is from the nearest occupied one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def distance_field(occupied: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return for each cell (rows, columns) the distance to the nearest occupied one [cells].

    Between the centres of the cells, 0 for occupied ones; larger than the grid's diagonal
    everywhere if none is.
    """
    from scipy.ndimage import distance_transform_edt

    if not occupied.any():
        return np.full(occupied.shape, float(sum(occupied.shape)), dtype=np.float32)
    return np.asarray(distance_transform_edt(~occupied), dtype=np.float32)
