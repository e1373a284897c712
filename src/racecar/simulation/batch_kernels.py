# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compiled loops over blocks of cars: odometry, control, metrics and integration, tick by tick.

A block holds up to LANES cars of one model as rows of LANES numbers, one row after the other in
one flat array: all distances between rows are constants, which a compiler must know to vectorise
a loop over the cars. Each loop does one thing to all cars of the block. Operations and order are
those of a car alone, whose functions are called here, so that it gives the same bits whether
alone, in a block or driven by the nodes. What drives the cars is bound: see LaneControl.

One file, although long: the numbers of the rows are constants that Numba freezes into the machine
code, and its cache notices a change only in files that hold kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import math
from typing import Any, NamedTuple

from racecar.base.compiled import inlined, njit, specialise, unbound, unlocked
from racecar.base.elementary import sine_cosine
from racecar.base.packing import Flat, packing
from racecar.base.types import CarMotion, quaternion_to_yaw
from racecar.dynamics.actuators import respond
from racecar.dynamics.integrators import (
    rk4_first,
    rk4_last,
    rk4_next,
    split_stages,
    split_step,
    Stage,
    State5,
)
from racecar.dynamics.vehicles.interface import Coefficients, SplitDerivative
from racecar.dynamics.vehicles.single_track_equations import COEFFICIENT_COUNT, PARAMETER_COUNT
from racecar.simulation.lanes import LaneControl
from racecar.simulation.loop_kernel import COLUMN_COUNT
from racecar.simulation.metrics.path_kernels import POINT_NUMBERS

LANES = 120
"""Cars in a block: rows of almost 1 kB, so that what one loop touches stays in the first cache.

Rows of a power of two would share too few of its sets.
"""

# Fewer do not fill a vector of the processor.
_MIN_VECTOR_CARS = 8

class HeldChannel(NamedTuple):
    """A Channel of racecar.dynamics.actuators whose commands are held for a tick.

    The command under way is that of `ticks` ticks ago, in the first `steps` steps of a tick that
    of one tick more.
    """

    ticks: float
    steps: float
    gain: float
    largest_change: float
    scale: float
    offset: float


load_state, store_state, _STATE = packing(5)
load_parameters, _, _PARAMETERS = packing(PARAMETER_COUNT)
load_coefficients, store_coefficients, _COEFFICIENTS = packing(COEFFICIENT_COUNT)
load_stage, store_stage, _STAGE = packing(8)
load_channel, _, _CHANNEL = packing(HeldChannel)
store_observed = packing(7).store

# Rows of the state of a car: of its model, inputs in force, of the metrics; those of what drives
# it come last, as controls differ.
INPUTS = _STATE
load_motion, store_motion, _MOTION = packing(INPUTS + 2)
(DIVERGED, SAMPLES, SUM_SQUARED, ISE, MAX_SQUARED, LAST_SQUARED, STARTED,
 CONTROL_STATE) = range(_MOTION, _MOTION + 8)

# Rows of the parameters of a car: of its model, limits of the state, limits of the car, which
# reference and where its origin is, which point is tracked, actuators of speed and steering; those
# of what drives it come last.
LIMIT = _PARAMETERS
(SPEED_MIN, SPEED_MAX, STEERING_MIN, STEERING_MAX, REFERENCE, ORIGIN_X, ORIGIN_Y, TRACKED_AHEAD,
 CHANNELS) = range(LIMIT + _STATE, LIMIT + _STATE + 9)
CONTROL = CHANNELS + 2 * _CHANNEL

# Rows of what a tick computes and forgets: odometry, yaw, where the tracked point is, command,
# what inputs fix, state and inputs before the tick, what a stage leaves to the next, the commands
# that the actuators have under way: of speed in the first steps and then, of steering. The
# reference comes last, x and y first.
(OX, OY, QZ, QW, OVX, OVY, ORATE, OYAW, POINT_X, POINT_Y, COMMAND_SPEED, COMMAND_STEERING,
 COEFFICIENTS) = range(13)
BEFORE = COEFFICIENTS + _COEFFICIENTS
STAGE = BEFORE + _MOTION
UNDER_WAY = STAGE + _STAGE
TARGET = UNDER_WAY + 4

NOISE_CHANNELS = 8
"""Normal numbers per car and tick: x, y, yaw, vx, vy, yaw rate as measured; two of the motion."""

RunBlock = Callable[..., None]


precompute = observe = step_split = unbound
observe_all = place_all = control_all = drive_all = unbound
precompute_all = actuate_all = integrate_all = unbound


def _observe_all(state: Flat, parameters: Flat, scratch: Flat, count: int) -> None:
    for i in range(count):
        o = observe(
            load_state(state, i, LANES),
            (state[INPUTS * LANES + i], state[(INPUTS + 1) * LANES + i]),
            load_parameters(parameters, i, LANES))
        store_observed(scratch, OX * LANES + i, LANES, o)
    # The heading as a listener computes it; apart, as few operations wait for each other then.
    for i in range(count):
        scratch[OYAW * LANES + i] = quaternion_to_yaw(
            0.0, 0.0, scratch[QZ * LANES + i], scratch[QW * LANES + i])


@njit
def _is_ahead(parameters: Flat, count: int) -> bool:
    """Whether the tracked point of a car is not base_link."""
    ahead = False
    for i in range(count):
        ahead = ahead or parameters[TRACKED_AHEAD * LANES + i] != 0.0
    return ahead


@njit
def _place_points(parameters: Flat, scratch: Flat, count: int) -> None:
    """Compute the tracked point as RunTable does."""
    for i in range(count):
        sine, cosine = sine_cosine(scratch[OYAW * LANES + i])
        ahead = parameters[TRACKED_AHEAD * LANES + i]
        scratch[POINT_X * LANES + i] = scratch[OX * LANES + i] + ahead * cosine
        scratch[POINT_Y * LANES + i] = scratch[OY * LANES + i] + ahead * sine


@inlined
def _add_errors(
    state: Flat, scratch: Flat, count: int, point: int, elapsed: float, counts: bool,
) -> None:
    """Add the error of the point in a row, a constant, to the metrics, as MetricsSum does."""
    for i in range(count):
        error_x = scratch[point * LANES + i] - scratch[TARGET * LANES + i]
        error_y = scratch[(point + 1) * LANES + i] - scratch[(TARGET + 1) * LANES + i]
        squared = error_x * error_x + error_y * error_y
        scores = counts and state[DIVERGED * LANES + i] < 0.0
        before = state[SAMPLES * LANES + i]
        area = 0.5 * (squared + state[LAST_SQUARED * LANES + i]) * elapsed
        state[ISE * LANES + i] += area if scores and before > 0.0 else 0.0
        state[SAMPLES * LANES + i] = before + (1.0 if scores else 0.0)
        state[SUM_SQUARED * LANES + i] += squared if scores else 0.0
        largest = state[MAX_SQUARED * LANES + i]
        state[MAX_SQUARED * LANES + i] = squared if scores and squared > largest else largest
        state[LAST_SQUARED * LANES + i] = squared


@njit
def _update_metrics(
    state: Flat, scratch: Flat, count: int, ahead: bool, elapsed: float, counts: bool,
) -> None:
    """Add the error of the tracked point to the metrics.

    ahead: see _is_ahead(); elapsed: since the tick before [s].
    """
    if ahead:
        _add_errors(state, scratch, count, POINT_X, elapsed, counts)
    else:
        _add_errors(state, scratch, count, OX, elapsed, counts)


@njit
def _show_points(scratch: Flat, count: int, ahead: bool, points: Flat, first: int) -> None:
    """Write tracked point and reference of all cars, POINT_NUMBERS rows from `first` on."""
    point = POINT_X if ahead else OX
    for k in range(2):
        for i in range(count):
            points[(first + k) * LANES + i] = scratch[(point + k) * LANES + i]
            points[(first + 2 + k) * LANES + i] = scratch[(TARGET + k) * LANES + i]


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


@inlined
def seen_car(scratch: Flat, i: int) -> CarMotion:
    """Return a car as its odometry says."""
    return CarMotion(
        scratch[OX * LANES + i], scratch[OY * LANES + i], scratch[OYAW * LANES + i],
        scratch[OVX * LANES + i], scratch[OVY * LANES + i], scratch[ORATE * LANES + i])


@njit
def _record_all(
    state: Flat, scratch: Flat, count: int, records: Flat, sample: int, samples: int, time: float,
) -> None:
    """Write the columns of RunTable; a car that has diverged leaves its rows as they are."""
    for i in range(count):
        if state[DIVERGED * LANES + i] >= 0.0:
            continue
        at = COLUMN_COUNT * (i * samples + sample)
        records[at] = time
        records[at + 1] = scratch[OX * LANES + i]
        records[at + 2] = scratch[OY * LANES + i]
        records[at + 3] = scratch[OYAW * LANES + i]
        records[at + 4] = scratch[OVX * LANES + i]
        records[at + 5] = scratch[OVY * LANES + i]
        records[at + 6] = scratch[ORATE * LANES + i]
        records[at + 7] = scratch[TARGET * LANES + i]
        records[at + 8] = scratch[(TARGET + 1) * LANES + i]
        records[at + 9] = scratch[COMMAND_SPEED * LANES + i]
        records[at + 10] = scratch[COMMAND_STEERING * LANES + i]


@inlined
def _limited_command(parameters: Flat, scratch: Flat, i: int) -> tuple[float, float]:
    """Return the command of a car within its limits."""
    return (
        min(max(scratch[COMMAND_SPEED * LANES + i], parameters[SPEED_MIN * LANES + i]),
            parameters[SPEED_MAX * LANES + i]),
        min(max(scratch[COMMAND_STEERING * LANES + i], parameters[STEERING_MIN * LANES + i]),
            parameters[STEERING_MAX * LANES + i]))


def _precompute_all(state: Flat, parameters: Flat, scratch: Flat, count: int) -> None:
    """Apply the commands, and compute what they fix."""
    for i in range(count):
        speed, steering = _limited_command(parameters, scratch, i)
        # A divergence takes back the motion, but not the command, which is the last one then.
        goes_on = state[DIVERGED * LANES + i] < 0.0
        inputs = (speed if goes_on else state[INPUTS * LANES + i],
                  steering if goes_on else state[(INPUTS + 1) * LANES + i])
        state[INPUTS * LANES + i], state[(INPUTS + 1) * LANES + i] = inputs
        store_motion(scratch, BEFORE * LANES + i, LANES, load_motion(state, i, LANES))
        store_coefficients(scratch, COEFFICIENTS * LANES + i, LANES, precompute(
            inputs, load_parameters(parameters, i, LANES)))


@njit
def _send_all(
    state: Flat, parameters: Flat, scratch: Flat, count: int, lines: Flat, depth: int, tick: int,
) -> None:
    """Give the commands to the actuators and fetch those that arrive in this tick.

    lines: rows of the last `depth` commands of speed, then of steering; that of a tick lies in
    row tick % depth.
    """
    now = tick % depth
    for i in range(count):
        store_motion(scratch, BEFORE * LANES + i, LANES, load_motion(state, i, LANES))
        lines[now * LANES + i], lines[(depth + now) * LANES + i] = _limited_command(
            parameters, scratch, i)
    for channel in range(2):
        first = channel * depth
        for i in range(count):
            at = now - int(parameters[(CHANNELS + channel * _CHANNEL) * LANES + i])
            at += depth if at < 0 else 0
            older = at - 1 if at > 0 else depth - 1
            scratch[(UNDER_WAY + 2 * channel) * LANES + i] = lines[(first + older) * LANES + i]
            scratch[(UNDER_WAY + 2 * channel + 1) * LANES + i] = lines[(first + at) * LANES + i]


@inlined
def _arriving(
    state: Flat, parameters: Flat, scratch: Flat, i: int, channel: int, step: float,
) -> float:
    """Return the output of a channel of a car after a step, of which so many came before."""
    c = load_channel(parameters, (CHANNELS + channel * _CHANNEL) * LANES + i, LANES)
    first = (UNDER_WAY + 2 * channel) * LANES + i
    older, newer = scratch[first], scratch[first + LANES]
    return respond(
        state[(INPUTS + channel) * LANES + i],
        c.scale * (older if step < c.steps else newer) + c.offset, c.gain, c.largest_change)


def _actuate_all(state: Flat, parameters: Flat, scratch: Flat, count: int, step: float) -> None:
    """Advance the actuators by a step, and compute what their outputs fix."""
    for i in range(count):
        inputs = (_arriving(state, parameters, scratch, i, 0, step),
                  _arriving(state, parameters, scratch, i, 1, step))
        state[INPUTS * LANES + i], state[(INPUTS + 1) * LANES + i] = inputs
        store_coefficients(scratch, COEFFICIENTS * LANES + i, LANES, precompute(
            inputs, load_parameters(parameters, i, LANES)))


@inlined
def _state_of(state: Flat, i: int) -> State5:
    return load_state(state, i, LANES)  # type: ignore[no-any-return]


@inlined
def _coefficients_of(scratch: Flat, i: int) -> Coefficients:
    return load_coefficients(scratch, COEFFICIENTS * LANES + i, LANES)  # type: ignore[no-any-return]


@inlined
def _stage_of(scratch: Flat, i: int) -> Stage:
    return load_stage(scratch, STAGE * LANES + i, LANES)  # type: ignore[no-any-return]


def _integrate_all(state: Flat, scratch: Flat, count: int, dt: float, steps: int) -> None:
    for _ in range(steps):
        for i in range(count):
            store_state(state, i, LANES, step_split(
                _state_of(state, i), _coefficients_of(scratch, i), dt))


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
            store_state(state, i, LANES, s)
        return
    half = 0.5 * dt
    for _ in range(steps):
        for i in range(count):
            store_stage(scratch, STAGE * LANES + i, LANES, rk4_first(
                _state_of(state, i), _coefficients_of(scratch, i), half))
        for i in range(count):
            store_stage(scratch, STAGE * LANES + i, LANES, rk4_next(
                _state_of(state, i), _stage_of(scratch, i), _coefficients_of(scratch, i), half))
        for i in range(count):
            store_stage(scratch, STAGE * LANES + i, LANES, rk4_next(
                _state_of(state, i), _stage_of(scratch, i), _coefficients_of(scratch, i), dt))
        for i in range(count):
            store_state(state, i, LANES, rk4_last(
                _state_of(state, i), _stage_of(scratch, i), _coefficients_of(scratch, i), dt))


def _drive_at_once(
    state: Flat, parameters: Flat, scratch: Flat, count: int, lines: Flat, depth: int, tick: int,
    dt: float, steps: int,
) -> None:
    """Advance by a tick; the commands act at once."""
    precompute_all(state, parameters, scratch, count)
    integrate_all(state, scratch, count, dt, steps)


def _drive_actuated(
    state: Flat, parameters: Flat, scratch: Flat, count: int, lines: Flat, depth: int, tick: int,
    dt: float, steps: int,
) -> None:
    """Advance by a tick; the commands act through actuators, see _send_all()."""
    _send_all(state, parameters, scratch, count, lines, depth, tick)
    for step in range(steps):
        actuate_all(state, parameters, scratch, count, float(step))
        integrate_all(state, scratch, count, dt, 1)


@njit
def _disturb_motion(
    state: Flat, count: int, noise: Flat, deviations: Sequence[float], root: float,
) -> None:
    for i in range(count):
        state[i] += root * deviations[6] * noise[NOISE_CHANNELS * i + 6]
        state[LANES + i] += root * deviations[7] * noise[NOISE_CHANNELS * i + 7]


@inlined
def _is_valid(state: Flat, parameters: Flat, i: int) -> bool:
    """Whether a car has not diverged, before or now."""
    a, b, c, d, e = load_state(state, i, LANES)
    most = load_state(parameters, LIMIT * LANES + i, LANES)
    # False for NaN too.
    valid: bool = (
        (state[DIVERGED * LANES + i] < 0.0) & (abs(a) <= most[0]) & (abs(b) <= most[1])
        & (abs(c) <= most[2]) & (abs(d) <= most[3]) & (abs(e) <= most[4]))
    return valid


@njit
def _check_all(
    state: Flat, parameters: Flat, scratch: Flat, count: int, tick: int,
) -> None:
    """Put a car whose state leaves its limits back to where it was, for good."""
    invalid = 0
    for i in range(count):
        invalid += 0 if _is_valid(state, parameters, i) else 1
    # Rare, and apart, so that the loop above vectorises.
    if invalid > 0:
        for i in range(count):
            if not _is_valid(state, parameters, i):
                for k in range(_MOTION):
                    state[k * LANES + i] = scratch[(BEFORE + k) * LANES + i]
                if state[DIVERGED * LANES + i] < 0.0:
                    state[DIVERGED * LANES + i] = float(tick)


def _run_block(
    state: Flat, parameters: Flat, scratch: Flat, lines: Flat, depth: int, count: int,
    references: Flat, times: Sequence[float], first: int, ticks: int, last: int, skip: float,
    period: float, dt: float, steps: int, records: Flat, every: int, samples: int, noise: Flat,
    deviations: Sequence[float], noisy: bool, points: Flat, shown: bool,
) -> None:
    """Run `ticks` ticks of a block from the tick `first` on; the tick `last` is not integrated.

    state, parameters, scratch: rows of LANES numbers; lines, depth: delay lines of the actuators,
    see _send_all(); count: cars. references: (ticks, references, their size); times: of all ticks
    since the start [s]; skip: time from which metrics count [s]; period: of a tick [s]; dt: step
    [s], steps per tick; records: (count, samples, COLUMN_COUNT), one of `every` ticks, 0 for none;
    noise: (ticks, count, NOISE_CHANNELS) with their standard deviations; points: (ticks,
    POINT_NUMBERS, LANES), filled if shown. All flat.
    """
    ahead = _is_ahead(parameters, count)
    for k in range(ticks):
        tick = first + k
        observe_all(state, parameters, scratch, count)
        if ahead:
            _place_points(parameters, scratch, count)
        place_all(parameters, scratch, count, references, k * (len(references) // ticks))
        block_noise = noise[k * count * NOISE_CHANNELS:(k + 1) * count * NOISE_CHANNELS]
        # Metrics are of where the car is, not of where it believes to be.
        _update_metrics(
            state, scratch, count, ahead, times[tick] - times[tick - 1] if tick else 0.0,
            times[tick] >= skip)
        if shown:
            _show_points(scratch, count, ahead, points, POINT_NUMBERS * k)
        if noisy:
            _disturb_measurement(scratch, count, block_noise, deviations)
        control_all(state, parameters, scratch, count, period, tick)
        if every > 0 and tick % every == 0:
            _record_all(state, scratch, count, records, tick // every, samples, times[tick])
        if tick < last:
            drive_all(state, parameters, scratch, count, lines, depth, tick, dt, steps)
            if noisy:
                _disturb_motion(state, count, block_noise, deviations, math.sqrt(period))
            _check_all(state, parameters, scratch, count, tick)


def block_kernel(
    form: SplitDerivative, observe: Any, integrator: str, control: LaneControl, *,
    actuated: bool,
) -> RunBlock:
    """Bind a model, a method and what drives the cars: see _run_block().

    actuated: whether commands act through actuators.
    """
    lanes = control.kernels()
    motion = f'{integrator}_{form.name}'
    if actuated:
        drive = specialise(
            _drive_actuated, f'drive_actuated_{motion}', actuate_all=specialise(
                _actuate_all, f'actuate_all_{form.name}', precompute=form.precompute),
            integrate_all=integration_kernel(form, integrator))
    else:
        drive = specialise(
            _drive_at_once, f'drive_at_once_{motion}', precompute_all=specialise(
                _precompute_all, f'precompute_all_{form.name}', precompute=form.precompute),
            integrate_all=integration_kernel(form, integrator))
    return specialise(
        _run_block, f'run_block_{drive.__name__}_{control.name}', unlocked, drive_all=drive,
        observe_all=specialise(_observe_all, f'observe_all_{form.name}', observe=observe),
        place_all=lanes.place_all, control_all=lanes.control_all)


def integration_kernel(form: SplitDerivative, integrator: str) -> Callable[..., None]:
    """Bind a model and a method: see _integrate_all()."""
    name = f'integrate_all_{integrator}_{form.name}'
    stages, step = split_stages(form, integrator), split_step(form, integrator)
    if stages:
        return specialise(_integrate_stages, name, unlocked, step_split=step, **stages)
    return specialise(_integrate_all, name, unlocked, step_split=step)
