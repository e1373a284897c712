# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car in the 3-D world: it stands, rolls, turns, brakes and slides as it should."""

import math

import numpy as np
import pytest
from world_bench import Car, make_car, world_values

from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_config, vehicle_names
from racecar.base.types import AckermannCommand, WheelCommand
from racecar.dynamics.vehicles import VEHICLE_PARAMETERS
from racecar.dynamics.vehicles.ackermann import ackermann_angles
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.vehicle_plant import VehiclePlant
from racecar.world.make_world import make_world_plant
from racecar.world.world_plant import WorldPlant

CONTACTS = ('coulomb', 'pacejka')
NONE = (0.0,) * 4
LENGTH, HALF_KINGPINS = 0.325, 0.1


def torques(drive=0.0, brake=0.0, brake_damping=0.0, damping=0.0, angle=0.0):
    left, right = ackermann_angles(angle, HALF_KINGPINS, LENGTH)
    return WheelCommand(left, right, (drive,) * 4, (brake,) * 4, (brake_damping,) * 4,
                        (damping,) * 4)


def torque_car(contact='pacejka', **values):
    return make_car(contact_model=contact, command_interface='wheel_torques', **values)


def sloped_car(contact, slope):
    """Return a car whose ground falls off behind it by an angle [rad]."""
    plant = make_world_plant(world_values(
        contact_model=contact, command_interface='wheel_torques'))
    gravity = (-9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope))
    return Car(WorldPlant(plant.scene, plant.cars, gravity=gravity))


def planar_car(tyre_model):
    """Return the double track with the same tyres."""
    values = (VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS).resolve({
        **load_parameter_file(find_config('vehicles/racecar'), 'any'),
        'vehicle_model': 'double_track', 'tyre_model': tyre_model})
    return Car(VehiclePlant(make_simulator(values)))


@pytest.mark.parametrize('contact', CONTACTS)
def test_it_settles_within_a_millimetre_and_stays(contact):
    car = make_car(contact_model=contact)
    start = np.array(car.pose)
    assert abs(start[2]) < 1e-3
    for _ in range(10):
        assert np.array(car.run(1.0).pose) == pytest.approx(start, abs=1e-7)
    loads = [wheel.load for wheel in car.read('wheels')]
    assert sum(loads) == pytest.approx(5.69223 * 9.81, rel=1e-3)


@pytest.mark.parametrize('contact', CONTACTS)
def test_it_stands_still_after_driving(contact):
    car = make_car(contact_model=contact)
    car.drive(1.0, 0.3, 2.0).drive(0.0, 0.3, 3.0)
    stopped = np.array(car.pose)
    seen = []
    for _ in range(200):
        seen.append([wheel.speed for wheel in car.run(0.01).read('wheels')])
    assert np.array(car.run(20.0).pose) == pytest.approx(stopped, abs=1e-5)
    # Wheels that flip to and fro at each step would stand still on average only.
    assert np.abs(seen).max() < 1e-3


@pytest.mark.parametrize('contact', CONTACTS)
@pytest.mark.parametrize('speed', [-1.0, 0.2, 1.0, 4.0])
def test_straight_ahead_the_speed_is_rotation_times_radius(contact, speed):
    car = make_car(contact_model=contact).drive(speed, 0.0, 4.0)
    rates = car.read('joints').velocities[:4]
    assert car.twist.vx == pytest.approx(0.05 * np.mean(rates), rel=1e-2)
    assert car.twist.vx == pytest.approx(speed, rel=1e-2)
    assert abs(car.pose.y) < 1e-3 * abs(car.pose.x)


def test_half_the_rate_of_the_original_is_half_the_speed():
    car = make_car(speed_to_wheel_rate=10.0).drive(1.0, 0.0, 3.0)
    assert car.twist.vx == pytest.approx(0.5, rel=1e-2)


@pytest.mark.parametrize('contact', CONTACTS)
@pytest.mark.parametrize('angle', [0.1, 0.3, -0.3, 0.7])
def test_at_low_speed_it_turns_at_the_kinematic_radius(contact, angle):
    car = make_car(contact_model=contact).drive(0.2, angle, 8.0)
    assert car.radius == pytest.approx(LENGTH / math.tan(angle), rel=2e-2)


def test_equal_angles_and_rates_turn_wider():
    equal = make_car(
        wheel_drive='servos', hinge_angles='equal', wheel_rates='equal').drive(0.3, 0.3, 6.0)
    assert equal.radius > 1.05 * LENGTH / math.tan(0.3)


def test_the_hinges_of_the_original_droop():
    held, original = (
        make_car(wheel_drive='servos', hinge_gain=gain, hinge_angles='equal',
                 wheel_rates='equal').drive(0.5, 0.3, 4.0)
        for gain in (20.0, 1.0))
    assert np.mean(held.read('joints').positions[4:]) == pytest.approx(0.3, rel=0.1)
    assert np.mean(original.read('joints').positions[4:]) < 0.8 * 0.3


@pytest.mark.parametrize('contact', CONTACTS)
def test_left_and_right_mirror_each_other(contact):
    left, right = make_car(contact_model=contact), make_car(contact_model=contact)
    for speed, angle, seconds in ((1.0, 0.2, 2.0), (3.0, 0.1, 2.0), (2.0, -0.4, 1.0)):
        left.drive(speed, angle, seconds)
        right.drive(speed, -angle, seconds)
    a, b = left.pose, right.pose
    tolerance = 1e-6 if contact == 'pacejka' else 1e-3
    assert (a.x, a.y, a.z) == pytest.approx((b.x, -b.y, b.z), abs=tolerance)
    assert (a.qx, a.qy, a.qz, a.qw) == pytest.approx((-b.qx, b.qy, -b.qz, b.qw), abs=tolerance)


def corner(car, speed, angle):
    """Hold a speed by equal torques and an angle; return what has become steady."""
    left, right = ackermann_angles(angle, HALF_KINGPINS, LENGTH)
    total = 0.0
    for _ in range(1000):
        error = speed - car.twist.vx
        total += 0.01 * error
        drive = min(max(0.4 * error + 0.8 * total, -0.5), 0.5)
        car.inputs['wheels'](WheelCommand(left, right, (drive,) * 4, NONE, NONE, NONE))
        car.run(0.01)
    return car.twist


@pytest.mark.parametrize('tyre_model', ['linear', 'fiala', 'pacejka'])
@pytest.mark.parametrize(('speed', 'angle'), [(2.0, 0.1), (2.5, 0.25), (4.0, -0.1)])
def test_steady_cornering_is_that_of_the_double_track(tyre_model, speed, angle):
    found = corner(torque_car(tyre_model=tyre_model), speed, angle)
    expected = corner(planar_car(tyre_model), speed, angle)
    assert abs(expected.vx * expected.wz) > 0.8
    assert found.vx == pytest.approx(expected.vx, rel=1e-3)
    assert found.wz == pytest.approx(expected.wz, rel=1e-2)
    assert found.vy == pytest.approx(expected.vy, rel=2e-2)


def radius_through(a, b, c):
    """Return the radius of the circle through three points."""
    sides = math.dist(a, b), math.dist(b, c), math.dist(c, a)
    doubled = abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))
    return math.prod(sides) / (2.0 * doubled)


@pytest.mark.parametrize('contact', CONTACTS)
def test_it_slides_at_the_limit(contact):
    car = make_car(contact_model=contact).drive(4.0, 0.0, 2.0).drive(4.0, 0.25, 0.3)
    places, velocities = [], []
    for _ in range(30):
        places.append(car.run(0.02).pose[:2])
        velocities.append(car.plant.engine.data.qvel[:2].copy())
    assert radius_through(*places[::14]) > 1.05 * LENGTH / math.tan(0.25)
    # The engine's friction hops: its acceleration is that of friction on average only.
    assert np.linalg.norm(np.diff(velocities, axis=0), axis=1).max() < 0.02 * 1.2 * 9.81
    assert car.entity.fault() == ''


def energy(car):
    """Return kinetic energy of all bodies and potential energy [J]."""
    engine = car.plant.engine
    data, model = engine.present(), engine.model
    kinetic = 0.0
    for body in range(1, model.nbody):
        rotation = data.ximat[body].reshape(3, 3)
        offset = data.xipos[body] - data.subtree_com[model.body_rootid[body]]
        turning, moving = data.cvel[body, :3], data.cvel[body, 3:]
        velocity = moving + np.cross(turning, offset)
        local = rotation.T @ turning
        kinetic += 0.5 * (model.body_mass[body] * velocity @ velocity
                          + local @ (model.body_inertia[body] * local))
    return kinetic + 9.81 * float(model.body_mass[1:] @ data.xipos[1:, 2])


@pytest.mark.parametrize('contact', CONTACTS)
@pytest.mark.parametrize('angle', [0.0, 0.4])
def test_a_car_without_drive_never_gains_energy(contact, angle):
    car = torque_car(contact)
    car.inputs['drive'](AckermannCommand(3.0, 0.0))
    car.run(2.0).inputs['wheels'](torques(angle=angle))
    # Thrown sideways, too.
    car.plant.engine.data.qvel[1] = 1.0
    levels = [energy(car.run(0.05)) for _ in range(100)]
    # Springs of tyres and ground, which are not counted, hold some millijoules.
    assert max(np.diff(levels)) < 0.02
    assert levels[-1] < levels[0]


def test_a_rolling_car_keeps_its_speed():
    car = torque_car()
    car.inputs['drive'](AckermannCommand(2.0, 0.0))
    car.run(3.0).inputs['wheels'](torques())
    before = car.twist.vx
    assert car.run(30.0).twist.vx == pytest.approx(before, rel=1e-6)


@pytest.mark.parametrize('contact', CONTACTS)
def test_torque_over_radius_is_the_force_that_accelerates(contact):
    car = torque_car(contact)
    car.inputs['wheels'](torques(drive=0.1))
    car.run(0.5)
    before = car.twist.vx
    car.run(1.0)
    turning = 4.0 * 0.00041226 / 0.05**2
    assert car.twist.vx - before == pytest.approx(4.0 * 0.1 / 0.05 / (5.69223 + turning), rel=2e-2)
    forces = [wheel.longitudinal_force for wheel in car.read('wheels')]
    assert sum(forces) == pytest.approx(5.69223 * (car.twist.vx - before), rel=2e-2)


@pytest.mark.parametrize('contact', CONTACTS)
def test_brakes_slow_down_by_their_torque_and_hold(contact):
    car = torque_car(contact)
    car.inputs['drive'](AckermannCommand(2.0, 0.0))
    car.run(3.0).inputs['wheels'](torques(brake=0.2))
    before = car.twist.vx
    car.run(0.5)
    turning = 4.0 * 0.00041226 / 0.05**2
    assert before - car.twist.vx == pytest.approx(
        0.5 * 4.0 * 0.2 / 0.05 / (5.69223 + turning), rel=3e-2)
    stopped = car.run(3.0).pose.x
    assert car.run(5.0).pose.x == pytest.approx(stopped, abs=1e-4)


def test_a_brake_holds_against_the_engine():
    car = torque_car()
    car.inputs['wheels'](torques(drive=0.3, brake=0.5))
    car.run(2.0)
    start = car.pose.x
    assert car.run(5.0).pose.x == pytest.approx(start, abs=1e-3)


def test_a_viscous_brake_and_bearings_slow_with_speed():
    for wanted in (torques(brake_damping=0.001), torques(damping=0.0005)):
        car = torque_car()
        car.inputs['drive'](AckermannCommand(2.0, 0.0))
        car.run(3.0).inputs['wheels'](wanted)
        speeds = [car.twist.vx, car.run(1.0).twist.vx, car.run(1.0).twist.vx]
        first, second = speeds[0] - speeds[1], speeds[1] - speeds[2]
        assert first > 1.05 * second > 0.0


@pytest.mark.parametrize(('contact', 'creep'), [('coulomb', 1e-3), ('pacejka', 1e-4)])
def test_a_braked_car_stands_on_a_slope(contact, creep):
    car = sloped_car(contact, 0.1)
    car.inputs['wheels'](torques(brake=2.0))
    start = car.run(2.0).pose
    end = car.run(10.0).pose
    assert math.dist(start[:2], end[:2]) < creep
    loads = [wheel.load for wheel in car.read('wheels')]
    assert sum(loads) == pytest.approx(5.69223 * 9.81 * math.cos(0.1), rel=1e-3)
    # The slope shifts load to the rear, which is below.
    assert loads[2] > loads[0]


@pytest.mark.parametrize('contact', CONTACTS)
def test_a_slide_sideways_is_stopped_by_friction(contact):
    car = torque_car(contact)
    car.inputs['wheels'](torques(brake=2.0))
    car.run(0.5)
    car.plant.engine.data.qvel[1] = 2.0
    car.run(2.0)
    # v^2/(2 mu g), less a little while the tyres build up their forces.
    assert car.pose.y == pytest.approx(4.0 / (2.0 * 9.81), rel=5e-2)
    stopped = car.pose.y
    assert car.run(2.0).pose.y == pytest.approx(stopped, abs=1e-3)


@pytest.mark.parametrize('name', vehicle_names())
@pytest.mark.parametrize('contact', CONTACTS)
def test_every_vehicle_drives(name, contact):
    car = make_car(name, contact_model=contact)
    vehicle = car.plant.cars[0].car.vehicle
    speed = 0.5 * math.sqrt(vehicle.wheelbase)
    # Of cars of another odometry point the middle of the rear axle turns about the same centre.
    ahead = vehicle.odometry_offset + vehicle.cog_to_rear_axle
    car.drive(speed, 0.2, 4.0)
    vx, vy, wz = car.twist.vx, car.twist.vy, car.twist.wz
    # The speed is that of the driven wheels; the front ones go further in a turn.
    further = {'rear': 1.0, 'all': 0.5 + 0.5 / math.cos(0.2), 'front': 1.0 / math.cos(0.2)}
    assert vx == pytest.approx(speed / further[vehicle.driven_axle], rel=1e-2)
    assert vx / wz == pytest.approx(vehicle.wheelbase / math.tan(0.2), rel=2e-2)
    assert vy == pytest.approx(ahead * wz, abs=0.02 * speed)
    assert car.entity.fault() == ''
