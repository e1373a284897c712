# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A scene as an occupancy grid."""

import math

import numpy as np

from racecar.base.types import Pose2
from racecar.scene import Board, Box, Cone, load_world, OccupancyGrid, Scene, Wall
from racecar.scene.scene_map import MOST_CELLS, RESOLUTION, scene_map


def is_occupied(grid, x, y):
    c, s = math.cos(grid.origin.yaw), math.sin(grid.origin.yaw)
    px, py = x - grid.origin.x, y - grid.origin.y
    return bool(grid.occupied[int((py * c - px * s) / grid.resolution),
                              int((px * c + py * s) / grid.resolution)])


def test_walls_and_boxes_are_occupied_and_the_rest_is_free():
    grid = scene_map(Scene(
        walls=(Wall(0.0, 0.0, 3.0, 1.0),), boxes=(Box(2.0, -2.0, 0.6, 1.0, 0.5, 0.3),),
        boards=(Board(4.0, 0.0, 0.0, 0.4, 0.3, 1, 0.2),), cones=(Cone(1.0, -1.0),)))
    for share in np.linspace(0.0, 1.0, 50):
        assert is_occupied(grid, 3.0 * share, share)
    assert is_occupied(grid, 2.0, -2.0)
    assert is_occupied(grid, 4.0, 0.1)
    # A cone can move, so nobody can rely on it.
    assert not is_occupied(grid, 1.0, -1.0)
    assert not is_occupied(grid, 1.5, 1.0)
    assert set(np.unique(grid.values)) == {0, 100}
    # The area of the box, the line and the board, give or take a cell around them.
    area = np.count_nonzero(grid.occupied) * RESOLUTION**2
    assert 0.5 < area < 0.5 + (math.hypot(3.0, 1.0) + 3.0 + 0.8) * 2.0 * RESOLUTION


def test_a_map_is_its_own_map():
    scene = load_world('room')
    assert scene_map(scene) is scene.grid


def test_what_stands_in_a_map_is_drawn_into_it():
    values = np.zeros((40, 40), np.int8)
    grid = OccupancyGrid(values, 0.1, Pose2(1.0, -1.0, 0.7))
    x, y = grid.point(2.0, 3.0)
    drawn = scene_map(Scene(grid=grid, boxes=(Box(x, y, 0.2, 0.5, 0.5, 1.0),
                                              Box(50.0, 50.0, 0.0, 1.0, 1.0, 1.0))))
    assert (drawn.resolution, drawn.origin) == (grid.resolution, grid.origin)
    assert is_occupied(drawn, x, y)
    assert 25 <= np.count_nonzero(drawn.occupied) <= 49


def test_a_scene_of_cones_only_is_free_ground():
    assert not scene_map(load_world('cones')).occupied.any()


def test_a_large_scene_has_larger_cells():
    grid = scene_map(Scene(walls=(Wall(-5000.0, 0.0, 5000.0, 3000.0),)))
    assert grid.values.size <= 1.01 * MOST_CELLS
    assert is_occupied(grid, 2500.0, 2250.0)
