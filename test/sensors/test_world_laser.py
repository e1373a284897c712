# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scans of worlds: those of the laser of a plant, and other cars by a formula of another kind."""

import math

import numpy as np
import pytest

from racecar.base.errors import ParameterError
from racecar.base.poses import pose_of_angles
from racecar.base.share import find_config
from racecar.base.types import Pose2
from racecar.dynamics.vehicles import make_vehicle_model, VehicleParameters
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.scene import Box, Cone, OccupancyGrid, Scene, Wall
from racecar.sensors.laser import PARAMETERS
from racecar.sensors.mounting import EquippedPlant, MountedSensor
from racecar.sensors.world_laser import WorldLaser
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.contact import Contact
from racecar.simulation.simulator import Simulator
from racecar.simulation.vehicle_plant import VehiclePlant
from racecar.simulation.world_batch import WorldBatch, WorldSetup

RACECAR = VehicleParameters.from_file(find_config('vehicles/racecar'))
MODEL = make_vehicle_model('single_track', RACECAR, SIMULATOR_PARAMETERS.resolve(
    {'vehicle_model': 'single_track', 'tyre_model': 'fiala'}))
SETTINGS = {'rays': 181, 'noise': 0.0, 'range_max': 12.0}
PLACES = {'in_base_link': (0.0, 0.0, 0.1, 0.0), 'in_front': (0.265, 0.0, 0.1374, 0.0),
          'turned': (-0.1, 0.05, 0.2, 2.5)}


def grid():
    values = np.zeros((200, 200), np.int8)
    values[:5], values[-5:], values[:, :5], values[:, -5:] = 100, 100, 100, 100
    values[80:95, 120:130] = 100
    return OccupancyGrid(values, 0.05, Pose2(-4.0, -6.0, 0.3))


SCENE = Scene(walls=(Wall(3.0, -2.0, 3.5, 2.0), Wall(-2.0, 1.0, -2.0, 3.0, 0.12)),
              boxes=(Box(0.0, 2.0, 0.4, 1.0, 0.5, 0.5),), cones=(Cone(1.0, -1.0, height=0.5),),
              grid=grid())


def worlds_of(count, cars, scene, laser, **setup):
    return WorldBatch([MODEL] * count * cars, cars, WorldSetup(
        scenes=(scene,), scanner=laser, contact=Contact('none'), **setup))


def plant_ranges(pose, place, scene, settings):
    """Ranges of the laser of a plant whose car stands at a pose."""
    x, y, z, yaw = place
    values = {f'laser.{row.name}': row.default for row in PARAMETERS}
    values.update({f'laser.{name}': value for name, value in settings.items()})
    sensor = MountedSensor.from_values('laser', {
        **values, 'laser.kind': 'laser', 'laser.rate': 100.0, 'laser.x': x, 'laser.y': y,
        'laser.z': z, 'laser.yaw': yaw})
    plant = EquippedPlant(
        VehiclePlant(Simulator(MODEL, start=Start(pose))), {'': (sensor,)}, scene)
    return plant.entities[0].output('laser').read().ranges


@pytest.mark.parametrize('name', PLACES)
def test_scans_have_the_bits_of_the_laser_of_a_plant(name):
    place = PLACES[name]
    x, y, z, yaw = place
    laser = WorldLaser(SETTINGS, pose_of_angles(x, y, z, 0.0, 0.0, yaw))
    numbers = np.random.default_rng(3)
    # The last two stand outside the map.
    poses = [Pose2(*numbers.uniform((-1.5, -2.0, -3.0), (2.5, 1.5, 3.0))) for _ in range(12)]
    poses += [Pose2(-9.0, 0.0, 0.4), Pose2(12.0, 3.0, 3.0)]
    worlds = worlds_of(len(poses), 1, SCENE, laser)
    worlds.reset(poses=np.array(poses)[:, np.newaxis])
    for car, pose in enumerate(poses):
        expected = plant_ranges(pose, place, SCENE, SETTINGS)
        found = worlds.readings.scans[car, 0]
        if car < 12:
            np.testing.assert_array_equal(found, expected)
        else:
            assert found == pytest.approx(expected, abs=1e-5)
    # One may stand in the cone.
    assert np.isfinite(worlds.readings.scans).any(axis=-1).sum() >= len(poses) - 1


def to_rectangle(origin, direction, rectangle):
    """Distance along a ray to a rectangle by the intersections with its four sides; inf for none.

    rectangle: x, y, yaw, front, rear, side of base_link.
    """
    x, y, yaw, front, rear, side = rectangle
    c, s = math.cos(yaw), math.sin(yaw)
    corners = [(x + a * c - b * s, y + a * s + b * c) for a, b in (
        (front, side), (-rear, side), (-rear, -side), (front, -side))]
    nearest = math.inf
    for (x1, y1), (x2, y2) in zip(corners, [*corners[1:], corners[0]], strict=True):
        matrix = np.array([[direction[0], x1 - x2], [direction[1], y1 - y2]])
        if abs(np.linalg.det(matrix)) > 1e-12:
            way, share = np.linalg.solve(matrix, [x1 - origin[0], y1 - origin[1]])
            if way >= 0.0 and 0.0 <= share <= 1.0:
                nearest = min(nearest, way)
    return nearest


def test_other_cars_of_the_world_are_seen_as_their_outlines():
    laser = WorldLaser({'rays': 361, 'noise': 0.0, 'resolution': 0.0, 'range_min': 0.0,
                        'range_max': 9.0}, pose_of_angles(0.2, 0.0, 0.3, 0.0, 0.0, 0.0))
    worlds = worlds_of(2, 3, Scene(), laser)
    poses = np.array([[(0.0, 0.0, 0.2), (2.0, 0.5, 1.0), (-1.0, 2.0, -2.0)],
                      [(5.0, 0.0, 0.0), (5.0, 1.5, 3.0), (6.5, -1.0, 0.7)]])
    worlds.reset(poses=poses)
    print_ = RACECAR.footprint
    for world in range(2):
        for car in range(3):
            x, y, yaw = poses[world, car]
            origin = x + 0.2 * math.cos(yaw), y + 0.2 * math.sin(yaw)
            expected = [min(
                to_rectangle(origin, (math.cos(yaw + angle), math.sin(yaw + angle)),
                             (*poses[world, other], *print_))
                for other in range(3) if other != car) for angle in laser.angles]
            found = worlds.readings.scans[world, car].astype(float)
            # A ray along a corner may pass on either side of it.
            near = np.isfinite(found) & np.isfinite(expected)
            assert (np.isfinite(found) != np.isfinite(expected)).sum() <= 2
            assert found[near] == pytest.approx(np.array(expected)[near], abs=2e-3)
            assert near.sum() > 5


def test_noise_is_of_the_seed_and_of_the_time_since_the_reset():
    laser = WorldLaser({'rays': 500, 'noise': 0.02, 'resolution': 0.0})
    exact = WorldLaser({'rays': 500, 'noise': 0.0, 'resolution': 0.0})
    truth = worlds_of(4, 1, SCENE, exact).readings.scans.astype(float)
    worlds = worlds_of(4, 1, SCENE, laser)
    worlds.reset(seeds=[[7], [7], [8], [2**64 - 1]])
    first = worlds.readings.scans.copy()
    np.testing.assert_array_equal(first[0], first[1])
    assert (first[0] != first[2]).mean() > 0.5
    inside = np.isfinite(truth)
    errors = (first - truth)[inside & np.isfinite(first)]
    assert errors.std() == pytest.approx(0.02, rel=0.05)
    assert errors.mean() == pytest.approx(0.0, abs=0.003)
    second = worlds.step(np.zeros((4, 1, 2))).scans.copy()
    assert (first[0] != second[0]).mean() > 0.5
    worlds.reset([True, False, False, False])
    np.testing.assert_array_equal(worlds.readings.scans[0], first[0])
    np.testing.assert_array_equal(worlds.readings.scans[1:], second[1:])


@pytest.mark.parametrize(('values', 'place', 'message'), [
    ({'sweep_time': 0.01}, (0.0,) * 6, "'sweep_time' is 0.01 s, expected 0"),
    ({'delay': 0.1}, (0.0,) * 6, "'delay' is 0.1 s, expected 0"),
    ({}, (0.0, 0.0, 0.0, 0.0, 0.1, 0.0), 'expected qx = qy = 0'),
    ({'range_min': 20.0}, (0.0,) * 6, 'expected the first to be smaller'),
])
def test_lasers_that_worlds_do_not_have_are_refused(values, place, message):
    with pytest.raises(ParameterError, match=message):
        WorldLaser(values, pose_of_angles(*place))
