# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings that controllers of this package share, and their checks."""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.errors import ParameterError
from racecar.base.random_numbers import WORD
from racecar.dynamics.vehicles.parameters import VehicleParameters


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


class LookAhead(NamedTuple):
    """How far ahead a controller looks: at least and at most [m], and how it grows [s]."""

    least: float
    time: float
    most: float


def checked_look_ahead(least: float, time: float, most: float) -> LookAhead:
    """Look-ahead [m], its growth [s] and limit [m]. Raises ParameterError for one that is none."""
    check_positive(look_ahead=least)
    check_not_negative(look_ahead_time=time)
    if not least <= most < math.inf:
        raise ParameterError(
            f'longest_look_ahead is {most:g} m, expected at least look_ahead, {least:g} m')
    return LookAhead(float(least), float(time), float(most))


@pure
def look_ahead_at(look_ahead: LookAhead, vx: float) -> float:
    """How far ahead to look at a forward speed [m/s], which may be negative: [m]."""
    return min(look_ahead.least + look_ahead.time * max(vx, 0.0), look_ahead.most)


def rear_axle_of(vehicle: VehicleParameters) -> float:
    """Rear axle ahead of the point of the odometry [m], negative where it is behind it."""
    return -vehicle.cog_to_rear_axle - vehicle.odometry_offset
