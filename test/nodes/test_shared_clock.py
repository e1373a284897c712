# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several nodes that hear the simulated time through one subscription."""

from ackermann_msgs.msg import AckermannDriveStamped
from node_bench import command, kinematic_linearizer, odometry, RACECAR
import pytest
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String

from racecar.base.types import NANOSECONDS
from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.ros import qos
from racecar.ros.shared_clock import SharedClock
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.composing import ComposedStack

pytestmark = pytest.mark.ros


@pytest.fixture
def muxes(bench):
    """Start three muxes that share a clock; the last uses the system's time."""
    nodes = [
        AckermannMuxNode(node_name=f'mux_{i}', parameter_overrides=[
            Parameter('config_file', value='mux/low_level'),
            Parameter('use_sim_time', value=i < 2)])
        for i in range(3)]
    SharedClock(nodes)
    return [bench.add(node) for node in nodes]


def clock_subscriptions(nodes):
    return [sum(row.msg_type is Clock for row in node.subscriptions) for node in nodes]


def test_one_subscription_sets_the_clocks_of_those_with_simulated_time(bench, muxes):
    assert clock_subscriptions(muxes) == [1, 0, 0]
    bench.set_clock(42.5)
    for node in muxes[:2]:
        assert node.now_ns() == node.get_clock().now().nanoseconds == 42_500_000_000
    assert muxes[2].now_ns() > 1_000_000_000 * NANOSECONDS


def test_composed_nodes_share_a_clock():
    options = StackOptions(lockstep=True, real_time_factor=0.0, end_time=0.1, active=True)
    with ComposedStack(describe_stack('kinematic_ode', options)) as stack:
        stack.spin()
        users = [node for node in stack.nodes if node.get_parameter('use_sim_time').value]
        assert len(users) > 3
        assert sum(clock_subscriptions(stack.nodes)) == 1


def test_shared_time_ends_what_timed_out(bench, muxes):
    outputs = [bench.listen(f'/mux_{i}/output', AckermannDriveStamped) for i in range(2)]
    bench.set_clock(1.0)
    for i in range(2):
        bench.send(f'/mux_{i}/input/navigation', command(1.0, 2.0, 0.25))
        bench.count(outputs[i], 1)
    bench.set_clock(1.5)
    for i in range(2):
        assert bench.count(outputs[i], 2).drive.speed == 0.0


def test_time_that_goes_back_reaches_every_node(bench, muxes):
    active = [bench.listen(f'/mux_{i}/active', String, qos.LATCHED) for i in range(2)]
    bench.set_clock(9.0)
    for i in range(2):
        bench.until(lambda i=i: active[i] and active[i][-1].data == 'idle', 'an idle mux')
        bench.send(f'/mux_{i}/input/teleop', command(9.0, 2.0))
        bench.until(lambda i=i: active[i][-1].data == 'Teleoperation', 'a holder')
    bench.set_clock(1.0)
    for i in range(2):
        bench.until(lambda i=i: active[i][-1].data == 'idle', 'the holder to be forgotten')
        assert muxes[i].now_ns() == NANOSECONDS


def test_node_that_changes_its_clock_at_run_time(bench, muxes):
    outputs = bench.listen('/mux_0/output', AckermannDriveStamped)
    bench.set_clock(1.0)
    bench.set_parameter(muxes[0], 'use_sim_time', False)
    assert muxes[0].now_ns() > 1_000_000_000 * NANOSECONDS
    bench.set_clock(2.0)
    assert muxes[1].now_ns() == 2 * NANOSECONDS
    bench.set_parameter(muxes[0], 'use_sim_time', True)
    bench.set_clock(3.0)
    assert muxes[0].now_ns() == 3 * NANOSECONDS
    bench.send('/mux_0/input/navigation', command(3.0, 2.0))
    bench.count(outputs, 1)
    bench.set_clock(3.5)
    assert bench.count(outputs, 2).drive.speed == 0.0


@pytest.fixture
def lockstep_mux(bench):
    """Start a mux alone in its process, in lockstep, that knows what is waited for."""
    return bench.start(
        AckermannMuxNode, config_file='mux/low_level', lockstep=True, awaited='input/navigation')


def test_awaited_commands_carry_the_time_of_a_node_alone_in_lockstep(bench, lockstep_mux):
    outputs = bench.listen('/ackermann_cmd_mux/output', AckermannDriveStamped)
    assert clock_subscriptions([lockstep_mux]) == [0]
    for number, at in enumerate((1.0, 1.5), start=1):
        bench.send('/ackermann_cmd_mux/input/navigation', command(at, 2.0))
        bench.count(outputs, number)
        assert lockstep_mux.now_ns() == lockstep_mux.get_clock().now().nanoseconds \
            == round(at * NANOSECONDS)
    # Nobody waits for this one, so it does not make the time.
    bench.send('/ackermann_cmd_mux/input/teleop', command(1.7, 2.0))
    bench.count(outputs, 3)
    assert lockstep_mux.now_ns() == 1_500_000_000


def test_a_stamp_of_another_clock_does_not_hold_up_a_node_alone_in_lockstep(bench, lockstep_mux):
    outputs = bench.listen('/ackermann_cmd_mux/output', AckermannDriveStamped)
    for at in (1.0, 2_000_000_000.0, 1.01):
        bench.send('/ackermann_cmd_mux/input/navigation', command(at, 2.0))
        # Across the gap the source falls silent, and a stop is sent between.
        bench.until(lambda at=at: command(at, 2.0) in outputs, f'the command of {at} s')
    assert outputs[-1] == command(1.01, 2.0)
    assert lockstep_mux.now_ns() == 1_010_000_000


def test_odometry_carries_the_time_of_a_linearizer_alone_in_lockstep(bench):
    node = bench.start(kinematic_linearizer, lockstep=True, **RACECAR)
    assert clock_subscriptions([node]) == [0]
    for at in (3.0, 1.0):
        bench.send('/vesc/odom', odometry(at))
        bench.until(lambda at=at: node.now_ns() == round(at * NANOSECONDS), f'{at} s')
