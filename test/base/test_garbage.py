# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""When and where Python does not search for garbage; in a process with nothing else in it."""

import subprocess
import sys

import pytest

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
