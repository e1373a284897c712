# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A stack that starts for the first time on a machine."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.ros

# Prints which kernels were compiled after the nodes had been constructed.
STACK = """
from numba.core import event
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.composing import ComposedStack
class Listener(event.Listener):
    def on_start(self, row):
        compiled.append(row.data['dispatcher'].py_func.__name__)
    def on_end(self, row):
        pass
compiled = []
event.register('numba:compile', Listener())
options = StackOptions(lockstep=True, real_time_factor=0.0, end_time=0.5, active=True)
with ComposedStack(describe_stack('dynamic_ode', options)) as stack:
    constructed = len(compiled)
    stack.spin()
print(constructed > 5, compiled[constructed:])
"""


def test_nodes_compile_before_the_first_tick_and_say_so_once(tmp_path):
    pytest.importorskip('numba')
    found = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, '-c', STACK], check=True, text=True, capture_output=True,
            timeout=240, env={
                **os.environ, 'NUMBA_CACHE_DIR': str(tmp_path),
                'PYTHONPATH': os.pathsep.join(path for path in sys.path if path)})
        found.append((done.stdout.strip(), done.stderr.count('compiling the simulation')))
    assert found == [('True []', 1), ('False []', 0)]
