# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compiled loops over blocks of cars: odometry, control, metrics and integration, tick by tick.

A block holds up to LANES cars of one model as rows of LANES numbers, one row after the other in
one flat array: all distances between rows are constants, which a compiler must know to vectorise
a loop over the cars. Each loop does one thing to all cars of the block. Operations and order are
those of TrajectoryTracker, KinematicLinearizer and Simulator, whose functions are called here, so
that a car gives the same bits whether alone, in a block or driven by the nodes.

One file, although long: the numbers of the rows are constants that Numba freezes into the machine
code, and its cache notices a change only in files that hold kernels.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence, Sequence
import math
from typing import Any

import numpy as np

from racecar.core.compiled import inlined, njit, specialise, unlocked
from racecar.core.control.kinematic_linearizer import kinematic_command
from racecar.core.control.tracker import pid_velocity, point_ahead
from racecar.core.packing import Vector
from racecar.core.simulation.integrators import (
    rk4_first,
    rk4_last,
    rk4_next,
    split_stages,
    split_step,
    Stage,
    State5,
)
from racecar.core.types import quaternion_to_yaw
from racecar.core.vehicles.interface import Coefficients, SplitDerivative

LANES = 120
"""Cars in a block: rows of almost 1 kB, so that what one loop touches stays in the first cache.

Rows of a power of two would share too few of its sets.
"""

# Fewer do not fill a vector of the processor.
_MIN_VECTOR_CARS = 8

# Rows of the state of a car: five states of its model, speed and steering in force, then those of
# linearizer, tracker, metrics. 24 numbers, 192 bytes.
(STATE, _S1, _S2, _S3, _S4, SPEED_IN, STEERING_IN, HELD_STEERING, LAST_X, LAST_Y, INTEGRAL_X,
 INTEGRAL_Y, DERIVATIVE_X, DERIVATIVE_Y, ORIGIN_X, ORIGIN_Y, DISTANCE, DIVERGED, SAMPLES,
 SUM_SQUARED, ISE, MAX_SQUARED, LAST_SQUARED, STARTED) = range(24)
STATE_ROWS = 24

# Rows of the parameters of a car: seventeen of its model first. Limits are those of the car, and
# those that the control law believes in.
(SPEED_MIN, SPEED_MAX, STEERING_LIMIT, WHEELBASE, EPSILON, MINIMUM_SPEED, KP, KI, KD, FFWD,
 PL_DISTANCE, VELOCITY_LIMIT, FROM_CAR, REFERENCE, LAW_SPEED_MIN, LAW_SPEED_MAX,
 LAW_STEERING_LIMIT, FADE_SPEED, REVERSE, CATCH_UP_SPEED, LIMIT) = range(17, 38)
PARAMETER_ROWS = LIMIT + 5

# Rows of what a tick computes and forgets: odometry, reference, command, what a command fixes,
# the state before the tick, what a stage leaves to the next.
(OX, OY, OVX, OVY, ORATE, OYAW, RX, RY, RVX, RVY, COMMAND_SPEED, COMMAND_STEERING,
 COEFFICIENTS) = range(13)
BEFORE = COEFFICIENTS + 20
STAGE = BEFORE + 5
SCRATCH_ROWS = STAGE + 8

NOISE_CHANNELS = 8
"""Normal numbers per car and tick: x, y, yaw, vx, vy, yaw rate as measured; two of the motion."""

Flat = MutableSequence[float]
RunBlock = Callable[..., None]


def precompute(inputs: Vector, parameters: Vector) -> Coefficients:
    """Stand for the kernel of the model that block_kernel() binds."""
    raise NotImplementedError('block_kernel() binds this name')


def observe(state: Vector, inputs: Vector, parameters: Vector) -> Any:
    """Stand for the kernel of the model that block_kernel() binds."""
    raise NotImplementedError('block_kernel() binds this name')


def step_split(state: State5, coefficients: Coefficients, dt: float) -> State5:
    """Stand for model and method that block_kernel() binds."""
    raise NotImplementedError('block_kernel() binds this name')


def reference(time: float, a: float, b: float) -> Any:
    """Stand for the kernel of a trajectory that sampling_kernel() binds."""
    raise NotImplementedError('sampling_kernel() binds this name')


def _unbound(*_: Any) -> None:
    """Stand for a loop that block_kernel() binds."""
    raise NotImplementedError('block_kernel() binds this name')


observe_all = precompute_all = integrate_all = _unbound


def _sample(
    references: Flat, times: Sequence[float], first: int, ticks: int, row: int,
    a: Sequence[float], b: Sequence[float],
) -> None:
    """Write x, y [m], vx, vy [m/s] at `ticks` times [s] from the index `first` on.

    a, b: parameters of the trajectories of the rows from `row` on.
    """
    for i in range(len(a)):
        for tick in range(ticks):
            point = reference(times[first + tick], a[i], b[i])
            at = 4 * ((row + i) * ticks + tick)
            references[at] = point[0]
            references[at + 1] = point[1]
            references[at + 2] = point[2]
            references[at + 3] = point[3]


def _observe_all(state: Flat, parameters: Flat, scratch: Flat, count: int) -> None:
    for i in range(count):
        p = parameters
        o = observe(
            (state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i],
             state[4 * LANES + i]),
            (state[SPEED_IN * LANES + i], state[STEERING_IN * LANES + i]),
            (p[i], p[LANES + i], p[2 * LANES + i], p[3 * LANES + i], p[4 * LANES + i],
             p[5 * LANES + i], p[6 * LANES + i], p[7 * LANES + i], p[8 * LANES + i],
             p[9 * LANES + i], p[10 * LANES + i], p[11 * LANES + i], p[12 * LANES + i],
             p[13 * LANES + i], p[14 * LANES + i], p[15 * LANES + i], p[16 * LANES + i]))
        scratch[OX * LANES + i] = o[0]
        scratch[OY * LANES + i] = o[1]
        scratch[OVX * LANES + i] = o[4]
        scratch[OVY * LANES + i] = o[5]
        scratch[ORATE * LANES + i] = o[6]
        # The heading as a listener computes it.
        scratch[OYAW * LANES + i] = quaternion_to_yaw(0.0, 0.0, o[2], o[3])


@njit
def _fetch_references(
    parameters: Flat, scratch: Flat, count: int, references: Flat, tick: int, ticks: int,
) -> None:
    """Fetch the reference of each car."""
    for i in range(count):
        at = 4 * (int(parameters[REFERENCE * LANES + i]) * ticks + tick)
        scratch[RX * LANES + i] = references[at]
        scratch[RY * LANES + i] = references[at + 1]
        scratch[RVX * LANES + i] = references[at + 2]
        scratch[RVY * LANES + i] = references[at + 3]


@njit
def _update_metrics(
    state: Flat, parameters: Flat, scratch: Flat, count: int, period: float, counts: bool,
) -> None:
    """Place the reference in the map and add the tracking error to the metrics."""
    for i in range(count):
        x, y = scratch[OX * LANES + i], scratch[OY * LANES + i]
        starts = state[STARTED * LANES + i] == 0.0 and parameters[FROM_CAR * LANES + i] > 0.0
        origin_x = x - scratch[RX * LANES + i] if starts else state[ORIGIN_X * LANES + i]
        origin_y = y - scratch[RY * LANES + i] if starts else state[ORIGIN_Y * LANES + i]
        state[ORIGIN_X * LANES + i] = origin_x
        state[ORIGIN_Y * LANES + i] = origin_y
        reference_x = origin_x + scratch[RX * LANES + i]
        reference_y = origin_y + scratch[RY * LANES + i]
        scratch[RX * LANES + i] = reference_x
        scratch[RY * LANES + i] = reference_y
        error_x, error_y = x - reference_x, y - reference_y
        squared = error_x * error_x + error_y * error_y
        scores = counts and state[DIVERGED * LANES + i] < 0.0
        before = state[SAMPLES * LANES + i]
        area = 0.5 * (squared + state[LAST_SQUARED * LANES + i]) * period
        state[ISE * LANES + i] += area if scores and before > 0.0 else 0.0
        state[SAMPLES * LANES + i] = before + (1.0 if scores else 0.0)
        state[SUM_SQUARED * LANES + i] += squared if scores else 0.0
        largest = state[MAX_SQUARED * LANES + i]
        state[MAX_SQUARED * LANES + i] = squared if scores and squared > largest else largest
        state[LAST_SQUARED * LANES + i] = squared


@njit
def _disturb_measurement(
    scratch: Flat, count: int, noise: Flat, deviations: Sequence[float],
) -> None:
    for i in range(count):
        scratch[OX * LANES + i] += deviations[0] * noise[NOISE_CHANNELS * i]
        scratch[OY * LANES + i] += deviations[1] * noise[NOISE_CHANNELS * i + 1]
        scratch[OYAW * LANES + i] += deviations[2] * noise[NOISE_CHANNELS * i + 2]
        scratch[OVX * LANES + i] += deviations[3] * noise[NOISE_CHANNELS * i + 3]
        scratch[OVY * LANES + i] += deviations[4] * noise[NOISE_CHANNELS * i + 4]
        scratch[ORATE * LANES + i] += deviations[5] * noise[NOISE_CHANNELS * i + 5]


@njit
def _control_all(
    state: Flat, parameters: Flat, scratch: Flat, count: int, period: float,
) -> None:
    """Tracker and linearizer: command as the message carries it."""
    for i in range(count):
        x, y, yaw = scratch[OX * LANES + i], scratch[OY * LANES + i], scratch[OYAW * LANES + i]
        ahead = parameters[PL_DISTANCE * LANES + i]
        reference_x, reference_y = point_ahead(
            scratch[RX * LANES + i], scratch[RY * LANES + i], yaw, ahead)
        point_x, point_y = point_ahead(x, y, yaw, ahead)
        error_x, error_y = reference_x - point_x, reference_y - point_y
        # Trajectories that are driven backwards tell their attitude, which these loops leave out.
        vx, vy, integral_x, integral_y, derivative_x, derivative_y = pid_velocity(
            error_x, error_y, state[LAST_X * LANES + i], state[LAST_Y * LANES + i],
            state[INTEGRAL_X * LANES + i], state[INTEGRAL_Y * LANES + i],
            state[DERIVATIVE_X * LANES + i], state[DERIVATIVE_Y * LANES + i],
            scratch[RVX * LANES + i], scratch[RVY * LANES + i], yaw, True,
            period if state[STARTED * LANES + i] > 0.0 else 0.0,
            parameters[KP * LANES + i], parameters[KI * LANES + i], parameters[KD * LANES + i],
            parameters[FFWD * LANES + i] > 0.0, parameters[VELOCITY_LIMIT * LANES + i],
            parameters[CATCH_UP_SPEED * LANES + i])
        state[LAST_X * LANES + i] = error_x
        state[LAST_Y * LANES + i] = error_y
        state[INTEGRAL_X * LANES + i] = integral_x
        state[INTEGRAL_Y * LANES + i] = integral_y
        state[DERIVATIVE_X * LANES + i] = derivative_x
        state[DERIVATIVE_Y * LANES + i] = derivative_y
        state[STARTED * LANES + i] = 1.0
        speed, steering, held_steering = kinematic_command(
            vx, vy, yaw, parameters[EPSILON * LANES + i], parameters[WHEELBASE * LANES + i],
            state[HELD_STEERING * LANES + i], parameters[MINIMUM_SPEED * LANES + i],
            parameters[FADE_SPEED * LANES + i], parameters[REVERSE * LANES + i] > 0.0,
            parameters[LAW_STEERING_LIMIT * LANES + i], parameters[LAW_SPEED_MIN * LANES + i],
            parameters[LAW_SPEED_MAX * LANES + i])
        state[HELD_STEERING * LANES + i] = held_steering
        scratch[COMMAND_SPEED * LANES + i] = float(np.float32(speed))
        scratch[COMMAND_STEERING * LANES + i] = float(np.float32(steering))


@njit
def _record_all(
    state: Flat, scratch: Flat, count: int, records: Flat, sample: int, samples: int, time: float,
) -> None:
    """Write the columns of RunTable; a car that has diverged leaves its rows as they are."""
    for i in range(count):
        if state[DIVERGED * LANES + i] >= 0.0:
            continue
        at = 11 * (i * samples + sample)
        records[at] = time
        records[at + 1] = scratch[OX * LANES + i]
        records[at + 2] = scratch[OY * LANES + i]
        records[at + 3] = scratch[OYAW * LANES + i]
        records[at + 4] = scratch[OVX * LANES + i]
        records[at + 5] = scratch[OVY * LANES + i]
        records[at + 6] = scratch[ORATE * LANES + i]
        records[at + 7] = scratch[RX * LANES + i]
        records[at + 8] = scratch[RY * LANES + i]
        records[at + 9] = scratch[COMMAND_SPEED * LANES + i]
        records[at + 10] = scratch[COMMAND_STEERING * LANES + i]


def _precompute_all(
    state: Flat, parameters: Flat, scratch: Flat, count: int, period: float,
) -> None:
    """Apply the commands within the limits, and compute what they fix."""
    for i in range(count):
        limit = parameters[STEERING_LIMIT * LANES + i]
        speed = min(
            max(scratch[COMMAND_SPEED * LANES + i], parameters[SPEED_MIN * LANES + i]),
            parameters[SPEED_MAX * LANES + i])
        steering = min(max(scratch[COMMAND_STEERING * LANES + i], -limit), limit)
        state[SPEED_IN * LANES + i] = speed
        state[STEERING_IN * LANES + i] = steering
        state[DISTANCE * LANES + i] += speed * period
        p = parameters
        coefficients = precompute((speed, steering), (
            p[i], p[LANES + i], p[2 * LANES + i], p[3 * LANES + i], p[4 * LANES + i],
            p[5 * LANES + i], p[6 * LANES + i], p[7 * LANES + i], p[8 * LANES + i],
            p[9 * LANES + i], p[10 * LANES + i], p[11 * LANES + i], p[12 * LANES + i],
            p[13 * LANES + i], p[14 * LANES + i], p[15 * LANES + i], p[16 * LANES + i]))
        at = COEFFICIENTS * LANES + i
        scratch[at] = coefficients[0]
        scratch[at + LANES] = coefficients[1]
        scratch[at + 2 * LANES] = coefficients[2]
        scratch[at + 3 * LANES] = coefficients[3]
        scratch[at + 4 * LANES] = coefficients[4]
        scratch[at + 5 * LANES] = coefficients[5]
        scratch[at + 6 * LANES] = coefficients[6]
        scratch[at + 7 * LANES] = coefficients[7]
        scratch[at + 8 * LANES] = coefficients[8]
        scratch[at + 9 * LANES] = coefficients[9]
        scratch[at + 10 * LANES] = coefficients[10]
        scratch[at + 11 * LANES] = coefficients[11]
        scratch[at + 12 * LANES] = coefficients[12]
        scratch[at + 13 * LANES] = coefficients[13]
        scratch[at + 14 * LANES] = coefficients[14]
        scratch[at + 15 * LANES] = coefficients[15]
        scratch[at + 16 * LANES] = coefficients[16]
        scratch[at + 17 * LANES] = coefficients[17]
        scratch[at + 18 * LANES] = coefficients[18]
        scratch[at + 19 * LANES] = coefficients[19]
        scratch[BEFORE * LANES + i] = state[i]
        scratch[(BEFORE + 1) * LANES + i] = state[LANES + i]
        scratch[(BEFORE + 2) * LANES + i] = state[2 * LANES + i]
        scratch[(BEFORE + 3) * LANES + i] = state[3 * LANES + i]
        scratch[(BEFORE + 4) * LANES + i] = state[4 * LANES + i]


@inlined
def _state_of(state: Flat, i: int) -> State5:
    return (state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i],
            state[4 * LANES + i])


@inlined
def _put_state(state: Flat, i: int, s: State5) -> None:
    state[i] = s[0]
    state[LANES + i] = s[1]
    state[2 * LANES + i] = s[2]
    state[3 * LANES + i] = s[3]
    state[4 * LANES + i] = s[4]


@inlined
def _coefficients_of(scratch: Flat, i: int) -> Coefficients:
    h, at = scratch, COEFFICIENTS * LANES + i
    return (
        h[at], h[at + LANES], h[at + 2 * LANES], h[at + 3 * LANES], h[at + 4 * LANES],
        h[at + 5 * LANES], h[at + 6 * LANES], h[at + 7 * LANES], h[at + 8 * LANES],
        h[at + 9 * LANES], h[at + 10 * LANES], h[at + 11 * LANES], h[at + 12 * LANES],
        h[at + 13 * LANES], h[at + 14 * LANES], h[at + 15 * LANES], h[at + 16 * LANES],
        h[at + 17 * LANES], h[at + 18 * LANES], h[at + 19 * LANES])


@inlined
def _stage_of(scratch: Flat, i: int) -> Stage:
    s, at = scratch, STAGE * LANES + i
    return (
        s[at], s[at + LANES], s[at + 2 * LANES], s[at + 3 * LANES], s[at + 4 * LANES],
        s[at + 5 * LANES], s[at + 6 * LANES], s[at + 7 * LANES])


@inlined
def _put_stage(scratch: Flat, i: int, stage: Stage) -> None:
    at = STAGE * LANES + i
    scratch[at] = stage[0]
    scratch[at + LANES] = stage[1]
    scratch[at + 2 * LANES] = stage[2]
    scratch[at + 3 * LANES] = stage[3]
    scratch[at + 4 * LANES] = stage[4]
    scratch[at + 5 * LANES] = stage[5]
    scratch[at + 6 * LANES] = stage[6]
    scratch[at + 7 * LANES] = stage[7]


def _integrate_all(state: Flat, scratch: Flat, count: int, dt: float, steps: int) -> None:
    for _ in range(steps):
        for i in range(count):
            _put_state(state, i, step_split(_state_of(state, i), _coefficients_of(scratch, i), dt))


def _integrate_stages(state: Flat, scratch: Flat, count: int, dt: float, steps: int) -> None:
    """Do what _integrate_all() does by Runge-Kutta 4, one stage of all cars after the other.

    The operations of a step wait for each other; so few fit into a stage that the processor works
    on those of several cars at a time. Few cars are faster in registers.
    """
    if count < _MIN_VECTOR_CARS:
        for i in range(count):
            s, coefficients = _state_of(state, i), _coefficients_of(scratch, i)
            for _ in range(steps):
                s = step_split(s, coefficients, dt)
            _put_state(state, i, s)
        return
    half = 0.5 * dt
    for _ in range(steps):
        for i in range(count):
            _put_stage(scratch, i, rk4_first(
                _state_of(state, i), _coefficients_of(scratch, i), half))
        for i in range(count):
            _put_stage(scratch, i, rk4_next(
                _state_of(state, i), _stage_of(scratch, i), _coefficients_of(scratch, i), half))
        for i in range(count):
            _put_stage(scratch, i, rk4_next(
                _state_of(state, i), _stage_of(scratch, i), _coefficients_of(scratch, i), dt))
        for i in range(count):
            _put_state(state, i, rk4_last(
                _state_of(state, i), _stage_of(scratch, i), _coefficients_of(scratch, i), dt))


@njit
def _disturb_motion(
    state: Flat, count: int, noise: Flat, deviations: Sequence[float], root: float,
) -> None:
    for i in range(count):
        state[i] += root * deviations[6] * noise[NOISE_CHANNELS * i + 6]
        state[LANES + i] += root * deviations[7] * noise[NOISE_CHANNELS * i + 7]


@njit
def _check_all(
    state: Flat, parameters: Flat, scratch: Flat, count: int, period: float, tick: int,
) -> None:
    """Put a car whose state leaves its limits back to where it was, for good."""
    for i in range(count):
        valid = state[DIVERGED * LANES + i] < 0.0
        for k in range(5):
            # False for NaN too.
            valid = valid and (
                abs(state[k * LANES + i]) <= parameters[(LIMIT + k) * LANES + i])
        if not valid:
            for k in range(5):
                state[k * LANES + i] = scratch[(BEFORE + k) * LANES + i]
            state[DISTANCE * LANES + i] -= state[SPEED_IN * LANES + i] * period
            if state[DIVERGED * LANES + i] < 0.0:
                state[DIVERGED * LANES + i] = float(tick)


def _run_block(
    state: Flat, parameters: Flat, scratch: Flat, count: int, references: Flat,
    times: Sequence[float], first: int, ticks: int, last: int, skip: float, period: float,
    dt: float, steps: int, records: Flat, every: int, samples: int, noise: Flat,
    deviations: Sequence[float], noisy: bool,
) -> None:
    """Run `ticks` ticks of a block from the tick `first` on; the tick `last` is not integrated.

    state, parameters, scratch: rows of LANES numbers; count: cars. references: (rows, ticks, 4);
    times: of all ticks since the start [s]; skip: time from which metrics count [s]; period: of a
    tick [s]; dt: step [s], steps per tick; records: (count, samples, 11), one of `every` ticks, 0
    for none; noise: (ticks, count, NOISE_CHANNELS) with their standard deviations. All flat.
    """
    for k in range(ticks):
        tick = first + k
        observe_all(state, parameters, scratch, count)
        _fetch_references(parameters, scratch, count, references, k, ticks)
        block_noise = noise[k * count * NOISE_CHANNELS:(k + 1) * count * NOISE_CHANNELS]
        # Metrics are of where the car is, not of where it believes to be.
        _update_metrics(state, parameters, scratch, count, period, times[tick] >= skip)
        if noisy:
            _disturb_measurement(scratch, count, block_noise, deviations)
        _control_all(state, parameters, scratch, count, period)
        if every > 0 and tick % every == 0:
            _record_all(state, scratch, count, records, tick // every, samples, times[tick])
        if tick < last:
            precompute_all(state, parameters, scratch, count, period)
            integrate_all(state, scratch, count, dt, steps)
            if noisy:
                _disturb_motion(state, count, block_noise, deviations, math.sqrt(period))
            _check_all(state, parameters, scratch, count, period, tick)


def block_kernel(form: SplitDerivative, observe: Any, integrator: str) -> RunBlock:
    """Bind a model and a method: see _run_block()."""
    name = f'{integrator}_{form.name}'
    return specialise(
        _run_block, f'run_block_{name}', unlocked,
        observe_all=specialise(_observe_all, f'observe_all_{form.name}', observe=observe),
        precompute_all=specialise(
            _precompute_all, f'precompute_all_{form.name}', precompute=form.precompute),
        integrate_all=integration_kernel(form, integrator))


def integration_kernel(form: SplitDerivative, integrator: str) -> Callable[..., None]:
    """Bind a model and a method: see _integrate_all()."""
    name = f'integrate_all_{integrator}_{form.name}'
    stages, step = split_stages(form, integrator), split_step(form, integrator)
    if stages:
        return specialise(_integrate_stages, name, unlocked, step_split=step, **stages)
    return specialise(_integrate_all, name, unlocked, step_split=step)


def sampling_kernel(kernel: Callable[..., Any]) -> Callable[..., None]:
    """Bind the kernel of a trajectory: see _sample()."""
    return specialise(_sample, f'sample_{kernel.__name__}', unlocked, reference=kernel)
