# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A second publisher of the clock, the odometry or a command: who they are, and the result."""

from ackermann_msgs.msg import AckermannDriveStamped
from nav_msgs.msg import Odometry
from node_bench import RACECAR
import pytest
import rclpy
from rosgraph_msgs.msg import Clock

from racecar.cli.main import main
from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.ros import qos
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.composing import ComposedStack, make_node

pytestmark = pytest.mark.ros

UP = ('up', 'kinematic_ode', '--lockstep', '--real-time-factor', '0', '--duration', '1')


@pytest.mark.parametrize(('topic', 'message_type'), [('/clock', Clock), ('/vesc/odom', Odometry)])
def test_simulator_says_who_publishes_beside_it(bench, topic, message_type):
    node = bench.start(SingleTrackSimulatorNode, use_sim_time=False, **RACECAR)
    bench.probe.create_publisher(message_type, topic, 1)
    line = bench.logged(f'{topic} has 2 publishers, expected one')
    assert ': /probe, /single_track_simulator;' in line
    assert 'namespace or ROS_DOMAIN_ID' in line
    assert node.conflicts == [line]


def test_simulator_says_who_commands_beside_the_mux(bench):
    output = '/vesc/low_level/ackermann_cmd_mux/output'
    node = bench.start(SingleTrackSimulatorNode, use_sim_time=False, **RACECAR)
    for name in ('mux', 'joystick'):
        bench.add(rclpy.create_node(name)).create_publisher(
            AckermannDriveStamped, output, qos.COMMAND)
    bench.logged(f'{output} has 2 publishers, expected one: /joystick, /mux; they overrule')
    assert output in node.conflicts[0]


@pytest.mark.parametrize('names', ['f1tenth', 'f1tenth_gym', 'f1tenth_pf'])
def test_two_publishers_on_drive_are_a_warning_in_the_sets_of_f1tenth(bench, names):
    row = next(row for row in describe_stack('plant', StackOptions(topic_names=names))
               if row.full_name == 'vesc/high_level/ackermann_cmd_mux')
    node = bench.add(make_node(row))
    for name in ('gap_follower', 'safety_node'):
        bench.add(rclpy.create_node(name)).create_publisher(
            AckermannDriveStamped, '/drive', qos.COMMAND)
    line = bench.logged('/drive has 2 publishers, expected one: /gap_follower, /safety_node;')
    assert 'the newest command counts' in line
    assert node.conflicts == []


def test_mux_names_the_publishers_of_an_input_with_their_namespaces(bench):
    node = bench.start(
        AckermannMuxNode, namespace='/vesc/low_level', name='ackermann_cmd_mux',
        use_sim_time=False, config_file='mux/low_level',
        remap={'~/teleop': '/vesc/ackermann_cmd_mux/input/teleop'})
    publisher = bench.probe.create_publisher(
        AckermannDriveStamped, '/vesc/ackermann_cmd_mux/input/teleop', qos.COMMAND)
    bench.until(publisher.get_subscription_count, 'the subscription')
    node.look_for_conflicts()
    assert node.conflicts == []
    others = [bench.add(rclpy.create_node('joy_teleop', namespace=f'/car{i}')) for i in (1, 2)]
    for other in others:
        other.create_publisher(
            AckermannDriveStamped, '/vesc/ackermann_cmd_mux/input/teleop', qos.COMMAND)
    assert '/car1/joy_teleop, /car2/joy_teleop, /probe' in bench.logged('has 3 publishers')


def test_complaint_is_not_repeated_at_every_look(bench):
    node = bench.start(SingleTrackSimulatorNode, use_sim_time=False, **RACECAR)
    bench.probe.create_publisher(Odometry, '/vesc/odom', qos.ODOMETRY)
    bench.logged('has 2 publishers')
    for _ in range(5):
        node.look_for_conflicts()
    assert sum('has 2 publishers' in message for _, message in bench.logs) == 1


def test_stack_reports_a_conflict_with_another_process_or_context():
    context = rclpy.Context()
    rclpy.init(context=context)
    other = rclpy.create_node('other_simulator', context=context, namespace='/elsewhere')
    try:
        other.create_publisher(Odometry, '/vesc/odom', qos.ODOMETRY)
        with ComposedStack(describe_stack('kinematic_ode', StackOptions(end_time=60.0))) as stack:
            stack.spin(until=lambda: bool(stack.conflicts))
            conflict, = stack.conflicts
    finally:
        other.destroy_node()
        context.try_shutdown()
    assert '/elsewhere/other_simulator, /single_track_simulator;' in conflict


@pytest.mark.parametrize('command', [UP, ('demo', '--duration', '1')], ids=['up', 'demo'])
def test_result_of_a_run_with_a_conflict_is_not_given(command, capfd, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ComposedStack, 'conflicts', ['/vesc/odom has 2 publishers'])
    assert main([*command]) == 1
    answer = capfd.readouterr()
    assert 'RMSE' not in answer.out
    assert f'racecar {command[0]}: error: the result is not to be trusted: /vesc/odom has 2' \
        in answer.err


def test_result_without_a_conflict_is_given(capfd):
    assert main([*UP, '--json']) == 0
    assert '"samples": 101' in capfd.readouterr().out
