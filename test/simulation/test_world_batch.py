# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Worlds of several cars: the bits of Simulator, contacts, laps, resets."""

from dataclasses import replace
import math
import os
from pathlib import Path
import subprocess
import sys

import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.share import find_config
from racecar.base.types import AckermannCommand, Pose2
from racecar.dynamics.vehicles import make_vehicle_model, VehicleParameters
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.metrics.laps import Course, LapTimer
from racecar.scene import Box, Cone, OccupancyGrid, Scene, Wall
from racecar.scene.overlaps import Rectangle, rectangles_overlap
from racecar.scene.surroundings import is_taken, surroundings_of
from racecar.sensors.world_laser import WorldLaser
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.contact import Contact
from racecar.simulation.simulator import Simulator
from racecar.simulation.world_batch import WorldBatch, WorldSetup

SOURCES = Path(__file__).parents[2] / 'src'
RACECAR = VehicleParameters.from_file(find_config('vehicles/racecar'))
FRONT, REAR, SIDE = RACECAR.footprint
ACTUATORS = {
    'actuators.steering_delay': 0.013, 'actuators.steering_lag': 0.03,
    'actuators.speed_delay': 0.004, 'actuators.acceleration': 5.0}
AHEAD = 2.0


def grid_ahead():
    values = np.zeros((80, 80), np.int8)
    values[:, 60:62] = 100
    return OccupancyGrid(values, 0.05, Pose2(AHEAD - 3.0, -2.0, 0.0))


SCENES = {
    'wall': Scene(walls=(Wall(AHEAD, -3.0, AHEAD, 3.0, 0.01),)),
    'box': Scene(boxes=(Box(AHEAD + 0.5, 0.0, 0.1, 1.0, 2.0, 0.5),)),
    'cone': Scene(cones=(Cone(AHEAD + 0.1, 0.05, base=0.2),)),
    'map': Scene(grid=grid_ahead()),
}
ROOM = Scene(walls=(Wall(-3.0, -2.0, 3.0, -2.0), Wall(3.0, -2.0, 3.0, 2.0),
                    Wall(3.0, 2.0, -3.0, 2.0), Wall(-3.0, 2.0, -3.0, -2.0)),
             boxes=(Box(0.0, 0.0, 0.3, 0.6, 0.4, 0.5),), cones=(Cone(-1.5, 1.2),))


def values_of(name='single_track', **more):
    return SIMULATOR_PARAMETERS.resolve({'vehicle_model': name, 'tyre_model': 'fiala', **more})


def model_of(name='single_track', vehicle=RACECAR, **more):
    return make_vehicle_model(name, vehicle, values_of(name, **more))


def commands(shape, ticks, seed=0):
    """Speeds and steering angles, some of them beyond the limits of the car."""
    numbers = np.random.default_rng(seed)
    return np.stack([numbers.uniform(-1.0, 4.0, (ticks, *shape)),
                     numbers.uniform(-0.6, 0.6, (ticks, *shape))], axis=-1)


def outlines(worlds):
    """Rectangles of all cars: [world][car]."""
    r, (front, rear, side) = worlds.readings, RACECAR.footprint
    ahead, length = 0.5 * (front - rear), 0.5 * (front + rear)
    return [[Rectangle(
        r['x'][w, c] + ahead * math.cos(r['yaw'][w, c]),
        r['y'][w, c] + ahead * math.sin(r['yaw'][w, c]), math.cos(r['yaw'][w, c]),
        math.sin(r['yaw'][w, c]), length, side) for c in range(worlds.shape[1])]
        for w in range(worlds.shape[0])]


# Few kinds of cars, as each compiles a kernel.
AT_ONCE: dict[str, float] = {}
ACTUATED = ACTUATORS


@pytest.mark.parametrize(('name', 'actuators', 'policy'), [
    ('single_track', AT_ONCE, 'none'), ('single_track', ACTUATED, 'stop'),
    ('double_track', ACTUATED, 'stop'), ('kinematic_bicycle', AT_ONCE, 'impulse')])
def test_a_car_alone_has_the_bits_of_the_simulator(name, actuators, policy):
    model, poses = model_of(name), [Pose2(0.3 * i, -0.1 * i, 0.7 * i) for i in range(20)]
    worlds = WorldBatch([model] * 20, 1, WorldSetup(
        period=0.02, actuators=actuators, contact=Contact(policy)), threads=2)
    worlds.reset(poses=np.array(poses)[:, np.newaxis])
    simulators = [Simulator(model, period=0.02, start=Start(pose), actuators=actuators)
                  for pose in poses]
    for given in commands((20, 1), 25):
        readings = worlds.step(given)
        for car, simulator in enumerate(simulators):
            simulator.set_command(AckermannCommand(*given[car, 0].tolist()))
            simulator.tick()
            assert tuple(readings.states[car, 0].tolist()) == simulator.state
    for car, simulator in enumerate(simulators):
        odometry = simulator.odometry()
        assert [readings[name][car, 0] for name in (
            'x', 'y', 'yaw', 'vx', 'vy', 'yaw_rate', 'time', 'contacts')] == [
            odometry.x, odometry.y, odometry.yaw, odometry.vx, odometry.vy, odometry.yaw_rate,
            0.5, 0.0]
        assert (readings['speed'][car, 0], readings['steering_angle'][car, 0]) == \
            simulator.inputs[:2]


@pytest.mark.parametrize(('name', 'actuators'), [
    ('single_track', AT_ONCE), ('single_track', ACTUATED), ('kinematic_bicycle', AT_ONCE),
    ('double_track', ACTUATED)])
def test_a_car_that_something_stops_has_the_bits_of_the_simulator(name, actuators):
    model, scenes = model_of(name), [*SCENES.values()]
    worlds = WorldBatch([model] * 4, 1, WorldSetup(
        period=0.05, actuators=actuators, scenes=scenes), scene_of=range(4))
    # The fourth stands in something at first, and may leave.
    poses = [Pose2(0.0, 0.0, 0.0), Pose2(0.0, 0.3, -0.1), Pose2(0.2, 0.0, 0.0),
             Pose2(1.95, 0.0, 3.0)]
    worlds.reset(poses=np.array(poses)[:, np.newaxis])
    simulators = [Simulator(model, start=Start(pose), actuators=actuators, scene=scene)
                  for pose, scene in zip(poses, scenes, strict=True)]
    for given in commands((4, 1), 120, 3):
        # Rather straight on, but for some that back away.
        given[..., 1] *= 0.2
        readings = worlds.step(given)
        for car, simulator in enumerate(simulators):
            simulator.set_command(AckermannCommand(*given[car, 0].tolist()))
            for _ in range(5):
                simulator.tick()
            assert tuple(readings.states[car, 0].tolist()) == simulator.state
            found = simulator.collisions
            assert found is not None
            assert (readings['contacts'][car, 0], readings['in_contact'][car, 0]) == found[:2]
            if not actuators:
                # With actuators a Simulator takes the input at the end of the tick.
                assert readings['impact_speed'][car, 0] == pytest.approx(found.speed, rel=1e-14)
            assert readings['vx'][car, 0] == simulator.odometry().vx
    # All but the one that left have met something, and not once only.
    assert (readings['contacts'][:3] >= 1.0).all()
    assert readings['contacts'].sum() >= 5.0
    assert readings['x'][3, 0] < 1.9


@pytest.mark.parametrize('policy', ['stop', 'impulse'])
def test_bits_do_not_depend_on_threads_on_the_number_of_worlds_or_on_other_resets(policy):
    setup = WorldSetup(
        contact=Contact(policy), scenes=(ROOM,), actuators=ACTUATORS,
        scanner=WorldLaser({'rays': 40}))
    starts = np.array([[(-2.0, -1.0, 0.0), (2.0, 1.0, 3.0), (-2.0, 1.0, 0.5)]])
    given = commands((1, 3), 40, 5)

    def drive(count, own, threads, others):
        worlds = WorldBatch([model_of()] * 3 * count, 3, setup, threads=threads)
        worlds.reset(poses=starts[0], seeds=np.tile([4, 5, 6], (count, 1)))
        seen = []
        for tick, command in enumerate(given):
            mine = np.arange(count) == own
            if others and tick % 7 == 2:
                worlds.reset(~mine if tick % 2 else np.repeat(~mine[:, np.newaxis], 3, axis=1))
            elsewhere = commands((count, 3), 1, tick)[0]
            elsewhere[own] = command[0]
            r = worlds.step(elsewhere)
            seen.append(np.concatenate([r.states[own].ravel(), r.cars[own].ravel(),
                                        r.scans[own].ravel()]))
        return np.array(seen)

    alone = drive(1, 0, 1, others=False)
    assert alone[:, 15 + 10].max() >= 1.0
    np.testing.assert_array_equal(alone, drive(50, 31, 2, others=True))
    np.testing.assert_array_equal(alone, drive(41, 40, 1, others=False))


@pytest.mark.parametrize(('name', 'policy'), [
    ('single_track', 'stop'), ('single_track', 'impulse'), ('kinematic_bicycle', 'impulse'),
    ('single_track_force', 'impulse')])
def test_cars_stay_out_of_each_other_and_of_what_stands(name, policy):
    worlds = WorldBatch([model_of(name)] * 60, 3, WorldSetup(
        contact=Contact(policy), scenes=(ROOM,)))
    worlds.reset(poses=[(-2.0, -1.0, 0.0), (2.0, 1.0, 3.0), (-2.0, 1.0, 0.5)])
    around = surroundings_of([ROOM])
    for tick in range(60):
        # Commands that last for some periods.
        r = worlds.step(commands((20, 3), 1, tick // 4)[0])
        assert r['valid'].all()
        for world in outlines(worlds):
            for place in world:
                inner = place._replace(length=place.length - 1e-6, width=place.width - 1e-6)
                assert not is_taken(around, 0, inner)
            for i, j in ((0, 1), (0, 2), (1, 2)):
                # Pushed apart round by round: what is left is less than a step of motion.
                slack = 1e-6 if policy == 'stop' else 0.005
                assert not rectangles_overlap(
                    world[i]._replace(length=world[i].length - slack,
                                      width=world[i].width - slack), world[j])
    assert (r['contacts'] > 2.0).sum() > 10
    assert np.abs(r['speed']).max() < 10.0


@pytest.mark.parametrize(('restitution', 'masses'), [(0.0, (1.0, 1.0)), (0.5, (1.0, 2.5))])
def test_a_car_that_runs_into_another_one_gives_it_its_momentum(restitution, masses):
    models = [model_of(vehicle=replace(RACECAR, mass=RACECAR.mass * factor))
              if factor != 1.0 else model_of() for factor in masses]
    gap = 0.5
    worlds = WorldBatch(models, 2, WorldSetup(
        period=0.1, contact=Contact('impulse', restitution=restitution)))
    worlds.reset(poses=[(0.0, 0.0, 0.0), (FRONT + gap + REAR, 0.0, 0.0)])
    hits = []
    for _ in range(4):
        r = worlds.step([[(2.0, 0.0), (0.0, 0.0)]])
        hits.append(r['hit_cars'][0].tolist())
        if r['hit_cars'].any():
            break
    # The gap takes 0.25 s at 2 m/s; both know of it.
    assert hits == [[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]]
    first, second = masses
    speed = 2.0 * first / (first + second)
    apart = restitution * 2.0
    assert r['vx'][0] == pytest.approx(
        [speed - apart * second / (first + second), speed + apart * first / (first + second)])
    impulse = (1.0 + restitution) * 2.0 * RACECAR.mass * first * second / (first + second)
    assert r['impulse'][0] == pytest.approx([impulse, impulse])
    assert r['impact_speed'][0].tolist() == [2.0, 0.0]
    assert r['y'][0] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_a_car_bounces_off_a_wall_and_slides_along_it():
    setup = WorldSetup(period=0.1, scenes=(SCENES['wall'],),
                       contact=Contact('impulse', restitution=0.25, friction=0.0))
    worlds = WorldBatch([model_of('single_track_force')] * 2, 1, setup)
    states = worlds.readings.states.copy()
    # Straight ahead, and sliding sideways with the nose along the wall.
    names = worlds.state_names
    states[:, 0, names.index('vx')] = 3.0, 0.0
    worlds.reset(states=states)
    for _ in range(10):
        before = worlds.readings['vx'].copy()
        r = worlds.step(np.full((2, 1, 2), (3.0, 0.0)))
        if r['hit_scene'][0, 0]:
            break
    assert before[0, 0] == pytest.approx(3.0, abs=0.05)
    assert r['impulse'][0, 0] == pytest.approx(RACECAR.mass * 1.25 * before[0, 0], rel=0.02)
    assert r['vx'][0, 0] < before[0, 0]


def circle(radius=5.0, width=1.0, count=200):
    angle = np.linspace(0.0, 2.0 * math.pi, count)
    points = radius * np.column_stack([np.sin(angle), 1.0 - np.cos(angle)])
    points[-1] = points[0]
    return Course.along(points, np.full((count, 2), width))


def test_laps_are_those_of_the_timer_on_the_path():
    course = circle()
    worlds = WorldBatch([model_of('kinematic_bicycle')] * 3, 1, WorldSetup(
        period=0.04, courses=(course,)))
    worlds.reset(poses=[[(0.0, 0.0, 0.0)], [(0.0, 0.1, 0.0)], [(0.0, -0.3, math.pi)]])
    steering = math.atan(RACECAR.wheelbase / 5.0)
    paths: list[list[tuple[float, float, float]]] = [[] for _ in range(3)]
    r = worlds.readings
    for tick in range(520):
        for car in range(3):
            paths[car].append((r['time'][car, 0], r['x'][car, 0], r['y'][car, 0]))
        # The second one leaves the track after a while; the third goes the wrong way.
        wander = -0.1 if tick > 300 else 0.0
        r = worlds.step([[(3.2, steering)], [(3.0, steering + wander)], [(2.0, -steering)]])
    for car in range(3):
        paths[car].append((r['time'][car, 0], r['x'][car, 0], r['y'][car, 0]))
        timer = LapTimer(course)
        timer.add(*np.array(paths[car]).T)
        found, state = timer.result(), timer.state
        assert found is not None
        assert r['laps'][car, 0] == len(found.laps)
        assert r['driven'][car, 0] == state.place.driven
        assert r['wrong_ways'][car, 0] == found.wrong_ways
        assert r['track_exits'][car, 0] == found.exits
        assert r['off_track'][car, 0] == state.exits.is_off
        if found.laps:
            assert r['last_lap'][car, 0] == found.laps[-1].time
            assert r['best_lap'][car, 0] == found.best
    assert r['laps'][:, 0].tolist()[0] >= 2.0
    assert r['track_exits'][1, 0] >= 1.0
    assert r['wrong_way'][:, 0].tolist() == [0.0, 0.0, 1.0]
    # Where those on the track are, by the circle itself; its corners are up to 1 mm within.
    for car in (0, 2):
        x, y, yaw = (r[name][car, 0] for name in ('x', 'y', 'yaw'))
        angle = math.atan2(x, 5.0 - y) % (2.0 * math.pi)
        assert abs(r['offset'][car, 0]) < 1.5
        assert math.remainder(r['progress'][car, 0] - 5.0 * angle, course.length) == \
            pytest.approx(0.0, abs=0.05)
        assert r['offset'][car, 0] == pytest.approx(5.0 - math.hypot(x, y - 5.0), abs=0.002)
        assert math.remainder(r['heading_error'][car, 0] - (yaw - angle), 2.0 * math.pi) == \
            pytest.approx(0.0, abs=0.02)


def test_a_reset_begins_laps_contacts_and_time_anew():
    worlds = WorldBatch([model_of()] * 4, 2, WorldSetup(
        scenes=(SCENES['wall'],), courses=(circle(),), contact=Contact('impulse')))
    worlds.reset(poses=[(0.0, 0.0, 0.0), (-1.0, 0.0, 0.0)])
    fresh = worlds.readings.cars.copy()
    for _ in range(60):
        worlds.step(np.full((2, 2, 2), (3.0, 0.0)))
    driven = worlds.readings.cars.copy()
    assert worlds.readings['contacts'].min() >= 1.0
    worlds.reset([[True, False], [False, False]], poses=[(0.0, 0.0, 0.0), (9.0, 9.0, 9.0)])
    np.testing.assert_array_equal(worlds.readings.cars[0, 0], fresh[0, 0])
    np.testing.assert_array_equal(worlds.readings.cars[1], driven[1])
    np.testing.assert_array_equal(worlds.readings.cars[0, 1], driven[0, 1])


def test_cars_with_other_vehicles_are_those_that_are_made_so():
    masses = np.array([4.0, 5.0, 6.0, 7.0])
    widths = np.array([0.3, 0.4, 0.5, 0.6])
    setup = WorldSetup(scenes=(SCENES['wall'],), contact=Contact('impulse'))
    made = WorldBatch([
        model_of(vehicle=replace(RACECAR, mass=mass, width=width))
        for mass, width in zip(masses.tolist(), widths.tolist(), strict=True)], 2, setup)
    varied = WorldBatch([model_of()] * 4, 2, setup)
    vehicles = varied.vary(values_of(), {'vehicle.mass': masses, 'vehicle.width': widths})
    assert vehicles.are_possible.all()
    poses = [(0.0, 0.0, 0.3), (-0.8, 0.4, 0.0)]
    varied.reset(vehicles=vehicles, poses=poses)
    made.reset(poses=poses)
    for given in commands((2, 2), 40, 2):
        np.testing.assert_array_equal(varied.step(given).cars, made.step(given).cars)
    assert made.readings['contacts'].max() >= 1.0


def test_a_car_that_diverges_stands_and_the_others_go_on():
    worlds = WorldBatch([model_of()] * 4, 2, WorldSetup(contact=Contact('impulse')))
    states = worlds.readings.states.copy()
    states[:, 1, 2] = 3.0
    states[0, 0, 2] = 1e300
    worlds.reset(states=states)
    for _ in range(3):
        r = worlds.step(np.full((2, 2, 2), (1.0, 0.1)))
    assert r['valid'].tolist() == [[0.0, 1.0], [1.0, 1.0]]
    assert r['x'][0, 0] == 1e300
    np.testing.assert_array_equal(r.states[0, 1], r.states[1, 1])
    worlds.reset([True, False])
    assert worlds.step(np.full((2, 2, 2), (1.0, 0.1)))['valid'].all()


@pytest.mark.parametrize(('arguments', 'message'), [
    ({'cars': 0}, 'there are 0 cars in a world, expected 1 to 120'),
    ({'cars': 3}, 'there are 4 models, expected one for each of 3 cars'),
    ({'scene_of': [0, 1]}, 'expected for each of 2 worlds a whole number of 0 to 0'),
    ({'setup': WorldSetup(contact=Contact('bounce'))}, "is 'bounce', expected one of none, stop"),
    ({'setup': WorldSetup(contact=Contact('impulse', restitution=1.5))}, 'restitution is 1.5'),
    ({'setup': WorldSetup(contact=Contact(interval=0.03))}, 'interval of contacts is 0.03 s'),
    ({'setup': WorldSetup(scenes=())}, 'there are 0 scenes and 0 courses'),
    ({'setup': WorldSetup(courses=(Course.along(np.zeros((3, 2))),))}, 'course 0 is not closed'),
    ({'threads': 0}, 'threads is 0'),
])
def test_what_does_not_fit_together_is_refused(arguments, message):
    with pytest.raises(ConfigurationError, match=message):
        WorldBatch([model_of()] * 4, **{'cars': 2, **arguments})


def test_cars_of_different_equations_are_refused():
    with pytest.raises(ConfigurationError, match='expected the same of all'):
        WorldBatch([model_of(), model_of('double_track')], 2)


@pytest.mark.parametrize(('method', 'arguments', 'message'), [
    ('step', ([[1.0, 0.0]],), r'commands have the shape \(1, 2\), expected \(worlds, cars, 2\)'),
    ('step', ([[(1.0, 0.0), (1.0, math.nan)]],), r'commands\[0, 1, 1\] is nan'),
    ('reset', ([True, False, True],), r'mask has the shape \(3,\)'),
    ('reset', (None, [[[0.0] * 4] * 2],), 'states have the shape'),
])
def test_numbers_that_cannot_be_are_refused_and_nothing_changes(method, arguments, message):
    worlds = WorldBatch([model_of()] * 2, 2)
    before = worlds.readings.cars.copy()
    with pytest.raises(ParameterError, match=message):
        getattr(worlds, method)(*arguments)
    np.testing.assert_array_equal(worlds.readings.cars, before)
    with pytest.raises(ParameterError, match='both states and poses'):
        worlds.reset(states=[0.0] * 5, poses=[[0.0] * 3] * 2)
    for seeds in ([1, 2, 3], [[-1, 2]], np.array([[-1, 2]]), [[0.5, 2.0]]):
        with pytest.raises(ParameterError, match='seeds have the shape'):
            worlds.reset(seeds=seeds)
    with pytest.raises(ParameterError, match='poses have the shape'):
        worlds.reset(poses=[0.0] * 3)
    with pytest.raises(ParameterError, match="there is no reading 'yaww'"):
        worlds.readings['yaww']


# Runs in a process of its own; prints what is read as hexadecimal numbers.
PLAIN = """
import sys
sys.path.insert(0, sys.argv[1])
from test_world_batch import *
for policy, actuators, name in (
        ('stop', ACTUATED, 'single_track'), ('impulse', AT_ONCE, 'single_track'),
        ('impulse', AT_ONCE, 'kinematic_bicycle'), ('stop', ACTUATED, 'double_track')):
    worlds = WorldBatch([model_of(name)] * 4, 2, WorldSetup(
        period=0.02, contact=Contact(policy), scenes=(SCENES['map'], ROOM), courses=(circle(),),
        actuators=actuators, scanner=WorldLaser({'rays': 5})), scene_of=[0, 1])
    worlds.reset(poses=[(1.4, 0.0, 0.0), (0.8, 0.05, 0.0)])
    for given in commands((2, 2), 12, 1):
        r = worlds.step(np.abs(given))
    worlds.reset([False, True])
    print(policy, name, r['contacts'].tolist(), [
        x.hex() for array in (r.states, r.cars, r.scans.astype(float))
        for x in array.ravel().tolist()])
"""


def test_worlds_without_the_compiler_have_the_same_bits():
    pytest.importorskip('numba')
    answers = [subprocess.run(
        [sys.executable, '-c', PLAIN, str(Path(__file__).parent)], check=True, text=True,
        stdout=subprocess.PIPE, timeout=300,
        env={**os.environ, **environment,
             'PYTHONPATH': os.pathsep.join([str(SOURCES), *sys.path])}).stdout
        for environment in ({}, {'NUMBA_DISABLE_JIT': '1'})]
    assert answers[0] == answers[1]
    assert '[[1.0' in answers[0]
