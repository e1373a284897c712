# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fiala brush tyre, with and without saturation.

Source: Fiala 1954 in the form of Pacejka, Tire and Vehicle Dynamics, brush model with parabolic
pressure: with z = tan(alpha) and z_sl = 3 mu Fz / C the force is
C z (-1 + |z|/z_sl - z^2/(3 z_sl^2)); at z_sl it reaches mu Fz with zero slope.
"""

from __future__ import annotations

import math

from racecar.core.compiled import njit

_HALF_PI = 0.5 * math.pi
_STEEPEST = 1.4


@njit
def lateral_force(
    slip_angle: float, cornering_stiffness: float, friction: float, load: float,
    shape: float = 0.0, curvature: float = 0.0,
) -> float:
    """Return the lateral force [N] of a tyre or axle: the cubic, mu Fz beyond full sliding.

    slip_angle [rad], any; cornering_stiffness C > 0 [N/rad]; friction mu [-]; load Fz [N]; shape
    and curvature have no effect.
    Source: report section 5.4, tyre model 1.
    """
    z = math.tan(slip_angle)
    z_sliding = 3.0 * friction * load / cornering_stiffness
    # Beyond a right angle tan() changes its sign; the force must not.
    if abs(z) >= z_sliding or abs(slip_angle) >= _HALF_PI:
        return -math.copysign(friction * load, slip_angle)
    ratio = abs(z) / z_sliding
    return cornering_stiffness * z * (-1.0 + ratio - ratio * ratio / 3.0)


@njit
def lateral_force_unsaturated(
    slip_angle: float, cornering_stiffness: float, friction: float, load: float,
    shape: float = 0.0, curvature: float = 0.0,
) -> float:
    """Return the lateral force [N] of the cubic past full sliding: the report's comparison model.

    From twice full sliding on, at 2 mu Fz, it goes on in a straight line of slope C, the cubic's
    slope there and at zero: so a step that suits small slip suits all. slip_angle [rad], held at
    +-1.4 beyond; cornering_stiffness C > 0 [N/rad];
    friction mu > 0 [-]; load Fz > 0 [N]. Source: report section 5.4, tyre model 2.
    """
    z = math.tan(min(max(slip_angle, -_STEEPEST), _STEEPEST))
    z_sliding = 3.0 * friction * load / cornering_stiffness
    ratio = abs(z) / z_sliding
    if ratio > 2.0:
        return cornering_stiffness * (4.0 / 3.0 * math.copysign(z_sliding, z) - z)
    return cornering_stiffness * z * (-1.0 + ratio - ratio * ratio / 3.0)


@njit
def longitudinal_force(
    slip: float, slip_stiffness: float, friction: float, load: float, shape: float,
    curvature: float,
) -> float:
    """Return the longitudinal force [N]: the same brush, z = slip [-], slip_stiffness C [N]."""
    return lateral_force(math.atan(slip), slip_stiffness, friction, load)


@njit
def longitudinal_force_unsaturated(
    slip: float, slip_stiffness: float, friction: float, load: float, shape: float,
    curvature: float,
) -> float:
    """Return the longitudinal force [N] of the cubic past full sliding, as the lateral one."""
    return lateral_force_unsaturated(math.atan(slip), slip_stiffness, friction, load)
