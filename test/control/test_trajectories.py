# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trajectories: the report's formulas, derivatives against differences, refused parameters."""

import math

from hypothesis import assume, given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ParameterError
from racecar.control.trajectories import (
    make_trajectory,
    Motion,
    sample_path,
    TRAJECTORIES,
    Trajectory,
    TRAJECTORY_PARAMETERS,
)

NAMES = ('line', 'parabola', 'circle', 'figure_eight', 'cycloid')


def make(name, **values):
    return make_trajectory(TRAJECTORY_PARAMETERS.resolve({'trajectory': name, **values}))


def number(low, high):
    return st.floats(low, high, allow_nan=False)


@st.composite
def trajectories(draw):
    """Return any trajectory whose rates are slow enough for a difference quotient."""
    radius = draw(number(0.1, 10.0))
    return make(
        draw(st.sampled_from(NAMES)),
        a_coeff=draw(number(-20.0, 20.0)), b_coeff=draw(number(-20.0, 20.0)),
        focal_length=draw(st.one_of(number(0.1, 10.0), number(-10.0, -0.1))),
        R=radius, W=draw(number(-2.0, 2.0)),
        a=radius, w=draw(number(0.01, 2.0)), cycloid_radius=radius,
        cycloid_distance=radius * draw(number(0.01, 0.99)))


def slope(function, time):
    step = 1e-4
    after, before = function(time + step), function(time - step)
    return [(b - a) / (2.0 * step) for a, b in zip(before, after, strict=True)]


@given(trajectories(), number(0.0, 60.0))
def test_velocity_is_the_derivative_of_the_position(trajectory, time):
    reference = trajectory.at(time)
    assert reference[2:4] == pytest.approx(
        slope(lambda t: trajectory.at(t)[:2], time), abs=1e-5, rel=1e-6)


@given(trajectories(), number(0.0, 60.0))
def test_acceleration_is_the_derivative_of_the_velocity(trajectory, time):
    reference = trajectory.at(time)
    assert reference[4:6] == pytest.approx(
        slope(lambda t: trajectory.at(t)[2:4], time), abs=1e-5, rel=1e-6)


@given(trajectories())
def test_every_trajectory_starts_at_the_origin(trajectory):
    assert trajectory.at(0.0)[:2] == pytest.approx((0.0, 0.0), abs=1e-12)


@given(number(-20.0, 20.0), number(-20.0, 20.0), number(0.0, 60.0))
def test_line_is_at_ab_t(a, b, time):
    assert make('line', a_coeff=a, b_coeff=b).at(time)[:2] == pytest.approx((a * time, b * time))


@given(st.one_of(number(0.1, 100.0), number(-100.0, -0.1)), number(0.0, 60.0))
def test_parabola_is_y_equal_x_squared_over_four_focal_lengths(focal_length, time):
    x, y, *_ = make('parabola', focal_length=focal_length).at(time)
    assert x == pytest.approx(2.0 * focal_length * time)
    assert y == pytest.approx(x * x / (4.0 * focal_length))
    assert y * focal_length >= 0.0


@given(number(0.1, 100.0), number(0.0, 5.0), number(0.0, 60.0))
def test_circle_is_the_formula_of_the_report(radius, rate, time):
    angle = rate * time - 0.5 * math.pi
    assert make('circle', R=radius, W=rate).at(time)[:2] == pytest.approx(
        (radius * math.cos(angle), radius * math.sin(angle) + radius), abs=1e-9)


@given(number(0.1, 100.0), number(0.0, 5.0), number(0.0, 60.0))
def test_negative_angular_velocity_mirrors_the_circle(radius, rate, time):
    left = make('circle', R=radius, W=rate).at(time)
    right = make('circle', R=radius, W=-rate).at(time)
    assert right == pytest.approx((left.x, -left.y, left.vx, -left.vy, left.ax, -left.ay))


@given(number(0.1, 100.0), number(0.01, 5.0), number(0.0, 60.0))
def test_figure_eight_is_the_formula_of_the_report(a, w, time):
    assert make('figure_eight', a=a, w=w).at(time)[:2] == pytest.approx(
        (a * math.sin(w * time), a * math.sin(w * time) * math.cos(w * time)), abs=1e-9)


@given(number(0.1, 100.0), number(0.001, 0.999), number(0.0, 60.0))
def test_cycloid_is_the_formula_of_the_report(radius, share, time):
    distance = share * radius
    assert make('cycloid', cycloid_radius=radius, cycloid_distance=distance).at(time)[:2] == \
        pytest.approx((radius * time - distance * math.sin(time),
                       distance - distance * math.cos(time)), abs=1e-9)


@pytest.mark.parametrize(('number', 'name'), list(enumerate(NAMES)))
def test_number_selects_the_same_trajectory_as_the_name(number, name):
    assert list(TRAJECTORIES)[:5] == list(NAMES)
    assert make(str(number)) == make(name)


def test_number_from_a_yaml_file_is_no_string_and_still_selects():
    assert make(4) == make('cycloid')


@given(number(0.1, 10.0), number(1.0, 2.0))
def test_cycloid_with_loops_or_cusps_is_refused(radius, share):
    assume(radius * share <= 100.0)
    with pytest.raises(ParameterError, match=r"'cycloid_distance' is .* m, expected less than"):
        make('cycloid', cycloid_radius=radius, cycloid_distance=radius * share)


@pytest.mark.parametrize(
    ('name', 'key', 'value', 'expected'),
    [('spiral', 'trajectory', 'spiral', 'one of line, parabola, circle'),
     ('5', 'trajectory', '5', 'one of line, parabola, circle'),
     ('circle', 'R', 0.0, r'a number in \(0, 1000\]'),
     ('circle', 'W', 20.5, r'a number in \[-20, 20\]'),
     ('parabola', 'focal_length', 0.0, r'a number in \[-100, 100\] without 0'),
     ('figure_eight', 'w', 0.0, r'a number in \(0, 20\]'),
     ('line', 'a_coeff', math.nan, r'a number in \[-20, 20\]'),
     ('line', 'b_coeff', 'fast', r'a number in \[-20, 20\]')])
def test_bad_parameter_is_refused_with_key_value_and_range(name, key, value, expected):
    with pytest.raises(ParameterError, match=f"'{key}' is {value!r}, expected {expected}"):
        make(name, **{key: value})


@pytest.mark.parametrize('name', ['circle', 'figure_eight'])
def test_closed_path_repeats_after_its_period(name):
    trajectory = make(name)
    assert trajectory.at(1.0 + trajectory.period) == pytest.approx(trajectory.at(1.0))


@pytest.mark.parametrize('name', ['line', 'parabola', 'cycloid'])
def test_open_path_has_no_period(name):
    assert make(name).period is None


def test_circle_that_stands_still_has_no_period():
    assert make('circle', W=0.0).period is None


@pytest.mark.parametrize('name', NAMES)
def test_sampled_path_covers_one_period_or_the_given_duration(name):
    trajectory = make(name)
    points = sample_path(trajectory, duration=10.0, points=11)
    end = trajectory.period or 10.0
    assert len(points) == 11
    assert points[0][:2] == pytest.approx((0.0, 0.0), abs=1e-12)
    assert points[5][:2] == pytest.approx(trajectory.at(0.5 * end)[:2], abs=1e-9)
    assert points[-1][:2] == pytest.approx(trajectory.at(end)[:2], abs=1e-9)


@pytest.mark.parametrize('name', [*NAMES, 'parking'])
def test_sampled_path_has_the_heading_of_the_way_between_its_points(name):
    points = np.array(sample_path(make(name), duration=10.0, points=2001))
    steps = np.diff(points[:, :2], axis=0)
    middle = 0.5 * (points[:-1, 2] + points[1:, 2])
    turned = np.hypot(*steps.T) > 1e-4
    assert turned.sum() > 1000
    # Along or, in reverse, against it: no sideways part.
    aside = steps[:, 1] * np.cos(middle) - steps[:, 0] * np.sin(middle)
    smooth = np.abs(np.diff(points[:, 2])) < 0.1
    assert np.abs(aside / np.hypot(*steps.T).clip(1e-4))[turned & smooth].max() < 0.01
    ahead = steps[:, 0] * np.cos(middle) + steps[:, 1] * np.sin(middle)
    assert make(name).reverses or (ahead[turned & smooth] > 0.0).all()


class Halting(Trajectory):
    """Stands, goes along y, and stands again."""

    name = 'halting'
    parameters = ()

    @property
    def duration(self):
        return 3.0

    def motion(self, time):
        moves = 1.0 <= time < 2.0
        return Motion(0.0, min(max(time - 1.0, 0.0), 1.0), 0.0, float(moves), *(0.0,) * 5)


def test_where_the_reference_stands_still_the_sampled_path_keeps_its_heading():
    assert [yaw for _, _, yaw in sample_path(Halting(), points=7)] == [math.pi / 2.0] * 7


@given(trajectories(), number(0.1, 30.0))
def test_reference_as_odometry_points_along_the_path(trajectory, time):
    reference = trajectory.at(time)
    speed = math.hypot(reference.vx, reference.vy)
    assume(speed > 0.01)
    odometry = reference.as_odometry(17)
    assert odometry[:3] == (17, reference.x, reference.y)
    assert (odometry.vx, odometry.vy) == (pytest.approx(speed), 0.0)
    assert (speed * math.cos(odometry.yaw), speed * math.sin(odometry.yaw)) == pytest.approx(
        (reference.vx, reference.vy), abs=1e-9)


@given(trajectories(), number(0.1, 30.0))
def test_yaw_rate_of_the_reference_is_the_turning_of_its_tangent(trajectory, time):
    def tangent(t):
        point = trajectory.at(t)
        speed = math.hypot(point.vx, point.vy)
        return point.vx / speed, point.vy / speed

    point = trajectory.at(time)
    assume(math.hypot(point.vx, point.vy) > 0.1)
    dx, dy = slope(tangent, time)
    x, y = tangent(time)
    assert point.as_odometry(0).yaw_rate == pytest.approx(x * dy - y * dx, abs=1e-3, rel=1e-3)


def test_reference_that_stands_still_has_no_yaw_rate():
    odometry = make('line', a_coeff=0.0, b_coeff=0.0).at(1.0).as_odometry(0)
    assert (odometry.vx, odometry.yaw_rate) == (0.0, 0.0)
