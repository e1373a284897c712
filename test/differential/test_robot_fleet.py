# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several differential-drive robots: they stop at a touch, see each other, are alone else."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.poses import NO_POSE
from racecar.base.share import find_wheeled_robot
from racecar.base.types import BodyTwist
from racecar.catalogue.simulators.differential_wheels import DIFFERENTIAL_WHEELS_SIMULATOR as TABLE
from racecar.differential.distance_sensor import DistanceSensor, Surroundings
from racecar.differential.motion import KINEMATICS, PHYSICS, WORLD
from racecar.differential.parameters import RobotParameters, ROBOTS
from racecar.differential.robot_fleet import make_robots_plant
from racecar.scene import EMPTY_SCENE
from racecar.sensors.equipment import equip
from racecar.simulation.fleet_file import values_of_cars
from racecar.simulation.ports import COLLISIONS, laser_of, ODOMETRY

KHEPERA, PIONEER = (RobotParameters.from_file(find_wheeled_robot(name))
                    for name in ('khepera', 'pioneer'))
PLANAR = [KINEMATICS, PHYSICS]


def values_of(robot='khepera', names=('red', 'blue'), **values):
    return TABLE.resolve({
        **load_parameter_file(find_wheeled_robot(robot), 'any_node'), 'cars': [*names], **values})


def fleet_of(robot='khepera', spacing=0.2, **values):
    """Robots behind each other at a spacing [m], the first one at the origin."""
    return make_robots_plant(values_of_cars(
        values_of(robot, grid_spacing=spacing, **values), TABLE, ROBOTS))


def drive(fleet, ticks, *speeds, parts=(10,)):
    """Command speeds [m/s, rad/s] at each tick of 10 ms, which goes in parts; places after it."""
    track = []
    for _ in range(ticks):
        for entity, speed in zip(fleet.entities, speeds, strict=True):
            entity.inputs[0].apply(BodyTwist(*speed))
        for part in parts:
            fleet.advance(part)
        track.append([entity.output(ODOMETRY).read() for entity in fleet.entities])
    return track


def contacts(fleet):
    return [entity.output(COLLISIONS).read() for entity in fleet.entities]


@pytest.mark.parametrize('mode', PLANAR)
def test_a_round_robot_stops_at_the_disc_of_one_that_stands(mode):
    # 3 cm beside each other: discs touch where their middles are two radii apart.
    fleet = fleet_of(mode=mode, initial_y=0.0, spacing=0.2)
    fleet.entities[1].reset(NO_POSE._replace(x=-0.2, y=0.03))
    red, blue = drive(fleet, 60, (0.0, 0.0), (0.5, 0.0))[-1]
    apart = math.hypot(red.pose.x - blue.pose.x, red.pose.y - blue.pose.y)
    # A step at 0.5 m/s, with slip noise, is 0.55 mm.
    assert 0.0 <= apart - 2.0 * KHEPERA.body_radius < 0.0006
    assert (blue.twist.vx, red.pose.x) == (0.0, 0.0)
    assert [found[:2] for found in contacts(fleet)] == [(1, True)] * 2
    assert contacts(fleet)[1].speed == pytest.approx(0.5, rel=0.11)
    # The way is free: it drives on without a new start.
    drive(fleet, 40, (1.0, 0.0), (0.2, 0.0))
    assert not any(found.in_contact for found in contacts(fleet))
    assert contacts(fleet)[1].contacts == 1


def test_sensors_see_another_robot_of_the_engine_where_it_is_now():
    fleet = fleet_of('pioneer', spacing=1.0, mode=WORLD)
    seen = fleet.entities[0].platform.objects

    def ahead():
        place = fleet.entities[1].output(ODOMETRY).read().pose
        return [box.x - place.x for box in seen().boxes]

    start = ahead()
    assert max(map(abs, start)) < 0.1
    fleet.entities[1].reset(NO_POSE._replace(x=-2.0))
    assert ahead() == pytest.approx(start)
    assert drive(fleet, 50, (0.0, 0.0), (-0.5, 0.0))[-1][1].pose.x < -2.1
    assert ahead() == pytest.approx(start, abs=1e-3)


def test_wheels_turn_on_where_another_robot_holds_the_body():
    fleet = fleet_of(
        'pioneer', spacing=0.8, mode=PHYSICS, **{'robot.friction_coefficient': 0.1})
    drive(fleet, 300, (0.0, 0.0), (0.6, 0.0))
    motion = fleet.robots['blue'].motion
    assert motion.state.vx == 0.0
    assert motion.state.left_speed > 0.5 * 0.6 / PIONEER.wheel_radius


@pytest.mark.parametrize('mode', PLANAR)
def test_robots_that_do_not_meet_have_the_bits_of_each_alone(mode):
    speeds = ((0.3, 1.0), (0.2, -0.5))
    together = drive(fleet_of(mode=mode, spacing=3.0), 40, *speeds)
    assert drive(fleet_of(mode=mode, spacing=3.0), 40, *speeds) == together
    # Alone, and with noise of its own name.
    blue = make_robots_plant(values_of_cars(
        values_of(names=['blue'], mode=mode, initial_x=-3.0), TABLE, ROBOTS))
    assert [places[1] for places in together] == [
        place for place, in drive(blue, 40, speeds[1])]
    assert together[-1][0].pose.qz != -together[-1][1].pose.qz


@settings(max_examples=6)
@given(parts=st.lists(st.integers(1, 12), min_size=1, max_size=4),
       turn=st.floats(-2.0, 2.0), mode=st.sampled_from(PLANAR))
def test_it_does_not_matter_in_how_many_parts_a_tick_goes(parts, turn, mode):
    speeds = (0.0, 0.0), (0.5, turn)
    once, often = (fleet_of(mode=mode, spacing=0.12, world='arena') for _ in range(2))
    assert drive(once, 20, *speeds, parts=(sum(parts),))[-1] == drive(
        often, 20, *speeds, parts=parts)[-1]
    assert contacts(once) == contacts(often)


@pytest.mark.parametrize('mode', [KINEMATICS, WORLD])
def test_a_laser_and_a_distance_sensor_see_the_disc_of_another_robot(mode):
    if mode == WORLD:
        pytest.importorskip('mujoco')
    values = values_of(mode=mode, grid_spacing=0.2, sensors=['laser'], **{
        'laser.x': 0.0, 'laser.z': 0.01, 'laser.range_min': 0.0, 'laser.noise': 0.0,
        'laser.resolution': 0.0, 'laser.rays': 3, 'laser.angle_min': -0.1,
        'laser.angle_max': 0.1})
    cars = values_of_cars(values, TABLE, ROBOTS)
    plant = make_robots_plant(cars)
    gap = 0.2 - KHEPERA.body_radius
    blue = equip(plant, values, [car.values for car in cars]).entities[1]
    laser = laser_of(blue)
    assert laser is not None
    left, ahead, right = laser.read().ranges
    # A polygon of 16 corners has its sides within 2 % of the radius.
    assert ahead == pytest.approx(gap, abs=0.02 * KHEPERA.body_radius)
    # The ray at 0.1 rad meets the circle there.
    way = 0.2 * math.cos(0.1) - math.sqrt(
        KHEPERA.body_radius**2 - (0.2 * math.sin(0.1))**2)
    assert (left, right) == pytest.approx((way, way), abs=0.04 * KHEPERA.body_radius)
    platform = plant.entities[1].platform
    assert platform is not None
    assert platform.objects is not None
    state, objects = platform.state, platform.objects
    sensor = DistanceSensor(
        NO_POSE._replace(z=0.01), 1.0, Surroundings(EMPTY_SCENE, lambda: state().pose, objects),
        np.random.default_rng(0), int)
    assert sensor.distance() == pytest.approx(gap, abs=0.02 * KHEPERA.body_radius)


def test_robots_of_the_world_push_each_other_and_are_the_same_again():
    pytest.importorskip('mujoco')
    first, second = (fleet_of('pioneer', mode=WORLD, spacing=0.7) for _ in range(2))
    track = drive(first, 200, (0.0, 0.0), (0.5, 0.0))
    assert drive(second, 200, (0.0, 0.0), (0.5, 0.0)) == track
    red, blue = track[-1]
    # Outlines do not overlap, and the one in front has been moved.
    assert red.pose.x - blue.pose.x > PIONEER.rear + PIONEER.front - 0.01
    assert [found.contacts > 0 for found in contacts(first)] == [True, True]
    assert red.pose.x > 0.01
    first.entities[1].reset(None)
    assert first.entities[1].output(ODOMETRY).read().pose.x == pytest.approx(-0.7, abs=1e-6)
    assert first.entities[0].output(ODOMETRY).read().pose.x == red.pose.x


def test_a_robot_that_diverges_stands_and_the_other_one_goes_on():
    fleet = fleet_of(mode=PHYSICS, spacing=1.0)
    drive(fleet, 5, (0.2, 0.0), (0.2, 0.0))
    blue = fleet.entities[1]
    # What no push allows: a number that is none.
    motion = fleet.robots['blue'].motion
    kept = motion.kept()
    kept.rows[5] = math.nan
    motion.go_back(kept)
    track = drive(fleet, 20, (0.2, 0.0), (0.2, 0.0))
    assert 'the robot stands still from 0.05 s on' in blue.fault()
    assert track[-1][0].pose.x > track[0][0].pose.x
    assert track[-1][1].pose == track[0][1].pose
    assert fleet.time_ns == 250_000_000
    blue.reset(None)
    assert blue.fault() == ''
    assert drive(fleet, 20, (0.0, 0.0), (0.2, 0.0))[-1][1].pose.x > -0.99


def test_a_fleet_file_says_in_what_robots_differ(tmp_path):
    file = tmp_path / 'fleet.yaml'
    file.write_text("""
- {name: red, simulator: {robot.mass: 0.1}}
- {name: blue, vehicle: pioneer, start: [1.0, 0.5, 0.25]}
""")
    values = values_of(fleet_file=str(file))
    fleet = make_robots_plant(values_of_cars(values, TABLE, ROBOTS))
    red, blue = (robot.motion for robot in fleet.robots.values())
    assert (red.robot.mass, red.robot.axle_length) == (0.1, KHEPERA.axle_length)
    assert blue.robot == PIONEER
    assert (blue.state.x, blue.state.y, blue.state.yaw) == (1.0, 0.5, 0.25)


@pytest.mark.parametrize(('row', 'error', 'message'), [
    ('simulator: {mode: physics}', ParameterError, "car car1: parameter 'mode' is 'physics' for"),
    ('simulator: {vehicle.mass: 1.0}', ParameterError, "parameter 'vehicle.mass' is unknown"),
    ('vehicle: f1tenth', ConfigurationError, "vehicle 'f1tenth' is neither a file nor one of kh"),
])
def test_what_a_robot_cannot_have_of_its_own_is_refused(tmp_path, row, error, message):
    file = tmp_path / 'fleet.yaml'
    file.write_text(f'- {{name: car1, {row}}}')
    with pytest.raises(error, match=message):
        values_of_cars(values_of(names=['car1'], fleet_file=str(file)), TABLE, ROBOTS)
