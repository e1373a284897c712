# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Units in the header of a log, and what factor they are to SI."""

from __future__ import annotations

import math
import re

from racecar.base.errors import RunError
from racecar.dynamics.vehicles.parameters import GRAVITY

_DEGREE = math.pi / 180.0
_TO_SI: dict[str, dict[str, float]] = {
    's': {'s': 1.0, 'ms': 1e-3, 'us': 1e-6, 'ns': 1e-9},
    'm': {'m': 1.0, 'cm': 1e-2, 'mm': 1e-3},
    'rad': {'rad': 1.0, 'deg': _DEGREE, '°': _DEGREE},
    'rad/s': {'rad/s': 1.0, 'deg/s': _DEGREE, '°/s': _DEGREE, 'dps': _DEGREE},
    'm/s': {'m/s': 1.0, 'km/h': 1.0 / 3.6, 'cm/s': 1e-2},
    'm/s^2': {'m/s^2': 1.0, 'm/s2': 1.0, 'm/s²': 1.0, 'g': GRAVITY},
    '-': {'-': 1.0, '': 1.0, '1': 1.0},
}
_HEADER = re.compile(r'\s*([^\[\]()]+?)\s*(?:[\[(]([^\[\]()]*)[\])])?\s*')


def split_header(text: str) -> tuple[str, str | None]:
    """Return name and unit of `name[unit]` or `name (unit)`; None where no unit stands."""
    match = _HEADER.fullmatch(text)
    return (match[1], match[2]) if match else (text.strip(), None)


def factor_to_si(unit: str, si: str, column: str) -> float:
    """Factor from a unit to SI. Raises RunError for an unknown unit."""
    try:
        return _TO_SI[si][unit.strip()]
    except KeyError:
        raise RunError(
            f'column {column} has the unit [{unit}], expected one of'
            f" {', '.join(f'[{name}]' for name in _TO_SI[si] if name)}") from None
