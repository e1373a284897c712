# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Starts and lines of cars that do not lie on the course of a race."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.metrics.laps import Course

# How far a course without widths is taken to reach to either side, and how far beyond its borders
# a line may cut a bend [m].
_REACH, _CUT = 3.0, 0.5

# Points whose nearest places are looked for at a time.
_PART = 256


class OffCourse(NamedTuple):
    """A point that lies beyond the borders of a course: x, y [m] in map.

    distance, border: from the centre line to the point, and to the border there [m].
    """

    x: float
    y: float
    distance: float
    border: float

    @property
    def text(self) -> str:
        """Where it is, for people."""
        return (f'at ({self.x:.2f}, {self.y:.2f}) m, {self.distance:.2f} m from the centre line,'
                f' expected at most {self.border:g} m')


def farthest_off(course: Course, points: NDArray[np.float64]) -> OffCourse | None:
    """The point that is farthest beyond the borders of a course, None if all lie on it.

    points: (n, 2) [m]. Where the widths of the course are not known, a track reaches 3 m. A line
    may be 0.5 m beyond a border.
    """
    begins, steps = course.points[:-1], np.diff(course.points, axis=0)
    squares = np.maximum((steps**2).sum(axis=1), np.finfo(float).tiny)
    found: OffCourse | None = None
    most = _CUT
    for first in range(0, len(points), _PART):
        part = points[first:first + _PART]
        to = part[:, None] - begins
        share = np.clip((to * steps).sum(axis=2) / squares, 0.0, 1.0)
        away = to - share[:, :, None] * steps
        distances = np.hypot(away[:, :, 0], away[:, :, 1])
        nearest = distances.argmin(axis=1)
        rows = np.arange(len(part))
        along, off = steps[nearest], away[rows, nearest]
        is_left = along[:, 0] * off[:, 1] - along[:, 1] * off[:, 0] > 0.0
        borders = np.where(is_left, course.left[nearest], course.right[nearest])
        borders = np.where(np.isfinite(borders), borders, _REACH)
        beyond = distances[rows, nearest] - borders
        worst = int(beyond.argmax())
        if beyond[worst] > most:
            most = beyond[worst]
            x, y = part[worst].tolist()
            found = OffCourse(
                x, y, float(distances[worst, nearest[worst]]), float(borders[worst]))
    return found


def start_warning(car: str, course: Course, x: float, y: float) -> str:
    """Say that a car starts off the course of its race, '' if it does not."""
    off = farthest_off(course, np.array([[x, y]]))
    return '' if off is None else (
        f'{car} starts off the track, {off.text}: no lap counts before it gets there; give it'
        ' another start or place, or the race another world or line')


def line_warning(car: str, name: str, course: Course, line: Course) -> str:
    """Say that the line that a car follows leaves the course of its race, '' if it does not."""
    off = farthest_off(course, line.points)
    return '' if off is None else (
        f'{car} follows {name}, which leaves the track, farthest {off.text}: is it a line of'
        ' another track? Give the car a raceline of this one, or the race another world or line')
