# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Start a node as a process, spin it, and end with a message and an exit code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import signal
import sys
import threading
from typing import Any

import rclpy
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.task import Future

from racecar.core.errors import RacecarError
from racecar.ros.node import TableNode

# The EventsExecutor of rclpy 7.1 never wakes from a wait without an end [s].
_SPIN_SLICE = 3600.0


def make_executor() -> Executor:
    """Return the EventsExecutor where rclpy has it: it costs a third of the processor time."""
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor()
    return EventsExecutor()


def spin(executor: Executor, until: Future | None = None) -> None:
    """Spin until the future is done; without one, until interrupted or shut down.

    Raises KeyboardInterrupt or ExternalShutdownException as the executor does.
    """
    future = Future() if until is None else until
    while not future.done():
        executor.spin_until_future_complete(future, _SPIN_SLICE)


def run_node(make_node: Callable[[], TableNode], args: Sequence[str] | None = None) -> int:
    """Run one node until it is done or interrupted; return 0, or 1 with one line on stderr."""
    # rclpy's own handler ends the spinning; Python's would besides raise KeyboardInterrupt
    # anywhere, also within C++ code that cannot pass it on.
    _on_interrupt(lambda *_: None)
    rclpy.init(args=args)
    node = None
    try:
        node = make_node()
        executor = make_executor()
        executor.add_node(node)
        spin(executor, node.done)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except RacecarError as error:
        name = node.get_fully_qualified_name() if node else 'node not started'
        print(f'[{name}] error: {error}', file=sys.stderr)
        return 1
    finally:
        # Ctrl-C reaches a node directly and through launch; the second one must not abort this.
        _on_interrupt(signal.SIG_IGN)
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


def _on_interrupt(handler: Any) -> None:
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)
