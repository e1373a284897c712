# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings of Hypothesis for all tests, and what the processes that they start have in common."""

import compileall
from pathlib import Path
import sys

from hypothesis import HealthCheck, settings

pytest_plugins = ['hard_timeout']

# The same examples in each run, and no deadline for one: the first compiles, and others may have
# the computer to themselves. `--hypothesis-profile=default` looks for new ones.
settings.register_profile(
    'repeatable', derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile('repeatable')


def pytest_configure(config):
    """Compile the sources to bytecode, as an installation does, where Python must not do it.

    With PYTHONDONTWRITEBYTECODE each of the hundreds of processes that tests start would compile
    them anew, for a quarter of a second.
    """
    if sys.dont_write_bytecode and not hasattr(config, 'workerinput'):
        compileall.compile_dir(Path(__file__).parents[1] / 'src', quiet=2)
