# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fleet files: cars of their own vehicles, starts and lasers, and what is refused."""

import math
from pathlib import Path

import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.types import AckermannCommand, Pose2
from racecar.catalogue.simulators.single_track import SINGLE_TRACK_SIMULATOR
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.sensors.equipment import equip
from racecar.simulation.fleet_file import read_fleet, values_of_cars
from racecar.simulation.ports import ODOMETRY
from racecar.simulation.vehicle_fleet import make_vehicle_plant
from racecar.stacks import describe_stack, StackOptions

CARS = """
- {name: red, vehicle: f1tenth, place: 2, laser: {rays: 11}}
- name: blue
  start: [3.0, 1.0, 0.5]
  simulator: {vehicle.mass: 4.5}
  stack: outside
- {name: plain, colour: [1, 0, 0], set: {gap_follower: {speed: 1.25}}}
"""


@pytest.fixture
def fleet(tmp_path):
    def write(text=CARS):
        path = tmp_path / 'fleet.yaml'
        path.write_text(text, encoding='utf-8')
        return path

    return write


def described(path, stack='gap_ode', **options):
    return {d.full_name: d for d in describe_stack(stack, StackOptions(
        cars=(str(path),), **options))}


def test_each_car_has_its_vehicle_start_laser_and_parameters(fleet):
    values = described(fleet(), world='racetrack')['single_track_simulator'].resolve()
    assert values['cars'] == ['red', 'blue', 'plain']
    assert Path(values['fleet_file']).is_absolute()
    cars = values_of_cars(values, SINGLE_TRACK_SIMULATOR)
    red, blue, plain = (VehicleParameters.from_values(car.values) for car in cars)
    vehicles = Path(__file__).parents[2] / 'config' / 'vehicles'
    assert red.mass == VehicleParameters.from_file(vehicles / 'f1tenth.yaml').mass
    assert blue.mass == 4.5
    assert plain.mass == VehicleParameters.from_file(vehicles / 'racecar.yaml').mass
    # What is not said is that of all.
    assert plain == VehicleParameters.from_values(values)
    plant = equip(make_vehicle_plant(cars), values, [car.values for car in cars])
    scans = [entity.output('laser').read() for entity in plant.entities]
    assert [len(scan.ranges) for scan in scans] == [11, values['laser.rays'],
                                                    values['laser.rays']]
    poses = [entity.output(ODOMETRY).read().pose for entity in plant.entities]
    assert (poses[1].x, poses[1].y) == (3.0, 1.0)
    assert 2.0 * math.atan2(poses[1].qz, poses[1].qw) == pytest.approx(0.5)
    # The world has one start: the others stand behind it, red as the second.
    assert poses[0].x == pytest.approx(-1.0)
    assert poses[2].x == pytest.approx(-2.0)


def test_a_colour_is_that_of_a_body_that_takes_one(fleet):
    path = fleet('[{name: car, vehicle: tesla_model3, colour: [1, 0, 0]}, {colour: [0, 1, 0]}]')
    values = described(path)['single_track_simulator'].resolve()
    saloon, racecar = values_of_cars(values, SINGLE_TRACK_SIMULATOR)
    assert saloon.values['vehicle.body.colour'] == [1.0, 0.0, 0.0]
    assert racecar.values['vehicle.body.colour'] == values['vehicle.body.colour']


def test_nodes_of_the_cars(fleet):
    found = described(fleet(), lockstep=True, namespace='arena')
    assert 'arena/red/gap_follower' in found
    assert 'arena/blue/gap_follower' not in found
    assert 'arena/blue/vesc/low_level/ackermann_cmd_mux' in found
    assert found['arena/plain/gap_follower'].resolve()['speed'] == 1.25
    assert found['arena/red/gap_follower'].resolve()['vehicle.name'] == 'f1tenth'
    simulator = found['arena/single_track_simulator'].resolve()
    assert simulator['wait_for_publishers'] == ['blue/vesc/ackermann_cmd_mux/input/navigation']
    # One wheelbase for both muxes of a car.
    mux = found['arena/red/vesc/low_level/ackermann_cmd_mux'].resolve()
    assert mux['wheelbase'] == pytest.approx(0.3302)


def test_single_options_go_over_the_file(fleet):
    found = described(fleet(), overrides={
        'gap_follower': {'speed': 3.0}, 'plain/gap_follower': {'clearance': 0.5}})
    plain, red = (found[f'{name}/gap_follower'].resolve() for name in ('plain', 'red'))
    assert (plain['speed'], plain['clearance'], red['speed']) == (1.25, 0.5, 3.0)


def test_a_file_that_says_nothing_of_the_cars_gives_the_bits_of_their_names(fleet):
    def drive(cars):
        values = {d.executable: d.resolve() for d in describe_stack(
            'gap_ode', StackOptions(cars=cars, world='racetrack'))}['single_track_simulator']
        plant = make_vehicle_plant(values_of_cars(values, SINGLE_TRACK_SIMULATOR))
        plant.entities[0].inputs[0].apply(AckermannCommand(1.5, 0.1))
        plant.advance(500)
        return [entity.output(ODOMETRY).read() for entity in plant.entities]

    assert drive((str(fleet('[{name: a}, {name: b}]')),)) == drive(('a', 'b'))


def test_a_file_may_have_the_list_below_a_key_and_names_by_number(fleet):
    cars = read_fleet(fleet('cars: [{}, {start: [1, 2, 0]}]'))
    assert [(car.name, car.place, car.start) for car in cars] == [
        ('car1', 0, None), ('car2', 1, Pose2(1.0, 2.0, 0.0))]


@pytest.mark.parametrize(('text', 'message'), [
    ('[]', r'holds \[\], expected a list of cars'),
    ('red', "holds 'red', expected a list of cars"),
    ('[{name: red}, {name: red}]', "names 'red' twice"),
    ('[{name: 1st}]', "names '1st', expected a name"),
    ('[red]', "car 1 is 'red', expected a mapping"),
    ('[{nmae: red}]', "'nmae' is unknown; did you mean name"),
    ('[{vehicle: f1tent}]', "vehicle 'f1tent' is neither a file nor one of"),
    ('[{start: [1, 2]}]', r'start is \[1, 2\], expected a list of 3 numbers'),
    ('[{start: [1, 2, 0], place: 1}]', 'place is 1, expected no place beside start'),
    ('[{colour: [1, 2, 0]}]', 'expected red, green and blue from 0 to 1'),
    ('[{simulator: {step: 0.01}}]', 'expected parameters that cars may have of their own'),
    ('[{simulator: {odometry.source: drifting}}]', 'expected parameters that cars may have'),
    ('cars: [{}]\nworld: room', "'world' is unknown"),
])
def test_what_no_fleet_file_can_say(fleet, text, message):
    with pytest.raises(ConfigurationError, match=message):
        read_fleet(fleet(text))


@pytest.mark.parametrize(('text', 'message'), [
    ('[{name: red, stack: driver}]', "car red: stack is 'driver', expected gap_follower or outs"),
    ('[{name: red, set: {gap_folower: {speed: 1.0}}}]', "node 'red/gap_folower' is not part of"),
])
def test_what_a_configuration_does_not_have(fleet, text, message):
    with pytest.raises(ConfigurationError, match=message):
        described(fleet(text))


@pytest.mark.parametrize(('text', 'message'), [
    ('[{name: red, laser: {ray: 5}}]', "car red: parameter 'laser.ray' is unknown"),
    ('[{name: red, simulator: {vehicle.mass: -1.0}}]', "car red: parameter 'vehicle.mass' is -1"),
])
def test_parameters_that_cannot_be_name_file_and_car(fleet, text, message):
    values = described(fleet(text))['single_track_simulator'].resolve()
    with pytest.raises(ParameterError, match=message) as error:
        values_of_cars(values, SINGLE_TRACK_SIMULATOR)
    assert 'fleet.yaml' in str(error.value)


def test_a_file_stands_alone(fleet):
    with pytest.raises(ConfigurationError, match='expected names, or one fleet file alone'):
        describe_stack('gap_ode', StackOptions(cars=(str(fleet()), 'red')))
