# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What full keys, sticks and pads command."""

from __future__ import annotations

from racecar.base.values import number_of, Values
from racecar.control.teleop.key_driver import KEY_PARAMETERS

_SPEED = 'vehicle.speed_max'
_LEFT, _RIGHT = 'vehicle.steering_limit', 'vehicle.steering_limit_right'

_DEFAULTS = KEY_PARAMETERS.resolve({})


def largest_speed(values: Values) -> float:
    """What a page commands at most [m/s]: as keys may, and not more than the car can.

    values: of a simulator, which may lack any.
    """
    most = number_of(_DEFAULTS, 'speed_max')
    return min(most, number_of(values, _SPEED, most))


def angle_of(values: Values, share: float) -> float:
    """Share, from -1 to 1, of the largest angle on its side [rad, left positive].

    values: as in largest_speed().
    """
    most = number_of(values, _LEFT, number_of(_DEFAULTS, 'steering_max'))
    return share * (most if share >= 0.0 else (number_of(values, _RIGHT, most) or most))
