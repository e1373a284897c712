# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Vehicle parameters: the files shipped, derived figures, and what is refused."""

import math
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import vehicle_names
from racecar.dynamics.vehicles import (
    make_vehicle_model,
    SingleTrack,
    VEHICLE_PARAMETERS,
    VehicleParameters,
)
from racecar.dynamics.vehicles.ackermann import ackermann_angles, inner_angle
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.make_simulator import make_simulator

FOLDER = Path(__file__).parents[2] / 'config' / 'vehicles'
NAMES = vehicle_names()
AS_IN_FRONT = {f'vehicle.rear.{name}' for name in ('track_width', 'wheel_radius', 'wheel_width')}
AS_OTHERS = {'vehicle.steering_limit_right', 'vehicle.contact_material'}
IN_PROPORTION = {'vehicle.front_overhang', 'vehicle.rear_overhang', 'vehicle.width'}
OFF = {f'vehicle.{name}' for name in (
    'roll_stiffness_split', 'friction_load_sensitivity', 'relaxation_length',
    'rolling_resistance', 'drag_area', 'lateral_friction_coefficient')}


def values_of(name):
    return load_parameter_file(FOLDER / f'{name}.yaml', 'any_node')


@pytest.mark.parametrize('name', NAMES)
def test_file_gives_every_parameter_of_the_vehicle_it_is_named_after(name):
    values = values_of(name)
    planar = {name for name in values if not name.startswith(
        ('vehicle.body.', 'vehicle.wheel.'))}
    assert planar | AS_IN_FRONT | AS_OTHERS | IN_PROPORTION | OFF == {
        row.name for row in VEHICLE_PARAMETERS}
    assert not planar & OFF
    assert all(VEHICLE_PARAMETERS.default(name) == 0.0 for name in OFF)
    assert VehicleParameters.from_values(values).name == name
    assert VehicleParameters.from_file(FOLDER / f'{name}.yaml').name == name


@pytest.mark.parametrize('name', NAMES)
def test_axle_loads_balance_weight_and_pitch_moment(name):
    vehicle = VehicleParameters.from_values(values_of(name))
    front, rear = vehicle.front_axle_load, vehicle.rear_axle_load
    assert front + rear == pytest.approx(vehicle.mass * 9.81)
    assert front * vehicle.cog_to_front_axle == pytest.approx(rear * vehicle.cog_to_rear_axle)


@pytest.mark.parametrize('name', NAMES)
def test_understeer_gradient_is_the_difference_of_load_over_stiffness(name):
    vehicle = VehicleParameters.from_values(values_of(name))
    gradient = (vehicle.front_axle_load / vehicle.front_cornering_stiffness
                - vehicle.rear_axle_load / vehicle.rear_cornering_stiffness) / 9.81
    assert vehicle.understeer_gradient == pytest.approx(gradient)
    assert vehicle.critical_speed_reverse > -vehicle.speed_min


@pytest.mark.parametrize(('name', 'degrees'), [
    ('car_2014', 3.0), ('bmw_x5', 3.0), ('citroen_czero', 2.5), ('toyota_prius', 3.0),
    ('tesla_model3', 2.0)])
def test_road_cars_understeer_as_their_class(name, degrees):
    vehicle = VehicleParameters.from_values(values_of(name))
    assert math.degrees(9.81 * vehicle.understeer_gradient) == pytest.approx(degrees, abs=0.01)


def test_racecar_has_the_figures_of_its_urdf():
    vehicle = VehicleParameters.from_values(values_of('racecar'))
    assert vehicle.wheelbase == pytest.approx(0.325)
    assert vehicle.front_axle_load == pytest.approx(27.5, abs=0.05)
    assert vehicle.rear_axle_load == pytest.approx(28.3, abs=0.05)
    assert vehicle.odometry_offset == -vehicle.cog_to_rear_axle
    assert vehicle.speed_max == pytest.approx(100.0 * vehicle.wheel_radius)


def test_report_refers_odometry_to_the_centre_of_gravity():
    vehicle = VehicleParameters.from_values(values_of('report'))
    assert vehicle.odometry_offset == 0.0
    assert vehicle.understeer_gradient == pytest.approx(0.0165, abs=5e-5)


def test_f1tenth_stiffness_is_friction_times_gym_coefficient_times_load():
    vehicle = VehicleParameters.from_values(values_of('f1tenth'))
    weight, wheelbase = 3.74 * 9.81, 0.15875 + 0.17145
    assert vehicle.front_cornering_stiffness == pytest.approx(
        1.0489 * 4.718 * weight * 0.17145 / wheelbase, abs=0.01)
    assert vehicle.rear_cornering_stiffness == pytest.approx(
        1.0489 * 5.4562 * weight * 0.15875 / wheelbase, abs=0.01)


def test_parameters_of_other_tables_are_left_alone():
    VehicleParameters.from_values({**values_of('racecar'), 'rate': 100.0})


def test_odometry_point_is_the_rear_axle_by_default():
    values = values_of('report')
    del values['vehicle.odometry_point']
    assert VehicleParameters.from_values(values).odometry_point == 'rear_axle'


def test_missing_parameter_is_named():
    values = values_of('racecar')
    del values['vehicle.mass']
    with pytest.raises(ParameterError, match=r"'vehicle\.mass' is missing and has no default"):
        VehicleParameters.from_values(values)


@pytest.mark.parametrize(
    ('name', 'value', 'message'),
    [('vehicle.mass', 1e308, r"'vehicle\.mass' is 1e\+308, expected a number in"),
     ('vehicle.mass', 10**400, r"'vehicle\.mass' is 10+\.\.\.0+, expected a number in"),
     ('vehicle.mass', None, r"'vehicle\.mass' has no value, expected a number in"),
     ('vehicle.mas', 1.0, r"'vehicle\.mas' is unknown here; did you mean vehicle\.mass"),
     ('vehicle.mass', 0.0, r"'vehicle\.mass' is 0\.0, expected a number in \(0\.001, 1e"),
     ('vehicle.mass', float('nan'), r"'vehicle\.mass' is nan"),
     ('vehicle.speed_min', 1.0, r"'vehicle\.speed_min' is 1\.0, expected .* in \[-1000, 0\]"),
     ('vehicle.steering_limit', 2.0, r'\(0, 1\.5708\] \[rad\]'),
     ('vehicle.cog_to_front_axle', 'long', r"is 'long', expected a number"),
     ('vehicle.odometry_point', 'roof', r"is 'roof', expected one of rear_axle, cog")])
def test_value_out_of_range_is_refused(name, value, message):
    with pytest.raises(ParameterError, match=message):
        VehicleParameters.from_values({**values_of('racecar'), name: value})


def test_missing_file_is_named():
    with pytest.raises(ConfigurationError, match=r'no_such\.yaml'):
        VehicleParameters.from_file(FOLDER / 'no_such.yaml')


def test_model_is_found_by_name_and_unknown_ones_are_refused():
    vehicle = VehicleParameters.from_values(values_of('racecar'))
    options = {'tyre_model': 1, 'formulation': 'report', 'low_speed_threshold': 0.2}
    model = make_vehicle_model('single_track', vehicle, options)
    assert isinstance(model, SingleTrack)
    assert (model.tyre.name, model.formulation, model.low_speed_threshold) == (
        'fiala', 'report', 0.2)
    with pytest.raises(ParameterError, match=r"'vehicle_model' is 'hovercraft', expected one of"):
        make_vehicle_model('hovercraft', vehicle, options)


@pytest.mark.parametrize('name', NAMES)
@pytest.mark.parametrize('surface', ['vehicle', 'given', 'computed', 'dry', 'wet', 'snow', 'ice'])
@pytest.mark.parametrize('model', ['single_track', 'single_track_force', 'double_track'])
def test_every_vehicle_runs_on_every_surface_at_1_ms(name, surface, model):
    values = SIMULATOR_PARAMETERS.resolve({
        'vehicle_model': model, 'tyre_model': 'pacejka', 'tyre_parameters': surface})
    assert make_simulator({**values, **values_of(name)}).step_ns == 1_000_000


def test_threshold_of_zero_chooses_one_that_suits_the_tyres():
    vehicle = VehicleParameters.from_values(values_of('report'))
    options = {'formulation': 'full', 'low_speed_threshold': 0.0}
    linear: Any = make_vehicle_model('single_track', vehicle, {**options, 'tyre_model': 'linear'})
    dry: Any = make_vehicle_model('single_track', vehicle, {
        **options, 'tyre_model': 'pacejka', 'tyre_parameters': 'dry'})
    assert linear.low_speed_threshold == 0.1
    assert 0.1 < dry.low_speed_threshold < 0.25
    assert 1500.0 < dry.fastest_mode() <= 2000.0


@pytest.mark.parametrize(
    ('options', 'message'),
    [({'formulation': 'exact'}, r"'formulation' is 'exact', expected one of full, report"),
     ({'low_speed_threshold': 0.0}, r"'low_speed_threshold' is 0\.0, expected a positive"),
     ({'tyre_model': 9}, r"'tyre_model' is 9, expected one of")])
def test_unknown_options_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        SingleTrack(VehicleParameters.from_values(values_of('racecar')), **options)


@given(st.floats(0.0, 1.57), st.floats(0.0, 2.0), st.floats(0.1, 5.0))
def test_the_inner_wheel_alone_has_the_angle_that_it_has_beside_the_outer_one(angle, half, base):
    left, right = ackermann_angles(angle, half, base)
    assert inner_angle(angle, half, base) == pytest.approx(left)
    assert left >= right
