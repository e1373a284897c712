# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cosine, tangent and arctangent of arrays, each number with the bits that elementary gives it.

NumPy's own have other last digits on processors with AVX-512 than on those without, and so would
have all that follows from a table that is made with them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import kernel
from racecar.base.elementary import arctangent, sine_cosine
from racecar.base.vectors import as_vector, Flat

Array = NDArray[np.float64]


@kernel
def _write_cosines(numbers: Flat, found: Flat) -> None:
    for i in range(len(numbers)):
        found[i] = sine_cosine(numbers[i])[1]


@kernel
def _write_tangents(numbers: Flat, found: Flat) -> None:
    for i in range(len(numbers)):
        sine, cosine = sine_cosine(numbers[i])
        found[i] = sine / cosine


@kernel
def _write_arctangents(numbers: Flat, found: Flat) -> None:
    for i in range(len(numbers)):
        found[i] = arctangent(numbers[i])


def cosines(angles: Array) -> Array:
    """Cosines of angles [rad], of any shape."""
    return _each(_write_cosines, angles)


def tangents(angles: Array) -> Array:
    """Tangents of angles [rad], of any shape; none is a right angle to the last bit."""
    return _each(_write_tangents, angles)


def arctangents(numbers: Array) -> Array:
    """Angles between minus and plus a right angle [rad] of tangents, of any shape."""
    return _each(_write_arctangents, numbers)


def _each(write: Callable[[Flat, Flat], None], numbers: Array) -> Array:
    flat = np.array(numbers, dtype=np.float64).ravel()
    found = np.empty_like(flat)
    write(as_vector(flat), as_vector(found))
    return found.reshape(np.shape(numbers))
