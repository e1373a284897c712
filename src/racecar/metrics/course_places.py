# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Poses at places along courses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array
from racecar.base.compiled import kernel
from racecar.base.rows import lent
from racecar.metrics.laps import Course

Indices = NDArray[np.int64]


class Places(NamedTuple):
    """Where cars are to stand: way along a course [m], offset to the left [m], turn [rad]."""

    way: Array
    offset: Array
    turn: Array


class Segments(NamedTuple):
    """Segments of courses one after the other.

    way: along the course to the begin of each, x, y: of it [m]; cosine, sine, yaw: of its
    direction [rad]. first: index of the first segment of each course, and behind the last one's;
    length: of each course [m].
    """

    way: Array
    x: Array
    y: Array
    cosine: Array
    sine: Array
    yaw: Array
    first: Indices
    length: Array


def segments_of(courses: Sequence[Course]) -> Segments:
    """Segments of some courses, at least one."""
    columns, counts, lengths = [], [0], []
    for course in courses:
        steps = np.diff(course.points, axis=0)
        sizes = np.hypot(*steps.T)
        ways = np.concatenate([[0.0], np.cumsum(sizes)])
        direction = steps / sizes[:, None]
        columns.append(np.array([
            ways[:-1], *course.points[:-1].T, *direction.T,
            np.arctan2(direction[:, 1], direction[:, 0])]))
        counts.append(len(sizes))
        lengths.append(ways[-1])
    way, x, y, cosine, sine, yaw = map(np.ascontiguousarray, np.concatenate(columns, axis=1))
    return Segments(
        way, x, y, cosine, sine, yaw, np.cumsum(counts, dtype=np.int64), np.array(lengths))


def poses_on(course: Course, places: Places) -> Array:
    """Poses x, y [m], yaw [rad] of places on a course, (n, 3)."""
    return poses_along(segments_of([course]), np.zeros(len(places.way), np.int64), places)


def poses_along(segments: Segments, courses: Indices, places: Places) -> Array:
    """Poses x, y [m], yaw [rad] of places, each on a course of the segments, (n, 3)."""
    found = np.empty((len(courses), 3))
    _fill_poses(tuple(segments), courses, tuple(
        np.ascontiguousarray(column, dtype=float) for column in places), found)
    return found


@kernel
def _fill_poses(
    segments: tuple[Any, ...], courses: Indices, places: tuple[Any, ...], found: Array,
) -> None:
    s = Segments(*lent(segments))
    ways, offsets, turns = lent(places)
    for i in range(len(courses)):
        course = courses[i]
        way = ways[i] % s.length[course]
        low, high = s.first[course], s.first[course + 1]
        while high - low > 1:
            middle = (low + high) // 2
            if s.way[middle] <= way:
                low = middle
            else:
                high = middle
        ahead = way - s.way[low]
        found[i, 0] = s.x[low] + ahead * s.cosine[low] - offsets[i] * s.sine[low]
        found[i, 1] = s.y[low] + ahead * s.sine[low] + offsets[i] * s.cosine[low]
        found[i, 2] = s.yaw[low] + turns[i]
