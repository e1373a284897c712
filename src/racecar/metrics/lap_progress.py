# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where cars are on closed courses while they drive, for loops that are compiled.

The laps are those of racecar.metrics.laps, by the same function.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import pure
from racecar.base.elementary import arctangent2, sine_cosine
from racecar.base.errors import ConfigurationError
from racecar.base.rows import span
from racecar.base.vectors import as_vector, Vector
from racecar.metrics.laps import anywhere, Course, LapRule, LapState, Line, on_segment, Place


class Courses(NamedTuple):
    """Courses one after the other: the columns of all; ends: index after each one's last point.

    rule: completion and sectors of a LapRule; longest: segment of each one [m].
    """

    x: Vector
    y: Vector
    way: Vector
    right: Vector
    left: Vector
    ends: Vector
    rule: Vector
    longest: Vector


class LapReading(NamedTuple):
    """Where a car is on its course, and its laps; NaN where there is no course or no lap yet.

    progress: way along the course to the nearest point, 0 to its length [m]; offset: from the
    course, to the left positive [m]; heading_error: yaw less the direction of the course, -pi to
    pi [rad]; driven: way along the course since it was found [m]; laps: complete ones; lap_time:
    since the present one began, last_lap, best_lap [s]; wrong_way, off_track: 1 while it is so;
    wrong_ways, track_exits: how often it began.
    """

    progress: float
    offset: float
    heading_error: float
    driven: float
    laps: float
    lap_time: float
    last_lap: float
    best_lap: float
    wrong_way: float
    wrong_ways: float
    off_track: float
    track_exits: float


NO_LAP_READING = LapReading(
    math.nan, math.nan, math.nan, 0.0, 0.0, math.nan, math.nan, math.nan, 0.0, 0.0, 0.0, 0.0)


def courses_of(courses: Sequence[Course], rule: LapRule | None = None) -> Courses:
    """Columns of some courses; none at all is allowed.

    Raises ConfigurationError for one that is not closed, and for a wrong rule.
    """
    rule = rule or LapRule()
    rule.check()
    for number, course in enumerate(courses):
        if not course.is_closed:
            raise ConfigurationError(
                f'course {number} is not closed, expected one whose last point repeats the first')
    columns = [course.columns() for course in courses]
    ends = np.cumsum([float(len(x)) for x, *_ in columns])
    x, y, way, right, left = (
        as_vector(np.concatenate([np.zeros(0), *(part[k] for part in columns)]))
        for k in range(5))
    return Courses(
        x, y, way, right, left, as_vector(ends),
        as_vector(np.array([rule.completion, float(rule.sectors)])),
        as_vector(np.array([course.longest for course in courses], dtype=np.float64)))


@pure
def line_of(courses: Courses, course: int) -> Line:
    """One of the courses."""
    first, last = 0 if course == 0 else int(courses.ends[course - 1]), int(courses.ends[course])
    return Line(
        span(courses.x, first, last), span(courses.y, first, last), span(courses.way, first, last),
        span(courses.right, first, last), span(courses.left, first, last), courses.rule[0],
        courses.rule[1], courses.longest[course])


@pure
def lap_reading(line: Line, state: LapState, yaw: float) -> LapReading:
    """What is read of a car whose last sample is that of the state; yaw: its heading [rad]."""
    sample, found = state.sample, not math.isnan(state.place.progress)
    if found:
        place = on_segment(line, int(state.place.segment), sample.x, sample.y)
    else:
        sine, cosine = sine_cosine(yaw)
        place = anywhere(line, sample.x, sample.y, cosine, sine)
    return _read(line, state, place, yaw)


@pure
def _read(line: Line, state: LapState, place: Place, yaw: float) -> LapReading:
    segment, clock = place.segment, state.clock
    along_x, along_y = line.x[segment + 1] - line.x[segment], line.y[segment + 1] - line.y[segment]
    sine, cosine = sine_cosine(yaw)
    way = line.way[segment]
    return LapReading(
        way + place.share * (line.way[segment + 1] - way), place.offset,
        arctangent2(along_x * sine - along_y * cosine, along_x * cosine + along_y * sine),
        state.place.driven, clock.laps, state.sample.time - clock.begun, clock.last, clock.best,
        state.turns.is_wrong, state.turns.times, state.exits.is_off, state.exits.times)
