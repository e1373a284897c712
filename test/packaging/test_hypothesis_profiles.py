# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which examples Hypothesis tries: the same in each run, or those of a seed."""

import os
from pathlib import Path
import re
import shutil
import subprocess
import sys

import pytest

TEST = Path(__file__).resolve().parents[1]
EXAMPLES = """
import importlib
import os
from hypothesis import given, strategies as st

if 'MODULE' in os.environ:
    importlib.import_module(os.environ['MODULE'])

@given(st.integers(), st.floats())
def test_nothing(number, other):
    with open('examples', 'a') as stream:
        print(number, other, file=stream)
"""


@pytest.fixture
def examples(tmp_path):
    """Run one test with the settings of this suite; give its examples and the seed, if any."""
    (tmp_path / 'test_child.py').write_text(EXAMPLES)
    (tmp_path / 'module_of_numbers.py').write_text(
        f'NUMBERS = {[*range(1_000_001, 1_000_301)]}, {[0.3 + k for k in range(300)]}')
    shutil.copy(TEST / 'conftest.py', tmp_path)

    def run(profile, *options):
        environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(map(str, (
            TEST, TEST / 'helpers')))}
        for name in ('RACECAR_HYPOTHESIS', 'RACECAR_HYPOTHESIS_SEED'):
            environment.pop(name, None)
        if profile:
            environment['RACECAR_HYPOTHESIS'] = profile
        said = subprocess.run(
            [sys.executable, '-m', 'pytest', '-p', 'no:cacheprovider', *options, 'test_child.py'],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout
        found = tmp_path / 'examples'
        text = found.read_text()
        found.unlink()
        seed = re.search(r'--hypothesis-seed=(\d+)$', said, re.MULTILINE)
        return text, seed and seed[1]

    return run


def test_examples_are_the_same_in_each_run(examples):
    first, seed = examples('')
    assert seed is None
    assert examples('', '--hypothesis-seed=5') == (first, None)


def test_examples_do_not_depend_on_what_else_is_imported(examples, monkeypatch):
    first, _ = examples('')
    searched, seed = examples('search')
    monkeypatch.setenv('MODULE', 'module_of_numbers')
    assert examples('') == (first, None)
    # A search tries the numbers of modules, where Hypothesis is new enough.
    providers = sys.modules.get('hypothesis.internal.conjecture.providers')
    again, _ = examples('search', f'--hypothesis-seed={seed}')
    assert (again != searched) == hasattr(providers, '_get_local_constants')


def test_a_search_has_other_examples_each_time_and_tells_how_to_repeat_it(examples):
    first, seed = examples('search')
    other, other_seed = examples('search')
    assert seed != other_seed
    assert first != other
    assert examples('search', f'--hypothesis-seed={seed}') == (first, seed)


def test_workers_search_with_the_seed_that_is_shown(examples):
    pytest.importorskip('xdist')
    text, seed = examples('search', '-n', '1')
    assert examples('search', f'--hypothesis-seed={seed}') == (text, seed)
