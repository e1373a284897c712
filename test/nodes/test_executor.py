# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The executor that nodes run on."""

import io
import sys
from typing import Any

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future

from racecar.ros.run_node import end, make_executor, spin

pytestmark = pytest.mark.ros


@pytest.fixture(params=['as it comes', 'without a file behind stderr'])
def executor(request, monkeypatch):
    if request.param != 'as it comes':
        monkeypatch.setattr(sys, 'stderr', io.StringIO())
    rclpy.init()
    found = make_executor()
    nodes: list[Any] = []
    yield found, nodes
    end(found, nodes)
    rclpy.try_shutdown()


def test_executor_spins_until_a_future_is_done(executor):
    executor, nodes = executor
    node = Node('worker')
    nodes.append(node)
    executor.add_node(node)
    done = Future()
    node.create_timer(0.01, lambda: done.done() or done.set_result('done'))
    spin(executor, done)
    assert done.result() == 'done'


def test_executor_without_a_file_behind_stderr_is_the_single_threaded_one(monkeypatch):
    monkeypatch.setattr(sys, 'stderr', io.StringIO())
    rclpy.init()
    try:
        assert isinstance(make_executor(), SingleThreadedExecutor)
    finally:
        rclpy.try_shutdown()
