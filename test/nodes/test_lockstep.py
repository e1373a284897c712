# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One and the same run, bit for bit: without ROS, in one process, and in many."""

from contextlib import ExitStack, redirect_stdout
import csv
import io
import json
from typing import Any

from mcap.reader import make_reader
from nav_msgs.msg import Odometry
from node_bench import Bench
from node_processes import NodeProcess
import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile

from racecar.cli.main import main
from racecar.stacks import describe_stack, StackOptions

pytestmark = pytest.mark.ros

DURATION = 3.0
TICKS = 301


def rows_of(path):
    with open(path, newline='', encoding='utf-8') as stream:
        return list(csv.reader(stream))


def bytes_of(folder, topic):
    """Return the serialised messages of a topic in a bag."""
    file, = folder.glob('*.mcap')
    with open(file, 'rb') as stream:
        return [message.data for _, _, message in make_reader(stream).iter_messages([topic])]


def racecar(*arguments):
    """Run the command `racecar` and return the JSON object that it prints."""
    with redirect_stdout(io.StringIO()) as printed:
        assert main([*map(str, arguments), '--json']) == 0
    return json.loads(printed.getvalue())


@pytest.fixture(scope='module')
def run(tmp_path_factory):
    """Run `racecar up` in lockstep; return CSV rows, bag folder and metrics."""
    def up(*arguments):
        folder = tmp_path_factory.mktemp('run')
        metrics = racecar(
            'up', 'kinematic_ode', '--lockstep', '--real-time-factor', 0, '--duration', DURATION,
            '--csv', folder / 'run.csv', '--record', folder / 'bag', *arguments)
        return rows_of(folder / 'run.csv'), folder / 'bag', metrics
    return up


@pytest.fixture(scope='module')
def first(run):
    return run()


@pytest.mark.parametrize('options', [
    (), ('--trajectory', 'circle', '--vehicle', 'f1tenth', '--tyre-model', 'fiala'),
    ('--vehicle', 'report', '--set', 'trajectory_tracker.Ki=0.5',
     '--set', 'trajectory_tracker.Kd=0.1', '--set', 'single_track_simulator.rate=50.0')],
    ids=['defaults', 'another car', 'all terms'])
def test_nodes_in_lockstep_equal_the_simulation_without_ros(run, tmp_path, options):
    path = tmp_path / 'simulate.csv'
    metrics = racecar(
        'simulate', 'kinematic_ode', '--duration', DURATION, '--csv', path, *options)
    rows, _, found = run(*options)
    assert rows == rows_of(path)
    assert {**found, 'real_time_factor': 0} == {**metrics, 'real_time_factor': 0}


@pytest.mark.parametrize('topic', [
    '/vesc/odom', '/virtual_velocities', '/vesc/low_level/ackermann_cmd_mux/output',
    '/reference_trajectory', '/car_state', '/joint_states', '/tf'])
def test_two_runs_record_the_same_bytes(first, again, topic):
    found = bytes_of(first[1], topic)
    assert found == bytes_of(again[1], topic)
    # The recorder may meet other topics than the odometry a little late.
    assert len(found) == TICKS if topic == '/vesc/odom' else len(found) > TICKS // 2


@pytest.fixture(scope='module')
def again(run):
    return run()


def test_bag_of_a_run_in_lockstep_holds_every_odometry_message(first):
    assert len(bytes_of(first[1], '/vesc/odom')) == len(first[0]) - 1 == TICKS


def test_separate_processes_give_the_same_bytes_as_one(first):
    options = StackOptions(
        lockstep=True, real_time_factor=0.0, end_time=DURATION, observers=1)
    with Bench() as bench, ExitStack() as stack:
        heard: list[Any] = []
        # The loop does not wait for this one, so it must have room for all of them.
        bench.probe.create_subscription(
            Odometry, '/vesc/odom', heard.append,
            QoSProfile(depth=2 * TICKS, durability=DurabilityPolicy.TRANSIENT_LOCAL), raw=True)
        processes = [
            stack.enter_context(NodeProcess(d.executable, *d.ros_arguments()))
            for d in describe_stack('kinematic_ode', options)]
        # Before the loop is closed the first message may be repeated.
        bench.until(lambda: len(dict.fromkeys(heard)) >= TICKS
                    or any(p.process.poll() is not None for p in processes), 'all ticks')
        # What was sent before a process ended may still be on its way.
        bench.until(lambda: len(dict.fromkeys(heard)) >= TICKS, ''.join(
            ['all ticks; the processes said ', *(p.stderr for p in processes)]))
        assert list(dict.fromkeys(heard)) == bytes_of(first[1], '/vesc/odom')
        simulator = next(p for p in processes if p.executable == 'single_track_simulator')
        assert simulator.wait() == 0


def test_up_tells_of_a_reference_that_outruns_the_car(capsys):
    racecar('up', 'kinematic_ode', '--lockstep', '--real-time-factor', 0, '--duration', 3,
            '--trajectory', 'parabola')
    assert 'faster than the car can drive from 2.29 s on' in capsys.readouterr().err
