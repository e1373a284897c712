# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Controls, lamps and wipers: what is accepted, what is refused, what lights up when."""

import math
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from racecar.base.errors import ParameterError
from racecar.driver import ControlMode, Controls, Indicator, Lamps, WiperMode
from racecar.driver.wipers import SWEEP, Wipers
from racecar.dynamics.powertrain import CarParameters
from racecar.dynamics.vehicles import VehicleParameters

FILE = Path(__file__).parents[2] / 'config' / 'vehicles' / 'car_2014.yaml'
CAR, VEHICLE = CarParameters.from_file(FILE), VehicleParameters.from_file(FILE)
LIMIT = VEHICLE.steering_limit
WHEEL_LIMIT = 1.0
SECOND = 1_000_000_000


@pytest.fixture
def controls():
    return Controls(CAR, VEHICLE)


def everything(controls):
    return {name: getattr(controls, name) for name in (
        'mode', 'steering_angle', 'steering_angles', 'cruising_speed', 'throttle',
        'brake_intensity', 'gear', 'indicator', 'indicator_period', 'wiper_mode',
        'hazard_flashers', 'dipped_beams', 'antifog_lights', 'limited_slip_differential',
        'indicator_auto_disabling')} | {'pedals': controls.pedals()}


def test_at_first_everything_is_off_and_the_car_is_held(controls):
    assert everything(controls) == {
        'mode': ControlMode.UNDEFINED, 'steering_angle': 0.0, 'steering_angles': (0.0, 0.0),
        'cruising_speed': 0.0, 'throttle': 0.0, 'brake_intensity': 0.0, 'gear': 0,
        'indicator': Indicator.OFF, 'indicator_period': 0.34, 'wiper_mode': WiperMode.DOWN,
        'hazard_flashers': False, 'dipped_beams': False, 'antifog_lights': False,
        'limited_slip_differential': True, 'indicator_auto_disabling': True,
        'pedals': (-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)}
    assert controls.lamps(0) == Lamps(*(False,) * 7)


NUMBERS = {
    'set_steering_angle': ('steering_angle', -LIMIT, LIMIT),
    'set_cruising_speed': ('cruising_speed', VEHICLE.speed_min, VEHICLE.speed_max),
    'set_throttle': ('throttle', 0.0, 1.0),
    'set_brake_intensity': ('brake_intensity', 0.0, 1.0),
    'set_indicator_period': ('indicator_period', 0.01, 10.0),
    'set_gear': ('gear', -1, 5),
    'set_indicator': ('indicator', 0, 2),
    'set_wiper_mode': ('wiper_mode', 0, 3)}


@pytest.mark.parametrize('setter', NUMBERS)
def test_edges_are_accepted(controls, setter):
    name, low, high = NUMBERS[setter]
    for value in (low, high):
        getattr(controls, setter)(value)
        assert getattr(controls, name) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize('setter', NUMBERS)
@pytest.mark.parametrize('bad', [math.nan, math.inf, -math.inf, 'low', 'high', 'fast', None])
def test_refusal_names_value_and_range_and_changes_nothing(controls, setter, bad):
    name, low, high = NUMBERS[setter]
    controls.set_throttle(0.25)
    controls.set_gear(2)
    controls.set_indicator(1)
    before = everything(controls)
    value = {'low': low - 1, 'high': high + 1}.get(bad, bad)
    with pytest.raises(ParameterError) as caught:
        getattr(controls, setter)(value)
    assert f'{name} is {value!r}, expected' in str(caught.value)
    assert f'from {low:.6g} to {high:.6g}' in str(caught.value)
    assert 'nothing is changed' in str(caught.value)
    assert everything(controls) == before


@pytest.mark.parametrize('setter', ['set_gear', 'set_indicator', 'set_wiper_mode'])
def test_half_a_gear_is_none(controls, setter):
    with pytest.raises(ParameterError, match='is 0.5, expected an integer'):
        getattr(controls, setter)(0.5)


def test_last_of_throttle_and_cruise_governs_and_the_other_is_remembered(controls):
    controls.set_brake_intensity(0.5)
    controls.set_gear(3)
    assert controls.mode == ControlMode.UNDEFINED
    controls.set_cruising_speed(20.0)
    assert controls.mode == ControlMode.SPEED
    controls.set_throttle(0.7)
    assert (controls.mode, controls.cruising_speed) == (ControlMode.TORQUE, 20.0)
    controls.set_cruising_speed(-3.0)
    assert (controls.mode, controls.throttle, controls.gear) == (ControlMode.SPEED, 0.7, 3)


def test_wheels_can_be_steered_one_by_one(controls):
    controls.set_left_steering_angle(0.2)
    assert controls.steering_angles == (0.2, 0.0)
    assert controls.steering_angle == 0.0
    controls.set_right_steering_angle(0.1)
    assert 1 / math.tan(controls.steering_angle) == pytest.approx(
        0.5 * (1 / math.tan(0.2) + 1 / math.tan(0.1)))
    for setter in (controls.set_left_steering_angle, controls.set_right_steering_angle):
        with pytest.raises(ParameterError, match=r'_steering_angle is 1\.1, expected'):
            setter(WHEEL_LIMIT + 0.1)
    assert controls.steering_angles == (0.2, 0.1)


@pytest.mark.parametrize(('mode', 'brake', 'gear', 'lit'), [
    ('torque', 0.0, -1, (False, True)), ('torque', 0.0, 1, (False, False)),
    ('torque', 1e-9, 0, (True, False)), ('speed', 0.0, -1, (False, False)),
    ('backwards', 0.5, 3, (True, True)), ('undefined', 0.0, -1, (False, False))])
def test_brake_and_reversing_lights(controls, mode, brake, gear, lit):
    if mode == 'torque':
        controls.set_throttle(0.0)
    elif mode != 'undefined':
        controls.set_cruising_speed(-2.0 if mode == 'backwards' else 2.0)
    controls.set_brake_intensity(brake)
    controls.set_gear(gear)
    lamps = controls.lamps(0)
    assert (lamps.brake, lamps.backwards) == lit


def test_beams_are_front_and_rear(controls):
    controls.set_dipped_beams(True)
    assert controls.lamps(0)[2:5] == (True, True, False)
    controls.set_dipped_beams(False)
    controls.set_antifog_lights(True)
    assert controls.lamps(0)[2:5] == (False, False, True)


def test_indicator_is_lit_and_dark_for_one_period_each(controls):
    controls.set_indicator(Indicator.LEFT)
    period = 340_000_000
    for count in range(6):
        lit = count % 2 == 0
        for time_ns in (count * period, (count + 1) * period - 1):
            assert controls.lamps(time_ns)[:2] == (lit, False)
    controls.set_indicator(Indicator.RIGHT)
    assert controls.lamps(0)[:2] == (False, True)
    controls.set_indicator_period(1.0)
    assert [controls.lamps(k * SECOND)[1] for k in range(4)] == [True, False, True, False]


@pytest.mark.parametrize('side', Indicator)
def test_hazard_flashers_override_the_indicator(controls, side):
    controls.set_indicator(side)
    controls.set_hazard_flashers(True)
    assert controls.lamps(0)[:2] == (True, True)
    assert controls.lamps(SECOND // 2)[:2] == (False, False)
    controls.set_hazard_flashers(False)
    assert controls.indicator == side


@pytest.mark.parametrize('side', [Indicator.LEFT, Indicator.RIGHT])
def test_indicator_goes_off_when_the_wheel_is_turned_back(controls, side):
    towards = 1.0 if side == Indicator.LEFT else -1.0
    controls.set_indicator(side)
    for angle in (0.05, 0.3, 0.25, 0.2001):
        controls.set_steering_angle(towards * angle)
        assert controls.indicator == side
    controls.set_steering_angle(towards * 0.2)
    assert controls.indicator == Indicator.OFF


def test_indicator_stays_on_where_that_is_disabled(controls):
    controls.enable_indicator_auto_disabling(False)
    controls.set_indicator(Indicator.LEFT)
    controls.set_steering_angle(0.4)
    controls.set_steering_angle(-0.4)
    assert controls.indicator == Indicator.LEFT
    controls.set_hazard_flashers(True)
    controls.enable_indicator_auto_disabling(True)
    controls.set_steering_angle(-0.5)
    assert controls.indicator == Indicator.OFF
    assert controls.hazard_flashers


@given(angle=st.floats(-LIMIT, LIMIT))
@settings(deadline=None)
def test_steering_is_read_back(angle):
    controls = Controls(CAR, VEHICLE)
    controls.set_steering_angle(angle)
    assert controls.steering_angle == pytest.approx(angle, abs=1e-12)
    left, right = controls.steering_angles
    assert left >= right


def sweeps(mode, seconds):
    """Return the times [s] at which sweeps start and the largest angle."""
    wipers, starts, largest = Wipers(), [], 0.0
    for tick in range(seconds * 100):
        before = wipers.angle
        wipers.advance(mode, tick * SECOND // 100, 0.01)
        if before == 0.0 < wipers.angle:
            starts.append(tick / 100)
        largest = max(largest, wipers.angle)
    return starts, largest


def test_wipers_sweep_at_the_speed_of_their_mode():
    assert sweeps(WiperMode.DOWN, 10) == ([], 0.0)
    normal, largest = sweeps(WiperMode.NORMAL, 20)
    assert largest == pytest.approx(SWEEP)
    assert normal[1] - normal[0] == pytest.approx(2 * SWEEP / 2.0, abs=0.02)
    fast, _ = sweeps(WiperMode.FAST, 20)
    assert fast[1] - fast[0] == pytest.approx(2 * SWEEP / 4.0, abs=0.02)
    slow, _ = sweeps(WiperMode.SLOW, 20)
    assert slow == [0.0, 4.0, 8.0, 12.0, 16.0]


def test_wipers_finish_a_sweep_and_park():
    wipers = Wipers()
    wipers.advance(WiperMode.FAST, 0, 0.1)
    for tick in range(1000):
        wipers.advance(WiperMode.DOWN, tick, 0.01)
    assert wipers.angle == 0.0
