# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plants with faults, against formulas: sensors, several cars, and what is refused."""

import math
import zlib

import numpy as np
import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.random_numbers import philox
from racecar.base.share import find_config
from racecar.base.types import AckermannCommand
from racecar.catalogue.simulators.single_track import SINGLE_TRACK_SIMULATOR
from racecar.differential.plant import make_robot_plant
from racecar.faults.plant import FaultyPlant, stamps_of, with_faults
from racecar.sensors.equipment import equip
from racecar.simulation.fleet_file import values_of_cars
from racecar.simulation.ports import GROUND_TRUTH, ODOMETRY
from racecar.simulation.vehicle_fleet import make_vehicle_plant

RACECAR = load_parameter_file(find_config('vehicles/racecar'), 'any_node')
LASER = {'world': 'racetrack', 'sensors': ['laser'], 'laser.noise': 0.0, 'laser.rate': 50.0}
PERIOD = 0.02


def values_of(*faults, **values):
    return SINGLE_TRACK_SIMULATOR.resolve({**RACECAR, **values, 'faults': list(faults)})


def plant_of(*faults, **values):
    resolved = values_of(*faults, **values)
    plant = make_vehicle_plant(values_of_cars(resolved))
    return with_faults(equip(plant, resolved), resolved, plant.simulators)


def command(plant, speed=1.0, angle=0.1, car=0):
    port = next(p for p in plant.entities[car].inputs if p.value_type is AckermannCommand)
    port.apply(AckermannCommand(speed, angle))


def scans(*faults, readings=30, **more):
    plant = plant_of(*faults, **{**LASER, **more})
    found = []
    for _ in range(readings):
        found.append(plant.entities[0].output('laser').read())
        command(plant)
        plant.advance(20)
    return found


@pytest.fixture(scope='module')
def true_scans():
    return scans()


def test_a_plant_without_faults_is_left_as_it_is():
    assert not isinstance(plant_of(), FaultyPlant)


def test_a_late_scan_is_that_of_then(true_scans):
    late = scans('kind: delay, target: scan, onset: 0.2, size: 0.06')
    assert [number for number, scan in enumerate(late) if scan is None] == [10, 11, 12]
    for number, scan in enumerate(late):
        if scan is not None:
            true = true_scans[number - 3 if number > 12 else number]
            np.testing.assert_array_equal(scan.ranges, true.ranges)
    assert (late[-1].ranges != true_scans[-1].ranges).any()


def test_scans_are_lost_at_random_and_end_to_be(true_scans):
    stream = zlib.crc32(b'laser')
    lost = scans('kind: drop, target: scan, onset: 0.1, duration: 0.4, size: 0.5, seed: 8')
    for number, scan in enumerate(lost):
        acts = 5 <= number < 25
        chance = philox((number, 0, 0, 3), (8, stream))[0] / 2**32
        assert (scan is None) == (acts and chance < 0.5), number
    assert {True, False} == {scan is None for scan in lost[5:25]}


def test_a_dead_laser_says_nothing():
    assert [scan is None for scan in scans('kind: dead, target: scan, onset: 0.3')] == [
        number >= 15 for number in range(30)]


def test_a_frozen_scan_is_that_of_before(true_scans):
    frozen = scans('kind: freeze, target: scan, onset: 0.2, duration: 0.2')
    for number, scan in enumerate(frozen):
        true = true_scans[9 if 10 <= number < 20 else number]
        np.testing.assert_array_equal(scan.ranges, true.ranges)


def test_a_bias_is_added_to_what_is_measured(true_scans):
    biased = scans('kind: bias, target: scan, onset: 0.1, size: 0.5')
    for number, (scan, true) in enumerate(zip(biased, true_scans, strict=True)):
        wanted = true.ranges.astype(float) + (0.5 if number >= 5 else 0.0)
        wanted[np.isfinite(wanted) & (wanted > true.range_max)] = math.inf
        np.testing.assert_array_equal(scan.ranges, wanted.astype(np.float32))


def test_noise_of_a_scan_has_its_deviation_and_repeats(true_scans):
    fault = 'kind: noise, target: scan, onset: 0.1, size: 0.05, seed: 4'
    first, again, other = scans(fault), scans(fault), scans(fault.replace('4', '5'))
    added = []
    for number, (scan, true) in enumerate(zip(first, true_scans, strict=True)):
        np.testing.assert_array_equal(scan.ranges, again[number].ranges)
        both = np.isfinite(scan.ranges) & np.isfinite(true.ranges)
        error = scan.ranges[both].astype(float) - true.ranges[both]
        if number < 5:
            assert not error.any()
        else:
            added.append(error)
    together = np.concatenate(added)
    assert together.std() == pytest.approx(0.05, rel=0.02)
    assert abs(together.mean()) < 0.002
    assert (first[-1].ranges != other[-1].ranges).any()


def test_a_fault_is_of_the_car_that_it_names():
    plant = plant_of('kind: bias, target: odometry.x, size: 0.5, car: red',
                     'kind: dead, target: command, onset: 0.1, car: blue',
                     'kind: battery, onset: 0.1, size: 0.2, car: red', cars=['red', 'blue'])
    red, blue = plant.entities
    assert red.output(ODOMETRY).read().body.pose.x == pytest.approx(
        red.output(GROUND_TRUTH).read().pose.x + 0.5)
    assert GROUND_TRUTH not in [output.name for output in blue.outputs]
    most = values_of()['vehicle.speed_max']
    for speed in (1.0, most):
        for _ in range(10):
            for car in (0, 1):
                command(plant, speed, 0.0, car)
            plant.advance(10)
    # Blue goes on with the command of before.
    assert blue.output(ODOMETRY).read().twist.vx == 1.0
    assert red.output(GROUND_TRUTH).read().twist.vx == pytest.approx(0.2 * most)


def test_a_car_whose_commands_are_lost_stops_after_the_timeout():
    plant = plant_of('kind: dead, target: command, onset: 0.2', command_timeout=0.3)
    speeds = []
    for _ in range(60):
        command(plant)
        plant.advance(10)
        speeds.append(plant.entities[0].output(ODOMETRY).read().twist.vx)
    # The last command that arrived is that of 0.19 s.
    assert [speed == 1.0 for speed in speeds] == [number < 50 for number in range(60)]


def test_the_time_begins_again_with_the_faults():
    fault = 'kind: friction, onset: 0.3, size: 0.1', 'kind: drop, size: 0.5, seed: 2'
    plant = plant_of(*fault, tyre_model='fiala')

    def heard():
        found = []
        for _ in range(40):
            command(plant)
            found.append(plant.entities[0].output(ODOMETRY).read() is None)
            plant.advance(10)
        return found

    first = heard()
    plant.restart()
    assert plant.time_ns == 0
    assert heard() == first


def test_what_is_lost_follows_from_the_time_whatever_the_car_did():
    plant, lost = plant_of('kind: drop, size: 0.5, seed: 6'), []
    output = plant.entities[0].output(ODOMETRY)
    for tick in range(60):
        lost.append(output.read() is None)
        plant.advance(4)
        if tick == 20:
            plant.entities[0].reset(None)
        plant.advance(6)
    # 8: the number of the target, all of the odometry.
    assert lost == [philox((tick, 0, 0, 2), (6, 8))[0] / 2**32 < 0.5 for tick in range(60)]


@pytest.mark.parametrize(('faults', 'values', 'wanted'), [
    (['kind: dead, target: scan'], {}, 'no such sensor'),
    (['kind: dead, car: red'], {}, 'there is one robot'),
    (['kind: dead, car: green'], {'cars': ['red', 'blue']}, 'one of red, blue'),
    (['kind: friction, size: 0.5'], {'tyre_model': 'linear'}, 'changes nothing'),
    (['kind: delay, target: scan, size: 2.0'], LASER, 'at most 50'),
    (['kind: delay, size: 0.1', 'kind: delay, size: 0.2'], {}, 'at most one'),
    (['kind: bias, target: imu, size: 1'], {}, 'expected one of odometry.x'),
    (['kind: clock_jump, onset: 1, size: -2'], {}, 'at least -1'),
    (['kind: node_kill'], {}, 'target is missing')])
def test_faults_that_a_plant_cannot_have_are_refused(faults, values, wanted):
    with pytest.raises(ConfigurationError, match=wanted):
        plant_of(*faults, **values)


def test_a_robot_of_two_wheels_has_faults_of_its_odometry_and_no_others():
    from racecar.catalogue import NODES
    table = NODES['differential_wheels_simulator'].table
    robot = load_parameter_file(find_config('robots/pioneer'), 'any_node')

    def made(fault):
        values = table.resolve({**robot, 'faults': [fault]})
        return with_faults(make_robot_plant(values), values)

    entity, = made('kind: bias, target: odometry.y, size: 0.5').entities
    assert entity.output(ODOMETRY).read().body.pose.y == pytest.approx(0.5)
    for fault, wanted in (('kind: drop, target: command, size: 0.5', 'takes BodyTwist'),
                          ('kind: battery, size: 0.5', 'no such car')):
        with pytest.raises(ConfigurationError, match=wanted):
            made(fault)


def test_stamps_jump_and_jump_back():
    stamp = stamps_of(values_of('kind: clock_jump, onset: 2.0, duration: 1.0, size: -1.5'))
    assert [stamp(round(time * 1e9)) for time in (0.0, 1.99, 2.0, 2.99, 3.0)] == [
        0, 1_990_000_000, 500_000_000, 1_490_000_000, 3_000_000_000]
