# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Start a node as a process, spin it, and end with a message and an exit code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import contextlib
from io import UnsupportedOperation
import sys
import traceback
from typing import NoReturn

import rclpy
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future

from racecar.base.errors import RacecarError
from racecar.base.garbage import collecting_only_what_is_new
from racecar.ros.exit_timer import ExitTimer
from racecar.ros.initialising import init
from racecar.ros.interrupted import Interrupted
from racecar.ros.node import TableNode
from racecar.ros.shared_clock import SharedClock
from racecar.signals import code_of_node, end_process

# The EventsExecutor of rclpy 7.1 never wakes from a wait without an end [s].
_SPIN_SLICE = 3600.0

# DDS takes 0.05 s to let go of a node, also on a busy computer far less than this [s].
_LONGEST_END = 2


def make_executor() -> Executor:
    """EventsExecutor where rclpy has it: it costs a third of the processor time."""
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor()
    # It wants a file descriptor behind sys.stderr, for tracebacks of crashes. In notebooks only
    # the original has one; after `2>&-` there is none.
    for stderr in sys.stderr, sys.__stderr__:
        with contextlib.suppress(UnsupportedOperation, RuntimeError, ValueError), \
                contextlib.redirect_stderr(stderr):
            return EventsExecutor()
    return SingleThreadedExecutor()


def spin(executor: Executor, until: Future | None = None) -> None:
    """Spin until the future is done; without one, until interrupted or shut down.

    Raises KeyboardInterrupt or ExternalShutdownException as the executor does.
    """
    future = Future() if until is None else until
    with collecting_only_what_is_new():
        while not future.done():
            executor.spin_until_future_complete(future, _SPIN_SLICE)


def end(executor: Executor | None, nodes: Iterable[Node]) -> None:
    """End an executor, which is not spinning, then its nodes, all of them even if one fails.

    In this order: remove_node() only notes what to let go of at the next event, and what a node
    destroyed in the meantime has once hung the executor for ever. Raises what a node raised.
    """
    if executor is not None:
        executor.shutdown()
    with contextlib.ExitStack() as stack:
        for node in reversed([*nodes]):
            stack.callback(node.destroy_node)


def run_node(make_node: Callable[[], TableNode], args: list[str] | None = None) -> NoReturn:
    """Run one node until it is done or interrupted, then end the process.

    The exit code is 0, or 1 with one line on stderr. For the main thread.
    """
    interrupted = Interrupted(code_of_node)
    node = executor = None
    code = 0
    try:
        init(args)
        node = make_node()
        interrupted.then_end(node.done)
        SharedClock([node])
        executor = make_executor()
        executor.add_node(node)
        spin(executor, node.done)
        node.done.result()
    except ExternalShutdownException:
        pass
    except RacecarError as error:
        _tell(node, error)
        code = 1
    except Exception:
        # What was recorded so far is to be closed all the same.
        traceback.print_exc()
        code = 1
    interrupted.ignore()
    if executor is not None:
        executor.shutdown()
    if node is not None:
        try:
            node.close()
        except RacecarError as error:
            _tell(node, error)
            code = 1
    # Whatever outlives the process is complete; others hear that the node is gone.
    sys.stdout.flush()
    with ExitTimer(_LONGEST_END, code):
        end(None, [node] if node else [])
        rclpy.try_shutdown()
    end_process(code)


def _tell(node: TableNode | None, error: RacecarError) -> None:
    name = node.get_fully_qualified_name() if node else 'node not started'
    print(f'[{name}] error: {error}', file=sys.stderr, flush=True)
