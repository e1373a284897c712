# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars of the 3-D world driven by speed and angle: against double track and hand calculation."""

import math

from double_track_reference import runge_kutta
import numpy as np
import pytest
from world_bench import Car, make_car, world_values

from racecar.base.errors import ConfigurationError
from racecar.base.share import find_vehicle
from racecar.dynamics.vehicles import DoubleTrack, VehicleParameters
from racecar.world.make_world import make_world_plant
from racecar.world.world_plant import WorldPlant

CONTACTS = ('coulomb', 'pacejka')


def vehicle_of(name):
    return VehicleParameters.from_file(find_vehicle(name))


def in_the_plane(name, start, speed, angle, seconds):
    """Return the state of the double track as the equations are written, from a straight drive."""
    model = DoubleTrack(vehicle_of(name), 'pacejka')
    inputs = [0.0] * model.input_count
    inputs[:2] = speed, angle
    front, rear = (start / radius for radius in model.vehicle.wheel_radii)
    state = [start, 0.0, 0.0, 0.0, 0.0, 0.0, front, front, rear, rear]
    return runge_kutta(model, state, inputs, 0.0015, round(seconds / 0.0015))


def in_the_world(name, **values):
    return make_car(name, contact_model='pacejka', **values)


@pytest.mark.parametrize(('name', 'speed', 'angle', 'steady'), [
    ('racecar', 3.5, 0.2, 1.0), ('racecar', 2.0, -0.4, 1.0), ('racecar', 1.0, 0.2, 1.0),
    ('f1tenth', 5.0, 0.1, 1.0), ('bmw_x5', 12.0, 0.1, 2.5), ('tesla_model3', 8.0, 0.2, 2.5)])
def test_a_steady_turn_by_the_same_command_is_that_of_the_double_track(
        name, speed, angle, steady):
    expected = in_the_plane(name, speed, speed, angle, steady)
    car = in_the_world(name).drive(speed, 0.0, 6.0).drive(speed, angle, 4.0)
    assert abs(expected[0] * expected[2]) > 0.4
    assert car.twist.wz == pytest.approx(expected[2], rel=0.015)
    assert car.twist.vx == pytest.approx(expected[0], rel=0.01)


@pytest.mark.parametrize(('name', 'speed', 'seconds'), [
    ('racecar', 4.0, 0.3), ('bmw_x5', 30.0, 1.5), ('tesla_model3', 30.0, 1.5)])
def test_it_speeds_up_as_the_double_track(name, speed, seconds):
    expected = in_the_plane(name, 0.0, speed, 0.0, seconds)
    car = in_the_world(name).drive(speed, 0.0, seconds)
    assert car.twist.vx == pytest.approx(expected[0], rel=0.05)
    assert car.pose.x == pytest.approx(expected[3], rel=0.1)


@pytest.mark.parametrize(('name', 'speed', 'seconds'), [
    ('racecar', 4.0, 1.0), ('racecar', 1.0, 0.6), ('bmw_x5', 10.0, 3.0)])
def test_it_stops_as_the_double_track(name, speed, seconds):
    expected = in_the_plane(name, speed, 0.0, 0.0, seconds)
    car = in_the_world(name).drive(speed, 0.0, 6.0)
    before = car.pose.x
    car.drive(0.0, 0.0, seconds)
    assert car.pose.x - before == pytest.approx(expected[3], rel=0.1)
    assert abs(car.twist.vx) < 0.01


@pytest.mark.parametrize('contact', CONTACTS)
@pytest.mark.parametrize('name', ['bmw_x5', 'tesla_model3', 'racecar'])
def test_the_engine_drives_its_axle_with_its_force_at_most(name, contact):
    vehicle = vehicle_of(name)
    car = make_car(name, contact_model=contact, vehicle__drive_force_limit=0.2 * vehicle.mass)
    car.drive(vehicle.speed_max, 0.0, 0.5)
    before = car.twist.vx
    car.run(0.5)
    radius = vehicle.wheel_radius
    rolling = vehicle.mass + 4.0 * vehicle.wheel_inertia / radius ** 2
    assert car.twist.vx - before == pytest.approx(0.5 * 0.2 * vehicle.mass / rolling, rel=0.01)
    left_front, _, left_rear, _ = (wheel.longitudinal_force for wheel in car.read('wheels'))
    # A wheel that is not driven takes what spins it, no more.
    spins = -vehicle.wheel_inertia * 0.2 * vehicle.mass / rolling / radius ** 2
    if vehicle.driven_axle != 'all':
        idle = left_rear if vehicle.driven_axle == 'front' else left_front
        assert idle == pytest.approx(spins, rel=0.05)


@pytest.mark.parametrize('name', ['bmw_x5', 'tesla_model3'])
def test_the_differential_gives_both_wheels_the_same_torque_in_a_turn(name):
    vehicle = vehicle_of(name)
    # With the friction of the engine nothing else is applied to a wheel.
    car = make_car(name, contact_model='coulomb').drive(8.0, 0.2, 5.0).drive(12.0, 0.2, 0.3)
    torques, dofs = car.plant.engine.data.qfrc_applied, car.plant.engine.places[0].body.dofs
    left, right = torques[dofs[slice(0, 2) if vehicle.driven_axle == 'front' else slice(2, 4)]]
    assert left == right > 0.0
    inner, outer = sorted(car.read('joints').velocities[
        slice(0, 2) if vehicle.driven_axle == 'front' else slice(2, 4)])
    assert outer > 1.05 * inner


def on_a_slope(name, contact, slope):
    """Return a car whose ground falls off behind it by an angle [rad]."""
    plant = make_world_plant(world_values(name, contact_model=contact))
    gravity = (-9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope))
    return Car(WorldPlant(plant.scene, plant.cars, gravity=gravity))


# The engine's own friction creeps under a force, as docs/world.md says.
@pytest.mark.parametrize(('contact', 'creep'), [('pacejka', 1e-3), ('coulomb', 3e-3)])
@pytest.mark.parametrize('slope', [0.3, -0.3])
@pytest.mark.parametrize('name', ['racecar', 'bmw_x5'])
def test_it_stops_and_parks_on_a_slope(name, slope, contact, creep):
    car = on_a_slope(name, contact, slope).drive(2.0, 0.0, 2.0)
    assert car.twist.vx > 1.0
    parked = car.drive(0.0, 0.0, 2.0).pose
    assert math.dist(car.run(5.0).pose[:2], parked[:2]) < creep
    assert car.drive(-1.0, 0.0, 2.0).twist.vx < -0.5


def test_it_reverses_through_standstill():
    expected = in_the_plane('racecar', -1.0, -1.0, 0.2, 1.0)
    car = in_the_world('racecar').drive(2.0, 0.0, 2.0).drive(-1.0, 0.2, 2.0)
    assert car.twist.vx == pytest.approx(expected[0], rel=0.01)
    assert car.twist.wz == pytest.approx(expected[2], rel=0.01)


def test_a_scaled_speed_is_that_of_the_wheels():
    vehicle = vehicle_of('bmw_x5')
    car = in_the_world('bmw_x5', speed_to_wheel_rate=0.5 / vehicle.wheel_radius)
    assert car.drive(8.0, 0.0, 6.0).twist.vx == pytest.approx(4.0, rel=0.01)


def test_the_servos_of_the_original_turn_every_wheel():
    """Each at its own rate, however strong that is: the front wheels of a rear-driven car too."""
    car = in_the_world('tesla_model3', wheel_drive='servos').drive(30.0, 0.0, 1.0)
    assert car.twist.vx > 8.0
    assert car.read('wheels').left_front.longitudinal_force > 1000.0


def test_a_step_that_is_too_long_for_the_speed_controller_is_refused():
    with pytest.raises(ConfigurationError, match=r'step is 0\.004 s, expected at most 0\.0025 s'):
        make_car('bmw_x5', step=0.004, joint_states_rate=50.0, wheel_states_rate=50.0,
                 car_state_rate=50.0)


def test_a_quarter_of_the_step_gives_the_same_drive_of_a_road_car():
    ends = []
    for step in (0.001, 0.00025):
        car = Car(make_world_plant(world_values('bmw_x5', contact_model='pacejka', step=step)))
        for speed, angle, seconds in ((15.0, 0.0, 1.0), (12.0, 0.1, 1.0), (12.0, -0.05, 1.0)):
            car.drive(speed, angle, 0.0)
            car.plant.advance(round(seconds / step))
        ends.append(np.array(car.pose[:2]))
    assert np.linalg.norm(ends[0]) > 10.0
    assert np.linalg.norm(ends[1] - ends[0]) < 2e-4 * np.linalg.norm(ends[0])
