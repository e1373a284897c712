# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fiala brush tyre, with and without saturation.

Source: Fiala 1954 in the form of Pacejka, Tire and Vehicle Dynamics, brush model with parabolic
pressure: with z = tan(alpha) and z_sl = 3 mu Fz / C the force is
C z (-1 + |z|/z_sl - z^2/(3 z_sl^2)); at z_sl it reaches mu Fz with zero slope.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.columns import each
from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine
from racecar.dynamics.tyres.lateral import axle_force, LateralSlip, of_angle, of_tangent

_HALF_PI = 0.5 * math.pi
_SLIP_ANGLE_LIMIT = 1.4
TANGENT_LIMIT = math.tan(_SLIP_ANGLE_LIMIT)


class FialaTyre(NamedTuple):
    """Brush tyres of an axle: C/(3 mu Fz) [-], one over the tangent at full sliding; mu Fz [N]."""

    tangent_scale: float
    force_scale: float


class UnsaturatedTyre(NamedTuple):
    """The same without saturation; limit: of the scaled tangent [-]."""

    tangent_scale: float
    force_scale: float
    limit: float


@pure
def tangent_scale(stiffness: float, friction: float, load: float) -> float:
    """C/(3 mu Fz) [-], one over the tangent at full sliding; 0 for a tyre without load."""
    force = 3.0 * friction * load
    return stiffness / force if force > 0.0 else 0.0


@pure
def _brush(stiffness: float, friction: float, load: float) -> FialaTyre:
    return FialaTyre(tangent_scale(stiffness, friction, load), friction * load)


@pure
def _unsaturated(stiffness: float, friction: float, load: float) -> UnsaturatedTyre:
    tyre = _brush(stiffness, friction, load)
    return UnsaturatedTyre(
        tyre.tangent_scale, tyre.force_scale, TANGENT_LIMIT * tyre.tangent_scale)


def fiala_tyre(slip: LateralSlip) -> FialaTyre:
    """Brush tyres of an axle."""
    return FialaTyre(each(tangent_scale, slip.stiffness, slip.friction, slip.load),
                     slip.friction * slip.load)


def unsaturated_tyre(slip: LateralSlip) -> UnsaturatedTyre:
    """Brush tyres of an axle without saturation."""
    tyre = fiala_tyre(slip)
    return UnsaturatedTyre(
        tyre.tangent_scale, tyre.force_scale, TANGENT_LIMIT * tyre.tangent_scale)


@of_tangent.register(FialaTyre)
def _of_tangent(tyre: FialaTyre, tangent: float) -> float:
    # The cubic is t (|t| (3 - |t|) - 3), which is -sign(t) to the bit for |t| = 1.
    bounded = min(max(tangent, -1.0), 1.0)
    ratio = abs(bounded)
    return bounded * (ratio * (3.0 - ratio) - 3.0)


@of_tangent.register(UnsaturatedTyre)
def _of_tangent_unsaturated(tyre: UnsaturatedTyre, tangent: float) -> float:
    # From |t| = 2 on in a straight line.
    bounded = min(max(tangent, -tyre.limit), tyre.limit)
    ratio = abs(bounded)
    cubic = bounded * (ratio * (3.0 - ratio) - 3.0)
    beyond = (4.0 if bounded > 0.0 else -4.0) - 3.0 * bounded
    return beyond if ratio > 2.0 else cubic


@of_angle.register(FialaTyre)
def _of_angle(tyre: FialaTyre, slip_angle: float) -> float:
    sine, cosine = sine_cosine(slip_angle)
    share = _of_tangent(tyre, sine / cosine * tyre.tangent_scale)
    sliding = -1.0 if slip_angle > 0.0 else 1.0
    # Beyond a right angle the tangent changes its sign; the force must not.
    return share if abs(slip_angle) < _HALF_PI else sliding


@of_angle.register(UnsaturatedTyre)
def _of_angle_unsaturated(tyre: UnsaturatedTyre, slip_angle: float) -> float:
    sine, cosine = sine_cosine(min(max(slip_angle, -_SLIP_ANGLE_LIMIT), _SLIP_ANGLE_LIMIT))
    return _of_tangent_unsaturated(tyre, sine / cosine * tyre.tangent_scale)


@pure
def lateral_force(
    slip_angle: float, cornering_stiffness: float, friction: float, load: float,
    shape: float = 0.0, curvature: float = 0.0,
) -> float:
    """Lateral force [N] of a tyre or axle: the cubic, mu Fz beyond full sliding.

    slip_angle [rad], any; cornering_stiffness C > 0 [N/rad]; friction mu [-]; load Fz [N]; shape
    and curvature have no effect.
    Source: report section 5.4, tyre model 1.
    """
    return axle_force(_brush(cornering_stiffness, friction, load), slip_angle)


@pure
def lateral_force_unsaturated(
    slip_angle: float, cornering_stiffness: float, friction: float, load: float,
    shape: float = 0.0, curvature: float = 0.0,
) -> float:
    """Lateral force [N] of the cubic past full sliding: the report's comparison model.

    From twice full sliding on, at 2 mu Fz, it goes on in a straight line of slope C, the cubic's
    slope there and at zero: so a step that suits small slip suits all. slip_angle [rad], held at
    +-1.4 beyond; cornering_stiffness C > 0 [N/rad];
    friction mu > 0 [-]; load Fz > 0 [N]. Source: report section 5.4, tyre model 2.
    """
    return axle_force(_unsaturated(cornering_stiffness, friction, load), slip_angle)


@pure
def longitudinal_force(
    slip: float, slip_stiffness: float, friction: float, load: float, shape: float,
    curvature: float,
) -> float:
    """Longitudinal force [N]: the same brush, z = slip [-], slip_stiffness C [N]."""
    return lateral_force(math.atan(slip), slip_stiffness, friction, load)


@pure
def longitudinal_force_unsaturated(
    slip: float, slip_stiffness: float, friction: float, load: float, shape: float,
    curvature: float,
) -> float:
    """Longitudinal force [N] of the cubic past full sliding, as the lateral one."""
    return lateral_force_unsaturated(math.atan(slip), slip_stiffness, friction, load)
