# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Columns: numbers of many cars at once, an array (cars,) in the place of a number.

Arithmetic does the same to a column as to each number, to the bit, so a formula serves one car and
many. The functions here are for what Python does to a number only. Whatever else is asked of a
column, such as a truth value, raises TypeError or ValueError, for two cars or more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast, TypeVar

import numpy as np
from numpy.typing import NDArray

from racecar.base.rows import flatten, Numbers
from racecar.base.values import number_of, Values

Array = NDArray[np.float64]
N = TypeVar('N', bound=Numbers)
M = TypeVar('M', bound=Numbers)

IS_NO_COLUMN = TypeError, ValueError
"""What is raised where a column stands and only a number can."""


def larger(first: float, *others: float) -> float:
    """Largest of some numbers, or of each car."""
    found = first
    for other in others:
        found = max(found, other) if _are_numbers(found, other) else _column(
            np.maximum(found, other))
    return found


def smaller(first: float, *others: float) -> float:
    """Least of some numbers, or of each car."""
    found = first
    for other in others:
        found = min(found, other) if _are_numbers(found, other) else _column(
            np.minimum(found, other))
    return found


def given(number: float, default: float) -> float:
    """Number, or the default where it is 0."""
    if _are_numbers(number):
        return number or default
    return _column(np.where(np.asarray(number) != 0.0, number, default))


def each(function: Callable[..., float], *numbers: float) -> float:
    """Function of numbers, or of those of each car: those of NumPy may have other bits."""
    if _are_numbers(*numbers):
        return function(*numbers)
    lists = (column.tolist() for column in np.broadcast_arrays(*numbers))
    return _column(np.array([function(*values) for values in zip(*lists, strict=True)]))


def squared(number: float) -> float:
    """Second power as Python has it, whose rounding is not that of a product."""
    return each(_square, number)


def _square(number: float) -> float:
    return number ** 2


def number_or_column(values: Values, name: str) -> float:
    """Number of a name, or the column in its place; raises as number_of()."""
    found = values[name]
    return _column(found) if isinstance(found, np.ndarray) else number_of(values, name)


def rows_of(value: Numbers, cars: int) -> Array:
    """Numbers of a tuple, nested or not, in order: (numbers, cars)."""
    numbers = [*flatten(value)]
    if _are_numbers(*numbers):
        return np.repeat(np.array(numbers, dtype=float)[:, np.newaxis], cars, axis=1)
    found = [np.broadcast_to(number, cars) for number in numbers]
    return np.array(found, dtype=float).reshape(len(found), cars)


def columns_like(example: N, rows: Array) -> N:
    """Tuple like the example whose numbers are columns, the inverse of rows_of()."""
    left = iter(rows)

    def filled(part: M) -> M:
        values = [filled(value) if isinstance(value, tuple) else next(left) for value in part]
        return tuple.__new__(type(part), values)

    return filled(example)


def is_column(number: object) -> bool:
    """Whether it is one value a car."""
    return isinstance(number, np.ndarray)


def _are_numbers(*values: object) -> bool:
    return not any(map(is_column, values))


def _column(values: Array) -> float:
    """Column in the place of a number, for which formulas take it."""
    return cast(float, values)
