# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tyre forces as expressions of CasADi: equations of racecar.dynamics.tyres, for the least time.

Of linear tyres (without longitudinal slip), Fiala's and Pacejka's; both sides of a tyre are alike
here, and none has a slip limit.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from racecar.dynamics.vehicles.tyre_sets import TyreDirection, TyreSet

Expression: TypeAlias = Any
"""Of CasADi, which has no types."""

CasADi: TypeAlias = Any
"""Its module."""

# Square of a scaled slip that does not count.
_NO_SLIP = 1e-12


def lateral_force(
    casadi: CasADi, tyres: TyreSet, tyre: TyreDirection, loads: tuple[Expression, float],
    angle: Expression, grip: float,
) -> Expression:
    """Lateral force of an axle without longitudinal slip [N].

    loads: present and static [N]; angle: of the slip [rad]; grip: share of the friction.
    """
    load, static = loads
    stiffness = tyre.stiffness * (load / static if tyres.model.stiffness_by_load else 1.0)
    peak = grip * tyre.friction * load
    if tyres.model.name == 'linear':
        return -stiffness * angle
    if tyres.model.name == 'fiala':
        ratio = casadi.fmin(casadi.fmax(
            stiffness * casadi.tan(angle) / (3.0 * peak), -1.0), 1.0)
        return -peak * ratio * (3.0 - 3.0 * casadi.fabs(ratio) + ratio**2)
    return -peak * _magic(casadi, tyre, stiffness / (tyre.shape * peak) * angle)


def combined_forces(
    casadi: CasADi, tyres: TyreSet, directions: tuple[TyreDirection, TyreDirection],
    loads: tuple[Expression, float], slips: tuple[Expression, Expression], grip: float,
) -> tuple[Expression, Expression]:
    """Longitudinal and lateral force of a wheel [N], by the similarity method of combined_slip.

    directions: along and across, of the axle; loads: of the wheel, present and static [N]; slips:
    longitudinal, positive when braking, and tangent of the slip angle [-].
    """
    ca, (load, static) = casadi, loads
    by_load = load / static if tyres.model.stiffness_by_load else 1.0
    (stiffness_x, stiffness_y), (peak_x, peak_y) = (
        [0.5 * tyre.stiffness * by_load for tyre in directions],
        [grip * tyre.friction * load for tyre in directions])
    along, across = stiffness_x * slips[0] / peak_x, stiffness_y * slips[1] / peak_y
    length = ca.sqrt(along**2 + across**2 + _NO_SLIP)
    if tyres.model.name == 'fiala':
        third = length / 3.0
        share = ca.if_else(third < 1.0, 1.0 - third + third**2 / 3.0, 1.0 / length)
        return -stiffness_x * slips[0] * share, -stiffness_y * slips[1] * share
    x, y = directions
    angle = ca.atan(length * peak_y / stiffness_y)
    return (-peak_x * along / length * _magic(ca, x, length / x.shape),
            -peak_y * across / length * _magic(
                ca, y, stiffness_y / (y.shape * peak_y) * angle))


def _magic(casadi: CasADi, tyre: TyreDirection, scaled: Expression) -> Expression:
    """Force over the largest one, of stiffness times slip over shape factor times that."""
    return casadi.sin(tyre.shape * casadi.atan(
        scaled - tyre.curvature * (scaled - casadi.atan(scaled))))
