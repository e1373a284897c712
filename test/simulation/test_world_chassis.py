# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rolling resistance, drag, friction over load and relaxation length in the 3-D world."""

import dataclasses
import math

import pytest
from world_bench import make_car

from racecar.base.share import find_config
from racecar.base.types import AckermannCommand, WheelCommand
from racecar.dynamics.vehicles import VehicleParameters
from racecar.world.car_axles import make_axles
from racecar.world.wheel_contact import Touch, Vector3
from racecar.world.world_kernel import _felt

NONE = (0.0,) * 4
FREE = WheelCommand(0.0, 0.0, NONE, NONE, NONE, NONE)
MASS, TURNING = 5.69223, 4.0 * 0.00041226 / 0.05 ** 2


CONTACTS = ('coulomb', 'pacejka')


def coasting_car(contact, **vehicle):
    car = make_car(contact_model=contact, command_interface='wheel_torques', **vehicle)
    car.inputs['drive'](AckermannCommand(3.0, 0.0))
    car.run(3.0).inputs['wheels'](FREE)
    return car.run(0.2)


@pytest.mark.parametrize('contact', CONTACTS)
def test_rolling_resistance_slows_by_its_part_of_the_weight_and_holds(contact):
    car = coasting_car(contact, vehicle__rolling_resistance=0.03)
    before = car.twist.vx
    assert before - car.run(2.0).twist.vx == pytest.approx(
        2.0 * 0.03 * 9.81 * MASS / (MASS + TURNING), rel=0.02)
    stands = car.run(20.0).pose.x
    assert abs(car.twist.vx) < 1e-6
    assert car.run(2.0).pose.x == pytest.approx(stands, abs=1e-6)


@pytest.mark.parametrize('contact', CONTACTS)
@pytest.mark.parametrize('yaw', [0.0, 2.3])
def test_drag_slows_by_the_square_of_the_speed(yaw, contact):
    car = coasting_car(contact, vehicle__drag_area=1.0, initial_yaw=yaw)
    before = car.twist.vx
    after = car.run(3.0).twist.vx
    decay = 0.5 * 1.225 * 1.0 / (MASS + TURNING)
    assert after == pytest.approx(before / (1.0 + decay * before * 3.0), rel=0.005)
    assert after < 0.6 * before
    # Where it is put anew, nothing pushes it any more.
    car.entity.reset(None)
    assert car.run(1.0).twist.vx == pytest.approx(0.0, abs=1e-5)


def test_a_tyre_grips_less_than_in_proportion_to_its_load():
    plain = VehicleParameters.from_file(find_config('vehicles/racecar'))
    vehicle = dataclasses.replace(
        plain, friction_load_sensitivity=0.2, relaxation_length=0.07)
    for axle, load in zip(make_axles(vehicle, None, 0.001),
                          (vehicle.front_axle_load, vehicle.rear_axle_load), strict=True):
        assert axle.carcass.length == 0.07
        for part, expected in ((0.5, 0.5 * 1.1), (1.0, 1.0), (1.5, 1.5 * 0.9), (3.0, 3.0 * 0.8)):
            touch = Touch(Vector3(0.0, 0.0, 0.0), 1.0, 0.0, 0.5 * load * part, 0.0, 0.0, 0.0)
            assert _felt(touch, axle.further) == pytest.approx(0.5 * load * expected)
    assert math.isclose(make_axles(plain, None, 0.001)[0].carcass.length, 0.4 * 0.05)
