# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A DDS domain of their own for the node tests, and the bench on which nodes are tried."""

from __future__ import annotations

import contextlib
import importlib.util
import os

from domains import claim_domain
import pytest

MISSING = ', '.join(
    name for name in ('rclpy', 'ackermann_msgs', 'racecar_interfaces')
    if importlib.util.find_spec(name) is None)


class ModuleWithoutRos(pytest.Module):
    """A test module that cannot even be imported here."""

    def collect(self):
        pytest.skip(f'needs ROS 2: {MISSING} cannot be imported', allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    return ModuleWithoutRos.from_parent(parent, path=module_path) if MISSING else None


@pytest.fixture(scope='session', autouse=True)
def ros_environment(tmp_path_factory):
    """Keep the nodes of these tests, and the processes they start, to themselves."""
    with contextlib.ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setenv('ROS_DOMAIN_ID', str(claim_domain(stack)))
        if 'ROS_AUTOMATIC_DISCOVERY_RANGE' not in os.environ:
            patch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
        patch.setenv('ROS_LOG_DIR', str(tmp_path_factory.mktemp('ros_logs')))
        yield


@pytest.fixture
def bench():
    """Return a bench that is cleared away after the test."""
    from node_bench import Bench

    with Bench() as found:
        yield found
