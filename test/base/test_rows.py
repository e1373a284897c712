# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""NamedTuples in rows: compiled and plain, and what the cache on disk makes of kernels on them."""

import cmath
import concurrent.futures
import json
import math
import os
from pathlib import Path
import shutil
import subprocess
import sys
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base import rows
from racecar.base.compiled import by_type, compiled, has_compiler, importable, pure
from racecar.base.rows import Part

SOURCES = Path(__file__).parents[2] / 'src'


class Inner(NamedTuple):
    a: float
    pair: tuple[float, float]


class Outer(NamedTuple):
    first: float
    inner: Inner
    last: tuple[float, float, float]


class Place(NamedTuple):
    speed: float
    x: float
    y: float
    yaw: float


class Bare(NamedTuple):
    speed: float
    force: float


class Nothing(NamedTuple):
    pass


EXAMPLE = Outer(1.0, Inner(2.0, (3.0, 4.0)), (5.0, 6.0, 7.0))
numbers = st.floats(-9.0, 9.0) | st.sampled_from([0.0, -0.0, 1e-31, 1e-29])
places = st.builds(Place, numbers, numbers, numbers, numbers)


def both(function, signature):
    """Return a function as plain Python and compiled."""
    return function, compiled(function, signature)


def test_numbers_of_nested_tuples_stand_in_rows_in_their_order():
    source, target = Part(EXAMPLE, 2, 5), Part(EXAMPLE, 1)

    def move(rows_, others, lane):
        rows.store(others, target, 0, rows.load(rows_, source, lane))

    for kernel in both(move, '(float64[::1], float64[::1], int64)'):
        room, other = np.zeros((10, 5)), np.zeros(9)
        flat: Any = room.reshape(-1)
        rows.store(flat, source, 3, EXAMPLE)
        assert room[:, 3].tolist() == [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.0]
        assert room[:, [0, 1, 2, 4]].max() == 0.0
        kernel(room.reshape(-1), other, 3)
        assert other.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.0]
        held: Any = other
        found = rows.load(held, target, 0)
        assert found == EXAMPLE
        assert (type(found), type(found.inner), type(found.last)) == (Outer, Inner, tuple)
    assert (source.after, target.after) == (9, 8)


def test_a_span_is_a_slice_that_can_be_written_to_and_leaves_the_array_with_its_owner():
    def look(arrays, found):
        table, row = rows.lent(arrays)
        part = rows.span(table, 1, 3)
        found[0], found[1], found[2] = part[1, 2], len(part), part.size
        own = rows.span(row, 2, 6)
        own[1] += own[3]

    for kernel in both(look, '(Tuple((float64[:, ::1], float64[::1])), float64[::1])'):
        table, row, found = np.arange(12.0).reshape(4, 3), np.arange(7.0), np.zeros(3)
        counts = sys.getrefcount(table), sys.getrefcount(row)
        kernel((table, row), found)
        assert found.tolist() == [8.0, 2.0, 6.0]
        assert row.tolist() == [0.0, 1.0, 2.0, 8.0, 4.0, 5.0, 6.0]
        assert (sys.getrefcount(table), sys.getrefcount(row)) == counts
    numbers = [1.0, 2.0]
    assert rows.span(numbers, 0, 2) is numbers


def test_rows_of_parts_are_counted_from_the_fields():
    assert [rows.first_row(EXAMPLE, *path) for path in (
        ('first',), ('inner',), ('inner', 'pair'), ('last',))] == [0, 1, 2, 4]
    assert rows.zeros_like(EXAMPLE) == Outer(0.0, Inner(0.0, (0.0, 0.0)), (0.0, 0.0, 0.0))
    with pytest.raises(ValueError, match='fewer numbers'):
        rows.filled(EXAMPLE, [1.0, 2.0])


PLACE, END = Part(Place(0.0, 0.0, 0.0, 0.0)), Part(Place(0.0, 0.0, 0.0, 0.0), 4)


def _sum(room, h):
    rows.store(room, PLACE, 0, rows.plus(rows.load(room, PLACE, 0), h, rows.load(room, END, 0)))


def _move(room, h):
    start, end = rows.load(room, PLACE, 0), rows.load(room, END, 0)
    rows.store(room, PLACE, 0, rows.moved(start, end))
    return rows.within(start, end), rows.zeros_like(end), rows.at_origin(start)


SUM, MOVE = (both(function, '(float64[::1], float64)') for function in (_sum, _move))


@given(places, places, st.floats(-1.0, 1.0))
def test_sums_and_moves_are_those_of_the_plane(start, end, h):
    for kernel in SUM:
        room = np.array([*start, *end])
        kernel(room, h)
        assert room[:4].tolist() == [s + h * k for s, k in zip(start, end, strict=True)]
    answers = []
    for kernel in MOVE:
        room = np.array([*start, *end])
        inside, zeros, origin = kernel(room, h)
        assert inside == all(abs(s) <= k for s, k in zip(start, end, strict=True))
        assert (zeros, origin) == ((0.0,) * 4, (start.speed, 0.0, 0.0, 0.0))
        way = complex(end.x, end.y) * cmath.exp(1j * start.yaw)
        # What has decayed is at rest.
        rest = [0.0 if abs(number) < 1e-30 else number for number in end]
        way = complex(rest[1], rest[2]) * cmath.exp(1j * start.yaw)
        assert room[0] == rest[0]
        assert complex(room[1], room[2]) == pytest.approx(
            complex(start.x, start.y) + way, abs=1e-13)
        assert room[3] == pytest.approx(start.yaw + end.yaw)
        answers.append(room.tobytes())
    assert answers[0] == answers[-1]


def test_tuple_without_a_pose_has_nothing_to_move():
    part = Part(Bare(0.0, 0.0))

    def stay(room):
        before = rows.load(room, part, 0)
        rows.store(room, part, 0, rows.moved(before, rows.at_origin(before)))
        return rows.pose_of(before)

    for kernel in both(stay, '(float64[::1],)'):
        room = np.array([3.0, 1e-40])
        assert kernel(room) == (0.0, 0.0, 0.0)
        assert room.tolist() == [3.0, 0.0]


@pytest.mark.parametrize('bad', [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_not_within_limits(bad):
    part = Part(Bare(0.0, 0.0))

    def check(room):
        return rows.within(rows.load(room, part, 0), Bare(5.0, 5.0))

    for kernel in both(check, '(float64[::1],)'):
        assert kernel(np.array([-5.0, 5.0]))
        assert not kernel(np.array([0.0, bad]))
        assert not kernel(np.array([5.1, 0.0]))


@by_type
def weight(tyre, load):
    """Some force."""


@weight.register(Bare)
def _bare(tyre, load):
    return tyre.force * load


@weight.register(Nothing)
def _nothing(tyre, load):
    return 0.0


def test_type_of_the_first_argument_chooses_the_implementation():
    for kind, expected in ((Bare(0.0, 2.5), 7.5), (Nothing(), 0.0)):
        part = Part(rows.zeros_like(kind))

        def ask(room, load, part=part):
            return weight(rows.load(room, part, 0), load)

        def asked(room, load):
            return ask(room, load)

        assert weight(kind, 3.0) == expected
        assert ask(np.array([*kind, 0.0]), 3.0) == expected
    with pytest.raises(TypeError, match='weight is not implemented for Place'):
        weight(Place(0.0, 0.0, 0.0, 0.0), 1.0)


def test_closure_over_something_else_is_refused():
    found = {'a': 1.0}

    def ask(room):
        return found['a']

    for make in (importable, lambda function: compiled(function, '(float64[::1],)')):
        if make is importable or has_compiler():
            with pytest.raises(TypeError, match=r"closed over \{'a': 1.0\}, expected pure"):
                make(ask)


def test_the_same_closure_made_twice_is_one_function():
    def make(weight_):
        @importable
        def scaled(value):
            return weight_ * value

        return scaled

    assert make(2.0) is make(2.0)
    assert make(2.0) is not make(3.0)
    assert (make(2.0)(4.0), make(3.0)(4.0)) == (8.0, 12.0)
    assert pure(make(2.0)) is make(2.0)


# A kernel of the package as a process of its own sees it: prints what it computed, how many
# functions were compiled and what the cache gave. The last argument is the number of lanes.
SCRIPT = """
import json, os, sys
if sys.argv[1] == 'absent':
    sys.modules['numba'] = None
from pathlib import Path
from racecar.base import rows
from racecar.base.compiled import compiled, has_compiler, importable
from racecar.base.elementary import sine_cosine
from racecar.base.vectors import vector
import racecar.base.kernel_of_a_test as made
kernel = made.kernel(int(sys.argv[2]))
room = vector([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
kernel(room)
stats = getattr(kernel, 'stats', None)
print(json.dumps({
    'compiled': has_compiler(), 'room': [float(x) for x in room],
    'hits': 0 if stats is None else sum(stats.cache_hits.values()),
    'misses': 0 if stats is None else sum(stats.cache_misses.values())}))
"""
MODULE = """
from typing import NamedTuple
from racecar.base.compiled import compiled, importable, pure
from racecar.base.rows import load, Part, plus, store
class Pair(NamedTuple):
    a: float
    b: float
@pure
def twice(pair):
    return plus(pair, 1.0, pair)
def kernel(lanes):
    part = Part(Pair(0.0, 0.0), 0, lanes)
    @importable
    def doubled(pair):
        return twice(pair)
    def run(room):
        store(room, part, 0, doubled(load(room, part, 0)))
    return compiled(run, '(float64[::1],)')
"""


def make_package(root):
    """Return a copy of the base of the package with a kernel more."""
    shutil.copytree(SOURCES / 'racecar' / 'base', root / 'racecar' / 'base',
                    ignore=shutil.ignore_patterns('__pycache__'))
    (root / 'racecar' / '__init__.py').write_text('')
    (root / 'racecar' / 'base' / 'kernel_of_a_test.py').write_text(MODULE)
    return root


@pytest.fixture
def package(tmp_path):
    """Return a copy of the package that nobody has used yet."""
    return make_package(tmp_path / 'src')


@pytest.fixture(scope='module')
def first_use(tmp_path_factory):
    """Return a package, and what its first process said."""
    pytest.importorskip('numba')
    root = make_package(tmp_path_factory.mktemp('used') / 'src')
    return root, ask(root)


@pytest.fixture
def used(first_use, tmp_path):
    """Return a copy of the package as its first process left it, with the times of the files."""
    return Path(shutil.copytree(first_use[0], tmp_path / 'src'))


def ask(root, mode='compiled', lanes=1, before='', **environment):
    done = subprocess.run(
        [sys.executable, '-c', before + SCRIPT, mode, str(lanes)], check=True, text=True,
        capture_output=True, timeout=240, env={
            **{k: v for k, v in os.environ.items()
               if k not in ('NUMBA_CACHE_DIR', 'NUMBA_DISABLE_JIT')},
            # By time and size a changed source may look the same; on a full disk halves stay.
            'PYTHONPATH': str(root), 'PYTHONDONTWRITEBYTECODE': '1', **environment})
    return json.loads(done.stdout)


def cached(root):
    return {path.name for path in root.rglob('*.nb?')}


def test_second_process_finds_the_kernel(first_use):
    root, first = first_use
    second = ask(root)
    assert (first['hits'], first['misses']) == (0, 1)
    assert (second['hits'], second['misses']) == (1, 0)
    assert first['room'] == second['room'] == [2.0, 4.0, 3.0, 4.0, 5.0, 6.0]


def test_changed_source_is_compiled_anew_and_the_old_code_goes(used):
    before = cached(used)
    source = used / 'racecar' / 'base' / 'kernel_of_a_test.py'
    # In another function than that of the kernel, and nothing else changes.
    source.write_text(MODULE.replace('plus(pair, 1.0, pair)', 'plus(pair, 2.0, pair)'))
    found = ask(used)
    assert (found['hits'], found['misses']) == (0, 1)
    assert found['room'][:2] == [3.0, 6.0]
    after = cached(used)
    assert not before & after
    assert len(after) == len(before)


def test_changed_constant_of_a_file_without_kernels_is_compiled_anew(package):
    pytest.importorskip('numba')
    constant = package / 'racecar' / 'base' / 'constant_of_a_test.py'
    constant.write_text('FACTOR = 1.0\n')
    (package / 'racecar' / 'base' / 'kernel_of_a_test.py').write_text(MODULE.replace(
        'plus(pair, 1.0, pair)', 'plus(pair, FACTOR, pair)').replace(
        'class Pair', 'from racecar.base.constant_of_a_test import FACTOR\nclass Pair'))
    assert ask(package)['room'][:2] == [2.0, 4.0]
    constant.write_text('FACTOR = 2.0\n')
    found = ask(package)
    assert (found['hits'], found['misses']) == (0, 1)
    assert found['room'][:2] == [3.0, 6.0]


def test_changed_layout_is_compiled_anew_and_both_are_kept(used):
    other = ask(used, lanes=3)
    assert (other['hits'], other['misses']) == (0, 1)
    assert other['room'] == [2.0, 2.0, 3.0, 8.0, 5.0, 6.0]
    assert [ask(used, lanes=n)['hits'] for n in (1, 3)] == [1, 1]


def test_processes_that_compile_at_once_do_not_disturb_each_other(package):
    pytest.importorskip('numba')
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        at_once = list(pool.map(lambda lanes: ask(package, lanes=lanes), (1, 3, 1, 3)))
    again = [ask(package, lanes=lanes) for lanes in (1, 3)]
    for found, later in zip(at_once, again * 2, strict=True):
        assert (later['hits'], later['room']) == (1, found['room'])


def test_without_a_writable_folder_it_compiles_at_every_start(package, tmp_path):
    pytest.importorskip('numba')
    home = tmp_path / 'home'
    home.write_text('no folder')
    (package / 'racecar' / 'base' / '__pycache__').write_text('no folder')
    before = 'import sys; sys.dont_write_bytecode = True\n'
    for _ in range(2):
        found = ask(package, before=before, HOME=str(home), XDG_CACHE_HOME=str(home))
        assert found['room'][:2] == [2.0, 4.0]
        assert found['hits'] == 0
    assert cached(package) == set()


def test_pure_functions_are_called_with_names_too():
    @importable
    def between(low, high, share=0.5):
        return low + share * (high - low)

    def run(x):
        return between(x, high=10.0 * x) + between(share=0.25, high=5.0, low=x)

    assert compiled(run, '(float64,)')(1.0) == run(1.0) == 7.5


def test_a_full_disk_does_not_end_the_program(package):
    pytest.importorskip('numba')
    full = 'import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n'
    found = ask(package, before=full)
    assert (found['room'][:2], found['hits']) == ([2.0, 4.0], 0)
    # Whatever the full disk left behind, the next start has the right code.
    again = ask(package)
    assert (again['room'][:2], again['hits']) == ([2.0, 4.0], 0)
    assert ask(package)['hits'] == 1


@pytest.mark.parametrize(('mode', 'environment'), [
    ('absent', {}), ('disabled', {'NUMBA_DISABLE_JIT': '1'})])
def test_without_a_compiler_it_is_plain_python(package, mode, environment):
    assert ask(package, mode, lanes=3, **environment) == {
        'compiled': False, 'room': [2.0, 2.0, 3.0, 8.0, 5.0, 6.0], 'hits': 0, 'misses': 0}
