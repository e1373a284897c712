# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Paths that others plan, as references of the tracker."""

import math

import numpy as np
import pytest

from racecar.base.errors import ParameterError
from racecar.base.types import Odometry, yaw_to_quaternion
from racecar.catalogue.tables.tracking import TRAJECTORY_TRACKER
from racecar.control.path_following import path_from, tracker_of_path

VALUES = TRAJECTORY_TRACKER.resolve({
    'waypoints_speed_limit': 2.0, 'waypoints_longitudinal_acceleration': 1.0})


def car(x=0.0, y=0.0, yaw=0.0, vx=0.0):
    return Odometry(0, x, y, *yaw_to_quaternion(yaw), vx, 0.0, 0.0)


def test_a_straight_path_is_driven_by_the_limits_and_ends_at_rest():
    path = path_from([(0.5 * i, 0.0) for i in range(21)], car(), VALUES)
    # 10 m: 2 s up to 2 m/s over 2 m, 3 s at 2 m/s, 2 s down.
    assert path.duration == pytest.approx(7.0, rel=1e-3)
    middle = path.motion(3.0)
    assert (middle.x, middle.vx) == pytest.approx((4.0, 2.0), rel=1e-3)
    end = path.motion(8.0)
    assert (end.x, end.vx) == pytest.approx((10.0, 0.0), abs=1e-6)


def test_a_car_that_moves_goes_on_with_its_speed_from_where_it_is():
    path = path_from([(0.5 * i, 0.0) for i in range(21)], car(3.1, 0.2, vx=1.5), VALUES)
    start = path.motion(0.0)
    assert (start.x, start.y) == pytest.approx((3.0, 0.0))
    assert start.vx == pytest.approx(1.5)


def test_the_path_stays_where_it_is_in_the_map():
    tracker = tracker_of_path(path_from([(5.0, 1.0), (9.0, 1.0)], car(4.0, 1.0), VALUES), VALUES)
    tracker.start(car(4.0, 1.0), 0)
    assert tracker.origin == (0.0, 0.0)


def test_repeated_poses_are_left_out():
    once = path_from([(0.0, 0.0), (1.0, 0.0), (2.0, 1.0)], car(), VALUES)
    twice = path_from([(0.0, 0.0)] * 3 + [(1.0, 0.0)] * 2 + [(2.0, 1.0)] * 2, car(), VALUES)
    assert np.array_equal(once.numbers, twice.numbers)


@pytest.mark.parametrize('points', [
    [], [(1.0, 1.0)], [(1.0, 1.0)] * 4, [(0.0, 0.0), (math.nan, 0.0)], [(0.0, 0.0), (1e9, 0.0)],
    [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, 0.0), (0.0, 0.0)],
])
def test_a_path_that_cannot_be_followed_is_refused(points):
    with pytest.raises(ParameterError, match='path'):
        path_from(points, car(), VALUES)
