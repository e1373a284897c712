# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The last resort of a process that hangs at its end."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != 'linux', reason='the timer is of Linux')

# PyDLL keeps Python's lock, as rclpy does while it destroys a node.
HANG = ('import ctypes; from racecar.ros.exit_timer import ExitTimer\n'
        'with ExitTimer(1{code}):\n    ctypes.PyDLL(None).sleep(60)\n')


def run(code):
    return subprocess.run(
        [sys.executable, '-c', code], timeout=50, capture_output=True, text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})


@pytest.mark.parametrize(('given', 'code'), [(', 0', 0), (', 3', 3)])
def test_process_that_hangs_with_the_lock_of_python_ends_with_the_code(given, code):
    assert run(HANG.format(code=given)).returncode == code


def test_process_that_ends_in_time_goes_on():
    ended = run('import time; from racecar.ros.exit_timer import ExitTimer\n'
                'with ExitTimer(1, 0):\n    pass\ntime.sleep(1.5); print("still here")')
    assert (ended.returncode, ended.stdout) == (0, 'still here\n')
