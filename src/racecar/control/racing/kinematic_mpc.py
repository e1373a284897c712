# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nonlinear model predictive control without tyres: the kinematic bicycle along the line.

State n, xi, v, delta, s: lateral and heading error of the rear axle, speed, steering angle, way
along the line. Inputs: acceleration a and the rate w of the steering angle. With curvature k(s)
and speed V(s) of the line, wheelbase L:

    s' = v cos xi/(1 - n k)   n' = v sin xi   xi' = v tan(delta)/L - k s'   v' = a   delta' = w

Cost of a step: Qn n^2 + Qd (v xi)^2 + Qv (v - V)^2 + Ra a^2 + Rw w^2; solver: gauss_newton. Where
wheels are commanded (a slip_feed_forward of 1) the speed has a v m/Cx and T a added, by which
wheels must be faster and the speed controller lags. Sources: Kong, Pfeiffer, Schildbach, Borrelli,
"Kinematic and dynamic vehicle models for autonomous driving control design", IV 2015; path
coordinates: Micaelli and Samson, INRIA report 2097, 1993.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine
from racecar.base.types import CarMotion
from racecar.control.progress import Path, PROGRESS
from racecar.control.racelines.line_numbers import course_at
from racecar.control.racing.gauss_newton import (
    advance,
    bounds,
    cost,
    expand,
    Horizon,
    input_count,
    is_known,
    Memory,
    MOST_STEPS,
    places,
    plan_size,
    rates,
    shift_plan,
    slopes,
    solve,
    state_count,
    within,
)
from racecar.control.racing.settings import check_count, check_not_negative, check_positive
from racecar.control.racing.speed import speed_parameters
from racecar.dynamics.vehicles.design import GRAVITY
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.planar import DRIVE_TIME_CONSTANT

STATES, INPUTS = 5, 2
# Least of 1 - n k.
_NEAR_CENTRE = 0.2


class Weights(NamedTuple):
    """Weights of the cost, see the top; last: factor of those of the state at the end."""

    lateral: float
    drift: float
    speed: float
    acceleration: float
    steering_rate: float
    last: float


class KinematicCar(NamedTuple):
    """most: acceleration either way [m/s^2]; rate: of w; interval: in which stops are reached."""

    wheelbase: float
    most: float
    rate: float
    least_angle: float
    most_angle: float
    interval: float
    weights: Weights


@state_count.register(KinematicCar)
def _state_count(car: KinematicCar) -> int:
    return STATES


@input_count.register(KinematicCar)
def _input_count(car: KinematicCar) -> int:
    return INPUTS


@rates.register(KinematicCar)
def _rates(car: KinematicCar, memory: Memory, x: int, u: int, to: int) -> None:
    numbers = memory.numbers
    n, xi, v, delta, s = (
        numbers[x], numbers[x + 1], numbers[x + 2], numbers[x + 3], numbers[x + 4])
    sine, cosine = sine_cosine(xi)
    turn, ahead = sine_cosine(delta)
    curvature = course_at(numbers, memory.line, s).curvature
    way = v * cosine / max(1.0 - n * curvature, _NEAR_CENTRE)
    numbers[to] = v * sine
    numbers[to + 1] = v * turn / (ahead * car.wheelbase) - curvature * way
    numbers[to + 2] = numbers[u]
    numbers[to + 3] = numbers[u + 1]
    numbers[to + 4] = way


@slopes.register(KinematicCar)
def _slopes(
    car: KinematicCar, memory: Memory, x: int, u: int, by_x: int, by_u: int,
) -> None:
    numbers = memory.numbers
    n, xi, v, delta, s = (
        numbers[x], numbers[x + 1], numbers[x + 2], numbers[x + 3], numbers[x + 4])
    sine, cosine = sine_cosine(xi)
    turn, ahead = sine_cosine(delta)
    course = course_at(numbers, memory.line, s)
    curvature, change = course.curvature, course.curvature_slope
    for i in range(STATES * STATES):
        numbers[by_x + i] = 0.0
    for i in range(STATES * INPUTS):
        numbers[by_u + i] = 0.0
    room = 1.0 - n * curvature
    wide = 1.0 if room > _NEAR_CENTRE else 0.0
    room = max(room, _NEAR_CENTRE)
    way = v * cosine / room
    way_n, way_xi, way_v = wide * way * curvature / room, -v * sine / room, cosine / room
    way_s = wide * way * n * change / room
    numbers[by_x + 1], numbers[by_x + 2] = v * cosine, sine
    row = by_x + STATES
    numbers[row], numbers[row + 1] = -curvature * way_n, -curvature * way_xi
    numbers[row + 2] = turn / (ahead * car.wheelbase) - curvature * way_v
    numbers[row + 3] = v / (ahead * ahead * car.wheelbase)
    numbers[row + 4] = -curvature * way_s - change * way
    row = by_x + 4 * STATES
    numbers[row], numbers[row + 1], numbers[row + 2] = way_n, way_xi, way_v
    numbers[row + 4] = way_s
    numbers[by_u + 2 * INPUTS] = 1.0
    numbers[by_u + 3 * INPUTS + 1] = 1.0


@cost.register(KinematicCar)
def _cost(car: KinematicCar, memory: Memory, x: int, u: int) -> float:
    w, numbers = car.weights, memory.numbers
    n, v = numbers[x], numbers[x + 2]
    drift, fast = v * numbers[x + 1], v - course_at(numbers, memory.line, numbers[x + 4]).speed
    found = w.lateral * n * n + w.drift * drift * drift + w.speed * fast * fast
    if u < 0:
        return w.last * found
    pull, rate = numbers[u], numbers[u + 1]
    return found + w.acceleration * pull * pull + w.steering_rate * rate * rate


@expand.register(KinematicCar)
def _expand(
    car: KinematicCar, memory: Memory, x: int, u: int, gradient: int, hessian: int,
) -> None:
    w, numbers = car.weights, memory.numbers
    factor = 2.0 * (w.last if u < 0 else 1.0)
    xi, v = numbers[x + 1], numbers[x + 2]
    course = course_at(numbers, memory.line, numbers[x + 4])
    fast = v - course.speed
    for i in range(STATES * STATES):
        numbers[hessian + i] = 0.0
    for i in range(STATES + INPUTS):
        numbers[gradient + i] = 0.0
    d, k = factor * w.drift, factor * w.speed
    numbers[gradient] = factor * w.lateral * numbers[x]
    numbers[gradient + 1] = d * v * xi * v
    numbers[gradient + 2] = d * v * xi * xi + k * fast
    numbers[gradient + 4] = -k * fast * course.speed_slope
    numbers[hessian] = factor * w.lateral
    numbers[hessian + STATES + 1] = d * v * v
    numbers[hessian + STATES + 2] = numbers[hessian + 2 * STATES + 1] = d * v * xi
    numbers[hessian + 2 * STATES + 2] = d * xi * xi + k
    numbers[hessian + 2 * STATES + 4] = -k * course.speed_slope
    numbers[hessian + 4 * STATES + 2] = -k * course.speed_slope
    numbers[hessian + 4 * STATES + 4] = k * course.speed_slope * course.speed_slope
    if u >= 0:
        numbers[gradient + STATES] = 2.0 * w.acceleration * numbers[u]
        numbers[gradient + STATES + 1] = 2.0 * w.steering_rate * numbers[u + 1]
        numbers[hessian + STATES * STATES] = 2.0 * w.acceleration
        numbers[hessian + STATES * STATES + 1] = 2.0 * w.steering_rate


@bounds.register(KinematicCar)
def _bounds(car: KinematicCar, memory: Memory, x: int, low: int, high: int) -> None:
    numbers, angle = memory.numbers, memory.numbers[x + 3]
    numbers[low], numbers[high] = -car.most, car.most
    numbers[low + 1] = within((car.least_angle - angle) / car.interval, -car.rate, car.rate)
    numbers[high + 1] = within((car.most_angle - angle) / car.interval, -car.rate, car.rate)


class State(NamedTuple):
    """steering: angle where the plan begins [rad]; planned: 1 once there is a plan."""

    steering: float
    planned: float


class Parameters(NamedTuple):
    """As those of dynamic_mpc; slip_lag: share m/Cx [s/(m/s)] and lag: share T [s]."""

    car: KinematicCar
    horizon: Horizon
    delay: float
    period: float
    slip_lag: float
    lag: float


@pure
def step(
    state: State, parameters: Parameters, car: CarMotion, path: Path, dt: float,
) -> tuple[State, float, float]:
    """Next state, speed [m/s] and steering angle [rad]."""
    if not is_known(path, car):
        return state, math.nan, math.nan
    p, numbers = parameters, path.numbers
    at = places(STATES, INPUTS, int(p.horizon.steps), path.memory)
    memory = Memory(numbers, path.first, at.work)
    period = dt if dt > 0.0 else p.period
    x = at.tried_states
    numbers[x], numbers[x + 1], numbers[x + 2] = path.lateral_error, path.heading_error, car.vx
    numbers[x + 3], numbers[x + 4] = state.steering, path.s
    if state.planned > 0.0:
        shift_plan(p.car, numbers, at, p.horizon, dt)
    if p.delay > 0.0:
        advance(p.car, memory, x, at.inputs, x, p.delay)
    solve(p.car, memory, at, p.horizon)
    pull, turning = numbers[at.inputs], numbers[at.inputs + 1]
    angle = numbers[at.states + 3]
    speed = numbers[at.states + 2] + pull * period
    after = State(min(max(angle + turning * period, p.car.least_angle), p.car.most_angle), 1.0)
    return (after, speed + pull * (p.slip_lag * max(speed, 0.0) + p.lag),
            0.5 * (angle + after.steering))


class KinematicPredictive:
    """See the top of the file."""

    follows = PROGRESS
    step = staticmethod(step)

    def __init__(
        self, vehicle: VehicleParameters, *, lateral_weight: float = 100.0,
        drift_weight: float = 1.0, speed_weight: float = 1.0, acceleration_weight: float = 0.01,
        steering_rate_weight: float = 0.01, last_weight: float = 5.0,
        steering_rate: float = 3.2, steps: int = 40, interval: float = 0.025,
        iterations: int = 3, delay: float = 0.0, period: float = 0.01,
        slip_feed_forward: float = 0.0, speed_lag: float = DRIVE_TIME_CONSTANT,
        rate: float = 0.0, latency: float = 0.0,
    ) -> None:
        """Take a vehicle, weights of the cost and what else is above.

        Weights of lateral error [1/m^2], of its rate and of the speed [s^2/m^2], of acceleration
        [s^4/m^2], of steering rate [s^2/rad^2], and the factor of the last state. The rest as of
        dynamic_mpc. Raises ParameterError for values out of range.
        """
        check_positive(lateral_weight=lateral_weight, acceleration_weight=acceleration_weight,
                       steering_rate_weight=steering_rate_weight, steering_rate=steering_rate,
                       interval=interval, period=period)
        check_not_negative(drift_weight=drift_weight, speed_weight=speed_weight,
                           last_weight=last_weight, delay=delay, speed_lag=speed_lag)
        check_count(MOST_STEPS, steps=steps, iterations=iterations)
        self.rate, self.latency = rate, latency
        self.point_ahead = -vehicle.cog_to_rear_axle - vehicle.odometry_offset
        self.memory = np.zeros(plan_size(STATES, INPUTS, steps))
        self.state = State(0.0, 0.0)
        weights = Weights(*map(float, (
            lateral_weight, drift_weight, speed_weight, acceleration_weight,
            steering_rate_weight, last_weight)))
        friction = min(vehicle.frictions) * GRAVITY
        low, high = vehicle.steering_range
        self.parameters = Parameters(
            KinematicCar(
                vehicle.wheelbase, min(vehicle.drive_force_limit / vehicle.mass, friction),
                float(steering_rate), low, high, float(interval), weights),
            Horizon(float(steps), float(interval), float(iterations)), float(delay),
            1.0 / rate if rate > 0.0 else float(period),
            speed_parameters(vehicle, 0.0, 0.0, slip_feed_forward).slip_lag,
            slip_feed_forward * speed_lag)
