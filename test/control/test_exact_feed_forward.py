# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Following the P of the reference: nothing is left to feed back."""

import math
from typing import Any

from closed_loops import run
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.integrate import quad

from racecar.control.target import Target, TargetSampler
from racecar.control.trajectories import make_trajectory, Motion, Trajectory, TRAJECTORY_PARAMETERS

BICYCLE = {'vehicle_model': 'kinematic_bicycle'}
MOVING = ('line', 'parabola', 'circle', 'figure_eight', 'cycloid')


def trajectory(name, **values):
    return make_trajectory(TRAJECTORY_PARAMETERS.resolve({'trajectory': name, **values}))


def target(path, time, step, *, exact=True):
    times: Any = np.array([time])
    steps: Any = np.array([step])
    return Target(*TargetSampler([path], exact=exact).sample(times, steps))


@pytest.mark.parametrize(('name', 'bound'), [
    ('line', 1e-7), ('circle', 1e-7), ('figure_eight', 1e-6), ('cycloid', 1e-5),
    ('waypoints', 1e-4), ('parking', 1e-4)])
def test_kinematic_law_leaves_no_error_on_a_car_that_rolls(name, bound):
    _, table = run('kinematic_ode', name, 30.0, simulator=BICYCLE)
    assert table.metrics(4.0).rmse < bound


def test_parabola_is_followed_as_long_as_the_car_is_fast_enough():
    _, table = run('kinematic_ode', 'parabola', 5.0, focal_length=0.3, simulator=BICYCLE)
    assert table.metrics(3.0).rmse < 1e-4


def test_dynamic_law_holds_a_circle_at_the_top_speed():
    _, table = run('dynamic_ode', 'circle', 20.0, R=5.0, W=1.0,
                   simulator={'tyre_model': 'linear'})
    assert table.metrics(6.0).rmse < 0.002


@pytest.mark.parametrize('law', ['kinematic_ode', 'dynamic_ode'])
def test_without_it_a_circle_leaves_what_the_reports_feed_forward_lacks(law):
    _, table = run(law, 'circle', 20.0, R=5.0, W=0.4, Kp=5.0, exact_feed_forward=False,
                   simulator=BICYCLE if law == 'kinematic_ode' else {'tyre_model': 'linear'})
    assert table.metrics(6.0).rmse == pytest.approx(0.1 * 0.4 / 5.0, rel=0.05)


@pytest.mark.parametrize('name', MOVING)
@given(st.floats(0.5, 8.0), st.floats(1e-3, 0.05))
def test_speed_and_rate_are_the_means_over_the_step(name, time, step):
    path = trajectory(name)

    def speed(t):
        return math.hypot(*path.at(t)[2:4])

    def rate(t):
        _, _, vx, vy, ax, ay = path.at(t)
        return (vx * ay - vy * ax) / (vx * vx + vy * vy)

    found = target(path, time, step)
    # The middle differs from the mean by a term with the square of the step.
    for value, function in ((found.speed, speed), (found.rate, rate)):
        mean = quad(function, time, time + step)[0] / step
        assert value == pytest.approx(mean, rel=5.0 * step * step, abs=5.0 * step * step)


@pytest.mark.parametrize('name', MOVING)
@given(st.floats(0.0, 8.0))
def test_p_of_the_reference_lies_along_the_path(name, time):
    path = trajectory(name)
    point, found = path.at(time), target(path, time, 0.01)
    heading = math.atan2(point.vy, point.vx)
    assert found[:4] == pytest.approx(
        (point.x, point.y, math.cos(heading), math.sin(heading)), abs=1e-12)
    assert found.direction == 1.0


@pytest.mark.parametrize('name', MOVING)
def test_the_reports_way_leaves_p_to_the_heading_of_the_car(name):
    path = trajectory(name)
    point, found = path.at(2.0), target(path, 2.0, 0.01, exact=False)
    assert found.direction == found.rate == 0.0
    assert (found.speed * found.ahead_x, found.speed * found.ahead_y) == pytest.approx(
        (point.vx, point.vy))


def test_a_reference_at_rest_has_no_direction():
    found = target(trajectory('line', a_coeff=0.0, b_coeff=0.0), 1.0, 0.01)
    assert (found.speed, found.rate, found.direction) == (0.0, 0.0, 0.0)


def test_reverse_has_a_negative_speed_and_p_behind_the_car():
    path = trajectory('parking')
    times = np.arange(0.0, path.duration, 0.05)
    found = [target(path, time, 0.01) for time in times]
    backwards = [row for row in found if row.speed < -0.1]
    assert backwards
    assert {row.direction for row in backwards} == {-1.0}
    # The car points along +x or thereabouts all the time.
    assert min(row.ahead_x for row in found) > 0.5


class Spiral(Trajectory):
    """A trajectory without a kernel."""

    name = 'spiral'
    parameters = ()

    def motion(self, time):
        r, c, s = 1.0 + 0.1 * time, math.cos(time), math.sin(time)
        return Motion(
            r * c, r * s, 0.1 * c - r * s, 0.1 * s + r * c,
            -0.2 * s - r * c, 0.2 * c - r * s, 0.0, 0.0, 0.0)


def test_a_trajectory_without_a_kernel_has_the_same_targets():
    found = target(Spiral(), 2.0, 0.02)
    middle = Spiral().at(2.01)
    assert found.speed == pytest.approx(math.hypot(middle.vx, middle.vy))
    assert found.rate == pytest.approx(
        (middle.vx * middle.ay - middle.vy * middle.ax) / (middle.vx**2 + middle.vy**2))
