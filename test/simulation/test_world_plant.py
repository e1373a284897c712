# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The 3-D world as a plant: ports, commands, reset, faults, collisions, several cars."""

import math
import os
import subprocess
import sys
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from world_bench import Car, make_car, world_values

from racecar.base.errors import ConfigurationError, DivergenceError, FaultError, ParameterError
from racecar.base.types import (
    AckermannCommand,
    HINGE_JOINTS,
    JointSetpoint,
    Lamps,
    LampSwitches,
    Odometry,
    Pose2,
    Pose3,
    quaternion_to_yaw,
    WHEEL_JOINTS,
    WheelCommand,
)
from racecar.control.servo_commands import SERVO_NAMES, ServoCommands
from racecar.scene.scene import Box, Cone, Scene, Wall
from racecar.simulation.fleet_file import CarValues
from racecar.simulation.plant_car import PlantCar
from racecar.world.make_world import make_world_car, make_world_plant
from racecar.world.world_plant import WorldPlant, WorldRates

CONTACTS = ('coulomb', 'pacejka')
NONE = (0.0,) * 4
WALL = Scene('wall', walls=(Wall(2.0, -2.0, 2.0, 2.0, 1.0),))


def car_in(scene, **values):
    return Car(make_world_plant(world_values(**values), scene))


def several(starts, scene=None, **values):
    """Return the cars a, b, ... of one world with these starts."""
    plant = make_world_plant(world_values(**values), scene)
    driven, = plant.cars
    world = WorldPlant(plant.scene, [
        driven._replace(car=driven.car._replace(name=name, start=start))
        for name, start in zip('abcdefgh', starts, strict=False)])
    return world, [
        {'entity': entity, 'drive': entity.inputs[0].apply,
         'odometry': entity.output('odometry').read} for entity in world.entities]


# Ports


def test_outputs_have_the_rates_of_the_parameters():
    plant = make_world_plant(world_values())
    entity, = plant.entities
    assert {output.name: output.steps for output in entity.outputs} == {
        'odometry': 50, 'joints': 20, 'wheels': 10, 'lamps': 20, 'diagnostics': 10}
    assert plant.step_ns == 1_000_000
    assert [port.name for port in entity.inputs] == ['drive', 'lamps']


def test_a_rate_of_no_whole_number_of_steps_is_refused():
    with pytest.raises(ConfigurationError, match=r'rate of odometry of 30 Hz.*choose'):
        make_world_plant(world_values(rate=30.0))


@pytest.mark.parametrize(('interface', 'names'), [
    ('ackermann', ('drive',)), ('wheel_torques', ('drive', 'wheels')),
    ('wheel_controllers', SERVO_NAMES)])
def test_inputs_are_those_of_the_interface(interface, names):
    car = make_car(command_interface=interface)
    assert tuple(car.inputs) == (*names, 'lamps')


def test_lamps_are_those_of_the_car_that_was_switched():
    car = make_car()
    car.inputs['lamps'](LampSwitches(brake=True))
    assert car.entity.lamps() == Lamps(brake=True)
    shown = car.entity.output('lamps').read().markers
    assert {mark.function for mark in shown if max(mark.colour[:3]) > 0.5} == {'brake'}


def test_where_there_is_nothing_to_run_into_there_are_no_collisions():
    names = [output.name for output in make_car().entity.outputs]
    assert 'collisions' not in names
    assert 'collisions' in [output.name for output in car_in(WALL).entity.outputs]


def test_time_is_counted_in_whole_steps():
    car = make_car()
    for steps in (1, 7, 50):
        car.plant.advance(steps)
    assert car.plant.time_ns == 58_000_000


@pytest.mark.parametrize('contact', CONTACTS)
def test_what_is_read_does_not_change_what_comes(contact):
    quiet, watched = (make_car(
        contact_model=contact, command_interface='wheel_torques') for _ in range(2))
    command = WheelCommand(0.2, 0.1, (0.1, 0.0, 0.2, 0.1), (0.01,) * 4, (0.002,) * 4, NONE)
    for car in (quiet, watched):
        car.inputs['wheels'](command)
    for _ in range(100):
        quiet.plant.advance(1)
        watched.plant.advance(1)
        for output in watched.entity.outputs:
            output.read()
        watched.entity.platform.acceleration()
    quiet.run(0.9)
    for _ in range(9):
        watched.run(0.1)
        watched.entity.platform.acceleration()
    assert quiet.read('odometry') == watched.read('odometry')
    assert quiet.read('joints') == watched.read('joints')


@pytest.mark.parametrize('contact', CONTACTS)
def test_two_runs_give_the_same_bits(contact):
    def run():
        car = make_car(contact_model=contact, world='cones')
        seen = []
        for speed, angle in ((1.0, 0.0), (3.0, 0.05), (1.0, -0.4)):
            seen += [car.drive(speed, angle, 0.7).read('odometry'), car.read('wheels')]
        return seen
    assert run() == run()


@pytest.mark.parametrize('contact', CONTACTS)
def test_without_numba_it_gives_the_same_bits(contact):
    program = (
        'from world_bench import make_car\n'
        f'car = make_car(contact_model={contact!r}).drive(1.5, 0.2, 0.4)\n'
        "print(repr(car.read('odometry')), repr(car.read('wheels')))\n")
    answers = [subprocess.run(
        [sys.executable, '-c', program], capture_output=True, text=True, check=True,
        env={**os.environ, 'NUMBA_DISABLE_JIT': disabled, 'PYTHONPATH': os.pathsep.join(sys.path)},
    ).stdout for disabled in ('0', '1')]
    assert answers[0] == answers[1]
    assert 'BodyState' in answers[0]


# Commands


def test_commands_are_clamped_to_the_vehicle():
    car = make_car(contact_model='pacejka').drive(100.0, 9.0, 0.2)
    assert max(car.read('joints').positions[4:]) < 1.0 + 0.05
    diagnostics = car.read('diagnostics')
    assert diagnostics.speed == 5.0
    # The inner hinge is at its stop.
    assert diagnostics.steering_angle == pytest.approx(0.811, abs=1e-3)


def test_what_the_limits_cut_is_said_until_a_command_is_within_them():
    car = make_car().drive(-9.0, 1.2, 0.01)
    assert car.entity.notice() == (
        'the limits of the vehicle cut the command: speed -9 m/s to -2 m/s, steering angle 1.2 rad'
        ' to 0.811 rad')
    # What messages of single precision round is not told.
    car.drive(5.0000001, 0.0, 0.01)
    assert car.entity.notice() == ''


@pytest.mark.parametrize('drive', ['differential', 'servos'])
@pytest.mark.parametrize('name', ['f1tenth', 'racecar'])
def test_a_car_reaches_the_highest_speed_of_its_vehicle(name, drive):
    car = make_car(name, contact_model='pacejka', wheel_drive=drive)
    highest = car.plant.cars[0].car.vehicle.speed_max
    assert car.drive(highest, 0.0, 6.0).twist.vx == pytest.approx(highest, rel=0.01)


@pytest.mark.parametrize('bad', [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused_and_changes_nothing(bad):
    car = make_car(command_interface='wheel_torques')
    car.drive(1.0, 0.1, 0.5)
    with pytest.raises(ParameterError, match='finite'):
        car.inputs['drive'](AckermannCommand(bad, 0.0))
    with pytest.raises(ParameterError, match='finite'):
        car.inputs['drive'](AckermannCommand(1.0, bad))
    with pytest.raises(ParameterError, match='wheel command has'):
        car.inputs['wheels'](WheelCommand(0.0, bad, NONE, NONE, NONE, NONE))
    assert car.read('diagnostics').speed == 1.0
    assert car.run(2.0).twist.vx == pytest.approx(1.0, rel=0.02)
    joint = make_car(command_interface='wheel_controllers')
    with pytest.raises(ParameterError, match='left_front_wheel_joint is'):
        joint.inputs['left_front_wheel_velocity'](JointSetpoint(bad))


@pytest.mark.parametrize(('field', 'value'), [('brake', -1.0), ('drive', 1e9), ('damping', 1e3)])
def test_wheel_torques_beyond_reason_are_refused(field, value):
    car = make_car(command_interface='wheel_torques')
    change: dict[str, Any] = {field: (value,) * 4}
    command = WheelCommand(0.0, 0.0, NONE, NONE, NONE, NONE)._replace(**change)
    with pytest.raises(ParameterError, match=field):
        car.inputs['wheels'](command)


def test_setpoints_of_joints_drive_as_the_command_that_they_stand_for():
    driven = make_car(wheel_drive='servos').drive(1.0, 0.2, 2.0)
    joints = make_car(command_interface='wheel_controllers')
    setpoints = ServoCommands(driven.plant.cars[0].car.vehicle, 20.0).setpoints(
        AckermannCommand(1.0, 0.2))
    for name, value in zip(SERVO_NAMES, setpoints, strict=True):
        joints.inputs[name](JointSetpoint(value))
    joints.run(2.0)
    assert np.array(joints.pose) == pytest.approx(np.array(driven.pose), abs=1e-9)
    assert joints.read('diagnostics').speed == pytest.approx(1.0)
    assert joints.read('diagnostics').steering_angle == pytest.approx(0.2)


@pytest.mark.parametrize(('values', 'wheels'), [
    ({}, 0), ({'wheel_drive': 'servos'}, 4), ({'command_interface': 'wheel_controllers'}, 4),
    ({'command_interface': 'wheel_torques'}, 4)])
def test_the_engine_has_controllers_only_of_joints_that_are_driven_so(values, wheels):
    car = make_car(**values)
    assert car.plant.engine.model.nu == wheels + 2
    command = WheelCommand(0.0, 0.0, (9.0, 9.0, 9.0, 9.0), *((0.0, 0.0, 0.0, 0.0),) * 3)
    if wheels:
        car.plant.command_wheels(0, command, (1.0, 1.0, 1.0, 1.0))
        car.run(2.0)
        assert car.read('joints').velocities[:4] == pytest.approx([9.0] * 4, abs=0.05)
    else:
        with pytest.raises(ParameterError, match='the wheels of this car have no controllers'):
            car.plant.command_wheels(0, command, (0.0, 0.0, 1.0, 0.0))


def test_setpoints_of_joints_are_clamped_to_their_limits():
    car = make_car(command_interface='wheel_controllers')
    car.inputs['left_steering_hinge_position'](JointSetpoint(99.0))
    car.inputs['left_rear_wheel_velocity'](JointSetpoint(1e6))
    places, wanted = car.plant.engine.places[0], car.plant.engine.data.ctrl
    assert wanted[places.hinge_servos[0]] == 1.0
    assert wanted[places.wheel_servos[2]] == 100.0
    fast = make_car('f1tenth', command_interface='wheel_controllers')
    fast.inputs['left_rear_wheel_velocity'](JointSetpoint(1e6))
    wanted = fast.plant.engine.data.ctrl[fast.plant.engine.places[0].wheel_servos]
    assert wanted[2] == pytest.approx(20.0 / 0.0508)


def test_speed_takes_over_from_torques_and_back():
    car = make_car(contact_model='pacejka', command_interface='wheel_torques')
    wheels = WheelCommand(0.0, 0.0, (0.3,) * 4, NONE, NONE, NONE)
    car.inputs['wheels'](wheels)
    assert car.run(1.0).twist.vx > 1.5
    assert car.drive(0.5, 0.0, 3.0).twist.vx == pytest.approx(0.5, rel=0.02)
    car.inputs['wheels'](wheels)
    assert car.run(0.5).twist.vx > 1.0


def test_a_torque_does_not_race_the_wheels():
    car = make_car(contact_model='pacejka', command_interface='wheel_torques',
                   tyre_parameters='ice')
    car.inputs['wheels'](WheelCommand(0.0, 0.0, (2.0,) * 4, NONE, NONE, NONE))
    car.run(5.0)
    # Five times the highest speed of the vehicle.
    assert max(car.read('joints').velocities[:4]) < 1.2 * 5.0 * 5.0 / 0.05


@pytest.mark.parametrize('interface', ['ackermann', 'wheel_torques'])
def test_halt_stops_and_keeps_the_steering(interface):
    car = make_car(contact_model='pacejka', command_interface=interface).drive(2.0, 0.2, 2.0)
    car.entity.halt()
    car.run(2.0)
    assert car.twist.vx == pytest.approx(0.0, abs=1e-3)
    assert np.mean(car.read('joints').positions[4:]) == pytest.approx(0.2, abs=0.02)
    assert car.read('diagnostics').speed == 0.0


# Outputs


def test_joints_are_named_and_turn():
    car = make_car(wheel_drive='servos').drive(1.0, 0.2, 2.0)
    joints = car.read('joints')
    assert joints.names == WHEEL_JOINTS + HINGE_JOINTS
    assert joints.velocities[2] == pytest.approx(20.0 * (1.0 - 0.1225 * math.tan(0.2) / 0.325),
                                                 rel=0.01)
    assert joints.positions[2] > 30.0
    assert joints.positions[4] > joints.positions[5] > 0.0


@pytest.mark.parametrize('contact', CONTACTS)
def test_diagnostics_agree_with_odometry_and_wheels(contact):
    car = make_car(contact_model=contact).drive(2.0, 0.1, 3.0)
    found, twist, pose = car.read('diagnostics'), car.twist, car.pose
    ahead = 0.16015
    yaw = quaternion_to_yaw(*pose[3:])
    assert (found.x, found.y) == pytest.approx(
        (pose.x + ahead * math.cos(yaw), pose.y + ahead * math.sin(yaw)))
    assert found.vy == pytest.approx(twist.vy + ahead * twist.wz)
    assert found.lateral_acceleration == pytest.approx(twist.vx * twist.wz, rel=0.05)
    wheels = car.read('wheels')
    assert found.lateral_force_front == pytest.approx(
        wheels.left_front.lateral_force + wheels.right_front.lateral_force)
    if contact == 'pacejka':
        # Each force opposes its slip; friction has none that could be told from zero.
        for wheel in wheels:
            assert wheel.lateral_force * wheel.slip_angle < 0.0


def test_acceleration_is_that_of_the_frame():
    car = make_car(contact_model='pacejka').drive(2.0, 0.1, 4.0)
    found, twist = car.entity.platform.acceleration(), car.twist
    # In a steady turn, towards the centre; the frame goes round with it.
    assert (found.ax, found.ay, found.az) == pytest.approx(
        (-twist.vy * twist.wz, twist.vx * twist.wz, 0.0), abs=0.02)


# Reset, faults and divergence


@pytest.mark.parametrize('contact', CONTACTS)
def test_reset_starts_anew_while_time_goes_on(contact):
    car = make_car(contact_model=contact, initial_x=1.0, initial_yaw=0.5)
    first = car.drive(1.0, 0.2, 1.0).pose
    assert car.entity.reset(None) == car.pose
    assert (car.pose.x, car.pose.y) == (1.0, 0.0)
    assert np.array(car.twist) == pytest.approx(np.zeros(6))
    assert car.plant.time_ns == 1_000_000_000
    assert np.array(car.drive(1.0, 0.2, 1.0).pose) == pytest.approx(np.array(first), abs=1e-9)


@pytest.mark.parametrize('contact', CONTACTS)
@pytest.mark.parametrize('name', ['racecar', 'bmw_x5'])
def test_a_car_that_is_dropped_falls_freely_and_settles(name, contact):
    rest = make_car(name, contact_model=contact).run(0.1).pose
    car = make_car(name, contact_model=contact, initial_z=0.5)
    assert car.pose.z == pytest.approx(rest.z + 0.5, abs=1e-3)
    # g t^2/2; springs and tyres, which let go, turn its body by some millimetres.
    assert 0.5 - car.run(0.2).pose.z == pytest.approx(0.5 * 9.81 * 0.2 ** 2 - rest.z, abs=0.03)
    assert car.twist.vz == pytest.approx(-9.81 * 0.2, rel=0.15)
    settled = car.run(4.0).pose
    assert settled.z == pytest.approx(rest.z, abs=1e-3)
    assert (settled.x, settled.y) == pytest.approx((0.0, 0.0), abs=0.05)
    assert car.entity.fault() == ''
    car.entity.reset(None)
    assert car.pose.z == pytest.approx(rest.z + 0.5, abs=1e-3)
    # A pose stands on the ground.
    car.entity.reset(rest)
    assert car.pose.z == pytest.approx(rest.z, abs=1e-3)


@pytest.fixture(scope='module')
def standing_car():
    return make_car(contact_model='pacejka')


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.floats(-math.pi, math.pi))
@settings(max_examples=25, deadline=None)
def test_reset_takes_the_planar_part_of_a_pose(standing_car, x, y, yaw):
    placed = standing_car.entity.reset(
        Pose3(x, y, 7.0, 0.0, 0.0, math.sin(0.5 * yaw), math.cos(0.5 * yaw)))
    assert (placed.x, placed.y) == (x, y)
    assert abs(placed.z) < 1e-3
    assert math.remainder(quaternion_to_yaw(*placed[3:]) - yaw, math.tau) == pytest.approx(
        0.0, abs=1e-9)
    still = standing_car.run(0.2).pose
    assert np.array(still) == pytest.approx(np.array(placed), abs=1e-6)


def test_reset_refuses_what_is_no_pose():
    car = make_car().drive(1.0, 0.0, 1.0)
    before = car.pose
    with pytest.raises(ParameterError, match='expected finite numbers'):
        car.entity.reset(Pose3(math.nan, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    assert car.pose == before


def turn_over(car):
    plant: Any = car.plant
    qpos = plant.engine.data.qpos
    qpos[2], qpos[3:7] = 0.3, (0.2, 0.98, 0.0, 0.0)
    return car.run(2.0)


@pytest.mark.parametrize('contact', CONTACTS)
def test_a_car_on_its_roof_says_so_and_can_be_reset(contact):
    car = turn_over(make_car(contact_model=contact))
    assert 'the car lies on its roof' in car.entity.fault()
    assert 'reset it' in car.entity.fault()
    assert car.pose.z > 0.05
    car.entity.reset(None)
    assert car.run(0.5).entity.fault() == ''
    assert car.drive(1.0, 0.0, 2.0).twist.vx == pytest.approx(1.0, rel=0.02)


def test_a_car_that_fell_says_so():
    car = make_car()
    car.plant.engine.data.qpos[2] = -5.0
    assert 'has fallen to z -5 m' in car.entity.fault()


def test_a_loop_ends_with_a_car_on_its_roof():
    car = make_world_car(world_values())
    plant: Any = car.plant
    qpos = plant.engine.data.qpos
    qpos[2], qpos[3:7] = 0.3, (0.0, 1.0, 0.0, 0.0)
    with pytest.raises(FaultError, match=r'at 0\.05 s the car lies on its roof'):
        car.tick()


@pytest.mark.parametrize('contact', CONTACTS)
def test_divergence_keeps_state_and_time_of_before(contact):
    car = make_car(contact_model=contact).drive(1.0, 0.1, 1.0)
    engine = car.plant.engine
    engine.data.qvel[:] = 5e4
    before = engine.data.qpos.copy(), engine.data.qvel.copy(), car.plant.time_ns
    with pytest.raises(DivergenceError, match='left the velocities that can be between 1 s'):
        car.plant.advance(10)
    assert (engine.data.qpos == before[0]).all()
    assert (engine.data.qvel == before[1]).all()
    assert car.plant.time_ns == before[2]
    car.entity.reset(None)
    assert car.drive(1.0, 0.0, 2.0).twist.vx == pytest.approx(1.0, rel=0.02)


# Collisions


@pytest.mark.parametrize('contact', CONTACTS)
@pytest.mark.parametrize('speed', [0.5, 5.0])
def test_a_wall_stops_the_car_and_is_counted(contact, speed):
    car = car_in(WALL, contact_model=contact)
    assert car.read('collisions') == (0, False, 0.0, 0.0, 0.0)
    furthest = 0.0
    for _ in range(50):
        furthest = max(furthest, car.drive(speed, 0.0, 0.1).pose.x)
    # The body meets the wall, 2 cm thick.
    reach = 2.0 - 0.01 - car.plant.cars[0].car.vehicle.footprint.front
    assert reach - 0.03 < furthest < reach + 0.01
    found = car.read('collisions')
    assert found.contacts >= 1
    assert found.x == pytest.approx(reach, abs=0.01)
    assert car.entity.fault() == ''
    car.drive(0.0, 0.0, 0.5)
    first = found.contacts
    car.drive(-0.5, 0.0, 2.0)
    assert not car.read('collisions').in_contact
    car.drive(0.5, 0.0, 4.0)
    assert car.read('collisions').contacts > first
    car.entity.reset(None)
    assert car.read('collisions') == (0, False, 0.0, 0.0, 0.0)


def test_a_collision_knows_the_speed_before():
    car = car_in(WALL, contact_model='pacejka').drive(2.0, 0.0, 1.2)
    found = car.read('collisions')
    assert found.contacts == 1
    assert found.speed == pytest.approx(2.0, rel=0.02)


def test_cones_are_knocked_over_and_stand_again_after_a_reset():
    scene = Scene('cones', cones=(Cone(1.0, 0.0), Cone(5.0, 0.0)))
    car = car_in(scene, contact_model='pacejka')
    objects = car.entity.platform.objects
    standing = np.array([(1.0, 0.0), (5.0, 0.0)])

    def places():
        found = objects()
        return np.array(sorted((thing.x, thing.y) for thing in (*found.cones, *found.boxes)))

    assert places() == pytest.approx(standing, abs=1e-6)
    car.drive(2.0, 0.0, 1.2)
    assert places()[1] == pytest.approx(standing[1], abs=1e-6)
    assert places()[0][0] > 1.3
    assert car.read('collisions').contacts >= 1
    car.entity.reset(Pose3(-3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    assert places()[0][0] > 1.3
    car.entity.reset(None)
    car.run(0.5)
    assert len(objects().cones) == 2
    assert places() == pytest.approx(standing, abs=1e-5)


def test_a_car_that_returns_to_its_start_leaves_the_cones_to_the_others():
    world, cars = several([Pose2(0.0, 0.0, 0.0), Pose2(0.0, 3.0, 0.0)],
                          Scene('cones', cones=(Cone(5.0, 7.0),)))
    first, second = (car['entity'] for car in cars)
    engine = world.engine
    x, = np.flatnonzero(np.isclose(engine.data.qpos, 5.0))

    def cone():
        pose, = engine.loose_poses()
        return pose.x

    # As if a car had pushed it.
    engine.data.qpos[x] = 6.0
    first.reset(None)
    assert cone() == 6.0
    world.advance(1)
    second.reset(None)
    assert cone() == pytest.approx(6.0, abs=1e-3)
    first.reset(None)
    assert cone() == 5.0


@pytest.mark.parametrize('contact', CONTACTS)
@pytest.mark.parametrize('speed', [0.5, 1.0, 2.0, 4.0])
def test_a_car_knocks_over_the_cones_in_its_way_and_counts_each(speed, contact):
    scene = Scene('cones', cones=tuple(Cone(float(x), 0.0) for x in (1, 2)))
    car = car_in(scene, contact_model=contact)
    fallen, hits = set(), []
    for _ in range(round((2.8 / speed + 0.5) / 0.02)):
        car.drive(speed, 0.0, 0.02)
        for index, pose in enumerate(car.plant.engine.loose_poses()):
            if 1.0 - 2.0 * (pose.qx ** 2 + pose.qy ** 2) < 0.5:
                fallen.add(index)
        hits.append(car.read('collisions').contacts)
    assert fallen == {0, 1}
    assert hits[-1] >= 2
    # It drives on, on its line.
    assert car.pose.x > 1.5
    assert abs(car.pose.y) < 0.1
    assert car.entity.fault() == ''


def test_cones_that_are_met_at_once_are_counted_one_by_one():
    scene = Scene('cones', cones=tuple(Cone(1.0, y) for y in (-0.09, 0.09)))
    car = car_in(scene, contact_model='pacejka').drive(1.0, 0.0, 0.9)
    assert car.read('collisions').contacts == 2
    assert car.read('collisions').x == pytest.approx(0.55, abs=0.05)


def test_a_cone_on_its_side_is_seen_as_a_box():
    car = car_in(Scene('cone', cones=(Cone(3.0, 0.0),)))
    pose = car.plant.engine.model.joint('cone_0').qposadr[0]
    half = math.sqrt(0.5)
    # Its tip to the left.
    car.plant.engine.data.qpos[pose:pose + 7] = 3.0, 0.0, 0.08, half, -half, 0.0, 0.0
    box, = car.entity.platform.objects().boxes
    assert (box.x, box.y) == pytest.approx((3.0, 0.085))
    assert math.remainder(box.yaw - 0.5 * math.pi, math.pi) == pytest.approx(0.0, abs=1e-9)


def test_a_car_drives_into_a_box_but_not_over_it():
    car = car_in(Scene('box', boxes=(Box(1.5, 0.0, 0.3, 0.5, 0.5, 0.3),)), contact_model='pacejka')
    car.drive(1.0, 0.0, 3.0)
    assert car.pose.x < 1.1
    assert abs(car.pose.z) < 0.02


# Several cars


def test_sensors_see_another_car_where_it_is_now():
    world, cars = several([Pose2(0.0, 0.0, 0.0), Pose2(3.0, 0.0, 0.0)])
    seen = cars[0]['entity'].platform.objects

    def ahead():
        box, = seen().boxes
        return box.x - cars[1]['odometry']().pose.x, box.y

    assert seen() is seen()
    start = ahead()
    cars[1]['entity'].reset(Pose3(5.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    assert ahead() == pytest.approx((start[0], 2.0))
    cars[1]['drive'](AckermannCommand(1.0, 0.0))
    world.advance(500)
    assert cars[1]['odometry']().pose.x > 5.1
    assert ahead() == pytest.approx((start[0], 2.0), abs=1e-3)


def test_cars_far_apart_drive_as_each_alone():
    alone = make_car(contact_model='pacejka').drive(1.5, 0.2, 2.0)
    world, cars = several([Pose2(0.0, 10.0 * i, 0.0) for i in range(3)], contact_model='pacejka')
    for car, speed in zip(cars, (1.5, 0.0, -1.0), strict=True):
        car['drive'](AckermannCommand(speed, 0.2))
    world.advance(2000)
    assert np.array(cars[0]['odometry']().pose) == pytest.approx(np.array(alone.pose), abs=1e-6)
    # The braked wheels scrub while they are steered.
    assert cars[1]['odometry']().pose[:2] == pytest.approx((0.0, 10.0), abs=1e-3)
    assert cars[2]['odometry']().pose.x < -1.0
    assert [car['entity'].frame_prefix for car in cars] == ['a/', 'b/', 'c/']


def test_cars_collide_and_see_each_other():
    world, cars = several([Pose2(0.0, 0.0, 0.0), Pose2(2.0, 0.0, 0.0)], contact_model='pacejka')
    seen, = cars[0]['entity'].platform.objects().boxes
    front, rear, side = world.cars[1].car.vehicle.footprint
    assert (seen.x, seen.y, seen.yaw) == pytest.approx(
        (2.0 + 0.5 * (front - rear), 0.0, 0.0), abs=1e-4)
    assert (seen.length, seen.width) == pytest.approx((front + rear, 2.0 * side))
    cars[0]['drive'](AckermannCommand(2.0, 0.0))
    world.advance(2000)
    a, b = (car['odometry']().pose.x for car in cars)
    assert b > 2.02
    assert b - a > 0.4
    for car in cars:
        assert car['entity'].output('collisions').read().contacts >= 1


def test_reset_of_one_leaves_the_others():
    world, cars = several([Pose2(0.0, 0.0, 0.0), Pose2(0.0, 3.0, 0.0)], contact_model='pacejka')
    for car in cars:
        car['drive'](AckermannCommand(1.0, 0.0))
    world.advance(1000)
    before = cars[1]['odometry']()
    cars[0]['entity'].reset(None)
    assert cars[1]['odometry']() == before
    world.advance(500)
    assert cars[0]['odometry']().pose.x == pytest.approx(0.0, abs=1e-6)
    assert cars[1]['odometry']().twist.vx == pytest.approx(1.0, rel=0.02)


def test_names_that_stand_twice_are_refused():
    plant = make_world_plant(world_values())
    with pytest.raises(ConfigurationError, match='each with a name of its own'):
        WorldPlant(plant.scene, [*plant.cars, *plant.cars])


def test_cars_of_different_contact_are_refused():
    values = [world_values(contact_model=contact) for contact in CONTACTS]
    plants = [make_world_plant(one, cars=[CarValues(contact, one)])
              for contact, one in zip(CONTACTS, values, strict=True)]
    with pytest.raises(ConfigurationError, match='different tyres, expected one kind'):
        WorldPlant(plants[0].scene, [driven for plant in plants for driven in plant.cars])


# As the car of a loop


def test_a_loop_drives_it_from_odometry_to_odometry():
    car = make_world_car(world_values(rate=40.0))
    assert car.period_ns == 25_000_000
    assert car.compiled is None
    assert car.collisions is None
    car.set_command(AckermannCommand(1.0, 0.0))
    car.tick()
    found = car.odometry()
    assert isinstance(found, Odometry)
    assert found.time_ns == car.time_ns == 25_000_000
    assert "3-D world with vehicle 'racecar' (coulomb contact)" in car.description


def test_a_loop_takes_one_car_with_speed_and_angle_only():
    world, _ = several([Pose2(0.0, 0.0, 0.0), Pose2(0.0, 3.0, 0.0)])
    with pytest.raises(ConfigurationError, match='two cannot be driven in a loop without ROS'):
        PlantCar(world, 'two')
    joints = make_world_plant(world_values(command_interface='wheel_controllers'))
    with pytest.raises(ConfigurationError, match='takes speed and steering angle'):
        PlantCar(joints, 'joints')


def with_step(step, **values):
    return Car(make_world_plant(world_values(
        step=step, joint_states_rate=20.0, wheel_states_rate=20.0, car_state_rate=20.0,
        **values)))


@pytest.mark.parametrize('contact', CONTACTS)
def test_twice_the_step_gives_the_same_drive(contact):
    radii = []
    for step in (0.001, 0.002):
        car = with_step(step, contact_model=contact)
        car.inputs['drive'](AckermannCommand(2.0, 0.1))
        car.plant.advance(round(4.0 / step))
        radii.append(car.radius)
        car.inputs['drive'](AckermannCommand(0.0, 0.1))
        car.plant.advance(round(3.0 / step))
        stopped = np.array(car.pose)
        car.plant.advance(round(10.0 / step))
        assert np.array(car.pose) == pytest.approx(stopped, abs=1e-5)
    assert radii[1] == pytest.approx(radii[0], rel=1e-4)


def test_a_step_that_tyres_do_not_follow_is_refused():
    with pytest.raises(ConfigurationError, match=r'step is 0\.005 s, expected at most .* tyres'):
        with_step(0.005, contact_model='pacejka')
    # Friction has no tyres.
    with_step(0.005)


def test_rates_are_those_of_the_original_by_default():
    values = world_values()
    assert (values['rate'], values['joint_states_rate']) == (20.0, 50.0)
    assert WorldRates().odometry == 20.0
