# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Poses at places along courses against NumPy, and segments of lines against a search."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
import pytest

from racecar.control.policy.features import ahead_of, density_of, segment_at
from racecar.metrics.course_places import Places, poses_along, poses_on, segments_of
from racecar.metrics.lap_progress import courses_of, line_of
from racecar.metrics.laps import Course

Array = NDArray[np.float64]


def closed(seed: int, count: int) -> Array:
    """Corners of a closed line with segments of very different lengths, (count + 1, 2)."""
    angles = np.sort(np.random.default_rng(seed).uniform(0.0, 2.0 * math.pi, count) ** 3)
    angles *= 2.0 * math.pi / (1.01 * angles[-1])
    points = np.column_stack([7.0 * np.cos(angles), 3.0 * np.sin(angles)])
    return np.vstack([points, points[:1]])


def test_each_place_lies_on_its_own_course() -> None:
    """Way modulo the length, offset to the left, turn from the direction; courses side by side."""
    courses = [Course.along(closed(seed, count)) for seed, count in ((1, 9), (2, 40), (3, 4))]
    rng = np.random.default_rng(0)
    which = rng.integers(0, 3, 60)
    places = Places(rng.uniform(-60.0, 60.0, 60), rng.normal(size=60), rng.normal(size=60))
    found = poses_along(segments_of(courses), which, places)
    for pose, k, way, offset, turn in zip(found, which, *places, strict=True):
        points = courses[k].points
        ways = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
        way %= ways[-1]
        segment = int(np.searchsorted(ways, way, side='right')) - 1
        dx, dy = points[segment + 1] - points[segment]
        yaw = math.atan2(dy, dx)
        x, y = (np.interp(way, ways, column) for column in points.T)
        assert pose == pytest.approx(
            (x - offset * math.sin(yaw), y + offset * math.cos(yaw), yaw + turn), abs=1e-9)
    assert poses_on(courses[1], Places(*(column[which == 1] for column in places))).tolist() == (
        found[which == 1].tolist())


@pytest.mark.parametrize('count', [3, 30, 300])
def test_segments_are_those_of_a_search(count: int) -> None:
    """At corners, between them, beyond both ends and for NaN, however uneven the line is."""
    line = line_of(courses_of([Course.along(closed(count, count))]), 0)
    ways, density = np.asarray(line.way), density_of(line)
    last = len(ways) - 2
    asked = np.concatenate([ways, np.random.default_rng(0).uniform(-1.0, ways[-1] + 1.0, 50)])
    for at in asked.tolist():
        expected = int(np.clip(np.searchsorted(ways, at, side='right') - 1, 0, last))
        assert segment_at(line, at, density) == expected
        on = at % ways[-1]
        assert ahead_of(line, at, density) == pytest.approx(
            [np.interp(on, ways, np.asarray(column)) for column in (line.x, line.y)], abs=1e-9)
    assert segment_at(line, math.nan, density) == 0
