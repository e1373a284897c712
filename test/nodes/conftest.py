# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A DDS domain of their own for the node tests, and the bench on which nodes are tried."""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
from pathlib import Path
import tempfile

import pytest

DOMAINS = range(101, 233)

MISSING = ', '.join(
    name for name in ('rclpy', 'ackermann_msgs', 'racecar_interfaces')
    if importlib.util.find_spec(name) is None)


class ModuleWithoutRos(pytest.Module):
    """A test module that cannot even be imported here."""

    def collect(self):
        pytest.skip(f'needs ROS 2: {MISSING} cannot be imported', allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    return ModuleWithoutRos.from_parent(parent, path=module_path) if MISSING else None


def claim_domain(stack: contextlib.ExitStack) -> int:
    """Return a ROS domain that no other test process of this machine uses until the stack ends."""
    offset = os.getpid() % len(DOMAINS)
    for domain in [*DOMAINS[offset:], *DOMAINS[:offset]]:
        path = Path(tempfile.gettempdir()) / f'racecar_test_domain_{domain}'
        try:
            file = stack.enter_context(path.open('a'))
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        return domain
    raise RuntimeError('all ROS domains from 101 to 232 are in use by other tests')


@pytest.fixture(scope='session', autouse=True)
def ros_environment(tmp_path_factory):
    """Keep the nodes of these tests, and the processes they start, to themselves."""
    with contextlib.ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setenv('ROS_DOMAIN_ID', str(claim_domain(stack)))
        patch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
        patch.setenv('ROS_LOG_DIR', str(tmp_path_factory.mktemp('ros_logs')))
        yield


@pytest.fixture
def bench():
    """Return a bench that is cleared away after the test."""
    from node_bench import Bench

    with Bench() as found:
        yield found
