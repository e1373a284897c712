# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A wheel on the ground: where it touches, its load, and the tyre force of its own slip.

The ground is the plane z = 0. The wheel touches it at the lowest point P of its middle circle, R
below the centre if it stands upright. P sinks in by d, and the ground answers as spring and
damper, never pulling: Fz = max(0, k (d + d0) + c d'), with d0 what a soft tyre has given already
when P is just on the ground: 0 for a hard one.

Slip. With x the direction in which the wheel points on the ground, y to its left, (sx, sy) the
velocity of the wheel's material at P, u the velocity of the centre along x, and R w = u - sx, the
tyre's deflection (ex, ey) follows

    ex' = sx - |V| ex/l      ey' = sy - |V| ey/l      |V| = max(|u|, |R w|)

with the relaxation length l, and the tyre sees slip ex/l and tan(alpha) = ey/l, each with T e'/l
added: a damper with T = min(T0, l/(2 |V|)), which never overshoots. Held slip gives sx/|V| and
sy/|V|, as in the double track. At rest the deflection is a spring: the car stands still on a
slope, without 1/|V| and without creep.

A deflection that the friction could not hold is let go of: with n the combined slip over its
limit (see tyres.contact), n is kept within REST_LIMIT + LIMIT_PER_SPEED * speed, so that a car
that slid does not spring back when it comes to rest.

Source: Pacejka, Tire and Vehicle Dynamics, chapters 7 and 8 (first-order contact, low speed).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.dynamics.tyres.contact import TINY

REST_LIMIT = 1.0
"""Combined slip over its limit that a tyre keeps when it comes to rest [-]."""

LIMIT_PER_SPEED = 100.0
"""How much more it keeps for each m/s of its speed [s/m]."""

STEEPEST_AXLE = 0.9
"""Vertical part of the direction of the axle from which a wheel lies on its side [-]."""


class Ground(NamedTuple):
    """What a wheel stands on: stiffness [N/m] and damping [N s/m] of one wheel's contact.

    given: d0 [m].
    """

    stiffness: float
    damping: float
    given: float = 0.0


class Carcass(NamedTuple):
    """How a tyre deflects.

    length: relaxation length l [m]; damping_x, damping_y: T0 [s]; limit_x, limit_y: n for a slip
    of 1, or tan(alpha) of 1, under the static load [-]; radius: R [m].
    """

    length: float
    damping_x: float
    damping_y: float
    limit_x: float
    limit_y: float
    radius: float


class Vector3(NamedTuple):
    """Three numbers in the frame of the world."""

    x: float
    y: float
    z: float


class Touch(NamedTuple):
    """Where and how a wheel touches the ground.

    point: P [m]; heading: x and y of the wheel's x axis on the ground; load [N]; slip_x, slip_y:
    sx, sy; travel: u [m/s].
    """

    point: Vector3
    heading_x: float
    heading_y: float
    load: float
    slip_x: float
    slip_y: float
    travel: float


class TyreState(NamedTuple):
    """Deflection ex, ey [m], and the slip and tangent that the tyre sees [-]."""

    ex: float
    ey: float
    slip: float
    tangent: float


@pure
def _velocity_at(
    linear: Vector3, angular: Vector3, x: float, y: float, z: float,
) -> Vector3:
    """Velocity at an offset from where the linear one is [m/s]."""
    return Vector3(
        linear.x + angular.y * z - angular.z * y, linear.y + angular.z * x - angular.x * z,
        linear.z + angular.x * y - angular.y * x)


@pure
def touch(
    centre: Vector3, axle: Vector3, linear: Vector3, angular: Vector3, radius: float,
    ground: Ground,
) -> Touch:
    """How a wheel touches the ground; without load if it does not.

    centre [m]; axle: unit vector to the left; linear [m/s], angular [rad/s]: velocity of the
    wheel, its rotation included, at the centre.
    """
    flat = math.sqrt(axle.x * axle.x + axle.y * axle.y)
    if flat * flat < 1.0 - STEEPEST_AXLE * STEEPEST_AXLE:
        return Touch(centre, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    # Down within the plane of the wheel: -z without its part along the axle.
    lean = radius / flat
    x, y = axle.z * axle.x * lean, axle.z * axle.y * lean
    z = -radius * flat
    point = Vector3(centre.x + x, centre.y + y, centre.z + z)
    depth = point.z - ground.given
    if depth >= 0.0:
        return Touch(point, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    heading_x, heading_y = axle.y / flat, -axle.x / flat
    at = _velocity_at(linear, angular, x, y, z)
    return Touch(
        point, heading_x, heading_y,
        max(0.0, -ground.stiffness * depth - ground.damping * at.z),
        at.x * heading_x + at.y * heading_y, at.y * heading_x - at.x * heading_y,
        linear.x * heading_x + linear.y * heading_y)


@pure
def deflect(ex: float, ey: float, t: Touch, carcass: Carcass, dt: float) -> TyreState:
    """Deflection dt [s] later, of a wheel that stays in touch."""
    speed = max(abs(t.travel), abs(t.travel - t.slip_x))
    rate = speed / carcass.length
    # Implicit, so that any rate is stable; held slip comes out exactly.
    share = 1.0 / (1.0 + rate * dt)
    along, across = (ex + t.slip_x * dt) * share, (ey + t.slip_y * dt) * share
    # Taken before what is let go of, which is no movement.
    longest = 0.5 / max(rate, TINY)
    slip = (along + min(carcass.damping_x, longest) * (along - ex) / dt) / carcass.length
    tangent = (across + min(carcass.damping_y, longest) * (across - ey) / dt) / carcass.length
    n_x = carcass.limit_x * along / carcass.length
    n_y = carcass.limit_y * across / carcass.length
    sliding = math.sqrt(t.slip_x * t.slip_x + t.slip_y * t.slip_y)
    limit = REST_LIMIT + LIMIT_PER_SPEED * max(speed, sliding)
    kept = min(1.0, limit / max(math.sqrt(n_x * n_x + n_y * n_y), TINY))
    return TyreState(along * kept, across * kept, slip, tangent)
