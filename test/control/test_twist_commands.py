# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Velocities become commands of a car."""

import math

from hypothesis import given
from hypothesis.strategies import floats, sampled_from
import pytest

from racecar.base.types import BodyTwist
from racecar.control.twist_commands import command_of_twist, TWIST_PARAMETERS

VALUES = TWIST_PARAMETERS.resolve({})
SIDE = {**VALUES, 'twist_steering': 'side', 'twist_side_angle': 0.2}


@given(floats(0.01, 10.0), floats(-5.0, 5.0), floats(0.1, 5.0), sampled_from([-1.0, 1.0]))
def test_the_kinematic_car_turns_at_the_yaw_rate(speed, yaw_rate, wheelbase, direction):
    given_speed = direction * speed
    command = command_of_twist(
        BodyTwist(given_speed, yaw_rate), {**VALUES, 'wheelbase': wheelbase})
    assert command.speed == given_speed
    assert abs(command.steering_angle) < 0.5 * math.pi
    # Yaw rate of the kinematic bicycle.
    assert command.speed * math.tan(command.steering_angle) / wheelbase == pytest.approx(
        yaw_rate, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize('yaw_rate', [0.0, 1.0, -1.0])
def test_a_car_that_stands_does_not_steer(yaw_rate):
    assert command_of_twist(BodyTwist(0.0, yaw_rate), VALUES) == (0.0, 0.0)


@pytest.mark.parametrize(('yaw_rate', 'angle'), [(0.0, 0.0), (1e-9, 0.2), (-3.0, -0.2)])
def test_the_gym_steers_to_the_side_of_the_yaw_rate(yaw_rate, angle):
    assert command_of_twist(BodyTwist(-1.5, yaw_rate), SIDE) == (-1.5, angle)
