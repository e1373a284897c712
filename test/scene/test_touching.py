# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Points, normals and depths where rectangles touch; how much room there is around one."""

import math

from hypothesis import assume, given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.types import Pose2
from racecar.scene import Box, Cone, OccupancyGrid, Scene, Wall
from racecar.scene.overlaps import Rectangle, rectangles_overlap
from racecar.scene.surroundings import is_taken, surroundings_of
from racecar.scene.touching import clearance, rectangles_touch, scene_touch

places = st.builds(
    lambda x, y, angle, length, width: Rectangle(
        x, y, math.cos(angle), math.sin(angle), length, width),
    st.floats(-1.5, 1.5), st.floats(-1.5, 1.5), st.floats(-math.pi, math.pi),
    st.floats(0.05, 1.0), st.floats(0.05, 1.0))


def corners(place):
    c, s = place.cosine, place.sine
    return np.array([
        (place.x + a * place.length * c - b * place.width * s,
         place.y + a * place.length * s + b * place.width * c)
        for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))])


def separation(one, other):
    """Largest gap of the projections over the axes of both: below 0 they overlap."""
    gaps = []
    for place in (one, other):
        for axis in ((place.cosine, place.sine), (-place.sine, place.cosine)):
            a, b = corners(one) @ axis, corners(other) @ axis
            gaps.append(max(a.min() - b.max(), b.min() - a.max()))
    return max(gaps)


def moved(place, dx, dy):
    return Rectangle(place.x + dx, place.y + dy, *place[2:])


@given(places, places)
def test_the_depth_is_what_parts_two_rectangles(one, other):
    gap, touch = separation(one, other), rectangles_touch(one, other)
    assume(abs(gap) > 1e-9)
    assert rectangles_overlap(one, other) == (gap < 0.0)
    assert (touch.depth > 0.0) == (gap < 0.0)
    if gap < 0.0:
        assert touch.depth == pytest.approx(-gap, abs=1e-9)
        assert math.hypot(touch.nx, touch.ny) == pytest.approx(1.0)
        way = touch.depth + 1e-9
        assert not rectangles_overlap(
            moved(one, -way * touch.nx, -way * touch.ny), other)
        # The point lies in both, as deep as they overlap at most.
        for place in (one, other):
            dx, dy = touch.x - place.x, touch.y - place.y
            along, across = (dx * place.cosine + dy * place.sine,
                             dy * place.cosine - dx * place.sine)
            assert abs(along) <= place.length + touch.depth + 1e-9
            assert abs(across) <= place.width + touch.depth + 1e-9


@given(places, places)
def test_who_is_first_does_not_matter(one, other):
    here, there = rectangles_touch(one, other), rectangles_touch(other, one)
    assert here.depth == pytest.approx(there.depth, abs=1e-12)


def test_the_point_is_the_middle_of_the_faces_that_meet():
    touch = rectangles_touch(
        Rectangle(0.0, 0.0, 1.0, 0.0, 0.5, 0.2), Rectangle(0.99, 0.1, 1.0, 0.0, 0.5, 0.2))
    assert touch == pytest.approx((0.49, 0.05, 1.0, 0.0, 0.01))


@pytest.mark.parametrize(('scene', 'normal'), [
    (Scene(walls=(Wall(1.0, -2.0, 1.0, 2.0),)), (1.0, 0.0)),
    (Scene(boxes=(Box(1.5, 0.0, 0.0, 1.0, 4.0, 1.0),)), (1.0, 0.0)),
    (Scene(cones=(Cone(1.1, 0.0, base=0.2),)), (1.0, 0.0))])
def test_touches_with_what_stands_have_its_normal_and_depth(scene, normal):
    touch = scene_touch(surroundings_of([scene]), 0, Rectangle(0.6, 0.0, 1.0, 0.0, 0.41, 0.2))
    assert (touch.nx, touch.ny, touch.depth) == pytest.approx((*normal, 0.01))


@pytest.mark.parametrize('angle', [0.0, 0.3, math.pi / 4, 1.2])
def test_the_wall_of_a_map_has_its_normal_whatever_its_steps(angle):
    rows, columns = np.indices((120, 120))
    x, y = 0.05 * (columns + 0.5) - 3.0, 0.05 * (rows + 0.5) - 3.0
    # All beyond a line at 1 m in the direction of the angle.
    values = np.where(x * math.cos(angle) + y * math.sin(angle) > 1.0, 100, 0).astype(np.int8)
    grid = OccupancyGrid(values, 0.05, Pose2(-3.0, -3.0, 0.0))
    distance = 1.0 - 0.4 + 0.04
    place = Rectangle(distance * math.cos(angle), distance * math.sin(angle), math.cos(angle),
                      math.sin(angle), 0.4, 0.15)
    around = surroundings_of([Scene(grid=grid)])
    assert is_taken(around, 0, place)
    touch = scene_touch(around, 0, place)
    assert touch.nx * math.cos(angle) + touch.ny * math.sin(angle) > math.cos(0.2)


@given(places, st.floats(0.0, 0.999), st.floats(-math.pi, math.pi),
       st.floats(-math.pi, math.pi))
def test_nothing_is_met_within_the_clearance(place, share, direction, turn):
    around = surroundings_of([
        Scene(), Scene(walls=(Wall(1.0, -2.0, 1.4, 2.0), Wall(-3.0, 1.0, 2.0, 2.5)),
                       boxes=(Box(-2.0, -1.0, 0.4, 1.0, 0.6, 1.0),),
                       cones=(Cone(0.0, -2.0),), grid=grid_with_a_wall())])
    assert clearance(around, 0, place) == math.inf
    free = clearance(around, 1, place)
    if free > 0.0:
        c, s = math.cos(turn), math.sin(turn)
        assert not is_taken(around, 1, Rectangle(
            place.x + share * free * math.cos(direction),
            place.y + share * free * math.sin(direction), c, s, place.length, place.width))


def grid_with_a_wall():
    values = np.zeros((80, 80), np.int8)
    values[:, 70:] = 100
    return OccupancyGrid(values, 0.05, Pose2(-1.0, -2.5, 0.2))
