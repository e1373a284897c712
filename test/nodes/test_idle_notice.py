# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes that were started and do nothing say once what they wait for; those at work are silent."""

from functools import partial
import re

from ackermann_msgs.msg import AckermannDriveStamped
from node_bench import command, kinematic_linearizer, odometry, RACECAR, RACECAR_DRIVER, velocity
import pytest
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.nodes.bag_recorder import BagRecorderNode
from racecar.nodes.driver_bridge import DriverBridgeNode
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.nodes.trajectory_tracker import TrajectoryTrackerNode
from racecar.ros.idle_notice import IdleNotice
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.composing import ComposedStack

pytestmark = pytest.mark.ros

COMMANDS = '/vesc/low_level/ackermann_cmd_mux/output'


def said_by(bench, node):
    """Return what a node said of waiting, once it and one that was started later have spoken."""
    bench.start(TrajectoryTrackerNode, name='later', use_sim_time=False, **RACECAR)
    bench.logged('set /later active true')
    name = node.get_fully_qualified_name().strip('/').replace('/', '.')
    # Where the machine stalls, the later one may be first: calls of timers that are missed are
    # left out.
    words = ('waiting for', 'nobody in control', 'inactive', 'paused')
    return bench.until(lambda: [text for logger, text in bench.logs if logger == name and any(
        word in text for word in words)], f'words of {name}')


def test_a_node_at_work_is_silent_and_others_say_it_once(bench):
    busy, idle, last = (bench.add(Node(name)) for name in ('busy', 'idle', 'last'))
    clock = Clock(clock_type=ClockType.STEADY_TIME)
    notices = [IdleNotice(busy, clock, lambda: ''), IdleNotice(idle, clock, lambda: 'no input')]
    bench.logged('no input')
    notices.append(IdleNotice(last, clock, lambda: 'the last'))
    bench.logged('the last')
    assert bench.logs == [('idle', 'no input'), ('last', 'the last')]


def test_one_of_a_stack_waits_for_its_time_and_leaves_the_word_to_the_cause(bench):
    cause, effect, last = (bench.add(Node(name)) for name in ('cause', 'effect', 'last'))
    clock = Clock(clock_type=ClockType.STEADY_TIME)
    begun: list[bool] = []
    notices = [IdleNotice(node, clock, partial(str, text), lambda: bool(begun))
               for node, text in ((cause, 'no keys'), (effect, 'no commands'))]
    notices[1].follow(notices[:1])
    notices.append(IdleNotice(last, clock, lambda: 'the last'))
    bench.logged('the last')
    assert bench.logs == [('last', 'the last')]
    begun.append(True)
    bench.logged('no keys')
    notices.append(IdleNotice(last, clock, lambda: 'the very last'))
    bench.logged('the very last')
    assert not bench.has_logged('no commands')


def test_one_whose_work_others_do_may_wait_without_a_word(bench):
    first, second = (bench.add(Node(name)) for name in ('first', 'second'))
    clock = Clock(clock_type=ClockType.STEADY_TIME)
    notices = [IdleNotice(first, clock, lambda: 'nobody in control')]
    notices[0].be_needless_while(lambda: True)
    notices.append(IdleNotice(second, clock, lambda: 'no keys'))
    notices[1].be_needless_while(lambda: False)
    bench.logged('no keys')
    assert bench.logs == [('second', 'no keys')]


def test_one_that_could_not_work_is_no_cause(bench):
    first, second = (bench.add(Node(name)) for name in ('first', 'second'))
    clock = Clock(clock_type=ClockType.STEADY_TIME)
    before = IdleNotice(first, clock, lambda: 'no keys', lambda: False)
    IdleNotice(second, clock, lambda: 'the time does not run').follow([before])
    bench.logged('the time does not run')
    assert bench.logs == [('second', 'the time does not run')]


def test_a_stack_that_nobody_drives_says_it_in_one_line(bench):
    options = StackOptions(teleop='none', end_time=6.0)
    with ComposedStack(describe_stack('teleop', options)) as stack:
        stack.spin()
    said = [text for _, text in bench.logs if 'waiting for' in text or 'no command' in text]
    assert len(said) == 1
    assert said[0].startswith('nobody in control: no command from')


def test_tracker_names_both_ways_to_activate_it(bench):
    node = bench.start(TrajectoryTrackerNode, namespace='/car1', **RACECAR)
    assert said_by(bench, node) == [
        'inactive; activate it by `ros2 param set /car1/trajectory_tracker active true` or by the'
        ' service /car1/trajectory_tracker/activate']


def test_active_tracker_without_odometry(bench):
    node = bench.start(
        TrajectoryTrackerNode, active=True, remap={'vesc/odom': 'odom'}, **RACECAR)
    assert said_by(bench, node) == ['waiting for odometry on /odom']


def test_tracker_at_work_is_silent(bench):
    node = bench.start(TrajectoryTrackerNode, active=True, **RACECAR)
    bench.send('/vesc/odom', odometry(1.0))
    bench.until(lambda: node.waits_for() == '', 'the odometry')


def test_linearizer_names_what_is_missing(bench):
    node = bench.start(kinematic_linearizer, **RACECAR)
    assert said_by(bench, node) == [
        'waiting for odometry on /vesc/odom and virtual velocities on /virtual_velocities']


@pytest.mark.parametrize('lockstep', [False, True])
def test_linearizer_that_has_answered_is_silent(bench, lockstep):
    answers = bench.listen(
        '/vesc/ackermann_cmd_mux/input/navigation', AckermannDriveStamped)
    node = bench.start(kinematic_linearizer, **RACECAR, lockstep=lockstep)
    if not lockstep:
        bench.set_clock(1.0)
    bench.send('/vesc/odom', odometry(1.0))
    bench.until(lambda: 'virtual velocities' in node.waits_for() and 'odometry' not in
                node.waits_for(), 'the odometry')
    bench.send('/virtual_velocities', velocity(1.0, 1.0))
    bench.until(lambda: answers, 'the answer')
    assert node.waits_for() == ''


def test_simulator_without_commands(bench):
    node = bench.start(SingleTrackSimulatorNode, use_sim_time=False, **RACECAR)
    assert said_by(bench, node) == [
        f'waiting for commands on {COMMANDS} or /vesc/wheel_command; the car stands still']


def test_simulator_that_is_driven_is_silent(bench):
    node = bench.start(SingleTrackSimulatorNode, use_sim_time=False, **RACECAR)
    bench.send(COMMANDS, command(0.0, 1.0))
    bench.until(lambda: node.waits_for() == '', 'the command')


def test_simulator_that_waits_for_listeners_or_is_paused(bench):
    node = bench.start(
        SingleTrackSimulatorNode, use_sim_time=False, **RACECAR, wait_for_subscribers=9)
    bench.start(
        SingleTrackSimulatorNode, use_sim_time=False, namespace='other', name='paused', **RACECAR,
        paused=True, publish_clock=False)
    (text,) = said_by(bench, node)
    # The later tracker listens to it, if it was found by then.
    assert re.fullmatch(
        r'waiting for 9 subscriptions to /vesc/odom \(wait_for_subscribers\), there are [01]',
        text)
    bench.logged('paused; go on by the service /other/paused/pause with data: false')


def test_only_the_simulator_says_why_the_time_does_not_run(bench):
    waiting = bench.start(
        SingleTrackSimulatorNode, use_sim_time=False, wait_for_subscribers=9, **RACECAR)
    mux = bench.start(AckermannMuxNode, config_file='mux/low_level')
    bench.until(lambda: mux.count_publishers('/clock'), 'the simulator')
    bench.logged('waiting for 9 subscriptions')
    bench.start(SingleTrackSimulatorNode, use_sim_time=False, name='later', namespace='later',
                publish_clock=False, wait_for_subscribers=8, **RACECAR)
    bench.logged('waiting for 8 subscriptions')
    assert not [text for _, text in bench.logs if 'nobody in control' in text]
    # Where nobody makes the time, each node says what it waits for.
    bench.remove(waiting)
    bench.logged('nobody in control')


def test_driver_bridge_waits_for_odometry_then_for_the_driver(bench):
    node = bench.start(DriverBridgeNode, **RACECAR_DRIVER)
    assert said_by(bench, node) == ['waiting for odometry on /vesc/odom']
    bench.send('/vesc/odom', odometry(1.0))
    bench.until(lambda: node.waits_for() == (
        'waiting for the driver: call /driver/set_gear and /driver/set_throttle, or publish on'
        ' /driver/command'), 'the odometry')


def test_mux_names_its_sources_and_those_of_their_topics_that_are_published(bench):
    node = bench.start(AckermannMuxNode, config_file='mux/low_level')
    names = 'nobody in control: no command from Teleoperation, Safety, Driver or Navigation yet; '
    assert said_by(bench, node) == [f'{names}no node is connected']
    bench.probe.create_publisher(AckermannDriveStamped, '/ackermann_cmd_mux/input/safety', 1)
    bench.until(lambda: node.waits_for() == (
        f'{names}connected, but silent: /ackermann_cmd_mux/input/safety'), 'the publisher')


def test_recorder_names_the_topics_that_nobody_publishes(bench, tmp_path):
    bench.listen('/there', AckermannDriveStamped)
    bench.probe.create_publisher(AckermannDriveStamped, '/there', 1)
    node = bench.start(
        BagRecorderNode, folder=str(tmp_path / 'bag'), topics=['/absent', '/there', '/vesc/odo'])
    assert said_by(bench, node) == ['waiting for /absent, /vesc/odo']
