# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Numbers of some of many columns in one flat array, each in steps of so many numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import kernel
from racecar.base.vectors import Flat

Places = NDArray[np.int_]


@kernel
def copy_places(rows: Flat, source: Flat, places: Places, extent: tuple[int, int]) -> None:
    """Copy columns; places: of the first number of each; extent: how far one reaches, step."""
    size, step = extent
    for k in range(len(places)):
        for at in range(places[k], places[k] + size, step):
            rows[at] = source[at]


@kernel
def write_places(rows: Flat, places: Places, numbers: NDArray[np.float64], step: int) -> None:
    """Write numbers of columns, (columns, numbers); places: of the first one of each."""
    for k in range(len(places)):
        for row in range(numbers.shape[1]):
            rows[places[k] + row * step] = numbers[k, row]
