# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""That a first start says that it compiles, and others say nothing."""

from concurrent.futures import ThreadPoolExecutor
import gc
import json
import os
from pathlib import Path
import subprocess
import sys
import threading
from typing import NamedTuple
import warnings

from full_disk import NO_BYTECODE
from hypothesis import given, settings
from hypothesis import strategies as st
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
from racecar.dynamics.vehicles.initial_motion import Start
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
simulator = Simulator(SingleTrack(vehicle, 'linear'), start=Start(Pose2(1.0, 2.0, 0.5)))
before = simulator.odometry()
simulator.warm_up()
assert simulator.odometry() == before and simulator.time_ns == 0
until_warm = len(compiled)
simulator.tick()
simulator.odometry(), simulator.diagnostics(), simulator.wheels()
print(json.dumps([until_warm, len(compiled) - until_warm]))
"""


def run(code, cache, *arguments):
    """Run code in a process that has this folder as its cache of kernels; None: that of all."""
    own = {} if cache is None else {'NUMBA_CACHE_DIR': str(cache)}
    return subprocess.run(
        [sys.executable, '-c', code, *arguments],
        check=True, text=True, capture_output=True, timeout=240,
        env={**os.environ, 'PYTHONPATH': str(SOURCES), **own})


def start(mode, cache, before=''):
    """Start a process; return how many kernels it compiled, and what it wrote to stderr."""
    done = run(before + START, cache, mode, str(VEHICLE))
    return json.loads(done.stdout), done.stderr


UNTOLD = 'from racecar.base import compilation; compilation.implement = None\n'


def test_first_start_says_that_it_compiles_and_the_second_does_not(tmp_path):
    pytest.importorskip('numba')
    (until_warm, later), said = start('compiled', tmp_path)
    assert said == LINE
    assert until_warm > 5
    assert later == 0
    # What is loaded from the cache is not told to Numba: that is for those who compile.
    assert start('compiled', tmp_path, UNTOLD) == ([0, 0], '')


# A world, and differential-drive robots, alone and side by side.
OTHERS = """
import sys
from racecar.base.parameter_file import load_parameter_file
from racecar.catalogue.simulators.world import WORLD_SIMULATOR
from racecar.differential import PlanarMotion, RobotBatch
from racecar.differential.parameters import RobotParameters
from racecar.world.make_world import make_world_plant
robot = RobotParameters.from_values({'robot.slip_noise': 0.0, 'robot.encoder_noise': 0.0})
PlanarMotion(robot, 'physics').advance(1)
RobotBatch([robot]).advance(1)
make_world_plant(WORLD_SIMULATOR.resolve({
    **load_parameter_file(sys.argv[1], 'world_simulator'), 'contact_model': 'pacejka'})).advance(1)
"""


def test_worlds_and_robots_are_compiled_by_the_first_process_alone():
    pytest.importorskip('numba')
    pytest.importorskip('mujoco')
    # In the cache of all tests, where others may have left the kernels.
    assert run(OTHERS, None, str(VEHICLE)).stderr in ('', LINE)
    assert run(OTHERS, None, str(VEHICLE)).stderr == ''


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
    if compiled.has_compiler():
        # Other types would need other code.
        with pytest.raises(TypeError, match='No matching definition'):
            kernel(pair._replace(numbers=np.zeros(3, dtype=int)), 2.0)


# Two kernels tell the same about the message as those of the simulator.
TOLD = """
import sys
import numpy as np
from racecar.base.compiled import announce_compilation
from racecar.identification.smoother import LinearModel, smooth_linear
from racecar.sensors.noise import fill_normal
announce_compilation(lambda text: print('told', text, file=sys.stderr))
fill_normal(np.uint64(1), np.zeros(2))
one = np.eye(1)
smooth_linear(LinearModel(one, one, one, one), np.ones((2, 1)), np.zeros(1), one)
"""


def test_who_wants_to_hear_it_is_told_instead(tmp_path):
    pytest.importorskip('numba')
    done = run(TOLD, tmp_path)
    assert done.stderr == LINE.replace('racecar:', 'told')


@pytest.mark.parametrize('collects', [True, False])
@pytest.mark.parametrize('argument', [1.0, 'no number'])
def test_nothing_is_collected_while_kernels_compile_others(argument, collects):
    event = pytest.importorskip('numba.core.event')
    callee = compiled.kernel(lambda x: x / 2.0)
    kernel = compiled.kernel(lambda x: callee(x) + 1.0)

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
    # At least the starts of both and their ends.
    assert len(listener.found) >= 4
    assert not any(listener.found)


def test_routines_are_code_of_kernels_and_kernels_call_kernels():
    @compiled.routine
    def halve(numbers):
        for k in range(len(numbers)):
            numbers[k] *= 0.5

    @compiled.kernel
    def total(numbers):
        halve(numbers)
        return numbers.sum()

    @compiled.kernel
    def twice(numbers):
        return total(numbers) + total(numbers)

    numbers = np.array([8.0, 16.0])
    assert twice(numbers) == 12.0 + 6.0
    assert numbers.tolist() == [2.0, 4.0]
    assert total(numbers) == 3.0
    # Other types, then the first again.
    assert total(np.array([4.0, 2.0], np.float32)) == 3.0
    assert total(np.array([4.0, 2.0])) == 3.0


def calls_of(function, argument):
    """Python's calls that it takes, with those of compiled functions."""
    seen: list[str] = []

    def note(frame, event, what):
        seen.append(event)

    sys.setprofile(note)
    try:
        function(argument)
    finally:
        sys.setprofile(None)
    return seen.count('call')


@pytest.mark.skipif(not compiled.has_compiler(), reason='Numba is not installed')
def test_numba_looks_at_arguments_only_when_their_types_are_new():
    @compiled.kernel
    def total(numbers):
        return numbers.sum()

    kinds = [np.array([1, 2], kind) for kind in (np.float64, np.float32, np.int64)]
    assert min(calls_of(total, numbers) for numbers in kinds) > 10
    # That of the decorator, and of the machine code.
    assert [calls_of(total, numbers) for numbers in kinds] == [2, 2, 2]
    assert [total(numbers) for numbers in kinds] == [3, 3, 3]


def test_threads_may_be_the_first_to_call_a_kernel_at_once():
    @compiled.kernel
    def total(numbers):
        return numbers.sum()

    numbers, ready = np.array([1.0, 2.0]), threading.Barrier(4)

    def call(_):
        ready.wait()
        return total(numbers)

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(call, range(4))) == [3.0] * 4
    assert total(numbers) == 3.0


@given(st.lists(st.tuples(*[st.sampled_from(
    [np.float64, np.float32, np.int64, np.int32, np.bool_, float, int])] * 2), max_size=8))
@settings(max_examples=20)
def test_types_come_in_any_order(kinds):
    @compiled.kernel
    def more(first, second):
        return first + 2.0 * second

    for one, other in kinds:
        assert more(one(1), other(1)) == 3.0


def test_compiled_code_has_a_form_of_its_own_where_plain_python_needs_another():
    @compiled.compiled_as(compiled.pure(lambda x: x + 1.0))
    def shown(x):
        return x - 1.0

    @compiled.kernel
    def ask(x):
        return shown(x)

    assert shown(1.0) == 0.0
    assert ask(1.0) == (2.0 if compiled.has_compiler() else 0.0)


def test_a_disk_without_room_for_the_code_does_not_end_the_program(tmp_path):
    pytest.importorskip('numba')
    (until_warm, _), said = start(
        'compiled', tmp_path, NO_BYTECODE +
        'import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n')
    assert said == LINE
    assert until_warm > 5
    # Those that fit are there, the others are compiled again.
    (again, _), _ = start('compiled', tmp_path)
    assert 0 < again < until_warm


# Imports all nodes, then asks for the compiler in several threads at once; prints whether Numba
# had come with the nodes, the answers, and what was called when it came.
BEFORE_THE_COMPILER = """
import importlib, json, pkgutil, sys, threading
from racecar.base.compiled import has_compiler, with_compiler
for found in pkgutil.iter_modules(importlib.import_module('racecar.nodes').__path__):
    if found.name not in ('__main__', 'shared'):
        importlib.import_module(f'racecar.nodes.{found.name}')
before, hooks, answers = 'numba' in sys.modules, [], []
with_compiler(lambda: hooks.append('early'))
threads = [threading.Thread(target=lambda: answers.append(has_compiler())) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
with_compiler(lambda: hooks.append('late'))
print(json.dumps([before, answers, hooks]))
"""


def test_nodes_are_imported_without_the_compiler_which_threads_then_load_once():
    pytest.importorskip('numba')
    pytest.importorskip('ackermann_msgs')
    done = subprocess.run(
        [sys.executable, '-c', BEFORE_THE_COMPILER], check=True, text=True, capture_output=True)
    assert json.loads(done.stdout) == [False, [True] * 8, ['early', 'late']]


@pytest.mark.parametrize('off', ['1', '2'])
def test_numba_can_be_switched_off(off, monkeypatch):
    monkeypatch.setenv('NUMBA_DISABLE_JIT', off)
    ask = 'from racecar.base import compiled; print(compiled.has_compiler(), compiled.types_of(1))'
    assert run(ask, None).stdout == 'False ()\n'


def test_plain_python_counts_modulo_as_kernels_do():
    @compiled.modular
    def doubled(x):
        return x + x

    @compiled.kernel
    @compiled.modular
    def more(x):
        return doubled(x) + np.uint64(1)

    compiled.routine(doubled)
    most = np.uint64(2**63)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert [doubled(most), more(most)] == [0, 1]


def test_nothing_is_said_without_numba(tmp_path):
    assert start('plain', tmp_path) == ([0, 0], '')


# Measures a short run, a long one, and the short one again; prints after each of the first two
# whether the loops of the metrics are compiled, and in the end whether their figures are the same.
SHORT_RUN = """
import json
import racecar
from racecar.metrics.path_kernels import path_kernel
def measured(duration):
    run = racecar.simulate('kinematic_ode', trajectory='circle', duration=duration)
    return run.metrics(), run.laps(), path_kernel().is_compiled
short, long, again = measured(1.0), measured(40.0), measured(1.0)
print(json.dumps([short[2], long[2], short[:2] == again[:2]]))
"""


def test_a_short_run_compiles_only_what_it_runs_often(tmp_path):
    pytest.importorskip('numba')
    assert json.loads(run(SHORT_RUN, tmp_path).stdout) == [False, True, True]
    names = [path.name for path in tmp_path.rglob('*.nbi')]
    assert sum('follow_paths' in name for name in names) == 1
    assert not [name for name in names if 'find_jacobians' in name]


def squares(numbers, factors):
    """Replace numbers by their squares times a factor; how many there are."""
    for k in range(len(numbers)):
        numbers[k] = factors[0] * numbers[k] ** 2
    return len(numbers)


@pytest.mark.parametrize(('cost', 'calls'), [
    pytest.param(0.02, 2, id='after some calls'),
    pytest.param(0.0009, 1000, id='never, as each is brief'),
    pytest.param(0.06, 0, id='at once')])
def test_what_is_compiled_later_is_plain_python_until_then(cost, calls, monkeypatch):
    made = []
    monkeypatch.setattr(compiled, 'has_compiler', lambda: True)

    def make(function, signature):
        made.append(signature)
        return function

    monkeypatch.setattr(compiled, 'compiled', make)
    later = compiled.CompiledLater(squares, 'int64(...)', lambda numbers, factors: cost)
    for _ in range(calls):
        numbers = np.array([1.0, 0.1, 3.0])
        assert later(numbers, (0.3, 2)) == 3
        np.testing.assert_array_equal(numbers, 0.3 * np.array([1.0, 0.1, 3.0]) ** 2)
    assert made == []
    later.compile() if cost < 0.001 else later(np.zeros(1), (1.0, 2))
    assert made == ['int64(...)']
    later(np.zeros(1), (1.0, 2))
    later.compile()
    assert len(made) == 1
