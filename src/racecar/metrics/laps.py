# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Laps, sectors, progress, wrong way and track limits of a car on a closed course."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import functools
import math
from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array
from racecar.base.compiled import CompiledLater, pure
from racecar.base.errors import ConfigurationError
from racecar.base.rows import count_numbers, flatten, lent, load, Part, store
from racecar.base.vectors import as_vector, Flat, Vector, vector
from racecar.metrics.quantities import Quantity

MOST_SECTORS = 10

WHOLE_LAP = 1.0
"""Completion of a lap that ends where it began, at the start line."""

# A path whose ends are nearer than this is closed; who is farther off it is not on the course; who
# stands so little past the line at first began on it; all shares of its length.
_CLOSED, _OFF, _AT_LINE = 1e-3, 0.08, 0.01
# A car is looked for at most so far ahead of and behind its last place; it enters after it has
# moved so far; it goes the wrong way once it has gone back so far; shares of the length.
_SEARCH, _STEP, _BACK = 0.02, 2e-4, 0.01
# In a bend the nearest place leaps by more than a car moves, the more the farther it is off: it is
# looked for as many times farther than that.
_LEAP = 4.0
# Against rounding, where segments are not looked at that are too far off to be the nearest one:
# share of a distance, and more [m].
_SURELY, _ROUNDING = 1.0 + 1e-6, 1e-6
# Segments that are looked at together, and half of them.
_BLOCK, _HALF = 8, 4


class Course(NamedTuple):
    """Centre line of a closed track, and how wide the track is.

    points: (n, 2) [m], the first is on the start line, the last repeats it. right, left: (n,) from
    the centre line to the borders [m], infinite where they are not known.
    """

    points: Array
    right: Array
    left: Array

    @classmethod
    def along(cls, points: Array, widths: Array | None = None) -> Course:
        """Course of points (n, 2) [m]; widths: (n, 2) to the right and to the left [m]."""
        unknown = np.full(len(points), math.inf)
        return cls(points, unknown, unknown) if widths is None else cls(points, *widths.T)

    @property
    def length(self) -> float:
        """Way along the points [m]."""
        return float(np.hypot(*np.diff(self.points, axis=0).T).sum())

    @property
    def longest(self) -> float:
        """Longest way from a point to the next [m]."""
        return float(np.hypot(*np.diff(self.points, axis=0).T).max(initial=0.0))

    @property
    def is_closed(self) -> bool:
        """Whether its ends meet."""
        return len(self.points) > 3 and math.dist(
            self.points[0], self.points[-1]) < _CLOSED * self.length

    def columns(self) -> tuple[Vector, ...]:
        """The fields of Line that are columns, without points that repeat the one before."""
        lengths = np.hypot(*np.diff(self.points, axis=0).T)
        moves = np.concatenate([lengths > 0.0, [True]])
        return tuple(as_vector(np.array(column, dtype=np.float64)) for column in (
            self.points[moves, 0], self.points[moves, 1],
            np.concatenate([[0.0], np.cumsum(lengths[lengths > 0.0])]), self.right[moves],
            self.left[moves]))

    @property
    def has_borders(self) -> bool:
        """Whether widths are known."""
        return bool(np.isfinite(self.right).any() or np.isfinite(self.left).any())


NO_COURSE = Course.along(np.empty((0, 2)))
"""A course of no points, which is not closed."""


class LapRule(NamedTuple):
    """When a lap is complete.

    completion: share of the length after the start line; 1 is the line again, 0.995 the rule of
    F1TENTH benchmarks. sectors: equal parts of that, each with a time of its own.
    """

    completion: float = WHOLE_LAP
    sectors: int = 3

    def check(self) -> None:
        """Raise ConfigurationError for values that are out of range."""
        if not 0.5 <= self.completion <= WHOLE_LAP:
            raise ConfigurationError(
                f'lap completion is {self.completion!r}, expected a share of 0.5 to 1 of the'
                ' course, such as 0.995')
        if not 1 <= self.sectors <= MOST_SECTORS:
            raise ConfigurationError(
                f'sectors of a lap are {self.sectors!r}, expected 1 to {MOST_SECTORS}')


class Sample(NamedTuple):
    """Where a car was at a time [s]: x, y [m]."""

    time: float
    x: float
    y: float


class OnCourse(NamedTuple):
    """Where a car is on a course: progress since line 0 [m], NaN if it is not on it; segment.

    driven: progress since it was found, over all the times that it was [m]; distance: to the
    course [m].
    """

    progress: float
    segment: float
    driven: float
    distance: float


class LapClock(NamedTuple):
    """Times of one car; NaN where there is none.

    line: number of the start line that was crossed last; begun: when the present lap began [s];
    sector: how many of that lap are complete; sector_begun [s]. laps: how many are complete; last,
    best: their times [s]; last_sector: time of a sector [s].
    """

    line: float
    begun: float
    sector: float
    sector_begun: float
    laps: float
    last: float
    best: float
    last_sector: float


class Turns(NamedTuple):
    """Whether a car goes the wrong way (1 or 0), and how often it has begun to.

    extreme: progress that is farthest in the direction in which it goes [m].
    """

    extreme: float
    is_wrong: float
    times: float


class Exits(NamedTuple):
    """Whether a car is off the track (1 or 0), how often it has left it, and for how long [s]."""

    is_off: float
    times: float
    time: float


class LapState(NamedTuple):
    """What a timer knows of one car; the sample is the last one, or where it waits to move."""

    sample: Sample
    place: OnCourse
    clock: LapClock
    turns: Turns
    exits: Exits


_NO_CLOCK = LapClock(-math.inf, math.nan, 0.0, math.nan, 0.0, math.nan, math.nan, math.nan)
NO_LAPS = LapState(
    Sample(math.nan, math.nan, math.nan), OnCourse(math.nan, 0.0, 0.0, 0.0), _NO_CLOCK,
    Turns(0.0, 0.0, 0.0), Exits(0.0, 0.0, 0.0))
LAP_PART, _CLOCK_PART = Part(NO_LAPS), Part(_NO_CLOCK)
LAP_SIZE = count_numbers(NO_LAPS)
# Numbers of an event, see _kernel().
_EVENT = 2 + count_numbers(_NO_CLOCK)


class Line(NamedTuple):
    """A course for kernels: corners x, y, way along it to there, widths [m]; rule of a lap.

    longest: of its segments [m].
    """

    x: Vector
    y: Vector
    way: Vector
    right: Vector
    left: Vector
    completion: float
    sectors: float
    longest: float


class Place(NamedTuple):
    """Nearest place of some segments: distance and offset to the left [m], segment, share."""

    distance: float
    offset: float
    segment: int
    share: float


@pure
def on_segment(line: Line, segment: int, x: float, y: float) -> Place:
    """Nearest place of a segment to a point [m]."""
    along_x, along_y = line.x[segment + 1] - line.x[segment], line.y[segment + 1] - line.y[segment]
    to_x, to_y = x - line.x[segment], y - line.y[segment]
    square = along_x * along_x + along_y * along_y
    share = min(max((to_x * along_x + to_y * along_y) / square, 0.0), 1.0)
    away_x, away_y = to_x - share * along_x, to_y - share * along_y
    distance = math.sqrt(away_x * away_x + away_y * away_y)
    return Place(distance, math.copysign(distance, along_x * to_y - along_y * to_x),
                  segment, share)


@pure
def _nearer(one: Place, other: Place) -> Place:
    return other if other.distance < one.distance else one


@pure
def _is_beyond(line: Line, segment: int, x: float, y: float, distance: float) -> bool:
    """Whether all of a segment is farther than a distance [m] from a point, for certain."""
    to_x, to_y = x - line.x[segment], y - line.y[segment]
    reach = (distance + (line.way[segment + 1] - line.way[segment])) * _SURELY + _ROUNDING
    return to_x * to_x + to_y * to_y > reach * reach


@pure
def _nearby(line: Line, segment: int, reach: float, sample: Sample) -> Place:
    """Nearest place on a segment and those that begin or end within reach of it [m]."""
    count = len(line.x) - 1
    best = on_segment(line, segment, sample.x, sample.y)
    for side in (1, -1):
        gone, other = 0.0, segment
        for _ in range(count // 2):
            other = (other + side) % count
            if not _is_beyond(line, other, sample.x, sample.y, best.distance):
                best = _nearer(best, on_segment(line, other, sample.x, sample.y))
            gone += line.way[other + 1] - line.way[other]
            if gone > reach:
                break
    return best


@pure
def _least_along(line: Line, x: float, y: float, dx: float, dy: float) -> float:
    """Distance to the nearest of some places at which the course goes along (dx, dy) [m]."""
    least = math.inf
    for segment in range(0, len(line.x) - 1, _BLOCK):
        to_x, to_y = x - line.x[segment], y - line.y[segment]
        square = to_x * to_x + to_y * to_y
        least = square if _goes_along(line, segment, dx, dy) and square < least else least
    return math.sqrt(least)


@pure
def _goes_along(line: Line, segment: int, dx: float, dy: float) -> bool:
    return ((line.x[segment + 1] - line.x[segment]) * dx
            + (line.y[segment + 1] - line.y[segment]) * dy > 0.0)


@pure
def anywhere(line: Line, x: float, y: float, dx: float, dy: float) -> Place:
    """Nearest place, by choice where the course goes as the car does: (dx, dy).

    Where a course crosses itself the direction tells the branches apart.
    """
    count = len(line.x) - 1
    best = along = Place(math.inf, math.inf, 0, 0.0)
    # The nearest place that goes along is at most so far away: no block is looked at whose middle
    # is farther by more than its half.
    reach = (_least_along(line, x, y, dx, dy) + _HALF * line.longest) * _SURELY + _ROUNDING
    square = reach * reach
    for block in range(0, count, _BLOCK):
        middle = min(block + _HALF, count)
        to_x, to_y = x - line.x[middle], y - line.y[middle]
        if to_x * to_x + to_y * to_y > square:
            continue
        for segment in range(block, min(block + _BLOCK, count)):
            place = on_segment(line, segment, x, y)
            best = _nearer(best, place)
            if _goes_along(line, segment, dx, dy):
                along = _nearer(along, place)
    return along if along.distance <= best.distance + _AT_LINE * line.way[count] else best


@pure
def _way_to(line: Line, place: Place) -> float:
    way = line.way[place.segment]
    return way + place.share * (line.way[place.segment + 1] - way)


@pure
def _away(state: LapState, sample: Sample) -> LapState:
    """A car that is not on the course waits at a place until it has moved."""
    clock = state.clock
    return LapState(
        sample, OnCourse(math.nan, 0.0, state.place.driven, 0.0),
        LapClock(-math.inf, math.nan, 0.0, math.nan, clock.laps, clock.last, clock.best,
                 clock.last_sector),
        Turns(0.0, 0.0, state.turns.times), Exits(0.0, state.exits.times, state.exits.time))


@pure
def _at_line(clock: LapClock, time: float, number: float) -> LapClock:
    """Begin a lap at the line of a number."""
    return LapClock(number, time, 0.0, time, clock.laps, clock.last, clock.best,
                    clock.last_sector)


@pure
def _entered(line: Line, state: LapState, dx: float, dy: float) -> LapState:
    """Find a car that has moved by dx, dy since the sample of its state."""
    length, sample = line.way[len(line.x) - 1], state.sample
    place = anywhere(line, sample.x, sample.y, dx, dy)
    if place.distance > _OFF * length:
        return state
    progress = _way_to(line, place)
    if progress > 0.5 * length:
        progress -= length
    clock = state.clock
    if 0.0 <= progress < _AT_LINE * length:
        clock = _at_line(clock, sample.time, 0.0)
    return LapState(
        sample,
        OnCourse(progress, float(place.segment), state.place.driven, place.distance), clock,
        Turns(progress, 0.0, state.turns.times), state.exits)


@pure
def _passed(line: Line, state: LapState, progress: float, time: float) -> LapClock:
    """Add what a car passes up to a greater progress [m]: end of a sector, of the lap, line."""
    length, before, clock = line.way[len(line.x) - 1], state.place.progress, state.clock
    rate = (time - state.sample.time) / (progress - before)
    goal = (clock.line + line.completion * ((clock.sector + 1.0) / line.sectors)) * length
    if not math.isnan(clock.begun) and before < goal <= progress:
        passed = state.sample.time + (goal - before) * rate
        sector, laps = clock.sector + 1.0, clock.laps
        begun, last, best = clock.begun, clock.last, clock.best
        if sector == line.sectors:
            last = passed - begun
            best = last if laps == 0.0 else min(last, best)
            laps, begun = laps + 1.0, math.nan
        clock = LapClock(clock.line, begun, sector, passed, laps, last, best,
                         passed - clock.sector_begun)
    number = math.floor(before / length) + 1.0
    if before < number * length <= progress and number > clock.line:
        clock = _at_line(clock, state.sample.time + (number * length - before) * rate, number)
    return clock


@pure
def _turned(turns: Turns, progress: float, back: float) -> Turns:
    """Note where the car goes, and whether it has turned round and gone by `back` [m] since."""
    sign = 1.0 - 2.0 * turns.is_wrong
    extreme = sign * max(sign * turns.extreme, sign * progress)
    if sign * (extreme - progress) > back:
        is_wrong = 1.0 - turns.is_wrong
        return Turns(progress, is_wrong, turns.times + is_wrong)
    return Turns(extreme, turns.is_wrong, turns.times)


@pure
def _kept(line: Line, exits: Exits, place: Place, elapsed: float) -> Exits:
    """Note whether a place is off the track; elapsed: time since the sample before [s]."""
    share, here, after = place.share, place.segment, place.segment + 1
    right = (1.0 - share) * line.right[here] + share * line.right[after]
    left = (1.0 - share) * line.left[here] + share * line.left[after]
    is_off = 1.0 if place.offset > left or -place.offset > right else 0.0
    return Exits(is_off, exits.times + max(is_off - exits.is_off, 0.0),
                 exits.time + exits.is_off * elapsed)


@pure
def lap_step(line: Line, state: LapState, sample: Sample) -> LapState:
    """State after one more sample of a car."""
    length, before = line.way[len(line.x) - 1], state.sample
    dx, dy = sample.x - before.x, sample.y - before.y
    moved = math.sqrt(dx * dx + dy * dy)
    if not moved <= _OFF * length:
        return _away(state, sample)
    if math.isnan(state.place.progress):
        if moved <= _STEP * length:
            return state
        state = _entered(line, state, dx, dy)
        if math.isnan(state.place.progress):
            return _away(state, sample)
    reach = min(_SEARCH * length, _LEAP * (moved + state.place.distance))
    place = _nearby(line, int(state.place.segment), max(reach, 1.5 * moved), sample)
    if place.distance > _OFF * length:
        return _away(state, sample)
    gain = _way_to(line, place) - state.place.progress
    gain -= length * math.floor(gain / length + 0.5)
    progress = state.place.progress + gain
    return LapState(
        sample,
        OnCourse(progress, float(place.segment), state.place.driven + gain, place.distance),
        # A gain may be too small to change the progress.
        _passed(line, state, progress, sample.time) if progress > state.place.progress
        else state.clock,
        _turned(state.turns, progress, _BACK * length),
        _kept(line, state.exits, place, sample.time - before.time))


class Points(NamedTuple):
    """Positions of cars side by side [m]: x of car i at sample k is number k step + i.

    y is `across` numbers behind x.
    """

    numbers: Vector
    step: int
    across: int


@functools.cache
def _kernel() -> CompiledLater[int]:
    """Loop that adds samples of some cars, and writes down what they pass.

    kernel(held, line, rule, times, points, where) gives the number of events: begins of laps and
    ends of sectors. held: LapState of each car, room for the events, numbers of the cars, and the
    sample at which each diverged, negative if none. where: step and across of the points, number
    of the first sample. An event is the number of a car, when the lap that it was in had begun,
    and its LapClock after it.
    """
    def add_samples(
        held: tuple[Flat, Flat, Flat, Flat], line: tuple[Vector, ...],
        rule: tuple[float, float, float], times: Vector, points: Vector,
        where: tuple[int, int, int],
    ) -> int:
        (numbers, events, cars, ends), (step, across, first) = lent(held), where
        (x, y, way, right, left), (times, points) = lent(line), lent((times, points))
        course = Line(x, y, way, right, left, *rule)
        count = 0
        for j in range(len(cars)):
            car = int(cars[j])
            state = load(numbers, LAP_PART, LAP_SIZE * car)
            for k in range(len(times)):
                if 0.0 <= ends[car] < first + k:
                    break
                at = k * step + car
                sample = Sample(times[k], points[at], points[at + across])
                if not (math.isfinite(sample.x) and math.isfinite(sample.y)):
                    continue
                before = state.clock
                state = lap_step(course, state, sample)
                since = state.clock.sector_begun
                if since != before.sector_begun and not math.isnan(since):
                    events[_EVENT * count], events[_EVENT * count + 1] = float(car), before.begun
                    store(events, _CLOCK_PART, _EVENT * count + 2, state.clock)
                    count += 1
            store(numbers, LAP_PART, LAP_SIZE * car, state)
        return count

    def cost(held: tuple[Vector, ...], line: object, rule: object, times: Vector,
             *_: object) -> float:
        return 1e-5 * len(held[2]) * len(times)

    return CompiledLater(
        add_samples,
        'int64(UniTuple(float64[::1], 4), UniTuple(float64[::1], 5), UniTuple(float64, 3),'
        ' float64[::1], float64[::1], UniTuple(int64, 3))', cost)


class Lap(NamedTuple):
    """A complete lap: when it began [s], its time [s] and those of its sectors [s]."""

    begun: float
    time: float
    sectors: tuple[float, ...]


@dataclass(frozen=True)
class LapTimes:
    """The laps of a run.

    laps: complete ones, in order. progress: how far the car came along the course [laps].
    wrong_ways: how often it turned round and went back by more than 1 % of the course. exits,
    off_time: how often and how long [s] its tracked point was beyond the borders of the track;
    None where the course has none.
    """

    laps: tuple[Lap, ...]
    progress: float
    wrong_ways: int
    exits: int | None = None
    off_time: float | None = None

    @property
    def best(self) -> float | None:
        """Time of the fastest lap [s]; None without one."""
        return min((lap.time for lap in self.laps), default=None)

    def as_dict(self) -> dict[str, float | int | None]:
        """The figures by name."""
        return {name: quantity.value for name, quantity in self.quantities().items()}

    def quantities(self) -> dict[str, Quantity]:
        """The figures for people by the names of as_dict()."""
        times = [lap.time for lap in self.laps]
        return {
            'laps': Quantity('laps', len(times)),
            'best_lap': Quantity('best lap', self.best, 's'),
            'mean_lap': Quantity('mean lap', float(np.mean(times)) if times else None, 's'),
            'lap_progress': Quantity('progress in laps', self.progress),
            'wrong_ways': Quantity('wrong ways', self.wrong_ways),
            **({} if self.exits is None else {
                'track_exits': Quantity('track exits', self.exits),
                'off_track_time': Quantity('time off the track', self.off_time, 's')})}


LAP_UNITS = {'laps': '', 'best_lap': 's', 'mean_lap': 's', 'lap_progress': '', 'wrong_ways': '',
             'track_exits': '', 'off_track_time': 's'}
"""Figures of LapTimes.as_dict(), and their units."""


def lap_columns(laps: Sequence[LapTimes | None], count: int) -> dict[str, Array]:
    """Figures of the laps of cars by the names of LAP_UNITS, (count,), NaN for what there is not.

    laps: of each car, or empty if none has any.
    """
    found = np.full((len(LAP_UNITS), count), math.nan)
    for car, one in enumerate(laps):
        if one is not None:
            figures = one.as_dict()
            # None becomes NaN.
            found[:, car] = [figures.get(name) for name in LAP_UNITS]
    return dict(zip(LAP_UNITS, found, strict=True))


class LapBatch:
    """Times the laps of cars whose samples come side by side; memory grows with their laps only.

    LapTimer says what counts.
    """

    def __init__(self, courses: Sequence[Course], rule: LapRule | None = None) -> None:
        """courses: of each car; open ones have no laps. Raises ConfigurationError for the rule."""
        rule = rule or LapRule()
        rule.check()
        self._rule = float(rule.completion), float(rule.sectors)
        groups: dict[int, tuple[Course, list[float]]] = {}
        for car, course in enumerate(courses):
            groups.setdefault(id(course), (course, []))[1].append(float(car))
        self._groups = [
            (course.columns(), (*self._rule, course.longest), vector(cars))
            for course, cars in groups.values() if course.is_closed]
        # Found once for the cars that share a course: each look goes through all its points.
        known = {id(course): (course.length, course.has_borders) for course, _ in groups.values()
                 if course.is_closed}
        self._lengths = [known.get(id(course)) for course in courses]
        self._numbers: Flat = vector([*flatten(NO_LAPS)] * len(courses))
        self._events: Flat = vector(0)
        self._laps: list[list[Lap]] = [[] for _ in courses]
        self._sectors: list[list[float]] = [[] for _ in courses]

    def add(self, times: Vector, points: Points, ends: Vector, first: int = 0) -> None:
        """Add samples of all cars at some times [s], the first of them numbered `first`.

        ends: number of the last sample of each car that counts, negative if all do.
        """
        room = _EVENT * len(times) * len(self._laps)
        if len(self._events) < room:
            self._events = vector(room)
        for columns, rule, cars in self._groups:
            count = _kernel()(
                (self._numbers, self._events, cars, ends), columns, rule, times,
                points.numbers, (points.step, points.across, first))
            for event in np.reshape(self._events[:_EVENT * count], (-1, _EVENT)).tolist():
                self._take(int(event[0]), event[1], LapClock(*event[2:]))

    def _take(self, car: int, was_begun: float, clock: LapClock) -> None:
        laps, sectors = self._laps[car], self._sectors[car]
        if clock.laps > len(laps):
            laps.append(Lap(was_begun, clock.last, (*sectors, clock.last_sector)))
            sectors.clear()
        elif clock.begun != was_begun:
            sectors.clear()
        else:
            sectors.append(clock.last_sector)

    def state(self, car: int) -> LapState:
        """Where a car is, and what it is doing."""
        return load(self._numbers, LAP_PART, LAP_SIZE * car)

    def completed(self, car: int) -> int:
        """How many laps of a car are complete."""
        return len(self._laps[car])

    def result(self, car: int) -> LapTimes | None:
        """Laps of a car so far; None if its course is not closed."""
        if (of_course := self._lengths[car]) is None:
            return None
        length, has_borders = of_course
        _, place, _, turns, exits = self.state(car)
        return LapTimes(
            tuple(self._laps[car]), place.driven / length, int(turns.times),
            *((int(exits.times), exits.time) if has_borders else ()))


class LapTimer:
    """Times the laps of one car, while its samples come.

    A lap begins where the car crosses the start line, the first point of the course, in the
    direction of the course, and is complete when the progress since then is the share of the
    length that the rule names; times are interpolated between two samples. A car that stands up to
    1 % of the length past the line at first begins there. One that is farther than 8 % of the
    length off the course, is put elsewhere or goes back in time begins anew.
    """

    def __init__(self, course: Course, rule: LapRule | None = None) -> None:
        """course: an open one has no laps. Raises ConfigurationError for a wrong rule."""
        self.course, self._rule = course, rule
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget all laps."""
        self._batch = LapBatch([self.course], self._rule)
        self._time = -math.inf

    @property
    def state(self) -> LapState:
        """Where the car is, and what it is doing."""
        return self._batch.state(0)

    @property
    def begun(self) -> float | None:
        """When the present lap began [s]; None if there is none."""
        begun = self.state.clock.begun
        return None if math.isnan(begun) else begun

    @property
    def laps(self) -> tuple[Lap, ...]:
        """The complete laps."""
        found = self.result()
        return () if found is None else found.laps

    @property
    def best(self) -> float | None:
        """Time of the fastest lap [s]; None before the first is complete."""
        found = self.result()
        return None if found is None else found.best

    def result(self) -> LapTimes | None:
        """The laps so far; None if the course is not closed."""
        return self._batch.result(0)

    def add(self, times: Array, x: Array, y: Array) -> bool:
        """Add samples in order, each (n,), in s and m; return whether anything is new.

        What is new is a lap or a sector, the begin of a lap or that there is none any more, and
        that the car goes the wrong way or off the track, or no longer.
        """
        if not self.course.is_closed or not len(times):
            return False
        before = self._news()
        if times[0] < self._time:
            self.begin_anew()
        self._time = float(times[-1])
        # Copies, as what is read only is of another type to kernels.
        stamps, points = (as_vector(np.array(column, dtype=np.float64)) for column in (
            times, np.concatenate([x, y])))
        self._batch.add(stamps, Points(points, 1, len(times)), vector([-1.0]))
        return self._news() != before

    def _news(self) -> tuple[object, ...]:
        state = self.state
        return (len(self.laps), self.begun, state.clock.sector, state.turns.is_wrong,
                state.exits.is_off)


def lap_times(
    course: Course, times: Array, x: Array, y: Array, rule: LapRule | None = None,
) -> LapTimes | None:
    """Laps of a whole run, (n,) each, in s and m; None for a course that is not closed."""
    timer = LapTimer(course, rule)
    timer.add(times, x, y)
    return timer.result()
