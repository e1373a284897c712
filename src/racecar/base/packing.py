# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tuples of numbers in flat arrays, for pure steps that run compiled on one car or on many.

A step takes and returns NamedTuples of floats. Between steps their fields lie in a flat array,
`stride` apart from each other, in the order of _fields: one after the other for one car (stride
1), and as rows for a block of cars.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence, Sequence
import functools
import re
from typing import Any, cast, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import COMPILED
from racecar.base.tuple_kernels import written_kernel

Vector = Sequence[float]
"""Numbers that kernels index: a float64 array where Numba runs, else a list or tuple."""

Flat = MutableSequence[float]
"""The same, to be written to."""


class Packing(NamedTuple):
    """load(array, first, stride) returns a tuple; store(array, first, stride, tuple) writes it.

    Both are inlined kernels. size: how many numbers the tuple has.
    """

    load: Callable[[Sequence[float], int, int], Any]
    store: Callable[[Flat, int, int, Any], None]
    size: int


@functools.cache
def packing(kind: type[tuple[float, ...]] | int) -> Packing:
    """Return how a NamedTuple of floats, or a plain tuple of so many, lies in an array."""
    if isinstance(kind, int):
        size, name, module, kinds = kind, f'tuple_{kind}', __name__, {}
    else:
        size, module = len(getattr(kind, '_fields')), kind.__module__  # noqa: B009
        # Two modules may have classes of one name.
        name = re.sub(r'\W', '_', f'{module}_{kind.__qualname__}')
        if not module.startswith(f"{__name__.partition('.')[0]}."):
            # A file of the user's may be read twice.
            name += f'_{id(kind)}'
        kinds = {name: kind}
    numbers = ', '.join(f'array[first + {k} * stride]' for k in range(size))
    made = f'{name}({numbers})' if kinds else f'({numbers},)'
    stores = ''.join(
        f'    array[first + {k} * stride] = values[{k}]\n' for k in range(size))
    return Packing(
        written_kernel(f'load_{name}', 'array, first, stride', f'    return {made}\n', kinds,
                       module),
        written_kernel(f'store_{name}', 'array, first, stride, values',
                       stores or '    pass\n', {}, module), size)


def vector(values: int | Sequence[float] | NDArray[np.float64]) -> Any:
    """Return so many zeros, or these numbers, in the form that kernels run fastest on."""
    # Plain Python indexes lists several times faster than arrays; the bits are the same.
    if COMPILED:
        return np.zeros(values) if isinstance(values, int) else np.array(values, dtype=float)
    return [0.0] * values if isinstance(values, int) else [float(value) for value in values]


def as_vector(numbers: NDArray[np.float64]) -> Flat:
    """An array of many numbers in a form that kernels run on, without copying them."""
    # A view of memory gives plain Python its own numbers.
    shown: Any = numbers if COMPILED else memoryview(numbers.data)
    return cast(Flat, shown)
