# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a trained driver sees: numbers of the car, of the line ahead, of its laser.

One function fills an observation for environments, simulated drives and nodes, so that a policy
sees the same bits in each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine
from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameter_fields import Row, with_plain_signature
from racecar.base.parameters import suggest
from racecar.base.types import CarMotion
from racecar.metrics.lap_progress import LapReading
from racecar.metrics.laps import Line

Floats = NDArray[np.float32]

POSE, VELOCITY, FRENET, LINE, COMMAND, LAP, SCAN = range(7)
"""Parts of an observation, as the compiled code knows them."""


class Channel(NamedTuple):
    """One number of an observation or action.

    scale: value [unit] that a scaled one has as 1.
    """

    name: str
    unit: str
    scale: float


@with_plain_signature
class FeatureSettings(NamedTuple):
    """How observations are made.

    The fields are those of a policy file, too.
    """

    line_points: Annotated[int, Row(
        'Points of the line ahead in the part line', minimum=1, maximum=1000)] = 10
    line_spacing: Annotated[float, Row(
        'Way along the line from one of these points to the next', 'm', above=0.0,
        maximum=100.0)] = 0.6
    beams: Annotated[int, Row('Beams of the part scan', minimum=1, maximum=20000)] = 108
    field_of_view: Annotated[float, Row(
        'Angle between the first and the last beam, which look to either side alike', 'rad',
        above=0.0, maximum=2.0 * math.pi)] = 4.7
    range_max: Annotated[float, Row(
        'Longest range of a beam, which is read where nothing is nearer', 'm', above=0.0,
        maximum=1000.0)] = 10.0


# What scaled numbers have as 1, for cars of scale 1:10.
_SPEED, _LATERAL, _TURN, _WAY, _COURSE = 10.0, 2.0, 5.0, 10.0, 50.0

PARTS = ('pose', 'velocity', 'frenet', 'line', 'command', 'lap', 'scan')
"""Names of parts, in the order of their numbers in the compiled code."""

DEFAULT_PARTS = ('velocity', 'command', 'frenet', 'line')


class CarView(NamedTuple):
    """What is known of a car at the end of a period, for observations, rewards and terminations.

    motion: of base_link; speed, steering_angle: last command [m/s, rad]; lap: place on the course
    and laps; contact: 0, 1 with what stands around, 2 with another car; time: since the start of
    the episode [s]; speed_max, steering_max: largest ones of the vehicle [m/s, rad].
    """

    motion: CarMotion
    speed: float
    steering_angle: float
    lap: LapReading
    contact: float
    time: float
    speed_max: float
    steering_max: float


def part_numbers(names: object) -> tuple[int, ...]:
    """Numbers of parts of an observation, in this order.

    Raises ConfigurationError for an unknown one, for one that is named twice, and for none at all.
    """
    if isinstance(names, str) or not isinstance(names, Sequence) or not names:
        raise ConfigurationError(
            f'observation is {excerpt(names)}, expected a list of parts: {", ".join(PARTS)}')
    for k, name in enumerate(names):
        if name not in PARTS:
            raise ConfigurationError(
                f'there is no part {excerpt(name)} of an observation; {suggest(str(name), PARTS)}')
        if name in names[:k]:
            raise ConfigurationError(f'observation has the part {name} twice, expected it once')
    return tuple(PARTS.index(name) for name in names)


def channels_of(
    names: Iterable[str], settings: FeatureSettings, speed_max: float, steering_max: float,
) -> tuple[Channel, ...]:
    """Numbers of an observation in order; the last ones: limits of the vehicle [m/s, rad]."""
    parts: dict[str, list[Channel]] = {
        'pose': _listed(('x', 'm', _COURSE), ('y', 'm', _COURSE), ('yaw', 'rad', math.pi)),
        'velocity': _listed(('vx', 'm/s', _SPEED), ('vy', 'm/s', _LATERAL), (
            'yaw_rate', 'rad/s', _TURN)),
        'frenet': _listed(('offset', 'm', 1.0), ('heading_error', 'rad', 1.0)),
        'line': [Channel(f'line_{axis}_{k + 1}', 'm', _WAY)
                 for k in range(settings.line_points) for axis in 'xy'],
        'command': _listed(
            ('speed_command', 'm/s', speed_max), ('steering_command', 'rad', steering_max)),
        'lap': _listed(('progress', 'm', _COURSE), ('driven', 'm', _COURSE), ('laps', '', 1.0)),
        'scan': [Channel(f'range_{k}', 'm', settings.range_max) for k in range(settings.beams)],
    }
    return tuple(channel for name in names for channel in parts[name])


def _listed(*rows: tuple[str, str, float]) -> list[Channel]:
    return [Channel(*row) for row in rows]


class ObservationPlan(NamedTuple):
    """How an observation is written.

    parts: their numbers; scales: of each number, all 1 for SI units; points, spacing: of the line
    ahead, spacing in m; range_max: [m].
    """

    parts: NDArray[np.int64]
    scales: NDArray[np.float64]
    points: int
    spacing: float
    range_max: float


def plan_of(
    names: Sequence[str], settings: FeatureSettings, channels: Sequence[Channel], *, scaled: bool,
) -> ObservationPlan:
    """How observations of these parts are written; scaled: or in SI units."""
    scales = np.array([channel.scale if scaled else 1.0 for channel in channels])
    return ObservationPlan(
        np.array(part_numbers(names), dtype=np.int64), scales, settings.line_points,
        settings.line_spacing, settings.range_max)


NO_LINE = Line(*(np.zeros(0),) * 5, 1.0, 1.0, 0.0)
"""Line of no points."""


class ActionPlan(NamedTuple):
    """How actions become commands.

    accelerates, turns: 1 if the numbers are an acceleration [m/s^2] and a rate [rad/s], 0 for a
    speed [m/s] and an angle [rad]; low, high: what -1 and 1 stand for, and the limits of the
    numbers; scaled: 1 or 0; period: of an action [s]; the others: limits of the commands.
    """

    accelerates: float
    turns: float
    low: float
    high: float
    steering_low: float
    steering_high: float
    scaled: float
    period: float
    speed_min: float
    speed_max: float
    angle_min: float
    angle_max: float


@pure
def _value(action: float, low: float, high: float, scaled: float) -> float:
    """Value of a number of an action within its limits; of NaN the middle of them."""
    if math.isnan(action):
        return 0.5 * (low + high)
    given = 0.5 * (low + high) + 0.5 * (high - low) * action if scaled > 0.0 else action
    return min(max(given, low), high)


@pure
def commanded(
    longitudinal: float, steering: float, speed: float, angle: float, plan: ActionPlan,
) -> tuple[float, float]:
    """Speed [m/s] and steering angle [rad] of an action, as a message carries them.

    speed, angle: the last command, from which an acceleration and a rate go on for a period.
    """
    first = _value(longitudinal, plan.low, plan.high, plan.scaled)
    second = _value(steering, plan.steering_low, plan.steering_high, plan.scaled)
    speed = speed + first * plan.period if plan.accelerates > 0.0 else first
    angle = angle + second * plan.period if plan.turns > 0.0 else second
    return (float(np.float32(min(max(speed, plan.speed_min), plan.speed_max))),
            float(np.float32(min(max(angle, plan.angle_min), plan.angle_max))))


@pure
def density_of(line: Line) -> float:
    """Mean number of segments in a metre of a line [1/m]."""
    count = len(line.x) - 1
    return count / line.way[count]


@pure
def ahead_of(line: Line, way: float, density: float) -> tuple[float, float]:
    """Point of a closed line at a way from its start, x, y [m]; density: of the line."""
    length = line.way[len(line.x) - 1]
    # A quotient takes long, and elsewhere its floor is 0.
    if not 0.0 <= way < length:
        way -= length * math.floor(way / length)
    at = segment_at(line, way, density)
    share = (way - line.way[at]) / (line.way[at + 1] - line.way[at])
    return (line.x[at] + share * (line.x[at + 1] - line.x[at]),
            line.y[at] + share * (line.y[at + 1] - line.y[at]))


@pure
def segment_at(line: Line, way: float, density: float) -> int:
    """Segment of a line in which a way from its start ends [m]; density: of the line."""
    count = len(line.x) - 1
    length = line.way[count]
    if not 0.0 < way < length:
        return count - 1 if way >= length else 0
    # Nearly all lines have points at equal distances.
    at = min(int(way * density), count - 1)
    while way < line.way[at]:
        at -= 1
    while way >= line.way[at + 1]:
        at += 1
    return at


# Part of its callers, as what it calls: each call would pass some eighty numbers.
@pure
def write_observation(
    plan: ObservationPlan, view: CarView, line: Line, ranges: Floats, found: Floats,
) -> None:
    """Fill the numbers of an observation, in single precision.

    ranges: of the beams [m], none if the observation has no scan.
    """
    at = 0
    car, lap = view.motion, view.lap
    for part in plan.parts:
        if part == POSE:
            at = _written(found, plan.scales, at, (car.x, car.y, car.yaw))
        elif part == VELOCITY:
            at = _written(found, plan.scales, at, (car.vx, car.vy, car.yaw_rate))
        elif part == FRENET:
            at = _written(found, plan.scales, at, (lap.offset, lap.heading_error))
        elif part == LINE:
            at = _write_line(plan, view, line, found, at)
        elif part == COMMAND:
            at = _written(found, plan.scales, at, (view.speed, view.steering_angle))
        elif part == LAP:
            at = _written(found, plan.scales, at, (lap.progress, lap.driven, lap.laps))
        elif part == SCAN:
            for k in range(len(ranges)):
                found[at] = min(max(ranges[k], 0.0), plan.range_max) / plan.scales[at]
                at += 1


@pure
def _written(
    found: Floats, scales: NDArray[np.float64], at: int, values: tuple[float, ...],
) -> int:
    """Write some numbers; where the next part begins."""
    for value in values:
        found[at] = value / scales[at]
        at += 1
    return at


@pure
def _write_line(
    plan: ObservationPlan, view: CarView, line: Line, found: Floats, at: int,
) -> int:
    """Points of the line ahead in the frame of the car."""
    car = view.motion
    sine, cosine = sine_cosine(car.yaw)
    if len(line.x) < 2:
        for _ in range(2 * plan.points):
            found[at] = 0.0
            at += 1
        return at
    density = density_of(line)
    for k in range(plan.points):
        x, y = ahead_of(line, view.lap.progress + (k + 1) * plan.spacing, density)
        to_x, to_y = x - car.x, y - car.y
        found[at] = (to_x * cosine + to_y * sine) / plan.scales[at]
        found[at + 1] = (to_y * cosine - to_x * sine) / plan.scales[at + 1]
        at += 2
    return at
