# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cruise control: speeds of the driven wheels for a speed of the car, and the ramp towards it.

Wheel i turns at v g_i/R_i, which no tyre has to slip for: g as in steering.path_ratios(). Then v
is the speed of the rear axle's middle whatever the car's type. With the reference of Webots
(cruise_reference webots) it is that of the mean driven wheel instead: front q R_f w = 2 v qf with
qf = g/(sum of g of the axle); of a 4x4 the axles share v by qc = rho/(1 + cos d), rho = R_r/R_f.
"""

from __future__ import annotations

import math

from racecar.base.compiled import pure
from racecar.base.types import Wheels

REAR_AXLE, WEBOTS = 0.0, 1.0


@pure
def ramp(value: float, target: float, max_change: float) -> float:
    """Value moved towards the target by at most `max_change` (positive)."""
    return value + min(max(target - value, -max_change), max_change)


@pure
def wheel_speeds(
    speed: float, tangent: float, ratios: Wheels, radii: Wheels, driven: Wheels, reference: float,
) -> Wheels:
    """Speed of each driven wheel [rad/s], 0 for the others.

    speed [m/s]; tangent: tan d; ratios, radii, driven as in differential.rolling_speed();
    reference: REAR_AXLE or WEBOTS.
    """
    front = rear = speed
    if reference != REAR_AXLE:
        front = 2.0 * speed / (ratios[0] + ratios[1])
        if driven[0] != 0.0 and driven[2] != 0.0:
            cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
            # Straight ahead the original forgets rho.
            share = 0.5 if tangent == 0.0 else radii[2] / radii[0] / (1.0 + cosine)
            front, rear = 2.0 * share * front, 2.0 * (1.0 - share) * rear
    return (front * (driven[0] * ratios[0] / radii[0]), front * (driven[1] * ratios[1] / radii[1]),
            rear * (driven[2] * ratios[2] / radii[2]), rear * (driven[3] * ratios[3] / radii[3]))
