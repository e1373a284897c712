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

from racecar.base.compiled import inlined, njit, specialise, unbound
from racecar.base.packing import Flat, Packing, packing, Vector
from racecar.dynamics.held_steps import state_kernels
from racecar.dynamics.integrators import split_stages
from racecar.dynamics.vehicles import KinematicUndersteer, SingleTrack, SingleTrackSlip
from racecar.dynamics.vehicles.interface import SplitDerivative
from racecar.dynamics.vehicles.kinematic_understeer import understeer_yaw_rate
from racecar.dynamics.vehicles.single_track_equations import PARAMETER_COUNT
from racecar.dynamics.vehicles.single_track_slip import SlipState
from racecar.identification.drive import Array, Drive

SUBSTEPS = 2
"""Least number of integration steps per sample of a drive."""
LOW_SPEED = 0.3
"""Low-speed threshold of models that predict [m/s]: steps of 10 ms stay stable."""
FROM_SPEED = 0.5
"""Speed above which windows lie [m/s]."""
SLIP_OF_WHEELSPIN = 0.2
"""Slip of wheels that counts as wheelspin [-]."""
TURNING = 0.1
"""Speed from which wheels turn [m/s]."""
MOST_VALUE = 1e3
"""What stands for a prediction that left the numbers [m, rad]."""

load_parameters = packing(PARAMETER_COUNT).load
LANES = 64
"""Windows that are predicted side by side: what is done to all in one loop can be vectorised."""
_ROWS = 6
"""Numbers of the longest state, that of combined slip."""
_COLUMNS = 7
_INSTANT = 1e-9
"""Time between two events that count as one [s]."""
_NO_LIMIT = 1e9
"""Rate of the steering that is no limit [rad/s]."""

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


class Steps(NamedTuple):
    """Integration steps of a drive, which end at samples and where the steering is switched.

    first (n,): number of the step that begins at a sample, -1 at samples that no window needs.
    values (k, 7): length [s]; speed of the wheels [m/s] at start, middle and end, of a line that
    has the mean of the step; angle at the front wheels [rad] likewise, of one that also has its
    first moment.
    """

    first: NDArray[np.int64]
    values: Array


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

    It moves where the car is faster than from_speed [m/s] and the wheels turn: a car that stands
    only seems to move while a localisation finds it anew.

    horizons: how many, evenly spaced up to the length; block [s]: see Windows; start, end: part of
    the drive [s]; run_in [s]: the prediction begins so much earlier, with the velocities measured
    there, and its pose counts from the start of the window.
    """
    count, lead = round(length / drive.period), round(run_in / drive.period)
    good = drive.valid & (drive.vx > from_speed) & (drive.wheel_speed > TURNING)
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


def wheel_way(drive: Drive, sensor: WheelSensor) -> Array:
    """Return the way of the wheels up to each sample [m], but for the delay of the sensor.

    The integral of scale (w + lag w'), for which w need not be differentiated.
    """
    way: Array = sensor.scale * (drive.wheel_way + sensor.lag * drive.wheel_smooth)
    return way


def share_of_wheelspin(
    drive: Drive, sensor: WheelSensor, slip: float = SLIP_OF_WHEELSPIN,
) -> float:
    """Return the share of the moving time in which the wheels slip by so much or more.

    sensor: from the measured speed to that of the wheels; a lag that it leaves in hides slip where
    the speed changes, and shows slip where there is none.
    """
    moving = drive.valid & (np.hypot(drive.vx, drive.vy) > FROM_SPEED) & (drive.wheel_speed > 0.0)
    if not moving.any():
        return 0.0
    at = np.arange(drive.x.size)
    speeds = np.gradient(np.interp(
        at - sensor.delay / drive.period, at, wheel_way(drive, sensor)), drive.period)
    faster = np.maximum(np.maximum(np.abs(speeds), np.abs(drive.vx)), LOW_SPEED)
    return float(np.mean((np.abs(speeds - drive.vx) > slip * faster)[moving]))


def make_steps(
    drive: Drive, windows: Windows, actuator: SteeringActuator, sensor: WheelSensor,
) -> Steps:
    """Return the integration steps of windows of a drive, with what holds in each of them."""
    begins = windows.starts - windows.lead
    needed = np.zeros(drive.x.size, dtype=np.bool_)
    needed[begins] = needed[windows.starts] = True
    needed[windows.starts[:, None] + windows.horizons[None, :]] = True
    commands = drive.steering_switches
    first, values, count = _steps(
        needed, commands.t + actuator.delay, actuator.gain * commands.values + actuator.offset,
        actuator.lag, min(actuator.rate, _NO_LIMIT), wheel_way(drive, sensor), sensor.delay,
        drive.period,
        drive.period / SUBSTEPS)
    return Steps(first, values[:count])


@njit
def _steps(
    needed: NDArray[np.bool_], switches: Array, commands: Array, lag: float, rate: float,
    way: Array, way_delay: float, period: float, longest: float,
) -> tuple[NDArray[np.int64], Array, int]:
    """Write steps between needed samples and switches of the command; see Steps.

    switches (m,) [s]: when the steering begins to follow commands (m,) [rad]; way (n,) [m]: of the
    wheels, which have it way_delay [s] later; longest: step [s].
    """
    first = np.full(len(needed), -1)
    last = len(needed) - 1
    while last > 0 and not needed[last]:
        last -= 1
    most = 2 * (len(switches) + len(needed)) + int(last * period / longest) + 2
    values = np.empty((most, _COLUMNS))
    count, sample, switch = 0, 0, 0
    wanted = angle = commands[0]
    now = 0.0
    went, speed = _along(way, -way_delay / period)
    while True:
        if needed[sample]:
            first[sample] = count
        if sample == last:
            return first, values, count
        sample += 1
        while not needed[sample]:
            sample += 1
        there = sample * period
        while now < there:
            # What switches now, or did before the drive.
            while switch < len(switches) and switches[switch] <= now + _INSTANT:
                wanted = commands[switch]
                switch += 1
            end = there
            if switch < len(switches) and switches[switch] < there - _INSTANT:
                end = switches[switch]
            pieces = max(math.ceil((end - now) / longest - 1e-6), 1)
            step = (end - now) / pieces
            for _ in range(pieces):
                change = wanted - angle
                if rate < _NO_LIMIT:
                    # Not exact: the limit acts on whole halves of a step.
                    begin = angle
                    half = change if lag <= 0.0 else change * -math.expm1(-0.5 * step / lag)
                    whole = change if lag <= 0.0 else change * -math.expm1(-step / lag)
                    mean = angle + min(max(half, -0.5 * rate * step), 0.5 * rate * step)
                    angle += min(max(whole, -rate * step), rate * step)
                    finish = angle
                else:
                    share, slope = _lagged_moments(step, lag)
                    mean = wanted - change * share
                    begin, finish = mean - change * slope, mean + change * slope
                    angle = wanted - (change * math.exp(-step / lag) if lag > 0.0 else 0.0)
                before, slower = went, speed
                went, speed = _along(way, (now + step - way_delay) / period)
                row = values[count]
                row[0] = step
                row[2] = (went - before) / step
                row[1] = row[2] - 0.5 * (speed - slower) / period
                row[3] = row[2] + 0.5 * (speed - slower) / period
                row[4], row[5], row[6] = begin, mean, finish
                count += 1
                now += step
            now = end


@inlined
def _lagged_moments(step: float, lag: float) -> tuple[float, float]:
    """Return what is left of a change [-] on average, and what it falls by in half a step [-].

    The straight line of both has the mean and the first moment of exp(-t/lag) over the step.
    """
    if lag <= 0.0:
        return 0.0, 0.0
    x = step / lag
    if x < 1e-3:
        return 1.0 - 0.5 * x, 0.5 * x
    stays = math.exp(-x)
    return (1.0 - stays) / x, 6.0 * (0.5 * (1.0 + stays) - (1.0 - stays) / x) / (x * x) * x


@inlined
def _along(values: Array, at: float) -> tuple[float, float]:
    """Return a value between samples and its derivative, by the cubic of the four around it.

    Of Catmull and Rom: its slope at a sample is that from the sample before to the one after.
    Beyond the ends it goes on straight.
    """
    last = len(values) - 1
    inside = min(max(at, 0.0), float(last))
    k = min(int(inside), last - 1)
    s = inside - k
    p, q = values[k], values[k + 1]
    u = 0.5 * (q - values[k - 1]) if k > 0 else q - p
    v = 0.5 * (values[k + 2] - p) if k + 2 <= last else q - p
    c, d = 3.0 * (q - p) - 2.0 * u - v, u + v - 2.0 * (q - p)
    slope = u + s * (2.0 * c + 3.0 * s * d)
    return p + s * (u + s * (c + s * d)) + (at - inside) * slope, slope


def _predict(
    out: Array, starts: NDArray[np.int64], initial: Array, horizons: NDArray[np.int64],
    first: NDArray[np.int64], values: Array, parameters: Array, limit: float, lead: int,
) -> None:
    """Write the poses of windows, LANES of them side by side; see predict()."""
    states: Any = np.zeros(_ROWS * LANES)
    points, slopes, totals = states.copy(), states.copy(), states.copy()
    # Columns of Steps, of each window its own.
    given, begun = np.zeros((_COLUMNS, LANES)), np.zeros((LANES, 3))
    done, ends = np.zeros(LANES, dtype=np.int64), np.zeros(LANES, dtype=np.int64)
    for begin_at in range(0, len(starts), LANES):
        count = min(LANES, len(starts) - begin_at)
        for i in range(count):
            w = begin_at + i
            store_state(states, i, LANES, begin(
                initial[w, 0], initial[w, 1], initial[w, 2], parameters))
            done[i] = first[starts[w] - lead]
        # The first horizon is that of the start itself.
        for h in range(-1, len(horizons)):
            most = 0
            for i in range(count):
                ends[i] = first[starts[begin_at + i] + (horizons[h] if h >= 0 else 0)]
                most = max(most, ends[i] - done[i])
            for _ in range(most):
                for i in range(count):
                    # Where others have more steps, it waits in one that takes no time.
                    goes_on = done[i] < ends[i]
                    row = values[done[i] if goes_on else max(done[i] - 1, 0)]
                    for column in range(_COLUMNS):
                        given[column, i] = row[column]
                    if goes_on:
                        done[i] += 1
                    else:
                        given[0, i] = 0.0
                step_all(states, points, slopes, totals, given, parameters, count)
            for i in range(count):
                x, y, yaw = finish(load_state(states, i, LANES), parameters)
                if h < 0:
                    begun[i, 0], begun[i, 1], begun[i, 2] = x, y, yaw
                    continue
                x, y, yaw = x - begun[i, 0], y - begun[i, 1], yaw - begun[i, 2]
                cosine, sine = math.cos(begun[i, 2]), math.sin(begun[i, 2])
                x, y = cosine * x + sine * y, cosine * y - sine * x
                w = begin_at + i
                out[w, h, 0] = min(max(x, -limit), limit) if x == x else limit
                out[w, h, 1] = min(max(y, -limit), limit) if y == y else limit
                out[w, h, 2] = min(max(yaw, -limit), limit) if yaw == yaw else limit


def _step_each(
    states: Flat, points: Flat, slopes: Flat, totals: Flat, given: Array, parameters: Array,
    count: int,
) -> None:
    """Do one window after the other what its model does in a step."""
    for i in range(count):
        angles = (given[4, i], given[5, i], given[6, i])
        store_state(states, i, LANES, advance(
            load_state(states, i, LANES), given[2, i], angles, parameters, given[0, i]))


class _Pose(NamedTuple):
    x: float
    y: float
    yaw: float


@inlined
def _begin_kinematic(vx: float, vy: float, rate: float, parameters: Array) -> _Pose:
    return _Pose(0.0, 0.0, 0.0)


@inlined
def _advance_kinematic(
    pose: _Pose, speed: float, angles: tuple[float, float, float], parameters: Vector, dt: float,
) -> _Pose:
    turn = dt * understeer_yaw_rate((speed, angles[1]), parameters)
    # Along the chord of the arc.
    middle = pose.yaw + 0.5 * turn
    return _Pose(pose.x + dt * speed * math.cos(middle), pose.y + dt * speed * math.sin(middle),
                 pose.yaw + turn)


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
    points: Flat, slopes: Flat, speeds: Array, angles: Array, parameters: Array, count: int,
) -> None:
    for i in range(count):
        held = hold((speeds[i], angles[i]), parameters)
        store_state(slopes, i, LANES, rates(load_state(points, i, LANES), held))


def _step_all(
    states: Flat, points: Flat, slopes: Flat, totals: Flat, given: Array, parameters: Array,
    count: int,
) -> None:
    """Do what the step rk4 of held_steps does, one stage of all windows after the other."""
    steps = given[0]
    for i in range(count):
        store_state(points, i, LANES, from_origin(load_state(states, i, LANES)))
    for stage in range(4):
        # At the start of the step, twice in its middle, and at its end.
        at = (stage + 1) // 2
        rates_all(points, slopes, given[1 + at], given[4 + at], parameters, count)
        if stage == 0:
            totals[:] = slopes
        else:
            weight = 1.0 if stage == 3 else 2.0
            for i in range(count):
                store_state(totals, i, LANES, plus(
                    load_state(totals, i, LANES), weight, load_state(slopes, i, LANES)))
        ahead = 1.0 if stage == 2 else 0.5
        for i in range(count):
            store_state(points, i, LANES, plus(
                from_origin(load_state(states, i, LANES)), ahead * steps[i],
                load_state(slopes, i, LANES)))
    for i in range(count):
        state = load_state(states, i, LANES)
        store_state(states, i, LANES, place(
            state, plus(from_origin(state), steps[i] / 6.0, load_state(totals, i, LANES))))


precompute = rk4_first = rk4_next = rk4_last = unbound


def _advance_track(
    state: Any, speed: float, angles: tuple[float, float, float], parameters: Vector, dt: float,
) -> Any:
    """Do a step of Runge-Kutta 4 with the steering of each stage."""
    packed = load_parameters(parameters, 0, 1)
    middle = precompute((speed, angles[1]), packed)
    first, last = middle, middle
    if angles[0] != angles[2]:
        first = precompute((speed, angles[0]), packed)
        last = precompute((speed, angles[2]), packed)
    half = 0.5 * dt
    stage = rk4_next(state, rk4_first(state, first, half), middle, half)
    return rk4_last(state, rk4_next(state, stage, middle, dt), last, dt)


def predictor(
    model: KinematicUndersteer | SingleTrack | SingleTrackSlip,
) -> Callable[..., None]:
    """Return the compiled loop over windows of a kind of model."""
    loops: dict[type, Callable[[Any], Callable[..., None]]] = {
        KinematicUndersteer: _kinematic_loop, SingleTrack: _track_loop,
        SingleTrackSlip: _slip_loop}
    return loops[type(model)](model)


def _kinematic_loop(model: KinematicUndersteer) -> Callable[..., None]:
    return _one_by_one(model.name, packing(_Pose), begin=_begin_kinematic,
                       advance=_advance_kinematic, finish=_finish_kinematic)


def _track_loop(model: SingleTrack) -> Callable[..., None]:
    form = model.split_derivative
    assert isinstance(form, SplitDerivative)
    return _one_by_one(
        form.name, packing(5), begin=_begin_track, finish=_finish_track,
        advance=specialise(_advance_track, f'advance_track_{form.name}', inlined,
                           precompute=form.precompute, **split_stages(form, 'rk4')))


def _one_by_one(
    name: str, state: Packing, *, begin: Any, advance: Any, finish: Any,
) -> Callable[..., None]:
    rows = _rows_of(state)
    step = specialise(_step_each, f'step_each_{name}', advance=advance, **rows)
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
    model: KinematicUndersteer | SingleTrack | SingleTrackSlip, windows: Windows, steps: Steps,
) -> Array:
    """Return the poses (w, h, 3) that a model predicts, as Windows.measured; see make_steps()."""
    out = np.empty_like(windows.measured)
    predictor(model)(
        out, windows.starts, windows.initial, windows.horizons, steps.first, steps.values,
        np.asarray(model.parameters), MOST_VALUE, windows.lead)
    return out
