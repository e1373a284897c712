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


@pytest.mark.parametrize('words', [
    ['-c', 'import sys; sys.argv[0] = "racecar"; from racecar.executables import command;'
           ' command()', 'parameters', 'lap_timer'],
    ['-m', 'racecar.cli.main', 'parameters', 'lap_timer']])
def test_a_process_of_this_package_is_searched_seldom(words, tmp_path):
    # What is imported at the start of each Python, before the program.
    (tmp_path / 'sitecustomize.py').write_text(
        'import atexit, gc, sys\n'
        'atexit.register(lambda: print(gc.get_threshold()[0], file=sys.stderr))\n')
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=False,
        env={**os.environ, 'PYTHONPATH': path})
    assert done.returncode == 0
    assert 'track' in done.stdout
    assert done.stderr.split() == ['50000']


def test_a_program_of_a_user_is_searched_as_python_does():
    assert run("""
before = gc.get_threshold()
import racecar
racecar.Simulator
print(gc.get_threshold() == before)
""") == ['True']


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
