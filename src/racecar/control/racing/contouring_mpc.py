# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Model predictive contouring control (MPCC): progress along the line against the error from it.

State x, y, vx, vy, r, delta, theta, psi, q: place of the centre of gravity, velocity, yaw rate,
steering angle, progress along the line, heading, wheel slip. Inputs: rates b of the slip, w of the
steering angle, and p of the progress: theta' = p; the rest is the single track with tyres of
line_dynamics. With the place X, Y, heading f and speed V of the line at theta,

    contouring error  c = cos f (y - Y) - sin f (x - X)
    lag error         l = cos f (x - X) + sin f (y - Y)

the cost of a step is

    Qc c^2 + Ql l^2 + Qb over^2 + Qs side^2 - g p + Rq q^2 + Rb b^2 + Rw w^2

where `over` is by how much the car, with half its width and `margin`, is beyond a border of the
track; a line without widths has none. `side` is the lateral velocity of the rear axle: place and
progress alone let a car brake by drifting, until it spins. Bounds: of q by the tyres and the
drive, of b, of w and delta by the steering, 0 <= p <= V, or the largest speed of the car with
own_speed. Solver: gauss_newton. A car that stands drives off without it, see first_guess().

Source: Liniger, Domahidi, Morari, "Optimization-based autonomous racing of 1:43 scale RC cars",
Optimal Control Applications and Methods 36, 2015; borders as soft constraints, as there. A cost of
sideslip: Kabzan et al., "AMZ Driverless: The full autonomous racing system", Journal of Field
Robotics 37, 2020.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine
from racecar.base.types import CarMotion
from racecar.base.vectors import Flat
from racecar.control.progress import Path, PROGRESS
from racecar.control.racelines.line_numbers import Border, border_at
from racecar.control.racing import dynamic_mpc
from racecar.control.racing.gauss_newton import (
    bounds,
    cost,
    expand,
    Horizon,
    input_count,
    is_known,
    Memory,
    Places,
    places,
    plan_size,
    rates,
    shift_plan,
    slopes,
    solve,
    state_count,
    within,
)
from racecar.control.racing.line_dynamics import (
    add_sideslip,
    body_rates,
    BodyState,
    DynamicCar,
    Expansion,
    sideslip_cost,
    Slopes,
    straight_acceleration,
    Weights,
    write_body_slopes,
    write_bounds,
)
from racecar.control.racing.settings import check_not_negative, check_positive
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.planar import DRIVE_TIME_CONSTANT

STATES, INPUTS = 9, 3
# How a car that stands drives off: by this share of the largest slip, to the line so far ahead
# [m].
_OFF, _REACH = 0.2, 1.0
_VX, _VY, _TURN, _THETA, _PSI, _SLIP = 2, 3, 4, 6, 7, 8


class ContouringWeights(NamedTuple):
    """Qc, Ql [1/m^2], Qb [1/m^2], g [s/m] of the cost, see the top.

    Those of inputs and of sideslip, and the factor of the last state, are of the car.
    """

    contouring: float
    lag: float
    border: float
    progress: float


class ContouringCar(NamedTuple):
    """keep: from the border to the centre of gravity [m]; fastest: bound of p, 0 for that of V."""

    car: DynamicCar
    weights: ContouringWeights
    keep: float
    fastest: float


class Errors(NamedTuple):
    """Contouring and lag error and by how much they are beyond [m], and their derivatives.

    Those of the errors by x and y are sine and cosine of the heading; by theta: *_way.
    over_error: 1 beyond the left border, -1 beyond the right one, 0 between them.
    """

    contouring: float
    lag: float
    over: float
    sine: float
    cosine: float
    contouring_way: float
    lag_way: float
    over_error: float
    over_way: float


@pure
def errors_of(model: ContouringCar, border: Border, x: float, y: float) -> Errors:
    """Errors of a place from a point of the line."""
    sine, cosine = sine_cosine(border.heading)
    dx, dy = x - border.x, y - border.y
    contouring, lag = cosine * dy - sine * dx, cosine * dx + sine * dy
    left, right = contouring - border.left + model.keep, -contouring - border.right + model.keep
    over, side, change = 0.0, 0.0, 0.0
    if left > 0.0 and left >= right:
        over, side, change = left, 1.0, border.left_slope
    elif right > 0.0:
        over, side, change = right, -1.0, border.right_slope
    contouring_way = (sine * border.x_slope - cosine * border.y_slope
                      - border.heading_slope * lag)
    lag_way = (-cosine * border.x_slope - sine * border.y_slope
               + border.heading_slope * contouring)
    return Errors(contouring, lag, over, sine, cosine, contouring_way, lag_way, side,
                  side * contouring_way - change)


@state_count.register(ContouringCar)
def _state_count(model: ContouringCar) -> int:
    return STATES


@input_count.register(ContouringCar)
def _input_count(model: ContouringCar) -> int:
    return INPUTS


@pure
def _body_at(numbers: Flat, x: int) -> BodyState:
    return BodyState(numbers[x + 2], numbers[x + 3], numbers[x + 4], numbers[x + 5])


@rates.register(ContouringCar)
def _rates(model: ContouringCar, memory: Memory, x: int, u: int, to: int) -> None:
    numbers = memory.numbers
    body = _body_at(numbers, x)
    sine, cosine = sine_cosine(numbers[x + _PSI])
    vx_rate, vy_rate, r_rate = body_rates(model.car, body, numbers[x + _SLIP])
    numbers[to] = body.vx * cosine - body.vy * sine
    numbers[to + 1] = body.vx * sine + body.vy * cosine
    numbers[to + 2], numbers[to + 3], numbers[to + 4] = vx_rate, vy_rate, r_rate
    numbers[to + 5] = numbers[u + 1]
    numbers[to + _THETA] = numbers[u + 2]
    numbers[to + _PSI] = body.yaw_rate
    numbers[to + _SLIP] = numbers[u]


@slopes.register(ContouringCar)
def _slopes(
    model: ContouringCar, memory: Memory, x: int, u: int, by_x: int, by_u: int,
) -> None:
    numbers = memory.numbers
    for i in range(STATES * STATES):
        numbers[by_x + i] = 0.0
    for i in range(STATES * INPUTS):
        numbers[by_u + i] = 0.0
    body = _body_at(numbers, x)
    sine, cosine = sine_cosine(numbers[x + _PSI])
    numbers[by_x + _VX], numbers[by_x + _VX + 1] = cosine, -sine
    numbers[by_x + _PSI] = -body.vx * sine - body.vy * cosine
    row = by_x + STATES
    numbers[row + _VX], numbers[row + _VX + 1] = sine, cosine
    numbers[row + _PSI] = body.vx * cosine - body.vy * sine
    row = by_x + _VX * STATES
    write_body_slopes(
        model.car, body, numbers[x + _SLIP], numbers, Slopes(row + _VX, row + _SLIP, STATES))
    numbers[by_x + _PSI * STATES + 4] = 1.0
    numbers[by_u + 5 * INPUTS + 1] = 1.0
    numbers[by_u + _THETA * INPUTS + 2] = 1.0
    numbers[by_u + _SLIP * INPUTS] = 1.0


@cost.register(ContouringCar)
def _cost(model: ContouringCar, memory: Memory, x: int, u: int) -> float:
    numbers, w, of_inputs = memory.numbers, model.weights, model.car.weights
    e = errors_of(model, border_at(numbers, memory.line, numbers[x + _THETA]), numbers[x],
                  numbers[x + 1])
    found = (w.contouring * e.contouring * e.contouring + w.lag * e.lag * e.lag
             + w.border * e.over * e.over
             + sideslip_cost(model.car, numbers[x + _VY], numbers[x + _TURN])
             + of_inputs.slip * numbers[x + _SLIP] * numbers[x + _SLIP])
    if u < 0:
        return of_inputs.last * found
    slip_rate, rate = numbers[u], numbers[u + 1]
    return (found - w.progress * numbers[u + 2] + of_inputs.slip_rate * slip_rate * slip_rate
            + of_inputs.steering_rate * rate * rate)


@expand.register(ContouringCar)
def _expand(
    model: ContouringCar, memory: Memory, x: int, u: int, gradient: int, hessian: int,
) -> None:
    numbers, w, of_inputs = memory.numbers, model.weights, model.car.weights
    for i in range(STATES * STATES + INPUTS):
        numbers[hessian + i] = 0.0
    for i in range(STATES + INPUTS):
        numbers[gradient + i] = 0.0
    e = errors_of(model, border_at(numbers, memory.line, numbers[x + _THETA]), numbers[x],
                  numbers[x + 1])
    factor = 2.0 * (of_inputs.last if u < 0 else 1.0)
    _add_square(numbers, gradient, hessian, factor * w.contouring, (
        e.contouring, -e.sine, e.cosine, e.contouring_way))
    _add_square(numbers, gradient, hessian, factor * w.lag, (
        e.lag, e.cosine, e.sine, e.lag_way))
    if e.over > 0.0:
        _add_square(numbers, gradient, hessian, factor * w.border, (
            e.over, -e.over_error * e.sine, e.over_error * e.cosine, e.over_way))
    add_sideslip(model.car, numbers, Expansion(x, gradient, hessian, STATES), factor)
    numbers[gradient + _SLIP] = factor * of_inputs.slip * numbers[x + _SLIP]
    numbers[hessian + (STATES + 1) * _SLIP] = factor * of_inputs.slip
    if u >= 0:
        at, to = gradient + STATES, hessian + STATES * STATES
        numbers[at] = 2.0 * of_inputs.slip_rate * numbers[u]
        numbers[at + 1] = 2.0 * of_inputs.steering_rate * numbers[u + 1]
        numbers[at + 2] = -w.progress
        numbers[to], numbers[to + 1] = (
            2.0 * of_inputs.slip_rate, 2.0 * of_inputs.steering_rate)


@pure
def _add_square(
    numbers: Flat, gradient: int, hessian: int, weight: float,
    error: tuple[float, float, float, float],
) -> None:
    """Add weight/2 error^2; error: its value, and derivatives by x, y and theta."""
    for i in range(3):
        row = i if i < 2 else _THETA
        numbers[gradient + row] += weight * error[0] * error[i + 1]
        for j in range(3):
            column = j if j < 2 else _THETA
            numbers[hessian + STATES * row + column] += weight * (error[i + 1] * error[j + 1])


@bounds.register(ContouringCar)
def _bounds(model: ContouringCar, memory: Memory, x: int, low: int, high: int) -> None:
    numbers = memory.numbers
    write_bounds(model.car, numbers, x + 5, x + _SLIP, low, high)
    numbers[low + 2] = 0.0
    numbers[high + 2] = model.fastest if model.fastest > 0.0 else (
        border_at(numbers, memory.line, numbers[x + _THETA]).speed)


class Parameters(NamedTuple):
    """plan: as of dynamic_mpc; the rest as of ContouringCar, whose car is that of the plan."""

    plan: dynamic_mpc.Parameters
    weights: ContouringWeights
    keep: float
    fastest: float


@pure
def stands(memory: Memory, x: int) -> bool:
    """Whether a car at x is so slow that it drives off first, below ROLLING and the line.

    One that slides sideways is not.
    """
    numbers, speed = memory.numbers, min(dynamic_mpc.ROLLING, border_at(
        memory.numbers, memory.line, memory.numbers[x + _THETA]).speed)
    vx, vy = numbers[x + _VX], numbers[x + _VY]
    return vx * vx + vy * vy < speed * speed


@pure
def first_guess(
    car: DynamicCar, memory: Memory, at: Places, horizon: Horizon, x: int, waits: bool,
) -> None:
    """Write a plan for a car at x from which a search can start: as fast along the line as it is.

    waits: whether it stands. Then it drives off on the arc to a point of the line ahead, and no
    search is to change that: steering does nothing until the car moves, so that beside its line it
    is cheapest to stay or to drive off later, for ever.
    """
    numbers = memory.numbers
    for i in range(at.states, at.slope_x):
        if not x <= i < x + STATES:
            numbers[i] = 0.0
    vx, faster = max(numbers[x + _VX], 0.0), 0.0
    if waits:
        slip = _OFF * car.driving
        faster = straight_acceleration(car, slip)[0] * horizon.interval
        numbers[at.inputs] = slip / horizon.interval
        turn = _arc_to(car, memory, x) - numbers[x + 5]
        most = car.rate * horizon.interval
        for k in range(int(horizon.steps)):
            part = within(turn, -most, most)
            numbers[at.inputs + INPUTS * k + 1] = part / horizon.interval
            turn -= part
    for k in range(int(horizon.steps)):
        numbers[at.inputs + INPUTS * k + 2] = vx + faster * k


@pure
def _arc_to(car: DynamicCar, memory: Memory, x: int) -> float:
    """Steering angle [rad] of the arc from a state to the line _REACH ahead."""
    numbers, (sine, cosine) = memory.numbers, sine_cosine(memory.numbers[x + _PSI])
    point = border_at(numbers, memory.line, numbers[x + _THETA] + _REACH)
    dx, dy = point.x - numbers[x], point.y - numbers[x + 1]
    aside = cosine * dy - sine * dx
    return within(2.0 * (car.to_front + car.to_rear) * aside / (dx * dx + dy * dy),
                  car.least_angle, car.most_angle)


@pure
def step(
    state: dynamic_mpc.State, parameters: Parameters, car: CarMotion, path: Path, dt: float,
) -> tuple[dynamic_mpc.State, float, float]:
    """Next state, speed [m/s] and steering angle [rad]."""
    if not is_known(path, car):
        return state, math.nan, math.nan
    p, plan, numbers = parameters, parameters.plan, path.numbers
    model = ContouringCar(plan.car, p.weights, p.keep, p.fastest)
    at = places(STATES, INPUTS, int(plan.horizon.steps), path.memory)
    memory = Memory(numbers, path.first, at.work)
    x, (sine, cosine) = at.tried_states, sine_cosine(car.yaw)
    numbers[x], numbers[x + 1] = car.x + plan.to_cog * cosine, car.y + plan.to_cog * sine
    numbers[x + 2], numbers[x + 3] = car.vx, car.vy + plan.to_cog * car.yaw_rate
    now = dynamic_mpc.present(state, plan, car, numbers, at.end, dt)
    numbers[x + 4], numbers[x + 5] = car.yaw_rate, now.body.steering
    numbers[x + _THETA], numbers[x + _PSI], numbers[x + _SLIP] = path.s, car.yaw, now.slip
    horizon, waits = plan.horizon, stands(memory, x)
    if waits or state.answers == 0.0:
        first_guess(plan.car, memory, at, horizon, x, waits)
    else:
        shift_plan(model, numbers, at, horizon, dt)
    dynamic_mpc.predict_waiting(model, plan.car, now, memory, at, x + _SLIP)
    solve(model, memory, at, Horizon(
        horizon.steps, horizon.interval, 0.0 if waits else horizon.iterations))
    return dynamic_mpc.answer(plan, state, now, memory, at, at.states + _SLIP)


class ContouringPredictive:
    """See the top of the file."""

    follows = PROGRESS
    step = staticmethod(step)

    def __init__(
        self, vehicle: VehicleParameters, *, contouring_weight: float = 167.0,
        lag_weight: float = 12.3, border_weight: float = 1870.0, progress_weight: float = 1.71,
        sideslip_weight: float = 0.35, slip_weight: float = 0.156,
        slip_rate_weight: float = 0.159, steering_rate_weight: float = 0.00539,
        last_weight: float = 2.2, margin: float = 0.05, own_speed: bool = False,
        slip_rate: float = 10.0, steering_rate: float = 3.2, steps: int = 40,
        interval: float = 0.025, iterations: int = 2, delay: float = 0.0,
        period: float = 0.01, slip_feed_forward: float = 0.0,
        speed_lag: float = DRIVE_TIME_CONSTANT, command_lag: float = 0.0, rate: float = 0.0,
        latency: float = 0.0,
    ) -> None:
        """Take a vehicle, weights of the cost and what else is above.

        Weights of contouring and lag error and of what is beyond the border [1/m^2], of progress
        [s/m], of the lateral velocity of the rear axle [s^2/m^2], of slip, of its rate [s^2], of
        steering rate [s^2/rad^2], and the factor of the last state. margin: of the car's side from
        the border [m]; own_speed: whether only progress against errors, tyres and borders choose
        the speed, and not the line. The rest as of dynamic_mpc. Raises ParameterError for
        values out of range.
        """
        check_positive(lag_weight=lag_weight, slip_weight=slip_weight,
                       slip_rate_weight=slip_rate_weight,
                       steering_rate_weight=steering_rate_weight, last_weight=last_weight)
        check_not_negative(contouring_weight=contouring_weight, border_weight=border_weight,
                           progress_weight=progress_weight, sideslip_weight=sideslip_weight,
                           margin=margin)
        self.rate, self.latency = rate, latency
        weights = Weights(0.0, 0.0, 0.0, float(slip_weight), float(steering_rate_weight),
                          float(last_weight), float(slip_rate_weight), float(sideslip_weight))
        plan = dynamic_mpc.plan_parameters(
            vehicle, weights, steering_rate=steering_rate, slip_rate=slip_rate, steps=steps,
            interval=interval, iterations=iterations, delay=delay, period=period, rate=rate,
            slip_feed_forward=slip_feed_forward, speed_lag=speed_lag, command_lag=command_lag)
        self.memory = np.zeros(plan_size(STATES, INPUTS, steps) + dynamic_mpc.RECORD_NUMBERS)
        self.state = dynamic_mpc.State(0.0, 0.0, 0.0)
        self.predicts = plan.delay
        self.point_ahead = plan.to_cog
        self.parameters = Parameters(
            plan, ContouringWeights(float(contouring_weight), float(lag_weight),
                                    float(border_weight), float(progress_weight)),
            vehicle.footprint.side + margin, float(vehicle.speed_max) if own_speed else 0.0)
