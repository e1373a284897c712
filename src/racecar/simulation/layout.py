# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Blocks of cars in memory: how many cars there are in one, and where their numbers lie."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
import itertools
from typing import Any, TypeVar

import numpy as np

from racecar.base.compiled import has_compiler
from racecar.base.rows import Numbers, Part, zeros_like
from racecar.base.vectors import Flat, vector

N = TypeVar('N', bound=Numbers)

LANES = 120
"""Cars in a block: rows of almost 1 kB, so that what one loop touches stays in the first cache.

Rows of a power of two would share too few of its sets.
"""

# Bytes in a line of the cache.
_LINE = 64

Loop = Callable[..., Any]
"""Pure function that does one thing to all cars of a block."""


class Layout:
    """Places parts one after the other."""

    def __init__(self, lanes: int = LANES) -> None:
        """Begin with the first row."""
        self._lanes = lanes
        self.rows = 0

    def part(self, example: N, absent: tuple[int, ...] = ()) -> Part[N]:
        """Place of tuples like the example, after those before."""
        part = Part(zeros_like(example), self.rows, self._lanes, absent)
        self.rows = part.after
        return part


def lane_rows(count: int) -> Flat:
    """So many rows of LANES zeros, flat."""
    if not has_compiler():
        return vector(count * LANES)
    room = np.zeros(count * LANES + _LINE // 8)
    # Vectors that start within a line of the cache would take two accesses each.
    first = -room.ctypes.data % _LINE // 8
    return room[first:first + count * LANES]


def pieces(
    count: int, size: int, begins: Collection[int] = (),
) -> Iterator[tuple[int, int]]:
    """Divide ticks 0 ... count - 1 into pieces of at most so many; yields the first and how many.

    begins: ticks at which a piece begins in any case.
    """
    cuts = sorted({0, count, *(tick for tick in begins if 0 < tick < count)})
    for first, after in itertools.pairwise(cuts):
        for start in range(first, after, size):
            yield start, min(size, after - start)
