# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What stands around, as pictures show it: smooth walls of maps, tops, shadows, points."""

import math

import numpy as np
import pytest

from racecar.base.types import Pose2
from racecar.rendering.contours import outlines
from racecar.rendering.lens import Lens
from racecar.rendering.renderer import Renderer
from racecar.rendering.sight import Dots, Quality, Sight
from racecar.rendering.viewpoints import looking_at
from racecar.scene.grid_map import FREE, OccupancyGrid, OCCUPIED
from racecar.scene.scene import Box, Scene

CELL = 0.05
LENS = Lens(400, 400, 0.5, 0.02, 300.0)
ABOVE = looking_at((0.0, 0.0, 12.0), (0.0, 0.0, 0.0))


def grid_of(occupied, origin=None):
    rows, columns = occupied.shape
    middle = Pose2(-0.5 * columns * CELL, -0.5 * rows * CELL, 0.0)
    return OccupancyGrid(
        np.where(occupied, OCCUPIED, FREE).astype(np.int8), CELL, origin or middle)


def radii(size):
    """Distance of each cell of a square map from its middle [m]."""
    places = (np.arange(size) + 0.5 - 0.5 * size) * CELL
    return np.hypot(places[:, None], places[None, :])


RING = grid_of((radii(90) > 1.5) & (radii(90) < 1.8))


def length(line):
    return np.hypot(*(np.roll(line, -1, axis=0) - line).T).sum()


def area(line):
    x, y = line.T
    return 0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum()


def test_a_round_wall_is_round():
    inner, outer = sorted(outlines(RING), key=length)
    for line, radius in ((inner, 1.5), (outer, 1.8)):
        assert np.hypot(*line.T) == pytest.approx(np.full(len(line), radius), abs=0.4 * CELL)
        # Along the edges of the cells it would be 4/pi times as long.
        assert length(line) == pytest.approx(2.0 * math.pi * radius, rel=0.01)
    # Walls to the left: once about what is occupied, once about what is free.
    assert area(outer) == pytest.approx(math.pi * 1.8**2, rel=0.02)
    assert area(inner) == pytest.approx(-math.pi * 1.5**2, rel=0.02)


def test_a_slanted_wall_has_no_steps():
    columns, rows = np.meshgrid(np.arange(200), np.arange(60))
    line, = outlines(grid_of(np.abs(rows - 30.0 - 0.1 * (columns - 100)) < 4.0))
    upper = line[(np.abs(line[:, 0]) < 3.0) & (line[:, 1] > 0.1 * line[:, 0])]
    slope, offset = np.polyfit(upper[:, 0], upper[:, 1], 1)
    assert slope == pytest.approx(0.1, abs=0.003)
    assert np.abs(upper[:, 1] - slope * upper[:, 0] - offset).max() < 0.15 * CELL


def test_a_wall_of_one_cell_stays_and_a_corner_too():
    cells = np.zeros((40, 60), bool)
    cells[10, 5:50] = cells[10:30, 49] = True
    line, = outlines(grid_of(cells, Pose2(1.0, 2.0, 0.5 * math.pi)))
    # x of the map is along the rows, which go along -x and y of the frame.
    along, across = line[:, 1] - 2.0, 1.0 - line[:, 0]
    assert (along.min(), along.max()) == pytest.approx((5 * CELL, 50 * CELL), abs=CELL)
    assert (across.min(), across.max()) == pytest.approx((10 * CELL, 30 * CELL), abs=CELL)
    assert area(line) == pytest.approx(cells.sum() * CELL**2, rel=0.25)


def test_a_map_without_walls_has_no_outlines():
    assert outlines(grid_of(np.zeros((5, 5), bool))) == []


def column_of(x, y, height=0.0):
    """Row and column of a point on pictures from above."""
    column, row = LENS.pixel(x, -y, 12.0 - height)
    return round(row), round(column)


def test_tops_of_walls_end_where_the_walls_do(gl):
    with Renderer(Scene(grid=RING, grid_height=1.0), [], Quality(400, 400)) as renderer:
        grey = renderer.draw(Sight(), ABOVE, LENS).mean(axis=2)
    floor = grey[column_of(0.0, 0.0)]
    for angle in np.linspace(0.0, 2.0 * math.pi, 12, endpoint=False):
        c, s = math.cos(angle), math.sin(angle)
        assert grey[column_of(1.65 * c, 1.65 * s, 1.0)] < floor - 15
        assert grey[column_of(1.2 * c, 1.2 * s)] == pytest.approx(floor, abs=20)
        assert grey[column_of(2.3 * c, 2.3 * s)] == pytest.approx(floor, abs=20)


@pytest.mark.parametrize('shadow_size', [0, 1024])
def test_a_shadow_lies_where_the_sun_does_not_come(gl, shadow_size):
    pole = Scene(boxes=(Box(0.0, 0.0, 0.0, 0.1, 0.1, 1.0),))
    with Renderer(pole, [], Quality(400, 400, 0, shadow_size)) as renderer:
        grey = renderer.draw(Sight(), ABOVE, LENS).mean(axis=2)
    # The sun stands in the direction (-0.45, 0.35, 0.9): a shadow is as long as its projection.
    beyond, at_end = (grey[column_of(k * 0.5, k * -0.389)] for k in (1.3, 0.8))
    assert (at_end < 0.9 * beyond) == (shadow_size > 0)


def test_points_are_small_and_where_they_are(gl):
    places = np.array([(0.5, 0.2, 0.1), (-1.0, 1.0, 0.1)])
    with Renderer(Scene(), [], Quality(400, 400)) as renderer:
        clear = renderer.draw(Sight(), ABOVE, LENS).astype(int)
        seen = renderer.draw(
            Sight(dots=[Dots(places, (1.0, 0.0, 0.0), 0.06)]), ABOVE, LENS).astype(int)
    rows, columns = np.nonzero(np.abs(seen - clear).max(axis=2) > 40)
    assert 2 * 4 <= len(rows) <= 2 * 36
    wanted = np.array([column_of(*place) for place in places])
    apart = np.hypot(rows[:, None] - wanted[:, 0], columns[:, None] - wanted[:, 1])
    assert apart.min(axis=1).max() < 4.0
    assert (apart.min(axis=0) < 1.5).all()
