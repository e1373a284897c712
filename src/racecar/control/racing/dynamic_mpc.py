# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nonlinear model predictive control with the tyres: the dynamic single track along the line.

At each answer the plan of the last one, taken so much later, is improved by a few Gauss-Newton
steps on a horizon of equal intervals; the model with its cost is line_dynamics, the solver
gauss_newton. The state to plan from is that after `delay`, by the plan. The steering angle is that
of the plan in the middle of the time until the next answer; the speed is that at its end, v, or,
where wheels are commanded (a slip_feed_forward of 1),

    v_w + T a,  v_w = v/(1 - q) when driving, v (1 + q) when braking

for the slip q and the acceleration a of the plan, and the time constant T of the speed controller.
Source: Liniger, Domahidi, Morari, "Optimization-based autonomous racing of 1:43 scale RC cars",
OCAM 2015, of predictive control of race cars with tyre forces.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import pure
from racecar.base.types import CarMotion
from racecar.control.progress import Path, PROGRESS
from racecar.control.racing.gauss_newton import (
    advance,
    Horizon,
    is_known,
    Memory,
    MOST_STEPS,
    places,
    plan_size,
    shift,
    solve,
)
from racecar.control.racing.line_dynamics import (
    body_rates,
    BodyState,
    dynamic_car,
    DynamicCar,
    INPUTS,
    STATES,
    Weights,
)
from racecar.control.racing.settings import check_count, check_not_negative, check_positive
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.planar import DRIVE_TIME_CONSTANT

# Speed from which wheels slip by a share of it [m/s].
_ROLLING = 0.5


class State(NamedTuple):
    """steering: angle where the plan begins [rad]; planned: 1 once there is a plan."""

    steering: float
    planned: float


class Parameters(NamedTuple):
    """to_cog: from base_link to the centre of gravity, forwards [m]; delay [s].

    period: until the next answer where none has been yet [s]; slip: share of the slip that is
    fed forward; lag: T [s].
    """

    car: DynamicCar
    horizon: Horizon
    to_cog: float
    delay: float
    period: float
    slip: float
    lag: float


@pure
def begin(
    parameters: Parameters, memory: Memory, car: CarMotion, path: Path, x: int, steering: float,
) -> None:
    """Write the state of a car with a steering angle [rad] to x."""
    numbers, r = memory.numbers, car.yaw_rate
    numbers[x], numbers[x + 1] = path.lateral_error, path.heading_error
    numbers[x + 2], numbers[x + 3] = car.vx, car.vy + parameters.to_cog * r
    numbers[x + 4], numbers[x + 5], numbers[x + 6] = r, steering, path.s


@pure
def answer(
    parameters: Parameters, memory: Memory, x: int, u: int, period: float,
) -> tuple[State, float, float]:
    """Next state and command of a plan whose first state and input are at x and u.

    The state has vx, vy, r and delta from its third number on, the input begins with q and w.
    period: until the next answer [s].
    """
    p, numbers = parameters, memory.numbers
    vx, angle, slip, turning = numbers[x + 2], numbers[x + 5], numbers[u], numbers[u + 1]
    acceleration = body_rates(
        p.car, BodyState(vx, numbers[x + 3], numbers[x + 4], angle), slip)[0]
    speed = vx + acceleration * period
    travel = max(speed, _ROLLING)
    creep = travel * (slip / (1.0 - slip) if slip > 0.0 else slip) + p.lag * acceleration
    after = State(min(max(angle + turning * period, p.car.least_angle), p.car.most_angle), 1.0)
    return after, speed + p.slip * creep, 0.5 * (angle + after.steering)


@pure
def step(
    state: State, parameters: Parameters, car: CarMotion, path: Path, dt: float,
) -> tuple[State, float, float]:
    """Next state, speed [m/s] and steering angle [rad]."""
    if not is_known(path, car):
        return state, math.nan, math.nan
    p = parameters
    at = places(STATES, INPUTS, int(p.horizon.steps), path.memory)
    memory = Memory(path.numbers, path.first, at.work)
    period = dt if dt > 0.0 else p.period
    begin(p, memory, car, path, at.states, state.steering)
    if state.planned > 0.0:
        shift(path.numbers, at.inputs, INPUTS, p.horizon, dt)
    if p.delay > 0.0:
        advance(p.car, memory, at.states, at.inputs, at.states, p.delay)
    solve(p.car, memory, at, p.horizon)
    return answer(p, memory, at.states, at.inputs, period)


def plan_parameters(
    vehicle: VehicleParameters, weights: Weights, *, steering_rate: float, steps: int,
    interval: float, iterations: int, delay: float, period: float, rate: float,
    slip_feed_forward: float, speed_lag: float,
) -> Parameters:
    """Parameters of the settings that DynamicPredictive describes.

    Raises ParameterError for values out of range, but those of weights.
    """
    check_positive(interval=interval, steering_rate=steering_rate, period=period)
    check_not_negative(delay=delay, speed_lag=speed_lag, slip_feed_forward=slip_feed_forward)
    check_count(MOST_STEPS, steps=steps, iterations=iterations)
    return Parameters(
        dynamic_car(vehicle, weights, interval, steering_rate),
        Horizon(float(steps), float(interval), float(iterations)), -vehicle.odometry_offset,
        float(delay), 1.0 / rate if rate > 0.0 else float(period), float(slip_feed_forward),
        float(speed_lag))


class DynamicPredictive:
    """See the top of the file."""

    follows = PROGRESS
    step = staticmethod(step)

    def __init__(
        self, vehicle: VehicleParameters, *, lateral_weight: float = 100.0,
        drift_weight: float = 1.0, speed_weight: float = 1.0, slip_weight: float = 1.0,
        steering_rate_weight: float = 0.01, last_weight: float = 5.0,
        steering_rate: float = 3.2, steps: int = 40, interval: float = 0.025,
        iterations: int = 3, delay: float = 0.0, period: float = 0.01,
        slip_feed_forward: float = 0.0, speed_lag: float = DRIVE_TIME_CONSTANT,
        rate: float = 0.0, latency: float = 0.0,
    ) -> None:
        """Take a vehicle, weights of the cost and what else is above.

        Weights of lateral error [1/m^2], of its rate and of the speed [s^2/m^2], of slip, of
        steering rate [s^2/rad^2], and the factor of the last state. steering_rate: largest
        [rad/s]; steps of an interval [s]; iterations: at most; delay: of actuators and latency
        [s]; speed_lag: T [s]; rate: of answers [Hz], 0 for each odometry; period: of the first
        [s]; latency: until one acts [s]. Raises ParameterError for values out of range.
        """
        check_positive(lateral_weight=lateral_weight, slip_weight=slip_weight,
                       steering_rate_weight=steering_rate_weight)
        check_not_negative(drift_weight=drift_weight, speed_weight=speed_weight,
                           last_weight=last_weight)
        self.rate, self.latency = rate, latency
        weights = Weights(*map(float, (
            lateral_weight, drift_weight, speed_weight, slip_weight, steering_rate_weight,
            last_weight)))
        self.parameters = plan_parameters(
            vehicle, weights, steering_rate=steering_rate, steps=steps, interval=interval,
            iterations=iterations, delay=delay, period=period, rate=rate,
            slip_feed_forward=slip_feed_forward, speed_lag=speed_lag)
        self.memory = np.zeros(plan_size(STATES, INPUTS, steps))
        self.state = State(0.0, 0.0)
        self.point_ahead = self.parameters.to_cog
