# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`up plant` and `--without`: nodes of the user's drive, in lockstep too, or are told why not."""

import contextlib
import json
import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import tempfile
import threading
from typing import Any

from ackermann_msgs.msg import AckermannDriveStamped
from domains import claim_domain
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry
from node_bench import Bench, command, kinematic_linearizer, RACECAR, velocity
import pytest
import rclpy

from racecar.base.share import share_folder
from racecar.cli.main import main
from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.ros import qos
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.composing import ComposedStack

pytestmark = pytest.mark.ros

EXAMPLE = Path(__file__).parents[2] / 'docs' / 'examples' / 'pure_pursuit_node.py'
NAVIGATION = '/vesc/ackermann_cmd_mux/input/navigation'
TELEOP = '/vesc/ackermann_cmd_mux/input/teleop'
OUTPUT = '/vesc/low_level/ackermann_cmd_mux/output'
FAST = ('--lockstep', '--real-time-factor', '0')
DEADLINE = 120.0


class Program:
    """A Python program in a process of its own, a context manager that ends it without fail."""

    def __init__(self, domain, *arguments):
        self._files = [tempfile.TemporaryFile() for _ in range(2)]  # noqa: SIM115
        path = os.pathsep.join(
            filter(None, [str(share_folder() / 'src'), os.environ.get('PYTHONPATH')]))
        self.process = subprocess.Popen(
            [sys.executable, *map(str, arguments)], stdin=subprocess.DEVNULL,
            stdout=self._files[0], stderr=self._files[1],
            env={**os.environ, 'PYTHONPATH': path, 'ROS_DOMAIN_ID': str(domain),
                 'PYTHONFAULTHANDLER': '1'})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(DEADLINE)
        for file in self._files:
            file.close()

    def end(self, number=None):
        """Send a signal, if any; return exit code, stdout and stderr once it has ended."""
        if number is not None:
            self.process.send_signal(number)
        try:
            code = self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)
            self.process.wait(DEADLINE)
            raise AssertionError(f'it did not end; its threads:\n{self.said()[1]}') from None
        return code, *self.said()

    def said(self):
        """Return stdout and stderr so far."""
        texts = []
        for file in self._files:
            file.seek(0)
            texts.append(file.read().decode())
        return texts


@pytest.fixture
def domain():
    with contextlib.ExitStack() as stack:
        yield claim_domain(stack)


def up(domain, *arguments):
    return Program(domain, '-m', 'racecar.cli.main', 'up', *arguments)


@contextlib.contextmanager
def listening_node(domain):
    """Yield a node of another context that nobody spins, to look at the graph."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain)
    node = rclpy.create_node('onlooker', context=context)
    try:
        yield node
    finally:
        node.destroy_node()
        context.try_shutdown()


def wait_for(condition, what, programs=()):
    """Wait until a condition on the graph holds."""
    waiter = threading.Event()
    for _ in range(round(DEADLINE / 0.02)):
        if condition():
            return
        for program in programs:
            assert program.process.poll() is None, program.said()
        waiter.wait(0.02)
    raise AssertionError(f'{what} did not come')


# The example, two processes over DDS


@pytest.mark.parametrize('node_first', [True, False], ids=['node first', 'stack first'])
def test_node_of_the_documentation_drives_in_lockstep(domain, node_first):
    stack = ('plant', *FAST, '--duration', '5', '--skip', '2', '--json')
    with contextlib.ExitStack() as processes, listening_node(domain) as onlooker:
        def start_node():
            return processes.enter_context(Program(domain, EXAMPLE))

        def start_stack():
            return processes.enter_context(up(domain, *stack))

        if node_first:
            node = start_node()
            wait_for(lambda: onlooker.count_publishers(NAVIGATION), 'the node', [node])
            plant = start_stack()
        else:
            plant = start_stack()
            # It waits for the node by then.
            wait_for(lambda: 'for somebody who publishes' in plant.said()[1], 'a word', [plant])
            node = start_node()
        code, out, err = plant.end()
        assert code == 0, err
        metrics = json.loads(out)
        assert metrics['samples'] == 301
        assert metrics['rmse'] < 0.05
        assert node.end(signal.SIGINT) == (0, '', '')


def test_node_of_the_documentation_drives_in_real_time(domain):
    with Program(domain, EXAMPLE) as node, listening_node(domain) as onlooker:
        wait_for(lambda: onlooker.count_publishers(NAVIGATION), 'the node', [node])
        with up(domain, 'plant', '--duration', '5', '--skip', '3', '--json') as plant:
            code, out, err = plant.end()
        assert code == 0, err
        assert json.loads(out)['rmse'] < 0.3
        assert node.end(signal.SIGINT)[0] == 0


# Nobody drives, and others who do


@pytest.mark.parametrize(('arguments', 'message'), [
    (('plant',), f'nobody drove the car: a node of your own is to publish'
                 f' ackermann_msgs/msg/AckermannDriveStamped on {NAVIGATION}; see docs/own_con'),
    (('kinematic_ode', '--without', 'trajectory_tracker'),
     'nobody drove the car: a node of your own is to publish geometry_msgs/msg/TwistStamped on'
     ' /virtual_velocities;'),
    (('plant', '--lockstep', '--set', 'single_track_simulator.start_deadline=1'),
     'nothing was simulated within start_deadline (1 s of wall time): waiting for 3 subscriptions'
     ' to /vesc/odom (wait_for_subscribers), there are 2, and for somebody who publishes'
     f' ackermann_msgs/msg/AckermannDriveStamped on {NAVIGATION} (wait_for_publishers)')])
def test_run_that_nobody_drives_is_an_error_that_says_what_to_publish(capfd, arguments, message):
    assert main(['up', *arguments, '--duration', '0.5', '--real-time-factor', '2']) == 1
    out, err = capfd.readouterr()
    assert 'RMSE' not in out
    assert f'racecar up: error: {message}' in err


def test_topic_that_is_waited_for_has_the_name_and_place_of_the_stack(bench):
    navigation = NAVIGATION[1:]
    node = bench.start(
        SingleTrackSimulatorNode, use_sim_time=False, namespace='car1',
        remap={navigation: 'drive'}, wait_for_publishers=[navigation], **RACECAR)
    assert node.waits_for() == (
        'waiting for somebody who publishes on /car1/drive (wait_for_publishers)')
    bench.probe.create_publisher(AckermannDriveStamped, '/car1/drive', qos.COMMAND)
    bench.until(lambda: 'waiting for commands' in node.waits_for(), 'the start')


def test_stack_without_its_tracker_is_driven_by_another(capfd):
    """The law, its lockstep and the metrics are those of the stock loop."""
    assert main(['simulate', 'kinematic_ode', '--trajectory', 'line', '--duration', '1', '--set',
                 'trajectory_tracker.Kp=0', '--set',
                 'trajectory_tracker.exact_feed_forward=false', '--json']) == 0
    stock = json.loads(capfd.readouterr().out)
    options = StackOptions(
        lockstep=True, real_time_factor=0.0, end_time=1.0, without=('trajectory_tracker',))
    heard = []
    with ComposedStack(describe_stack('kinematic_ode', options)) as stack:
        other = rclpy.create_node('my_tracker')
        publisher = other.create_publisher(TwistStamped, 'virtual_velocities', qos.COMMAND)

        def on_odometry(message):
            heard.append(message)
            stamp = message.header.stamp
            publisher.publish(velocity(stamp.sec + stamp.nanosec / 1e9, 1.0, 1.0))

        other.create_subscription(Odometry, 'vesc/odom', on_odometry, qos.ODOMETRY)
        stack.add_node(other)
        stack.spin()
        assert stack.simulator.is_commanded
    places = {(m.header.stamp.sec, m.header.stamp.nanosec):
              (m.pose.pose.position.x, m.pose.pose.position.y) for m in heard}
    assert len(places) == 101
    error = max((x - t) ** 2 + (y - t) ** 2 for (t, x, y) in (
        (sec + nanosec / 1e9, *place) for (sec, nanosec), place in places.items())) ** 0.5
    assert error == pytest.approx(stock['max_error'], abs=1e-9)


def test_lockstep_waits_for_each_answer_of_the_own_node(bench):
    """A node that takes its time loses nothing: the time stands until it has answered."""
    with ComposedStack(describe_stack('plant', StackOptions(
            lockstep=True, real_time_factor=0.0, end_time=60.0))) as stack:
        heard: list[Any] = []
        publisher = bench.probe.create_publisher(AckermannDriveStamped, NAVIGATION, qos.COMMAND)
        bench.probe.create_subscription(Odometry, '/vesc/odom', heard.append, qos.STATE)
        for node in stack.nodes:
            bench.executor.add_node(node)
        bench.until(publisher.get_subscription_count, 'the mux')
        for tick in range(20):
            wanted = 10_000_000 * tick
            bench.until(lambda wanted=wanted: heard and heard[-1].header.stamp.nanosec == wanted,
                        f'tick {tick}')
            assert stack.simulator.plant.time_ns == wanted
            # Nothing else moves it on.
            for _ in range(5):
                bench.executor.spin_once(0.001)
            assert stack.simulator.plant.time_ns == wanted
            publisher.publish(command(0.01 * tick, 1.0))
        for node in stack.nodes:
            bench.executor.remove_node(node)


# Who does not take part is told


def test_late_publisher_on_an_input_that_lockstep_does_not_wait_for_is_told(bench):
    bench.start(
        AckermannMuxNode, namespace='/vesc/low_level', name='ackermann_cmd_mux', lockstep=True,
        use_sim_time=False, config_file='mux/low_level', awaited='input/navigation',
        remap={'~/teleop': TELEOP})
    bench.probe.create_publisher(
        AckermannDriveStamped, '/vesc/low_level/ackermann_cmd_mux/input/navigation', qos.COMMAND)
    bench.probe.create_publisher(AckermannDriveStamped, TELEOP, qos.COMMAND)
    line = bench.logged('which lockstep does not wait for')
    assert line.startswith(f'/probe publishes on {TELEOP}, which')
    assert '`racecar up plant`' in line
    assert 'without lockstep' in line
    assert not bench.has_logged('/probe publishes on /vesc/low_level')


@pytest.mark.parametrize('parameters', [
    {'lockstep': False, 'awaited': 'input/navigation'}, {'lockstep': True}])
def test_mux_that_nobody_waits_for_tells_nobody(bench, parameters):
    node = bench.start(
        AckermannMuxNode, name='mux', use_sim_time=False, config_file='mux/low_level',
        **parameters)
    publisher = bench.probe.create_publisher(
        AckermannDriveStamped, '/mux/input/teleop', qos.COMMAND)
    bench.until(publisher.get_subscription_count, 'the subscription')
    bench.until(lambda: node.count_publishers('/mux/input/teleop'), 'the publisher')
    node.look_for_conflicts()
    assert not bench.has_logged('publishes on')


def test_stock_stack_in_lockstep_tells_who_joins_beside_it(capfd):
    """Over the whole stack: only the stranger is told, none of the stack's own nodes."""
    options = StackOptions(lockstep=True, end_time=600.0)
    with Bench() as bench, ComposedStack(describe_stack('kinematic_ode', options)) as stack:
        bench.probe.create_publisher(AckermannDriveStamped, TELEOP, qos.COMMAND)
        stack.spin(until=lambda: bench.has_logged('which lockstep does not wait for'))
        told = [message for _, message in bench.logs if 'does not wait for' in message]
        assert stack.conflicts == []
    assert [message.partition(', which')[0] for message in told] == [
        f'/probe publishes on {TELEOP}']
    capfd.readouterr()


def test_second_publisher_of_velocities_is_a_conflict(bench):
    node = bench.start(kinematic_linearizer, use_sim_time=False, **RACECAR)
    others = [bench.add(rclpy.create_node(f'tracker_{i}')) for i in (1, 2)]
    for other in others:
        other.create_publisher(TwistStamped, '/virtual_velocities', qos.COMMAND)
    line = bench.logged('/virtual_velocities has 2 publishers, expected one: /tracker_1,')
    assert 'leave ours out (`racecar up --without`)' in line
    assert node.conflicts == [line]


@pytest.mark.parametrize('obeyed_before', [False, True])
def test_command_with_another_stamp_is_told_in_lockstep(bench, obeyed_before):
    odometry = bench.listen('/vesc/odom', Odometry, qos.STATE)
    bench.start(SingleTrackSimulatorNode, use_sim_time=False, lockstep=True,
                lockstep_deadline=0.5, real_time_factor=0.0, wait_for_subscribers=1, **RACECAR)
    bench.until(lambda: odometry, 'the odometry')
    if obeyed_before:
        bench.send(OUTPUT, command(0.0, 1.0))
        bench.until(lambda: odometry[-1].header.stamp.nanosec, 'the next tick')
    bench.send(OUTPUT, command(77.0, 1.0))
    line = bench.logged('A command stamped')
    told, = re.findall(r'A command stamped 77000000000 ns came, expected (\d+) ns, the stamp of'
                       r' the odometry that it answers: copy header\.stamp$', line)
    # On a busy computer the deadline may have passed before.
    assert (int(told) > 0) == obeyed_before
    assert int(told) % 10_000_000 == 0
