# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lets other threads use a node that an executor's thread owns."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
import threading
from typing import TypeVar

from rclpy.executors import Executor

from racecar.base.errors import RunError
from racecar.clients.graph.answer import Answer

_POLL = 0.005                  # [s]
_EXECUTOR_PATIENCE = 5.0       # [s]
# Work that may be left out waits while the executor is busy, at most so much.
_MOST_OPTIONAL = 128

Value = TypeVar('Value')


class NodeThread:
    """The thread of an executor, which works for other threads.

    The server of the SDK calls back from threads of its own; subscriptions, publishers and clients
    are made and destroyed between two callbacks of the executor only.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._room = threading.Semaphore(_MOST_OPTIONAL)

    def post(self, function: Callable[[], object]) -> None:
        """Have something done soon; it must not raise."""
        self._executor.create_task(function)

    def offer(self, function: Callable[[], object]) -> bool:
        """As post(), unless many of these wait already; returns whether it will be done."""
        if not self._room.acquire(blocking=False):
            return False

        def work() -> None:
            self._room.release()
            function()

        self.post(work)
        return True

    def do(self, function: Callable[[], Value]) -> Value:
        """Have something done and return its result, or raise what it raises.

        Raises RunError if the executor does not come to it.
        """
        done: Future[Value] = Future()

        def work() -> None:
            try:
                done.set_result(function())
            except Exception as error:  # it belongs to the thread that asked
                done.set_exception(error)

        self.post(work)
        if not wait((done,), _EXECUTOR_PATIENCE).done:
            raise RunError(
                f'the node was busy for {_EXECUTOR_PATIENCE:g} s; is it still running?')
        return done.result()

    def wait_for(self, ask: Callable[[], Answer[Value]], poll: Callable[[], object]) -> Value:
        """Have something asked for, wait for the answer and return it, or raise its error.

        poll: that of the ServiceCalls by which it is asked for. Raises RunError as do().
        """
        answer = self.do(ask)
        while not wait((answer,), _POLL).done:
            self.do(poll)
        return answer.result()
