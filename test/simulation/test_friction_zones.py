# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction zones: where they are, and what they do to cars in the plane and in 3-D."""

import math
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, DivergenceError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.types import AckermannCommand, Pose2
from racecar.dynamics.vehicles import make_vehicle_model, VEHICLE_MODELS, VEHICLE_PARAMETERS
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.scene import EMPTY_SCENE, Scene
from racecar.scene.friction_zones import friction_at, FrictionZone, zone_rows
from racecar.scene.world_file import load_world, world_of_text
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.ground_friction import axle_friction, WheelSpots
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.obstacles import start_caution
from racecar.simulation.ports import ODOMETRY
from racecar.simulation.simulator import Simulator
from racecar.simulation.vehicle_fleet import VehicleFleet

FILE = Path(__file__).parents[2] / 'config' / 'vehicles' / 'racecar.yaml'
TABLE = VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS
RACECAR = VehicleParameters.from_file(FILE)
SLIDING = tuple(name for name in VEHICLE_MODELS if not name.startswith('kinematic'))


def rectangle(factor, left, low, right, high):
    return FrictionZone(factor, ((left, low), (right, low), (right, high), (left, high)))


def scene_of(*zones):
    return Scene('zones', friction_zones=zones)


EVERYWHERE = scene_of(rectangle(0.4, -99.0, -99.0, 99.0, 99.0))
AHEAD = scene_of(rectangle(0.2, 1.0, -99.0, 99.0, 99.0))


def simulator(model, scene, pose=(0.0, 0.0, 0.0), **more):
    values = TABLE.resolve({
        **load_parameter_file(FILE, 'any_node'), 'tyre_model': 'fiala', **more})
    return Simulator(make_vehicle_model(model, VehicleParameters.from_values(values), values),
                     start=Start(Pose2(*pose)), actuators=values, scene=scene)


def drive(car, ticks=100, parts=(10,)):
    """States after each tick of 10 ms, with a bend after 0.3 s."""
    states = []
    for tick in range(ticks):
        car.set_command(AckermannCommand(3.0, 0.0 if tick < 30 else 0.3))
        for part in parts:
            car.advance(part)
        states.append(car.state)
    return states


places = st.floats(-3.0, 3.0)


@given(angles=st.lists(st.floats(0.0, 2.0 * math.pi), min_size=3, max_size=8, unique=True),
       x=places, y=places, radius=st.floats(0.1, 3.0))
def test_a_place_is_in_a_convex_zone_on_the_inner_side_of_all_its_sides(angles, x, y, radius):
    corners = tuple((2.0 * math.cos(angle), 2.0 * math.sin(angle)) for angle in sorted(angles))
    crosses = [(x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
               for (x1, y1), (x2, y2) in zip(corners, (*corners[1:], corners[0]), strict=True)]
    if min(map(abs, crosses)) < 1e-9 or abs(math.hypot(x - 0.5, y) - radius) < 1e-9:
        return
    polygon, disc = FrictionZone(0.5, corners), FrictionZone(0.25, (), 0.5, 0.0, radius)
    is_inside, is_round = min(crosses) > 0.0, math.hypot(x - 0.5, y) < radius
    assert friction_at(zone_rows([polygon]), x, y) == (0.5 if is_inside else 1.0)
    # The last one counts, in either order of the corners.
    both = zone_rows([disc, FrictionZone(0.5, corners[::-1])])
    assert friction_at(both, x, y) == (0.5 if is_inside else 0.25 if is_round else 1.0)


def test_paint_covers_as_much_ground_as_the_zone():
    # An L, which is not convex, and a circle.
    shape = FrictionZone(0.5, ((0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 3.0),
                               (0.0, 3.0)))
    assert sum(length * width for _, _, length, width in shape.strips()) == pytest.approx(4.0)
    disc = FrictionZone(0.5, (), 1.0, 2.0, 0.5)
    assert sum(length * width for _, _, length, width in disc.strips()) == pytest.approx(
        math.pi * 0.25, rel=0.01)
    rows = zone_rows([shape])
    assert {friction_at(rows, x, y) for x, y, _, _ in shape.strips()} == {0.5}


@given(x=places, y=places, yaw=st.floats(-3.0, 3.0))
def test_an_axle_has_the_mean_of_the_ground_under_its_wheels(x, y, yaw):
    zones = zone_rows([rectangle(0.3, -1.0, -1.0, 1.0, 1.5)])
    spots = WheelSpots.of(RACECAR)
    offset = RACECAR.odometry_offset
    front, rear = axle_friction(
        zones[:], (x, y, math.sin(0.5 * yaw), math.cos(0.5 * yaw)), spots[:])
    for found, ahead, track in (
            (front, RACECAR.cog_to_front_axle - offset, RACECAR.track_widths[0]),
            (rear, -RACECAR.cog_to_rear_axle - offset, RACECAR.track_widths[1])):
        wheels = [complex(x, y) + complex(ahead, side * 0.5 * track) * np.exp(1j * yaw)
                  for side in (1.0, -1.0)]
        if min(abs(abs(wheel.real) - 1.0) for wheel in wheels) > 1e-9 and min(
                abs(wheel.imag - edge) for wheel in wheels for edge in (-1.0, 1.5)) > 1e-9:
            inside = [abs(wheel.real) < 1.0 and -1.0 < wheel.imag < 1.5 for wheel in wheels]
            assert found == pytest.approx(1.0 - 0.35 * sum(inside))


@pytest.mark.parametrize('model', SLIDING)
def test_a_car_in_a_zone_has_the_bits_of_one_with_that_friction(model):
    in_zone, slippery = simulator(model, EVERYWHERE), simulator(
        model, EMPTY_SCENE, **{'vehicle.friction_coefficient': 0.4})
    assert drive(in_zone) == drive(slippery)
    # What is shown is of the ground as well.
    assert in_zone.wheels() == slippery.wheels()
    assert in_zone.diagnostics() == slippery.diagnostics()
    assert in_zone.acceleration() == slippery.acceleration()
    assert drive(simulator(model, EMPTY_SCENE)) != drive(slippery)


@pytest.mark.parametrize('model', SLIDING)
def test_it_begins_where_the_front_axle_is_and_not_before(model):
    plain, zoned, in_parts = (drive(simulator(model, scene), parts=parts) for scene, parts in (
        (EMPTY_SCENE, (10,)), (AHEAD, (10,)), (AHEAD, (1, 4, 5))))
    assert zoned == in_parts
    names = simulator(model, AHEAD).model.state_names
    x, spots = names.index('x'), WheelSpots.of(RACECAR)
    # The place of the state is base_link, or the centre of gravity ahead of it.
    before = [one == other for one, other in zip(plain, zoned, strict=True)
              if one[x] + spots.front < 1.0]
    assert all(before)
    assert len(before) > 10
    assert plain[-1] != zoned[-1]


def test_cars_of_a_fleet_are_each_on_their_own_ground_and_a_reset_repeats_it():
    scene = scene_of(rectangle(0.2, -9.0, 1.0, 9.0, 9.0))
    poses = (0.0, 0.0, 0.0), (0.0, 3.0, 0.0)
    fleet = VehicleFleet({f'car{i}': simulator('double_track', scene, pose)
                          for i, pose in enumerate(poses)})

    def run():
        for entity in fleet.entities:
            entity.reset(None)
        for tick in range(60):
            for entity in fleet.entities:
                entity.inputs[0].apply(AckermannCommand(3.0, 0.0 if tick < 30 else -0.2))
            fleet.advance(10)
        return [entity.output(ODOMETRY).read() for entity in fleet.entities]

    dry, wet = first = run()
    assert run() == first
    assert wet.twist.vx < dry.twist.vx - 0.5


def test_another_scene_and_another_vehicle_count_from_then_on():
    plain, zoned = (simulator('single_track', scene) for scene in (EMPTY_SCENE, EVERYWHERE))
    zoned.advance(10)
    zoned.reset()
    zoned.scene = EMPTY_SCENE
    assert drive(plain, 60) == drive(zoned, 60)
    # As a fault does it, on ground where friction is times 0.4.
    slippery = simulator('single_track', EMPTY_SCENE, **{'vehicle.friction_coefficient': 0.2})
    half = simulator('single_track', EMPTY_SCENE, **{'vehicle.friction_coefficient': 0.5})
    faulty = simulator('single_track', EVERYWHERE)
    faulty.advance(10)
    faulty.reset()
    faulty.change(half.model, half.channels)
    assert drive(faulty, 60) == drive(slippery, 60)


def test_without_zones_loops_stay_compiled_and_with_them_they_call_each_tick():
    assert simulator('single_track', EMPTY_SCENE).compiled is not None
    assert simulator('single_track', AHEAD).compiled is None


def test_a_state_that_leaves_its_limits_in_a_zone_stays_as_before():
    car = simulator('single_track_force', AHEAD)
    car.state = [0.0] * 5 + [math.nan]
    before = car.kept()
    with pytest.raises(DivergenceError):
        car.advance(10)
    assert car.time_ns == 0
    assert np.array_equal(car.kept().arrays[0], before.arrays[0], equal_nan=True)


def test_a_model_without_grip_is_said():
    values = {**load_parameter_file(FILE, 'any_node'), 'world': 'ice'}
    for more in ({}, {'vehicle_model': 'kinematic_bicycle', 'tyre_model': 'fiala'}):
        said = start_caution(TABLE.resolve({**values, **more}))
        assert 'no friction' in str(said)
    assert start_caution(TABLE.resolve({**values, 'tyre_model': 'fiala'})) is None
    assert make_simulator(TABLE.resolve(values)).scene.friction_zones


def test_world_files_have_zones_with_paint_and_clear_errors():
    scene = load_world('ice')
    assert scene.friction_zones[0] == FrictionZone(0.3, (), 4.0, 2.0, 1.5)
    assert scene.friction_zones[1].points[2] == (1.5, 11.5)
    assert {patch.colour for patch in scene.patches} == {(0.75, 0.88, 0.95), (0.25, 0.25, 0.25)}
    for text, message in (
            ('{points: [[0, 0], [1, 0]], factor: 0.5}', 'expected at least three corners'),
            ('{points: [[0, 0], [1, 0], [1, 1]]}', 'factor'),
            ('{x: 0, y: 0, factor: 0.5}', 'radius'),
            ('{x: 0, y: 0, radius: 1, factor: 0}', r'factor.* is 0, expected .*0.001'),
            ('{x: 0, y: 0, radius: 1, factor: 0.5, points: [[0, 0], [1, 0], [1, 1]]}', "'x'")):
        with pytest.raises(ConfigurationError, match='friction_zones, number 1') as caught:
            world_of_text(f'friction_zones: [{text}]')
        assert caught.match(message)


@pytest.mark.parametrize('contact', ['coulomb', 'pacejka'])
def test_in_the_world_each_wheel_is_on_its_own_ground(contact):
    pytest.importorskip('mujoco')
    from racecar.world.make_world import make_world_plant
    from racecar.world.world_parameters import WORLD_PARAMETERS
    table = VEHICLE_PARAMETERS + WORLD_PARAMETERS

    def run(scene, bend=0.2, **more):
        values = table.resolve({
            **load_parameter_file(FILE, 'any_node'), 'contact_model': contact,
            'tyre_model': 'fiala', **more})
        plant = make_world_plant(values, scene)
        entity = plant.entities[0]
        found = []
        for _ in range(2):
            entity.reset(None)
            for tick in range(40):
                entity.inputs[0].apply(AckermannCommand(3.0, 0.0 if tick < 20 else bend))
                plant.advance(20)
            found.append(entity.output(ODOMETRY).read())
        assert found[0] == found[1]
        return found[0]

    whole = run(EVERYWHERE)
    assert [*whole.pose, *whole.twist] == pytest.approx(
        [number for part in run(EMPTY_SCENE, **{'vehicle.friction_coefficient': 0.4})
         for number in part], abs=1e-6)
    # Wheels that grip on the right alone turn the car to the left, and the other way round.
    left, right = (run(scene_of(rectangle(0.05, -99.0, low, 99.0, high)), bend=0.0)
                   for low, high in ((0.0, 99.0), (-99.0, 0.0)))
    assert left.pose.qz > 0.005
    assert right.pose.qz < -0.005
