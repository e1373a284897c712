# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""From any pose the car gets onto a forward reference forwards, at a bounded speed."""

import math
from typing import Any

from closed_loops import run
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.types import Odometry, yaw_to_quaternion
from racecar.control.tracker import TRACKER_PARAMETERS, TrajectoryTracker
from racecar.control.tracker_step import follow_forwards, PointError

SECOND = 1_000_000_000
CATCH_UP_SPEED: Any = TRACKER_PARAMETERS.resolve({})['catch_up_speed']


def number(low, high):
    return st.floats(low, high, allow_nan=False)


def make(**values):
    return TrajectoryTracker(TRACKER_PARAMETERS.resolve({
        'trajectory': 'line', 'a_coeff': 1.0, 'b_coeff': 0.0, 'reference_origin': 'map',
        **values}))


def car(x=0.0, y=0.0, yaw=0.0, time=0.0):
    return Odometry(round(time * SECOND), x, y, *yaw_to_quaternion(yaw), 0.0, 0.0, 0.0)


def errors(table):
    yaw, ahead = table.column('yaw'), table.tracked_ahead
    return np.hypot(
        table.column('x') + ahead * np.cos(yaw) - table.column('x_reference'),
        table.column('y') + ahead * np.sin(yaw) - table.column('y_reference'))


def reference_speed(table):
    step = np.diff(table.column('time'))
    return np.hypot(np.diff(table.column('x_reference')) / step,
                    np.diff(table.column('y_reference')) / step)


def test_car_that_faces_the_wrong_way_ends_up_following_forwards():
    _, table = run('kinematic_ode', 'circle', 120.0, reference_origin='map', W=0.6,
                   simulator={'initial_yaw': 3.14})
    assert table.column('vx').min() > -0.01
    assert table.column('vx').max() < 3.0 + CATCH_UP_SPEED + 0.01
    settled = table.column('time') > 30.0
    assert errors(table)[settled].max() < 0.05
    assert table.column('vx')[settled] == pytest.approx(3.0, abs=0.05)


SHAPES: st.SearchStrategy[tuple[str, dict[str, Any]]] = st.one_of(
    st.tuples(st.just('line'), st.fixed_dictionaries(
        {'a_coeff': number(0.3, 2.0), 'b_coeff': number(-2.0, 2.0)})),
    st.tuples(st.just('circle'), st.fixed_dictionaries(
        {'R': number(2.0, 6.0), 'W': st.sampled_from([-0.5, -0.2, 0.1, 0.3, 0.5])})),
    st.tuples(st.just('figure_eight'), st.fixed_dictionaries({'w': number(0.06, 0.3)})),
    st.tuples(st.just('waypoints'), st.just({})))


@pytest.mark.parametrize('stack', ['kinematic_ode', 'dynamic_ode'])
@settings(deadline=None, max_examples=20)
@given(SHAPES, number(-math.pi, math.pi), number(0.0, 8.0), number(-math.pi, math.pi),
       st.sampled_from([1.0, 5.0, 10.0]))
def test_from_any_pose_it_converges_forwards_at_a_bounded_speed(
        stack, shape, yaw, distance, bearing, gain):
    trajectory, values = shape
    _, table = run(
        stack, trajectory, 90.0, reference_origin='map', Kp=gain, **values, simulator={
            'initial_x': distance * math.cos(bearing), 'initial_y': distance * math.sin(bearing),
            'initial_yaw': yaw})
    # A reference that starts from rest has no direction in its first moments.
    period, speed = 0.01, table.column('vx')
    assert np.maximum(-speed, 0.0).sum() * period < 0.03
    faster = speed[:-1] - reference_speed(table)
    assert faster.max() < CATCH_UP_SPEED + 0.05
    assert errors(table)[table.column('time') > 75.0].max() < 0.25


@given(number(-5, 5), number(-5, 5), number(-math.pi, math.pi), number(-9, 9), number(-9, 9),
       number(-3, 3), number(-3, 3))
def test_what_is_asked_for_never_points_behind_the_car(vx, vy, yaw, ex, ey, rx, ry):
    x, y, changed = follow_forwards(vx, vy, yaw, PointError(ex, ey, rx, ry))
    ahead, left = math.cos(yaw), math.sin(yaw)
    speed = math.hypot(vx, vy)
    if not changed:
        assert vx * ahead + vy * left >= 0.0
    elif x or y:
        # Turned, neither shortened nor to the other side.
        assert math.hypot(x, y) == pytest.approx(speed)
        assert x * ahead + y * left == pytest.approx(
            min(0.25 * speed, max(math.hypot(rx, ry), 0.06)))
        assert (y * ahead - x * left) * (vy * ahead - vx * left) >= 0.0


def test_car_ahead_of_a_reference_that_comes_its_way_waits():
    assert make().update(car(2.0, 0.0)).velocity == (0.0, 0.0)


def test_car_waits_at_the_start_and_goes_on_with_the_reference():
    _, table = run('kinematic_ode', 'line', 20.0, reference_origin='map', a_coeff=1.0,
                   b_coeff=0.0, simulator={'initial_x': 4.0})
    waiting = table.column('time') < 3.5
    assert np.abs(table.column('vx')[waiting]).max() < 1e-6
    assert table.column('x')[waiting] == pytest.approx(4.0, abs=1e-3)
    assert table.metrics(8.0).max_error < 1e-3


def test_car_ahead_of_a_reference_that_faces_it_turns_round():
    velocity = make(exact_feed_forward=False).update(car(0.1, 0.0, math.pi)).velocity
    # Forwards is -x; what it wants lies exactly behind it, on no side.
    assert velocity == pytest.approx((-0.125, math.sqrt(0.5 ** 2 - 0.125 ** 2)), abs=1e-9) \
        or velocity == pytest.approx((-0.125, -math.sqrt(0.5 ** 2 - 0.125 ** 2)), abs=1e-9)


def test_reference_that_goes_backwards_is_followed_backwards():
    tracker, table = run('kinematic_ode', 'parking', 30.0)
    times = table.column('time')
    direction = np.array([tracker.trajectory.attitude(time).direction for time in times])
    backwards = table.column('vx') < -0.02
    assert backwards.any()
    assert (direction[backwards] < 0.0).all()


def test_reference_at_rest_is_approached_from_either_side():
    tracker = make(a_coeff=0.0)
    assert tracker.update(car(0.1, 0.0)).velocity == pytest.approx((-0.5, 0.0))


def test_reference_is_caught_up_with_at_no_more_than_so_much_more_than_its_speed():
    tracker = make(a_coeff=2.0, catch_up_speed=0.5)
    assert tracker.update(car(-30.0, 0.0)).velocity == pytest.approx((2.5, 0.0))
    assert make(a_coeff=2.0).update(car(-0.1, 0.0)).velocity == pytest.approx((2.5, 0.0))


def test_limit_counts_from_the_speed_of_the_reference_also_without_feed_forward():
    tracker = make(a_coeff=2.0, FFWD=False, catch_up_speed=0.5)
    assert tracker.update(car(-30.0, 0.0)).velocity == pytest.approx((2.5, 0.0))


@pytest.mark.parametrize('start', [
    (-30.0, 0.0, 0.0),  # behind: limited
    (30.0, 0.0, 0.0),  # ahead: waits
    (0.0, 0.0, math.pi),  # the other way: turns round
])
def test_integrators_hold_while_the_velocity_is_not_the_wanted_one(start):
    tracker = make(Ki=1.0)
    for i in range(100):
        x, y, yaw = start
        tracker.update(car(x, y, yaw, time=0.1 * i))
    # On the reference again, with nothing summed up but this step.
    assert tracker.update(car(10.0, time=10.0)).velocity == pytest.approx((1.0, 0.0), abs=1e-9)
