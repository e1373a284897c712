# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Driver and Car: names, units and signs of the seeds, edges of every call, what a step does."""

import math
from pathlib import Path
import warnings

import pytest

from racecar.base.errors import ConfigurationError, ControlModeError, ParameterError
from racecar.driver import Car, Driver, DriverWarning
from racecar.dynamics.vehicles import VehicleParameters

ROOT = Path(__file__).parents[2]
KMH = 3.6

# Seed 000, appendix A (its misspelt COMBUTSION_ENGINE aside), then what seed 001 and later added.
DRIVER_METHODS = [
    'step', 'setSteeringAngle', 'getSteeringAngle', 'setCruisingSpeed',
    'getTargetCruisingSpeed', 'getCurrentSpeed', 'setThrottle', 'getThrottle', 'setBrake',
    'getBrake', 'setIndicator', 'setIndicatorWarning', 'setDippedBeams', 'setAntifogLights',
    'getDippedBeams', 'getAntifogLights', 'getRpm', 'getGear', 'setGear', 'getGearNumber',
    'setHazardFlashers', 'getHazardFlashers', 'getIndicator', 'getControlMode',
    'setBrakeIntensity', 'getBrakeIntensity', 'setWiperMode', 'getWiperMode',
]
CAR_METHODS = [
    'getType', 'getEngineType', 'setIndicatorPeriod', 'getIndicatorPeriod',
    'getBackwardsLights', 'getBrakeLights', 'getTrackFront', 'getTrackRear', 'getWheelbase',
    'getFrontWheelRadius', 'getRearWheelRadius', 'getWheelEncoder', 'getWheelSpeed',
    'getRightSteeringAngle', 'getLeftSteeringAngle', 'enableLimitedSlipDifferential',
    'setRightSteeringAngle', 'setLeftSteeringAngle', 'enableIndicatorAutoDisabling',
]
DRIVER_PROPERTIES = [
    'steering_angle', 'target_cruising_speed', 'current_speed', 'throttle', 'brake_intensity',
    'indicator', 'hazard_flashers', 'dipped_beams', 'antifog_lights', 'rpm', 'gear',
    'gear_number', 'control_mode', 'wiper_mode',
]
CAR_PROPERTIES = [
    'type', 'engine_type', 'indicator_period', 'backwards_lights', 'brake_lights',
    'track_front', 'track_rear', 'wheelbase', 'front_wheel_radius', 'rear_wheel_radius',
    'right_steering_angle', 'left_steering_angle',
]


def drive(driver, seconds):
    for _ in range(round(seconds / 0.01)):
        assert driver.step() == 0


def test_every_name_of_the_originals_is_there():
    assert issubclass(Car, Driver)
    for name in DRIVER_METHODS:
        assert callable(getattr(Driver, name))
    for name in CAR_METHODS:
        assert callable(getattr(Car, name))
        assert not hasattr(Driver, name)
    for name in (*DRIVER_PROPERTIES, *CAR_PROPERTIES):
        assert isinstance(getattr(Car, name), property)


def test_enumerators_have_the_numbers_of_the_seeds():
    assert (Driver.INDICATOR_OFF, Driver.INDICATOR_RIGHT, Driver.INDICATOR_LEFT) == (0, 1, 2)
    assert (Driver.UNDEFINED, Driver.SPEED, Driver.TORQUE) == (-1, 0, 1)
    assert (Driver.DOWN, Driver.SLOW, Driver.NORMAL, Driver.FAST) == (0, 1, 2, 3)
    assert (Car.TRACTION, Car.PROPULSION, Car.FOUR_BY_FOUR) == (0, 1, 2)
    assert (Car.COMBUSTION_ENGINE, Car.ELECTRIC_ENGINE, Car.PARALLEL_HYBRID_ENGINE,
            Car.POWER_SPLIT_HYBRID_ENGINE) == (0, 1, 2, 3)
    assert (Car.WHEEL_FRONT_RIGHT, Car.WHEEL_FRONT_LEFT, Car.WHEEL_REAR_RIGHT,
            Car.WHEEL_REAR_LEFT, Car.WHEEL_NB) == (0, 1, 2, 3, 4)


def test_default_is_the_car_of_2014():
    car = Car()
    assert (car.getTrackFront(), car.getTrackRear(), car.getWheelbase()) == (1.7, 1.7, 4.0)
    assert (car.getFrontWheelRadius(), car.getRearWheelRadius()) == (0.4, 0.4)
    assert (car.getType(), car.getEngineType()) == (Car.TRACTION, Car.COMBUSTION_ENGINE)
    assert (car.getGearNumber(), car.getGear(), car.getIndicatorPeriod()) == (6, 0, 0.34)
    assert car.getBasicTimeStep() == 10.0
    assert car.getControlMode() == Driver.UNDEFINED


@pytest.mark.parametrize(('name', 'kind', 'engine', 'gears', 'tracks', 'radii'), [
    ('bmw_x5', 0, 0, 6, (1.628, 1.628), (0.374, 0.374)),
    ('citroen_czero', 1, 1, 2, (1.31, 1.27), (0.28475, 0.28675)),
    ('toyota_prius', 0, 3, 2, (1.628, 1.628), (0.317, 0.317)),
    ('tesla_model3', 1, 1, 2, (1.72, 1.72), (0.36, 0.36)),
    ('racecar', 2, 1, 2, (0.245, 0.245), (0.05, 0.05))])
def test_cars_are_what_their_files_say(name, kind, engine, gears, tracks, radii):
    car = Car(name)
    assert (car.type, car.engine_type, car.gear_number) == (kind, engine, gears)
    assert (car.track_front, car.track_rear) == tracks
    assert (car.front_wheel_radius, car.rear_wheel_radius) == radii


def test_nothing_is_nan_and_nothing_moves_before_the_first_command():
    car = Car()
    for count in range(20):
        assert car.getCurrentSpeed() == 0.0
        assert car.getRpm() == 0.0
        assert [car.getWheelSpeed(i) for i in range(4)] == [0.0] * 4
        assert [car.getWheelEncoder(i) for i in range(4)] == [0.0] * 4
        assert car.getTime() == pytest.approx(0.01 * count)
        car.step()


def test_steering_is_positive_to_the_right():
    car = Car(time_step=0.01)
    car.setSteeringAngle(0.3)
    assert car.getSteeringAngle() == pytest.approx(0.3)
    assert car.getRightSteeringAngle() == pytest.approx(0.319740, abs=5e-7)
    assert car.getLeftSteeringAngle() == pytest.approx(0.282494, abs=5e-7)
    car.setCruisingSpeed(10.0)
    drive(car, 5.0)
    assert car.odometry.yaw_rate < -0.1
    assert car.odometry.y < -1.0
    car.setRightSteeringAngle(0.1)
    car.setLeftSteeringAngle(-0.2)
    assert (car.getRightSteeringAngle(), car.getLeftSteeringAngle()) == (0.1, -0.2)


@pytest.mark.parametrize('name', ['car_2014', 'citroen_czero', 'racecar'])
def test_cruise_control_ramps_and_holds_the_speed_of_the_rear_axle(name):
    car = Car(name)
    target = 8.0 if name == 'racecar' else 30.0
    acceleration = 100.0 / {'car_2014': 10.0, 'citroen_czero': 17.5, 'racecar': 7.0}[name]
    car.setSteeringAngle(-0.1)
    car.setCruisingSpeed(target)
    assert car.getControlMode() == Driver.SPEED
    assert car.getTargetCruisingSpeed() == pytest.approx(target)
    half = 0.5 * target / acceleration
    ticks = round(half / 0.01)
    drive(car, ticks * 0.01)
    # A forced wheel follows its ramp by 2 ms.
    assert car.getCurrentSpeed() == pytest.approx(acceleration * (ticks * 0.01 - 0.002), rel=0.01)
    drive(car, half + 3.0)
    assert car.getCurrentSpeed() == pytest.approx(target, rel=1e-9)
    # What the road sees is less by the slip of the tyres that hold the bend.
    assert car.odometry.vx * KMH == pytest.approx(target, rel=0.02)
    ratio = car.getWheelSpeed(Car.WHEEL_REAR_LEFT) / car.getWheelSpeed(Car.WHEEL_REAR_RIGHT)
    lean = 0.5 * car.getTrackRear() / car.getWheelbase() * math.tan(0.1)
    assert ratio == pytest.approx((1 - lean) / (1 + lean), rel=0.01)


def test_cruise_control_reverses_with_the_reversing_lights():
    car = Car()
    car.setCruisingSpeed(-10.0)
    drive(car, 4.0)
    assert car.getBackwardsLights()
    assert car.getCurrentSpeed() == pytest.approx(-10.0)
    assert car.odometry.x < -2.0
    assert car.getWheelEncoder(Car.WHEEL_FRONT_LEFT) == pytest.approx(
        car.odometry.x / 0.4, rel=0.05)


def test_brake_suspends_the_cruise_control_which_resumes_from_the_speed_left():
    car = Car('bmw_x5')
    car.setCruisingSpeed(60.0)
    drive(car, 8.0)
    car.setBrakeIntensity(0.6)
    assert car.getBrakeLights()
    drive(car, 1.5)
    slowed = car.getCurrentSpeed()
    assert 20.0 < slowed < 40.0
    car.setBrake(0.0)
    drive(car, 0.5)
    rate = 100.0 / 7.0
    assert car.getCurrentSpeed() == pytest.approx(slowed + 0.5 * rate, abs=1.5)
    drive(car, 6.0)
    assert car.getCurrentSpeed() == pytest.approx(60.0, rel=1e-6)


def test_engine_speed_exists_in_torque_mode_only():
    car = Car('bmw_x5')
    assert car.getRpm() == 0.0
    car.setThrottle(0.2)
    car.setGear(1)
    drive(car, 2.0)
    wheels = [car.getWheelSpeed(i) for i in (Car.WHEEL_FRONT_LEFT, Car.WHEEL_FRONT_RIGHT)]
    assert car.getRpm() == pytest.approx(12.5 * sum(wheels) / 2 * 30 / math.pi)
    assert car.engine_torque == pytest.approx(
        0.2 * (34.11 + 0.136 * max(car.getRpm(), 1000.0)
               - 0.00001461 * max(car.getRpm(), 1000.0) ** 2))
    car.setGear(0)
    assert car.getRpm() == 0.0
    car.setGear(-1)
    assert car.getRpm() > 0.0
    assert car.getBackwardsLights()
    car.setCruisingSpeed(10.0)
    with pytest.raises(ControlModeError, match='setThrottle'):
        car.getRpm()
    assert car.getGear() == -1


def test_engine_speed_is_not_capped_where_a_gear_is_too_low():
    car = Car('bmw_x5')
    car.setCruisingSpeed(100.0)
    drive(car, 10.0)
    car.setThrottle(1.0)
    car.setGear(1)
    assert car.getRpm() == pytest.approx(100.0 / 3.6 / 0.374 * 12.5 * 30.0 / math.pi, rel=1e-6)
    assert car.getRpm() > 6500.0
    assert car.engine_torque == 0.0


def test_wheels_that_spin_up_fast_keep_their_torque():
    car = Car('tesla_model3')
    car.setThrottle(1.0)
    car.setGear(1)
    before = car.getWheelSpeed(Car.WHEEL_REAR_LEFT)
    drive(car, 0.03)
    assert (car.getWheelSpeed(Car.WHEEL_REAR_LEFT) - before) / 0.03 > 50.0
    assert car.engine_torque == 639.0


def test_tesla_turns_like_a_car_of_its_size():
    vehicle = VehicleParameters.from_file(ROOT / 'config/vehicles/tesla_model3.yaml')
    box = vehicle.mass * (4.5 ** 2 + 1.8 ** 2) / 12.0
    assert vehicle.yaw_inertia == pytest.approx(box, rel=0.05)


def test_reverse_gear_drives_backwards_and_neutral_not_at_all():
    car = Car('tesla_model3')
    car.setThrottle(1.0)
    drive(car, 1.0)
    assert car.odometry.vx == 0.0
    car.setGear(-1)
    car.setThrottle(0.3)
    drive(car, 2.0)
    assert car.odometry.vx < -1.0
    assert car.getCurrentSpeed() < -3.0


CLAMPED = [
    ('setThrottle', 'getThrottle', 1.5, 1.0, 'throttle 1.5 is out of range, 1 is taken'),
    ('setThrottle', 'getThrottle', -0.5, 0.0, 'throttle -0.5 is out of range'),
    ('setBrakeIntensity', 'getBrakeIntensity', 2.0, 1.0, 'brake intensity 2'),
    ('setBrake', 'getBrake', -1.0, 0.0, 'brake intensity -1'),
    ('setGear', 'getGear', 6, 5, 'gear 6 is out of range, 5 is taken'),
    ('setGear', 'getGear', -2, -1, 'gear -2'),
    ('setSteeringAngle', 'getSteeringAngle', 1.2, 0.8635, 'steering angle 1.2 rad'),
    ('setSteeringAngle', 'getSteeringAngle', -math.inf, -0.8635, 'steering angle -inf rad'),
    ('setCruisingSpeed', 'getTargetCruisingSpeed', 900.0, 180.0, 'cruising speed 900 km/h'),
    ('setCruisingSpeed', 'getTargetCruisingSpeed', -900.0, -56.52, 'cruising speed -900 km/h'),
    ('setIndicatorPeriod', 'getIndicatorPeriod', 0.0, 0.01, 'indicator period 0 s'),
    ('setRightSteeringAngle', 'getRightSteeringAngle', 1.5, 1.0, 'right steering angle 1.5'),
    ('setLeftSteeringAngle', 'getLeftSteeringAngle', -1.5, -1.0, 'left steering angle -1.5')]


@pytest.mark.parametrize(('setter', 'getter', 'value', 'taken', 'message'), CLAMPED)
def test_numbers_out_of_range_are_clamped_with_a_warning(setter, getter, value, taken, message):
    car = Car()
    with pytest.warns(DriverWarning, match=message) as caught:
        getattr(car, setter)(value)
    assert caught[0].filename == __file__
    assert getattr(car, getter)() == pytest.approx(taken, abs=1e-4)


@pytest.mark.parametrize('setter', sorted({row[0] for row in CLAMPED}))
def test_nan_is_refused(setter):
    car = Car()
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        with pytest.raises(ParameterError, match='is NaN, expected a number from'):
            getattr(car, setter)(math.nan)
    assert car.getControlMode() == Driver.UNDEFINED


@pytest.mark.parametrize('setter', ['setIndicator', 'setWiperMode'])
@pytest.mark.parametrize('bad', [-1, 4, math.nan])
def test_unknown_enumerators_are_refused(setter, bad):
    with pytest.raises(ParameterError, match=f'is {bad}, expected an integer from 0'):
        getattr(Car(), setter)(bad)


@pytest.mark.parametrize('getter', ['getWheelSpeed', 'getWheelEncoder'])
@pytest.mark.parametrize('bad', [-1, 4])
def test_unknown_wheel_is_refused(getter, bad):
    with pytest.raises(ParameterError, match=f'wheel is {bad}, expected 0'):
        getattr(Car(), getter)(bad)


def test_switches_and_wipers_are_read_back():
    car = Car()
    for setter, getter in (
            ('setHazardFlashers', 'getHazardFlashers'), ('setDippedBeams', 'getDippedBeams'),
            ('setAntifogLights', 'getAntifogLights'),
            ('setIndicatorWarning', 'getHazardFlashers')):
        for state in (True, False):
            getattr(car, setter)(state)
            assert getattr(car, getter)() is state
    for mode in (Driver.SLOW, Driver.NORMAL, Driver.FAST, Driver.DOWN):
        car.wiper_mode = mode
        assert car.getWiperMode() == mode
    car.wiper_mode = Driver.FAST
    car.step()
    assert car.wiper_angle == pytest.approx(0.04)
    for side in (Driver.INDICATOR_RIGHT, Driver.INDICATOR_LEFT, Driver.INDICATOR_OFF):
        car.indicator = side
        assert car.getIndicator() == side


def test_indicator_blinks_in_simulated_time():
    car = Car()
    car.setIndicator(Driver.INDICATOR_RIGHT)
    lit = []
    for _ in range(200):
        lit.append(car.lamps.right_indicator)
        car.step()
    assert lit == [(k * 10) // 340 % 2 == 0 for k in range(200)]


def test_step_tells_the_end():
    driver = Driver(duration=0.05)
    assert [driver.step() for _ in range(7)] == [0] * 5 + [-1] * 2
    assert driver.getTime() == pytest.approx(0.05)
    for bad in (0.0, -1.0, math.nan):
        with pytest.raises(ParameterError, match='duration is'):
            Driver(duration=bad)


def test_unknown_car_is_named():
    with pytest.raises(ConfigurationError, match="'trabant' is neither a file nor one"):
        Driver('trabant')


def test_properties_are_the_methods():
    car = Car()
    car.steering_angle = 0.2
    assert car.right_steering_angle > car.steering_angle > car.left_steering_angle > 0.0
    car.target_cruising_speed = 30.0
    assert (car.control_mode, car.target_cruising_speed) == (Driver.SPEED, pytest.approx(30.0))
    car.throttle, car.brake_intensity, car.gear = 0.5, 0.25, 2
    assert (car.throttle, car.brake_intensity, car.gear) == (0.5, 0.25, 2)
    assert (car.brake_lights, car.backwards_lights) == (True, False)
    car.indicator_period = 0.5
    assert car.indicator_period == 0.5
