# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Things that move by a script or at random: where they are, who sees them, whom they hit."""

import math
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.types import AckermannCommand, Pose2, Pose3, Twist3
from racecar.differential.differential_wheels import robot_of
from racecar.differential.motion import PlanarMotion
from racecar.dynamics.vehicles import make_vehicle_model, VEHICLE_PARAMETERS
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.entities.refusals import RefusedError
from racecar.entities.world_entities import Category, Entities, World
from racecar.scene import Box, Cylinder, MovingThing, Objects, Scene
from racecar.scene.motions import random_walk, scripted_motion, WALK_LEGS
from racecar.scene.world_file import load_world, world_of_text
from racecar.sensors.beams import Beams
from racecar.sensors.equipment import equip, EQUIPMENT_PARAMETERS
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.contact import Contact, IMPULSE, STOP
from racecar.simulation.ports import Output
from racecar.simulation.simulator import Simulator
from racecar.simulation.vehicle_fleet import VehicleFleet
from racecar.simulation.vehicle_plant import VehiclePlant

FILE = Path(__file__).parents[2] / 'config' / 'vehicles' / 'racecar.yaml'
TABLE = VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS
RACECAR = VehicleParameters.from_file(FILE)
SECOND = 1_000_000_000


def car_in(scene, policy=STOP, pose=(0.0, 0.0, 0.0), model='single_track_force'):
    values = TABLE.resolve({**load_parameter_file(FILE, 'any_node'), 'tyre_model': 'fiala'})
    car = Simulator(make_vehicle_model(model, VehicleParameters.from_values(values), values),
                    start=Start(Pose2(*pose)), scene=scene)
    car.contacts.response = Contact(policy, restitution=0.3, friction=0.0)
    return car


def moving(*points, **shape):
    return Scene('moving', moving=(MovingThing('thing', scripted_motion(points), 0.5, **shape),))


def drive(car, ticks, speed=0.0, parts=(10,)):
    for _ in range(ticks):
        car.set_command(AckermannCommand(speed, 0.0))
        for part in parts:
            car.advance(part)
    return car


# Where they are

numbers = st.floats(-50.0, 50.0)


@given(st.lists(st.tuples(st.floats(0.01, 5.0), numbers, numbers, numbers), min_size=2,
                max_size=6), st.floats(0.0, 40.0), st.booleans())
def test_a_script_is_linear_between_its_points(rows, time, repeats):
    spans, x, y, yaw = (np.array(column) for column in zip(*rows, strict=True))
    if repeats:
        x[-1], y[-1] = x[0], y[0]
    times = np.cumsum(spans)
    motion = scripted_motion([*zip(times, x, y, strict=True)], yaw.tolist(), repeats=repeats)
    at = motion.at(round(time * SECOND))
    moment = time % times[-1] if repeats else time
    if min(abs(times - moment)) < 1e-6 or moment < 1e-6:
        return
    expected = [np.interp(moment, times, column) for column in (x, y, np.unwrap(yaw))]
    assert at[:3] == pytest.approx(expected, abs=1e-6)
    ahead = [np.interp(moment + 1e-7, times, column) for column in (x, y, np.unwrap(yaw))]
    assert at[3:] == pytest.approx(
        [(then - now) / 1e-7 for then, now in zip(ahead, expected, strict=True)],
        rel=1e-4, abs=1e-4)


def test_without_yaws_a_thing_looks_along_its_way():
    motion = scripted_motion([(1.0, 0.0, 0.0), (2.0, 0.0, 1.0), (3.0, 0.0, 1.0), (4.0, -1.0, 1.0)])
    headings = [motion.at(round(time * SECOND)).yaw for time in (0.0, 1.5, 2.5, 3.5, 9.0)]
    assert headings == [math.pi / 2.0, math.pi / 2.0, math.pi / 2.0, math.pi, math.pi]
    assert motion.at(9 * SECOND) == (-1.0, 1.0, math.pi, 0.0, 0.0, 0.0)


@given(st.integers(0, 2**32), st.floats(0.0, 1e5))
def test_a_walk_stays_in_its_area_at_its_speeds_whoever_asks_when(seed, time):
    walk = random_walk((-1.0, 2.0, 3.0, 4.0), (0.5, 1.5), seed)
    again = random_walk((-1.0, 2.0, 3.0, 4.0), (0.5, 1.5), seed)
    time_ns = round(time * SECOND)
    at = walk.at(time_ns)
    again.at(7)
    assert at == again.at(time_ns)
    assert -1.0 - 1e-9 <= at.x <= 3.0 + 1e-9
    assert 2.0 - 1e-9 <= at.y <= 4.0 + 1e-9
    assert 0.5 - 1e-6 <= math.hypot(at.vx, at.vy) <= 1.5 + 1e-6
    assert math.atan2(at.vy, at.vx) == pytest.approx(at.yaw, abs=1e-9)


def test_a_walk_is_what_the_generator_draws_and_begins_anew():
    walk = random_walk((0.0, 0.0, 4.0, 2.0), (1.0, 1.0), 5, start=(1.0, 1.0))
    drawn = np.random.default_rng(5).random((WALK_LEGS, 3))[:, :2] * (4.0, 2.0)
    drawn[0] = 1.0, 1.0
    way = np.append(0.0, np.cumsum(np.hypot(*np.diff(drawn, axis=0, append=drawn[:1]).T)))
    for time in (0.0, 3.3, 700.0, way[-1] - 0.5):
        at = walk.at(round(time * SECOND))
        assert (at.x, at.y) == pytest.approx(
            [np.interp(time, way, np.append(column, column[0])) for column in drawn.T], abs=1e-6)
    period = round(walk.end * SECOND)
    assert walk.end == pytest.approx(way[-1])
    assert walk.at(5 * SECOND) == walk.at(5 * SECOND + 3 * period)


# What a file may hold

@pytest.mark.parametrize(('text', 'message'), [
    ('{radius: 0.2}', 'neither of path and area, expected one: path for a script'),
    ('{radius: 0.2, path: []}', r'path is \[\], expected a list of at least two points'),
    ('{radius: 0.2, path: [[0, 0, 0], [0, 1, 1]]}', 'time 0 s after 0 s, expected times from 0'),
    ('{radius: 0.2, path: [[0, 0, 0], [1e-10, 0, 0]], repeat: true}',
     'time 1e-10 s after 0 s, expected times from 0 on that increase by at least 0.001 s'),
    ('{radius: 0.2, path: [[-1, 0, 0], [0, 1, 1]]}', 'time -1 s after the begin'),
    ('{radius: 0.2, path: [[0, 0, 0], [1, .nan, 1]]}', r'path has \[1, nan, 1\], expected a'),
    ('{radius: 0.2, path: [[0, 0, 0], [1, 2, 1, 1]]}', r'of all points or \[t, x, y, yaw\]'),
    ('{radius: 0.2, path: [[0, 0, 0], [1, 1, 1]], repeat: true}', 'add the way back as a last'),
    ('{radius: 0.2, path: [[0, 0, 0], [1, 1, 1]], sped: 3}', "'sped' is unknown here"),
    ('{radius: 0.2, width: 1, path: [[0, 0, 0], [1, 1, 1]]}', "'width' is unknown here"),
    ('{radius: 0.2, area: [0, 0, 1, 1], speed: -1}', r'speed is -1, expected a number in \[0.001'),
    ('{radius: 0.2, area: [0, 0, 1, 1], speed: [2, 1]}', r'speed is \[2, 1\], expected a number'),
    ('{radius: 0.2, area: [0, 0, 1, 1], speed: .nan}', r'speed has \[nan\], expected a list of'),
    ('{radius: 0.2, area: [1, 0, 0, 1], speed: 1}', 'the lowest below the highest'),
    ('{radius: 0.2, area: [0, 0, 1, 1], speed: 1, start: [2, 0]}', 'expected x, y within the'),
    ('{radius: 0.2, name: a b, area: [0, 0, 1, 1], speed: 1}', "name is 'a b', expected one that"),
    ('{radius: -0.2, area: [0, 0, 1, 1], speed: 1}', "'radius' is -0.2"),
    ('{name: a, radius: 1, area: [0, 0, 1, 1], speed: 1}, {name: a, radius: 1, '
     'area: [0, 0, 1, 1], speed: 1}', 'which another one has'),
])
def test_what_is_no_motion_is_refused_with_value_and_remedy(text, message):
    with pytest.raises(ConfigurationError, match=message):
        world_of_text(f'moving: [{text}]')


def test_the_crossing_has_them_by_their_names():
    scene = load_world('crossing')
    assert [(thing.name, thing.is_round) for thing in scene.moving] == [
        ('cart', False), ('ball', True), ('walker_1', True), ('walker_2', True)]
    assert not scene.is_empty
    assert scene.moving[0].motion.at(3 * SECOND)[:3] == (6.0, 0.0, math.pi / 2.0)
    # Begun anew after 16 s.
    assert scene.moving[0].motion.at(17 * SECOND)[1] == pytest.approx(-2.0)


# Who sees them

def test_a_laser_sees_a_box_and_a_cylinder_where_they_are_now():
    scene = Scene(moving=(
        MovingThing('box', scripted_motion([(0.0, 4.0, 0.0), (2.0, 2.0, 0.0)]), 0.5, 0.4, 1.0),
        MovingThing('post', scripted_motion([(0.0, -5.0, 0.0), (2.0, -3.0, 0.0)]), 0.5,
                    radius=0.3),
        MovingThing('low', scripted_motion([(0.0, 0.0, 2.0), (2.0, 0.0, 2.0)]), 0.1,
                    radius=0.3)))
    values = {**TABLE.resolve(load_parameter_file(FILE, 'any_node')),
              **EQUIPMENT_PARAMETERS.resolve({
                  'sensors': ['laser'], 'laser.noise': 0.0, 'laser.resolution': 0.0,
                  'laser.x': 0.0, 'laser.z': 0.13, 'laser.rays': 3,
                  'laser.angle_min': -math.pi, 'laser.angle_max': 0.5 * math.pi}),
              'world': 'empty'}
    plant = equip(VehiclePlant(car_in(Scene())), values)
    assert plant.scenery is not None
    plant.scenery.replace(scene)
    laser: Output = plant.entities[0].output('laser')
    for step in range(0, 2000, 500):
        time = step * 1e-3
        behind, right, left = laser.read().ranges.tolist()
        # Fronts of both, which come with 1 m/s; the third is too low.
        assert behind == pytest.approx(5.0 - time - 0.3, abs=1e-6)
        assert (right, left) == (math.inf, math.inf)
        plant.advance(500)
    assert scene.moving_at(SECOND).boxes == (Box(3.0, 0.0, math.pi, 0.4, 1.0, 0.5),)


@given(st.floats(0.05, 1.4), st.floats(-0.6, 0.6), st.floats(-0.4, 0.4))
def test_tilted_rays_meet_side_and_top_of_a_cylinder(height, pitch, bearing):
    """Against a march along the ray."""
    beams = Beams.spread(bearing, bearing, 1, 10.0, 0.0)
    pose = Pose3(0.0, 0.0, height, 0.0, math.sin(0.5 * pitch), 0.0, math.cos(0.5 * pitch))
    way = beams.distances(Scene(), Objects(cylinders=[Cylinder(2.0, 0.1, 0.4, 0.7)]), pose,
                          lambda: Twist3(*(0.0,) * 6))[0]
    along = np.linspace(0.0, 10.0, 20_001)
    x = math.cos(bearing) * math.cos(pitch) * along
    gap = np.hypot(x - 2.0, math.sin(bearing) * along - 0.1)
    z = height - math.cos(bearing) * math.sin(pitch) * along
    found = [((gap <= 0.4 + more) & (z <= 0.7 + more)) | (z <= 0.0) for more in (-2e-3, 2e-3)]
    # Rays that graze it or its edge are left out.
    far, near = (along[one.argmax()] if one.any() else 99.0 for one in found)
    if far - near < 0.05:
        assert near - 1e-3 <= (way if way < 10.0 else 99.0) <= far + 1e-3


# Whom they hit

def test_a_car_stops_at_a_thing_that_is_there_and_passes_when_it_has_gone():
    scene = moving((0.0, 2.0, 0.0), (2.2, 2.0, 0.0), (3.0, 2.0, 5.0), length=1.0, width=0.2)
    car = drive(car_in(scene), 215, 2.0)
    front = car.odometry().x + RACECAR.footprint.front
    assert 1.9 - 0.01 < front < 1.9
    assert car.collisions[:2] == (1, True)
    drive(car, 200, 2.0)
    assert car.odometry().x > 2.5
    assert car.collisions[:2] == (1, False)


@pytest.mark.parametrize('is_commanded', [True, False])
def test_a_thing_that_runs_into_a_standing_car_counts_once(is_commanded):
    scene = moving((0.0, 3.0, 0.0), (1.0, -3.0, 0.0), radius=0.2)
    car = car_in(scene)
    at, counts = car.odometry()[1:5], []
    for _ in range(150):
        if is_commanded:
            car.set_command(AckermannCommand(0.0, 0.0))
        car.advance(10)
        counts.append(car.collisions[:2])
    assert car.odometry()[1:5] == at
    begins = (3.0 - 0.2 - RACECAR.footprint.front) / 6.0
    assert counts.index((1, True)) == pytest.approx(begins * 100.0, abs=1.01)
    assert counts[-1] == (1, False)


@pytest.mark.parametrize('shape', [{'length': 0.4, 'width': 2.0}, {'radius': 0.2}])
def test_a_moving_thing_hits_as_a_body_of_infinite_mass(shape):
    """v' = u + e (u - v) along the normal, u of the thing, v of the car."""
    for speed, thing_speed in ((0.0, -1.0), (1.0, -2.0), (1.5, 0.5)):
        begin = 1.5
        scene = moving((0.0, begin, 0.0), (10.0, begin + 10.0 * thing_speed, 0.0), **shape)
        car = drive(car_in(scene, IMPULSE), 0)
        car.push(speed, 0.0, 0.0)
        car.set_command(AckermannCommand(speed, 0.0))
        before = car.odometry().vx
        while not car.collisions.contacts:
            before = car.odometry().vx
            car.advance(1)
        hit = car.odometry()
        assert hit.vx == pytest.approx(thing_speed + 0.3 * (thing_speed - before), abs=0.02)
        assert abs(hit.vy) < 1e-9


def test_a_thing_pushes_a_car_that_stands_and_never_is_in_it():
    scene = moving((0.0, -2.0, 0.0), (4.0, 2.0, 0.0), length=0.4, width=1.0)
    car = car_in(scene, IMPULSE, model='single_track_force')
    for _ in range(400):
        car.set_command(AckermannCommand(0.0, 0.0))
        car.advance(10)
        thing = scene.moving[0].motion.at(car.time_ns)
        assert car.odometry().x - RACECAR.footprint.rear > thing.x + 0.2 - 1e-3
    assert car.odometry().x > 2.0
    assert car.collisions.contacts >= 1


def test_walls_still_stop_who_is_in_a_moving_thing():
    """A thing has come over the car, which may leave it, but not through the wall."""
    wall = Box(1.5, 0.0, 0.0, 0.1, 4.0, 1.0)
    scene = Scene(boxes=(wall,), moving=(MovingThing(
        'big', scripted_motion([(0.0, -9.0, 0.0), (0.1, 0.0, 0.0)]), 1.0, radius=3.0),))
    car = drive(car_in(scene), 200, 1.0)
    assert car.odometry().x + RACECAR.footprint.front < 1.45
    assert car.odometry().x > 0.5


@pytest.mark.parametrize('policy', [STOP, IMPULSE])
def test_several_cars_meet_them_with_the_bits_of_one(policy):
    scene = load_world('crossing')
    alone = drive(car_in(scene, policy), 700, 2.0)
    fleet = VehicleFleet({
        'a': car_in(scene, policy), 'b': car_in(scene, policy, (22.0, 0.0, 0.0))})
    entity = fleet.entities[0]
    port, = (port for port in entity.inputs if port.name == 'drive')
    for _ in range(700):
        port.apply(AckermannCommand(2.0, 0.0))
        fleet.advance(10)
    assert fleet.simulators['a'].state == alone.state
    assert alone.collisions is not None
    assert fleet.simulators['a'].collisions == alone.collisions
    assert alone.collisions.contacts > 0


def test_a_reset_moves_no_thing_and_a_time_that_begins_anew_all():
    scene = load_world('crossing')
    car = drive(car_in(scene), 500, 2.0)
    first = car.state, car.collisions
    plant = VehiclePlant(car)
    plant.entities[0].reset(None)
    assert plant.time_ns == 5 * SECOND
    entities = Entities(plant, World('crossing', 'crossing'), lambda: None)
    assert entities.state('cart').pose.y == 2.0
    plant.restart()
    assert entities.state('cart').pose.y == -3.0
    # Also if ticks go in parts.
    drive(car, 500, 2.0, (3, 7))
    assert (car.state, car.collisions) == first


def test_a_robot_with_two_wheels_stops_at_them_and_they_run_into_it():
    robot = robot_of('khepera')
    motion = PlanarMotion(robot, scene=moving((0.0, 0.5, 0.0), (1.0, -0.5, 0.0), radius=0.1))
    counts = []
    for _ in range(120):
        motion.advance(10)
        assert motion.collisions is not None
        counts.append(motion.collisions[:2])
    reach = 0.1 + robot.body_radius
    assert counts.index((1, True)) == pytest.approx(100.0 * (0.5 - reach), abs=1.01)
    assert counts[-1] == (1, False)
    assert motion.state.x == 0.0


# As entities

def test_entities_list_them_with_their_states():
    plant = VehiclePlant(car_in(load_world('crossing')))
    entities = Entities(plant, World('crossing', 'crossing'), lambda: None)
    assert {'cart', 'ball', 'walker_1'} <= {*entities.names()}
    plant.advance(3000)
    state = entities.state('cart')
    assert state.pose[:2] == pytest.approx((6.0, 0.0))
    assert state.twist[:3] == pytest.approx((0.0, 1.0, 0.0))
    assert entities.info('ball').category == Category.DYNAMIC_OBJECT
    assert entities.bounds('ball').upper == (0.3, 0.3, 0.6)
    with pytest.raises(RefusedError, match="'cart' moves as the world says"):
        entities.delete('cart')


# In 3-D

def test_in_3d_things_push_cars_count_and_give_the_same_bits():
    pytest.importorskip('mujoco')
    from racecar.world.make_world import make_world_plant
    from racecar.world.world_parameters import WORLD_PARAMETERS
    values = (VEHICLE_PARAMETERS + WORLD_PARAMETERS).resolve(
        load_parameter_file(FILE, 'any_node'))
    scene = moving((0.0, -2.0, 0.0), (4.0, 2.0, 0.0), length=0.4, width=1.0)
    runs = []
    for parts in ((100,), (30, 70)):
        plant = make_world_plant(values, scene)
        car = plant.entities[0]
        for _ in range(30):
            for part in parts:
                plant.advance(part)
            place = car.output('odometry').read().pose
            thing = scene.moving[0].motion.at(plant.time_ns)
            assert plant.engine.data.mocap_pos[0, 0] == thing.x
            # Its tail may be pressed in by a little.
            assert place.x - RACECAR.footprint.rear > thing.x + 0.2 - 0.02
        assert place.x > 1.0
        assert car.output('collisions').read().contacts >= 1
        runs.append(place)
    assert runs[0] == runs[1]
    plant.restart()
    assert plant.engine.data.mocap_pos[0, 0] == -2.0
