# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several cars in the plane: they stop where they touch, see each other, and are alone else."""

import math
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.types import AckermannCommand, Pose2, Pose3
from racecar.dynamics.vehicles import make_vehicle_model, VEHICLE_MODELS, VEHICLE_PARAMETERS
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.scene import Cone, EMPTY_SCENE, Scene, Wall
from racecar.scene.world_file import load_world
from racecar.sensors.laser import Laser
from racecar.sensors.mounting import EquippedPlant, MountedSensor
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.contact import Contact, IMPULSE
from racecar.simulation.ports import COLLISIONS, ODOMETRY
from racecar.simulation.simulator import Simulator
from racecar.simulation.vehicle_fleet import VehicleFleet

FILE = Path(__file__).parents[2] / 'config' / 'vehicles' / 'racecar.yaml'
TABLE = VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS
FRONT, REAR, SIDE = VehicleParameters.from_file(FILE).footprint


def simulator(pose, model='single_track', scene=EMPTY_SCENE, kind=Simulator, **values):
    resolved = TABLE.resolve({**load_parameter_file(FILE, 'any_node'), **values})
    return kind(
        make_vehicle_model(model, VehicleParameters.from_values(resolved), resolved),
        start=Start(Pose2(*pose)), actuators=resolved, scene=scene)


def fleet_of(*poses, **more):
    return VehicleFleet({f'car{i}': simulator(pose, **more) for i, pose in enumerate(poses)})


def drive(fleet, ticks, *commands, parts=(10,)):
    """Command all cars at each tick of 10 ms, which goes in these parts; places after each."""
    track = []
    for _ in range(ticks):
        for entity, command in zip(fleet.entities, commands, strict=True):
            entity.inputs[0].apply(AckermannCommand(*command))
        for part in parts:
            fleet.advance(part)
        track.append([entity.output(ODOMETRY).read() for entity in fleet.entities])
    return track


def contacts(fleet):
    return [entity.output(COLLISIONS).read() for entity in fleet.entities]


@pytest.mark.parametrize('model', VEHICLE_MODELS)
def test_a_car_stops_behind_one_that_stands(model):
    fleet = fleet_of((0.0, 0.0, 0.0), (2.0, 0.0, 0.0), model=model)
    one, other = drive(fleet, 200, (2.0, 0.0), (0.0, 0.0))[-1]
    # A step at 2 m/s is 2 mm.
    assert 2.0 - REAR - FRONT - 0.0021 <= one.pose.x <= 2.0 - REAR - FRONT + 1e-9
    assert one.twist == (0.0,) * 6
    assert other.pose.x == pytest.approx(2.0, abs=1e-9)
    assert [found[:2] for found in contacts(fleet)] == [(1, True)] * 2
    assert contacts(fleet)[0].speed == pytest.approx(2.0, abs=0.1)
    assert contacts(fleet)[1].speed == 0.0


def test_a_contact_ends_once_there_is_room_and_the_next_is_counted():
    fleet = fleet_of((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    drive(fleet, 100, (1.0, 0.0), (0.0, 0.0))
    drive(fleet, 100, (-1.0, 0.0), (0.0, 0.0))
    assert [found[:2] for found in contacts(fleet)] == [(1, False)] * 2
    drive(fleet, 150, (1.0, 0.0), (0.0, 0.0))
    assert [found[:2] for found in contacts(fleet)] == [(2, True)] * 2
    fleet.entities[0].reset(None)
    assert contacts(fleet)[0].contacts == 0


def test_who_was_hit_from_behind_drives_away():
    fleet = fleet_of((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    drive(fleet, 100, (1.0, 0.0), (0.0, 0.0))
    _, other = drive(fleet, 100, (0.0, 0.0), (1.0, 0.0))[-1]
    assert other.pose.x > 1.8


def test_cars_that_do_not_meet_have_the_bits_of_each_alone():
    poses = ((0.0, 0.0, 0.3), (0.0, 3.0, -0.2), (5.0, 5.0, 2.0))
    commands = ((2.0, 0.1), (3.0, 0.0), (1.0, -0.3))
    fleet = fleet_of(*poses, **{'actuators.steering_lag': 0.05})
    together = drive(fleet, 100, *commands)
    for index, (pose, command) in enumerate(zip(poses, commands, strict=True)):
        alone = fleet_of(pose, **{'actuators.steering_lag': 0.05})
        assert [places[index] for places in together] == [
            place for place, in drive(alone, 100, command)]


@settings(max_examples=25)
@given(parts=st.lists(st.integers(1, 12), min_size=1, max_size=4),
       angle=st.floats(-0.4, 0.4), speed=st.floats(0.5, 4.0))
def test_it_does_not_matter_in_how_many_parts_a_tick_goes(parts, angle, speed):
    whole = sum(parts)
    wall = Scene(walls=(Wall(3.0, -5.0, 3.0, 5.0),))
    once, often = (fleet_of((0.0, 0.0, 0.0), (1.2, 0.2, math.pi), scene=wall) for _ in range(2))
    commands = ((speed, angle), (speed, -angle))
    assert drive(once, 60, *commands, parts=(whole,))[-1] == drive(
        often, 60, *commands, parts=parts)[-1]
    assert contacts(once) == contacts(often)


@pytest.mark.parametrize('seed', range(3))
def test_no_two_cars_ever_cover_the_same_ground(seed):
    generator = np.random.default_rng(seed)
    poses = [(x, y, generator.uniform(-3.0, 3.0)) for x in (0.0, 1.0) for y in (0.0, 1.0)]
    walls = tuple(Wall(*ends) for ends in (
        (-1.0, -1.0, 2.0, -1.0), (2.0, -1.0, 2.0, 2.0), (2.0, 2.0, -1.0, 2.0),
        (-1.0, 2.0, -1.0, -1.0)))
    fleet = fleet_of(*poses, scene=Scene(walls=walls))
    met = 0
    for _ in range(40):
        commands = [(generator.uniform(-2.0, 3.0), generator.uniform(-0.5, 0.5)) for _ in poses]
        for places in drive(fleet, 10, *commands):
            for one in range(4):
                for other in range(one):
                    assert not corners_inside(places[one].pose, places[other].pose)
                    assert not corners_inside(places[other].pose, places[one].pose)
        met = sum(found.contacts for found in contacts(fleet))
    assert met > 5


class Alone(Simulator):
    """A car that a fleet moves by itself, as its tick is its own."""

    def tick(self):
        super().tick()


@pytest.mark.parametrize(('cars', 'met', 'more'), [
    (6, 6, {}), (6, 6, {'actuators.speed_delay': 0.02}), (2, 4, {})])
def test_cars_that_move_together_have_the_bits_of_each_moved_by_itself(cars, met, more):
    generator = np.random.default_rng(5)
    poses = [(x, y, generator.uniform(-3.0, 3.0))
             for x in (0.0, 1.5, 3.0) for y in (0.0, 1.5)][:cars]
    scene = Scene(walls=tuple(Wall(*ends) for ends in (
        (-1.0, -1.0, 4.0, -1.0), (4.0, -1.0, 4.0, 2.5), (4.0, 2.5, -1.0, 2.5),
        (-1.0, 2.5, -1.0, -1.0))), cones=(Cone(0.8, 0.7),))
    together = fleet_of(*poses, scene=scene, **more)
    alone = fleet_of(*poses, scene=scene, kind=Alone, **more)
    for _ in range(15):
        commands = [(generator.uniform(-2.0, 3.0), generator.uniform(-0.5, 0.5)) for _ in poses]
        parts = tuple(generator.integers(1, 25, 2).tolist())
        assert drive(together, 8, *commands, parts=parts) == drive(
            alone, 8, *commands, parts=parts)
        assert contacts(together) == contacts(alone)
    assert sum(found.contacts for found in contacts(together)) >= met


def corners_inside(one, other):
    """Whether a corner of one car is in the other one, by the definition of a rectangle."""
    def yaw(pose):
        return 2.0 * math.atan2(pose.qz, pose.qw)

    for along in (FRONT, -REAR):
        for across in (SIDE, -SIDE):
            x = one.x + along * math.cos(yaw(one)) - across * math.sin(yaw(one)) - other.x
            y = one.y + along * math.sin(yaw(one)) + across * math.cos(yaw(one)) - other.y
            ahead = x * math.cos(yaw(other)) + y * math.sin(yaw(other))
            left = y * math.cos(yaw(other)) - x * math.sin(yaw(other))
            if -REAR + 1e-9 < ahead < FRONT - 1e-9 and abs(left) < SIDE - 1e-9:
                return True
    return False


def test_who_was_put_into_another_car_may_leave():
    fleet = fleet_of((0.0, 0.0, 0.0), (0.1, 0.05, 0.0))
    one, other = drive(fleet, 100, (-2.0, 0.0), (2.0, 0.0))[-1]
    assert other.pose.x - one.pose.x > 2.0
    assert contacts(fleet)[0].contacts == 0


def test_contacts_with_walls_and_cars_are_counted_together_and_the_newest_is_told():
    wall = Scene(walls=(Wall(3.0, -5.0, 3.0, 5.0),))
    fleet = fleet_of((0.0, 0.0, 0.0), (1.5, 0.0, 0.0), scene=wall)
    drive(fleet, 300, (0.0, 0.0), (2.0, 0.0))
    assert [found.contacts for found in contacts(fleet)] == [0, 1]
    drive(fleet, 300, (1.0, 0.0), (0.0, 0.0))
    first, second = contacts(fleet)
    assert (first.contacts, second.contacts) == (1, 2)
    assert first.speed == pytest.approx(1.0, abs=0.05)
    assert second.speed == 0.0


@pytest.mark.parametrize('contact', [Contact(), Contact(IMPULSE)])
def test_a_car_that_leaves_its_range_stands_still_and_the_others_go_on(contact):
    def drive_beside(cars):
        for one in cars.values():
            one.contacts.response = contact
        fleet = VehicleFleet(cars)
        track = drive(fleet, 50, *[(2.0, 0.2)] * len(cars), parts=(7, 3))
        return fleet, [places[0] for places in track]

    broken = simulator((9.0, 1.0, 0.5))
    # Faster sideways than the model holds for.
    broken.state = (20.0, *broken.state[1:])
    fleet, good = drive_beside({'good': simulator((0.0, 0.0, 0.0)), 'bad': broken})
    _, alone = drive_beside({'good': simulator((0.0, 0.0, 0.0))})
    assert good == alone
    bad = fleet.entities[1]
    assert fleet.time_ns == 500_000_000
    assert [entity.fault() for entity in fleet.entities][0] == ''
    assert bad.fault().startswith('the car stands still from 0 s on: the integration of single_')
    assert 'last good state vy=20' in bad.fault()
    where = bad.output(ODOMETRY).read()
    assert where.pose[:2] == pytest.approx((9.0, 1.0))
    assert where.twist == (0.0,) * 6
    bad.reset(None)
    assert bad.fault() == ''
    drive(fleet, 20, (0.0, 0.0), (1.0, 0.0))
    assert bad.output(ODOMETRY).read().twist.vx == pytest.approx(1.0)


def test_lasers_see_the_other_cars_and_the_cones():
    laser = MountedSensor.from_values('laser', {
        'laser.kind': 'laser', 'laser.x': FRONT, 'laser.z': 0.1, 'laser.noise': 0.0})
    scene = Scene(cones=(Cone(0.0, 3.0),))
    fleet = fleet_of((0.0, 0.0, 0.0), (3.0, 0.0, 0.0), scene=scene)
    plant = EquippedPlant(fleet, {'car0': [laser], 'car1': [laser]}, scene)
    scan = plant.entities[0].output('laser').read()
    straight = round(-scan.angle_min / scan.angle_increment)
    assert scan.ranges[straight] == pytest.approx(3.0 - REAR - FRONT, abs=0.006)
    other = plant.entities[1].output('laser').read()
    assert not np.isfinite(other.ranges[straight])


LASERS = (
    {'rays': 108, 'noise': 0.05}, {'rays': 37, 'noise': 0.0, 'clip': True, 'range_max': 2.0},
    {'rays': 41, 'yaw': 2.0, 'rate': 20.0}, {'rays': 5, 'sweep_time': 0.01},
    {'rays': 7, 'pitch': 0.2})


def with_lasers():
    scene = load_world('walker')
    fleet = fleet_of(*((-2.0 + k, -1.0, 0.5 * k) for k in range(len(LASERS))), scene=scene)
    return EquippedPlant(fleet, {
        entity.name: [MountedSensor.from_values('laser', {
            'laser.kind': 'laser', 'laser.z': 0.1,
            **{f'laser.{name}': value for name, value in settings.items()}})]
        for entity, settings in zip(fleet.entities, LASERS, strict=True)}, scene)


def scans(plant, cars, turn):
    """Scans of some cars that are due; in the midst of one turn another car is put elsewhere."""
    found = {}
    if turn == 16:
        plant.restart()
    for k, entity in enumerate(plant.entities):
        if turn == 12 and k == 1:
            plant.entities[2].reset(Pose3(1.0, 1.0, 0.0, 0.0, 0.0, 0.6, 0.8))
        laser = entity.output('laser')
        if k in cars and laser.is_due(plant.time_ns // plant.step_ns):
            found[k] = laser.read()
    plant.entities[0].inputs[0].apply(AckermannCommand(1.0, 0.1))
    plant.advance(25)
    return found


def test_scans_of_several_cars_have_the_bits_of_lasers_that_are_read_alone(monkeypatch):
    by_itself, measure = [], Laser.measure

    def noted(laser, view, generator):
        by_itself.append(laser.beams.count)
        return measure(laser, view, generator)

    monkeypatch.setattr(Laser, 'measure', noted)
    together, *alone = (with_lasers() for _ in range(1 + len(LASERS)))
    for turn in range(24):
        by_itself.clear()
        found = scans(together, range(len(LASERS)), turn)
        # The first turn tells who is read; only who sweeps or is tilted scans by itself.
        assert turn == 0 or {*by_itself} <= {5, 7}
        for k, plant in enumerate(alone):
            for scan in scans(plant, [k], turn).values():
                assert found[k][:7] == scan[:7]
                assert found[k].ranges.tobytes() == scan.ranges.tobytes()
    laser = together.entities[0].output('laser')
    assert laser.read().ranges is not laser.read().ranges


def test_time_begins_again_for_all():
    fleet = fleet_of((0.0, 0.0, 0.0), (5.0, 0.0, 0.0))
    fleet.advance(35)
    assert fleet.time_ns == 35_000_000
    fleet.restart()
    assert fleet.time_ns == 0
    fleet.advance(1)
    assert {fleet.time_ns} == {1_000_000}


def test_another_scene_stands_around_all():
    fleet = fleet_of((0.0, 0.0, 0.0), (0.0, 2.0, 0.0))
    fleet.scenery.replace(Scene(walls=(Wall(1.0, -5.0, 1.0, 5.0),)))
    for place in drive(fleet, 200, (2.0, 0.0), (2.0, 0.0))[-1]:
        assert place.pose.x < 1.0 - FRONT + 1e-9
    assert len(fleet.scenery.scene().walls) == 1


def test_in_another_scene_contacts_are_counted_anew():
    fleet = fleet_of((0.0, 0.0, 0.0), (1.0, 0.0, 0.0),
                     scene=Scene(walls=(Wall(-0.6, -5.0, -0.6, 5.0),)))
    drive(fleet, 80, (-1.0, 0.0), (0.0, 0.0))
    drive(fleet, 150, (1.0, 0.0), (0.0, 0.0))
    assert contacts(fleet)[0].contacts == 2
    fleet.scenery.replace(Scene(walls=(Wall(-1.1, -5.0, -1.1, 5.0),)))
    assert [found.contacts for found in contacts(fleet)] == [0, 0]
    drive(fleet, 200, (-1.0, 0.0), (0.0, 0.0))
    assert contacts(fleet)[0].contacts == 1
    assert contacts(fleet)[0].x < -0.9


@pytest.mark.parametrize('simulators', [
    {}, {'a': simulator((0.0, 0.0, 0.0)),
         'b': simulator((2.0, 0.0, 0.0), scene=Scene(walls=(Wall(9.0, 0.0, 9.0, 1.0),)))}])
def test_cars_of_different_scenes_are_refused(simulators):
    with pytest.raises(ConfigurationError, match='expected at least one'):
        VehicleFleet(simulators)
