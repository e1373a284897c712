# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How steeply a car that is far from its line comes back to it.

    e_b = sign(e) min(|e|, chi T, sqrt(2 a |e| - c^2) T/v),  c = a T/v

A linear law for the lateral error e asks for the heading error -e/T, the reach T being its ratio
of gains, or how far it looks ahead; at a speed v it so asks for a lateral velocity v e/T, and,
on the way back, for a lateral acceleration (v/T)^2 e. Far from the line that is more than a right
angle and more than the tyres give. What is fed back is therefore e_b: it is e itself up to a
heading error of chi and up to the lateral acceleration a of steady cornering; beyond, the heading
stays, or is that from which a brings the car back with nothing left over. Sources: bounded
approach: Nelson, Barber, McLain, Beard, "Vector field path following for miniature air vehicles",
IEEE Transactions on Robotics 23, 2007; Fossen, Breivik, Skjetne, "Line-of-sight path following of
underactuated marine craft", MCMC 2003.
"""

from __future__ import annotations

import math

from racecar.base.compiled import pure
from racecar.base.errors import ParameterError

APPROACH_ANGLE = 0.4
"""Default of the largest angle to the line [rad]."""


def checked_approach(angle: float) -> float:
    """Largest angle to the line [rad]. Raises ParameterError for one that is none."""
    if not 0.0 < angle <= 0.5 * math.pi:
        raise ParameterError(
            f'approach_angle is {angle:g} rad, expected above 0 and at most pi/2, a right angle to'
            ' the line')
    return float(angle)


@pure
def bounded_error(
    angle: float, error: float, reach: float, speed: float, lateral: float,
) -> float:
    """e_b of a lateral error [m], see the top.

    angle: chi [rad]; reach: T, above 0 [m]; speed: v, at least 0 [m/s]; lateral: a [m/s^2],
    infinity for a law that is bounded by the angle alone.
    """
    size = abs(error)
    bound = angle * reach
    rate = speed / reach
    if rate * rate * size > lateral:
        # Continuous with its slope where the linear law asks for just this acceleration.
        slow = lateral / rate
        bound = min(bound, math.sqrt(2.0 * lateral * size - slow * slow) / rate)
    if size > bound:
        return math.copysign(bound, error)
    return error
