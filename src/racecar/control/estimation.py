# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a controller by progress sees in place of the true motion: measured, late, estimated.

A pose is measured with white noise and a drift of a correlation time (a Gauss-Markov process), and
comes late; speeds and yaw rate are measured with white noise and come at once. With estimator
`ekf` or `ekf_midpoint` the controller gets what racecar.control.single_track_filter makes of it,
predicted by the measured speeds and its own commands to now, and on by the time that a steering
command takes, less what the controller predicts itself: its attribute `predicts` [s]. Without one
it gets the last pose that has come, as it is.

It is a step around that of the controller, pure too, so it works wherever the controller does. Its
memory lies behind that of the controller: numbers of HEAD, records of the last answers, filters.
"""

from __future__ import annotations

import functools
import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import importable, pure, subroutine
from racecar.base.elementary import sine_cosine
from racecar.base.errors import ConfigurationError
from racecar.base.parameter_fields import made_of, Row, table_of, with_plain_signature
from racecar.base.random_numbers import four_normals, philox
from racecar.base.rows import Numbers
from racecar.base.types import CarMotion
from racecar.base.values import Values
from racecar.base.vectors import Flat
from racecar.control.progress import (
    LINE_FROM,
    LineSight,
    look,
    Path,
    PROGRESS,
    progress_part,
    ProgressStep,
)
from racecar.control.single_track_filter import (
    axle_tyres,
    drift_of,
    FILTER_NUMBERS,
    FilterParameters,
    LOOSE,
    noise_of,
    predict,
    SCRATCH_NUMBERS,
    start_filter,
    take_motion,
    take_pose,
)
from racecar.dynamics.vehicles.parameters import VehicleParameters

NONE, EKF, EKF_MIDPOINT = 'none', 'ekf', 'ekf_midpoint'

RECORDS = 64
"""Answers that are remembered: delays are at most so many less two."""

# Of a record: time, measured speed, lateral speed and yaw rate, steering command after it, whether
# a pose was measured, and that.
_ROW = 9
_TIME, _SPEED, _LATERAL, _TURN, _STEERING, _HAS_POSE, _POSE = range(7)
_COUNT, _TAKEN, _NIS, _NIS_POSE, _DRIFT, _NEXT_POSE, HEAD = 0, 1, 2, 3, 4, 7, 8
_LATE = HEAD + RECORDS * _ROW
_NOW = _LATE + FILTER_NUMBERS
_SCRATCH = _NOW + FILTER_NUMBERS
MEMORY = _SCRATCH + SCRATCH_NUMBERS
"""Numbers of the memory."""

INNOVATIONS, ESTIMATE = (_NIS, _NIS_POSE), _NOW
"""Where the memory has the last normalised innovations, of motion and pose, and the estimate."""

_EARLY = 1e-9


@with_plain_signature
class Sensing(NamedTuple):
    """How a controller by progress gets to know the motion of its car; see the module."""

    estimator: Annotated[str, Row(
        'What makes an estimate of the measurements: none, the last pose as it comes, ekf, a'
        ' Kalman filter of the single track, or ekf_midpoint, the same with a step of second order'
        ' and more noise of its model', choices=(NONE, EKF, EKF_MIDPOINT))] = NONE
    pose_noise: Annotated[float, Row(
        'White noise of measured positions', 'm', minimum=0.0, maximum=100.0)] = 0.0
    heading_noise: Annotated[float, Row(
        'White noise of measured headings', 'rad', minimum=0.0, maximum=10.0)] = 0.0
    pose_drift: Annotated[float, Row(
        'Correlated error of measured positions', 'm', minimum=0.0, maximum=100.0)] = 0.0
    heading_drift: Annotated[float, Row(
        'Correlated error of measured headings', 'rad', minimum=0.0, maximum=10.0)] = 0.0
    drift_time: Annotated[float, Row(
        'Correlation time of these', 's', above=0.0, maximum=1e6)] = 0.25
    speed_noise: Annotated[float, Row(
        'White noise of both measured speeds', 'm/s', minimum=0.0, maximum=100.0)] = 0.0
    yaw_rate_noise: Annotated[float, Row(
        'White noise of the measured yaw rate', 'rad/s', minimum=0.0, maximum=100.0)] = 0.0
    pose_delay: Annotated[float, Row(
        'Time that a pose takes to come', 's', minimum=0.0, maximum=10.0)] = 0.0
    pose_rate: Annotated[float, Row(
        'Rate of poses, 0 for one with each answer', 'Hz', minimum=0.0, maximum=1e4)] = 0.0
    steering_delay: Annotated[float, Row(
        'Time that a steering command takes, by which the estimate is predicted on', 's',
        minimum=0.0, maximum=10.0)] = 0.0
    noise_seed: Annotated[int, Row('Seed of the noise', minimum=0, maximum=2**31 - 1)] = 0

    @classmethod
    def from_values(cls, values: Values) -> Sensing:
        """Of the rows of SENSING; the others have their defaults."""
        return made_of(cls, '', SENSING.resolve(dict(values)))


SENSING = table_of(Sensing, '')
"""Settings that every controller by progress takes, besides its own."""


class Sensor(NamedTuple):
    """Numbers of Sensing: noise and vehicle of the filter, delays and interval [s], seed.

    ahead: how far the estimate is predicted on [s].
    """

    filter: FilterParameters
    pose_delay: float
    pose_interval: float
    steering_delay: float
    seed: float
    ahead: float


class SensingParameters(NamedTuple):
    """What is measured, and the own parameters of a controller.

    estimates: 1 with a filter; ahead: of the point of the car that the controller looks at;
    to_cog: from base_link to the centre of gravity [m]; behind: numbers of its memory, before
    ours.
    """

    sensor: Sensor
    estimates: float
    ahead: float
    to_cog: float
    behind: float
    own: Numbers


class SensedState(NamedTuple):
    """s: way of the estimate along the line [m], negative before the first; own: state."""

    s: float
    time: float
    own: Numbers


@subroutine
def _measure(
    sensor: Sensor, numbers: Flat, at: int, car: CarMotion, dt: float, time: float,
) -> int:
    """Measure a motion of the centre of gravity; returns where its record lies."""
    p, seed, count = sensor.filter, sensor.seed, numbers[at + _COUNT]
    one = four_normals(philox((int(count), 0, 0, 0), (int(seed), 7)))
    two = four_normals(philox((int(count), 1, 0, 0), (int(seed), 7)))
    three = four_normals(philox((int(count), 2, 0, 0), (int(seed), 7)))
    keep = math.exp(-dt / p.drift_time) if count > 0.0 else 0.0
    fresh = math.sqrt(1.0 - keep * keep)
    record = at + HEAD + _ROW * (int(count) % RECORDS)
    numbers[record + _TIME] = time
    numbers[record + _SPEED] = car.vx + p.speed_noise * two[2]
    numbers[record + _LATERAL] = car.vy + p.speed_noise * two[3]
    numbers[record + _TURN] = car.yaw_rate + p.yaw_rate_noise * three[0]
    numbers[record + _STEERING] = 0.0
    truth, white, drifts = (car.x, car.y, car.yaw), (one[0], one[1], one[2]), (
        one[3], two[0], two[1])
    has_pose = count == 0.0 or time >= numbers[at + _NEXT_POSE] - _EARLY
    numbers[record + _HAS_POSE] = 1.0 if has_pose else 0.0
    if has_pose:
        numbers[at + _NEXT_POSE] = (
            time if count == 0.0 else numbers[at + _NEXT_POSE]) + sensor.pose_interval
    for k in range(3):
        numbers[at + _DRIFT + k] = (
            keep * numbers[at + _DRIFT + k] + fresh * drift_of(p, k) * drifts[k])
        numbers[record + _POSE + k] = (
            truth[k] + numbers[at + _DRIFT + k] + noise_of(p, k) * white[k])
    numbers[at + _COUNT] = count + 1.0
    return record


@subroutine
def _steering_at(numbers: Flat, at: int, last: int, time: float) -> float:
    """Steering command that was given last at or before a time [s]; 0 before the first.

    last: number of the last record.
    """
    for back in range(RECORDS - 1):
        number = last - back
        if number < 0:
            return 0.0
        record = at + HEAD + _ROW * (number % RECORDS)
        if numbers[record + _TIME] <= time + _EARLY:
            return numbers[record + _STEERING]
    return 0.0


@subroutine
def _filtered(
    sensor: Sensor, numbers: Flat, at: int,
) -> None:
    """Estimate for now and on by sensor.ahead; the memory has it at ESTIMATE.

    The filter that takes poses is as late as these; from there to now it takes the motion alone.
    """
    p, steering_delay, last = sensor.filter, sensor.steering_delay, int(numbers[at + _COUNT]) - 1
    late, now, scratch = at + _LATE, at + _NOW, at + _SCRATCH
    newest = at + HEAD + _ROW * (last % RECORDS)
    time = numbers[newest + _TIME]
    if last == 0:
        start_filter(p, numbers, late, (
            numbers[newest + _POSE], numbers[newest + _POSE + 1], numbers[newest + _POSE + 2]),
            (numbers[newest + _SPEED], numbers[newest + _TURN]))
        numbers[at + _TAKEN] = 0.0
    taken = int(numbers[at + _TAKEN])
    while taken < last:
        record = at + HEAD + _ROW * ((taken + 1) % RECORDS)
        is_late = time - numbers[record + _TIME] >= sensor.pose_delay - _EARLY
        if not is_late and last - taken < RECORDS - 2:
            break
        before = numbers[at + HEAD + _ROW * (taken % RECORDS) + _TIME]
        predict(p, numbers, late, scratch,
                _steering_at(numbers, at, last, before - steering_delay),
                numbers[record + _TIME] - before)
        numbers[at + _NIS] = take_motion(
            p, numbers, late, scratch, numbers[record + _SPEED], numbers[record + _TURN])
        numbers[at + _NIS_POSE] = -1.0
        if numbers[record + _HAS_POSE] > 0.0:
            numbers[at + _NIS_POSE] = take_pose(p, numbers, late, scratch, (
                numbers[record + _POSE], numbers[record + _POSE + 1],
                numbers[record + _POSE + 2]))
        taken += 1
    numbers[at + _TAKEN] = float(taken)
    for k in range(FILTER_NUMBERS):
        numbers[now + k] = numbers[late + k]
    for number in range(taken + 1, last + 1):
        record = at + HEAD + _ROW * (number % RECORDS)
        before = numbers[at + HEAD + _ROW * ((number - 1) % RECORDS) + _TIME]
        predict(p, numbers, now, scratch,
                _steering_at(numbers, at, last, before - steering_delay),
                numbers[record + _TIME] - before)
        take_motion(
            p, numbers, now, scratch, numbers[record + _SPEED], numbers[record + _TURN])
    # The commands that are under way.
    gone = 0.0
    while gone < sensor.ahead - _EARLY:
        dt = min(0.01, sensor.ahead - gone)
        predict(p, numbers, now, scratch,
                _steering_at(numbers, at, last, time + gone - steering_delay), dt)
        gone += dt


@subroutine
def _last_pose(pose_delay: float, numbers: Flat, at: int) -> int:
    """Where the record of the last pose lies that has come, or of the first."""
    last = int(numbers[at + _COUNT]) - 1
    time = numbers[at + HEAD + _ROW * (last % RECORDS) + _TIME]
    oldest = max(last - RECORDS + 2, 0)
    for number in range(last, oldest, -1):
        record = at + HEAD + _ROW * (number % RECORDS)
        if (numbers[record + _HAS_POSE] > 0.0
                and time - numbers[record + _TIME] >= pose_delay - _EARLY):
            return record
    return at + HEAD + _ROW * (oldest % RECORDS)


@functools.cache
def sensed_step(step: ProgressStep) -> ProgressStep:
    """Step that shows another one what is measured or estimated in place of the true motion."""
    own_step = step if hasattr(step, 'py_func') else pure(step)

    @importable
    def sensed(
        state: SensedState, parameters: SensingParameters, car: CarMotion, path: Path, dt: float,
    ) -> tuple[SensedState, float, float]:
        p, numbers = parameters, path.numbers
        at = path.memory + int(p.behind)
        time = state.time + dt
        sine, cosine = sine_cosine(car.yaw)
        record = _measure(
            p.sensor, numbers, at,
            CarMotion(car.x + p.to_cog * cosine, car.y + p.to_cog * sine, car.yaw, car.vx,
                      car.vy + p.to_cog * car.yaw_rate, car.yaw_rate), dt, time)
        pose, x_speed, y_speed, turn = (
            record + _POSE, numbers[record + _SPEED], numbers[record + _LATERAL],
            numbers[record + _TURN])
        if p.estimates > 0.0:
            _filtered(p.sensor, numbers, at)
            pose = at + _NOW
            x_speed, y_speed, turn = numbers[pose + 3], numbers[pose + 4], numbers[pose + 5]
        else:
            pose = _last_pose(p.sensor.pose_delay, numbers, at) + _POSE
        heading = numbers[pose + 2]
        sine, cosine = sine_cosine(heading)
        seen = CarMotion(
            numbers[pose] - p.to_cog * cosine, numbers[pose + 1] - p.to_cog * sine, heading,
            x_speed, y_speed - p.to_cog * turn, turn)
        there = look(LineSight(0.0, 0.0, numbers, path.first - LINE_FROM), seen, p.ahead, state.s)
        own, speed, steering = own_step(state.own, p.own, seen, there, dt)
        numbers[record + _STEERING] = steering
        return SensedState(there.s, time, own), speed, steering

    return sensed


class SensedController:
    """A controller by progress that sees its car by Sensing."""

    follows = PROGRESS

    def __init__(self, controller: object, vehicle: VehicleParameters, sensing: Sensing) -> None:
        """vehicle: that the filter believes in.

        Raises ConfigurationError for a controller that is none by progress.
        """
        part = progress_part(controller)
        step = getattr(controller, 'step', None)
        if part is None or step is None:
            raise ConfigurationError(
                f"{', '.join(sorted(SENSING.names))} are settings of controllers by progress,"
                ' this one follows by time; leave them out')
        self.rate, self.latency, self.point_ahead = part.rate, part.latency, part.ahead
        self.table: NDArray[np.float64] = part.table
        self.memory: NDArray[np.float64] = np.concatenate([part.memory, np.zeros(MEMORY)])
        self.step = sensed_step(step)
        self.state = SensedState(-1.0, 0.0, getattr(controller, 'state'))  # noqa: B009
        self.parameters = SensingParameters(
            Sensor(_filter_of(vehicle, sensing), float(sensing.pose_delay),
                   1.0 / sensing.pose_rate if sensing.pose_rate > 0.0 else 0.0,
                   float(sensing.steering_delay), float(sensing.noise_seed),
                   max(float(sensing.steering_delay) - part.predicts, 0.0)),
            float(sensing.estimator != NONE), part.ahead, -vehicle.odometry_offset,
            float(len(part.memory)),
            getattr(controller, 'parameters'))  # noqa: B009


def _filter_of(vehicle: VehicleParameters, s: Sensing) -> FilterParameters:
    found = FilterParameters(
        vehicle.mass, vehicle.yaw_inertia, vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle,
        *axle_tyres(vehicle), float(s.pose_noise), float(s.heading_noise), float(s.pose_drift),
        float(s.heading_drift), float(s.drift_time), float(s.speed_noise),
        float(s.yaw_rate_noise))
    if s.estimator != EKF_MIDPOINT:
        return found
    return found._replace(model=LOOSE, midpoint=1.0)
