# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Driving by a laser scan alone."""

import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.parameter_file import load_parameter_file
from racecar.base.poses import pose_of_angles
from racecar.base.readings import LaserScan
from racecar.base.share import find_config
from racecar.control.gap_following import GAP_PARAMETERS, GapFollower
from racecar.dynamics.vehicles.parameters import VEHICLE_PARAMETERS, VehicleParameters
from racecar.scene.world_file import load_world
from racecar.sensors.mounting import EquippedPlant, MountedSensor
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.vehicle_plant import VehiclePlant

VEHICLE = VehicleParameters.from_file(find_config('vehicles/racecar'))
INCREMENT = math.radians(0.25)
COUNT = 1081
ANGLES = (np.arange(COUNT) - COUNT // 2) * INCREMENT


def follower(**values):
    return GapFollower(GAP_PARAMETERS.resolve(values), VEHICLE)


def scan(ranges, first=float(ANGLES[0]), increment=INCREMENT):
    ranges = np.asarray(ranges, dtype=np.float32)
    return LaserScan(
        first, first + (len(ranges) - 1) * increment, increment, 0.0, 0.025, 0.1, 10.0, ranges)


def between_walls(left, right):
    """Return the ranges in a straight corridor, at these distances from its walls."""
    with np.errstate(divide='ignore'):
        return scan(np.where(ANGLES > 0.0, left, right) / np.abs(np.sin(ANGLES)))


def with_obstacle(low, high, distance):
    """Return the ranges in the open with an obstacle between two angles [rad]."""
    return scan(np.where((low <= ANGLES) & (high >= ANGLES), distance, np.inf))


def test_in_the_open_it_drives_straight_on_at_full_speed():
    command = follower(speed=2.5).command(scan(np.full(COUNT, np.inf)))
    assert command.speed == 2.5
    assert command.steering_angle == pytest.approx(0.0, abs=1e-6)


def test_in_the_middle_of_a_corridor_it_drives_straight_on():
    assert follower().command(between_walls(2.0, 2.0)).steering_angle == pytest.approx(0, abs=0.01)


def test_it_passes_an_obstacle_on_the_side_with_more_room():
    ahead_to_the_right = with_obstacle(-0.5, 0.1, 2.0)
    assert follower().command(ahead_to_the_right).steering_angle > 0.1


def test_it_keeps_its_clearance_from_the_corner_of_an_obstacle():
    # Open to the left of the obstacle: the way that is chosen stays clear of its edge.
    law = follower(field_of_view=1.0, clearance=0.4, look_ahead=3.0)
    edge, distance = 0.2, 1.5
    command = law.command(with_obstacle(-1.5, edge, distance))
    curvature = math.tan(command.steering_angle) / VEHICLE.wheelbase
    # Of the arc through a point at the pursuit distance.
    target = math.asin(0.5 * 2.0 * curvature)
    widened = edge + math.atan2(0.4, distance)
    assert target == pytest.approx(0.5 * (widened + 1.0), abs=2.0 * INCREMENT)


def test_it_stops_before_a_wall_and_slows_down_on_the_way_there():
    law = follower(deceleration=2.0, stop_distance=0.5, speed=10.0)
    speeds = [law.command(scan(np.full(COUNT, distance))).speed for distance in (2.5, 1.0, 0.5)]
    assert speeds == pytest.approx(
        [math.sqrt(2.0 * 2.0 * 2.0), math.sqrt(2.0 * 2.0 * 0.5), 0.0], rel=1e-6)


def test_turns_are_no_faster_than_their_lateral_acceleration_allows():
    command = follower(speed=20.0, lateral_acceleration=3.0).command(
        with_obstacle(-2.0, 0.3, 1.0))
    curvature = math.tan(command.steering_angle) / VEHICLE.wheelbase
    assert command.speed**2 * abs(curvature) <= 3.0 * (1.0 + 1e-6)


def drive(world, duration, **values):
    """Return the car's path (n, 2) [m] and the shortest range on the way, by the scans alone."""
    scene = load_world(world)
    parameters = (VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS).resolve({
        **load_parameter_file(find_config('vehicles/racecar'), 'simulator'), 'rate': 40.0})
    simulator = make_simulator(parameters)
    plant = EquippedPlant(VehiclePlant(simulator), {'': [MountedSensor.from_values('laser', {
        'laser.kind': 'laser', 'laser.rate': 40.0, 'laser.x': 0.265, 'laser.z': 0.1374})]}, scene)
    car, law = plant.entities[0], follower(**values)
    car.reset(pose_of_angles(*scene.starts[0][:2], 0.0, 0.0, 0.0, scene.starts[0].yaw))
    path, nearest = [], math.inf
    for _ in range(round(40 * duration)):
        seen = car.output('laser').read()
        nearest = min(nearest, float(seen.ranges.min()))
        car.inputs[0].apply(law.command(seen))
        plant.advance(25)
        path.append(simulator.odometry()[1:3])
    return np.array(path), nearest


@pytest.mark.parametrize('world', ['tunnel', 'racetrack', 'walker'])
def test_it_drives_round_a_world_without_touching_it(world):
    path, nearest = drive(world, 70.0)
    distance = np.hypot(*np.diff(path, axis=0).T).sum()
    assert distance > 0.95 * 2.0 * 70.0
    assert nearest > 0.3


@pytest.mark.parametrize('value', [math.nan, -math.inf, 0.0, -3.0])
def test_where_nothing_is_measured_there_is_no_way(value):
    assert follower().command(scan(np.full(COUNT, value))).speed == 0.0


@pytest.mark.parametrize('count', [0, 1])
def test_a_scan_without_rays_ahead_stops_the_car(count):
    behind = scan(np.full(count, 5.0), 2.5)
    assert follower().command(behind) == (0.0, 0.0)


RANGES = st.lists(
    st.one_of(st.floats(0.0, 12.0, width=32), st.just(math.inf), st.just(math.nan),
              st.just(-math.inf)), min_size=61, max_size=61)


@given(RANGES)
def test_any_scan_gives_a_command_that_the_car_can_obey(ranges):
    command = follower().command(scan(ranges, -1.5, 0.05))
    assert command.is_finite
    assert 0.0 <= command.speed <= 2.0
    assert abs(command.steering_angle) <= VEHICLE.steering_limit + 1e-6


@given(st.floats(0.5, 3.0), st.floats(0.5, 3.0))
def test_left_and_right_mirror(left, right):
    here = follower().command(between_walls(left, right))
    there = follower().command(between_walls(right, left))
    assert here.steering_angle == pytest.approx(-there.steering_angle, abs=2.0 * INCREMENT)
    assert here.speed == pytest.approx(there.speed, rel=0.05)
