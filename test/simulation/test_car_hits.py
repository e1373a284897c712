# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars of the planar simulator that hit each other and walls: closed forms, momentum, energy."""

import math
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.types import AckermannCommand, Pose2
from racecar.dynamics.vehicles import make_vehicle_model, VEHICLE_PARAMETERS
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.scene import Box, Cone, EMPTY_SCENE, Scene, Wall
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.contact import Contact
from racecar.simulation.fleet_file import CarValues
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.obstacles import ContactShape
from racecar.simulation.ports import COLLISIONS, ODOMETRY
from racecar.simulation.simulator import Simulator
from racecar.simulation.vehicle_fleet import make_vehicle_plant, VehicleFleet
from racecar.simulation.world_batch import WorldBatch, WorldSetup

FILE = Path(__file__).parents[2] / 'config' / 'vehicles' / 'racecar.yaml'
TABLE = VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS
RACECAR = VehicleParameters.from_file(FILE)
FRONT, REAR, SIDE = RACECAR.footprint
CENTRE = -RACECAR.odometry_offset
# A slanted wall, a box and a cone about the cars of test_hits_have_the_bits_of_world_batch.
CORNER = Scene(
    walls=(Wall(2.0, -3.0, 2.6, 3.0, 0.1),), boxes=(Box(-1.2, 0.3, 0.3, 0.6, 1.0, 0.5),),
    cones=(Cone(0.6, 1.0, base=0.2),))


def values_of(**more):
    return TABLE.resolve({**load_parameter_file(FILE, 'any_node'), **more})


def simulator(pose, model='single_track_force', scene=EMPTY_SCENE, contact=None, **more):
    values = values_of(tyre_model='fiala', **more)
    made = Simulator(
        make_vehicle_model(model, VehicleParameters.from_values(values), values),
        start=Start(Pose2(*pose)), actuators=values, scene=scene, step=values['step'])
    made.contacts.response = contact or Contact('impulse')
    return made


def fleet_of(simulators):
    return VehicleFleet({f'car{i}': one for i, one in enumerate(simulators)})


def drive(fleet, ticks, commands):
    """Places of all cars after each tick of 10 ms."""
    track = []
    for tick in range(ticks):
        for entity, command in zip(fleet.entities, commands(tick), strict=True):
            entity.inputs[0].apply(AckermannCommand(*command))
        fleet.advance(10)
        track.append([entity.output(ODOMETRY).read() for entity in fleet.entities])
    return track


@pytest.mark.parametrize(('model', 'poses'), [
    ('single_track_force', ((0.0, 0.0, 0.1), (1.3, 0.1, 3.0), (0.4, -0.5, 0.5))),
    ('kinematic_bicycle', ((0.0, 0.0, 0.1), (1.3, 0.1, 3.0)))])
def test_hits_have_the_bits_of_world_batch(model, poses):
    contact = Contact('impulse', restitution=0.3, friction=0.4)
    cars = [simulator(pose, model, CORNER, contact) for pose in poses]
    fleet = fleet_of(cars)
    worlds = WorldBatch([car.model for car in cars], len(cars), WorldSetup(
        period=0.01, contact=contact, scenes=(CORNER,)))
    worlds.reset(poses=[poses])
    numbers = np.random.default_rng(7)
    commands = [[(numbers.uniform(-1.0, 3.0), numbers.uniform(-0.4, 0.4)) for _ in cars]
                for _ in range(8)]
    # Held for a while, so that cars get somewhere.
    track = drive(fleet, 240, lambda tick: commands[tick // 30])
    by_scene, by_cars = 0.0, 0.0
    for tick, places in enumerate(track):
        read = worlds.step([commands[tick // 30]])
        assert [[place.pose.x, place.pose.y, place.twist.vx, place.twist.vy, place.twist.wz]
                for place in places] == np.stack(
                    [read[name][0] for name in ('x', 'y', 'vx', 'vy', 'yaw_rate')], -1).tolist()
        by_scene += read['hit_scene'].sum()
        by_cars += read['hit_cars'].sum()
    assert by_scene > 0.0
    assert by_cars > 0.0


def pushed_to(car, speed, across=0.0, turn=0.0):
    """Velocity of the centre of gravity and turn of a car, of which base_link is behind."""
    car.push(speed, across - CENTRE * turn, turn)
    return car


def moving(cars):
    """Momentum along x, y and about the origin, and energy of cars."""
    m, inertia, sums, energy = RACECAR.mass, RACECAR.yaw_inertia, np.zeros(3), 0.0
    for car in cars:
        body = car.car.body()
        vx = body.vx * body.cosine - body.vy * body.sine
        vy = body.vx * body.sine + body.vy * body.cosine
        sums += [m * vx, m * vy, inertia * body.yaw_rate + m * (body.x * vy - body.y * vx)]
        energy += 0.5 * (m * (vx * vx + vy * vy) + inertia * body.yaw_rate**2)
    return sums, energy


STEP = 1e-6
"""So short that tyres change nothing by themselves."""


@pytest.mark.parametrize('restitution', [0.0, 0.4, 1.0])
def test_two_cars_head_on_part_as_the_textbook_says(restitution):
    contact = Contact('impulse', 1e-5, restitution)
    one = pushed_to(simulator((0.0, 0.0, 0.0), contact=contact, step=STEP), 2.0)
    other = pushed_to(simulator(
        (2.0 * FRONT, 0.0, math.pi), contact=contact, step=STEP), 1.0)
    fleet = fleet_of([one, other])
    fleet.advance(10)
    # Equal masses: the mean, and the restitution times half of the difference.
    assert one.odometry().vx == pytest.approx(0.5 - 1.5 * restitution, abs=1e-3)
    assert other.odometry().vx == pytest.approx(-0.5 - 1.5 * restitution, abs=1e-3)
    assert [entity.output(COLLISIONS).read()[:2] for entity in fleet.entities] == [(1, True)] * 2
    assert fleet.entities[0].output(COLLISIONS).read().speed == pytest.approx(2.0)


@pytest.mark.parametrize('friction', [0.0, 0.1, 2.0])
def test_an_oblique_hit_has_the_impulses_of_the_textbook(friction):
    """A car that slides sideways along a wall ahead: Routh's cases of sliding and of sticking."""
    wall = Scene(walls=(Wall(FRONT, -5.0, FRONT, 5.0),))
    contact = Contact('impulse', 1e-5, 0.5, friction)
    car = pushed_to(simulator(
        (1e-7, 0.0, 0.0), contact=contact, scene=wall, step=STEP), 1.0, 0.3)
    car.advance(1)
    # The wall is met in the middle of the front, an arm ahead of the centre of gravity.
    m, inertia, arm = RACECAR.mass, RACECAR.yaw_inertia, FRONT - CENTRE
    normal = 1.5 * m * 1.0
    sticking = 0.3 / (1.0 / m + arm * arm / inertia)
    sideways = min(sticking, friction * normal)
    after = car.car.body()
    assert after.vx == pytest.approx(-0.5, abs=1e-3)
    assert after.vy == pytest.approx(0.3 - sideways / m, abs=1e-3)
    assert after.yaw_rate == pytest.approx(-arm * sideways / inertia, abs=5e-3)
    assert (car.collisions.contacts, car.collisions.in_contact) == (1, True)


speeds = st.floats(-1.0, 1.0)


@settings(max_examples=60, deadline=None)
@given(speeds=st.lists(st.tuples(st.floats(0.2, 3.0), speeds, speeds), min_size=2, max_size=2),
       side=st.floats(-0.2, 0.2), turn=st.floats(-0.8, 0.8), restitution=st.floats(0.0, 1.0),
       friction=st.floats(0.0, 2.0))
def test_cars_keep_their_momentum_and_gain_no_energy(speeds, side, turn, restitution, friction):
    gap = 2.0 * FRONT - 0.005 + abs(math.sin(turn)) * (SIDE + FRONT)
    contact = Contact('impulse', 1e-5, restitution, friction)
    poses = ((0.0, 0.0, 0.0), (gap, side, math.pi + turn))
    alone, met = ([pushed_to(simulator(pose, contact=contact, step=STEP), *motion)
                   for pose, motion in zip(poses, speeds, strict=True)] for _ in range(2))
    for car in alone:
        car.advance(1)
    fleet_of(met).advance(1)
    (before, had), (after, has) = moving(alone), moving(met)
    # Cars that overlap are moved apart, by at most 1 cm: the angular one goes with that.
    assert after[:2] == pytest.approx(before[:2], abs=1e-9)
    assert after[2] == pytest.approx(before[2], abs=0.02 * RACECAR.mass * 8.0)
    assert has <= had * (1.0 + 1e-9) + 1e-9


def test_a_hit_car_is_pushed_away_and_both_runs_have_equal_bits():
    def run():
        fleet = fleet_of([simulator((0.0, 0.0, 0.0)), simulator((1.2, 0.12, 0.0))])
        return drive(fleet, 200, lambda tick: ((3.0, 0.0), (0.0, 0.0)))

    track = run()
    assert track == run()
    other = track[-1][1]
    assert other.pose.x > 1.5
    # Hit beside its middle, it has turned.
    assert abs(other.pose.qz) > 0.01


def test_a_car_alone_is_hit_by_walls_too_and_presses_in_as_far_as_it_gives():
    wall = Scene(walls=(Wall(1.0, -5.0, 1.0, 5.0),))
    for give in (0.0, 0.04):
        car = simulator((0.0, 0.0, 0.0), scene=wall)
        car.contacts.shape = ContactShape(give=give)
        car.set_command(AckermannCommand(2.0, 0.0))
        farthest, slowest = 0.0, 1.0
        for _ in range(150):
            car.tick()
            farthest = max(farthest, car.odometry().x)
            slowest = min(slowest, car.odometry().vx)
        assert farthest == pytest.approx(1.0 - FRONT + give, abs=1e-6)
        assert slowest < -0.2
        assert car.collisions.contacts >= 1


def test_a_car_that_was_put_into_a_wall_drives_out():
    wall = Scene(walls=(Wall(0.1, -5.0, 0.1, 5.0),))
    car = simulator((0.0, 0.0, 0.0), scene=wall)
    car.set_command(AckermannCommand(-1.0, 0.0))
    for _ in range(100):
        car.tick()
    assert car.odometry().x < -0.5
    assert car.collisions.contacts == 0


def test_a_car_between_walls_ends_where_it_was_before():
    # A slot as wide as the car: no way out along a normal.
    slot = Scene(boxes=(Box(1.0, SIDE + 0.501, 0.0, 1.0, 1.0, 0.5),
                        Box(1.0, -SIDE - 0.501, 0.0, 1.0, 1.0, 0.5)))
    car = pushed_to(simulator((1.0, 0.0, 0.0), scene=slot), 0.5, 0.5, 1.0)
    car.set_command(AckermannCommand(1.0, 0.3))
    for _ in range(50):
        car.tick()
        assert car.obstacles.depth(car.odometry()) < 1e-3
    assert car.collisions.contacts >= 1
    assert math.isfinite(car.odometry().vx)


def test_when_one_diverges_it_stands_and_the_other_goes_on():
    good, bad = simulator((0.0, 0.0, 0.0)), simulator((1.0, 0.0, math.pi))
    fleet = fleet_of([good, bad])
    drive(fleet, 20, lambda tick: ((2.0, 0.0), (2.0, 0.0)))
    before = good.odometry()
    broken = [*bad.state]
    broken[bad.model.state_names.index('yaw_rate')] = math.nan
    bad.state = broken
    fleet.advance(25)
    assert good.time_ns == before.time_ns + 25_000_000
    assert good.odometry().x > before.x
    assert [bool(entity.fault()) for entity in fleet.entities] == [False, True]


def test_another_scene_is_hit_from_then_on():
    car = simulator((0.0, 0.0, 0.0))
    car.scene = Scene(walls=(Wall(1.0, -5.0, 1.0, 5.0),))
    car.set_command(AckermannCommand(2.0, 0.0))
    slowest = 0.0
    for _ in range(100):
        car.tick()
        slowest = min(slowest, car.odometry().vx)
    assert slowest < -0.2


def test_a_car_in_the_open_has_the_bits_of_one_that_stops():
    scene = Scene(walls=(Wall(5.0, -5.0, 5.0, 5.0),))
    cars = [simulator((0.0, 0.0, 0.0), scene=scene, contact=Contact(policy))
            for policy in ('stop', 'impulse')]
    for car in cars:
        car.set_command(AckermannCommand(2.0, 0.2))
        for _ in range(100):
            car.tick()
    assert cars[0].state == cars[1].state


def test_parameters_choose_it_for_one_car_and_for_all():
    values = values_of(vehicle_model='single_track_force', contact='impulse',
                       contact_restitution=0.7, contact_friction=0.1)
    assert make_simulator(values).contacts.response == Contact('impulse', 0.01, 0.7, 0.1)
    assert make_simulator(values_of()).contacts.response == Contact()
    fleet = make_vehicle_plant([CarValues('red', values), CarValues('blue', values, 1)])
    assert {one.contacts.response for one in fleet.simulators.values()} == {
        Contact('impulse', 0.01, 0.7, 0.1)}


def test_what_does_not_fit_together_is_refused():
    with pytest.raises(ConfigurationError, match=r"contact_radius' is 0.05 m with contact"
                                                 r" 'impulse', expected 0"):
        make_simulator(values_of(contact='impulse', contact_radius=0.05))
    car = simulator((0.0, 0.0, 0.0))
    with pytest.raises(ConfigurationError, match='expected 0: hits are those of the outline'):
        car.contacts.shape = ContactShape(radius=0.05)
    assert car.contacts.shape == ContactShape()
    with pytest.raises(ConfigurationError, match="'none', expected 'stop' or 'impulse'"):
        simulator((0.0, 0.0, 0.0), contact=Contact('none'))
    with pytest.raises(ConfigurationError, match='restitution is 2.0'):
        simulator((0.0, 0.0, 0.0), contact=Contact('impulse', restitution=2.0))
    with pytest.raises(ConfigurationError, match='expected one for all'):
        fleet_of([simulator((0.0, 0.0, 0.0)), simulator((3.0, 0.0, 0.0), contact=Contact())])
