# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The driver bridge as a state machine: who commands what, and when."""

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.base.errors import ParameterError
from racecar.base.share import find_config
from racecar.base.types import AckermannCommand, AT_REST, NANOSECONDS
from racecar.control.command_mux import IDLE
from racecar.driver import ControlMode
from racecar.driver.bridge import Answer, DriverBridge, Pedals, WheelReadings
from racecar.dynamics.powertrain import CarParameters
from racecar.dynamics.vehicles.parameters import VehicleParameters

FILE = find_config('vehicles/bmw_x5')
CAR, VEHICLE = CarParameters.from_file(FILE), VehicleParameters.from_file(FILE)
TIMEOUT = 0.5


def bridge():
    return DriverBridge(CAR, VEHICLE, 'Driver')


def odometry(at, speed=0.0):
    return AT_REST._replace(time_ns=round(at * NANOSECONDS), vx=speed)


def readings(at, speed):
    front, rear = (speed / radius for radius in VEHICLE.wheel_radii)
    return WheelReadings(
        round(at * NANOSECONDS), (0.0,) * 4, (front, front, rear, rear), (0.0, 0.0))


def test_nothing_is_commanded_before_the_first_throttle_or_cruising_speed():
    assert bridge().answer(odometry(0.0), TIMEOUT) is None


def test_a_cruising_speed_is_ramped_from_the_speed_of_the_car():
    driver = bridge()
    driver.controls.set_cruising_speed(10.0)
    assert driver.answer(odometry(0.0, 4.0), TIMEOUT) == Answer(AckermannCommand(4.0, 0.0))
    second = driver.answer(odometry(0.01, 4.0), TIMEOUT)
    assert second.drive.speed == pytest.approx(4.0 + 0.01 * CAR.cruise_acceleration)


def test_a_tick_that_is_announced_again_does_not_speed_up():
    driver = bridge()
    driver.controls.set_cruising_speed(10.0)
    driver.answer(odometry(0.0), TIMEOUT)
    first = driver.answer(odometry(0.01), TIMEOUT)
    assert driver.answer(odometry(0.01), TIMEOUT) == first


@given(st.floats(0.0, 1e6), st.floats(0.0, 1e6))
def test_no_gap_between_two_odometries_speeds_up_by_more_than_a_tenth_of_a_second(first, gap):
    driver = bridge()
    driver.controls.set_cruising_speed(30.0)
    driver.answer(odometry(first), TIMEOUT)
    speed = driver.answer(odometry(first + gap), TIMEOUT).drive.speed
    assert 0.0 <= speed <= 0.1 * CAR.cruise_acceleration * (1.0 + 1e-12)


def test_the_brake_takes_the_wheels_and_then_gives_the_speed_back():
    driver = bridge()
    driver.controls.set_cruising_speed(10.0)
    driver.answer(odometry(0.0, 10.0), TIMEOUT)
    driver.controls.set_brake_intensity(0.5)
    braking = driver.answer(odometry(0.01, 10.0), TIMEOUT)
    assert min(braking.wheels.brake) >= 0.0
    assert max(braking.wheels.brake + braking.wheels.brake_damping) > 0.0
    assert braking.drive.speed == 10.0
    driver.controls.set_brake_intensity(0.0)
    assert driver.answer(odometry(0.02, 9.0), TIMEOUT).wheels is None


def test_throttle_gives_torques_to_the_driven_wheels():
    driver = bridge()
    driver.press(Pedals(0.0, 1.0, 0.0, 1), 0)
    torques = driver.answer(odometry(0.0), TIMEOUT).wheels.drive
    assert [torque > 0.0 for torque in torques] == list(CAR.driven)


@pytest.mark.parametrize('bad', [
    {'throttle': 1.5}, {'brake': -0.1}, {'gear': 99}, {'steering_angle': math.nan}])
def test_pedals_are_taken_as_a_whole_or_not_at_all(bad):
    driver = bridge()
    driver.press(Pedals(0.1, 0.5, 0.0, 1), 0)
    with pytest.raises(ParameterError):
        driver.press(Pedals(0.2, 0.7, 0.1, 2)._replace(**bad), 1)
    controls = driver.controls
    assert (controls.throttle, controls.brake_intensity, controls.gear) == (0.5, 0.0, 1)


def test_silent_pedals_are_released_once():
    driver = bridge()
    driver.press(Pedals(0.0, 0.5, 0.0, 1), NANOSECONDS)
    assert not driver.release_silent_pedals(round(1.5 * NANOSECONDS), TIMEOUT)
    assert driver.release_silent_pedals(round(1.6 * NANOSECONDS), TIMEOUT)
    assert (driver.controls.throttle, driver.controls.brake_intensity) == (0.0, 1.0)
    assert not driver.release_silent_pedals(round(9.9 * NANOSECONDS), TIMEOUT)


def test_a_cruising_speed_that_was_set_since_is_not_braked():
    driver = bridge()
    driver.press(Pedals(0.0, 0.5, 0.0, 1), 0)
    driver.controls.set_cruising_speed(5.0)
    assert not driver.release_silent_pedals(10 * NANOSECONDS, TIMEOUT)
    assert driver.controls.mode == ControlMode.SPEED


@pytest.mark.parametrize(('holder', 'has_mux', 'may'), [
    (None, False, True), (None, True, False), ('Driver', True, True),
    (IDLE, True, False), ('Teleop', True, False)])
def test_wheels_are_commanded_while_the_driver_holds_the_mux(holder, has_mux, may):
    driver = bridge()
    if holder is not None:
        driver.hear_mux(holder)
    assert driver.may_command_wheels(NANOSECONDS, 0.2, has_mux=has_mux) is may


@pytest.mark.parametrize(('age', 'may'), [(0.0, True), (0.2, True), (0.201, False), (20.0, False)])
def test_a_mux_that_does_not_answer_ends_the_commands_of_the_wheels(age, may):
    driver = bridge()
    driver.hear_mux('Driver')
    driver.ask_mux(5 * NANOSECONDS)
    driver.ask_mux(round(5.1 * NANOSECONDS))
    now_ns = 5 * NANOSECONDS + round(age * NANOSECONDS)
    assert driver.may_command_wheels(now_ns, 0.2, has_mux=True) is may
    assert driver.is_mux_silent(now_ns, 0.2) is not may
    driver.hear_mux('Driver')
    assert driver.may_command_wheels(now_ns, 0.2, has_mux=True)


def test_a_mux_that_nobody_asks_may_be_silent():
    driver = bridge()
    driver.hear_mux('Driver')
    assert not driver.is_mux_silent(60 * NANOSECONDS, 0.2)
    driver.ask_mux(60 * NANOSECONDS)
    assert driver.may_command_wheels(60 * NANOSECONDS, 0.2, has_mux=True)


def test_the_ramp_begins_anew_at_the_speed_that_others_leave_behind():
    driver = bridge()
    driver.controls.set_cruising_speed(10.0)
    driver.hear_mux('Teleop')
    assert driver.is_overruled
    for at in (0.0, 0.01):
        assert driver.answer(odometry(at, 2.0), TIMEOUT).drive.speed < 2.1
    driver.hear_mux('Driver')
    assert not driver.is_overruled
    assert 2.0 < driver.answer(odometry(0.02, 2.0), TIMEOUT).drive.speed < 2.2


def test_old_readings_of_the_wheels_are_replaced_by_rolling():
    driver, other = bridge(), bridge()
    for one in (driver, other):
        one.controls.set_gear(1)
        one.controls.set_throttle(0.5)
    driver.wheels = readings(0.0, 3.0)
    other.wheels = readings(1.0, 5.0)
    assert driver.answer(odometry(1.0, 5.0), TIMEOUT) == other.answer(odometry(1.0, 5.0), TIMEOUT)


@pytest.mark.parametrize(('age_ns', 'used'), [
    (0, True), (500_000_000, True), (500_000_001, False),
    # Of another clock.
    (-500_000_000, True), (-500_000_001, False)])
def test_readings_of_the_wheels_are_used_up_to_their_timeout(age_ns, used):
    now = odometry(10.0, 5.0)
    driver, rolling, spinning = bridge(), bridge(), bridge()
    for one in (driver, rolling, spinning):
        one.controls.set_gear(1)
        one.controls.set_throttle(0.5)
    driver.wheels = readings(0.0, 9.0)._replace(time_ns=now.time_ns - age_ns)
    spinning.wheels = readings(10.0, 9.0)
    answer = driver.answer(now, TIMEOUT)
    expected, other = (spinning, rolling) if used else (rolling, spinning)
    assert answer == expected.answer(now, TIMEOUT)
    assert answer != other.answer(now, TIMEOUT)


def test_odometry_and_wheels_are_paired_once_the_wheels_are_not_older():
    driver = bridge()
    assert not driver.is_paired
    driver.odometry, driver.wheels = odometry(1.0), readings(0.99, 0.0)
    assert not driver.is_paired
    driver.wheels = readings(1.0, 0.0)
    assert driver.is_paired


def test_pressed_pedals_come_to_their_timeout_after_time_went_back():
    driver = bridge()
    driver.press(Pedals(0.0, 0.5, 0.0, 1), 100 * NANOSECONDS)
    driver.odometry = odometry(100.0)
    driver.forget_times()
    assert driver.odometry is None
    assert driver.release_silent_pedals(NANOSECONDS, TIMEOUT)
