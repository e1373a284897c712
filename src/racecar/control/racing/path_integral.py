# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Model predictive path integral control (MPPI): a mean of many random plans, by their costs.

    u <- u + sum_i w_i e_i/sum_i w_i,  w_i = exp(-(S_i - min S)/temperature)

for candidates whose inputs differ from the plan u by normal numbers e_i, held for a few steps,
each candidate beside its opposite. S_i is the cost of driving the model of line_dynamics with
them, by the steps of line_steps, that of the inputs included, which stands in the place of the
original's term u' e/variance. The numbers are a hash of seed, answer, candidate and step, so that
bits repeat; candidates are driven side by side in blocks, as the engine drives cars. Source:
Williams, Wagener, Goldfain, Drews, Rehg, Boots, Theodorou, "Information theoretic MPC for
model-based reinforcement learning", ICRA 2017.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import pure, routine
from racecar.base.random_numbers import four_normals, philox
from racecar.base.rows import load, Part, plus, store, zeros_of
from racecar.base.types import CarMotion
from racecar.base.vectors import Flat
from racecar.control.progress import Path, PROGRESS
from racecar.control.racelines.line_numbers import course_at
from racecar.control.racing import dynamic_mpc
from racecar.control.racing.gauss_newton import (
    Horizon,
    is_known,
    Memory,
    MOST_STEPS,
    shift,
    within,
)
from racecar.control.racing.line_dynamics import (
    body_rates,
    BodyState,
    dynamic_car,
    DynamicCar,
    INPUTS,
    line_rates,
    LineState,
    state_cost,
    Weights,
)
from racecar.control.racing.line_steps import (
    acceleration_at,
    acceleration_table,
    Held,
    state_after,
)
from racecar.control.racing.settings import (
    check_count,
    check_not_negative,
    check_positive,
    check_seed,
)
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.planar import DRIVE_TIME_CONSTANT

LANES = 128
"""Candidates of a block; the second half is opposite to the first."""

_HALF, _MOST_BLOCKS = LANES // 2, 1000
# Of LineState.
_STATES = len(LineState._fields)
# Steps for which a normal number is held.
_HELD = 4
_KEY = 0x4D505049


class Lane(NamedTuple):
    """Of a candidate: cost so far, speed of the line [m/s], and what is held over the step."""

    cost: float
    speed: float
    held: Held


_START = Part(zeros_of(LineState))
_STATE = Part(zeros_of(LineState), 0, LANES)
_LANE = Part(Lane(0.0, 0.0, zeros_of(Held)), _STATE.after, LANES)
_ROWS = _LANE.after


class State(NamedTuple):
    """steering: angle where the plan begins [rad]; answers: so far."""

    steering: float
    answers: float


class Parameters(NamedTuple):
    """plan: as of dynamic_mpc, without iterations; blocks: of candidates.

    slip, turning: deviations of the inputs [-, rad/s]; temperature: of the costs.
    """

    plan: dynamic_mpc.Parameters
    blocks: float
    slip: float
    turning: float
    temperature: float
    seed: float


class Places(NamedTuple):
    """Where the arrays begin, see places()."""

    table: int
    state: int
    inputs: int
    work: int
    block: int
    noise: int
    costs: int
    end: int


@pure
def knot_count(steps: int) -> int:
    """How many normal numbers of each input a candidate has, an even number."""
    return 2 * ((steps + 2 * _HELD - 1) // (2 * _HELD))


@pure
def places(steps: int, blocks: int, at: int, table: int) -> Places:
    """Places of the arrays of a number of steps and blocks, from `at` on.

    table: of the accelerations, see acceleration_table(); block: (rows, LANES); noise: (blocks,
    knots, 2, LANES/2); costs: (blocks, LANES).
    """
    inputs = at + _STATES
    work = inputs + INPUTS * steps
    block = work + 3 * _STATES
    noise = block + _ROWS * LANES
    costs = noise + blocks * knot_count(steps) * INPUTS * _HALF
    return Places(table, at, inputs, work, block, noise, costs, costs + blocks * LANES)


@routine
def draw(parameters: Parameters, numbers: Flat, noise: int, block: int, answers: int) -> None:
    """Write the normal numbers of a block, times their deviations."""
    p = parameters
    for knot in range(0, knot_count(int(p.plan.horizon.steps)), 2):
        to = noise + knot * INPUTS * _HALF
        for lane in range(_HALF):
            a, b, c, d = four_normals(philox(
                (lane, block, knot, answers), (int(p.seed), _KEY)))
            numbers[to + lane] = p.slip * a
            numbers[to + _HALF + lane] = p.turning * b
            numbers[to + 2 * _HALF + lane] = p.slip * c
            numbers[to + 3 * _HALF + lane] = p.turning * d


@pure
def _moved(car: DynamicCar, numbers: Flat, at: int, interval: float) -> None:
    """Drive the candidates of a block a step, in one loop without branches."""
    w, often = car.weights, 1.0 / interval
    for i in range(at, at + LANES):
        x, lane = load(numbers, _STATE, i), load(numbers, _LANE, i)
        held, angle = lane.held, x.steering
        turning = min(max(held.turning, max((car.least_angle - angle) * often, -car.rate)),
                      min((car.most_angle - angle) * often, car.rate))
        cost = lane.cost + (
            state_cost(car, x, lane.speed) + w.slip * held.slip * held.slip
            + w.steering_rate * turning * turning)
        held = Held(held.curvature, held.slip, held.acceleration, turning)
        store(numbers, _STATE, i, state_after(car, x, held, interval))
        store(numbers, _LANE, i, Lane(cost, lane.speed, held))


@routine
def roll_out(
    parameters: Parameters, memory: Memory, at: Places, block: int,
) -> None:
    """Drive the candidates of a block over the horizon, and write their costs."""
    p, car, steps = parameters, parameters.plan.car, int(parameters.plan.horizon.steps)
    numbers, work = memory.numbers, at.block
    noise = at.noise + block * knot_count(steps) * INPUTS * _HALF
    start = load(numbers, _START, at.state)
    for i in range(work, work + LANES):
        store(numbers, _STATE, i, start)
        store(numbers, _LANE, i, Lane(0.0, 0.0, Held(0.0, 0.0, 0.0, 0.0)))
    for k in range(steps):
        knot = noise + (k // _HELD) * INPUTS * _HALF
        for lane in range(LANES):
            i = work + lane
            course = course_at(numbers, memory.line, load(numbers, _STATE, i).s)
            sign, first = (1.0, lane) if lane < _HALF else (-1.0, lane - _HALF)
            slip = within(numbers[at.inputs + INPUTS * k] + sign * numbers[knot + first],
                          -car.braking, car.driving)
            turning = numbers[at.inputs + INPUTS * k + 1] + sign * numbers[knot + _HALF + first]
            store(numbers, _LANE, i, Lane(
                load(numbers, _LANE, i).cost, course.speed,
                Held(course.curvature, slip, acceleration_at(car, numbers, at.table, slip),
                     turning)))
        _moved(car, numbers, work, p.plan.horizon.interval)
    for lane in range(LANES):
        x = load(numbers, _STATE, work + lane)
        speed = course_at(numbers, memory.line, x.s).speed
        numbers[at.costs + block * LANES + lane] = load(numbers, _LANE, work + lane).cost + (
            car.weights.last * state_cost(car, x, speed))


@routine
def move(parameters: Parameters, numbers: Flat, at: Places, least: float) -> None:
    """Add the mean change of the candidates, weighted by their costs, to the plan."""
    p, car, steps = parameters, parameters.plan.car, int(parameters.plan.horizon.steps)
    blocks, knots, total = int(p.blocks), knot_count(steps), 0.0
    for i in range(at.costs, at.costs + blocks * LANES):
        # A candidate that drives away has no number for a cost.
        found = numbers[i]
        numbers[i] = math.exp((least - found) / p.temperature) if found < math.inf else 0.0
        total += numbers[i]
    for knot in range(knots):
        for i in range(INPUTS):
            change = 0.0
            for block in range(blocks):
                noise = at.noise + ((block * knots + knot) * INPUTS + i) * _HALF
                costs = at.costs + block * LANES
                for lane in range(_HALF):
                    change += numbers[noise + lane] * (
                        numbers[costs + lane] - numbers[costs + _HALF + lane])
            low, high = (-car.braking, car.driving) if i == 0 else (-car.rate, car.rate)
            for k in range(knot * _HELD, min((knot + 1) * _HELD, steps)):
                to = at.inputs + INPUTS * k + i
                numbers[to] = within(numbers[to] + change / total, low, high)


@routine
def improve(
    parameters: Parameters, memory: Memory, at: Places, answers: int,
) -> float:
    """Draw and drive all candidates and move the plan by their weighted mean; the least cost.

    A plan of which no candidate has a finite cost begins anew without inputs.
    """
    p, numbers, steps = parameters, memory.numbers, int(parameters.plan.horizon.steps)
    blocks, knots = int(p.blocks), knot_count(steps)
    least = math.inf
    for block in range(blocks):
        draw(p, numbers, at.noise + block * knots * INPUTS * _HALF, block, answers)
        roll_out(p, memory, at, block)
        for lane in range(LANES):
            least = min(least, numbers[at.costs + block * LANES + lane])
    if not least < math.inf:
        for i in range(INPUTS * steps):
            numbers[at.inputs + i] = 0.0
        return math.inf
    move(p, numbers, at, least)
    return least


@pure
def _rates_of(
    car: DynamicCar, memory: Memory, x: LineState, slip: float, turning: float,
) -> LineState:
    return line_rates(car, x, course_at(memory.numbers, memory.line, x.s).curvature, slip,
                      turning)


@pure
def answer(
    parameters: dynamic_mpc.Parameters, memory: Memory, x: int, u: int, period: float,
) -> tuple[float, float, float]:
    """Steering angle where the next plan begins, and command of a plan.

    Its first state is at x, its first inputs, of which the slip acts at once, are at u. period:
    until the next answer [s].
    """
    p, numbers = parameters, memory.numbers
    vx, angle, slip, turning = numbers[x + 2], numbers[x + 5], numbers[u], numbers[u + 1]
    acceleration = body_rates(
        p.car, BodyState(vx, numbers[x + 3], numbers[x + 4], angle), slip)[0]
    speed = vx + acceleration * period
    travel = max(speed, dynamic_mpc.ROLLING)
    creep = travel * (slip / (1.0 - slip) if slip > 0.0 else slip) + p.lag * acceleration
    after = min(max(angle + turning * period, p.car.least_angle), p.car.most_angle)
    return after, speed + p.slip * creep, 0.5 * (angle + after)


@pure
def step(
    state: State, parameters: Parameters, car: CarMotion, path: Path, dt: float,
) -> tuple[State, float, float]:
    """Next state, speed [m/s] and steering angle [rad]."""
    if not is_known(path, car):
        return state, math.nan, math.nan
    p, plan = parameters, parameters.plan
    at = places(int(plan.horizon.steps), int(p.blocks), path.memory, path.table)
    memory = Memory(path.numbers, path.first, at.work)
    period = dt if dt > 0.0 else plan.period
    dynamic_mpc.begin(plan, memory, car, path, at.state, state.steering)
    if state.answers > 0.0:
        shift(path.numbers, at.inputs, int(plan.horizon.steps), INPUTS,
              dt / plan.horizon.interval)
    if plan.delay > 0.0:
        numbers, x, h = path.numbers, load(path.numbers, _START, at.state), plan.delay
        slip, turning = numbers[at.inputs], numbers[at.inputs + 1]
        half = plus(x, 0.5 * h, _rates_of(plan.car, memory, x, slip, turning))
        store(numbers, _START, at.state, plus(
            x, h, _rates_of(plan.car, memory, half, slip, turning)))
    improve(p, memory, at, int(state.answers))
    angle, speed, steering = answer(plan, memory, at.state, at.inputs, period)
    return State(angle, state.answers + 1.0), speed, steering


class PathIntegral:
    """See the top of the file."""

    follows = PROGRESS
    step = staticmethod(step)

    def __init__(
        self, vehicle: VehicleParameters, *, candidates: int = 2048, temperature: float = 0.03,
        slip_deviation: float = 0.06, steering_rate_deviation: float = 0.8, seed: int = 0,
        lateral_weight: float = 100.0, drift_weight: float = 1.0, speed_weight: float = 1.0,
        sideslip_weight: float = 1.0, slip_weight: float = 1.0,
        steering_rate_weight: float = 0.01, last_weight: float = 5.0,
        steering_rate: float = 3.2, steps: int = 40, interval: float = 0.025,
        delay: float = 0.0, period: float = 0.01, slip_feed_forward: float = 0.0,
        speed_lag: float = DRIVE_TIME_CONSTANT, rate: float = 0.0, latency: float = 0.0,
    ) -> None:
        """Take a vehicle, what the random plans are, and the rest as of dynamic_mpc.

        candidates: how many plans, in whole blocks of LANES; temperature: of the costs;
        deviations of slip [-] and steering rate [rad/s]; seed: of the normal numbers, below 2^32;
        sideslip_weight: of the lateral velocity of the rear axle [s^2/m^2].
        Raises ParameterError for values out of range.
        """
        check_positive(temperature=temperature, slip_deviation=slip_deviation,
                       steering_rate_deviation=steering_rate_deviation, interval=interval,
                       steering_rate=steering_rate, period=period)
        check_not_negative(
            lateral_weight=lateral_weight, drift_weight=drift_weight, speed_weight=speed_weight,
            slip_weight=slip_weight, steering_rate_weight=steering_rate_weight,
            sideslip_weight=sideslip_weight, last_weight=last_weight, delay=delay,
            speed_lag=speed_lag, slip_feed_forward=slip_feed_forward)
        blocks = -(-candidates // LANES)
        check_count(MOST_STEPS, steps=steps)
        check_count(_MOST_BLOCKS * LANES, candidates=candidates)
        check_seed(seed)
        self.rate, self.latency = rate, latency
        to_cog = -vehicle.odometry_offset
        self.point_ahead = to_cog
        self.memory = np.zeros(places(steps, blocks, 0, 0).end)
        self.state = State(0.0, 0.0)
        weights = Weights(*map(float, (
            lateral_weight, drift_weight, speed_weight, slip_weight, steering_rate_weight,
            last_weight, 0.0, sideslip_weight)))
        car = dynamic_car(vehicle, weights, interval, steering_rate)
        self.table = acceleration_table(car)
        self.parameters = Parameters(
            dynamic_mpc.Parameters(
                car, Horizon(float(steps), float(interval), 1.0), to_cog, float(delay),
                1.0 / rate if rate > 0.0 else float(period), float(slip_feed_forward),
                float(speed_lag), 0.0, float(vehicle.speed_max)),
            float(blocks), float(slip_deviation), float(steering_rate_deviation),
            float(temperature), float(seed))
