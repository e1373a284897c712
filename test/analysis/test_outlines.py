# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Outlines of a scene, and a path drawn within it."""

import json
import math

import numpy as np
import pytest

from racecar.analysis.motion import Motion
from racecar.analysis.outlines import outlines
from racecar.analysis.run_charts import path_chart, ShownRun, time_chart
from racecar.base.types import Pose2
from racecar.scene.grid_map import OccupancyGrid, OCCUPIED
from racecar.scene.scene import Scene
from racecar.scene.world_file import load_world


def test_the_outline_of_a_grid_lies_half_way_to_the_free_cells_wherever_the_grid_lies():
    values = np.zeros((6, 8), np.int8)
    values[2:4, 1:7] = OCCUPIED
    line, = outlines(Scene(grid=OccupancyGrid(values, 0.5, Pose2(10.0, 20.0, 0.5 * math.pi))))
    # Of the grid: x 0.5 to 3.5 m, y 1 to 2 m; turned by 90 degrees that is -y, x.
    assert line.min(axis=0) == pytest.approx([10.0 - 2.0, 20.0 + 0.5])
    assert line.max(axis=0) == pytest.approx([10.0 - 1.0, 20.0 + 3.5])
    assert np.array_equal(line[0], line[-1])
    assert len(line) == 9


@pytest.mark.parametrize('world', ['tunnel', 'parking_1'])
def test_a_path_is_drawn_within_what_stands_around(world):
    t = np.linspace(0.0, 1.0, 50)
    motion = Motion(t, t, 0.0 * t, 0.0 * t, 1.0 + t, 0.0 * t, 0.0 * t)
    scene = load_world(world)
    walls, *_ = json.loads(path_chart(ShownRun('a', motion, None, scene=scene)).as_json())['data']
    assert walls['name'] == 'walls'
    ends = np.array([[wall.x1, wall.y1] for wall in scene.surfaces])
    for axis, values in zip('xy', ends.T, strict=True):
        drawn = [value for value in walls[axis] if value is not None]
        assert (min(drawn), max(drawn)) == pytest.approx(
            (min(drawn + values.tolist()), max(drawn + values.tolist())), abs=1e-5)


def test_steering_is_shown_as_the_car_could_do_it_and_what_was_asked_beside_it():
    t = np.linspace(0.0, 1.0, 11)
    zero = np.zeros_like(t)
    motion = Motion(t, t, zero, zero, zero + 1.0, zero, zero, t, zero + 1.0, 3.0 * t,
                    steering_range=(-0.5, 0.5))
    chart = json.loads(time_chart([ShownRun('a', motion, None)]).as_json())
    traces = {trace['name']: trace for trace in chart['data'] if trace['yaxis'] == 'y2'}
    assert max(traces['commanded']['y']) == pytest.approx(math.degrees(0.5))
    assert max(traces['commanded beyond what the car can']['y']) == pytest.approx(
        math.degrees(3.0))
    assert chart['layout']['yaxis2']['range'][1] < 40.0
    # Each panel has its own legend.
    assert {trace['legend'] for trace in chart['data'] if trace['showlegend']} == {
        'legend', 'legend2'}
    figures = motion.as_dict()
    assert figures['steering_rate_rms'] == pytest.approx(math.sqrt(
        (3.0**2 + (0.2 / 0.1)**2) / 10.0))
    assert figures['control_effort'] == pytest.approx(0.1 * (0.3**2 + 8 * 0.5**2))
