# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steering, cruise control and differential against plane geometry and the documents' figures."""

import cmath
import dataclasses
import math
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ParameterError
from racecar.driver import Controls
from racecar.dynamics.powertrain import CarParameters, Powertrain
from racecar.dynamics.powertrain.car_parameters import CAR_TYPES
from racecar.dynamics.powertrain.cruise import ramp
from racecar.dynamics.powertrain.differential import rolling_speed, split_torque
from racecar.dynamics.powertrain.gearbox import engine_rpm
from racecar.dynamics.powertrain.steering import path_ratios, steering_angles, wheel_steering_range
from racecar.dynamics.vehicles import VehicleParameters
from racecar.dynamics.vehicles.ackermann import middle_angles, middle_tangent

FOLDER = Path(__file__).parents[2] / 'config' / 'vehicles'
CARS = ('car_2014', 'bmw_x5', 'citroen_czero', 'toyota_prius', 'tesla_model3', 'racecar')
AXLES = {'traction': 'front', 'propulsion': 'rear', '4x4': 'all'}


def vehicle_of(name):
    return VehicleParameters.from_file(FOLDER / f'{name}.yaml')


def hubs(vehicle):
    front, rear = (0.5 * width for width in vehicle.track_widths)
    base = vehicle.wheelbase
    return [complex(base, front), complex(base, -front), complex(0.0, rear), complex(0.0, -rear)]


@pytest.mark.parametrize(('name', 'right_turn', 'right', 'left'), [
    ('car_2014', 0.3, 0.319740, 0.282494), ('bmw_x5', 0.5, 0.570419, 0.443999),
    ('citroen_czero', 0.4, 0.442879, 0.364349)])
def test_front_angles_have_the_published_digits(name, right_turn, right, left):
    vehicle = vehicle_of(name)
    assert steering_angles(vehicle, -right_turn) == pytest.approx((-left, -right), abs=5e-7)
    assert steering_angles(vehicle, right_turn) == pytest.approx((right, left), abs=5e-7)


@pytest.mark.parametrize('name', CARS)
@given(share=st.floats(-1.0, 1.0))
@settings(deadline=None)
def test_axes_of_all_wheels_meet_in_one_point(name, share):
    vehicle = vehicle_of(name)
    angle = share * vehicle.steering_limit
    left, right = steering_angles(vehicle, angle)
    for hub, turned in zip(hubs(vehicle)[:2], (left, right), strict=True):
        # From the turn's centre (0, L cot d), multiplied by tan d so that straight is no case.
        lever = hub * math.tan(angle) - 1j * vehicle.wheelbase
        assert (lever * cmath.exp(-1j * turned)).real == pytest.approx(0.0, abs=1e-12)
    assert math.atan(middle_tangent(left, right)) == pytest.approx(angle, abs=1e-15)
    assert max(abs(left), abs(right)) <= wheel_steering_range(vehicle)[1] + 1e-12


def test_wheels_to_different_sides_have_no_middle():
    assert middle_tangent(0.2, -0.1) == 0.0
    assert middle_tangent(0.0, 0.0) == 0.0


def test_many_middle_wheels_are_those_of_one_by_one():
    left, right = np.random.default_rng(3).uniform(-1.2, 1.2, (2, 200))
    left[:3], right[:3] = (0.0, 0.2, 0.1), (0.0, -0.2, 0.0)
    assert middle_angles(left, right) == pytest.approx(
        [math.atan(middle_tangent(*pair)) for pair in zip(left, right, strict=True)], abs=1e-15)
    assert np.isnan(middle_angles(np.array([np.nan]), np.array([0.1]))).all()


def test_turn_about_a_point_between_the_wheels_is_refused():
    with pytest.raises(ParameterError, match=r'steering_angle is 1\.4 rad, expected less than'):
        steering_angles(vehicle_of('car_2014'), 1.4)


@pytest.mark.parametrize('kind', CAR_TYPES)
@pytest.mark.parametrize('name', CARS)
@given(share=st.floats(-1.0, 1.0), speed=st.floats(-5.0, 5.0))
@settings(max_examples=20, deadline=None)
def test_cruising_wheels_roll_on_circles_about_one_point(name, kind, share, speed):
    vehicle = dataclasses.replace(vehicle_of(name), driven_axle=AXLES[kind])
    car = CarParameters(type=kind, time_0_to_100=1e-3)
    powertrain = Powertrain(car, vehicle, 0.01)
    controls = Controls(car, dataclasses.replace(vehicle, speed_min=-5.0, speed_max=5.0))
    angle = share * vehicle.steering_limit
    controls.set_steering_angle(angle)
    controls.set_cruising_speed(speed)
    wheels = powertrain.command(controls.pedals(), (0.0,) * 4)
    turning = speed * math.tan(angle) / vehicle.wheelbase
    radii = [radius for radius in vehicle.wheel_radii for _ in range(2)]
    angles = [wheels.left_angle, wheels.right_angle, 0.0, 0.0]
    for i, (hub, radius, turned) in enumerate(zip(hubs(vehicle), radii, angles, strict=True)):
        velocity = (speed + 1j * turning * hub) * cmath.exp(-1j * turned)
        assert wheels.forced[i] == float(car.driven[i])
        if car.driven[i]:
            assert wheels.drive[i] * radius == pytest.approx(velocity.real, abs=1e-9)
    rolling = [speed / radius for speed, radius in zip(
        (((speed + 1j * turning * hub) * cmath.exp(-1j * turned)).real
         for hub, turned in zip(hubs(vehicle), angles, strict=True)), radii, strict=True)]
    assert powertrain.speed(controls.pedals(), rolling) == pytest.approx(speed, abs=1e-9)


@pytest.mark.parametrize(('kind', 'right_front', 'left_front', 'right_rear', 'left_rear'), [
    ('traction', 32.6398, 36.8046, 0.0, 0.0), ('propulsion', 0.0, 0.0, 32.4398, 37.0047),
    ('4x4', 33.3854, 37.6453, 31.6988, 36.1594)])
@pytest.mark.parametrize('side', [-1.0, 1.0])
def test_reference_of_webots_gives_its_wheel_speeds(
        kind, right_front, left_front, right_rear, left_rear, side):
    vehicle = dataclasses.replace(vehicle_of('car_2014'), driven_axle=AXLES[kind])
    car = CarParameters(type=kind, cruise_reference='webots', time_0_to_100=1e-3)
    powertrain = Powertrain(car, vehicle, 0.01)
    controls = Controls(car, vehicle)
    controls.set_steering_angle(side * 0.3)
    controls.set_cruising_speed(50.0 / 3.6)
    speeds = powertrain.command(controls.pedals(), (0.0,) * 4).drive
    expected = (left_front, right_front, left_rear, right_rear)
    if side > 0.0:
        expected = (right_front, left_front, right_rear, left_rear)
    assert speeds == pytest.approx(expected, abs=5e-5)
    assert powertrain.speed(controls.pedals(), speeds) == pytest.approx(50.0 / 3.6)


@pytest.mark.parametrize('period', [0.0, 1e-4, 0.001, 0.01, 0.1, 1.0])
def test_coupling_of_the_differential_does_not_overshoot_in_the_period_for_which_it_holds(period):
    vehicle = vehicle_of('bmw_x5')
    powertrain = Powertrain(
        CarParameters(type='4x4'), dataclasses.replace(vehicle, driven_axle='all'), 0.01)
    powertrain.set_period(period)
    rate = powertrain.numbers.coupling / vehicle.wheel_inertia
    assert 0.0 < rate <= 500.0
    # Half of a difference in speed is gone after the period at most.
    assert rate * period <= 0.5
    assert rate == 500.0 or rate * period == pytest.approx(0.5)


@given(value=st.floats(-100.0, 100.0), target=st.floats(-100.0, 100.0), most=st.floats(0.0, 9.0))
@settings(deadline=None)
def test_ramp_goes_towards_the_target_and_not_beyond(value, target, most):
    reached = ramp(value, target, most)
    assert abs(reached - value) <= most * (1.0 + 1e-12) + 1e-12
    assert min(value, target) - 1e-12 <= reached <= max(value, target) + 1e-12
    if abs(target - value) <= most:
        assert reached == pytest.approx(target, abs=1e-12)


DRIVEN = {'traction': (1.0, 1.0, 0.0, 0.0), 'propulsion': (0.0, 0.0, 1.0, 1.0),
          '4x4': (1.0, 1.0, 1.0, 1.0)}
speeds = st.tuples(*(st.floats(-200.0, 200.0) for _ in range(4)))
radii = st.tuples(*(st.floats(0.05, 0.5) for _ in range(2))).map(
    lambda both: (both[0], both[0], both[1], both[1]))
tangents = st.floats(-1.1, 1.1)


@pytest.mark.parametrize('driven', DRIVEN.values(), ids=DRIVEN)
@given(torque=st.floats(-9000.0, 9000.0), speeds=speeds, radii=radii, tangent=tangents)
@settings(deadline=None)
def test_open_differential_gives_every_driven_wheel_the_same(
        driven, torque, speeds, radii, tangent):
    ratios = path_ratios(tangent, 0.2, 0.2)
    shares = split_torque(torque, speeds, ratios, radii, driven, 0.0)
    assert shares == pytest.approx([drive * torque / sum(driven) for drive in driven])


@pytest.mark.parametrize('driven', DRIVEN.values(), ids=DRIVEN)
@given(torque=st.floats(-9000.0, 9000.0), speeds=speeds, radii=radii, tangent=tangents,
       coupling=st.floats(0.1, 1000.0))
@settings(deadline=None)
def test_limited_slip_moves_torque_but_makes_none(
        driven, torque, speeds, radii, tangent, coupling):
    ratios = path_ratios(tangent, 0.2, 0.2)
    shares = split_torque(torque, speeds, ratios, radii, driven, coupling)
    slack = 1e-9 * (1.0 + abs(torque))
    assert sum(shares) == pytest.approx(torque, abs=slack)
    for share, drive in zip(shares, driven, strict=True):
        assert share * math.copysign(1.0, torque) >= -slack
        assert drive or share == 0.0


@pytest.mark.parametrize('driven', DRIVEN.values(), ids=DRIVEN)
@given(torque=st.floats(-9000.0, 9000.0), speed=st.floats(-60.0, 60.0), radii=radii,
       tangent=tangents)
@settings(deadline=None)
def test_limited_slip_leaves_a_turn_without_slip_alone(driven, torque, speed, radii, tangent):
    ratios = path_ratios(tangent, 0.2, 0.15)
    rolling = tuple(speed * g / radius for g, radius in zip(ratios, radii, strict=True))
    assert rolling_speed(rolling, ratios, radii, driven) == pytest.approx(speed, abs=1e-9)
    shares = split_torque(torque, rolling, ratios, radii, driven, 100.0)
    assert shares == pytest.approx(
        [drive * torque / sum(driven) for drive in driven], abs=1e-6)


def test_wheel_that_spins_loses_its_torque_to_the_other():
    ratios, radii = (1.0,) * 4, (0.4,) * 4
    driven = DRIVEN['traction']
    assert split_torque(1000.0, (50.0, 10.0, 10.0, 10.0), ratios, radii, driven, 800.0) == (
        0.0, 1000.0, 0.0, 0.0)
    left, right, _, _ = split_torque(
        1000.0, (10.2, 10.0, 10.0, 10.0), ratios, radii, driven, 800.0)
    assert (left, right) == pytest.approx((420.0, 580.0))
    # In reverse, too.
    left, right, _, _ = split_torque(
        -1000.0, (-10.2, -10.0, -10.0, -10.0), ratios, radii, driven, 800.0)
    assert (left, right) == pytest.approx((-420.0, -580.0))
    # Of four wheels the three others share.
    assert split_torque(
        1200.0, (10.0, 10.0, 500.0, 10.0), ratios, radii, DRIVEN['4x4'], 800.0) == pytest.approx(
            (400.0, 400.0, 0.0, 400.0))


def test_engine_turns_with_the_driven_wheels_alone():
    turns = (10.0, 12.0, 99.0, 77.0)
    assert engine_rpm(turns, DRIVEN['traction'], 8.0) == pytest.approx(11.0 * 8.0 * 30.0 / math.pi)
    assert engine_rpm(turns, DRIVEN['propulsion'], -8.0) == pytest.approx(
        88.0 * 8.0 * 30.0 / math.pi)
    assert engine_rpm(turns, DRIVEN['4x4'], 0.0) == 0.0


def test_car_and_chassis_have_to_agree_on_the_driven_axle():
    with pytest.raises(
            ParameterError, match=r"driven_axle' is 'front', expected 'rear', as 'car.type'"):
        Powertrain(CarParameters(type='propulsion'), vehicle_of('bmw_x5'), 0.01)
