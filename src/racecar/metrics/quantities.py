# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Figures of runs for people: values that stay in SI units, shown in the unit that fits them."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple

DEFAULT_METRIC = 'rmse'
"""By which runs are compared where nobody says otherwise."""

_MILLI = {'m': 'mm', 'm/s': 'mm/s'}
_DEGREES = {'rad': 'deg', 'rad/s': 'deg/s'}
_SMALL = 0.09995
"""Lengths and speeds below it, which have less than 100 mm by rounding, are shown in mm, mm/s."""


class Quantity(NamedTuple):
    """A figure of a run: its name, its value in an SI unit, None where it has none.

    A whole number has the type int; unit: '' for a number alone.
    """

    name: str
    value: float | None
    unit: str = ''

    def row(self) -> tuple[str, str, str]:
        """Name, value and unit for people."""
        texts, unit = shown([self.value], self.unit)
        return self.name, texts[0], unit


def unit_for(largest: float, unit: str) -> tuple[float, str]:
    """Factor and unit in which values of an SI unit, up to the largest, are shown."""
    if unit in _DEGREES:
        return math.degrees(1.0), _DEGREES[unit]
    if unit in _MILLI and 0.0 < largest < _SMALL:
        return 1e3, _MILLI[unit]
    if unit == 's' and 0.0 < largest < _SMALL:
        return (1e3, 'ms') if largest >= 1e-3 else (1e6, 'µs')
    return 1.0, unit


def shown(
    values: Sequence[float | None], unit: str, largest: float = 0.0,
) -> tuple[list[str], str]:
    """Values of an SI unit as texts of one unit, '-' for None, and that unit.

    largest: of all values that are to have the same unit as these.
    """
    known = [abs(value) for value in values if value is not None and math.isfinite(value)]
    factor, name = unit_for(max(known, default=0.0) if largest == 0.0 else largest, unit)
    return [_text(value, factor) for value in values], name


def length_text(value: float) -> str:
    """A length [m] with its unit."""
    _, text, unit = Quantity('', value, 'm').row()
    return f'{text} {unit}'


def _text(value: float | None, factor: float) -> str:
    if value is None:
        return '-'
    if isinstance(value, int):
        return f'{value}'
    if factor != 1.0:
        return _digits(factor * value, 3)
    return f'{value:.2g}' if 0.0 < abs(value) < 1e-3 else _digits(value, 4)


def _digits(value: float, count: int) -> str:
    """A number with so many digits that matter, never with an exponent where it is large."""
    return f'{value:.0f}' if abs(value) >= 10.0 ** count else f'{value:#.{count}g}'.rstrip('.')
