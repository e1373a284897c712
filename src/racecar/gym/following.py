# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The stock follower of a line: pure pursuit at a speed that the bends ahead allow.

It drives opponents and is the guide of the reward `guided`. Steering: R. C. Coulter,
Implementation of the pure pursuit path tracking algorithm, CMU-RI-TR-92-01, 1992.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine
from racecar.base.parameter_fields import Row, table_of, with_plain_signature
from racecar.control.policy.features import ahead_of, CarView, density_of, segment_at
from racecar.gym.rewards import Guide
from racecar.metrics.lap_progress import Courses
from racecar.metrics.laps import Line

Array = NDArray[np.float64]


@with_plain_signature
class FollowerSettings(NamedTuple):
    """Settings of the follower."""

    speed: Annotated[float, Row('Maximum speed', 'm/s', above=0.0, maximum=100.0)] = 6.0
    lateral_acceleration: Annotated[float, Row(
        'Maximum lateral acceleration in bends', 'm/s^2', above=0.0, maximum=100.0)] = 4.0
    acceleration: Annotated[float, Row(
        'Maximum acceleration along the line, and deceleration', 'm/s^2', above=0.0,
        maximum=100.0)] = 3.0
    look_ahead: Annotated[float, Row(
        'Distance of the point that it drives to, at rest', 'm', above=0.0, maximum=100.0)] = 0.5
    look_ahead_time: Annotated[float, Row(
        'How much farther it looks for each m/s', 's', minimum=0.0, maximum=10.0)] = 0.15


FOLLOWER_PARAMETERS = table_of(FollowerSettings, 'follower.')


class FollowedCourses(NamedTuple):
    """Speeds [m/s] at all points of Courses; look_ahead, look_ahead_time: as in the settings."""

    speeds: Array
    look_ahead: float
    look_ahead_time: float


def followed(courses: Courses, settings: FollowerSettings) -> FollowedCourses:
    """Speeds along courses within the settings."""
    first, found = 0, []
    for end in np.asarray(courses.ends, dtype=int).tolist():
        found.append(_speeds(np.column_stack([
            np.asarray(courses.x)[first:end], np.asarray(courses.y)[first:end]]), settings))
        first = end
    return FollowedCourses(
        np.concatenate([*found, np.empty(0)]), settings.look_ahead, settings.look_ahead_time)


def _speeds(points: Array, settings: FollowerSettings) -> Array:
    """Speeds at the points of a closed line, of which the last repeats the first."""
    ahead = np.roll(points[:-1], -1, axis=0) - points[:-1]
    behind = np.roll(ahead, 1, axis=0)
    lengths = np.hypot(*ahead.T)
    turn = np.arctan2(behind[:, 0] * ahead[:, 1] - behind[:, 1] * ahead[:, 0],
                      np.sum(ahead * behind, axis=1))
    bend = np.abs(2.0 * turn / (lengths + np.roll(lengths, 1)))
    # Of a few neighbours, as coordinates are rounded.
    bend = np.convolve(np.concatenate([bend[-2:], bend, bend[:2]]), np.full(5, 0.2), 'valid')
    speeds = np.minimum(
        settings.speed, np.sqrt(settings.lateral_acceleration / np.maximum(bend, 1e-6)))
    count = len(speeds)
    # Braking, then accelerating; twice round, so that the seam does not matter.
    for k in range(2 * count - 1, -1, -1):
        i, after = k % count, (k + 1) % count
        speeds[i] = min(speeds[i], math.sqrt(
            speeds[after] ** 2 + 2.0 * settings.acceleration * lengths[i]))
    for k in range(2 * count):
        i, before = k % count, (k - 1) % count
        speeds[i] = min(speeds[i], math.sqrt(
            speeds[before] ** 2 + 2.0 * settings.acceleration * lengths[before]))
    return np.concatenate([speeds, speeds[:1]])


@pure
def follow(
    view: CarView, line: Line, speeds: Array, wheelbase: float, look_ahead: float,
    look_ahead_time: float,
) -> Guide:
    """What the follower commands to a car; speeds: at the points of its line [m/s]."""
    car, way = view.motion, view.lap.progress
    density = density_of(line)
    segment = segment_at(line, way, density)
    reach = look_ahead + look_ahead_time * max(car.vx, 0.0)
    x, y = ahead_of(line, way + reach, density)
    sine, cosine = sine_cosine(car.yaw)
    ahead, left = (x - car.x) * cosine + (y - car.y) * sine, \
        (y - car.y) * cosine - (x - car.x) * sine
    angle = math.atan(2.0 * wheelbase * left / max(ahead * ahead + left * left, 1e-6))
    share = (way - line.way[segment]) / (line.way[segment + 1] - line.way[segment])
    speed = speeds[segment] + share * (speeds[segment + 1] - speeds[segment])
    return Guide(min(speed, view.speed_max),
                 min(max(angle, -view.steering_max), view.steering_max))
