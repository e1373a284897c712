# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Set-points of wheels and hinges against the geometry of a turn, worked out from its centre."""

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.base.share import find_config, vehicle_names
from racecar.base.types import AckermannCommand, HINGE_JOINTS, JointSetpoints
from racecar.control.servo_commands import (
    ACKERMANN,
    EQUAL,
    SERVO_NAMES,
    SERVO_PARAMETERS,
    ServoCommands,
)
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.vehicles import VehicleParameters

RACECAR = VehicleParameters.from_file(find_config('vehicles/racecar'))
BMW = VehicleParameters.from_file(find_config('vehicles/bmw_x5'))


def servo(vehicle=RACECAR, **values):
    return ServoCommands.from_values(vehicle, SERVO_PARAMETERS.resolve(values))


def places(vehicle):
    """Return middle of each wheel when it points straight ahead, and its kingpin, in base_link."""
    half = 0.5 * (vehicle.track_width - vehicle.wheel_width)
    front, rear = (0.5 * track for track in vehicle.track_widths)
    return [(vehicle.wheelbase, front, half), (vehicle.wheelbase, -front, -half),
            (0.0, rear, None), (0.0, -rear, None)]


@given(st.sampled_from([RACECAR, BMW]), st.floats(-2.0, 5.0), st.floats(-0.3, 0.3))
def test_no_wheel_slips_in_a_turn_about_one_centre(vehicle, speed, angle):
    found = servo(vehicle).setpoints(AckermannCommand(speed, angle))
    # The body turns about a point on the rear axle.
    yaw_rate = speed * math.tan(angle) / vehicle.wheelbase
    steered = (found.left_hinge, found.right_hinge, 0.0, 0.0)
    radii = (vehicle.wheel_radii[0],) * 2 + (vehicle.wheel_radii[1],) * 2
    for (x, y, kingpin), turned, rate, radius in zip(
            places(vehicle), steered, found[:4], radii, strict=True):
        if kingpin is not None:
            # The middle of a wheel swings about its kingpin.
            out = y - kingpin
            x, y = x - out * math.sin(turned), kingpin + out * math.cos(turned)
        vx, vy = speed - yaw_rate * y, yaw_rate * x
        along = vx * math.cos(turned) + vy * math.sin(turned)
        across = vy * math.cos(turned) - vx * math.sin(turned)
        # Up to what the wheel's own swing adds, it moves along itself.
        assert across == pytest.approx(0.0, abs=1e-9)
        assert rate * radius == pytest.approx(along, abs=1e-9)


@given(st.floats(-2.0, 5.0), st.floats(-1.5, 1.5))
def test_left_and_right_mirror_each_other(speed, angle):
    right = servo().setpoints(AckermannCommand(speed, -angle))
    mirrored = JointSetpoints(
        right.right_front, right.left_front, right.right_rear, right.left_rear,
        -right.right_hinge, -right.left_hinge)
    assert servo().setpoints(AckermannCommand(speed, angle)) == pytest.approx(mirrored)


def test_straight_ahead_all_wheels_roll_at_the_speed():
    assert servo().setpoints(AckermannCommand(1.5, 0.0)) == pytest.approx(
        JointSetpoints(30.0, 30.0, 30.0, 30.0, 0.0, 0.0))


def test_the_original_has_equal_rates_and_angles_at_half_the_speed():
    original = servo(speed_to_wheel_rate=10.0, hinge_angles=EQUAL, wheel_rates=EQUAL)
    assert original.setpoints(AckermannCommand(1.5, 0.2)) == pytest.approx(
        JointSetpoints(15.0, 15.0, 15.0, 15.0, 0.2, 0.2))


def test_wheels_of_different_radius_keep_their_ratio():
    assert BMW.wheel_radii[0] == BMW.wheel_radii[1]
    vehicle = VehicleParameters(
        **{name: getattr(RACECAR, name) for name in RACECAR.__dataclass_fields__}
        | {'rear_wheel_radius': 0.1})
    found = servo(vehicle).setpoints(AckermannCommand(1.0, 0.0))
    assert (found.left_front, found.left_rear) == pytest.approx((20.0, 10.0))


@given(st.floats(-1e30, 1e30), st.floats(-1e30, 1e30), st.sampled_from((ACKERMANN, EQUAL)))
def test_commands_are_clamped_so_that_no_hinge_goes_beyond_its_stop(speed, angle, angles):
    found = servo(hinge_angles=angles).setpoints(AckermannCommand(speed, angle))
    assert max(abs(found.left_hinge), abs(found.right_hinge)) <= RACECAR.steering_limit + 1e-12
    # Mean of the rear wheels is the speed of the middle.
    assert RACECAR.speed_min - 1e-9 <= 0.5 * (
        found.left_rear + found.right_rear) * 0.05 <= RACECAR.speed_max + 1e-9


@pytest.mark.parametrize('name', vehicle_names())
@pytest.mark.parametrize('side', [-1.0, 1.0])
def test_no_hinge_of_the_robot_description_is_asked_for_more(name, side):
    vehicle = VehicleParameters.from_file(find_config(f'vehicles/{name}'))
    found = servo(vehicle).setpoints(AckermannCommand(1.0, side * vehicle.steering_limit))
    limit = describe_vehicle(vehicle).tree.joint(HINGE_JOINTS[0]).limit
    assert limit.lower - 1e-9 <= min(found[4:])
    assert max(found[4:]) <= limit.upper + 1e-9
    assert max(map(abs, found[4:])) >= 0.95 * vehicle.steering_limit


def test_the_inner_hinge_reaches_its_stop():
    found = servo().setpoints(AckermannCommand(0.5, 1.5))
    assert found.left_hinge == pytest.approx(RACECAR.steering_limit)
    assert 0.0 < found.right_hinge < found.left_hinge


def test_names_are_those_of_the_original_controllers():
    assert SERVO_NAMES == (
        'left_front_wheel_velocity', 'right_front_wheel_velocity', 'left_rear_wheel_velocity',
        'right_rear_wheel_velocity', 'left_steering_hinge_position',
        'right_steering_hinge_position')
    assert len(SERVO_NAMES) == len(JointSetpoints._fields)
