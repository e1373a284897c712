# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tracker against the formulas of the report, written out by hand."""

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.base.errors import ParameterError
from racecar.base.types import Odometry, yaw_to_quaternion
from racecar.control.tracker import TRACKER_PARAMETERS, TrajectoryTracker
from racecar.control.tracker_step import point_ahead
from racecar.control.trajectories import Motion, Trajectory

SECOND = 1_000_000_000


def make(trajectory=None, **values):
    """Return a tracker as in the report, of a reference that stands still at the origin of map."""
    return TrajectoryTracker(TRACKER_PARAMETERS.resolve({
        'trajectory': 'line', 'a_coeff': 0.0, 'b_coeff': 0.0, 'reference_origin': 'map',
        'Kp': 0.0, 'catch_up_speed': 100.0, 'exact_feed_forward': False, **values}), trajectory)


def car(x=0.0, y=0.0, yaw=0.0, time=0.0):
    return Odometry(round(time * SECOND), x, y, *yaw_to_quaternion(yaw), 0.0, 0.0, 0.0)


def velocities(tracker, rows):
    """Return the commanded velocities for rows of (time, x, y)."""
    return [tracker.update(car(x, y, time=time)).velocity for time, x, y in rows]


def number(low, high):
    return st.floats(low, high, allow_nan=False)


@given(number(-9, 9), number(-9, 9), number(-math.pi, math.pi), number(0.01, 5))
def test_point_ahead_lies_at_the_distance_along_the_heading(x, y, yaw, distance):
    assert point_ahead(x, y, yaw, distance) == pytest.approx(
        (x + distance * math.cos(yaw), y + distance * math.sin(yaw)))


class Posed(Trajectory):
    """A reference that tells how the car is to stand."""

    name = 'posed'
    parameters = ()

    def __init__(self, heading, rate, direction):
        self.__dict__['attitude_of_all_times'] = heading, rate, direction

    def motion(self, time):
        return Motion(1.0, -2.0, 0.3, 0.4, 0.0, 0.0, *self.__dict__['attitude_of_all_times'])


@given(number(-math.pi, math.pi), number(-math.pi, math.pi), number(-2.0, 2.0),
       st.sampled_from([1.0, -1.0]))
def test_reference_is_moved_ahead_by_its_own_heading_where_that_is_known(
        heading, yaw, rate, direction):
    tracker = make(Posed(heading, rate, direction), Kp=2.0, PL_distance=0.3)
    velocity = tracker.update(car(5.0, 6.0, yaw)).velocity
    d = 0.3 * direction
    error_x = 1.0 + d * math.cos(heading) - 5.0 - d * math.cos(yaw)
    error_y = -2.0 + d * math.sin(heading) - 6.0 - d * math.sin(yaw)
    # Only the speed along the heading can be driven.
    speed = 0.3 * math.cos(heading) + 0.4 * math.sin(heading)
    wanted = (speed * math.cos(heading) - d * rate * math.sin(heading) + 2.0 * error_x,
              speed * math.sin(heading) + d * rate * math.cos(heading) + 2.0 * error_y)
    ahead = wanted[0] * math.cos(yaw) + wanted[1] * math.sin(yaw)
    if direction < 0.0 or ahead > math.hypot(*wanted):
        assert velocity == pytest.approx(wanted)


@given(number(-math.pi, math.pi), number(0.01, 5.0))
def test_with_one_heading_for_both_points_the_shift_cancels(yaw, distance):
    output = make(Kp=2.0, PL_distance=distance).update(car(0.4, -0.3, yaw))
    assert output.velocity == pytest.approx((-0.8, 0.6), abs=1e-12)


def test_reported_error_is_that_of_the_reference_point_itself():
    output = make(PL_distance=0.5).update(car(3.0, 4.0, 1.0))
    assert output.error == (-3.0, -4.0)


@given(number(0.0, 100.0), number(-0.1, 0.1), number(-0.1, 0.1))
def test_proportional_term_is_gain_times_error(gain, x, y):
    assert make(Kp=gain).update(car(x, y)).velocity == pytest.approx((-gain * x, -gain * y))


def test_integral_term_is_the_riemann_sum_over_measured_time():
    rows = [(0.0, 1.0, 0.0), (0.1, 2.0, -1.0), (0.35, 3.0, 5.0)]
    expected = -2.0 * (0.1 * 2.0 + 0.25 * 3.0), -2.0 * (0.1 * -1.0 + 0.25 * 5.0)
    assert velocities(make(Ki=2.0), rows)[-1] == pytest.approx(expected)


def test_integral_is_zero_at_the_first_update():
    assert velocities(make(Ki=2.0), [(7.0, 1.0, 1.0)]) == [(0.0, 0.0)]


def test_derivative_term_is_the_backward_difference_over_measured_time():
    rows = [(0.0, 1.0, 0.0), (0.1, 1.5, 0.0), (0.35, 1.0, 0.25)]
    assert velocities(make(Kd=2.0), rows) == [
        (0.0, 0.0), pytest.approx((-10.0, 0.0)), pytest.approx((4.0, -2.0))]


def test_repeated_time_leaves_integral_and_derivative_as_they_were():
    rows = [(0.0, 1.0, 0.0), (0.1, 2.0, 0.0)]
    once, twice = make(Ki=3.0, Kd=1.0), make(Ki=3.0, Kd=1.0)
    expected = velocities(once, rows)[-1]
    repeated = velocities(twice, [*rows, (0.1, 5.0, 5.0)])[-1]
    assert repeated == pytest.approx(expected)


def test_all_terms_add_up():
    tracker = make(Kp=2.0, Ki=0.5, Kd=0.25, a_coeff=1.0, b_coeff=-1.0)
    velocities(tracker, [(10.0, 0.5, 0.0)])  # the reference is at the origin, error (-0.5, 0)
    velocity = tracker.update(car(0.5, 0.2, time=10.5)).velocity  # reference (0.5, -0.5)
    error, last, dt = (0.0, -0.7), (-0.5, 0.0), 0.5
    assert velocity == pytest.approx(tuple(
        feed + 2.0 * e + 0.5 * e * dt + 0.25 * (e - before) / dt
        for feed, e, before in zip((1.0, -1.0), error, last, strict=True)))


def test_feed_forward_is_the_velocity_of_the_reference():
    assert make(a_coeff=1.5, b_coeff=-0.5).update(car()).velocity == (1.5, -0.5)


def test_feed_forward_can_be_turned_off():
    assert make(a_coeff=1.5, b_coeff=-0.5, FFWD=False).update(car()).velocity == (0.0, 0.0)


def test_velocity_limit_keeps_the_direction():
    velocity = make(Kp=100.0, velocity_limit=2.0).update(car(-3.0, 4.0)).velocity
    assert velocity == pytest.approx((1.2, -1.6))


@given(st.lists(st.tuples(number(-50, 50), number(-50, 50)), min_size=1, max_size=20))
def test_velocity_limit_is_never_exceeded(positions):
    tracker = make(Kp=20.0, Ki=5.0, Kd=3.0, a_coeff=2.0, velocity_limit=1.5)
    rows = [(0.1 * i, x, y) for i, (x, y) in enumerate(positions)]
    assert all(math.hypot(*v) <= 1.5 * (1 + 1e-12) for v in velocities(tracker, rows))


def test_integrators_hold_while_the_velocity_limit_is_reached():
    # Unlimited for one step of 0.1 s, then limited for 100; back at the reference at the end.
    rows = [(0.0, -1.0, 0.0), (0.1, -1.0, 0.0)] + [
        (0.1 * i, -9.0, 0.0) for i in range(2, 102)] + [(10.2, 0.0, 0.0)]
    found = velocities(make(Ki=1.0, velocity_limit=0.5), rows)
    assert found[50] == pytest.approx((0.5, 0.0))
    assert found[-1] == pytest.approx((0.1, 0.0))


def test_trajectory_clock_starts_with_the_first_update():
    tracker = make(a_coeff=1.0)
    assert not tracker.started
    assert tracker.update(car(time=100.0)).reference.x == 0.0
    assert tracker.started
    assert tracker.update(car(time=102.5)).reference.x == pytest.approx(2.5)


def test_restart_begins_the_trajectory_anew():
    tracker = make(a_coeff=1.0)
    velocities(tracker, [(0.0, 0.0, 0.0), (5.0, 0.0, 0.0)])
    tracker.restart()
    assert not tracker.started
    assert tracker.update(car(time=9.0)).reference.x == 0.0


def test_restart_forgets_integral_and_derivative():
    tracker = make(Ki=1.0, Kd=1.0)
    velocities(tracker, [(0.0, 1.0, 0.0), (1.0, 2.0, 0.0)])
    tracker.restart()
    assert velocities(tracker, [(2.0, 3.0, 0.0)]) == [(0.0, 0.0)]


def test_reference_starts_where_the_car_is_by_default():
    tracker = make(reference_origin='car', a_coeff=1.0)
    assert tracker.update(car(3.0, -2.0)).reference[:2] == (3.0, -2.0)
    assert tracker.update(car(9.0, 9.0, time=1.0)).reference[:2] == pytest.approx((4.0, -2.0))
    assert tracker.origin == (3.0, -2.0)


def test_reference_starts_at_the_car_again_after_a_restart():
    tracker = make(reference_origin='car')
    tracker.update(car(3.0, -2.0))
    tracker.restart()
    assert tracker.update(car(1.0, 1.0, time=1.0)).reference[:2] == (1.0, 1.0)


def test_reference_starts_at_the_origin_of_map_on_request():
    assert make(a_coeff=1.0).update(car(3.0, -2.0)).reference[:2] == (0.0, 0.0)


def test_time_of_the_reference_may_differ_from_the_stamp_of_the_odometry():
    tracker = make(a_coeff=1.0)
    tracker.update(car(time=1.0), now_ns=2 * SECOND)
    assert tracker.update(car(time=1.5), now_ns=3 * SECOND).reference.x == pytest.approx(1.0)


def test_gains_can_be_replaced_while_tracking():
    tracker = make(Kp=1.0)
    assert velocities(tracker, [(0.0, 1.0, 0.0)]) == [(-1.0, 0.0)]
    tracker.tune(TRACKER_PARAMETERS.resolve({'Kp': 3.0, 'catch_up_speed': 100.0}))
    assert velocities(tracker, [(1.0, 1.0, 0.0)]) == [(-3.0, 0.0)]


@pytest.mark.parametrize('key', ['Kp', 'Ki', 'Kd'])
def test_negative_gain_is_refused(key):
    with pytest.raises(ParameterError, match=rf"'{key}' is -1\.0, expected a number in \[0, "):
        make(**{key: -1.0})


def test_reference_origin_other_than_car_and_map_is_refused():
    with pytest.raises(ParameterError, match="'reference_origin' is 'odom', expected one of car"):
        make(reference_origin='odom')
