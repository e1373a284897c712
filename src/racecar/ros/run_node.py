# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Start a node as a process, spin it, and end with a message and an exit code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from io import UnsupportedOperation
import signal
import socket
import sys
import threading

import rclpy
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from racecar.core.errors import RacecarError
from racecar.ros.exit_timer import ExitTimer
from racecar.ros.initialising import init
from racecar.ros.node import TableNode
from racecar.ros.shared_clock import SharedClock

# The EventsExecutor of rclpy 7.1 never wakes from a wait without an end [s].
_SPIN_SLICE = 3600.0

# What a node has to close takes far less [s].
_LONGEST_END = 10


def make_executor() -> Executor:
    """Return the EventsExecutor where rclpy has it: it costs a third of the processor time."""
    try:
        from rclpy.experimental import EventsExecutor
        return EventsExecutor()
    except (ImportError, UnsupportedOperation):
        # It also wants a file descriptor behind sys.stderr, which notebooks do not have.
        return SingleThreadedExecutor()


def spin(executor: Executor, until: Future | None = None) -> None:
    """Spin until the future is done; without one, until interrupted or shut down.

    Raises KeyboardInterrupt or ExternalShutdownException as the executor does.
    """
    future = Future() if until is None else until
    while not future.done():
        executor.spin_until_future_complete(future, _SPIN_SLICE)


def end(executor: Executor | None, nodes: Iterable[Node]) -> None:
    """End an executor, which is not spinning, then its nodes.

    In this order: remove_node() only notes what to let go of at the next event, and what a node
    destroyed in the meantime has once hung the executor for ever.
    """
    if executor is not None:
        executor.shutdown()
    for node in nodes:
        node.destroy_node()


def run_node(make_node: Callable[[], TableNode], args: Sequence[str] | None = None) -> int:
    """Run one node until it is done or interrupted; return 0, or 1 with one line on stderr.

    Made for the main thread of a process that ends then: SIGINT stays ignored.
    """
    interrupted = Interrupted()
    node = executor = None
    try:
        init(args, signal_handler_options=SignalHandlerOptions.NO)
        node = make_node()
        interrupted.then_end(node.done)
        SharedClock([node])
        executor = make_executor()
        executor.add_node(node)
        spin(executor, node.done)
    except ExternalShutdownException:
        pass
    except RacecarError as error:
        name = node.get_fully_qualified_name() if node else 'node not started'
        print(f'[{name}] error: {error}', file=sys.stderr)
        return 1
    finally:
        interrupted.no_more()
        with ExitTimer(_LONGEST_END):
            end(executor, [node] if node else [])
            rclpy.try_shutdown()
    return 0


class Interrupted:
    """Turns SIGINT and SIGTERM into the result of a future, between two callbacks.

    rclpy's handlers would take the context away from under a callback that publishes, Python's
    would raise KeyboardInterrupt anywhere, also in C++ code that cannot pass it on. And as Ctrl-C
    reaches a node both directly and through launch, a second one must not abort the clean-up.
    """

    def __init__(self) -> None:
        """Take over both signals; only the main thread may."""
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        # A Python handler would wait for the executor to return from C++; this does not.
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)

    def then_end(self, done: Future) -> None:
        """Give the future a result as soon as a signal has come or comes."""
        def wait() -> None:
            self._reader.recv(1)
            if not done.done():
                done.set_result(None)

        threading.Thread(target=wait, daemon=True).start()

    def no_more(self) -> None:
        """Ignore SIGINT from now on, also while the interpreter goes down."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
