# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Engine torque against figures worked out from the parameters by hand."""

import dataclasses
import math
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.dynamics.powertrain import CarParameters
from racecar.dynamics.powertrain.car_parameters import CAR_PARAMETERS, ENGINE_TYPES, EngineType
from racecar.dynamics.powertrain.engine import electric_torque, engine_torque

FOLDER = Path(__file__).parents[2] / 'config' / 'vehicles'


def car(name):
    return CarParameters.from_file(FOLDER / f'{name}.yaml')


@pytest.mark.parametrize(('name', 'rpm', 'torque', 'digits'), [
    ('car_2014', 1000.0, 250.0, 9), ('car_2014', 4499.999, 600.0, 3),
    ('bmw_x5', 1000.0, 155.5, 1), ('bmw_x5', 4654.0, 350.6, 1), ('bmw_x5', 6499.9, 300.8, 1),
    ('citroen_czero', 4775.0, 150.0, 1), ('tesla_model3', 2197.0, 639.0, 0),
    ('toyota_prius', 1300.0, 60 * 33000 / (2 * math.pi * 1300) + 79.44, 2)])
def test_torque_of_the_cars(name, rpm, torque, digits):
    assert engine_torque(car(name), rpm) == pytest.approx(torque, abs=0.5 * 10.0 ** -digits)


@pytest.mark.parametrize(('name', 'corner'), [
    ('citroen_czero', 4775.0), ('tesla_model3', 2197.0), ('toyota_prius', 900.0)])
def test_electric_power_is_the_limit_from_the_corner_on(name, corner):
    own = dataclasses.replace(car(name), engine_type='electric')
    assert engine_torque(own, corner - 1.0) == own.engine_max_torque
    for rpm in (corner + 1.0, 1.3 * corner):
        assert engine_torque(own, rpm) * rpm * 2 * math.pi / 60 == pytest.approx(
            own.engine_max_power)


def test_fifty_kilowatts_at_3000_rpm_are_159_155_newton_metres():
    assert electric_torque(3000.0, 1e9, 50000.0) == pytest.approx(159.155, abs=5e-4)
    assert electric_torque(0.0, 250.0, 50000.0) == 250.0
    assert electric_torque(0.0, 250.0, 0.0) == 250.0


def test_torque_is_largest_at_the_vertex_of_the_polynomial():
    bmw = car('bmw_x5')
    best = max(range(1000, 6500), key=lambda rpm: engine_torque(bmw, float(rpm)))
    assert best == 4654


@pytest.mark.parametrize('kind', ENGINE_TYPES)
def test_no_engine_pulls_at_its_highest_speed_or_beyond(kind):
    own = CarParameters(engine_type=kind)
    assert engine_torque(own, 4499.0) > 0.0
    assert engine_torque(own, 4500.0) == 0.0
    assert engine_torque(own, 9000.0) == 0.0


def test_combustion_below_its_lowest_speed_pulls_as_at_it():
    own = CarParameters()
    assert engine_torque(own, 0.0) == engine_torque(own, 999.0) == 250.0


@given(rpm=st.floats(1.0, 4499.0))
@settings(deadline=None)
def test_hybrids_are_sums_of_their_engines(rpm):
    combustion = 150.0 + 0.1 * rpm if rpm >= 1000.0 else 0.0
    split = 0.75 * (150.0 + 0.1 * 3000.0) if rpm >= 1000.0 else 0.0
    electric = min(250.0, 60.0 * 50000.0 / (2.0 * math.pi * rpm))
    assert engine_torque(
        CarParameters(engine_type='parallel_hybrid'), rpm) == pytest.approx(electric + combustion)
    assert engine_torque(
        CarParameters(engine_type='power_split_hybrid'), rpm) == pytest.approx(electric + split)
    assert engine_torque(CarParameters(engine_type='electric'), rpm) == pytest.approx(electric)


def test_polynomial_below_zero_counts_as_zero():
    own = CarParameters(engine_function_coefficients=(-300.0, 0.1, 0.0))
    assert engine_torque(own, 2000.0) == 0.0
    assert engine_torque(own, 4000.0) == pytest.approx(100.0)


def test_defaults_of_table_and_class_are_the_same():
    assert CarParameters.from_values({}) == CarParameters()
    assert CarParameters() == dataclasses.replace(car('car_2014'))


def test_ratios_of_the_gears():
    own = CarParameters()
    assert [own.ratio(gear) for gear in range(-1, 6)] == [-12.0, 0.0, 10.0, 7.0, 5.0, 2.5, 1.0]
    assert own.highest_gear == 5
    for gear in (-2, 6):
        with pytest.raises(ParameterError, match=rf'gear is {gear}, expected .* to 5'):
            own.ratio(gear)


@pytest.mark.parametrize(('values', 'message'), [
    ({'car.gear_ratio': [-12.0]}, 'at least two'),
    ({'car.gear_ratio': [12.0, 10.0]}, 'negative one for reverse'),
    ({'car.gear_ratio': [-12.0, 10.0, -7.0]}, 'positive ones'),
    ({'car.gear_ratio': 'six'}, "'six', expected a list of finite numbers"),
    ({'car.gear_ratio': [-12.0, math.nan]}, 'finite numbers'),
    ({'car.engine_function_coefficients': [1.0, 2.0]}, 'three numbers'),
    ({'car.engine_max_rpm': 1000.0}, 'more than'),
    ({'car.type': 'tank'}, 'one of traction, propulsion, 4x4'),
    ({'car.engine_type': 'steam'}, 'one of combustion, electric'),
    ({'car.hybrid_power_split_ratio': 1.5}, r'\[0, 1\]'),
    ({'car.brake_coefficient': -1.0}, r'\[0, inf\)'),
    ({'car.time_0_to_100': 0.0}, r'\(0, inf\)')])
def test_bad_car_is_refused(values, message):
    with pytest.raises(ParameterError, match=message):
        CarParameters.from_values(values)


def test_chassis_alone_is_no_car():
    with pytest.raises(ParameterError, match=r"report.yaml' has no parameters car\.\*"):
        car('report')
    with pytest.raises(ConfigurationError, match='nowhere'):
        car('nowhere')


def test_numbers_are_those_of_the_seeds():
    assert [kind.value for kind in EngineType] == [0, 1, 2, 3]
    assert {row.name for row in CAR_PARAMETERS} == {
        f'car.{field.name}' for field in dataclasses.fields(CarParameters)}


@pytest.mark.parametrize(('field', 'value', 'message'), [
    ('type', 'awd', "'car.type' is 'awd', expected one of traction, propulsion, 4x4"),
    ('engine_type', 'diesel', "'car.engine_type' is 'diesel', expected one of combustion"),
    ('brake_model', 'drum', "'car.brake_model' is 'drum', expected one of viscous, coulomb"),
    ('time_0_to_100', 0.0, "'car.time_0_to_100' is 0.0, expected a number"),
    ('hybrid_power_split_ratio', 1.5, "'car.hybrid_power_split_ratio' is 1.5, expected a number"),
    ('gear_ratio', (-1.0, math.nan), "'car.gear_ratio' is .*, expected a list of finite numbers"),
])
def test_a_car_made_in_python_is_checked_as_one_of_a_file(field, value, message):
    with pytest.raises(ParameterError, match=message) as caught:
        CarParameters(**{field: value})
    assert '\n' not in str(caught.value)
    with pytest.raises(ParameterError, match=message):
        dataclasses.replace(CarParameters(), **{field: value})
