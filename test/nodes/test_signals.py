# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""SIGINT and SIGTERM at any time: no traceback, exit codes as shells and ROS have them.

Python itself says when it has imported what: these are the moments at which the signals come.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys

from nav_msgs.msg import Odometry
from node_bench import Bench
from node_processes import DEADLINE, VEHICLE
from presence import present
import pytest

from racecar.base.share import share_folder
from racecar.ros import qos
from racecar.signals import LAUNCHED_BY

pytestmark = pytest.mark.ros

SIGNALS = pytest.mark.parametrize(
    'number', [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
NODE = ('-m', 'racecar.nodes', 'single_track_simulator', '--ros-args', *VEHICLE)
COMMANDS = {
    'up': ('up', 'kinematic_ode'),
    'demo': ('demo', '--duration', '900', '--output', 'run'),
    'sweep': ('sweep', 'kinematic_ode', 'sweep.yaml', '--output', 'run')}
SWEEP = 'duration: 10000\ngrid:\n  trajectory_tracker.Kp: [1, 2, 3]\n'


class Program:
    """A Python process that tells what it imports, until stderr is full, or not."""

    def __init__(self, folder, *arguments, tells=True):
        path = os.pathsep.join(
            filter(None, [str(share_folder() / 'src'), os.environ.get('PYTHONPATH')]))
        self.process = subprocess.Popen(
            [sys.executable, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={**os.environ, 'PYTHONPATH': path,
                 'PYTHONPROFILEIMPORTTIME': '1' if tells else ''})

    def wait_for(self, text):
        """Wait for a line on stderr that ends with the text."""
        for line in present(self.process.stderr):
            if line.rstrip().endswith(text):
                return
        raise AssertionError(f'{text} did not come')

    def stop(self, number):
        """Send the signal; return exit code and what stderr says beside the imports."""
        self.process.send_signal(number)
        # Unlike communicate() this begins with what wait_for() has taken from the pipe already.
        errors = present(self.process.stderr).read()
        return self.process.wait(DEADLINE), '\n'.join(
            line for line in errors.splitlines() if not line.startswith('import time:'))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        present(self.process.stderr).close()


@SIGNALS
@pytest.mark.parametrize(
    'moment', ['racecar.nodes', 'numpy', 'rclpy.node', 'racecar.ros.simulator_node'])
def test_node_ends_in_peace_amidst_its_imports(tmp_path, moment, number):
    with Program(tmp_path, *NODE) as program:
        program.wait_for(f' {moment}')
        assert program.stop(number) == (0, '')


def test_a_node_ends_in_peace_when_the_launch_that_started_it_is_killed(tmp_path):
    words = ['ackermann_mux', '--ros-args', '-p', 'config_file:=mux/low_level']
    node = (f'import sys; sys.argv = {words}; from racecar.executables import node;'
            ' sys.exit(node())')
    launch = (f'import os, subprocess, sys; os.environ[{LAUNCHED_BY!r}] = str(os.getpid());'
              f' subprocess.run([sys.executable, "-c", {node!r}])')
    with Program(tmp_path, '-c', launch, tells=False) as program, Bench() as bench:
        names = bench.probe.get_node_names
        bench.until(lambda: 'ackermann_cmd_mux' in names(), 'the node')
        program.process.kill()
        bench.until(lambda: 'ackermann_cmd_mux' not in names(), 'its end')
        # Nobody has the other end of the pipe any more.
        assert 'Traceback' not in program.process.stderr.read()


@SIGNALS
@pytest.mark.parametrize('moment', ['racecar.cli', 'numpy', 'racecar.stacks.loops'])
def test_command_ends_in_peace_amidst_its_imports(tmp_path, moment, number):
    with Program(tmp_path, '-m', 'racecar.cli.main', 'simulate', 'kinematic_ode') as program:
        program.wait_for(f' {moment}')
        assert program.stop(number) == (128 + number, '')


@SIGNALS
@pytest.mark.parametrize('command', COMMANDS)
def test_command_ends_in_peace_once_it_has_begun(tmp_path, command, number):
    (tmp_path / 'sweep.yaml').write_text(SWEEP)
    started = ' racecar.cli.stack_arguments' if command == 'sweep' \
        else ' racecar.stacks.composing'
    with Program(tmp_path, shutil.which('racecar'), *COMMANDS[command]) as program:
        program.wait_for(started)
        code, errors = program.stop(number)
    assert code == 128 + number
    assert 'Traceback' not in errors
    assert 'rror' not in errors


@SIGNALS
def test_command_that_drives_closes_its_bag_and_its_table(tmp_path, number):
    with (Program(tmp_path, shutil.which('racecar'), 'up', 'kinematic_ode', '--record', 'bag',
                  '--csv', 'run.csv', tells=False) as program, Bench() as bench):
        reference = bench.listen('/reference_trajectory', Odometry, qos.STATE)
        bench.until(lambda: len(reference) > 10, 'a reference')
        code, errors = program.stop(number)
    assert code == 128 + number
    assert errors.splitlines()[-1] == 'racecar up: interrupted'
    assert 'Traceback' not in errors
    assert len((tmp_path / 'run.csv').read_text().splitlines()) > 5
    assert (tmp_path / 'bag' / 'bag_0.mcap').read_bytes().endswith(b'\x89MCAP0\r\n')


@pytest.mark.parametrize('words', [
    ('racecar', 'parameters', 'vehicle'),
    ('racecar', 'simulate', 'kinematic_ode', '--duration', '1')], ids=' '.join)
def test_command_whose_reader_has_gone_ends_without_a_traceback(words):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = subprocess.run(
            [shutil.which(words[0]), *words[1:]], stdout=writer, stderr=subprocess.PIPE,
            text=True, timeout=DEADLINE, check=False)
    finally:
        os.close(writer)
    assert ended.returncode == 128 + signal.SIGPIPE
    assert 'Traceback' not in ended.stderr
    assert 'BrokenPipe' not in ended.stderr
