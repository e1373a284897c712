# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Configurations that run in this process: the bits of loops, and who drives when."""

import math

import numpy as np
import pytest

from racecar.base.errors import ParameterError
from racecar.base.types import AckermannCommand, NANOSECONDS, WHEEL_JOINTS
from racecar.driver.bridge import Pedals
from racecar.facade.fleet_simulation import FleetSimulation
from racecar.facade.simulation import Simulation
from racecar.stacks import STACKS
from racecar.stacks.options import from_values
from racecar.stacks.stepped.stepped_stack import SteppedStack

TRACKING = [name for name, stack in STACKS.items() if stack.closes_loop]
OTHERS = [name for name in STACKS if name not in (*TRACKING, 'plant', 'differential_plant')]


@pytest.fixture
def log():
    return []


@pytest.fixture
def make(log):
    def stack(name, **options):
        return SteppedStack(name, from_values(options), lambda *line: log.append(line))

    return stack


def drive(stack, seconds):
    """Go on for a while; return what was at each odometry, that at the end included."""
    found = []
    end_ns = stack.simulator.time_ns + round(seconds * NANOSECONDS)
    while True:
        found += stack.answer()
        if stack.simulator.time_ns >= end_ns:
            return found
        stack.advance()


@pytest.mark.parametrize('name', TRACKING)
def test_a_run_without_interference_has_the_bits_of_simulate(make, name):
    found = drive(make(name), 3.0)
    table = Simulation(name, from_values({})).run(3.0).table
    assert [instant.time_ns / NANOSECONDS for instant in found] == table['time'].tolist()
    for column, numbers in (
            ('x', [instant.state.pose.x for instant in found]),
            ('vx', [instant.state.twist.vx for instant in found]),
            ('speed_command', [instant.command.speed for instant in found]),
            ('steering_command', [instant.command.steering_angle for instant in found]),
            ('x_reference', [instant.reference.x for instant in found])):
        np.testing.assert_array_equal(numbers, table[column], column)


def test_several_cars_have_the_bits_of_simulate(make, log):
    options = {'cars': ('red', 'blue', 'green'), 'world': 'racetrack'}
    stack = make('gap_ode', **options)
    assert [car.robot.name for car in stack.cars] == [*options['cars']]
    found = drive(stack, 3.0)
    run = FleetSimulation('gap_ode', from_values(options)).run(3.0)
    for number, table in enumerate(car.table for car in run.cars.values()):
        own = found[number::3]
        for column, numbers in (
                ('x', [instant.state.pose.x for instant in own]),
                ('vx', [instant.state.twist.vx for instant in own]),
                ('steering_command', [math.nan if instant.command is None
                                      else instant.command.steering_angle for instant in own])):
            np.testing.assert_array_equal(numbers, table[column], column)
    assert not log


def test_a_person_backs_the_first_of_several_cars_into_the_next(make, log):
    stack = make('teleop', cars=('2',), world='racetrack')
    stack.first.person = AckermannCommand(-1.0, 0.0)
    drive(stack, 3.0)
    stack.simulator.watch()
    assert any(text.startswith('collision 1: car') for _, text, _ in log)
    assert -0.9 < stack.first.robot.output.read().pose.x < -0.2
    stack.reset()
    assert stack.first.robot.output.read().pose.x == 0.0


def test_options_and_sensors_leave_the_bits_as_they_are(make):
    options = {'vehicle': 'f1tenth', 'trajectory': 'circle', 'world': 'racetrack'}
    found = drive(make('dynamic_ode', sensors=('laser', 'imu'), **options), 2.0)
    table = Simulation('dynamic_ode', from_values(options)).run(2.0).table
    np.testing.assert_array_equal([instant.state.pose.y for instant in found], table['y'])


@pytest.mark.parametrize('name', OTHERS)
def test_whoever_drives_moves_the_car(make, name):
    stack = make(name)
    assert drive(stack, 0.1)
    if stack.first.driver is not None:
        stack.first.driver.controls.set_gear(1)
        stack.first.pedals = Pedals(0.0, 0.5, 0.0, 0)
    elif name.startswith('teleop'):
        stack.first.person = AckermannCommand(1.0, 0.0)
    first, *_, last = drive(stack, 1.5)
    assert math.dist(first.state.pose[:2], last.state.pose[:2]) > 0.3
    assert stack.first.muxes.active == {
        'gap': 'Navigation', 'dri': 'Driver', 'tel': 'Teleoperation'}[name[:3]]


def test_a_person_goes_before_the_tracker_which_drives_on_afterwards(make):
    stack = make('kinematic_ode')
    drive(stack, 0.5)
    assert stack.first.muxes.active == 'Navigation'
    stack.first.person = AckermannCommand(0.25, 0.125)
    assert {instant.command for instant in drive(stack, 0.5)} == {stack.first.person}
    assert stack.first.muxes.active == 'Teleoperation'
    stack.first.stop_person()
    # The mux gives the source 0.2 s.
    assert {instant.command.speed for instant in drive(stack, 0.15)} == {0.0}
    drive(stack, 0.1)
    assert stack.first.muxes.active == 'Navigation'
    assert [(mux.name, [row.name for row in mux.inputs if row.alive]) for mux in
            stack.first.muxes.muxes] == [
        ('/vesc/high_level/ackermann_cmd_mux', ['Nav_0']),
        ('/vesc/low_level/ackermann_cmd_mux', ['Teleoperation', 'Navigation'])]


def test_an_inactive_tracker_stops_the_car_and_leaves_the_mux(make, log):
    stack = make('kinematic_ode')
    drive(stack, 1.0)
    stack.first.tracker.set('active', False)
    last = drive(stack, 1.0)[-1]
    assert last.state.twist.vx == 0.0
    assert stack.first.muxes.active == 'idle'
    # It stood already.
    assert log == []
    stack.first.tracker.set('active', True)
    first, *_, last = drive(stack, 1.0)
    # The trajectory begins where the car is.
    assert math.dist(first.reference[1:3], first.state.pose[:2]) < 1e-6
    assert last.state.twist.vx > 0.1
    assert stack.first.tracker.starts == 2


def test_a_person_who_vanishes_without_a_stop_does_not_leave_a_car_that_drives(make, log):
    stack = make('teleop')
    stack.first.person = AckermannCommand(1.0, 0.0)
    drive(stack, 0.5)
    stack.first.person = None
    assert drive(stack, 0.5)[-1].state.twist.vx == 0.0
    (level, text, node), = log
    assert (level, node) == ('warn', 'vesc/low_level/ackermann_cmd_mux')
    assert text == 'no commands from Teleoperation for 0.2 s; stopping'


def test_gains_act_at_once_and_a_torn_point_stops_the_car(make, log):
    stack = make('kinematic_ode')
    drive(stack, 0.5)
    assert stack.first.tracker.set('Kp', 7) == 7.0
    assert drive(stack, 0.1)[-1].command.speed > 0.0
    stack.first.tracker.set('PL_distance', 0.2)
    assert drive(stack, 0.1)[-1].command.speed == 0.0
    assert 'set both to one value' in log[-1][1]
    stack.first.tracker.law.set('epsilon', 0.2)
    assert drive(stack, 0.1)[-1].command.speed > 0.0


@pytest.mark.parametrize(('name', 'value', 'reason'), [
    ('Kp', -1.0, 'Kp'), ('Kp', 'high', 'Kp'), ('Kq', 1.0, 'did you mean'),
    ('tracked_point', 'cog', 'read-only'), ('trajectory', 'knot', 'trajectory')])
def test_what_cannot_be_set_is_refused_and_changes_nothing(make, name, value, reason):
    tracker = make('kinematic_ode').first.tracker
    before = dict(tracker.values)
    with pytest.raises(ParameterError, match=reason):
        tracker.set(name, value)
    assert tracker.values == before


def test_a_reset_puts_the_car_to_its_start_while_time_goes_on(make):
    stack = make('kinematic_ode')
    start = drive(stack, 1.0)[0]
    stack.reset()
    instant, = stack.answer(always=True)
    assert instant.time_ns == NANOSECONDS
    assert instant.state.pose == start.state.pose
    assert instant.reference[1:3] == start.reference[1:3]


def test_pedals_keep_the_gear_and_their_release_brakes(make):
    stack = make('driver')
    stack.first.driver.controls.set_gear(1)
    stack.first.driver.controls.set_dipped_beams(True)
    stack.first.pedals = Pedals(0.1, 0.6, 0.0, 0)
    drive(stack, 1.0)
    view = stack.first.driver.view(stack.simulator.time_ns)
    assert (view.gear, view.throttle, view.lamps.front) == (1, 0.6, True)
    assert view.rpm > 0.0
    assert stack.first.robot.entity.lamps().front
    stack.first.release_pedals(0.1)
    drive(stack, 1.0)
    assert stack.first.driver.controls.brake_intensity == 1.0
    assert drive(stack, 0.1)[-1].state.twist.vx < 0.1


def test_a_collision_is_told_once(make, log):
    stack = make('teleop', world='tunnel')
    stack.first.person = AckermannCommand(3.0, 0.4)
    for _ in range(4):
        drive(stack, 0.5)
        stack.simulator.watch()
    assert [text.partition(' with ')[0] for _, text, _ in log if 'collision' in text] == [
        'collision 1: the car ran into something']


def test_joints_are_those_of_the_robot(make):
    last = drive(make('driver_world'), 0.05)[-1]
    assert set(WHEEL_JOINTS) <= {*last.joints.names}
    assert make('differential_wheels').first.robot.laser is None
    stack = make('gap_ode')
    assert stack.first.robot.laser_frame == 'laser'
