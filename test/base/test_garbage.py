# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""When and where Python does not search for garbage; in processes with nothing else in them."""

import gc
import os
import subprocess
import sys

import pytest

from racecar.base.starting import child_code

HEAD = """
import gc
import threading

from racecar.base.garbage import collecting_only_what_is_new, without_collecting
"""


def run(text):
    done = subprocess.run(
        [sys.executable, '-c', HEAD + text], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, '')
    return done.stdout.split()


@pytest.mark.parametrize('collects', [True, False])
def test_nothing_is_collected_meanwhile_and_then_as_before(collects):
    assert run(f"""
(gc.enable if {collects} else gc.disable)()
with without_collecting():
    print(gc.isenabled())
    with without_collecting():
        print(gc.isenabled())
    print(gc.isenabled())
print(gc.isenabled())
try:
    with without_collecting():
        raise ValueError
except ValueError:
    print(gc.isenabled())
""") == ['False', 'False', 'False', str(collects), str(collects)]


def test_what_was_made_meanwhile_is_not_looked_through_at_its_end():
    assert run("""
begun = []
gc.callbacks.append(lambda phase, info: begun.append(info['generation']))
with without_collecting():
    made = [[number] for number in range(100_000)]
new = [[]]
print(*begun, *(any(one is made for one in gc.get_objects(age)) for age in (0, 1, 2)))
""") == ['False', 'False', 'True']


def test_after_two_threads_at_once_is_collected_again():
    assert run("""
begun, go = threading.Event(), threading.Event()

def second():
    with without_collecting():
        begun.set()
        go.wait()

with without_collecting():
    other = threading.Thread(target=second)
    other.start()
    begun.wait()
go.set()
other.join()
print(gc.isenabled())
""") == ['True']


def test_what_exists_is_not_searched_and_is_again_afterwards():
    # Garbage from before is found only afterwards, new garbage at once.
    assert run("""
import weakref

class Thing:
    def __init__(self):
        self.own = self

gc.disable()
old = Thing()
seen = weakref.ref(old)
with collecting_only_what_is_new():
    del old
    gc.collect()
    print(seen() is None)
    new = Thing()
    seen_too = weakref.ref(new)
    del new
    gc.collect()
    print(seen_too() is None)
gc.collect()
print(seen() is None)
""") == ['False', 'True', 'True']


def test_what_somebody_else_has_frozen_stays_frozen():
    assert run("""
gc.freeze()
count = gc.get_freeze_count()
with collecting_only_what_is_new():
    print(gc.get_freeze_count() == count)
print(gc.get_freeze_count() == count)
""") == ['True', 'True']


def test_nested_and_in_threads_the_outermost_freezes_and_ends_it():
    assert run("""
def is_frozen():
    return gc.get_freeze_count() > 0

def enter():
    with collecting_only_what_is_new():
        print(is_frozen())

for again in range(2):
    with collecting_only_what_is_new():
        enter()
        other = threading.Thread(target=enter)
        other.start()
        other.join()
        print(is_frozen())
    print(is_frozen())
""") == ['True', 'True', 'True', 'False'] * 2


def test_what_is_frozen_is_counted_once():
    # Each time takes as long as there are objects.
    assert run("""
gc.freeze()
count = gc.get_freeze_count
asked = []
gc.get_freeze_count = lambda: asked.append(1) or count()
for again in range(3):
    with collecting_only_what_is_new():
        pass
print(len(asked), count() > 0)
""") == ['1', 'True']


@pytest.fixture
def undecided():
    """Return the environment of a user who has not said how many threads OpenBLAS has."""
    return {name: value for name, value in os.environ.items() if name != 'OPENBLAS_NUM_THREADS'}


@pytest.mark.parametrize('words', [
    ['-c', 'import sys; sys.argv[0] = "racecar"; from racecar.executables import command;'
           ' command()', 'parameters', 'lap_timer'],
    ['-m', 'racecar.cli.main', 'parameters', 'lap_timer']])
def test_a_process_of_this_package_is_searched_seldom_and_calculates_in_one_thread(
        words, tmp_path, undecided):
    # What is imported at the start of each Python, before the program.
    (tmp_path / 'sitecustomize.py').write_text(
        'import atexit, gc, os, sys\n'
        'atexit.register(lambda: print(gc.get_threshold()[0],'
        ' os.environ["OPENBLAS_NUM_THREADS"], file=sys.stderr))\n')
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=False,
        env={**undecided, 'PYTHONPATH': path})
    assert done.returncode == 0
    assert 'track' in done.stdout
    assert done.stderr.split() == ['50000', '1']


def test_a_program_of_a_user_is_left_as_python_has_it(undecided):
    done = subprocess.run(
        [sys.executable, '-c', """
import gc, os
before = gc.get_threshold(), {**os.environ}
import racecar
racecar.Simulator
print(before == (gc.get_threshold(), {**os.environ}))
"""], capture_output=True, text=True, check=True, env=undecided)
    assert done.stdout.split() == ['True']


@pytest.mark.parametrize(('said', 'threads'), [({}, '1'), ({'OPENBLAS_NUM_THREADS': '3'}, '3')])
def test_who_has_said_how_many_threads_calculate_has_them(said, threads, undecided):
    code = child_code('builtins', 'print', 'begun')
    done = subprocess.run(
        [sys.executable, '-c', f'{code}; import os; print(os.environ["OPENBLAS_NUM_THREADS"])'],
        capture_output=True, text=True, check=True, env={**undecided, **said})
    assert done.stdout.split() == ['begun', threads]


def test_a_module_of_a_user_that_imports_racecar_is_searched_as_python_does(tmp_path):
    # Python imports the package of the module while it still looks for it.
    (tmp_path / 'mine').mkdir()
    (tmp_path / 'mine' / '__init__.py').write_text('import racecar')
    (tmp_path / 'mine' / 'program.py').write_text('import gc; print(*gc.get_threshold())')
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, '-m', 'mine.program'], capture_output=True, text=True, check=True,
        env={**os.environ, 'PYTHONPATH': path}, cwd=tmp_path)
    assert done.stdout.split() == run('print(*gc.get_threshold())')


def test_a_function_of_a_module_is_called_in_another_process():
    code = child_code('builtins', 'print', 'one', 2, (3.0, None))
    done = subprocess.run(
        [sys.executable, '-c', f'{code}; import gc; print(*gc.get_threshold(), sys.path)'],
        capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        'one 2 (3.0, None)', f'50000 {gc.get_threshold()[1]} {gc.get_threshold()[2]} {sys.path}']
