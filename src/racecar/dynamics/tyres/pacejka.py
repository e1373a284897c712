# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pacejka's magic formula, with given coefficients or with those that the report computes.

F = D sin(C atan(B s - E (B s - atan(B s)))), peak D = mu Fz, slope B C D at zero slip.

One sign convention for both directions: slip s is the velocity of the contact patch over the
ground divided by the velocity of travel, and the force opposes it. Longitudinal slip
(v - R w)/|v| is so positive when braking and negative when driving, as in the report, and its
force is negative when braking; lateral slip is the slip angle alpha [rad].

Source: report section 5.5.2. Its printing errors, put right here: D = Fz (b1 + b2 Fz) has b1 and
b2 exchanged (its own number, 19.0569, is b2 Fz with Fz in kN), BCD = b3 Fz^2 + b4 Fz exp(-b5 Fz)
lacks a bracket about the sum.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import pure

SHAPE = 1.45
"""Shape factor C of a wheel 0.045 m wide with a radius of 0.05 m, by the report's formula [-]."""

CURVATURE = 0.97
"""Curvature factor E of the report's lateral force [-]."""


class MagicFormula(NamedTuple):
    """Coefficients of one direction, independent of the load.

    stiffness_factor: B [1/rad, or 1 for longitudinal slip]; shape: C [-];
    friction: D/Fz [-]; curvature: E [-].
    """

    stiffness_factor: float
    shape: float
    friction: float
    curvature: float

    def stiffness(self, load: float) -> float:
        """Slope B C D at zero slip [N/rad or N] under a load [N]."""
        return self.stiffness_factor * self.shape * self.friction * load


class LoadCoefficients(NamedTuple):
    """The b of the report's formulas and its horizontal shift H; loads in kN, forces in N.

    D = Fz (b1 Fz + b2); BCD = (b3 Fz^2 + b4 Fz) exp(-b5 Fz);
    E = (b6 Fz^2 + b7 Fz + b8)(1 - b13 sign(slip + H)).
    """

    b1: float
    b2: float
    b3: float
    b4: float
    b5: float
    b6: float
    b7: float
    b8: float
    b13: float
    H: float = 0.0


LONGITUDINAL = MagicFormula(3.0, SHAPE, 1.39, 0.52)
"""Report's table: D = 19.0569 N at its load of 13.71 N."""

LATERAL = MagicFormula(10.0, SHAPE, 0.1, CURVATURE)
"""Report's table: D = 1.371 N at its load of 13.71 N."""

LONGITUDINAL_LOAD = LoadCoefficients(
    0.0, 1390.0, 0.0, 3.0 * SHAPE * 1390.0, 0.0, 0.0, 0.0, 0.52, 0.0)
"""Report's b2 = 1390 and no load influence; b4 is what gives its B."""

LATERAL_LOAD = LoadCoefficients(
    0.0, 100.0, 0.0, 10.0 * SHAPE * 100.0, 0.0, 0.0, 0.0, CURVATURE, 0.0)
"""Report's b2 = 100 and no load influence; b4 is what gives its B."""

SURFACES: dict[str, MagicFormula] = {
    'dry': MagicFormula(10.0, 1.9, 1.0, 0.97),
    'wet': MagicFormula(12.0, 2.3, 0.82, 1.0),
    'snow': MagicFormula(5.0, 2.0, 0.3, 1.0),
    'ice': MagicFormula(4.0, 2.0, 0.1, 1.0),
}
"""Road surfaces for both directions, from the history of the report's code."""


def computed(
    width: float, radius: float, load: float, coefficients: LoadCoefficients,
    slip_sign: float = 1.0,
) -> MagicFormula:
    """Coefficients of a wheel from its geometry and load, as the report computes them.

    width, radius [m] and load [N] positive; slip_sign: +1 or -1, the side that E is for.
    """
    kilo = 1e-3 * load
    b = coefficients
    shape = (width + 2.0 * radius) / (2.0 * radius)
    peak = kilo * (b.b1 * kilo + b.b2)
    slope = (b.b3 * kilo * kilo + b.b4 * kilo) * math.exp(-b.b5 * kilo)
    curvature = (b.b6 * kilo * kilo + b.b7 * kilo + b.b8) * (1.0 - b.b13 * slip_sign)
    return MagicFormula(slope / (shape * peak), shape, peak / load, curvature)


@pure
def side_curvature(curvature: float, asymmetry: float, shift: float, slip: float) -> float:
    """Curvature E (1 - asymmetry sign(slip + shift)) [-]; at 0 that of a positive slip."""
    return curvature * (1.0 - (asymmetry if slip + shift >= 0.0 else -asymmetry))


@pure
def magic_formula(
    slip: float, stiffness_factor: float, shape: float, peak: float, curvature: float,
) -> float:
    """D sin(C atan(B s - E (B s - atan(B s)))), with the sign of the slip [N].

    slip s [-] or [rad]; stiffness_factor B; shape C; peak D [N]; curvature E.
    """
    scaled = stiffness_factor * slip
    return peak * math.sin(
        shape * math.atan(scaled - curvature * (scaled - math.atan(scaled))))


@pure
def lateral_force(
    slip_angle: float, cornering_stiffness: float, friction: float, load: float,
    shape: float = SHAPE, curvature: float = CURVATURE,
) -> float:
    """Lateral force [N] of a tyre or axle, D = mu Fz and B = stiffness/(C D).

    slip_angle [rad], any; cornering_stiffness > 0 [N/rad]; friction mu [-]; load Fz [N];
    shape C [-]; curvature E [-].
    """
    peak = friction * load
    if peak <= 0.0:
        return 0.0
    return -magic_formula(
        slip_angle, cornering_stiffness / (shape * peak), shape, peak, curvature)


@pure
def longitudinal_force(
    slip: float, slip_stiffness: float, friction: float, load: float,
    shape: float, curvature: float,
) -> float:
    """Longitudinal force [N]; arguments as those of lateral_force, slip [-]."""
    peak = friction * load
    if peak <= 0.0:
        return 0.0
    return -magic_formula(slip, slip_stiffness / (shape * peak), shape, peak, curvature)
