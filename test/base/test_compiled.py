# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""That a first start says that it compiles, and others say nothing."""

import gc
import json
import os
from pathlib import Path
import pickle
import subprocess
import sys
import threading
from typing import Any, NamedTuple

import numpy as np
import pytest

from racecar.base import compiled

SOURCES = Path(__file__).parents[2] / 'src'
VEHICLE = SOURCES.parent / 'config' / 'vehicles' / 'racecar.yaml'
LINE = ('racecar: compiling the simulation for this machine; the first start takes some seconds,'
        ' later ones do not\n')

# Prints how many kernels were compiled before and after the simulator was warm.
START = """
import json, sys
if sys.argv[1] == 'plain':
    sys.modules['numba'] = None
from racecar.simulation.simulator import Simulator
from racecar.base.types import Pose2
from racecar.dynamics.vehicles import SingleTrack, VehicleParameters
compiled = []
if sys.argv[1] != 'plain':
    from numba.core import event
    class Listener(event.Listener):
        def on_start(self, row):
            compiled.append(row.data['dispatcher'].py_func.__name__)
        def on_end(self, row):
            pass
    event.register('numba:compile', Listener())
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


def run(code, cache, *arguments):
    """Run code in a process that has this folder as its cache of compiled kernels."""
    return subprocess.run(
        [sys.executable, '-c', code, *arguments],
        check=True, text=True, capture_output=True, timeout=240,
        env={**os.environ, 'PYTHONPATH': str(SOURCES), 'NUMBA_CACHE_DIR': str(cache)})


def start(mode, cache, before=''):
    """Start a process; return how many kernels it compiled, and what it wrote to stderr."""
    done = run(before + START, cache, mode, str(VEHICLE))
    return json.loads(done.stdout), done.stderr


def test_first_start_says_that_it_compiles_and_the_second_does_not(tmp_path):
    pytest.importorskip('numba')
    (until_warm, later), said = start('compiled', tmp_path)
    assert said == LINE
    assert until_warm > 5
    assert later == 0
    assert start('compiled', tmp_path) == ([0, 0], '')


# A world, and robots with two wheels, alone and side by side.
OTHERS = """
import sys
from racecar.base.parameter_file import load_parameter_file
from racecar.catalogue.tables import WORLD_SIMULATOR
from racecar.differential import PlanarMotion, RobotBatch
from racecar.differential.parameters import RobotParameters
from racecar.simulation.world.make_world import make_world_plant
robot = RobotParameters.from_values({'robot.slip_noise': 0.0, 'robot.encoder_noise': 0.0})
PlanarMotion(robot, 'physics').advance(1)
RobotBatch([robot]).advance(1)
make_world_plant(WORLD_SIMULATOR.resolve({
    **load_parameter_file(sys.argv[1], 'world_simulator'), 'contact_model': 'pacejka'})).advance(1)
"""


def test_worlds_and_robots_are_compiled_by_the_first_process_alone(tmp_path):
    pytest.importorskip('numba')
    pytest.importorskip('mujoco')
    assert run(OTHERS, tmp_path, str(VEHICLE)).stderr == LINE
    assert run(OTHERS, tmp_path, str(VEHICLE)).stderr == ''


class Pair(NamedTuple):
    """Arguments of a kernel."""

    matrix: np.ndarray
    numbers: np.ndarray


def test_a_kernel_takes_named_tuples_of_arrays():
    def weighted(pair, factor):
        for row in range(len(pair.numbers)):
            pair.numbers[row] = factor * pair.matrix[row, 0] - pair.matrix[row, 1]

    pair = Pair(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), np.zeros(3))
    kernel = compiled.compiled(weighted, compiled.types_of(pair, 2.0))
    kernel(pair, 2.0)
    assert pair.numbers.tolist() == [0.0, 2.0, 3.0]
    if compiled.COMPILED:
        # Other types would need other code.
        with pytest.raises(TypeError, match='No matching definition'):
            kernel(pair._replace(numbers=np.zeros(3, dtype=int)), 2.0)


# Two kernels tell the same about the message as those of the simulator.
TOLD = """
import sys
from racecar.base.compiled import announce_compilation
from racecar.base.elementary import sine_cosine
from racecar.base.types import quaternion_to_yaw
announce_compilation(lambda text: print('told', text, file=sys.stderr))
sine_cosine(0.5), quaternion_to_yaw(0.0, 0.0, 0.0, 1.0)
"""


def test_who_wants_to_hear_it_is_told_instead(tmp_path):
    pytest.importorskip('numba')
    done = run(TOLD, tmp_path)
    assert done.stderr == LINE.replace('racecar:', 'told')


def half(x):
    return 0.5 * x


def quarter(x):
    # What the test puts there.
    return halved(halved(x))  # type: ignore[name-defined]  # noqa: F821


half.__module__ = quarter.__module__ = 'racecar.base.nowhere'


@pytest.mark.parametrize('collects', [True, False])
@pytest.mark.parametrize('argument', [1.0, 'no number'])
def test_nothing_is_collected_while_kernels_compile_others(argument, collects):
    event = pytest.importorskip('numba.core.event')
    callee = compiled.njit(lambda x: x / 2.0)
    kernel = compiled.njit(lambda x: callee(x) + 1.0)

    class Listener(event.Listener):  # type: ignore[name-defined] # not with every Numba
        found: list[bool] = []

        def on_start(self, row):
            self.found.append(gc.isenabled())

        on_end = on_start

    was = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        with event.install_listener('numba:compile', Listener()) as listener:
            failure = compiled.compilation_failure(lambda: kernel(argument))
        assert (failure == '') == (argument == 1.0)
        assert gc.isenabled() == collects
    finally:
        (gc.enable if was else gc.disable)()
    # At least the starts of both and the end of the callee; at that of the kernel all is over.
    *during, after = listener.found
    assert len(during) >= 3
    assert not any(during)
    assert after == collects


def test_a_kernel_that_only_kernels_call_gets_no_entry_for_python(tmp_path, monkeypatch):
    numba = pytest.importorskip('numba')
    monkeypatch.setattr(numba.config, 'CACHE_DIR', str(tmp_path))
    inner = compiled.njit(half)
    monkeypatch.setitem(globals(), 'halved', inner)
    outer = compiled.njit(quarter)

    def cached():
        return {path.name.partition('-')[0].partition('.')[2] for path in tmp_path.rglob('*.nbc')}

    dispatcher: Any = inner
    assert outer(8.0) == 2.0
    assert dispatcher.signatures == []
    assert cached() == {'quarter', 'half_callee'}
    assert inner(8.0) == 4.0
    assert cached() == {'quarter', 'half_callee', 'half'}


@pytest.mark.parametrize('action', ['save', 'load'])
def test_processes_that_share_the_cache_do_not_mix_the_code_of_two_signatures(tmp_path, action):
    """Between the index and the data that Numba writes, nobody else writes or reads."""
    caching = pytest.importorskip('numba.core.caching')

    def cache():
        index = caching.IndexDataCacheFile(str(tmp_path), 'kernel', 'stamp')
        for name in ('save', 'load'):
            setattr(index, name, compiled._one_at_a_time(getattr(index, name), str(tmp_path)))
        return index

    first, second = cache(), cache()
    found = []
    act, step = {
        'save': (lambda: second.save('float', 'code for float'), '_save_index'),
        'load': (lambda: found.append(second.load('int')), '_save_data'),
    }[action]
    other = threading.Thread(target=act)
    # What is left of older sources, under the name that comes next.
    Path(first._data_path(first._data_name(1))).write_bytes(pickle.dumps('old code'))
    write = getattr(first, step)

    def write_late(*arguments):
        other.start()
        other.join(0.5)
        write(*arguments)

    setattr(first, step, write_late)
    first.save('int', 'code for int')
    other.join(60.0)
    third = cache()
    assert third.load('int') == 'code for int'
    if action == 'save':
        assert third.load('float') == 'code for float'
    else:
        assert found == ['code for int']


@pytest.mark.parametrize('module', ['racecar.base.compiled', 'racecar.base.gone'])
def test_cache_that_names_a_class_of_older_sources_is_empty(tmp_path, module):
    """Numba finds the classes of the arguments before it compares the stamp."""
    caching = pytest.importorskip('numba.core.caching')
    index = caching.IndexDataCacheFile(str(tmp_path), 'kernel', 'stamp')
    index._load_index = compiled._of_these_sources(index._load_index)
    index.save('float', 'code')
    assert index.load('float') == 'code'
    path = Path(index._index_path)
    named = f'c{module}\nGoneTuple\n.'.encode()
    # Numba's version first, then a stamp and overloads of which one cannot be found.
    path.write_bytes(pickle.dumps(index._version) + named)
    assert index.load('float') is None
    index.save('float', 'new code')
    assert index.load('float') == 'new code'


def test_a_disk_without_room_for_the_code_does_not_end_the_program(tmp_path):
    pytest.importorskip('numba')
    (until_warm, _), said = start(
        'compiled', tmp_path,
        'import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n')
    assert said == LINE
    assert until_warm > 5
    # Those that fit are there, the others are compiled again.
    (again, _), _ = start('compiled', tmp_path)
    assert 0 < again < until_warm


def test_code_that_did_not_fit_is_not_taken_from_older_sources(tmp_path):
    caching = pytest.importorskip('numba.core.caching')
    index = caching.IndexDataCacheFile(str(tmp_path), 'kernel', 'stamp')
    Path(index._data_path(index._data_name(1))).write_bytes(pickle.dumps('old code'))

    def refuse(*_):
        raise OSError(28, 'No space left on device')

    index._save_data = refuse
    compiled._if_it_fits(index.save, index._index_path)('int', 'code for int')
    assert caching.IndexDataCacheFile(str(tmp_path), 'kernel', 'stamp').load('int') is None


def test_nothing_is_said_without_numba(tmp_path):
    assert start('plain', tmp_path) == ([0, 0], '')
