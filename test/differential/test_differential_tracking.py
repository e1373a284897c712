# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The point-ahead law drives a differential-drive robot along every trajectory."""

import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.types import BodyTwist, Odometry, PlanarVelocity, yaw_to_quaternion
from racecar.control.point_ahead import PointAheadLinearizer
from racecar.control.trajectories import TRAJECTORIES
from racecar.differential.motion import MODES
from racecar.differential.parameters import RobotParameters
from racecar.differential.plant import wheel_speeds
from racecar.simulation.closed_loop import run_loop
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.describe import STACKS
from racecar.stacks.loops import make_held_loop, make_stack_loop

NAME = 'differential_wheels'
# A race line is for a car, and faster than these robots from its first point on.
PATHS = [name for name in TRAJECTORIES if name != 'raceline']


def values_of(vehicle='khepera', trajectory='figure_eight', simulator=None, tracker=None):
    options = StackOptions(vehicle=vehicle, trajectory=trajectory, overrides={
        'differential_wheels_simulator': {'robot.slip_noise': 0.0, **(simulator or {})},
        'trajectory_tracker': tracker or {}})
    return {d.executable: d.resolve() for d in describe_stack(NAME, options)}


def largest_error(duration=20.0, skip=10.0, **options):
    """Return the largest distance between axle and reference after  seconds [m]."""
    table = run_loop(make_stack_loop(STACKS[NAME], values_of(**options)), duration)
    late = table.column('time') >= skip
    return float(np.hypot(table.column('x') - table.column('x_reference'),
                          table.column('y') - table.column('y_reference'))[late].max())


@pytest.mark.parametrize('trajectory', PATHS)
def test_the_error_is_below_a_tenth_of_a_millimetre_with_the_exact_feed_forward(trajectory):
    assert largest_error(trajectory=trajectory) < 1e-4


@pytest.mark.parametrize('trajectory', PATHS)
def test_the_error_is_below_a_centimetre_with_that_of_the_report(trajectory):
    found = largest_error(trajectory=trajectory, tracker={'exact_feed_forward': False})
    assert found < 0.01


@pytest.mark.parametrize('trajectory', PATHS)
def test_a_robot_with_weak_motors_is_within_a_centimetre(trajectory):
    assert largest_error(40.0, 25.0, vehicle='pioneer', trajectory=trajectory) < 0.01


@pytest.mark.parametrize('mode', MODES)
def test_every_mode_follows_the_figure_eight_within_a_millimetre(mode):
    assert largest_error(12.0, 8.0, simulator={'mode': mode, 'step': 0.001}) < 1e-3


def test_slip_noise_is_corrected_by_the_feedback():
    found = largest_error(simulator={'robot.slip_noise': 0.1})
    assert 1e-5 < found < 0.005


# The law

def odometry(yaw):
    return Odometry(0, 1.0, 2.0, *yaw_to_quaternion(yaw), 0.0, 0.0, 0.0)


@given(yaw=st.floats(-3.1, 3.1), vx=st.floats(-2.0, 2.0), vy=st.floats(-2.0, 2.0),
       epsilon=st.floats(0.01, 1.0), reverse=st.booleans())
def test_p_moves_as_it_is_told_at_any_speed(yaw, vx, vy, epsilon, reverse):
    law = PointAheadLinearizer({'epsilon': epsilon, 'reverse': reverse})
    speed, rate = law.command(odometry(yaw), PlanarVelocity(vx, vy))
    ahead = -epsilon if reverse and speed < 0.0 else epsilon
    c, s = math.cos(yaw), math.sin(yaw)
    assert speed * c - ahead * rate * s == pytest.approx(vx, abs=1e-9)
    assert speed * s + ahead * rate * c == pytest.approx(vy, abs=1e-9)


def test_standstill_is_no_singularity():
    law = PointAheadLinearizer({'epsilon': 0.1, 'reverse': True})
    assert law.command(odometry(0.0), PlanarVelocity(0.0, 0.2)) == pytest.approx((0.0, 2.0))
    assert law.command(odometry(0.0), PlanarVelocity(0.0, 0.0)) == (0.0, 0.0)


# Velocity to wheels

ROBOT = RobotParameters.from_values({})


@given(speed=st.floats(-2.0, 2.0), rate=st.floats(-20.0, 20.0))
def test_wheel_speeds_keep_the_curvature_where_they_are_bounded(speed, rate):
    left, right = wheel_speeds(BodyTwist(speed, rate), ROBOT)
    assert max(abs(left), abs(right)) <= ROBOT.max_speed * (1.0 + 1e-12)
    ahead = 0.5 * (left + right) * ROBOT.wheel_radius
    turn = (right - left) * ROBOT.wheel_radius / ROBOT.axle_length
    assert ahead * rate == pytest.approx(turn * speed, abs=1e-9)
    if max(abs(left), abs(right)) < ROBOT.max_speed * (1.0 - 1e-9):
        assert (ahead, turn) == pytest.approx((speed, rate), abs=1e-12)


@pytest.mark.parametrize('twist', [BodyTwist(math.nan, 0.0), BodyTwist(0.0, -math.inf)])
def test_a_velocity_that_is_not_finite_is_refused(twist):
    with pytest.raises(ParameterError, match='expected finite numbers'):
        wheel_speeds(twist, ROBOT)


# The stack

@pytest.mark.parametrize(('options', 'expected'), [
    ({'vehicle': 'racecar'}, "vehicle 'racecar' is neither a file nor one of khepera, pioneer"),
    ({'tyre_model': 'fiala'}, 'Coulomb friction'),
    ({'controller': 'my:Own'}, 'take differential_plant'),
    ({'overrides': {'trajectory_tracker': {'PL_distance': 0.5}}}, 'set both to one value'),
    ({'overrides': {'trajectory_tracker': {'tracked_point': 'cog'}}}, 'vehicle.mass. is 0.0'),
    ({'overrides': {'differential_wheels_simulator': {'robot.mas': 1.0}}}, 'robot.mass')])
def test_what_does_not_fit_is_refused(options, expected):
    def make():
        values = {d.executable: d.resolve() for d in describe_stack(NAME, StackOptions(**options))}
        make_stack_loop(STACKS[NAME], values)

    with pytest.raises((ConfigurationError, ParameterError), match=expected):
        make()


def test_a_car_takes_no_robot_for_a_vehicle():
    with pytest.raises(ConfigurationError, match="'khepera' is neither a file nor one of b"):
        describe_stack('kinematic_ode', StackOptions(vehicle='khepera'))


def test_a_control_rate_of_its_own_is_for_cars():
    with pytest.raises(ConfigurationError, match='answers each odometry'):
        make_held_loop(STACKS[NAME], values_of(), 200.0)
