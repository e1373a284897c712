# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that ends the process of a test that blocks the interpreter.

pytest-timeout interrupts a test by Python code, which cannot run while native code holds the GIL,
as in a deadlock between it and a lock. The watchdog thread of faulthandler needs no GIL: some time
after that limit it writes where all threads are, and ends the process. pytest-xdist then reports
the test as failed and starts another worker.
"""

import faulthandler
import os

import pytest

# Of the limit of pytest-timeout, which is to come first.
FACTOR = 1.2
_STDERR = pytest.StashKey[int]()


def pytest_configure(config):
    # During the tests pytest captures what is written to the original.
    config.stash[_STDERR] = os.dup(2)


def pytest_unconfigure(config):
    os.close(config.stash[_STDERR])


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    limit = _limit(item.config)
    if limit:
        faulthandler.dump_traceback_later(
            FACTOR * limit, exit=True, file=item.config.stash[_STDERR])
    yield
    faulthandler.cancel_dump_traceback_later()


def pytest_enter_pdb():
    faulthandler.cancel_dump_traceback_later()


def _limit(config):
    """Return the limit of pytest-timeout for a test [s], 0 for none."""
    if not config.pluginmanager.has_plugin('timeout'):
        return 0.0
    given = config.getoption('timeout')
    return float(config.getini('timeout') or 0.0) if given is None else given
