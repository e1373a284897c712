# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands within the limits of a vehicle, and what is said of those beyond them."""

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.base.errors import ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_config
from racecar.base.types import AckermannCommand
from racecar.dynamics.vehicles.command_limits import checked
from racecar.dynamics.vehicles.parameters import VEHICLE_PARAMETERS, VehicleParameters

VEHICLE = VehicleParameters.from_values(VEHICLE_PARAMETERS.resolve(
    load_parameter_file(find_config('vehicles/racecar'), 'any_node')))
RANGE = -0.3, 0.25


@given(st.floats(-1e6, 1e6), st.floats(-10.0, 10.0))
def test_a_command_is_clamped_to_the_nearest_that_can_be(speed, angle):
    command, notice = checked(AckermannCommand(speed, angle), VEHICLE, RANGE)
    assert command.speed == sorted((VEHICLE.speed_min, speed, VEHICLE.speed_max))[1]
    assert command.steering_angle == sorted((-0.3, angle, 0.25))[1]
    if command == (speed, angle):
        assert notice == ''
    # What is allowed is left alone.
    assert checked(command, VEHICLE, RANGE) == (command, '')


def test_what_is_cut_off_is_told():
    command, notice = checked(AckermannCommand(1.0, 0.5), VEHICLE, RANGE)
    assert command == (1.0, 0.25)
    assert notice == ('the limits of the vehicle cut the command: steering angle 0.5 rad to'
                      ' 0.25 rad')


@pytest.mark.parametrize('number', [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize('place', [0, 1])
def test_what_is_no_finite_number_is_refused(number, place):
    numbers = [1.0, 0.1]
    numbers[place] = number
    with pytest.raises(ParameterError, match=f'{number!r}.*expected finite numbers'):
        checked(AckermannCommand(*numbers), VEHICLE, RANGE)
