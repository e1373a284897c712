# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Overlaps of a rectangle against many points of both shapes."""

import math

from hypothesis import assume, given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.types import Pose2
from racecar.scene import Box, Cone, OccupancyGrid, Scene, Wall
from racecar.scene.grid_map import NO_GRID
from racecar.scene.overlaps import overlaps
from racecar.scene.scene import foot_rows

LENGTH, WIDTH = 0.6, 0.25
places = st.tuples(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5), st.floats(-3.2, 3.2))


def meets(scene, place=(0.0, 0.0, 0.0), length=LENGTH, width=WIDTH):
    x, y, yaw = place
    grid = NO_GRID if scene.grid is None else scene.grid.numbers
    return overlaps(
        scene.wall_rows, scene.box_rows, foot_rows(scene.cones), grid[:],
        (x, y, math.cos(yaw), math.sin(yaw), length, width))


def into_the_rectangle(points, place):
    """Return points (n, 2) in the axes of the rectangle."""
    x, y, yaw = place
    c, s = math.cos(yaw), math.sin(yaw)
    return (points - (x, y)) @ np.array([[c, -s], [s, c]])


def deepest(points, place):
    """Return how deep the deepest of many points is in the rectangle, negative if outside."""
    along, across = np.abs(into_the_rectangle(points, place)).T
    return float(np.max(np.minimum(LENGTH - along, WIDTH - across)))


def check(scene, points, place, tolerance):
    """Compare with points that fill a shape so densely."""
    depth = deepest(points, place)
    assume(abs(depth) > tolerance)
    assert meets(scene, place) == (depth > 0.0)


@given(places, st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0),
       st.floats(-1.0, 1.0))
def test_segments(place, x1, y1, x2, y2):
    points = np.linspace((x1, y1), (x2, y2), 600)
    check(Scene(walls=(Wall(x1, y1, x2, y2),)), points, place, 0.004)


@given(places, st.floats(0.05, 1.0), st.floats(0.05, 1.0), st.floats(-3.2, 3.2))
def test_boxes(place, length, width, yaw):
    box = Box(0.0, 0.0, yaw, length, width, 1.0)
    u, v = np.meshgrid(np.linspace(-0.5, 0.5, 80) * length, np.linspace(-0.5, 0.5, 80) * width)
    c, s = math.cos(yaw), math.sin(yaw)
    points = np.column_stack(((u * c - v * s).ravel(), (u * s + v * c).ravel()))
    check(Scene(boxes=(box,)), points, place, 0.01)


@given(places, st.floats(0.05, 0.8))
def test_cones(place, base):
    angles = np.linspace(0.0, 2.0 * math.pi, 400)
    radii = np.linspace(0.0, 0.5 * base, 40)
    points = np.array([(r * math.cos(a), r * math.sin(a)) for r in radii for a in angles])
    check(Scene(cones=(Cone(0.0, 0.0, base),)), points, place, 0.01)


@settings(max_examples=60)
@given(places, st.integers(0, 2**32), st.floats(-3.2, 3.2))
def test_cells_of_a_map(place, seed, turn):
    occupied = np.random.default_rng(seed).random((14, 17)) < 0.04
    grid = OccupancyGrid(np.where(occupied, 100, 0).astype(np.int8), 0.15,
                         Pose2(0.3, -0.8, turn))
    rows, columns = np.nonzero(occupied)
    assume(len(rows) > 0)
    offsets = np.linspace(0.0, 1.0, 24)
    points = np.array([
        grid.point((column + u) * 0.15, (row + v) * 0.15)
        for row, column in zip(rows, columns, strict=True) for u in offsets for v in offsets])
    check(Scene(grid=grid), points, place, 0.008)


def test_to_touch_is_not_to_overlap():
    assert not meets(Scene(walls=(Wall(LENGTH, -1.0, LENGTH, 1.0),)))
    assert meets(Scene(walls=(Wall(LENGTH - 1e-9, -1.0, LENGTH - 1e-9, 1.0),)))


def test_nothing_is_met_outside_a_map():
    grid = OccupancyGrid(np.full((5, 5), 100, np.int8), 0.1, Pose2(10.0, 10.0, 0.0))
    assert not meets(Scene(grid=grid))
    assert meets(Scene(grid=grid), (9.5, 10.2, 0.0))


@pytest.mark.parametrize('room', [0.02, 0.3])
def test_a_lone_cell_far_from_others_is_met(room):
    values = np.zeros((400, 400), np.int8)
    values[200, 230] = 100
    grid = OccupancyGrid(values, 0.02, Pose2(-4.0, -4.0, 0.0))
    # The cell is from x = 0.6 to 0.62.
    assert not meets(Scene(grid=grid), (0.0 - room, 0.0, 0.0))
    assert meets(Scene(grid=grid), (0.0 + 0.01, 0.0, 0.0))
