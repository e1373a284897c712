# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fiala brush tyre, with and without saturation.

Source: Fiala 1954 in the form of Pacejka, Tire and Vehicle Dynamics, brush model with parabolic
pressure: with z = tan(alpha) and z_sl = 3 mu Fz / C the force is
C z (-1 + |z|/z_sl - z^2/(3 z_sl^2)); at z_sl it reaches mu Fz with zero slope.
"""

from __future__ import annotations

import math

from racecar.core.compiled import inlined, njit
from racecar.core.elementary import sine_cosine

_HALF_PI = 0.5 * math.pi

@inlined
def inverse_sliding_tangent(cornering_stiffness: float, friction: float, load: float) -> float:
    """Return C/(3 mu Fz) [-], one over the tangent at full sliding; 0 for a tyre without load."""
    force = 3.0 * friction * load
    return cornering_stiffness / force if force > 0.0 else 0.0


@inlined
def tangent_force(
    tangent: float, cornering_stiffness: float, friction: float, load: float, per_sliding: float,
) -> float:
    """Return lateral_force() [N] of the slip angle within a right angle that has a tangent [-].

    per_sliding: inverse_sliding_tangent() [-]; others as there. The cubic is written in
    t = z/z_sl as mu Fz t (|t| (3 - |t|) - 3), which is -mu Fz sign(t) to the bit for |t| = 1.
    """
    t = min(max(tangent * per_sliding, -1.0), 1.0)
    ratio = abs(t)
    return friction * load * (t * (ratio * (3.0 - ratio) - 3.0))


@inlined
def tangent_force_unsaturated(
    tangent: float, cornering_stiffness: float, friction: float, load: float, per_sliding: float,
) -> float:
    """Return lateral_force_unsaturated() [N], arguments and form as in tangent_force()."""
    t = tangent * per_sliding
    ratio = abs(t)
    return friction * load * (t * (ratio * (3.0 - ratio) - 3.0))


@inlined
def angle_force(
    slip_angle: float, cornering_stiffness: float, friction: float, load: float,
    per_sliding: float,
) -> float:
    """Return lateral_force() [N] of a slip angle [rad]; per_sliding as in tangent_force()."""
    sine, cosine = sine_cosine(slip_angle)
    force = tangent_force(sine / cosine, cornering_stiffness, friction, load, per_sliding)
    limit = friction * load
    sliding = -limit if slip_angle > 0.0 else limit
    # Beyond a right angle the tangent changes its sign; the force must not.
    return force if abs(slip_angle) < _HALF_PI else sliding


@inlined
def angle_force_unsaturated(
    slip_angle: float, cornering_stiffness: float, friction: float, load: float,
    per_sliding: float,
) -> float:
    """Return lateral_force_unsaturated() [N]; per_sliding as in tangent_force()."""
    sine, cosine = sine_cosine(slip_angle)
    return tangent_force_unsaturated(
        sine / cosine, cornering_stiffness, friction, load, per_sliding)


@njit
def lateral_force(
    slip_angle: float, cornering_stiffness: float, friction: float, load: float,
) -> float:
    """Return the lateral force [N] of a tyre or axle: the cubic, mu Fz beyond full sliding.

    slip_angle [rad], any; cornering_stiffness C > 0 [N/rad]; friction mu [-]; load Fz [N].
    Source: report section 5.4, tyre model 1.
    """
    return angle_force(
        slip_angle, cornering_stiffness, friction, load,
        inverse_sliding_tangent(cornering_stiffness, friction, load))


@njit
def lateral_force_unsaturated(
    slip_angle: float, cornering_stiffness: float, friction: float, load: float,
) -> float:
    """Return the lateral force [N] of the cubic at every slip: the report's comparison model.

    It grows without bound past full sliding, so a fixed step that suits small slip can diverge
    there. slip_angle within a right angle [rad]; cornering_stiffness C > 0 [N/rad];
    friction mu > 0 [-]; load Fz > 0 [N]. Source: report section 5.4, tyre model 2.
    """
    return angle_force_unsaturated(
        slip_angle, cornering_stiffness, friction, load,
        inverse_sliding_tangent(cornering_stiffness, friction, load))
