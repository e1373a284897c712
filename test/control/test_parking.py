# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Standstill and reverse: the parking reference, and the kinematic law that follows it."""

import math

from closed_loops import run
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from racecar.base.types import CarMotion
from racecar.control.kinematic_linearizer import kinematic_step, KinematicLaw
from racecar.control.linearizer import SteeringState
from racecar.control.trajectories import make_trajectory, TRAJECTORY_PARAMETERS

# Of a car of the size of racecar.
LAW = KinematicLaw(0.1, 0.325, 0.01, 0.05, 1.0, -1.0, 1.0, -3.0, 3.0)


AHEAD = SteeringState(0.0)


def step(law, vx, vy, yaw=0.0, state=AHEAD):
    return kinematic_step(state, law, CarMotion(0.0, 0.0, yaw, 0.0, 0.0, 0.0), vx, vy, 0.0)


def parking(**values):
    return make_trajectory(TRAJECTORY_PARAMETERS.resolve({'trajectory': 'parking', **values}))


def number(low, high):
    return st.floats(low, high, allow_nan=False)


def manoeuvres():
    return st.builds(
        parking, parking_offset=number(-2.0, 2.0), parking_length=number(1.0, 5.0),
        parking_run_up=number(0.5, 5.0), parking_room=st.sampled_from([0.0, 0.3, 1.0]),
        parking_speed=number(0.1, 2.0), parking_pause=st.sampled_from([0.0, 0.5]))


# The reference


@settings(deadline=None)
@given(manoeuvres(), number(0.01, 0.99))
def test_velocity_and_acceleration_are_derivatives(trajectory, share):
    time, step = share * trajectory.duration, 1e-5
    before, at, after = (trajectory.at(time + d) for d in (-step, 0.0, step))
    for i in (0, 1, 2, 3):
        assert at[i + 2] == pytest.approx((after[i] - before[i]) / (2 * step), abs=1e-3, rel=1e-3)


@settings(deadline=None, max_examples=12)
@given(manoeuvres())
def test_reference_is_continuous_up_to_the_acceleration(trajectory):
    times = np.arange(0.0, trajectory.duration + 1.0, 0.001)
    rows = np.array([trajectory.at(t) for t in times])
    # Bounded by the next derivative, which the smallest duration of a move limits.
    steps = np.abs(np.diff(rows, axis=0)).max(axis=0)
    assert steps[:2].max() <= 0.0011 * np.hypot(rows[:, 2], rows[:, 3]).max() + 1e-9
    assert steps[2:4].max() <= 0.0011 * np.hypot(rows[:, 4], rows[:, 5]).max() + 1e-9
    assert steps[4:].max() <= 0.1 * np.abs(rows[:, 4:]).max() + 1e-9


@settings(deadline=None, max_examples=12)
@given(manoeuvres())
def test_attitude_is_the_tangent_also_in_reverse_and_at_rest(trajectory):
    times = np.arange(0.0, trajectory.duration + 1.0, 0.01)
    headings = np.array([trajectory.attitude(t).heading for t in times])
    assert np.abs(np.diff(headings)).max() < 0.3
    for time, heading in zip(times, headings, strict=True):
        point, attitude = trajectory.at(time), trajectory.attitude(time)
        sideways = point.vy * math.cos(heading) - point.vx * math.sin(heading)
        along = point.vx * math.cos(heading) + point.vy * math.sin(heading)
        assert sideways == pytest.approx(0.0, abs=1e-9)
        assert along * attitude.direction >= -1e-9
        if abs(along) > 0.05:
            odometry = point.as_odometry(0, heading)
            assert odometry.vx == pytest.approx(along)
            assert odometry.yaw_rate == pytest.approx(attitude.rate, abs=1e-9)


def test_manoeuvre_goes_into_the_gap_and_out_again():
    trajectory = parking()
    times = np.arange(0.0, trajectory.duration + 2.0, 0.01)
    rows = np.array([trajectory.at(t) for t in times])
    assert rows[:, 1].min() == pytest.approx(-0.6)
    assert rows[0, :4].tolist() == [0.0, 0.0, 0.0, 0.0]
    assert rows[-1] == pytest.approx([2.2, 0.0, 0.0, 0.0, 0.0, 0.0], abs=1e-12)
    directions = [trajectory.attitude(t).direction for t in times]
    changes = [b for a, b in zip(directions, directions[1:], strict=False) if a != b]
    assert changes == [-1.0, 1.0, -1.0, 1.0]


# The law


@settings(max_examples=30, deadline=None)
@given(number(-3.0, 3.0), number(-1.2, 1.2), number(0.2, 2.0), st.sampled_from([1.0, -1.0]))
def test_p_follows_its_velocity_forwards_and_backwards(course, misalignment, speed, sign):
    """Integrate the bicycle independently; P lies ahead forwards and behind in reverse."""
    epsilon, wheelbase = 0.1 * sign, 0.325
    law = KinematicLaw(0.1, wheelbase, 1e-9, 1e-9, 1.0, -1.57, 1.57, -9.0, 9.0)

    def velocity(t):
        direction = course + 0.5 * math.sin(2.0 * t)
        return sign * speed * math.cos(direction), sign * speed * math.sin(direction)

    def motion(t, state):
        heading = state[2]
        vx, vy = velocity(t)
        _, forward, steering = step(law, vx, vy, heading)
        return [forward * math.cos(heading), forward * math.sin(heading),
                forward * math.tan(steering) / wheelbase, *velocity(t)]

    yaw = course + misalignment
    start = [0.0, 0.0, yaw, epsilon * math.cos(yaw), epsilon * math.sin(yaw)]
    result = solve_ivp(motion, (0.0, 2.0), start, method='DOP853', rtol=1e-11, atol=1e-12)
    x, y, heading, wanted_x, wanted_y = result.y
    assert x + epsilon * np.cos(heading) == pytest.approx(wanted_x, abs=1e-8)
    assert y + epsilon * np.sin(heading) == pytest.approx(wanted_y, abs=1e-8)
    # The heading aligns with the direction of travel, or its opposite, instead of turning round.
    assert abs(heading[-1] - course) < 1.3


def test_without_reverse_the_car_turns_round_as_in_the_report():
    _, _, ahead = step(LAW._replace(reverse=0.0), -1.0, 0.1)
    _, _, behind = step(LAW, -1.0, 0.1)
    assert ahead == pytest.approx(-behind)


@pytest.mark.parametrize('lateral', [-0.3, 0.0, 0.02, 0.3])
@pytest.mark.parametrize('reverse', [True, False])
def test_steering_is_continuous_where_the_speed_passes_through_zero(lateral, reverse):
    law, state, commands = LAW._replace(reverse=float(reverse)), SteeringState(0.3), []
    for speed in np.arange(0.2, -0.2, -1e-5):
        state, _, steering = step(law, speed, lateral, state=state)
        commands.append(steering)
    assert np.abs(np.diff(commands)).max() < 2e-3


def test_steering_below_the_minimum_speed_is_the_held_one():
    held = SteeringState(0.2)
    after, _, steering = step(LAW, 0.009, 0.5, state=held)
    assert (after, steering) == (held, 0.2)


# Both together


def path_steering(trajectory, times, wheelbase=0.325):
    """Return the steering of a bicycle without error [rad], and 0 where it rests."""
    steering = []
    for time in times:
        attitude, point = trajectory.attitude(time), trajectory.at(time)
        speed = attitude.direction * math.hypot(point.vx, point.vy)
        steering.append(
            math.atan(wheelbase * attitude.rate / speed) if abs(speed) > 1e-9 else 0.0)
    return np.array(steering)


@pytest.mark.parametrize('values', [
    {}, {'parking_offset': 0.6}, {'parking_pause': 0.0}, {'parking_room': 0.0},
    {'parking_length': 2.4, 'parking_offset': -0.9}])
def test_car_parks_without_jumps(values):
    tracker, table = run('kinematic_ode', 'parking', parking(**values).duration + 2.0, **values)
    steering, time = table.column('steering_command'), table.column('time')
    wanted = path_steering(tracker.trajectory, time)
    assert table.metrics().max_error < 0.002
    assert table.column('speed_command').min() < -0.4
    # Not much faster than the path itself turns the wheels, and nearly where it has them.
    assert np.abs(np.diff(steering)).max() < 2.0 * np.abs(np.diff(wanted)).max()
    assert np.abs(steering - wanted).max() < 0.1
    assert abs(table.column('yaw')[-1]) < 0.005


@pytest.mark.parametrize('tyre_model', ['linear', 'fiala'])
def test_car_that_starts_beside_the_gap_backs_into_it_all_the_same(tyre_model):
    _, table = run('kinematic_ode', 'parking', 30.0, reference_origin='map', simulator={
        'initial_yaw': 0.4, 'initial_y': 0.1, 'tyre_model': tyre_model})
    assert table.column('speed_command').min() < -0.4
    assert table.metrics(10.0).max_error < 1e-2
