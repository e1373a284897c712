# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How steeply a car that is far from its line comes back to it.

    e_b = sign(e) min(|e|, chi T)

A linear law for the lateral error e asks for the heading error -e/T, the reach T being its ratio
of gains, or how far it looks ahead; far from the line that is more than a right angle. What is fed
back is therefore e_b: e itself up to a heading error of chi, which the car keeps beyond. Sources:
Nelson, Barber, McLain, Beard, "Vector field path following for miniature air vehicles", IEEE
Transactions on Robotics 23, 2007; Fossen, Breivik, Skjetne, "Line-of-sight path following of
underactuated marine craft", MCMC 2003.
"""

from __future__ import annotations

import math

from racecar.base.compiled import pure
from racecar.base.errors import ParameterError

APPROACH_ANGLE = 0.8
"""Default of the largest angle to the line [rad]."""


def checked_approach(angle: float) -> float:
    """Largest angle to the line [rad]. Raises ParameterError for one that is none."""
    if not 0.0 < angle <= 0.5 * math.pi:
        raise ParameterError(
            f'approach_angle is {angle:g} rad, expected above 0 and at most pi/2, a right angle to'
            ' the line')
    return float(angle)


@pure
def bounded_error(angle: float, error: float, reach: float) -> float:
    """e_b of a lateral error [m], see the top; angle: chi [rad]; reach: T, above 0 [m]."""
    bound = angle * reach
    return math.copysign(bound, error) if abs(error) > bound else error
