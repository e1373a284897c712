# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Open-loop prediction over windows of a drive, compiled, with the vehicle models of the package.

A window starts in the measured state and is driven by what was commanded and measured from there
on: the steering command through its actuator, and the speed of the wheels times their scale. What
comes out is the pose of the rear axle, seen from where the window starts, at some horizons.
"""

from __future__ import annotations

from collections.abc import Callable
import functools
import math
from typing import cast, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import compiled, importable, kernel, pure, routine, types_of
from racecar.base.rows import at_origin, load, moved, Numbers, Part, plus, store, zeros_like
from racecar.base.vectors import Flat
from racecar.dynamics.vehicles import KinematicUndersteer, SingleTrack, SingleTrackSlip
from racecar.dynamics.vehicles.interface import Command, Equations
from racecar.dynamics.vehicles.kinematic_bicycle import AxleState, KinematicHeld
from racecar.dynamics.vehicles.kinematic_understeer import UndersteerCar
from racecar.dynamics.vehicles.planar import PlanarState
from racecar.dynamics.vehicles.single_track_equations import FullState, SingleCar
from racecar.dynamics.vehicles.single_track_slip import SlipCar
from racecar.identification.drive import Array, Channel, Drive, Flags
from racecar.simulation.layout import Layout

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

LANES = 64
"""Windows that are predicted side by side: what is done to all in one loop can be vectorised."""
_COLUMNS = 7
_INSTANT = 1e-9
"""Time between two events that count as one [s]."""
_NO_LIMIT = 1e9
"""Rate of the steering that is no limit [rad/s]."""

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
    from_speed: float = FROM_SPEED, part: tuple[float, float] = (0.0, math.inf),
    run_in: float = 0.0,
) -> Windows:
    """Cut windows of a length [s], one every so often [s], where the drive is valid and moves.

    It moves where the car is faster than from_speed [m/s] and the wheels turn: a car that stands
    only seems to move while a localisation finds it anew.

    horizons: how many, evenly spaced up to the length; block [s]: see Windows; part: start and end
    of the part of the drive [s]; run_in [s]: the prediction begins so much earlier, with the
    velocities measured there, and its pose counts from the start of the window.
    """
    count, lead = round(length / drive.period), round(run_in / drive.period)
    good = drive.valid & (drive.vx > from_speed) & (drive.wheel_speed > TURNING)
    # Number of good samples up to each one.
    total = np.concatenate([[0], np.cumsum(good)])
    first = round(max(part[0], 0.3 + run_in) / drive.period)
    last = min(drive.x.size - 1.0, part[1] / drive.period) - count
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
    switches = drive.steering_switches
    first, values, count = _steps(
        needed, Channel(switches.t + actuator.delay,
                        actuator.gain * switches.values + actuator.offset),
        actuator.lag, actuator.rate, _Way(wheel_way(drive, sensor), sensor.delay, drive.period))
    return Steps(first, values[:count])


class _Way(NamedTuple):
    """Way of the wheels [m] at samples `period` [s] apart, which they have `delay` [s] later."""

    values: Array
    delay: float
    period: float


@kernel
def _steps(
    needed: Flags, commands: Channel, lag: float, rate: float, way: _Way,
) -> tuple[NDArray[np.int64], Array, int]:
    """Write steps between needed samples and switches of the command; see Steps.

    commands: from when on the steering follows which one [rad]; lag, rate: of SteeringActuator.
    """
    period, longest = way.period, way.period / SUBSTEPS
    switches = commands.t
    first = np.full(len(needed), -1)
    last = len(needed) - 1
    while last > 0 and not needed[last]:
        last -= 1
    most = 2 * (len(switches) + len(needed)) + int(last * period / longest) + 2
    values = np.empty((most, _COLUMNS))
    count, sample, switch = 0, 0, 0
    wanted = angle = commands.values[0]
    now = 0.0
    along = _along(way.values, -way.delay / period)
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
                wanted = commands.values[switch]
                switch += 1
            end = there
            if switch < len(switches) and switches[switch] < there - _INSTANT:
                end = switches[switch]
            pieces = max(math.ceil((end - now) / longest - 1e-6), 1)
            step = (end - now) / pieces
            for _ in range(pieces):
                before = along
                along = _along(way.values, (now + step - way.delay) / period)
                row = values[count]
                row[0] = step
                row[1], row[2], row[3] = _speeds(before, along, step, period)
                row[4], row[5], row[6], angle = _steered(angle, wanted, step, lag, rate)
                count += 1
                now += step
            now = end


@pure
def _speeds(
    before: tuple[float, float], after: tuple[float, float], step: float, period: float,
) -> tuple[float, float, float]:
    """Speed [m/s] at start, middle and end of a step [s]; see Steps.values.

    before, after: way [m] there and its derivative by samples.
    """
    mean, change = (after[0] - before[0]) / step, 0.5 * (after[1] - before[1]) / period
    return mean - change, mean, mean + change


@pure
def _steered(
    angle: float, wanted: float, step: float, lag: float, rate: float,
) -> tuple[float, float, float, float]:
    """Angle [rad] at start, middle and end of a step [s], as in Steps.values, and the true one."""
    change = wanted - angle
    if rate < _NO_LIMIT:
        # Not exact: the limit acts on whole halves of a step.
        half = change if lag <= 0.0 else change * -math.expm1(-0.5 * step / lag)
        whole = change if lag <= 0.0 else change * -math.expm1(-step / lag)
        finish = angle + min(max(whole, -rate * step), rate * step)
        return (angle, angle + min(max(half, -0.5 * rate * step), 0.5 * rate * step), finish,
                finish)
    share, slope = _lagged_moments(step, lag)
    mean = wanted - change * share
    return (mean - change * slope, mean, mean + change * slope,
            wanted - (change * math.exp(-step / lag) if lag > 0.0 else 0.0))


@pure
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


@pure
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


Begin = Callable[..., Numbers]
"""Pure function of vx, vy, yaw rate of the rear axle [SI] and parameters: the state at a start."""

Finish = Callable[..., tuple[float, float, float]]
"""Pure function of state and parameters: pose of the rear axle [m, rad]."""


class _Rows(NamedTuple):
    """Where windows side by side have their numbers: states, and of a step point, slope, total."""

    state: Part[Numbers]
    point: Part[Numbers]
    slope: Part[Numbers]
    total: Part[Numbers]


def _rows_of(state: Numbers) -> tuple[_Rows, int]:
    """Place the numbers of windows; returns how many rows they take, too."""
    layout = Layout(LANES)
    return _Rows(*(layout.part(state) for _ in _Rows._fields)), layout.rows


class _Kind(NamedTuple):
    """How a kind of model begins and ends; step: makes the pure function of a step of all."""

    begin: Begin
    finish: Finish
    step: Callable[[Equations, _Rows], Callable[..., None]]


@functools.cache
def _prediction(equations: Equations, kind: _Kind) -> Callable[..., None]:
    """Compiled loop over the windows of a kind of model; see predict()."""
    places, row_count = _rows_of(equations.state)
    state_part, parameters_part = places.state, Part(equations.parameters)
    begin, finish, step_all = kind.begin, kind.finish, kind.step(equations, places)

    def predict_all(out: Array, windows: Windows, steps: Steps, parameters: Flat) -> None:
        """Write the poses of windows, LANES of them side by side."""
        rows = np.zeros(row_count * LANES)
        car = load(parameters, parameters_part, 0)
        # Columns of Steps, of each window its own.
        given, begun = np.zeros((_COLUMNS, LANES)), np.zeros((LANES, 3))
        done, ends = np.zeros(LANES, dtype=np.int64), np.zeros(LANES, dtype=np.int64)
        for first in range(0, len(windows.starts), LANES):
            count = min(LANES, len(windows.starts) - first)
            for i in range(count):
                vx, vy, rate = windows.initial[first + i]
                store(rows, state_part, i, begin(vx, vy, rate, car))
                done[i] = steps.first[windows.starts[first + i] - windows.lead]
            # The first horizon is that of the start itself.
            for h in range(-1, len(windows.horizons)):
                horizon = windows.horizons[h] if h >= 0 else 0
                for i in range(count):
                    ends[i] = steps.first[windows.starts[first + i] + horizon]
                for _ in range(_most(ends, done, count)):
                    _take_step(given, steps.values, done, ends, count)
                    step_all(rows, given, car, count)
                for i in range(count):
                    x, y, yaw = finish(load(rows, state_part, i), car)
                    if h < 0:
                        begun[i, 0], begun[i, 1], begun[i, 2] = x, y, yaw
                    else:
                        _write_seen(out[first + i, h], begun[i], x, y, yaw)

    no_numbers, no_samples = np.empty((0, 0)), np.empty(0, dtype=np.int64)
    return compiled(predict_all, types_of(
        np.empty((0, 0, 0)),
        Windows(no_samples, no_numbers, no_samples, np.empty((0, 0, 0)), no_samples),
        Steps(no_samples, no_numbers), np.empty(0)))


@routine
def _most(ends: NDArray[np.int64], done: NDArray[np.int64], count: int) -> int:
    """Steps of the window that has most of them to its end."""
    most = 0
    for i in range(count):
        most = max(most, ends[i] - done[i])
    return most


@routine
def _take_step(
    given: Array, values: Array, done: NDArray[np.int64], ends: NDArray[np.int64], count: int,
) -> None:
    """Give each window the values of its next step; one without waits in one of no time."""
    for i in range(count):
        goes_on = done[i] < ends[i]
        row = values[done[i] if goes_on else max(done[i] - 1, 0)]
        for column in range(_COLUMNS):
            given[column, i] = row[column]
        if goes_on:
            done[i] += 1
        else:
            given[0, i] = 0.0


@routine
def _write_seen(out: Array, begun: Array, x: float, y: float, yaw: float) -> None:
    """Write a pose as seen from the one where the window began; see MOST_VALUE."""
    dx, dy, turned = x - begun[0], y - begun[1], yaw - begun[2]
    cosine, sine = math.cos(begun[2]), math.sin(begun[2])
    out[0] = _bounded(cosine * dx + sine * dy)
    out[1] = _bounded(cosine * dy - sine * dx)
    out[2] = _bounded(turned)


@pure
def _bounded(value: float) -> float:
    return min(max(value, -MOST_VALUE), MOST_VALUE) if value == value else MOST_VALUE


def _step_each(equations: Equations, places: _Rows) -> Callable[..., None]:
    """Pure function that moves one window after the other along its chord."""
    state_part = cast('Part[AxleState]', places.state)
    hold = cast(Callable[..., KinematicHeld], equations.hold)

    @importable
    def step_each(rows: Flat, given: Array, car: Numbers, count: int) -> None:
        for i in range(count):
            pose, held = load(rows, state_part, i), hold(Command(given[2, i], given[5, i]), car)
            turn, way = given[0, i] * held.yaw_rate, given[0, i] * held.speed
            # Along the chord of the arc.
            middle = pose.yaw + 0.5 * turn
            store(rows, state_part, i, (
                pose.x + way * math.cos(middle), pose.y + way * math.sin(middle),
                pose.yaw + turn))

    return step_each


def _step_all(
    equations: Equations, places: _Rows, *, mean_speed: bool,
) -> Callable[..., None]:
    """Pure function that does a step of Runge-Kutta 4 whose inputs change within it.

    One stage of all windows after the other. mean_speed: whether the speed is that of the middle.
    """
    state_part, point_part, slope_part, total_part = places
    hold, rates = equations.hold, equations.rates

    @importable
    def step_all(rows: Flat, given: Array, car: Numbers, count: int) -> None:
        for i in range(count):
            store(rows, point_part, i, at_origin(load(rows, state_part, i)))
        for stage in range(4):
            # At the start of the step, twice in its middle, and at its end.
            at = (stage + 1) // 2
            for i in range(count):
                speed = given[2, i] if mean_speed else given[1 + at, i]
                held = hold(Command(speed, given[4 + at, i]), car)
                store(rows, slope_part, i, rates(load(rows, point_part, i), held))
            weight = 1.0 if stage == 0 or stage == 3 else 2.0
            ahead = 1.0 if stage == 2 else 0.5
            for i in range(count):
                slope = load(rows, slope_part, i)
                total = zeros_like(slope) if stage == 0 else load(rows, total_part, i)
                store(rows, total_part, i, plus(total, weight, slope))
                store(rows, point_part, i, plus(
                    at_origin(load(rows, state_part, i)), ahead * given[0, i], slope))
        for i in range(count):
            state = load(rows, state_part, i)
            store(rows, state_part, i, moved(state, plus(
                at_origin(state), given[0, i] / 6.0, load(rows, total_part, i))))

    return step_all


def _step_at_mean_speed(equations: Equations, places: _Rows) -> Callable[..., None]:
    return _step_all(equations, places, mean_speed=True)


def _step_at_speeds(equations: Equations, places: _Rows) -> Callable[..., None]:
    return _step_all(equations, places, mean_speed=False)


@pure
def _begin_axle(
    vx: float, vy: float, rate: float, car: UndersteerCar,
) -> tuple[float, float, float]:
    return 0.0, 0.0, 0.0


@pure
def _finish_axle(state: AxleState, car: UndersteerCar) -> tuple[float, float, float]:
    return state.x, state.y, state.yaw


@pure
def _begin_track(
    vx: float, vy: float, rate: float, car: SingleCar,
) -> tuple[float, float, float, float, float]:
    return vy - car.odometry_offset * rate, rate, -car.odometry_offset, 0.0, 0.0


@pure
def _begin_slip(
    vx: float, vy: float, rate: float, car: SlipCar,
) -> tuple[float, float, float, float, float, float]:
    return vx, vy - car.odometry_offset * rate, rate, -car.odometry_offset, 0.0, 0.0


@pure
def _finish_at_offset(
    state: FullState | PlanarState, car: SingleCar | SlipCar,
) -> tuple[float, float, float]:
    return (state.x + car.odometry_offset * math.cos(state.yaw),
            state.y + car.odometry_offset * math.sin(state.yaw), state.yaw)


_KINDS: dict[type, _Kind] = {
    KinematicUndersteer: _Kind(_begin_axle, _finish_axle, _step_each),
    SingleTrack: _Kind(_begin_track, _finish_at_offset, _step_at_mean_speed),
    SingleTrackSlip: _Kind(_begin_slip, _finish_at_offset, _step_at_speeds),
}


def predict(
    model: KinematicUndersteer | SingleTrack | SingleTrackSlip, windows: Windows, steps: Steps,
) -> Array:
    """Return the poses (w, h, 3) that a model predicts, as Windows.measured; see make_steps()."""
    out = np.empty_like(windows.measured)
    _prediction(model.equations, _KINDS[type(model)])(
        out, windows, steps, np.asarray(model.parameters))
    return out
