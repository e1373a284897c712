# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nonlinear model predictive control with the tyres: the dynamic single track along the line.

At each answer the plan of the last one, taken so much later and driven by its gains from where the
car now is, is improved by a few Gauss-Newton steps on a horizon of equal intervals; the model with
its cost is line_dynamics, the solver gauss_newton. What is commanded takes effect after `delay`,
and the plan begins there: the model is driven that far by the inputs that are under way, which are
remembered. So the inputs that a plan
begins with are those in force a delay later, of the steering by itself and of the speed because
its command waits so long. The steering angle is that in the middle of the time until the next
answer; the speed is that at its end, v, or, where wheels are commanded (slip_feed_forward),

    V = v_w + T a(q),  v_w = v/(1 - q) when driving, v (1 + q) when braking

for the slip q, the acceleration a that it gives on a straight line, and the time constant T of the
speed controller. A car that takes speeds with a lag, U' = (c - U)/L, gets the command c that
brings U to V in that time h:

    c = U + (V - U)/(1 - exp(-h/L))

U follows from the commands that were given; and from U and the speed of the car its slip now.
Sources: Liniger, Domahidi, Morari, "Optimization-based autonomous racing of 1:43 scale RC cars",
OCAM 2015, of predictive control of race cars with tyre forces; prediction over a dead time by the
commands under way: Smith, "Closer control of loops with dead time", Chemical Engineering Progress
53, 1957.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import pure, subroutine
from racecar.base.errors import ParameterError
from racecar.base.rows import Numbers
from racecar.base.types import CarMotion
from racecar.base.vectors import Flat
from racecar.control.progress import Path, PROGRESS
from racecar.control.racing.gauss_newton import (
    advance,
    Horizon,
    is_known,
    Memory,
    MOST_STEPS,
    Places,
    places,
    plan_size,
    shift_plan,
    solve,
    within,
)
from racecar.control.racing.line_dynamics import (
    body_rates,
    BodyState,
    dynamic_car,
    DynamicCar,
    INPUTS,
    SLIP,
    STATES,
    straight_acceleration,
    Weights,
)
from racecar.control.racing.settings import check_count, check_not_negative, check_positive
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.planar import DRIVE_TIME_CONSTANT

ROLLING = 0.5
"""Speed from which wheels slip by a share of it [m/s]."""

RECORDS = 64
"""Answers whose inputs are remembered: a delay is of at most so many less two."""

# Of a record: inputs of a plan, of which there are up to three, and steering angle and slip after
# them.
_RECORD, _ANGLE, _SLIP = 5, 3, 4
RECORD_NUMBERS = RECORDS * _RECORD
"""Numbers of the memory behind the plan."""

# Newton steps for the slip of a wheel speed.
_NEWTON_STEPS = 4


class State(NamedTuple):
    """command: last speed [m/s]; drive: U before it [m/s]; answers: so far."""

    command: float
    drive: float
    answers: float


class Parameters(NamedTuple):
    """to_cog: from base_link to the centre of gravity, forwards [m]; delay [s].

    period: until the next answer where none has been yet [s]; slip: share of the slip that is
    fed forward; lag: T, command_lag: L [s]; fastest: largest command [m/s].
    """

    car: DynamicCar
    horizon: Horizon
    to_cog: float
    delay: float
    period: float
    slip: float
    lag: float
    command_lag: float
    fastest: float


@pure
def begin(
    parameters: Parameters, memory: Memory, car: CarMotion, path: Path, x: int, steering: float,
) -> None:
    """Write the state of a car with a steering angle [rad] to x, but its slip."""
    numbers, r = memory.numbers, car.yaw_rate
    numbers[x], numbers[x + 1] = path.lateral_error, path.heading_error
    numbers[x + 2], numbers[x + 3] = car.vx, car.vy + parameters.to_cog * r
    numbers[x + 4], numbers[x + 5], numbers[x + 6] = r, steering, path.s


@pure
def commanded_speed(parameters: Parameters, vx: float, slip: float) -> tuple[float, float]:
    """V of a forward velocity [m/s] and a slip, and its derivative by the slip."""
    p = parameters
    acceleration, jerk = straight_acceleration(p.car, slip)
    travel = max(vx, ROLLING)
    rest = 1.0 / (1.0 - max(slip, 0.0))
    return (vx + p.slip * (travel * slip * rest + p.lag * acceleration),
            p.slip * (travel * rest * rest + p.lag * jerk))


@pure
def slip_at(parameters: Parameters, vx: float, drive: float, guess: float) -> float:
    """Slip of a car with a forward velocity whose U is `drive` [m/s]; of no wheels: the guess."""
    p, slip = parameters, guess
    if p.slip > 0.0:
        for _ in range(_NEWTON_STEPS):
            found, slope = commanded_speed(p, vx, slip)
            slip = within(slip + (drive - found) / slope, -p.car.braking, p.car.driving)
    return slip


class Present(NamedTuple):
    """State of the drive now: U [m/s], slip, steering angle [rad]; body: of the car.

    first: number of the answer whose inputs come into force; waiting: how many answers are under
    way; period: until the next one [s].
    """

    drive: float
    slip: float
    body: BodyState
    first: int
    waiting: int
    period: float


@pure
def record_of(records: int, number: int) -> int:
    """Where the record of an answer lies; that of one before the first has zeros."""
    return records + _RECORD * (number % RECORDS)


@pure
def present(
    state: State, parameters: Parameters, car: CarMotion, numbers: Flat, records: int, dt: float,
) -> Present:
    """State of the drive at an answer, so long after the last one [s], 0 at the first."""
    p = parameters
    period = dt if dt > 0.0 else p.period
    waiting = min(int(p.delay / period + 0.5), RECORDS - 2)
    first = int(state.answers) - waiting
    before = record_of(records, first - 1)
    drive = car.vx
    if state.answers > 0.0:
        drive = state.drive + share_taken(p, dt) * (state.command - state.drive)
    angle, slip = numbers[before + _ANGLE], numbers[before + _SLIP]
    return Present(
        drive, slip_at(p, car.vx, drive, slip) if state.answers > 0.0 else 0.0,
        BodyState(car.vx, car.vy + p.to_cog * car.yaw_rate, car.yaw_rate, angle),
        first, waiting, period)


@pure
def share_taken(parameters: Parameters, dt: float) -> float:
    """Share of the way to a command that U goes in a time [s]."""
    lag = parameters.command_lag
    return 1.0 - math.exp(-dt / lag) if lag > 0.0 else 1.0


@subroutine
def predict_waiting(
    model: Numbers, car: DynamicCar, now: Present, memory: Memory, at: Places, slip: int,
) -> None:
    """Drive the first tried state by the inputs that are under way; slip: where its slip is."""
    numbers, x = memory.numbers, at.tried_states
    for k in range(now.waiting):
        advance(model, memory, x, record_of(at.end, now.first + k), x, now.period)
        numbers[slip] = within(numbers[slip], -car.braking, car.driving)


@pure
def answer(
    parameters: Parameters, state: State, now: Present, memory: Memory, at: Places, slip: int,
) -> tuple[State, float, float]:
    """Next state and command of a plan, whose inputs are remembered.

    slip: where that of the first state is, which has delta at its sixth place.
    """
    p, numbers, period = parameters, memory.numbers, now.period
    # With nothing under way its inputs are those in force.
    new = record_of(at.end, int(state.answers))
    angle, turning = numbers[at.states + 5], numbers[at.inputs + 1]
    after = within(angle + turning * period, p.car.least_angle, p.car.most_angle)
    for i in range(_ANGLE):
        numbers[new + i] = numbers[at.inputs + i]
    numbers[new + _ANGLE] = after
    numbers[new + _SLIP] = within(
        numbers[slip] + period * numbers[at.inputs], -p.car.braking, p.car.driving)
    vx = now.body.vx + period * body_rates(p.car, now.body, now.slip)[0]
    speed = commanded_speed(p, vx, within(
        now.slip + period * numbers[record_of(at.end, now.first)],
        -p.car.braking, p.car.driving))[0]
    command = within(now.drive + (speed - now.drive) / share_taken(p, period), 0.0, p.fastest)
    return State(command, now.drive, state.answers + 1.0), command, 0.5 * (angle + after)


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
    now = present(state, p, car, path.numbers, at.end, dt)
    if state.answers > 0.0:
        shift_plan(p.car, path.numbers, at, p.horizon, dt)
    begin(p, memory, car, path, at.tried_states, now.body.steering)
    path.numbers[at.tried_states + SLIP] = now.slip
    predict_waiting(p.car, p.car, now, memory, at, at.tried_states + SLIP)
    solve(p.car, memory, at, p.horizon)
    return answer(p, state, now, memory, at, at.states + SLIP)


def plan_parameters(
    vehicle: VehicleParameters, weights: Weights, *, steering_rate: float, slip_rate: float,
    steps: int, interval: float, iterations: int, delay: float, period: float, rate: float,
    slip_feed_forward: float, speed_lag: float, command_lag: float,
) -> Parameters:
    """Parameters of the settings that DynamicPredictive describes.

    Raises ParameterError for values out of range, but those of weights.
    """
    check_positive(interval=interval, steering_rate=steering_rate, slip_rate=slip_rate,
                   period=period)
    check_not_negative(delay=delay, speed_lag=speed_lag, command_lag=command_lag,
                       slip_feed_forward=slip_feed_forward)
    check_count(MOST_STEPS, steps=steps, iterations=iterations)
    between = 1.0 / rate if rate > 0.0 else float(period)
    if delay > (RECORDS - 2) * between:
        raise ParameterError(
            f'delay is {delay:g} s, expected at most {RECORDS - 2} answers,'
            f' {(RECORDS - 2) * between:g} s')
    return Parameters(
        dynamic_car(vehicle, weights, interval, steering_rate, slip_rate),
        Horizon(float(steps), float(interval), float(iterations)), -vehicle.odometry_offset,
        float(delay), between, float(slip_feed_forward), float(speed_lag), float(command_lag),
        float(vehicle.speed_max))


class DynamicPredictive:
    """See the top of the file."""

    follows = PROGRESS
    step = staticmethod(step)

    def __init__(
        self, vehicle: VehicleParameters, *, lateral_weight: float = 100.0,
        drift_weight: float = 1.0, speed_weight: float = 1.0, slip_weight: float = 1.0,
        slip_rate_weight: float = 0.01, steering_rate_weight: float = 0.01,
        sideslip_weight: float = 0.0, last_weight: float = 5.0, slip_rate: float = 10.0,
        steering_rate: float = 3.2, steps: int = 40, interval: float = 0.025, iterations: int = 2,
        delay: float = 0.0,
        period: float = 0.01, slip_feed_forward: float = 0.0,
        speed_lag: float = DRIVE_TIME_CONSTANT, command_lag: float = 0.0, rate: float = 0.0,
        latency: float = 0.0,
    ) -> None:
        """Take a vehicle, weights of the cost and what else is above.

        Weights of lateral error [1/m^2], of its rate and of the speed [s^2/m^2], of slip, of its
        rate [s^2], of steering rate [s^2/rad^2], of the lateral velocity of the rear axle
        [s^2/m^2], and the factor of the last state. slip_rate
        [1/s], steering_rate [rad/s]: the largest; steps of an interval [s]; iterations: at most;
        delay: of the steering, with latency [s]; speed_lag: T, command_lag: L [s]; rate: of
        answers [Hz], 0 for each odometry; period: of the first [s]; latency: until one acts [s].
        Raises ParameterError for values out of range.
        """
        check_positive(lateral_weight=lateral_weight, slip_weight=slip_weight,
                       slip_rate_weight=slip_rate_weight,
                       steering_rate_weight=steering_rate_weight)
        check_not_negative(drift_weight=drift_weight, speed_weight=speed_weight,
                           sideslip_weight=sideslip_weight, last_weight=last_weight)
        self.rate, self.latency = rate, latency
        weights = Weights(*map(float, (
            lateral_weight, drift_weight, speed_weight, slip_weight, steering_rate_weight,
            last_weight, slip_rate_weight, sideslip_weight)))
        self.parameters = plan_parameters(
            vehicle, weights, steering_rate=steering_rate, slip_rate=slip_rate, steps=steps,
            interval=interval, iterations=iterations, delay=delay, period=period, rate=rate,
            slip_feed_forward=slip_feed_forward, speed_lag=speed_lag, command_lag=command_lag)
        self.memory = np.zeros(plan_size(STATES, INPUTS, steps) + RECORD_NUMBERS)
        self.state = State(0.0, 0.0, 0.0)
        self.predicts = self.parameters.delay
        self.point_ahead = self.parameters.to_cog
