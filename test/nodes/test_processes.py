# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes as processes: exit codes and messages, signals, and what a killed node means for the car.

Processes start side by side, because each takes seconds to import what it needs.
"""

from contextlib import ExitStack
import itertools
import signal

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry
from node_bench import Bench, seconds
from node_processes import NodeProcess, VEHICLE
import pytest

from racecar.catalogue import TABLES
from racecar.ros import qos
from racecar.stacks import describe_stack, StackOptions

pytestmark = pytest.mark.ros

NEEDED = {
    **{executable: VEHICLE for executable, rows in TABLES.items()
       if any(row.name == 'vehicle.name' for row in rows)},
    'ackermann_mux': ('-p', 'config_file:=mux/low_level'),
    'lap_timer': ('-p', 'track:=racetrack'),
    'race_control': (*VEHICLE, '-p', 'race_file:=head_to_head', '-p', 'cars:=[red, blue]')}

BAD = {
    'trajectory_tracker': ('Kp:=-1.0', ["'Kp'", '-1.0', '[0, 1000]']),
    'kinematic_linearizer': ('epsilon:=0.0', ["'epsilon'", '0.0', '(0, 10] [m]']),
    'dynamic_linearizer': (
        'kinematic_speed:=2.0',
        ["'kinematic_speed'", '2 m/s', 'less than dynamic_speed (0.5 m/s)']),
    'single_track_simulator': (
        'tyre_model:=square', ["'tyre_model'", "'square'", 'linear, fiala, fiala_unsaturated']),
    'driver_bridge': ('state_rate:=0.0', ["'state_rate'", '0.0', '(0, 1000] [Hz]']),
    'ackermann_mux': ('config_file:=none', ["'none'", 'mux/high_level, mux/low_level']),
    'bag_recorder': ('compression:=zip', ["'compression'", "'zip'", 'zstd, lz4, none'])}


@pytest.fixture(scope='module')
def refused(tmp_path_factory):
    """Start every node with a bad parameter."""
    with ExitStack() as stack:
        yield {
            executable: stack.enter_context(NodeProcess(
                executable, *NEEDED.get(executable, ()), '-p',
                f'folder:={tmp_path_factory.mktemp("bags") / "bag"}' if executable
                == 'bag_recorder' else 'use_sim_time:=false', '-p', setting))
            for executable, (setting, _) in BAD.items()}


@pytest.mark.parametrize('executable', BAD)
def test_bad_parameter_ends_the_process_with_a_line_that_says_why(refused, executable):
    process = refused[executable]
    assert process.wait() == 1
    line = process.stderr.rstrip('\n')
    assert line.startswith('[node not started] error: ')
    assert '\n' not in line
    for part in BAD[executable][1]:
        assert part in line


# All nodes are ended by one function, so that each is sent one; test_signals sends both to stacks.
SIGNALS = dict(zip(TABLES, itertools.cycle([signal.SIGINT, signal.SIGTERM])))
# So many interpreters start at once, some of which compile: all of them would take minutes.
GROUP = 4


@pytest.mark.parametrize('executables', [
    tuple(TABLES)[at:at + GROUP] for at in range(0, len(TABLES), GROUP)], ids='-'.join)
def test_signal_ends_the_process_in_peace(executables, tmp_path):
    with ExitStack() as stack:
        processes = {
            executable: stack.enter_context(NodeProcess(
                executable, *NEEDED.get(executable, ()), '-p',
                f'folder:={tmp_path / "bag"}' if executable
                == 'bag_recorder' else 'use_sim_time:=false', '-r', f'__node:={executable}'))
            for executable in executables}
        with Bench() as bench:
            for executable, process in processes.items():
                bench.until(lambda name=executable, running=process: running.has_ended
                            or name in bench.probe.get_node_names(), executable, 200.0)
                assert not process.has_ended, process.stderr
                process.send_signal(SIGNALS[executable])
        for executable, process in processes.items():
            assert process.wait() == 0, executable
            assert 'Traceback' not in process.stderr
            assert 'rror' not in process.stderr


# What each node of the chain sends, and the timeout of who listens to it [s].
CHAIN = {
    'trajectory_tracker': ('/virtual_velocities', TwistStamped, 0.2),
    'kinematic_linearizer': (
        '/vesc/ackermann_cmd_mux/input/navigation', AckermannDriveStamped, 0.2),
    'vesc/high_level/ackermann_cmd_mux': (
        '/vesc/high_level/ackermann_cmd_mux/output', AckermannDriveStamped, 0.2),
    'vesc/low_level/ackermann_cmd_mux': (
        '/vesc/low_level/ackermann_cmd_mux/output', AckermannDriveStamped, 0.5)}


class Drive:
    """The stack in processes of their own, at a quarter of real time for busy machines."""

    def __init__(self, bench, stack):
        self.bench, self.stack = bench, stack
        self.odometry = bench.listen('/vesc/odom', Odometry, qos.ODOMETRY)
        self.outputs = {name: bench.listen(topic, message_type)
                        for name, (topic, message_type, _) in CHAIN.items()}
        options = StackOptions(trajectory='circle', real_time_factor=0.25)
        self.descriptions = {d.full_name: d for d in describe_stack('kinematic_ode', options)}
        self.processes = {name: self.start(name) for name in self.descriptions}

    def start(self, name):
        description = self.descriptions[name]
        return self.stack.enter_context(
            NodeProcess(description.executable, *description.ros_arguments()))

    @property
    def speeds(self):
        """Of the last messages."""
        return [message.twist.twist.linear.x for message in self.odometry[-20:]]

    def wait_until_driving(self):
        self.bench.until(lambda: len(self.speeds) == 20 and min(self.speeds) > 0.5, 'motion', 60.0)
        now = seconds(self.odometry[-1])
        self.bench.until(
            lambda: all(heard and seconds(heard[-1]) >= now for heard in self.outputs.values()),
            'all outputs of the chain', 60.0)

    def kill(self, name):
        """Kill a node; return how long the car drives on after its last message [s]."""
        self.wait_until_driving()
        self.processes[name].kill()
        try:
            self.bench.until(lambda: not any(self.speeds), f'a stop without {name}')
        finally:
            self.processes[name] = self.start(name)
        last = seconds(self.outputs[name][-1])
        moving = max(seconds(m) for m in self.odometry if m.twist.twist.linear.x)
        return moving - last


@pytest.fixture(scope='module')
def drive():
    with Bench() as bench, ExitStack() as stack:
        yield Drive(bench, stack)


# Every node looks at its timeout four times or more per timeout; the rest is for busy machines.
@pytest.mark.parametrize('name', CHAIN)
def test_car_stops_when_a_node_of_the_chain_is_killed(drive, name):
    assert drive.kill(name) <= CHAIN[name][2] + 0.4


def test_car_drives_again_when_the_killed_nodes_are_back(drive):
    drive.wait_until_driving()
