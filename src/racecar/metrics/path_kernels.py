# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compiled loop for the errors of cars against their paths, tick by tick as they come.

PathMetrics of path_metrics defines what is computed. Sums are taken sample by sample, so that they
do not depend on how a run is divided.

Each car has a part of one flat array to itself, rows of `room` numbers for a stretch of ticks:
its window of the path is looked at again and again, and so stays in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
import functools
import math
from typing import NamedTuple

from racecar.base.compiled import CompiledLater, pure
from racecar.base.elementary import sine_cosine
from racecar.base.rows import count_numbers, lent, load, Part, store, zeros_of
from racecar.base.vectors import Flat, Vector

SLOWEST_COURSE = 0.05
"""Speed below which a point has no course [m/s]."""

SLACK = 1e-6
"""Bounds of the search for the nearest point are widened by this, against rounding [m]."""

# Numbers of a tick in the points that a block hands out, as rows of all cars: tracked point and
# reference [m].
POINT_NUMBERS = 4

# Rows of a car: the same, way along the path, first tick at the same place of the path, direction
# and speed of the path, tick before the last turn back.
(_X, _Y, _PATH_X, _PATH_Y, _WAY, _REST, _AHEAD_X, _AHEAD_Y, _SPEED, _TURN,
 PATH_ROWS) = range(11)


class Errors(NamedTuple):
    """Sums of squares so far: cross_track [m^2], heading [rad^2], speed [m^2/s^2].

    samples, with_course: how many count, and in the heading; largest: cross-track error [m].
    """

    samples: float
    with_course: float
    cross_track: float
    heading: float
    speed: float
    largest: float


class Course(NamedTuple):
    """How the path went up to a corner.

    moving: tick of the last corner at which it moved, or -1, and its direction there; turn: that
    before the last turn back, or -1.
    """

    moving: float
    ahead_x: float
    ahead_y: float
    turn: float


class PathSums(NamedTuple):
    """What a car has so far, and where the search goes on.

    nearest: segment of the last sample. longest: segment since the rows were moved [m]. is_done:
    whether the car has come to its end.
    """

    errors: Errors
    course: Course
    nearest: float
    longest: float
    is_done: float


class Corners(NamedTuple):
    """A part of a polyline, from corner low to corner high.

    path: from `at` on four rows of `room` numbers, of all corners: x, y, way along the path to
    there [m], number of the first corner of those up to there at the same place. longest: no
    segment of the part is longer [m].
    """

    path: Vector
    at: int
    room: int
    low: int
    high: int
    longest: float


class Nearest(NamedTuple):
    """Squared distance to a polyline [m^2], first corner of the segment, share of it before."""

    squared: float
    segment: int
    share: float


NO_SUMS = PathSums(zeros_of(Errors), Course(-1.0, 0.0, 0.0, -1.0), 0.0, 0.0, 0.0)
SUMS = count_numbers(NO_SUMS)


@pure
def _on_segment(x: float, y: float, corners: Corners, segment: int) -> Nearest:
    """Where a segment is nearest to a point; that of the last corner has no length."""
    path, xs, ys = corners.path, corners.at, corners.at + corners.room
    corner_x, corner_y = path[xs + segment], path[ys + segment]
    following = min(segment + 1, corners.high)
    dx, dy = path[xs + following] - corner_x, path[ys + following] - corner_y
    rx, ry = x - corner_x, y - corner_y
    length = dx * dx + dy * dy
    share = min(max((rx * dx + ry * dy) / (length if length > 0.0 else 1.0), 0.0), 1.0)
    ex, ey = rx - share * dx, ry - share * dy
    return Nearest(ex * ex + ey * ey, segment, share)


@pure
def _nearer(best: Nearest, other: Nearest) -> Nearest:
    """The nearer one, of two that are equally near the first of the path."""
    is_nearer = other.squared < best.squared or (
        other.squared == best.squared and other.segment < best.segment)
    return other if is_nearer else best


@pure
def _spare(x: float, y: float, corners: Corners, corner: int, best: Nearest) -> float:
    """How much farther a corner is than the nearest point known [m]."""
    at = corners.at + corner
    dx, dy = x - corners.path[at], y - corners.path[at + corners.room]
    return math.sqrt(dx * dx + dy * dy) - (math.sqrt(best.squared) + SLACK)


@pure
def _reach(spare: float, longest: float) -> int:
    """How many segments, none longer than `longest` [m], fit into a length [m]."""
    reach = spare * ((1.0 - 1e-9) / longest if longest > 0.0 else 0.0)
    # Where lengths overflow it is NaN, of which there is no integer.
    return int(min(reach, 1e9)) if reach > 0.0 else 0


@pure
def _reach_on(corners: Corners, corner: int, side: int, most: int, spare: float) -> int:
    """How many of `most` segments to one side of a corner, -1 or 1, a length covers.

    Not always all that it covers: of the path's numbers only some are looked at.
    """
    ways = corners.at + 2 * corners.room + corner
    count = 0
    more = 1
    while count + more <= most and side * (
            corners.path[ways + side * (count + more)] - corners.path[ways]) <= spare:
        count += more
        more *= 2
    return count


@pure
def nearest_point(x: float, y: float, corners: Corners, guess: int) -> Nearest:
    """Where a part of a polyline is nearest to a point [m]; exact, whatever the guess.

    guess: a segment, low <= guess <= high. Of several equally near segments the first. No point of
    the path is farther from a corner than the way between them: so a corner that is far away
    spares what is around it.
    """
    best = _on_segment(x, y, corners, guess)
    return _nearest_before(x, y, corners, guess, _nearest_after(x, y, corners, guess, best))


@pure
def _nearest_after(
    x: float, y: float, corners: Corners, guess: int, best: Nearest,
) -> Nearest:
    """The nearer one of what is known and the segments after the guess."""
    path, high = corners.path, corners.high
    ways, rests = corners.at + 2 * corners.room, corners.at + 3 * corners.room
    # Segments from `begin` to before `end` are still to be looked at.
    begin, end = guess + 1, high + 1
    while begin < end:
        # Beyond the middle, so that a corner of a straight path spares all that is far.
        corner = begin + 3 * (end - begin) // 5
        if path[rests + corner] <= begin < corner:
            # The path rests: those before the corner are all the same.
            best = _nearer(best, _on_segment(x, y, corners, begin))
            begin = corner
            continue
        spare = _spare(x, y, corners, corner, best)
        reach = _reach(spare, corners.longest)
        spares_before = spare >= path[ways + corner] - path[ways + begin]
        spares_after = spare >= path[ways + min(end, high)] - path[ways + corner]
        if spares_before and spares_after:
            break
        if spares_before and corner + reach > begin:
            begin = corner + reach
        elif spares_after:
            end = corner - reach
        else:
            stop = max(corner - reach, begin + 1)
            while begin < stop:
                spared = _reach_on(corners, begin, 1, min(end, high) - begin, _spare(
                    x, y, corners, begin, best))
                if spared == 0:
                    best = _nearer(best, _on_segment(x, y, corners, begin))
                begin += max(spared, 1)
            begin = max(begin, corner + reach)
    return best


@pure
def _nearest_before(
    x: float, y: float, corners: Corners, guess: int, best: Nearest,
) -> Nearest:
    """The nearer one of what is known and the segments before the guess."""
    path = corners.path
    ways, rests = corners.at + 2 * corners.room, corners.at + 3 * corners.room
    begin, end = corners.low, guess
    while begin < end:
        first = max(int(path[rests + end]), begin)
        if first < end:
            best = _nearer(best, _on_segment(x, y, corners, first))
            end = first
            continue
        corner = begin + 2 * (end - begin) // 5
        spare = _spare(x, y, corners, corner, best)
        reach = _reach(spare, corners.longest)
        spares_before = spare >= path[ways + corner] - path[ways + begin]
        spares_after = spare >= path[ways + end] - path[ways + corner]
        if spares_before and spares_after:
            break
        if spares_after:
            end = corner - reach
        elif spares_before and corner + reach > begin:
            begin = corner + reach
        else:
            stop = min(corner + reach, end - 1)
            while end > stop:
                spared = _reach_on(corners, end, -1, end - begin, _spare(
                    x, y, corners, end, best))
                if spared == 0:
                    best = _nearer(best, _on_segment(x, y, corners, end - 1))
                end -= max(spared, 1)
            end = min(end, corner - reach)
    return best


class CarPath(NamedTuple):
    """Rows of a car, in which tick k of a row is at own + row * room + k.

    times: of the ticks from `origin` on [s]; last: tick that is there.
    """

    rows: Flat
    own: int
    room: int
    times: Vector
    origin: int
    last: int


@pure
def _velocity(path: CarPath, row: int, tick: int) -> tuple[float, float, float]:
    """x, y and modulus of the mean velocity between the neighbours of a tick [m/s].

    row: that of x; that of y is the next one.
    """
    if path.last == 0:
        return math.nan, math.nan, math.nan
    before, after = max(tick - 1, 0), min(tick + 1, path.last)
    time = path.times[after - path.origin] - path.times[before - path.origin]
    rows, xs = path.rows, path.own + row * path.room
    ys = xs + path.room
    vx, vy = (rows[xs + after] - rows[xs + before]) / time, (
        rows[ys + after] - rows[ys + before]) / time
    return vx, vy, math.sqrt(vx * vx + vy * vy)


@pure
def _add_corner(path: CarPath, tick: int, course: Course) -> Course:
    """Compute direction and speed of the path at a tick, and whether it turns back there."""
    vx, vy, speed = _velocity(path, _PATH_X, tick)
    moves = speed >= SLOWEST_COURSE
    divisor = speed if moves else 1.0
    ahead_x, ahead_y = vx / divisor, vy / divisor
    moving, last_x, last_y, turn = course
    if moves:
        if moving >= 0.0 and ahead_x * last_x + ahead_y * last_y < 0.0:
            turn = moving
        moving, last_x, last_y = float(tick), ahead_x, ahead_y
    rows, at, room = path.rows, path.own + tick, path.room
    rows[at + _AHEAD_X * room], rows[at + _AHEAD_Y * room] = ahead_x, ahead_y
    rows[at + _SPEED * room], rows[at + _TURN * room] = speed, turn
    return Course(moving, last_x, last_y, turn)


@pure
def _add_sample(
    path: CarPath, tick: int, low: int, high: int, near: Nearest, errors: Errors,
) -> Errors:
    """Add the errors of the sample of a tick, whose window is from tick low to high."""
    rows, own, room = path.rows, path.own, path.room
    vx, vy, speed = _velocity(path, _X, tick)
    segment, after = near.segment, min(near.segment + 1, high)
    # Direction of the path: between those at both ends of the segment.
    of_x, of_y = own + _AHEAD_X * room, own + _AHEAD_Y * room
    tangent_x = (1.0 - near.share) * rows[of_x + segment] + near.share * rows[of_x + after]
    tangent_y = (1.0 - near.share) * rows[of_y + segment] + near.share * rows[of_y + after]
    along = tangent_x * vx + tangent_y * vy
    across = tangent_x * vy - tangent_y * vx
    path_speed = own + _SPEED * room
    has_course = (speed >= SLOWEST_COURSE and rows[path_speed + segment] >= SLOWEST_COURSE
                  and rows[path_speed + after] >= SLOWEST_COURSE)
    heading = 0.0
    if has_course:
        turns_back = rows[own + _TURN * room + high] >= low
        sign = -1.0 if turns_back and along < 0.0 else 1.0
        heading = math.atan2(sign * across, sign * along)
    faster = speed - rows[path_speed + tick]
    return Errors(
        errors.samples + 1.0, errors.with_course + (1.0 if has_course else 0.0),
        errors.cross_track + near.squared, errors.heading + heading * heading,
        errors.speed + faster * faster, max(errors.largest, math.sqrt(near.squared)))


@pure
def _add_way(path: CarPath, tick: int) -> float:
    """Compute how far the path comes to the corner of a tick; length from the one before [m]."""
    rows, at, room = path.rows, path.own + tick, path.room
    way, rest, length = 0.0, float(tick), 0.0
    if tick > 0:
        dx = rows[at + _PATH_X * room] - rows[at + _PATH_X * room - 1]
        dy = rows[at + _PATH_Y * room] - rows[at + _PATH_Y * room - 1]
        length = math.sqrt(dx * dx + dy * dy)
        way = rows[at + _WAY * room - 1] + length
        if dx == 0.0 and dy == 0.0:
            rest = rows[at + _REST * room - 1]
    rows[at + _WAY * room], rows[at + _REST * room] = way, rest
    return length


class Stretch(NamedTuple):
    """Which ticks are added, and how the rows of the cars lie; see path_kernel().

    room: numbers of a row; base: its first tick, after the rows have been moved by `shift` ticks;
    stride: cars for which the points have room, of which there are `cars`; first: of `ticks` that
    come; final: the last one of all; origin: that of the first time; done, ready: first sample to
    work off and that after the last, whose windows are there.
    """

    room: int
    base: int
    shift: int
    stride: int
    cars: int
    first: int
    ticks: int
    final: int
    origin: int
    done: int
    ready: int


@pure
def _move_back(rows: Flat, own: int, stretch: Stretch) -> float:
    """Move the rows of a car by the shift of a stretch; length of the longest segment left [m]."""
    held = stretch.first - stretch.base
    for row in range(PATH_ROWS):
        at = own + row * stretch.room
        for k in range(held):
            rows[at + k] = rows[at + k + stretch.shift]
    ways, longest = own + _WAY * stretch.room, 0.0
    for k in range(1, held):
        longest = max(longest, rows[ways + k] - rows[ways + k - 1])
    return longest


@functools.cache
def path_kernel() -> CompiledLater[None]:
    """Loop that adds ticks of some cars and works off the samples that are ready.

    kernel(held, points, diverged, times, windows, stretch), all flat. held: of each car PATH_ROWS
    rows of `room` numbers, and PathSums of each car. points: (ticks, POINT_NUMBERS, stride) [m];
    diverged: tick at which each car ended, negative if it goes on. times: of the ticks from
    `origin` on [s]; windows: first and last tick of the window of each; stretch: the fields of
    Stretch.
    """
    sums_part = Part(NO_SUMS)

    def follow_paths(
        held: tuple[Flat, Flat], points: Vector, diverged: Vector, times: Vector,
        windows: tuple[Sequence[int], Sequence[int]], stretch: tuple[int, ...],
    ) -> None:
        (rows, sums), (lows, highs), here = lent(held), lent(windows), Stretch(*stretch)
        points, diverged, times = lent((points, diverged, times))
        room, first, origin = here.room, here.first, here.origin
        for i in range(here.cars):
            s = load(sums, sums_part, SUMS * i)
            if s.is_done > 0.0:
                continue
            own = i * PATH_ROWS * room
            longest = _move_back(rows, own, here) if here.shift > 0 else s.longest
            last = first + here.ticks - 1
            is_end = last == here.final
            if 0.0 <= diverged[i] <= last:
                last, is_end = int(diverged[i]), True
            # Rows are found by the tick itself.
            path = CarPath(rows, own - here.base, room, times, origin, last)
            for tick in range(first, last + 1):
                for row in range(POINT_NUMBERS):
                    rows[path.own + row * room + tick] = points[
                        ((tick - first) * POINT_NUMBERS + row) * here.stride + i]
                longest = max(longest, _add_way(path, tick))
            course, errors, nearest = s.course, s.errors, s.nearest
            # At the last tick the path goes on, unless it ends there.
            for tick in range(max(first - 1, 0), last + 1 if is_end else last):
                course = _add_corner(path, tick, course)
            for tick in range(here.done, last + 1 if is_end else here.ready):
                low, high = lows[tick - origin], min(highs[tick - origin], last)
                near = nearest_point(
                    rows[path.own + _X * room + tick], rows[path.own + _Y * room + tick],
                    Corners(rows, path.own + _PATH_X * room, room, low, high, longest),
                    min(max(int(nearest) + 1, low), high))
                errors = _add_sample(path, tick, low, high, near, errors)
                nearest = float(near.segment)
            store(sums, sums_part, SUMS * i, PathSums(
                errors, course, nearest, longest, 1.0 if is_end else 0.0))

    def cost(
        held: object, points: object, diverged: object, times: object, windows: object,
        stretch: tuple[int, ...],
    ) -> float:
        here = Stretch(*stretch)
        return 2e-5 * here.cars * here.ticks

    return CompiledLater(
        follow_paths, '(UniTuple(float64[::1], 2), float64[::1], float64[::1], float64[::1],'
                      ' UniTuple(int64[::1], 2), UniTuple(int64, 11))', cost)


def move_ahead(x: Flat, y: Flat, yaw: Vector, distance: float) -> None:
    """Move points [m] ahead by a distance [m], with the bits of a batch: to the tracked point."""
    _moving_kernel()(x, y, yaw, distance)


@functools.cache
def _moving_kernel() -> CompiledLater[None]:
    def move(x: Flat, y: Flat, yaw: Vector, distance: float) -> None:
        for i in range(len(x)):
            sine, cosine = sine_cosine(yaw[i])
            x[i] += distance * cosine
            y[i] += distance * sine

    return CompiledLater(
        move, '(float64[::1], float64[::1], float64[::1], float64)',
        lambda x, *_: 1e-6 * len(x))
