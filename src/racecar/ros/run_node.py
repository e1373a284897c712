# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Start a node as a process, spin it, and end with a message and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import rclpy
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from racecar.core.errors import RacecarError


def make_executor() -> Executor:
    """Return the EventsExecutor where rclpy has it: it costs a third of the processor time."""
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor()
    return EventsExecutor()


def run_node(make_node: Callable[[], Node], args: Sequence[str] | None = None) -> int:
    """Run one node until it is interrupted; return 0, or 1 with one line on stderr."""
    rclpy.init(args=args)
    node = None
    try:
        node = make_node()
        executor = make_executor()
        executor.add_node(node)
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except RacecarError as error:
        name = node.get_fully_qualified_name() if node else 'node not started'
        print(f'[{name}] error: {error}', file=sys.stderr)
        return 1
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0
