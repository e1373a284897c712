# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Checks of the settings that controllers of this package share."""

from __future__ import annotations

import math

from racecar.base.errors import ParameterError
from racecar.base.random_numbers import WORD


def check_positive(**values: float) -> None:
    """Raise ParameterError for a setting that is no finite number above 0."""
    for name, value in values.items():
        if not 0.0 < value < math.inf:
            raise ParameterError(f'{name} is {value:g}, expected a number above 0')


def check_not_negative(**values: float) -> None:
    """Raise ParameterError for a setting that is no finite number of at least 0."""
    for name, value in values.items():
        if not 0.0 <= value < math.inf:
            raise ParameterError(f'{name} is {value:g}, expected a number of at least 0')


def check_count(most: int, **values: int) -> None:
    """Raise ParameterError for a setting that is not from 1 to `most`."""
    for name, value in values.items():
        if not 1 <= value <= most:
            raise ParameterError(f'{name} is {value}, expected from 1 to {most}')


def check_seed(seed: int) -> None:
    """Raise ParameterError for a seed that is no word of 32 bits."""
    if not 0 <= seed < WORD:
        raise ParameterError(f'seed is {seed}, expected from 0 to {WORD - 1}')


def check_look_ahead(least: float, time: float, most: float) -> None:
    """Raise ParameterError for a look-ahead [m], its growth [s] or its limit [m] that is none."""
    check_positive(look_ahead=least)
    check_not_negative(look_ahead_time=time)
    if not least <= most < math.inf:
        raise ParameterError(
            f'longest_look_ahead is {most:g} m, expected at least look_ahead, {least:g} m')
