# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the dynamic law is worth: whole loops with the single track, without ROS."""

from closed_loops import run
import numpy as np
import pytest


def circle_error(stack, speed, **options):
    _, table = run(stack, 'circle', 20.0, R=5.0, W=speed / 5.0, **options)
    return table.metrics(2.0).rmse


@pytest.mark.parametrize(('speed', 'ratio'), [(3.0, 0.5), (5.0, 0.25)])
def test_error_on_a_circle_is_a_fraction_of_the_kinematic_laws(speed, ratio):
    assert circle_error('dynamic_ode', speed) <= ratio * circle_error('kinematic_ode', speed)


@pytest.mark.parametrize('vehicle', ['course', 'f1tenth', 'report'])
def test_law_is_good_for_every_vehicle(vehicle):
    assert circle_error('dynamic_ode', 4.0, vehicle=vehicle) < 0.02


@pytest.mark.parametrize('speed', [3.0, 4.5])
def test_law_for_linear_tyres_is_robust_against_saturating_ones(speed):
    fiala = {'tyre_model': 'fiala'}
    assert circle_error('dynamic_ode', speed, simulator=fiala) < 0.5 * circle_error(
        'kinematic_ode', speed, simulator=fiala)


def test_circle_beyond_the_grip_stays_finite_and_within_limits():
    # 5^2/1.5 m/s^2 is 1.7 g: the car slides, far outside the circle.
    _, table = run('dynamic_ode', 'circle', 10.0, R=1.5, W=5.0 / 1.5,
                   simulator={'tyre_model': 'fiala'})
    assert np.isfinite(table.rows).all()
    assert np.abs(table.column('steering_command')).max() <= 1.0
    assert table.column('speed_command').max() <= 5.0


@pytest.mark.parametrize('rate', [20.0, 50.0])
def test_law_works_at_lower_control_rates(rate):
    assert circle_error('dynamic_ode', 3.0, simulator={'rate': rate}) < 0.013


@pytest.mark.parametrize('speed', [0.3, 0.5, 0.6, 0.75, 0.9, 1.0])
def test_hand_over_neither_chatters_nor_loses_accuracy(speed):
    _, table = run('dynamic_ode', 'circle', 12.0, R=5.0, W=speed / 5.0)
    assert table.metrics(2.0).rmse < 0.005
    assert np.abs(np.diff(table.column('steering_command')[200:])).max() < 1e-4


def test_speed_that_sweeps_through_the_hand_over_does_not_jump():
    # From rest to 3 m/s and back to rest at 1 m/s^2 along the slalom.
    tracker, table = run('dynamic_ode', 'waypoints', 20.0, waypoints_file='slalom',
                         waypoints_speed_limit=3.0)
    time, speed = table.column('time'), table.column('speed_command')
    steps = np.abs(np.diff(table.column('steering_command')))
    moving = (speed[1:] > 0.2) & (time[1:] < tracker.trajectory.duration)
    assert speed.max() > 1.2
    # The slalom itself turns the wheels by up to 0.9 rad/s.
    assert steps[moving].max() < 0.02
    assert table.metrics(1.0).rmse < 0.01
