# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steps of the model of line_dynamics by one evaluation of its tyres, for plans by the thousand.

Velocities by the linearly implicit midpoint rule

    (1 - h/2 J) k = F(v),  v <- v + h k

with the derivatives J of the rates F, those of lateral velocity and yaw rate coupled, those of vx
on either side of them. It is of second order and damps what tyres damp at any h. Along the line
goes the mean of the velocities before and after. Source: Hairer and Wanner, Solving Ordinary
Differential Equations II, section IV.7.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine
from racecar.base.vectors import Flat
from racecar.control.racing.line_dynamics import (
    axle_force,
    BodyState,
    DynamicCar,
    LineState,
    NEAR_CENTRE,
    straight_acceleration,
)

# Accelerations between these are within 1e-3 m/s^2.
_ENTRIES = 257


class Held(NamedTuple):
    """What is held over a step: curvature of the line [1/m], slip [-], turning [rad/s].

    acceleration: that the slip gives along a straight line [m/s^2].
    """

    curvature: float
    slip: float
    acceleration: float
    turning: float


def acceleration_table(car: DynamicCar) -> NDArray[np.float64]:
    """Accelerations [m/s^2] of slips along a straight line, (_ENTRIES,), at equal distances."""
    return np.array([straight_acceleration(car, float(slip))[0]
                     for slip in np.linspace(-car.braking, car.driving, _ENTRIES)])


@pure
def acceleration_at(car: DynamicCar, numbers: Flat, table: int, slip: float) -> float:
    """Acceleration [m/s^2] of a slip within its bounds, by the table."""
    place = (slip + car.braking) * ((_ENTRIES - 1) / (car.braking + car.driving))
    cell = min(int(place), _ENTRIES - 2)
    below = numbers[table + cell]
    return below + (place - cell) * (numbers[table + cell + 1] - below)


class Rates(NamedTuple):
    """Rates of vx, vy and yaw rate r, and their derivatives, first by which, then by whom."""

    vx: float
    vy: float
    r: float
    vx_vx: float
    vx_vy: float
    vx_r: float
    vy_vx: float
    vy_vy: float
    vy_r: float
    r_vx: float
    r_vy: float
    r_r: float


@pure
def _rates_of(car: DynamicCar, body: BodyState, held: Held) -> Rates:
    """Rates under what is held."""
    vx, vy, r, steering = body
    slip, acceleration = held.slip, held.acceleration
    a, b, lighter, easier = car.to_front, car.to_rear, 1.0 / car.mass, 1.0 / car.inertia
    turn, ahead = sine_cosine(steering)
    spin = 1.0 - max(slip, 0.0)
    side = vy + a * r
    forward = vx * ahead + side * turn
    front_often, rear_often = 1.0 / max(forward, car.slowest), 1.0 / max(vx, car.slowest)
    front, rear = (side * ahead - vx * turn) * front_often, (vy - b * r) * rear_often
    f = axle_force(car.front, slip, spin * front, acceleration, 0.0)
    g = axle_force(car.rear, slip, spin * rear, acceleration, 0.0)
    # Derivatives of the forces by the lateral velocities of the axles, and by vx.
    moved = front if forward > car.slowest else 0.0
    front_slope, rear_slope = spin * (ahead - moved * turn) * front_often, spin * rear_often
    front_vx = -spin * (turn + moved * ahead) * front_often
    rear_vx = -rear_slope * rear if vx > car.slowest else 0.0
    along = f.x_tangent * ahead - f.y_tangent * turn
    across = f.x_tangent * turn + f.y_tangent * ahead
    front_x, front_y = along * front_slope, across * front_slope
    rear_x, rear_y = g.x_tangent * rear_slope, g.y_tangent * rear_slope
    pushed = f.x * turn + f.y * ahead
    return Rates(
        (f.x * ahead - f.y * turn + g.x) * lighter + vy * r - car.drag * vx * abs(vx)
        - car.rolling,
        (pushed + g.y) * lighter - vx * r,
        (a * pushed - b * g.y) * easier,
        (along * front_vx + g.x_tangent * rear_vx) * lighter - 2.0 * car.drag * abs(vx),
        (front_x + rear_x) * lighter + r,
        (a * front_x - b * rear_x) * lighter + vy,
        (across * front_vx + g.y_tangent * rear_vx) * lighter - r,
        (front_y + rear_y) * lighter,
        (a * front_y - b * rear_y) * lighter - vx,
        (a * across * front_vx - b * g.y_tangent * rear_vx) * easier,
        (a * front_y - b * rear_y) * easier,
        (a * a * front_y + b * b * rear_y) * easier)


@pure
def velocities_after(
    car: DynamicCar, body: BodyState, held: Held, h: float,
) -> tuple[float, float, float]:
    """Velocities [m/s] and yaw rate [rad/s] after a step; body.steering: in the middle of it."""
    half, rates = 0.5 * h, _rates_of(car, body, held)
    side, turn = rates.vy + half * rates.vy_vx * rates.vx, rates.r + half * rates.r_vx * rates.vx
    a, b, c, d = (1.0 - half * rates.vy_vy, -half * rates.vy_r,
                  -half * rates.r_vy, 1.0 - half * rates.r_r)
    once = 1.0 / (a * d - b * c)
    vy, r = once * (d * side - b * turn), once * (a * turn - c * side)
    vx = rates.vx + half * (rates.vx_vx * rates.vx + rates.vx_vy * vy + rates.vx_r * r)
    return body.vx + h * vx, body.vy + h * vy, body.yaw_rate + h * r


@pure
def state_after(
    car: DynamicCar, x: LineState, held: Held, h: float,
) -> LineState:
    """State after a step of h [s] with what is held over it."""
    half, curvature, turning = 0.5 * h, held.curvature, held.turning
    vx, vy, r = velocities_after(
        car, BodyState(x.vx, x.vy, x.yaw_rate, x.steering + half * turning), held, h)
    mean_x, mean_y, mean_r = 0.5 * (x.vx + vx), 0.5 * (x.vy + vy), 0.5 * (x.yaw_rate + r)
    sine, cosine = sine_cosine(x.xi + half * (mean_r - curvature * mean_x))
    n = x.n + half * (mean_x * sine + mean_y * cosine)
    way = (mean_x * cosine - mean_y * sine) / max(1.0 - n * curvature, NEAR_CENTRE)
    return LineState(
        x.n + h * (mean_x * sine + mean_y * cosine), x.xi + h * (mean_r - curvature * way),
        vx, vy, r, x.steering + h * turning, x.s + h * way)
