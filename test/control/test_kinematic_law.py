# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The kinematic law makes P a point that moves exactly as it is told, within the limits."""

import math
from pathlib import Path

from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from racecar.base.types import Odometry, PlanarVelocity, yaw_to_quaternion
from racecar.control.kinematic_linearizer import (
    KINEMATIC_LINEARIZER_PARAMETERS,
    KinematicLaw,
    KinematicLinearizer,
    speed_and_steering,
)
from racecar.dynamics.vehicles.parameters import VehicleParameters

CONFIG = Path(__file__).parents[2] / 'config' / 'vehicles'
RACECAR = VehicleParameters.from_file(CONFIG / 'racecar.yaml')


def number(low, high):
    return st.floats(low, high, allow_nan=False)


def kinematic_law(vx, vy, yaw, epsilon, wheelbase, held_steering, minimum_speed):
    law = KinematicLaw(
        epsilon, wheelbase, minimum_speed, 0.0, 0.0, -math.inf, math.inf, -math.inf, math.inf)
    return speed_and_steering(law, epsilon, held_steering, yaw, vx, vy)


def drive(velocity_of_p, yaw, epsilon, wheelbase, duration):
    """Return P of a rear-axle bicycle under the law, beside the integral of its command."""
    def motion(t, state):
        _, _, heading, _, _ = state
        vx, vy = velocity_of_p(t)
        speed, steering = kinematic_law(vx, vy, heading, epsilon, wheelbase, 0.0, 1e-12)
        return [speed * math.cos(heading), speed * math.sin(heading),
                speed * math.tan(steering) / wheelbase, vx, vy]

    start = [0.0, 0.0, yaw, epsilon * math.cos(yaw), epsilon * math.sin(yaw)]
    result = solve_ivp(motion, (0.0, duration), start, method='DOP853', rtol=1e-11, atol=1e-12)
    assert result.success
    x, y, heading, wanted_x, wanted_y = result.y
    point = np.array([x + epsilon * np.cos(heading), y + epsilon * np.sin(heading)])
    return point, np.array([wanted_x, wanted_y])


@hypothesis_settings(max_examples=30, deadline=None)
@given(number(-3.0, 3.0), number(-1.3, 1.3), number(0.2, 3.0), number(0.05, 0.5),
       number(0.1, 0.5))
def test_p_follows_its_velocity_to_numerical_accuracy(
        course, misalignment, speed, epsilon, wheelbase):
    def velocity(t):
        direction = course + 0.5 * math.sin(2.0 * t)
        return speed * math.cos(direction), speed * math.sin(direction)

    point, wanted = drive(velocity, course + misalignment, epsilon, wheelbase, 2.0)
    assert point == pytest.approx(wanted, abs=1e-8)


@hypothesis_settings(max_examples=30, deadline=None)
@given(number(-3.0, 3.0), number(-0.1, 0.1), number(0.1, 0.5))
def test_p_follows_its_velocity_in_reverse(course, misalignment, speed):
    velocity = -speed * math.cos(course), -speed * math.sin(course)
    point, wanted = drive(lambda t: velocity, course + misalignment, 0.1, 0.325, 0.4)
    assert point == pytest.approx(wanted, abs=1e-8)


@given(number(-3.0, 3.0), number(-3.0, 3.0), number(-math.pi, math.pi), number(0.01, 1.0),
       number(0.1, 1.0))
def test_law_is_the_formula_of_the_report(vx, vy, yaw, epsilon, wheelbase):
    speed, steering = kinematic_law(vx, vy, yaw, epsilon, wheelbase, 0.123, 0.01)
    forward = vx * math.cos(yaw) + vy * math.sin(yaw)
    assert speed == pytest.approx(forward, abs=1e-12)
    if abs(forward) < 0.0099:
        assert steering == 0.123
    elif abs(forward) > 0.0101:
        turning = (vy * math.cos(yaw) - vx * math.sin(yaw)) / epsilon
        assert steering == pytest.approx(math.atan(wheelbase * turning / forward), abs=1e-9)


def test_reverse_is_commanded_for_a_point_to_move_backwards():
    speed, steering = kinematic_law(-1.0, -0.05, 0.0, 0.1, 0.325, 0.0, 0.01)
    assert speed == -1.0
    assert steering == pytest.approx(math.atan(0.325 * 0.5))


def linearizer(vehicle=RACECAR, **values):
    return KinematicLinearizer(KINEMATIC_LINEARIZER_PARAMETERS.resolve(values), vehicle)


def car(yaw=0.0):
    return Odometry(0, 0.0, 0.0, *yaw_to_quaternion(yaw), 0.0, 0.0, 0.0)


def test_steering_is_straight_before_the_first_motion():
    assert linearizer().command(car(), PlanarVelocity(0.0, 0.0)) == (0.0, 0.0)


def test_standstill_holds_the_last_steering():
    law = linearizer()
    turning = law.command(car(), PlanarVelocity(1.0, 0.1))
    assert turning.steering_angle > 0.1
    assert law.command(car(), PlanarVelocity(0.0, 0.0)) == (0.0, turning.steering_angle)


def test_speed_below_the_minimum_holds_the_last_steering_but_is_commanded():
    law = linearizer(minimum_speed=0.5)
    law.command(car(), PlanarVelocity(1.0, 0.1))
    assert law.command(car(), PlanarVelocity(0.25, -0.3)) == (
        0.25, pytest.approx(math.atan(0.325), rel=1e-6))


@pytest.mark.parametrize('side', [1.0, -1.0])
def test_steering_is_clamped_to_the_limit_of_the_vehicle(side):
    command = linearizer().command(car(), PlanarVelocity(0.2, 2.0 * side))
    assert command.steering_angle == side * RACECAR.steering_limit


def test_clamped_steering_is_what_standstill_holds():
    law = linearizer()
    law.command(car(), PlanarVelocity(0.2, 2.0))
    assert law.command(car(), PlanarVelocity(0.0, 0.0)).steering_angle == RACECAR.steering_limit


@pytest.mark.parametrize(('asked', 'given'), [(50.0, 5.0), (-50.0, -2.0)])
def test_speed_is_clamped_to_the_limits_of_the_vehicle(asked, given):
    assert linearizer().command(car(), PlanarVelocity(asked, 0.0)).speed == given


@given(number(-9, 9), number(-9, 9), number(-math.pi, math.pi))
def test_command_is_within_limits_and_single_precision(vx, vy, yaw):
    speed, steering = linearizer().command(car(yaw), PlanarVelocity(vx, vy))
    assert speed == float(np.float32(speed))
    assert steering == float(np.float32(steering))
    assert RACECAR.speed_min <= speed <= RACECAR.speed_max
    assert abs(steering) <= float(np.float32(RACECAR.steering_limit))


@given(number(0.1, 3), number(-3, 3), number(-3, 3), number(-3, 3))
def test_command_depends_only_on_the_velocity_seen_from_the_car(vx, vy, yaw, turn):
    def seen_after(angle):
        cosine, sine = math.cos(angle), math.sin(angle)
        return linearizer().command(
            car(angle), PlanarVelocity(cosine * vx - sine * vy, sine * vx + cosine * vy))

    assert seen_after(yaw) == pytest.approx(seen_after(yaw + turn), abs=1e-5)


@given(number(-3, 3), number(-3, 3))
def test_mirrored_velocity_gives_the_mirrored_command(vx, vy):
    left = linearizer().command(car(), PlanarVelocity(vx, vy))
    right = linearizer().command(car(), PlanarVelocity(vx, -vy))
    assert right == (left.speed, -left.steering_angle)
