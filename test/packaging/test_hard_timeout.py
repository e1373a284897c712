# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The plugin that ends tests which pytest-timeout cannot interrupt."""

import os
from pathlib import Path
import subprocess
import sys

import pytest

pytest.importorskip('pytest_timeout')

BLOCKS = """
import ctypes

def test_before():
    pass

def test_that_blocks():
    lock = ctypes.PyDLL(None).pthread_mutex_lock  # PyDLL keeps the GIL
    mutex = bytes(64)
    lock(mutex)
    lock(mutex)
"""


def run_pytest(folder, text, *options):
    (folder / 'test_child.py').write_text(text)
    environment = {**os.environ, 'PYTHONPATH': str(Path(__file__).parents[1] / 'helpers')}
    return subprocess.run(
        [sys.executable, '-m', 'pytest', '-q', '-p', 'hard_timeout', '-p', 'no:cacheprovider',
         *options, 'test_child.py'],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=60)


def test_a_test_that_blocks_with_the_gil_held_ends_with_a_traceback(tmp_path):
    child = run_pytest(tmp_path, BLOCKS, '--timeout=0.2')
    assert child.returncode == 1
    assert 'Timeout' in child.stderr
    assert 'test_child.py", line 11 in test_that_blocks' in child.stderr


def test_the_limit_is_cancelled_after_the_last_test(tmp_path):
    (tmp_path / 'conftest.py').write_text(
        'import time\n\n\ndef pytest_sessionfinish():\n    time.sleep(0.5)\n')
    child = run_pytest(tmp_path, 'def test_nothing():\n    pass\n', '--timeout=0.2')
    assert child.returncode == 0, child.stdout + child.stderr
