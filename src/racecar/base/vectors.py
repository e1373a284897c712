# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Flat sequences of numbers, on which compiled functions and plain Python both run fast."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import cast, TypeAlias

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import has_compiler

Vector: TypeAlias = Sequence[float] | NDArray[np.float64]
"""Numbers that kernels index: a float64 array where Numba runs, else a list or tuple."""

Flat: TypeAlias = MutableSequence[float] | NDArray[np.float64]
"""The same, to be written to."""

POSE = ('x', 'y', 'yaw')
"""Fields of tuples that have a place and a direction: x, y [m], yaw [rad]."""


def vector(values: int | Vector) -> Flat:
    """So many zeros, or these numbers, in the form that kernels run fastest on."""
    # Plain Python indexes lists several times faster than arrays; the bits are the same.
    if has_compiler():
        return np.zeros(values) if isinstance(values, int) else np.array(values, dtype=float)
    return [0.0] * values if isinstance(values, int) else [float(value) for value in values]


def as_vector(numbers: NDArray[np.float64]) -> Flat:
    """An array of many numbers in a form that kernels run on, without copying them."""
    # A view of memory gives plain Python its own numbers.
    return numbers if has_compiler() else cast(MutableSequence[float], memoryview(numbers.data))
