# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hits of rigid bodies in the plane: impulses with restitution and Coulomb friction.

An impulse J n at a point p changes the motion of a body of mass m and inertia I by J n / m and
(r x n) J / I, r from its centre of gravity to p. Along the normal the bodies part with the
restitution times the speed with which they came; then friction slows the sliding, by at most the
coefficient times the normal impulse; if that lets them approach again, a last normal impulse ends
it. Each of these impulses acts against the motion along its own direction and at most reverses it,
so that each, for itself, leaves the energy the same or less; Newton's restitution together with
friction in one formula may not (Kane and Levinson, Dynamics, 1985; Stronge, Rigid body collisions
with friction, 1990).
"""

from __future__ import annotations

from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.touch import Touch


class Body(NamedTuple):
    """A body that moves in the plane [SI].

    x, y: centre of gravity; cosine, sine: of the heading; vx, vy: velocity in the axes of the
    body; yaw_rate. per_along, per_across, per_inertia: 1 over mass and inertia, 0 along what
    cannot move. A body that can only move one way has those 0 and in their place the velocity
    (way_x, way_y, way_turn) that belongs to speed 1, and per_effort: 1 over the mass that resists.
    """

    x: float
    y: float
    cosine: float
    sine: float
    vx: float
    vy: float
    yaw_rate: float
    per_along: float
    per_across: float
    per_inertia: float
    way_x: float = 0.0
    way_y: float = 0.0
    way_turn: float = 0.0
    per_effort: float = 0.0


class Surface(NamedTuple):
    """Speed along the normal after a hit over that before, 0 to 1; coefficient of friction."""

    restitution: float
    friction: float


class Hit(NamedTuple):
    """Both bodies after a hit, and the sum of the impulses along the normal [N s]."""

    first: Body
    second: Body
    impulse: float


FIXED = Body(*(0.0,) * 10)
"""What cannot be moved."""


class _Arm(NamedTuple):
    """A unit direction in the axes of a body, and the moment of a unit force along it [m]."""

    dx: float
    dy: float
    moment: float


@pure
def _arm(body: Body, x: float, y: float, dx: float, dy: float) -> _Arm:
    moment = (x - body.x) * dy - (y - body.y) * dx
    return _Arm(dx * body.cosine + dy * body.sine, dy * body.cosine - dx * body.sine, moment)


@pure
def _speed(body: Body, arm: _Arm) -> float:
    return body.vx * arm.dx + body.vy * arm.dy + body.yaw_rate * arm.moment


@pure
def _along_way(body: Body, arm: _Arm) -> float:
    return body.way_x * arm.dx + body.way_y * arm.dy + body.way_turn * arm.moment


@pure
def _mobility(body: Body, arm: _Arm) -> float:
    """Speed along a direction that an impulse of 1 N s along it gives [1/kg]."""
    way = _along_way(body, arm)
    return (body.per_along * arm.dx * arm.dx + body.per_across * arm.dy * arm.dy
            + body.per_inertia * arm.moment * arm.moment + body.per_effort * way * way)


@pure
def _pushed(body: Body, arm: _Arm, impulse: float) -> Body:
    way = impulse * body.per_effort * _along_way(body, arm)
    return Body(
        body.x, body.y, body.cosine, body.sine,
        body.vx + (impulse * body.per_along * arm.dx + way * body.way_x),
        body.vy + (impulse * body.per_across * arm.dy + way * body.way_y),
        body.yaw_rate + (impulse * body.per_inertia * arm.moment + way * body.way_turn),
        body.per_along, body.per_across, body.per_inertia, body.way_x, body.way_y, body.way_turn,
        body.per_effort)


@pure
def _balanced(change: float, mobility: float) -> float:
    """Impulse that changes the speed between bodies; 0 where none of both can move."""
    return change / mobility if mobility > 0.0 else 0.0


@pure
def collide(first: Body, second: Body, touch: Touch, surface: Surface) -> Hit:
    """Both bodies after they have met; as they are if they do not approach each other."""
    x, y, nx, ny, _ = touch
    one, other = _arm(first, x, y, nx, ny), _arm(second, x, y, nx, ny)
    normal = _mobility(first, one) + _mobility(second, other)
    speed = _speed(second, other) - _speed(first, one)
    if speed >= 0.0 or normal == 0.0:
        return Hit(first, second, 0.0)
    impulse = -(1.0 + surface.restitution) * speed / normal
    first, second = _pushed(first, one, -impulse), _pushed(second, other, impulse)
    # The tangent is the normal turned to the left.
    one_side, other_side = _arm(first, x, y, -ny, nx), _arm(second, x, y, -ny, nx)
    sideways = _balanced(
        _speed(first, one_side) - _speed(second, other_side),
        _mobility(first, one_side) + _mobility(second, other_side))
    most = surface.friction * impulse
    sideways = min(max(sideways, -most), most)
    first, second = _pushed(first, one_side, -sideways), _pushed(second, other_side, sideways)
    again = max(_speed(first, one) - _speed(second, other), 0.0) / normal
    return Hit(_pushed(first, one, -again), _pushed(second, other, again), impulse + again)


@pure
def kinetic_energy(body: Body, mass: float, yaw_inertia: float) -> float:
    """Kinetic energy of a body [J]."""
    return 0.5 * (mass * (body.vx * body.vx + body.vy * body.vy)
                  + yaw_inertia * body.yaw_rate * body.yaw_rate)
