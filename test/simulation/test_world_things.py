# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction zones and moving things in worlds: the bits of fleets, resets, scans, errors."""

import os
from pathlib import Path
import subprocess
import sys

import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.share import find_config
from racecar.base.types import AckermannCommand, Pose2, Pose3
from racecar.dynamics.vehicles import make_vehicle_model, VehicleParameters
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.scene import Box, MovingThing, Scene
from racecar.scene.friction_zones import FrictionZone
from racecar.scene.motions import random_walk, scripted_motion
from racecar.sensors.laser import PARAMETERS
from racecar.sensors.mounting import EquippedPlant, MountedSensor
from racecar.sensors.world_laser import WorldLaser
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.contact import Contact
from racecar.simulation.ports import ODOMETRY
from racecar.simulation.simulator import Simulator
from racecar.simulation.vehicle_fleet import VehicleFleet
from racecar.simulation.vehicle_plant import VehiclePlant
from racecar.simulation.world_batch import WorldBatch, WorldSetup
from racecar.simulation.world_things import WorldConditions

SOURCES = Path(__file__).parents[2] / 'src'
RACECAR = VehicleParameters.from_file(find_config('vehicles/racecar'))
ACTUATORS = {'actuators.steering_delay': 0.013, 'actuators.speed_lag': 0.1}
PERIOD = 0.02
ZONES = (
    FrictionZone(0.3, ((1.0, -9.0), (3.0, -9.0), (3.0, 0.05), (1.0, 0.05))),
    FrictionZone(0.6, (), 4.0, 0.5, 1.0), FrictionZone(2.0, (), 4.5, 0.5, 0.4))
MOVING = (
    MovingThing('cart', scripted_motion([(0.0, 2.5, -2.0), (2.0, 2.5, 2.0), (4.0, 2.5, -2.0)],
                                        repeats=True), 0.5, 0.4, 0.3),
    MovingThing('walker', random_walk((-1.0, -1.0, 4.0, 1.0), (0.3, 1.5), 3), 0.5, radius=0.15))
SCENE = Scene('course', boxes=(Box(6.0, 0.0, 0.2, 0.5, 4.0, 0.5),), friction_zones=ZONES,
              moving=MOVING)
POSES = ((0.0, 0.0, 0.0), (-1.0, 0.4, 0.1))


def model_of(name='single_track', vehicle=RACECAR, **more):
    return make_vehicle_model(name, vehicle, values_of(name, **more))


def values_of(name='single_track', **more):
    return SIMULATOR_PARAMETERS.resolve({'vehicle_model': name, 'tyre_model': 'fiala', **more})


def commands(ticks, cars=2, seed=0):
    numbers = np.random.default_rng(seed)
    return np.stack([numbers.uniform(1.5, 4.0, (ticks, cars)),
                     numbers.uniform(-0.3, 0.3, (ticks, cars))], axis=-1)


def simulators(model, actuators, policy, scene, poses=POSES):
    cars = {f'car{k}': Simulator(model, period=PERIOD, start=Start(Pose2(*pose)),
                                 actuators=actuators, scene=scene)
            for k, pose in enumerate(poses)}
    for car in cars.values():
        car.contacts.response = Contact(policy)
    return cars


@pytest.mark.parametrize(('name', 'tyre', 'actuators'), [
    ('single_track', 'fiala', {}), ('single_track', 'pacejka', ACTUATORS),
    ('double_track', 'pacejka', ACTUATORS), ('single_track_slip', 'fiala', {})])
def test_a_car_on_zones_has_the_bits_of_one_of_a_fleet(name, tyre, actuators):
    model, scene = model_of(name, tyre_model=tyre), Scene('zones', friction_zones=ZONES)
    cars = simulators(model, actuators, 'stop', scene)
    fleet = VehicleFleet(cars)
    worlds = WorldBatch([model] * 2, 2, WorldSetup(
        period=PERIOD, actuators=actuators, scenes=(scene,)))
    worlds.reset(poses=np.array(POSES))
    plain = WorldBatch([model] * 2, 2, WorldSetup(period=PERIOD, actuators=actuators))
    plain.reset(poses=np.array(POSES))
    for given in commands(75):
        found = worlds.step(given[np.newaxis])
        plain.step(given[np.newaxis])
        for entity, command in zip(fleet.entities, given.tolist(), strict=True):
            entity.inputs[0].apply(AckermannCommand(*command))
        fleet.advance(round(PERIOD / 0.001))
        assert [tuple(state) for state in found.states[0].tolist()] == [
            car.state for car in cars.values()]
    # The second car may be on none.
    assert (found.states != plain.readings.states)[0, 0].any()
    odometry = fleet.entities[0].output(ODOMETRY).read()
    assert (found['x'][0, 0], found['vx'][0, 0]) == (odometry.pose.x, odometry.twist.vx)


@pytest.mark.parametrize(('policy', 'name', 'actuators'), [
    ('stop', 'single_track', {}), ('stop', 'kinematic_bicycle', ACTUATORS),
    ('impulse', 'single_track_force', {}), ('impulse', 'kinematic_bicycle', {})])
def test_cars_among_moving_things_have_the_bits_of_simulators(policy, name, actuators):
    model, met = model_of(name), 0
    poses = [(x, y, yaw) for x, y, yaw in np.random.default_rng(1).uniform(
        (-1.0, -1.0, -3.0), (4.0, 1.0, 3.0), (12, 3)).tolist()]
    worlds = WorldBatch([model] * len(poses), 1, WorldSetup(
        period=PERIOD, actuators=actuators, scenes=(SCENE,), contact=Contact(policy)))
    worlds.reset(poses=np.array(poses)[:, np.newaxis])
    cars = [*simulators(model, actuators, policy, SCENE, poses).values()]
    for given in commands(100, len(poses), 4):
        found = worlds.step(given[:, np.newaxis])
        for car, simulator in enumerate(cars):
            simulator.set_command(AckermannCommand(*given[car].tolist()))
            simulator.tick()
            assert tuple(found.states[car, 0].tolist()) == simulator.state
            met += found['contacts'][car, 0] > 0.0
    assert met > 100
    contacts = [simulator.collisions.contacts for simulator in cars]
    assert found['contacts'][:, 0].tolist() == contacts


def test_what_moves_hits_a_car_that_stands():
    thing = MovingThing('cart', scripted_motion([(0.0, 2.0, 0.0), (2.0, -2.0, 0.0)]), 0.5, 0.4,
                        0.4)
    for policy in ('stop', 'impulse'):
        worlds = WorldBatch([model_of('single_track_force')], 1, WorldSetup(
            period=PERIOD, scenes=(Scene('moving', moving=(thing,)),), contact=Contact(policy)))
        hits = [bool(worlds.step([[[0.0, 0.0]]])['hit_scene'][0, 0]) for _ in range(60)]
        # Its front is at 2.0 - 0.2 - 2 t.
        first = (1.8 - RACECAR.footprint.front) / 2.0 / PERIOD
        assert hits.index(True) == pytest.approx(first, abs=1.0)
        assert worlds.readings['contacts'][0, 0] >= 1.0
    # As a rigid body it was pushed on.
    assert worlds.readings['x'][0, 0] < -0.05


def drive(worlds, given):
    """Readings and scans after each period; given: (periods, worlds, cars, 2)."""
    found = []
    for commanded in given:
        readings = worlds.step(commanded)
        found.append(np.concatenate([
            readings.states.reshape(len(commanded), -1), readings.cars.reshape(len(commanded), -1),
            readings.scans.reshape(len(commanded), -1)], axis=1))
    return np.array(found)


def drawn(count):
    """Zones and begins of worlds, those of each the same however many there are."""
    zones, begins = np.empty((count, 2, 4)), np.empty((count, 2))
    for world in range(count):
        numbers = np.random.default_rng(world)
        zones[world] = numbers.uniform((0.0, -1.0, 0.3, 0.2), (5.0, 1.0, 1.5, 1.5), (2, 4))
        begins[world] = numbers.uniform(0.0, 30.0, 2)
    return zones, begins


@pytest.mark.parametrize('policy', ['stop', 'impulse'])
def test_bits_do_not_depend_on_threads_on_the_number_of_worlds_or_on_other_resets(policy):
    setup = WorldSetup(
        period=PERIOD, scenes=(SCENE,), contact=Contact(policy), drawn_zones=2,
        scanner=WorldLaser({'rays': 31, 'range_max': 8.0}))
    given = np.random.default_rng(2).uniform(
        (0.0, -0.4), (3.0, 0.4), (60, 64, 2, 2))
    found = []
    for count, threads in ((64, 2), (64, 1), (7, 2), (1, 1)):
        worlds = WorldBatch([model_of()] * 2 * count, 2, setup, threads=threads)
        zones, begins = drawn(count)
        conditions, seeds = WorldConditions(zones, begins), np.arange(2 * count).reshape(count, 2)
        worlds.reset(poses=np.array(POSES), conditions=conditions, seeds=seeds)
        if count == 7:
            # Others begin anew before, in another order.
            worlds.step(given[0, :count])
            for world in (5, 1, 0, 3, 2, 6, 4):
                worlds.reset(np.arange(count) == world, poses=np.array(POSES),
                             conditions=conditions, seeds=seeds)
        found.append(drive(worlds, given[:, :count]))
    for one in found[1:]:
        assert np.array_equal(found[0][:, :one.shape[1]], one, equal_nan=True)
    # And the worlds differ.
    assert len({run.tobytes() for run in np.moveaxis(found[2], 1, 0)}) == 7


def test_scans_see_what_moves_with_the_bits_of_the_laser_of_a_plant():
    settings = {'rays': 181, 'range_max': 8.0, 'noise': 0.0}
    worlds = WorldBatch([model_of()] * 2, 1, WorldSetup(
        period=PERIOD, scenes=(SCENE,), contact=Contact('none'), scanner=WorldLaser(
            settings, Pose3(0.2, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0))))
    # The second world is half a second ahead.
    worlds.reset(conditions=WorldConditions(begins=[[0.0, 0.0], [0.5, 0.5]]))
    values = {f'laser.{row.name}': row.default for row in PARAMETERS}
    values.update({f'laser.{name}': value for name, value in settings.items()})
    sensor = MountedSensor.from_values('laser', {
        **values, 'laser.kind': 'laser', 'laser.rate': 50.0, 'laser.x': 0.2, 'laser.y': 0.0,
        'laser.z': 0.1, 'laser.yaw': 0.0})
    plant = EquippedPlant(
        VehiclePlant(Simulator(model_of(), scene=SCENE)), {'': (sensor,)}, SCENE)
    expected = []
    for _ in range(50):
        plant.advance(round(PERIOD / 0.001))
        expected.append(plant.entities[0].output('laser').read().ranges.copy())
    for tick in range(25):
        scans = worlds.step(np.zeros((2, 1, 2))).scans
        np.testing.assert_array_equal(scans[0, 0], expected[tick])
        np.testing.assert_array_equal(scans[1, 0], expected[tick + 25])
    assert (scans[0] != scans[1]).any()


def test_noise_of_scans_is_as_many_times_the_deviation_as_a_reset_says():
    def scans(deviation, noise):
        worlds = WorldBatch([model_of()] * 2, 1, WorldSetup(
            scenes=(Scene('box', boxes=(Box(3.0, 0.0, 0.2, 0.5, 4.0, 0.5),)),),
            scanner=WorldLaser({'rays': 9, 'noise': deviation, 'resolution': 0.0})))
        if noise is not None:
            worlds.reset(seeds=[[3], [4]], conditions=WorldConditions(noise=noise))
        # It stays until another is given.
        worlds.reset(seeds=[[3], [4]])
        return worlds.step(np.zeros((2, 1, 2))).scans.copy()

    np.testing.assert_array_equal(scans(1.0, [[0.02], [0.05]])[0], scans(0.02, None)[0])
    np.testing.assert_array_equal(scans(1.0, [[0.02], [0.05]])[1], scans(0.05, None)[1])
    np.testing.assert_array_equal(scans(0.3, 0.0), scans(0.0, None))
    assert (scans(0.02, None) != scans(0.05, None))[:, :, 4].all()


def test_zones_that_resets_place_are_those_of_the_scene():
    model = model_of()
    zone = FrictionZone(0.25, (), 2.0, 0.0, 1.5)
    fixed = WorldBatch([model], 1, WorldSetup(scenes=(Scene('ice', friction_zones=(zone,)),)))
    placed = WorldBatch([model], 1, WorldSetup(drawn_zones=1))
    dry = WorldBatch([model], 1, WorldSetup())
    given = [[[3.0, 0.2]]]
    for _ in range(2):
        placed.reset(conditions=WorldConditions([[(zone.x, zone.y, zone.radius, zone.factor)]]))
        fixed.reset()
        for _ in range(30):
            assert (fixed.step(given).states == placed.step(given).states).all()
    # None before a reset has placed any; a vehicle of other friction has it here, too.
    placed.reset(conditions=WorldConditions([[(0.0, 0.0, 0.0, 1.0)]]))
    for _ in range(30):
        assert (dry.step(given).states == placed.step(given).states).all()
    columns = {'vehicle.friction_coefficient': np.array([0.5])}
    fixed.reset(vehicles=fixed.vary(values_of(), columns))
    other = WorldBatch([model_of(vehicle=RACECAR.columns(
        {name: column[0] for name, column in columns.items()}))], 1, fixed.setup)
    for _ in range(30):
        assert (fixed.step(given).states == other.step(given).states).all()
    placed.reset(vehicles=placed.vary(values_of(), columns))
    with pytest.raises(ParameterError, match='whose vehicles differ from their models'):
        placed.reset(conditions=WorldConditions([[(0.0, 0.0, 1.0, 1.0)]]))


@pytest.mark.parametrize(('given', 'message'), [
    ({'zones': [[(0.0, 0.0, 1.0)]]}, r'zones have the shape \(1, 1, 3\), expected x, y, radius'),
    ({'zones': [[(0.0, 0.0, -1.0, 0.5)]]}, 'the last two at least 0'),
    ({'begins': [[1.0]]}, r'begins have the shape \(1, 1\), expected a time of at least 0 s'),
    ({'begins': [[1.0, -1.0]]}, 'begins have the shape'),
    ({'noise': [1.0]}, r'noise has the shape \(1,\), expected finite factors of at least 0'),
    ({'noise': [[-1.0]]}, 'noise has the shape'), ({'noise': np.nan}, 'noise has the shape')])
def test_numbers_that_cannot_be_are_refused_and_nothing_changes(given, message):
    worlds = WorldBatch([model_of()], 1, WorldSetup(scenes=(SCENE,), drawn_zones=1))
    worlds.step([[[2.0, 0.1]]])
    before = worlds.readings.states.copy()
    with pytest.raises(ParameterError, match=message):
        worlds.reset(conditions=WorldConditions(**given))
    assert (worlds.readings.states == before).all()


def test_too_many_factors_are_refused():
    zones = tuple(FrictionZone(0.1 + 0.01 * k, (), 0.0, 0.0, 1.0) for k in range(20))
    with pytest.raises(ConfigurationError, match='20 different factors of friction zones'):
        WorldBatch([model_of()], 1, WorldSetup(scenes=(Scene('many', friction_zones=zones),)))


def test_worlds_without_the_compiler_have_the_same_bits():
    program = """
import numpy as np
from test_world_things import *
worlds = WorldBatch([model_of('single_track_force')] * 4, 2, WorldSetup(
    period=PERIOD, scenes=(SCENE,), contact=Contact('impulse'), drawn_zones=1,
    scanner=WorldLaser({'rays': 9})))
worlds.reset(poses=np.array([[2.0, 0.0, 1.6], [0.5, 0.3, 0.1]]),
             conditions=WorldConditions([[[1.0, 0.0, 1.0, 0.4]]] * 2, [[0.4, 3.0], [0.8, 1.0]]))
print(drive(worlds, np.tile(commands(8), (2, 1, 1, 1)).swapaxes(0, 1)).tobytes().hex())
"""
    pytest.importorskip('numba')
    texts = [subprocess.run(
        [sys.executable, '-c', program], check=True, capture_output=True, text=True, timeout=300,
        env={**os.environ, 'NUMBA_DISABLE_JIT': switch, 'PYTHONPATH': os.pathsep.join(
            [str(SOURCES), str(Path(__file__).parent), os.environ.get('PYTHONPATH', '')])},
    ).stdout for switch in ('0', '1')]
    assert texts[0] == texts[1]
    assert texts[0]
