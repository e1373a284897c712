# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The commands that need no ROS load nothing of it, also where it is installed."""

import subprocess
import sys

from bag_samples import write_ours
import pytest

CODE = """
import sys
from racecar.cli.main import main
code = main(sys.argv[1:])
print('loaded:', *(name for name in sys.modules if name.split('.')[0] in (
    'rclpy', 'launch', 'launch_ros', 'ackermann_msgs', 'nav_msgs', 'racecar_interfaces')))
sys.exit(code)
"""
SWEEP = 'duration: 1.0\ngrid:\n  kinematic_linearizer.epsilon: [0.1, 0.2]\n'


@pytest.fixture
def run_bag(tmp_path, rows, messages):
    return write_ours(tmp_path / 'bag', rows, messages)


@pytest.mark.parametrize('words', [
    ['simulate', 'kinematic_ode', '--duration', '1'],
    ['sweep', 'kinematic_ode', 'SWEEP'],
    ['analyze', 'BAG'],
    ['parameters', 'ackermann_mux'],
], ids=lambda words: words[0])
def test_a_command_loads_nothing_of_ros(words, tmp_path, run_bag):
    sweep = tmp_path / 'sweep.yaml'
    sweep.write_text(SWEEP)
    places = {'SWEEP': str(sweep), 'BAG': str(run_bag)}
    done = subprocess.run(
        [sys.executable, '-c', CODE, *(places.get(word, word) for word in words)],
        capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == 'loaded:'


def test_who_drives_one_car_loads_nothing_for_environments_and_schedulers():
    done = subprocess.run(
        [sys.executable, '-c',
         'import sys, racecar\nracecar.simulate(duration=0.1)\n'
         'print(*(n for n in ("asyncio", "dask", "gymnasium", "racecar.gym") if n in sys.modules))'
         ],
        capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
