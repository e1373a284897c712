# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings of Hypothesis for all tests, and what the processes that they start have in common."""

import compileall
import gc
import os
from pathlib import Path
import random
import sys

from hypothesis import HealthCheck, settings
import pytest

pytest_plugins = ['hard_timeout']

# As the commands and nodes have it, before NumPy is imported by the workers or by any of the
# hundreds of processes that tests start: each further thread of OpenBLAS takes 50 ms of a core.
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

# The same examples in each run, and no deadline for one: the first compiles, and others may have
# the computer to themselves.
settings.register_profile(
    'repeatable', derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
# New ones, which depend on --hypothesis-seed alone and not on what failed before.
settings.register_profile(
    'search', settings.get_profile('repeatable'), derandomize=False, database=None,
    print_blob=True)
PROFILE = os.environ.get('RACECAR_HYPOTHESIS', 'repeatable')
settings.load_profile(PROFILE)
providers = sys.modules.get('hypothesis.internal.conjecture.providers')
if PROFILE == 'repeatable' and providers and hasattr(providers, '_get_local_constants'):
    # Hypothesis tries constants of the modules that happen to be imported, so that examples would
    # depend on what ran before in the same process. It has no setting for that.
    vars(providers)['_get_local_constants'] = providers.Constants


def pytest_report_header(config):
    """Say how to repeat a search."""
    if PROFILE == 'repeatable':
        return None
    seed = config.getoption('--hypothesis-seed')
    return f'to repeat: RACECAR_HYPOTHESIS={PROFILE} ./run test --hypothesis-seed={seed}'


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Choose the seed of a search, and compile the sources where Python must not do it.

    With PYTHONDONTWRITEBYTECODE each of the hundreds of processes that tests start would compile
    them anew, for a quarter of a second.
    """
    if PROFILE != 'repeatable' and config.getoption('--hypothesis-seed') is None:
        # Before the plugin of Hypothesis reads it; workers of pytest-xdist inherit the variable.
        config.option.hypothesis_seed = os.environ.setdefault(
            'RACECAR_HYPOTHESIS_SEED', str(random.randrange(2**32)))
    # Tests leave few objects in circles; those that look for leaks collect by themselves.
    gc.set_threshold(50_000)
    if sys.dont_write_bytecode and not hasattr(config, 'workerinput'):
        compileall.compile_dir(Path(__file__).parents[1] / 'src', quiet=2)


@pytest.hookimpl(hookwrapper=True)
def pytest_collection():
    """Keep thousands of tests, which live to the end, out of what is searched for garbage.

    A third of the time of collecting them, and a third of a second of each full search later.
    Another half is what pytest makes of their sources, which it keeps beside them also with
    PYTHONDONTWRITEBYTECODE. Only now: sources that tests change within a second look the same to
    Python.
    """
    keeps_nothing, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    gc.disable()
    yield
    gc.enable()
    gc.freeze()
    sys.dont_write_bytecode = keeps_nothing
