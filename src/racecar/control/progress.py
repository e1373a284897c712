# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Controllers by progress: they see where the car is along a line, and the line ahead.

The second contract beside that by time, see docs/own_controller.md. A controller with
`follows = 'progress'` has a pure

    step(state, parameters, car, path, dt) -> state, speed, steering angle

whose `path` is a Path. Its numbers lie in one flat array for each car: where the tracked point is
ahead of base_link, where table and memory begin, then the line, the table and the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import functools
import math
from typing import cast, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import importable, pure
from racecar.base.elementary import arctangent2, sine_cosine
from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.rows import N, Numbers, zeros_of
from racecar.base.types import CarMotion
from racecar.base.vectors import as_vector, Flat, Vector
from racecar.control.racelines.line_numbers import line_at, LinePoint, nearest_way
from racecar.control.reference_sampler import placed, ReferenceSampler, SampledReference
from racecar.control.trajectories import Trajectory
from racecar.control.trajectories.base import ClosedForm
from racecar.control.trajectories.race_line import RaceLine
from racecar.dynamics.vehicles.interface import Command

PROGRESS = 'progress'
"""What `follows` says of such a controller."""

LINE_FROM = 3
"""Numbers of a car before those of its line."""

# Ticks count as due up to this much early, against rounding [s].
_EARLY = 1e-9


class Path(NamedTuple):
    """Where a car is on a line, and the line for path_at().

    s: arc length from the start of the line to the nearest point [m]; lateral_error: of the car's
    point from there, positive to the left [m]; heading_error: of the car to the line [rad];
    curvature [1/m], speed [m/s], acceleration [m/s^2], width_right and width_left [m] of the line
    there. numbers, first: of the line. table: at and after table, (table_size,), what the
    controller gave as `table`; memory: likewise, what it may write.
    """

    s: float
    lateral_error: float
    heading_error: float
    curvature: float
    speed: float
    acceleration: float
    width_right: float
    width_left: float
    numbers: Flat
    first: int
    table: int
    memory: int


@pure
def path_at(path: Path, ahead: float) -> LinePoint:
    """Point of the line so far ahead of the car's nearest one [m]; negative: behind it."""
    return line_at(path.numbers, path.first, path.s + ahead)


class LineReference(NamedTuple):
    """Nearest point of the line to the tracked point, and the origin of the line in `map` [m]."""

    x: float
    y: float
    origin_x: float
    origin_y: float


NO_LINE_REFERENCE = zeros_of(LineReference)


class LineSight(NamedTuple):
    """What an answer gets: the reference, and where the numbers of the car lie in an array."""

    origin_x: float
    origin_y: float
    numbers: Flat
    first: int


class ProgressState(NamedTuple):
    """What a controller by progress remembers; own: its own state.

    s: way along the line [m], negative before the first look, in the first row; clock: time since
    it was asked [s]; due: until it is asked next [s]; speed, steering: command in force;
    next_speed, next_steering: that under way; waits: 1 if one is.
    """

    s: float
    clock: float
    due: float
    speed: float
    steering: float
    next_speed: float
    next_steering: float
    waits: float
    own: Numbers


class ProgressParameters(NamedTuple):
    """How a controller is asked; own: its own parameters.

    interval: time from answer to answer [s], 0 for each odometry; latency: until an answer acts
    [s]; ahead: of base_link, the point of the car that is looked at [m].
    """

    interval: float
    latency: float
    ahead: float
    own: Numbers


@placed.register(LineReference)
def _placed(reference: LineReference, origin_x: float, origin_y: float) -> LineReference:
    return LineReference(reference.x, reference.y, origin_x, origin_y)


@pure
def located(
    reference: LineReference, way: float, car: CarMotion, numbers: Vector, lane: int,
) -> LineReference:
    """LineReference at the point of the line that is nearest to where a car truly is.

    reference: with the origin; way: that of the control before [m]; numbers: those of
    lane_numbers().
    """
    first = int(numbers[lane])
    ahead = numbers[first]
    sine, cosine = sine_cosine(car.yaw)
    x = car.x + ahead * cosine - reference.origin_x
    y = car.y + ahead * sine - reference.origin_y
    at = first + LINE_FROM
    point = line_at(numbers, at, nearest_way(numbers, at, x, y, way))
    return LineReference(reference.origin_x + point.x, reference.origin_y + point.y,
                         reference.origin_x, reference.origin_y)


@pure
def sight_of(reference: LineReference, numbers: Flat, lane: int) -> LineSight:
    """What the answer of a control gets for a LineReference."""
    return LineSight(reference.origin_x, reference.origin_y, numbers, int(numbers[lane]))


@pure
def as_it_is(reference: N, numbers: Vector, lane: int) -> N:
    """What the answer of a control by time gets."""
    return reference


Sight = Callable[[Numbers, Vector, int], Numbers]
"""sight(reference, numbers, lane): what the answer of a control gets."""


def sight_for(way_row: int | None) -> Sight:
    """sight_of() for a control by progress, which has a way_row; as_it_is() for one by time."""
    return as_it_is if way_row is None else cast(Sight, sight_of)


@pure
def look(sight: LineSight, car: CarMotion, ahead: float, last: float) -> Path:
    """Where a point of a car so far ahead of base_link is on the line; last: its way before [m].

    car: in the frame of the line.
    """
    numbers, first = sight.numbers, sight.first
    at = first + LINE_FROM
    sine, cosine = sine_cosine(car.yaw)
    x, y = car.x + ahead * cosine, car.y + ahead * sine
    s = nearest_way(numbers, at, x, y, last)
    p = line_at(numbers, at, s)
    n, c = sine_cosine(p.heading)
    sine, cosine = sine_cosine(car.yaw - p.heading)
    return Path(
        s, c * (y - p.y) - n * (x - p.x), arctangent2(sine, cosine),
        p.curvature, p.speed, p.acceleration, p.width_right, p.width_left, numbers, at,
        first + int(numbers[first + 1]), first + int(numbers[first + 2]))


ProgressStep = Callable[..., tuple[Numbers, float, float]]
"""step(state, parameters, car, path, dt): next state, speed [m/s], steering angle [rad]."""

ProgressAnswer = Callable[
    [ProgressState, ProgressParameters, CarMotion, LineSight, float],
    tuple[ProgressState, Command]]
"""See progress_answer()."""


@functools.cache
def progress_answer(step: ProgressStep) -> ProgressAnswer:
    """Pure function (state, parameters, car, sight, dt) that gives the next state and the command.

    It asks the step at its own rate, and lets answers act after their latency; the command is as
    a message carries it.
    """
    own_step = step if hasattr(step, 'py_func') else pure(step)

    @importable
    def answer(
        state: ProgressState, parameters: ProgressParameters, car: CarMotion, sight: LineSight,
        dt: float,
    ) -> tuple[ProgressState, Command]:
        p = parameters
        clock, due = state.clock + dt, state.due - dt
        speed, steering, waits = state.speed, state.steering, state.waits
        next_speed, next_steering = state.next_speed, state.next_steering
        if waits > 0.0 and clock >= p.latency - _EARLY:
            speed, steering, waits = next_speed, next_steering, 0.0
        s, own = state.s, state.own
        if s < 0.0 or due <= _EARLY:
            # An answer comes into force before it is replaced.
            if waits > 0.0:
                speed, steering = next_speed, next_steering
            here = CarMotion(car.x - sight.origin_x, car.y - sight.origin_y, car.yaw, car.vx,
                             car.vy, car.yaw_rate)
            path = look(sight, here, p.ahead, s)
            own, next_speed, next_steering = own_step(
                own, p.own, here, path, 0.0 if s < 0.0 else clock)
            # What is asked late does not put off what follows, so that the mean rate is kept.
            s, clock, due = path.s, 0.0, max(due + p.interval, 0.0)
            if p.latency > 0.0:
                waits = 1.0
            else:
                speed, steering = next_speed, next_steering
        after = ProgressState(
            s, clock, due, speed, steering, next_speed, next_steering, waits, own)
        return after, Command(float(np.float32(speed)), float(np.float32(steering)))

    return answer


def _no_references(motion: ClosedForm) -> SampledReference:
    def no_reference(
        time: float, step: float, preview: float, numbers: Vector,
    ) -> LineReference:
        return LineReference(0.0, 0.0, 0.0, 0.0)

    return no_reference


class LineSampler(ReferenceSampler):
    """Samples LineReference, which does not depend on the time."""

    def __init__(self, trajectories: Sequence[Trajectory]) -> None:
        """Take at least one trajectory."""
        super().__init__(
            trajectories, [0.0] * len(trajectories), NO_LINE_REFERENCE, _no_references)


class ProgressPart(NamedTuple):
    """What a controller by progress has besides step, state and parameters.

    rate: of its answers [Hz], 0 for each odometry; latency: until one acts [s]; ahead: of the
    point of the car that it looks at [m]; table, memory: arrays (n,); predicts: how far it
    predicts the motion that it is shown by itself, before its commands act [s].
    """

    rate: float
    latency: float
    ahead: float
    table: NDArray[np.float64]
    memory: NDArray[np.float64]
    predicts: float = 0.0

    @property
    def interval(self) -> float:
        """Time from answer to answer [s], 0 for each odometry."""
        return 1.0 / self.rate if self.rate > 0.0 else 0.0


NO_PROGRESS = ProgressPart(0.0, 0.0, 0.0, np.zeros(0), np.zeros(0))
"""That of a controller that is asked for each odometry."""


def progress_part(controller: object) -> ProgressPart | None:
    """What says how a controller by progress is asked; None for one by time.

    Raises ConfigurationError for values that cannot be.
    """
    follows = getattr(controller, 'follows', 'time')
    if follows == 'time':
        return None
    if follows != PROGRESS:
        raise ConfigurationError(
            f"follows of the controller is {excerpt(follows)}, expected 'time' or 'progress'")
    rate, latency, ahead = (
        _number(controller, name) for name in ('rate', 'latency', 'point_ahead'))
    if rate < 0.0 or latency < 0.0 or (latency > 0.0 and not 0.0 < rate * latency <= 1.0):
        raise ConfigurationError(
            f'rate of the controller is {rate:g} Hz and its latency {latency:g} s, expected at'
            ' least 0, and a latency up to the time from answer to answer, 1/rate; a latency needs'
            ' a rate above 0')
    return ProgressPart(
        rate, latency, ahead, _array(controller, 'table'), _array(controller, 'memory'),
        _number(controller, 'predicts'))


def _number(controller: object, name: str) -> float:
    value = getattr(controller, name, 0.0)
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ConfigurationError(
            f'{name} of the controller is {excerpt(value)}, expected a finite number')
    return float(value)


def _array(controller: object, name: str) -> NDArray[np.float64]:
    value = getattr(controller, name, ())
    try:
        found = np.array(value, dtype=float).ravel()
    except (TypeError, ValueError):
        found = np.array([math.nan])
    if not np.isfinite(found).all():
        raise ConfigurationError(
            f'{name} of the controller is {excerpt(value)}, expected an array of finite numbers')
    return found


def car_numbers(
    part: ProgressPart, trajectory: Trajectory, tracked_ahead: float,
) -> NDArray[np.float64]:
    """Numbers of one car on the line of a trajectory, see above.

    Raises ConfigurationError for a trajectory that is no line.
    """
    if type(trajectory) is not RaceLine:
        raise ConfigurationError(
            f'the trajectory is {trajectory.name}, expected raceline for a controller by progress:'
            ' --trajectory raceline; `racecar raceline` makes lines')
    line = np.asarray(trajectory.numbers, float)
    table = LINE_FROM + len(line)
    return np.concatenate([
        [tracked_ahead, table, table + len(part.table)], line, part.table, part.memory])


def lane_numbers(cars: Sequence[NDArray[np.float64]], lanes: int) -> Flat:
    """Numbers of the cars of a block, after where those of each lane begin."""
    starts = np.zeros(lanes)
    starts[:len(cars)] = lanes + np.cumsum([0, *map(len, cars)])[:-1]
    return as_vector(np.concatenate([starts, *cars]))


def state_of(own: Numbers) -> ProgressState:
    """State to start with."""
    return ProgressState(-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, own)


def parameters_of(part: ProgressPart, own: Numbers) -> ProgressParameters:
    """Parameters, with those of the controller."""
    return ProgressParameters(part.interval, part.latency, part.ahead, own)
