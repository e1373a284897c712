# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Poses at places along a course."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array
from racecar.metrics.laps import Course


class Places(NamedTuple):
    """Where cars are to stand: way along a course [m], offset to the left [m], turn [rad]."""

    way: Array
    offset: Array
    turn: Array


def poses_on(course: Course, places: Places) -> Array:
    """Poses x, y [m], yaw [rad] of places on a course, (n, 3)."""
    points = course.points
    steps = np.diff(points, axis=0)
    lengths = np.hypot(*steps.T)
    ways = np.concatenate([[0.0], np.cumsum(lengths)])
    way = np.mod(places.way, ways[-1])
    segment = np.clip(np.searchsorted(ways, way, side='right') - 1, 0, len(lengths) - 1)
    direction = steps[segment] / lengths[segment, None]
    at = points[segment] + (way - ways[segment])[:, None] * direction
    left = np.column_stack([-direction[:, 1], direction[:, 0]])
    x, y = (at + places.offset[:, None] * left).T
    return np.column_stack([
        x, y, np.arctan2(direction[:, 1], direction[:, 0]) + places.turn])
