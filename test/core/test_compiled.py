# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""That a first start says that it compiles, and others say nothing."""

import json
import os
from pathlib import Path
import subprocess
import sys

import pytest

SOURCES = Path(__file__).parents[2] / 'src'
VEHICLE = SOURCES.parent / 'config' / 'vehicles' / 'racecar.yaml'
LINE = ('racecar: compiling the simulation for this machine; the first start takes some seconds,'
        ' later ones do not\n')

# Prints how many kernels were compiled before and after the simulator was warm.
START = """
import json, sys
if sys.argv[1] == 'plain':
    sys.modules['numba'] = None
from racecar.core.compiled import announce_compilation
from racecar.core.simulation.simulator import Simulator
from racecar.core.types import Pose2
from racecar.core.vehicles import SingleTrack, VehicleParameters
compiled = []
if sys.argv[1] != 'plain':
    from numba.core import event
    class Listener(event.Listener):
        def on_start(self, row):
            compiled.append(row.data['dispatcher'].py_func.__name__)
        def on_end(self, row):
            pass
    event.register('numba:compile', Listener())
if sys.argv[1] == 'told':
    announce_compilation(lambda text: print('told', text, file=sys.stderr))
vehicle = VehicleParameters.from_file(sys.argv[2])
simulator = Simulator(SingleTrack(vehicle, 'linear'), initial_pose=Pose2(1.0, 2.0, 0.5))
before = simulator.odometry()
simulator.warm_up()
assert simulator.odometry() == before and simulator.time_ns == 0
until_warm = len(compiled)
simulator.tick()
simulator.odometry(), simulator.diagnostics(), simulator.wheels()
print(json.dumps([until_warm, len(compiled) - until_warm]))
"""


def start(mode, cache):
    """Start a process; return how many kernels it compiled, and what it wrote to stderr."""
    done = subprocess.run(
        [sys.executable, '-c', START, mode, str(VEHICLE)],
        check=True, text=True, capture_output=True, timeout=240,
        env={**os.environ, 'PYTHONPATH': str(SOURCES), 'NUMBA_CACHE_DIR': str(cache)})
    return json.loads(done.stdout), done.stderr


def test_first_start_says_that_it_compiles_and_the_second_does_not(tmp_path):
    pytest.importorskip('numba')
    (until_warm, later), said = start('compiled', tmp_path)
    assert said == LINE
    assert until_warm > 5
    assert later == 0
    assert start('compiled', tmp_path) == ([0, 0], '')


def test_who_wants_to_hear_it_is_told_instead(tmp_path):
    pytest.importorskip('numba')
    _, said = start('told', tmp_path)
    assert said == LINE.replace('racecar:', 'told')


def test_nothing_is_said_without_numba(tmp_path):
    assert start('plain', tmp_path) == ([0, 0], '')
