# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A closed line as flat numbers that compiled code looks up: points at a way, nearest point.

Numbers: how many rows, their step and the way round [m]; then the rows, of which the last repeats
the first a lap later: x, y, heading (unwrapped), curvature, speed, acceleration, widths on the
right and on the left, time since the start [SI]. Between rows a cubic with their headings.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import pure, subroutine
from racecar.base.elementary import sine_cosine
from racecar.base.vectors import as_vector, Flat, Vector
from racecar.control.racelines.raceline import Raceline

HEAD, ROW = 3, 9

UNKNOWN_WIDTH = 1e6
"""Width where a line has none [m]."""

# The nearest point is looked for from so far behind the last one to so far ahead [m].
_BEHIND, _AHEAD = 2.0, 5.0
# If nothing there is nearer than this, the car was put elsewhere: the whole line is searched [m].
_LOST = 5.0
_NEWTON_STEPS = 4


class LinePoint(NamedTuple):
    """A point of a line [SI]: way from its start, place, heading, curvature, speed and its rate.

    width_right, width_left: to the borders, UNKNOWN_WIDTH if the line has none.
    """

    s: float
    x: float
    y: float
    heading: float
    curvature: float
    speed: float
    acceleration: float
    width_right: float
    width_left: float


def line_numbers(line: Raceline, speed_share: float = 1.0) -> Flat:
    """Numbers of a line whose speeds are taken by a share."""
    speed = speed_share * line.speed
    times = np.concatenate([[0.0], np.cumsum(
        2.0 * np.diff(line.s) / (speed[1:] + speed[:-1]))])
    widths = np.full((len(line.s), 2), UNKNOWN_WIDTH) if line.widths is None else line.widths
    rows = np.column_stack([
        line.x, line.y, line.heading, line.curvature, speed,
        speed_share**2 * line.acceleration, widths, times])
    count = len(line.s)
    return as_vector(np.concatenate([
        [count, line.length / (count - 1), line.length], rows.ravel()]))


class _Cell(NamedTuple):
    """way: from the start, of one lap [m]; at: first number of the row before; step: to the next.

    part: how far on the way to the next row, from 0 to 1.
    """

    way: float
    at: int
    step: float
    part: float


@pure
def _cell_at(numbers: Vector, first: int, s: float) -> _Cell:
    rows, step, length = int(numbers[first]), numbers[first + 1], numbers[first + 2]
    way = s - math.floor(s / length) * length
    place = way / step
    # The quotient may round up to the end.
    cell = min(max(int(place), 0), rows - 2)
    return _Cell(way, first + HEAD + ROW * cell, step, place - cell)


@pure
def line_at(numbers: Vector, first: int, s: float) -> LinePoint:
    """Point at a way from the start, any number of laps [m]; numbers from `first` on."""
    way, at, step, p = _cell_at(numbers, first, s)
    to, q = at + ROW, 1.0 - p
    # Hermite, with the headings of both rows.
    h0, h1 = q * q * (1.0 + 2.0 * p), p * p * (3.0 - 2.0 * p)
    d0, d1 = step * p * q * q, -step * p * p * q
    heading, following = numbers[at + 2], numbers[to + 2]
    (s0, c0), (s1, c1) = sine_cosine(heading), sine_cosine(following)
    return LinePoint(
        way,
        h0 * numbers[at] + h1 * numbers[to] + d0 * c0 + d1 * c1,
        h0 * numbers[at + 1] + h1 * numbers[to + 1] + d0 * s0 + d1 * s1,
        q * heading + p * following, q * numbers[at + 3] + p * numbers[to + 3],
        q * numbers[at + 4] + p * numbers[to + 4], q * numbers[at + 5] + p * numbers[to + 5],
        q * numbers[at + 6] + p * numbers[to + 6], q * numbers[at + 7] + p * numbers[to + 7])


class Course(NamedTuple):
    """Curvature and speed of a line at a way, and how they change along it [SI]."""

    curvature: float
    curvature_slope: float
    speed: float
    speed_slope: float


@pure
def course_at(numbers: Vector, first: int, s: float) -> Course:
    """Curvature and speed as of line_at(), which takes several times as long."""
    _, at, step, p = _cell_at(numbers, first, s)
    to, curvature, speed = at + ROW, numbers[at + 3], numbers[at + 4]
    more, faster = numbers[to + 3] - curvature, numbers[to + 4] - speed
    return Course(curvature + p * more, more / step, speed + p * faster, faster / step)


class Border(NamedTuple):
    """A point of a line with its heading [rad], speed [m/s] and widths [m].

    *_slope: how each changes along the line.
    """

    x: float
    x_slope: float
    y: float
    y_slope: float
    heading: float
    heading_slope: float
    speed: float
    speed_slope: float
    right: float
    right_slope: float
    left: float
    left_slope: float


@pure
def border_at(numbers: Vector, first: int, s: float) -> Border:
    """Place, heading, speed and widths as of line_at(), and their derivatives."""
    _, at, step, p = _cell_at(numbers, first, s)
    to, q = at + ROW, 1.0 - p
    (s0, c0), (s1, c1) = sine_cosine(numbers[at + 2]), sine_cosine(numbers[to + 2])
    # Of the Hermite polynomials, and their derivatives.
    h0, h1 = q * q * (1.0 + 2.0 * p), p * p * (3.0 - 2.0 * p)
    d0, d1 = step * p * q * q, -step * p * p * q
    rise, t0, t1 = 6.0 * p * q / step, q * (q - 2.0 * p), p * (p - 2.0 * q)
    often = 1.0 / step
    dx, dy = numbers[to] - numbers[at], numbers[to + 1] - numbers[at + 1]
    turn, faster = numbers[to + 2] - numbers[at + 2], numbers[to + 4] - numbers[at + 4]
    right, left = numbers[to + 6] - numbers[at + 6], numbers[to + 7] - numbers[at + 7]
    return Border(
        h0 * numbers[at] + h1 * numbers[to] + d0 * c0 + d1 * c1, rise * dx + t0 * c0 + t1 * c1,
        h0 * numbers[at + 1] + h1 * numbers[to + 1] + d0 * s0 + d1 * s1,
        rise * dy + t0 * s0 + t1 * s1,
        numbers[at + 2] + p * turn, turn * often, numbers[at + 4] + p * faster, faster * often,
        numbers[at + 6] + p * right, right * often, numbers[at + 7] + p * left, left * often)


@subroutine
def nearest_way(numbers: Vector, first: int, x: float, y: float, last: float) -> float:
    """Way of the point of a line that is nearest to a place [m], from 0 to the way round.

    last: way of the one before, about which it is looked for; negative: on the whole line, as for
    a place farther than 5 m from all of the line about the last.
    """
    rows, step, length = int(numbers[first]), numbers[first + 1], numbers[first + 2]
    begin, count = 0, rows - 1
    if last >= 0.0:
        begin = int(math.floor((last - _BEHIND) / step))
        count = min(count, int((_BEHIND + _AHEAD) / step) + 1)
    nearest, least = 0, math.inf
    for _ in range(2):
        for k in range(count):
            row = (begin + k) % (rows - 1)
            at = first + HEAD + ROW * row
            dx, dy = x - numbers[at], y - numbers[at + 1]
            squared = dx * dx + dy * dy
            if squared < least:
                least, nearest = squared, row
        if least < _LOST * _LOST or count == rows - 1:
            break
        begin, count = 0, rows - 1
    s = nearest * step
    for _ in range(_NEWTON_STEPS):
        point = line_at(numbers, first, s)
        n, c = sine_cosine(point.heading)
        dx, dy = x - point.x, y - point.y
        # Where the way to the place is across the line; near the centre of a bend carefully.
        slope = max(1.0 - point.curvature * (c * dy - n * dx), 0.3)
        s += min(max((c * dx + n * dy) / slope, -step), step)
    return s % length
