# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emergency brake: verdicts on scans, stops by service, and whole drives towards walls."""

from contextlib import ExitStack
import math
from typing import Any

from ackermann_msgs.msg import AckermannDriveStamped
from bag_samples import messages_in
from nav_msgs.msg import Odometry
from node_bench import Bench, command, odometry, RACECAR, stamp
from node_processes import NodeProcess
import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import LaserScan
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from racecar.base.errors import ConfigurationError
from racecar.cli.main import main
from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.nodes.emergency_brake import EmergencyBrakeNode
from racecar.ros import qos, topics
from racecar.ros.interfaces import SetFloat, SetGear
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.composing import make_node

pytestmark = pytest.mark.ros

SAFETY = '/vesc/ackermann_cmd_mux/input/safety'
CLEAR = '/vesc/ackermann_cmd_mux/input/safety_clear'
NAVIGATION = '/vesc/ackermann_cmd_mux/input/navigation'


def scan(at, distance, rays=61, **more):
    """A wall all around, or ranges as they are."""
    ranges = distance if isinstance(distance, list) else [distance] * rays
    message = LaserScan(
        angle_min=-1.5, angle_max=1.5, angle_increment=3.0 / max(len(ranges) - 1, 1),
        scan_time=0.025, range_min=0.1, range_max=10.0, ranges=ranges, **more)
    message.header.frame_id = 'laser'
    message.header.stamp = stamp(at)
    return message


class Brake:
    """The node, and what it says."""

    def __init__(self, bench, **parameters):
        self.bench = bench
        self.stops = bench.listen(SAFETY, AckermannDriveStamped)
        self.clears = bench.listen(CLEAR, AckermannDriveStamped)
        self.states = bench.listen('/emergency_brake/state', String, qos.LATCHED)
        self.node = bench.start(EmergencyBrakeNode, **{**RACECAR, **parameters})

    def see(self, at, distance, speed=0.0):
        """Set the clock, and deliver an odometry and a scan."""
        self.bench.set_clock(at)
        self.bench.deliver(self.node, '/vesc/odom', odometry(at, vx=speed))
        self.scan(scan(at, distance))

    def scan(self, message):
        self.bench.deliver(self.node, '/scan', message)

    def call(self, name):
        assert self.bench.call(f'/emergency_brake/{name}', Trigger).success

    def until_state(self, state):
        self.bench.until(lambda: self.states and self.states[-1].data == state, state)


@pytest.fixture
def brake(bench):
    return Brake(bench)


def test_each_scan_is_answered_with_its_stamp_by_a_stop_or_that_all_is_clear(bench, brake):
    brake.see(2.0, 9.0, 1.0)
    bench.until(lambda: brake.clears)
    assert brake.clears[-1].header.stamp == stamp(2.0)
    assert not brake.stops
    brake.see(2.01, 0.7, 3.0)
    bench.until(lambda: brake.stops)
    assert brake.stops[-1] == command(2.01, 0.0)
    assert 'contact in' in bench.logged('braking: ')
    brake.until_state('braking')
    brake.see(2.02, 9.0, 0.0)
    bench.until(lambda: len(brake.clears) == 2)
    brake.until_state('clear')


@pytest.mark.parametrize('ranges', [
    [math.nan] * 61, [-1.0] * 61, [0.0] * 61, [], [-math.inf] * 61,
    [9.0] * 28 + [math.nan] * 5 + [9.0] * 28], ids=[
    'NaN', 'negative', 'zero', 'empty', 'too near', 'some NaN'])
def test_a_scan_that_tells_nothing_does_not_release_the_brake(bench, brake, ranges):
    brake.see(2.0, 0.7, 3.0)
    bench.until(lambda: brake.stops)
    for at in (2.01, 2.02):
        before = len(brake.stops)
        brake.see(at, ranges)
        bench.until(lambda before=before: len(brake.stops) > before)
    assert not brake.clears
    brake.see(2.03, 9.0)
    bench.until(lambda: brake.clears)
    assert brake.clears[-1].header.stamp == stamp(2.03)


@pytest.mark.parametrize('at', [1.0, 3.0], ids=['old', 'of the future'])
def test_a_scan_of_another_time_is_dropped_and_releases_nothing(bench, brake, at):
    brake.see(2.0, 0.7, 3.0)
    bench.until(lambda: brake.stops)
    brake.scan(scan(at, 9.0))
    assert 'scan dropped' in bench.logged('its stamp is 1.000 s')
    assert not brake.clears
    brake.see(2.01, 9.0)
    bench.until(lambda: brake.clears)
    assert brake.clears[-1].header.stamp == stamp(2.01)


@pytest.mark.parametrize('silent', ['scan', 'odometry'])
def test_without_scans_or_odometry_the_car_is_stopped_until_they_come(bench, brake, silent):
    brake.see(2.0, 9.0)
    bench.until(lambda: brake.clears)
    for at in (2.3, 2.6):
        bench.set_clock(at)
        if silent == 'scan':
            bench.deliver(brake.node, '/vesc/odom', odometry(at))
        else:
            brake.scan(scan(at, 9.0))
    bench.until(lambda: brake.stops)
    brake.until_state('blind')
    assert 'there was no scan on /scan' in bench.logged('braking: ')
    before = len(brake.stops)
    bench.set_clock(2.7)
    bench.until(lambda: len(brake.stops) > before, 'the stop once more')
    brake.see(2.71, 9.0)
    brake.until_state('clear')


def test_it_may_be_told_not_to_stop_without_scans(bench):
    brake = Brake(bench, stop_when_blind=False)
    brake.see(2.0, 9.0)
    bench.set_clock(4.0)
    brake.see(4.01, 9.0)
    bench.until(lambda: len(brake.clears) == 2)
    assert not brake.stops


def test_an_emergency_stop_holds_the_car_against_navigation_at_full_rate(bench):
    brake = Brake(bench)
    outputs = bench.listen('/mux/output', AckermannDriveStamped)
    active = bench.listen('/mux/active', String, qos.LATCHED)
    mux = bench.start(
        AckermannMuxNode, config_file='mux/low_level', name='mux', remap={
            '~/input/navigation': NAVIGATION, '~/safety': SAFETY, '~/safety_clear': CLEAR})

    def drive(first, ticks):
        """Command, scan and odometry at 100 Hz; what comes out of the mux then."""
        before = len(outputs)
        for number in range(ticks):
            at = first + 0.01 * number
            brake.see(at, 9.0, 1.0)
            bench.deliver(mux, NAVIGATION, command(at, 2.0))
        bench.until(lambda: outputs and outputs[-1].header.stamp == stamp(at), 'the last command')
        return [row.drive.speed for row in outputs[before:]]

    assert drive(2.0, 3) == [2.0] * 3
    brake.call('stop')
    brake.until_state('stopped')
    bench.until(lambda: active[-1].data == 'Safety')
    assert set(drive(2.03, 40)) == {0.0}
    brake.call('release')
    bench.until(lambda: drive(3.0, 1) == [2.0], 'navigation drives on')


def test_in_lockstep_a_command_waits_for_the_verdict_and_a_person_goes_first(bench):
    outputs = bench.listen('/mux/output', AckermannDriveStamped)
    mux = bench.start(
        AckermannMuxNode, config_file='mux/low_level', name='mux', lockstep=True,
        awaited='input/navigation,safety,safety_clear')

    def say(topic, *what):
        bench.deliver(mux, f'/mux/{topic}', command(*what))

    say('input/navigation', 1.0, 2.0)
    say('safety_clear', 1.0, 0.0)
    assert bench.count(outputs, 1) == command(1.0, 2.0)
    say('safety', 1.1, 0.0)
    say('input/navigation', 1.1, 2.0)
    assert bench.count(outputs, 2) == command(1.1, 0.0)
    # It answers no odometry: its newest command goes with the stamp of those of the loop.
    say('input/teleop', 0.0, 0.7)
    for number, (at, verdict) in enumerate(((1.2, 'safety'), (1.25, 'safety_clear')), 3):
        say('input/navigation', at, 2.0)
        say(verdict, at, 0.0)
        assert bench.count(outputs, number).drive.speed == pytest.approx(0.7)
        assert outputs[-1].header.stamp == stamp(at)
    # A time that goes back, as after a reset; the person is gone by then.
    say('safety_clear', 0.5, 0.0)
    say('input/navigation', 0.5, 1.0)
    assert bench.count(outputs, 5) == command(0.5, 1.0)


WORLD = """
description: A wall across the way.
walls:
  - {points: [[6.0, -5.0], [6.0, 5.0]], thickness: 0.2, height: 1.0}
"""
FIXED = """
class Fixed:
    def __init__(self, vehicle):
        pass

    def command(self, odometry, reference):
        return 4.0, 0.0
"""


@pytest.fixture
def towards_a_wall(tmp_path):
    """Options of a configuration whose car drives straight at a wall with 4 m/s."""
    world, controller = tmp_path / 'wall.yaml', tmp_path / 'fixed.py'
    world.write_text(WORLD)
    controller.write_text(FIXED)
    return {'world': str(world), 'controller': f'{controller}:Fixed', 'sensors': ('laser',),
            'trajectory': 'line', 'lockstep': True, 'real_time_factor': 0.0, 'end_time': 3.0,
            'safety': True, 'overrides': {'single_track_simulator': {'actuators.acceleration': 8}}}


def path_in(messages):
    return [(row.pose.pose.position.x, row.pose.pose.position.y, row.twist.twist.linear.x)
            for row in messages]


def ticks(messages):
    """Return messages by their time; one that came again counts once."""
    return {(row.header.stamp.sec, row.header.stamp.nanosec): row for row in messages}


def test_a_fixed_command_towards_a_wall_stops_before_it_in_each_run(
        towards_a_wall, tmp_path, capfd):
    options = towards_a_wall
    paths = []
    for number in range(2):
        bag = tmp_path / f'run{number}'
        assert main([
            'up', 'kinematic_ode', '--lockstep', '--real-time-factor', '0', '--duration', '3',
            '--safety', '--world', options['world'], '--controller', options['controller'],
            '--sensors', 'laser', '--trajectory', 'line', '--set',
            'single_track_simulator.actuators.acceleration=8', '--record', str(bag)]) == 0
        rows = {repr(row.message.header.stamp): row.message
                for row in messages_in(bag, ['/vesc/odom'])}
        paths.append(path_in(rows.values()))
    assert all(path == paths[0] for path in paths)
    x, _, speed = paths[0][-1]
    assert speed == 0.0
    assert max(row[2] for row in paths[0]) > 3.0
    # Near the wall, whose face is at 5.9 m, by what the brake keeps beyond what braking takes.
    assert 4.0 < x < 5.9 - 0.3
    # As nodes in processes of their own, whose messages come in another order.
    with Bench() as bench, ExitStack() as stack:
        heard: list[Any] = []
        bench.probe.create_subscription(Odometry, '/vesc/odom', heard.append, QoSProfile(
            depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL))
        for d in describe_stack('kinematic_ode', StackOptions(**options, observers=1)):
            stack.enter_context(NodeProcess(d.executable, *d.ros_arguments()))
        bench.until(lambda: len(ticks(heard)) >= 301, 'all ticks', 90)
        assert path_in(ticks(heard).values()) == paths[0]


def test_a_driver_at_the_throttle_is_stopped_before_a_wall_alike_each_time(towards_a_wall):
    """By torques, which pass the mux: the bridge gives none while the brake holds it."""
    options = StackOptions(
        lockstep=True, real_time_factor=0.0, end_time=4.0, safety=True, observers=1,
        world=towards_a_wall['world'], sensors=('laser',),
        overrides={'single_track_simulator': {'paused': True}})

    def drive():
        heard: list[Any] = []
        with Bench() as bench:
            bench.probe.create_subscription(Odometry, '/vesc/odom', heard.append, QoSProfile(
                depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL))
            answers = bench.listen(f'/{topics.DRIVER_COMMAND}', AckermannDriveStamped, qos.COMMAND)
            for description in describe_stack('driver', options):
                bench.add(make_node(description))
            # Pedals after the answer to the first tick and before the time goes on: a drive then
            # depends on nothing else.
            bench.until(lambda: answers, 'the answer to the first tick', 90)
            assert bench.call('/driver/set_gear', SetGear, gear=1).success
            assert bench.call('/driver/set_throttle', SetFloat, value=1.0).success
            assert bench.call('/single_track_simulator/pause', SetBool, data=False).success
            bench.until(lambda: len(ticks(heard)) >= 401, 'all ticks', 90)
        return path_in(ticks(heard).values())

    path = drive()
    assert max(speed for _, _, speed in path) > 1.5
    assert 3.0 < path[-1][0] < 5.9 - 0.3
    assert abs(path[-1][2]) < 0.05
    assert drive() == path


def nodes(stack, **options):
    return {d.full_name: d for d in describe_stack(stack, StackOptions(**options))}


@pytest.mark.parametrize(('stack', 'judges'), [
    ('gap_ode', 'scan'), ('gap_world', 'scan'), ('driver', 'odometry'),
    ('driver_world', 'odometry'), ('kinematic_ode', 'odometry'), ('teleop', 'odometry')])
def test_a_brake_knows_place_and_rates_of_what_it_sees_by(stack, judges):
    sensors = {} if stack.startswith('gap') else {'sensors': ('laser',)}
    options = {'lockstep': True} if stack != 'teleop' else {}
    found = nodes(stack, safety=True, **sensors, **options)
    values = found['emergency_brake'].resolve()
    assert values['judges'] == judges
    assert values['laser.x'] > 0.1
    assert values['laser.yaw'] == 0.0
    low = found['vesc/low_level/ackermann_cmd_mux'].resolve()
    assert ('safety_clear' in low['awaited']) is True
    assert low['arbitration'] == 'priority'
    assert 'emergency_brake' not in nodes(stack, **sensors, **options)


def test_each_car_has_a_brake_of_its_own():
    found = nodes('gap_ode', cars=('red', 'blue'), safety=True, lockstep=True,
                  overrides={'red/emergency_brake': {'margin': 0.2}})
    assert found['red/emergency_brake'].resolve()['margin'] == 0.2
    assert found['blue/emergency_brake'].resolve()['margin'] == 0.05
    low = found['blue/vesc/low_level/ackermann_cmd_mux']
    assert ('~/safety_clear', '/blue/vesc/ackermann_cmd_mux/input/safety_clear') in low.remappings


@pytest.mark.parametrize('names', ['f1tenth_gym', 'rss', 'f1tenth'])
def test_the_newest_command_does_not_overrule_the_brake(names):
    found = nodes('gap_ode', topic_names=names, safety=True)
    assert found['vesc/low_level/ackermann_cmd_mux'].resolve()['arbitration'] == 'priority'


MUX = """
subscribers:
  - {name: Safety, topic: safety, timeout: 0.2, priority: 5}
  - {name: Navigation, topic: input/navigation, timeout: 0.2, priority: 0}
"""


def test_what_a_brake_cannot_work_with_is_refused(tmp_path):
    mux = tmp_path / 'mux.yaml'
    mux.write_text(MUX)
    for stack, options, message in (
            ('differential_wheels', {}, 'has no emergency brake'),
            ('kinematic_ode', {}, 'expected laser among them'),
            ('kinematic_ode', {'sensors': ('laser',), 'lockstep': True, 'overrides': {
                'single_track_simulator': {'laser.delay': 0.025}}}, 'laser.delay of'),
            ('gap_ode', {'lockstep': True, 'overrides': {'vesc/low_level/ackermann_cmd_mux': {
                'config_file': str(mux)}}}, 'has no source that yields by safety_clear')):
        with pytest.raises(ConfigurationError, match=message):
            nodes(stack, safety=True, **options)


@pytest.mark.parametrize(('stack', 'more'), [
    ('gap_ode', ()), ('gap_ode', ('--cars', '2')),
    ('driver', ('--sensors', 'laser', '--world', 'tunnel'))])
def test_configurations_with_brakes_drive_in_lockstep(stack, more, capfd):
    assert main(['up', stack, '--safety', '--lockstep', '--real-time-factor', '0', '--duration',
                 '2', *more]) == 0
    assert 'error' not in capfd.readouterr().err.lower()
