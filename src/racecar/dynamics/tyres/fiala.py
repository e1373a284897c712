# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fiala brush tyre, with and without saturation.

Source: Fiala 1954 in the form of Pacejka, Tire and Vehicle Dynamics, brush model with parabolic
pressure: with z = tan(alpha) and z_sl = 3 mu Fz / C the force is
C z (-1 + |z|/z_sl - z^2/(3 z_sl^2)); at z_sl it reaches mu Fz with zero slope.
"""

from __future__ import annotations

import math

from racecar.base.compiled import inlined, njit
from racecar.base.elementary import sine_cosine

_HALF_PI = 0.5 * math.pi
_SLIP_ANGLE_LIMIT = 1.4
TANGENT_LIMIT = math.tan(_SLIP_ANGLE_LIMIT)


@inlined
def tangent_scale(cornering_stiffness: float, friction: float, load: float) -> float:
    """Return C/(3 mu Fz) [-], one over the tangent at full sliding; 0 for a tyre without load."""
    force = 3.0 * friction * load
    return cornering_stiffness / force if force > 0.0 else 0.0


@inlined
def force_scale(cornering_stiffness: float, friction: float, load: float) -> float:
    """Return mu Fz [N]."""
    return friction * load


@inlined
def of_tangent(
    t: float, cornering_stiffness: float, friction: float, load: float, shape: float,
    curvature: float,
) -> float:
    """Return the force over mu Fz at the tangent of the slip over that at full sliding, t [-].

    The cubic is t (|t| (3 - |t|) - 3), which is -sign(t) to the bit for |t| = 1.
    """
    bounded = min(max(t, -1.0), 1.0)
    ratio = abs(bounded)
    return bounded * (ratio * (3.0 - ratio) - 3.0)


@inlined
def of_tangent_unsaturated(
    t: float, cornering_stiffness: float, friction: float, load: float, shape: float,
    curvature: float,
) -> float:
    """Return the force over mu Fz as of_tangent(), but from |t| = 2 on in a straight line."""
    limit = TANGENT_LIMIT * tangent_scale(cornering_stiffness, friction, load)
    bounded = min(max(t, -limit), limit)
    ratio = abs(bounded)
    cubic = bounded * (ratio * (3.0 - ratio) - 3.0)
    beyond = (4.0 if bounded > 0.0 else -4.0) - 3.0 * bounded
    return beyond if ratio > 2.0 else cubic


@inlined
def of_angle(
    slip_angle: float, scale: float, cornering_stiffness: float, friction: float,
    load: float, shape: float, curvature: float,
) -> float:
    """Return the force over mu Fz of a slip angle [rad]; scale: tangent_scale()."""
    sine, cosine = sine_cosine(slip_angle)
    share = of_tangent(
        sine / cosine * scale, cornering_stiffness, friction, load, shape, curvature)
    sliding = -1.0 if slip_angle > 0.0 else 1.0
    # Beyond a right angle the tangent changes its sign; the force must not.
    return share if abs(slip_angle) < _HALF_PI else sliding


@inlined
def of_angle_unsaturated(
    slip_angle: float, scale: float, cornering_stiffness: float, friction: float,
    load: float, shape: float, curvature: float,
) -> float:
    """Return the force over mu Fz as of_angle(), without saturation; slip held at +-1.4 rad."""
    sine, cosine = sine_cosine(min(max(slip_angle, -_SLIP_ANGLE_LIMIT), _SLIP_ANGLE_LIMIT))
    return of_tangent_unsaturated(
        sine / cosine * scale, cornering_stiffness, friction, load, shape, curvature)


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
    scale = tangent_scale(cornering_stiffness, friction, load)
    return friction * load * of_angle(
        slip_angle, scale, cornering_stiffness, friction, load, shape, curvature)


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
    scale = tangent_scale(cornering_stiffness, friction, load)
    return friction * load * of_angle_unsaturated(
        slip_angle, scale, cornering_stiffness, friction, load, shape, curvature)


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
