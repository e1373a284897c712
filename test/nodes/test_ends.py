# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How node processes and composed stacks end when something fails."""

import contextlib
import os
from pathlib import Path
import resource
import signal
import subprocess
import sys

from node_bench import odometry
from node_processes import NodeProcess
import pytest
import rclpy
from rclpy.node import Node

from racecar.bags.reader import BagReader
from racecar.base.errors import BagError
from racecar.ros.run_node import end

pytestmark = pytest.mark.ros

# What Python does after main() shows in what is registered with atexit.
ENDS = """
import atexit
from rclpy.node import Node
from racecar.base.errors import ParameterError, BagError
from racecar.base.parameters import ParameterTable
from racecar.ros.node import TableNode
from racecar.ros.run_node import run_node

atexit.register(print, 'torn down')
print('written', end='')

class Ending(TableNode):
    def __init__(self):
        super().__init__('ending', ParameterTable([]))
        self.closing.callback(self.complete)
        {start}

    def complete(self):
        print(', closed', end='')
        {close}

run_node(Ending)
"""


def run(start='self.done.set_result(None)', close='pass'):
    return subprocess.run(
        [sys.executable, '-c', ENDS.format(start=start, close=close)], timeout=100,
        capture_output=True, text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})


def test_process_ends_once_all_is_closed_and_is_not_torn_down():
    ended = run()
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, 'written, closed', '')


def test_failure_at_the_end_is_one_line_and_exit_code_1():
    ended = run(close='raise BagError("the disk is full")')
    assert ended.returncode == 1
    assert ended.stderr == '[/ending] error: the disk is full\n'


def test_failure_in_a_callback_is_one_line_and_exit_code_1():
    ended = run(start='self.create_timer(0.01, self.work)\n\n    def work(self):\n'
                      '        TableNode.fail(self, BagError("the disk is full"))')
    assert (ended.returncode, ended.stdout) == (1, 'written, closed')
    assert ended.stderr == '[/ending] error: the disk is full\n'


def test_hang_in_the_middleware_does_not_turn_a_failure_into_success():
    ended = run(start='self.done.set_result(None)\n\n    def destroy_node(self):\n'
                      '        import ctypes; ctypes.PyDLL(None).sleep(60)',
                close='raise BagError("the disk is full")')
    assert ended.returncode == 1


def test_a_bug_closes_what_is_open_and_is_told_in_full():
    ended = run(start='self.create_timer(0.01, self.work)\n\n    def work(self):\n'
                      '        raise ZeroDivisionError')
    assert (ended.returncode, ended.stdout) == (1, 'written, closed')
    assert 'ZeroDivisionError' in ended.stderr


def test_all_nodes_are_destroyed_even_if_one_fails():
    destroyed = []

    class Failing(Node):
        def destroy_node(self):
            destroyed.append(self.get_name())
            super().destroy_node()
            raise BagError('the disk is full')

    rclpy.init()
    try:
        with pytest.raises(BagError):
            end(None, [Failing(name) for name in ('one', 'two', 'three')])
    finally:
        rclpy.try_shutdown()
    assert destroyed == ['one', 'two', 'three']


class FullDisk:
    """A recorder that writes until its files must not grow any more, as on a full disk."""

    def __init__(self, bench, folder):
        self.bench, self.folder = bench, folder
        self.recorder = NodeProcess(
            'bag_recorder', '-p', f'folder:={folder}', '-p', 'topics:=[/vesc/odom]',
            # See NO_BYTECODE of full_disk.py.
            PYTHONDONTWRITEBYTECODE='1')
        self.count = 0

    @property
    def written(self):
        with contextlib.suppress(BagError), BagReader(self.folder) as reader:
            return reader.summary.message_count
        return 0

    def send(self):
        self.count += 1
        self.bench.send('/vesc/odom', odometry(0.01 * self.count))
        self.bench.executor.spin_once(0.01)

    def fill_up(self):
        """Let some messages come to the disk, and no more from now on."""
        self.bench.until(lambda: self.send() or self.written > 0, 'messages on the disk')
        size = next(Path(self.folder).glob('*.mcap')).stat().st_size
        resource.prlimit(self.recorder.process.pid, resource.RLIMIT_FSIZE, (size, size))

    def lines(self):
        # Where it records, and on a busy computer that it waits for the topic.
        return [line for line in self.recorder.stderr.splitlines()
                if not line.startswith('[INFO] ')]


@pytest.mark.parametrize('when', ['while it records', 'when it closes'])
def test_full_disk_ends_the_recorder_with_one_line(bench, tmp_path, when):
    disk = FullDisk(bench, tmp_path / 'bag')
    with disk.recorder as recorder:
        disk.fill_up()
        before = disk.written
        if when == 'when it closes':
            recorder.send_signal(signal.SIGTERM)
        else:
            disk.send()
        assert recorder.wait() == 1
        assert disk.lines() == [
            f"[/bag_recorder] error: bag '{tmp_path / 'bag'}' cannot be written: File too large"]
    assert disk.written >= before > 0
    assert not list(Path(disk.folder).glob('*.new'))


def test_too_little_address_space_is_refused_in_one_line_and_at_once():
    """Libraries below Python would hang or crash, deaf to signals."""
    size = 1_200_000_000
    ended = subprocess.run(
        [sys.executable, '-m', 'racecar.cli.main', 'up', 'kinematic_ode', '--duration', '1'],
        timeout=100, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)),
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
    assert ended.returncode == 1
    *_, last = ended.stderr.strip().splitlines()
    assert last == (
        'racecar up: error: the address space of this process is limited to 1200 MB, expected at'
        ' least 2000 MB; raise the limit, for example by `ulimit -v unlimited`')
