# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Open-loop prediction over windows of a drive, compiled, with the vehicle models of the package.

A window starts in the measured state and is driven by what was commanded and measured from there
on: the steering command through its actuator, and the speed of the wheels times their scale. What
comes out is the pose of the rear axle, seen from where the window starts, at some horizons.
"""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.core.compiled import inlined, njit, specialise, unbound
from racecar.core.identification.drive import Array, Drive
from racecar.core.packing import Flat, Packing, packing, Vector
from racecar.core.simulation.held_steps import state_kernels
from racecar.core.simulation.integrators import split_step
from racecar.core.vehicles import KinematicUndersteer, SingleTrack, SingleTrackSlip
from racecar.core.vehicles.interface import SplitDerivative
from racecar.core.vehicles.kinematic_understeer import understeer_yaw_rate
from racecar.core.vehicles.single_track_equations import PARAMETER_COUNT
from racecar.core.vehicles.single_track_slip import SlipState

SUBSTEPS = 2
"""Integration steps per sample of a drive."""
LOW_SPEED = 0.3
"""Low-speed threshold of models that predict [m/s]: steps of 10 ms stay stable."""
FROM_SPEED = 0.5
"""Speed above which windows lie [m/s]."""
MOST_VALUE = 1e3
"""What stands for a prediction that left the numbers [m, rad]."""

load_parameters = packing(PARAMETER_COUNT).load
LANES = 64
"""Windows that are predicted side by side: what is done to all in one loop can be vectorised."""
_ROWS = 6
"""Numbers of the longest state, that of combined slip."""

begin = hold = advance = finish = step_all = load_state = store_state = unbound
rates = plus = from_origin = place = rates_all = unbound


class Windows(NamedTuple):
    """Windows of one drive.

    starts (w,): samples at which they start; initial (w, 3): vx, vy, yaw rate of the rear axle
    [SI], `lead` samples earlier; horizons (h,): samples after the start; measured (w, h, 3): x, y
    [m], yaw [rad] of the rear axle, seen from the start. blocks (w,): number of the stretch of
    time for the errors of estimates, which neighbouring windows share.
    """

    starts: NDArray[np.int64]
    initial: Array
    horizons: NDArray[np.int64]
    measured: Array
    blocks: NDArray[np.int64]
    lead: int = 0


class SteeringActuator(NamedTuple):
    """What a steering command passes: gain [-], offset [rad], delay, lag [s], rate [rad/s]."""

    gain: float = 1.0
    offset: float = 0.0
    delay: float = 0.0
    lag: float = 0.0
    rate: float = math.inf


class WheelSensor(NamedTuple):
    """From measured speed w to that of the wheels: scale (w + lag w'), delay later. [-], [s]."""

    scale: float = 1.0
    lag: float = 0.0
    delay: float = 0.0


def cut_windows(
    drive: Drive, *, length: float, every: float, horizons: int, block: float = 5.0,
    from_speed: float = FROM_SPEED, start: float = 0.0, end: float = math.inf,
    run_in: float = 0.0,
) -> Windows:
    """Cut windows of a length [s], one every so often [s], where the drive is valid and moves.

    horizons: how many, evenly spaced up to the length; block [s]: see Windows; start, end: part of
    the drive [s]; run_in [s]: the prediction begins so much earlier, with the velocities measured
    there, and its pose counts from the start of the window.
    """
    count, lead = round(length / drive.period), round(run_in / drive.period)
    good = drive.valid & (drive.vx > from_speed)
    # Number of good samples up to each one.
    total = np.concatenate([[0], np.cumsum(good)])
    first = round(max(start, 0.3 + run_in) / drive.period)
    last = min(drive.x.size - 1.0, end / drive.period) - count
    starts = np.arange(first, max(int(last) + 1, first), max(round(every / drive.period), 1))
    starts = starts[starts + count < drive.x.size]
    starts = starts[total[starts + count + 1] - total[starts - lead] == count + lead + 1]
    at = np.linspace(0, count, horizons + 1)[1:].round().astype(np.int64)
    measured = seen_from_starts(drive.x, drive.y, drive.yaw, starts, at)
    begin_at = starts - lead
    return Windows(
        starts.astype(np.int64),
        np.column_stack([drive.vx[begin_at], drive.vy[begin_at], drive.yaw_rate[begin_at]]), at,
        measured, (starts * drive.period / block).astype(np.int64), lead)


def seen_from_starts(
    x: Array, y: Array, yaw: Array, starts: NDArray[np.int64], horizons: NDArray[np.int64],
) -> Array:
    """Return poses (w, h, 3) seen from those at the starts of windows; see Windows.measured."""
    ends = starts[:, None] + horizons[None, :]
    cosine, sine = np.cos(yaw[starts])[:, None], np.sin(yaw[starts])[:, None]
    dx, dy = x[ends] - x[starts][:, None], y[ends] - y[starts][:, None]
    return np.stack([cosine * dx + sine * dy, cosine * dy - sine * dx,
                     yaw[ends] - yaw[starts][:, None]], axis=2)


def without_run_in(drive: Drive, windows: Windows) -> Windows:
    """Return the same windows, each from the velocities that are measured at its start."""
    at = windows.starts
    return windows._replace(
        initial=np.column_stack([drive.vx[at], drive.vy[at], drive.yaw_rate[at]]), lead=0)


def steering_angles(drive: Drive, actuator: SteeringActuator) -> Array:
    """Return the angle at the wheels in the middle of each integration step [rad]."""
    return _steering(
        drive.steering, actuator.gain, actuator.offset, actuator.delay, actuator.lag,
        min(actuator.rate, 1e9), drive.period / SUBSTEPS, SUBSTEPS)


def wheel_speeds(drive: Drive, sensor: WheelSensor) -> Array:
    """Return the speed of the wheels in the middle of each integration step [m/s]."""
    speed = sensor.scale * (drive.wheel_speed + sensor.lag * drive.wheel_acceleration)
    steps = np.arange(speed.size * SUBSTEPS)
    at = (steps + 0.5) / SUBSTEPS - sensor.delay / drive.period
    return np.interp(at, np.arange(speed.size), speed)


@njit
def _steering(
    commands: Array, gain: float, offset: float, delay: float, lag: float, rate: float,
    step: float, substeps: int,
) -> Array:
    """Delay (linearly between steps), lag and rate of commands that hold; see SteeringActuator."""
    count = len(commands) * substeps
    angles = np.empty(count)
    # Output in the middle of a step: half of it has passed.
    shift = delay / step
    whole = int(math.floor(shift))
    share = shift - whole
    follow = 1.0 - math.exp(-step / lag) if lag > 1e-6 else 1.0
    half = 1.0 - math.exp(-0.5 * step / lag) if lag > 1e-6 else 1.0
    largest = rate * step
    value = gain * commands[0] + offset
    for k in range(count):
        newer, older = max(k - whole, 0) // substeps, max(k - whole - 1, 0) // substeps
        wanted = gain * ((1.0 - share) * commands[newer] + share * commands[older]) + offset
        change = wanted - value
        middle = min(max(half * change, -0.5 * largest), 0.5 * largest)
        angles[k] = value + middle
        value += min(max(follow * change, -largest), largest)
    return angles


def _predict(
    out: Array, starts: NDArray[np.int64], initial: Array, horizons: NDArray[np.int64],
    speeds: Array, steering: Array, parameters: Array, dt: float, substeps: int, limit: float,
    lead: int,
) -> None:
    """Write the poses of windows, LANES of them side by side; see predict()."""
    states: Any = np.zeros(_ROWS * LANES)
    points, slopes, totals = states.copy(), states.copy(), states.copy()
    own_speeds, angles, begun = np.zeros(LANES), np.zeros(LANES), np.zeros((LANES, 3))
    for first in range(0, len(starts), LANES):
        count = min(LANES, len(starts) - first)
        for i in range(count):
            w = first + i
            store_state(states, i, LANES, begin(
                initial[w, 0], initial[w, 1], initial[w, 2], parameters))
        done = -lead * substeps
        # The first horizon is that of the start itself.
        for h in range(-1, len(horizons)):
            end = horizons[h] * substeps if h >= 0 else 0
            while done < end:
                for i in range(count):
                    at = starts[first + i] * substeps + done
                    own_speeds[i], angles[i] = speeds[at], steering[at]
                step_all(states, points, slopes, totals, own_speeds, angles, parameters, dt, count)
                done += 1
            for i in range(count):
                x, y, yaw = finish(load_state(states, i, LANES), parameters)
                if h < 0:
                    begun[i, 0], begun[i, 1], begun[i, 2] = x, y, yaw
                    continue
                x, y, yaw = x - begun[i, 0], y - begun[i, 1], yaw - begun[i, 2]
                cosine, sine = math.cos(begun[i, 2]), math.sin(begun[i, 2])
                x, y = cosine * x + sine * y, cosine * y - sine * x
                w = first + i
                out[w, h, 0] = min(max(x, -limit), limit) if x == x else limit
                out[w, h, 1] = min(max(y, -limit), limit) if y == y else limit
                out[w, h, 2] = min(max(yaw, -limit), limit) if yaw == yaw else limit


def _step_each(
    states: Flat, points: Flat, slopes: Flat, totals: Flat, speeds: Flat, angles: Flat,
    parameters: Array, dt: float, count: int,
) -> None:
    """Do one window after the other what its model does in a step."""
    for i in range(count):
        held = hold((speeds[i], angles[i]), parameters)
        store_state(states, i, LANES, advance(load_state(states, i, LANES), held, dt))


class _Pose(NamedTuple):
    x: float
    y: float
    yaw: float


class _Turn(NamedTuple):
    speed: float
    yaw_rate: float


@inlined
def _begin_kinematic(vx: float, vy: float, rate: float, parameters: Array) -> _Pose:
    return _Pose(0.0, 0.0, 0.0)


@inlined
def _hold_kinematic(inputs: tuple[float, float], parameters: Vector) -> _Turn:
    return _Turn(inputs[0], understeer_yaw_rate(inputs, parameters))


@inlined
def _advance_kinematic(pose: _Pose, turn: _Turn, dt: float) -> _Pose:
    # Along the chord of the arc.
    middle = pose.yaw + 0.5 * dt * turn.yaw_rate
    return _Pose(pose.x + dt * turn.speed * math.cos(middle),
                 pose.y + dt * turn.speed * math.sin(middle), pose.yaw + dt * turn.yaw_rate)


@inlined
def _finish_kinematic(pose: _Pose, parameters: Array) -> tuple[float, float, float]:
    return pose.x, pose.y, pose.yaw


_OFFSET_TRACK = 10  # ODOMETRY_OFFSET of single_track_equations
_OFFSET_SLIP = 5  # odometry_offset of SlipCar


@inlined
def _begin_track(
    vx: float, vy: float, rate: float, parameters: Array,
) -> tuple[float, float, float, float, float]:
    offset = parameters[_OFFSET_TRACK]
    return vy - offset * rate, rate, -offset, 0.0, 0.0


@inlined
def _finish_track(
    state: tuple[float, float, float, float, float], parameters: Array,
) -> tuple[float, float, float]:
    offset = parameters[_OFFSET_TRACK]
    return (state[2] + offset * math.cos(state[4]), state[3] + offset * math.sin(state[4]),
            state[4])


@inlined
def _begin_slip(vx: float, vy: float, rate: float, parameters: Array) -> SlipState:
    offset = parameters[_OFFSET_SLIP]
    return SlipState(vx, vy - offset * rate, rate, -offset, 0.0, 0.0)


@inlined
def _finish_slip(state: SlipState, parameters: Array) -> tuple[float, float, float]:
    offset = parameters[_OFFSET_SLIP]
    return (state.x + offset * math.cos(state.yaw), state.y + offset * math.sin(state.yaw),
            state.yaw)


def _rates_all(
    points: Flat, slopes: Flat, speeds: Flat, angles: Flat, parameters: Array, count: int,
) -> None:
    for i in range(count):
        held = hold((speeds[i], angles[i]), parameters)
        store_state(slopes, i, LANES, rates(load_state(points, i, LANES), held))


def _step_all(
    states: Flat, points: Flat, slopes: Flat, totals: Flat, speeds: Flat, angles: Flat,
    parameters: Array, dt: float, count: int,
) -> None:
    """Do what the step rk4 of held_steps does, one stage of all windows after the other."""
    for i in range(count):
        store_state(points, i, LANES, from_origin(load_state(states, i, LANES)))
    for stage in range(4):
        rates_all(points, slopes, speeds, angles, parameters, count)
        if stage == 0:
            totals[:] = slopes
        else:
            weight = 1.0 if stage == 3 else 2.0
            for i in range(count):
                store_state(totals, i, LANES, plus(
                    load_state(totals, i, LANES), weight, load_state(slopes, i, LANES)))
        ahead = dt if stage == 2 else 0.5 * dt
        for i in range(count):
            store_state(points, i, LANES, plus(
                from_origin(load_state(states, i, LANES)), ahead, load_state(slopes, i, LANES)))
    for i in range(count):
        state = load_state(states, i, LANES)
        store_state(states, i, LANES, place(
            state, plus(from_origin(state), dt / 6.0, load_state(totals, i, LANES))))


precompute = unbound


def _hold_track(inputs: tuple[float, float], parameters: Vector) -> Any:
    return precompute(inputs, load_parameters(parameters, 0, 1))


def predictor(
    model: KinematicUndersteer | SingleTrack | SingleTrackSlip,
) -> Callable[..., None]:
    """Return the compiled loop over windows of a kind of model."""
    loops: dict[type, Callable[[Any], Callable[..., None]]] = {
        KinematicUndersteer: _kinematic_loop, SingleTrack: _track_loop,
        SingleTrackSlip: _slip_loop}
    return loops[type(model)](model)


def _kinematic_loop(model: KinematicUndersteer) -> Callable[..., None]:
    return _one_by_one(model.name, packing(_Pose), begin=_begin_kinematic, hold=_hold_kinematic,
                       advance=_advance_kinematic, finish=_finish_kinematic)


def _track_loop(model: SingleTrack) -> Callable[..., None]:
    form = model.split_derivative
    assert isinstance(form, SplitDerivative)
    return _one_by_one(
        form.name, packing(5), begin=_begin_track, advance=split_step(form), finish=_finish_track,
        hold=specialise(_hold_track, f'hold_track_{form.name}', inlined,
                        precompute=form.precompute))


def _one_by_one(
    name: str, state: Packing, *, begin: Any, hold: Any, advance: Any, finish: Any,
) -> Callable[..., None]:
    rows = _rows_of(state)
    step = specialise(_step_each, f'step_each_{name}', hold=hold, advance=advance, **rows)
    return specialise(
        _predict, f'predict_{name}', begin=begin, finish=finish, step_all=step, **rows)


def _rows_of(state: Packing) -> dict[str, Any]:
    return {'load_state': state.load, 'store_state': state.store}


def _slip_loop(model: SingleTrackSlip) -> Callable[..., None]:
    form, rows = model.held_rates, _rows_of(packing(SlipState))
    rates_of_all = specialise(
        _rates_all, f'rates_all_{form.name}', hold=form.hold, rates=form.rates, **rows)
    step = specialise(_step_all, f'step_all_{form.name}', rates_all=rates_of_all, **rows,
                      **state_kernels(SlipState))
    return specialise(
        _predict, f'predict_{form.name}', begin=_begin_slip, finish=_finish_slip, step_all=step,
        **rows)


def predict(
    model: KinematicUndersteer | SingleTrack | SingleTrackSlip, windows: Windows, speeds: Array,
    steering: Array, period: float,
) -> Array:
    """Return the poses (w, h, 3) that a model predicts, as Windows.measured.

    speeds, steering: of wheel_speeds() and steering_angles(); period: of the drive [s].
    """
    out = np.empty_like(windows.measured)
    predictor(model)(
        out, windows.starts, windows.initial, windows.horizons, speeds, steering,
        np.asarray(model.parameters), period / SUBSTEPS, SUBSTEPS, MOST_VALUE,
        windows.lead)
    return out
