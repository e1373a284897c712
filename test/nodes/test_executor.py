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


@pytest.fixture
def context():
    """Nodes can be made meanwhile."""
    rclpy.init()
    yield
    rclpy.try_shutdown()


@pytest.fixture(params=['as it comes', 'without a file behind stderr'])
def executor(request, monkeypatch, context):
    if request.param != 'as it comes':
        monkeypatch.setattr(sys, 'stderr', io.StringIO())
        monkeypatch.setattr(sys, '__stderr__', None)
    found = make_executor()
    nodes: list[Any] = []
    yield found, nodes
    end(found, nodes)


def test_executor_spins_until_a_future_is_done(executor):
    executor, nodes = executor
    node = Node('worker')
    nodes.append(node)
    executor.add_node(node)
    done = Future()
    node.create_timer(0.01, lambda: done.done() or done.set_result('done'))
    spin(executor, done)
    assert done.result() == 'done'


@pytest.mark.parametrize('stderr', [io.StringIO(), None])
def test_executor_is_that_of_events_wherever_the_process_has_a_file_for_errors(
        stderr, monkeypatch, context):
    monkeypatch.setattr(sys, 'stderr', stderr)
    assert not isinstance(make_executor(), SingleThreadedExecutor)
    assert sys.stderr is stderr


def test_executor_without_any_file_for_errors_is_the_single_threaded_one(monkeypatch, context):
    monkeypatch.setattr(sys, 'stderr', io.StringIO())
    monkeypatch.setattr(sys, '__stderr__', None)
    assert isinstance(make_executor(), SingleThreadedExecutor)
