# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lets other threads use a node that an executor's thread owns."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future as Answer
from concurrent.futures import TimeoutError as NoAnswer
import threading
import time
from typing import Any, TypeVar

from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.task import Future

from racecar.base.errors import RunError

_POLL = 0.005                  # [s]
_EXECUTOR_PATIENCE = 5.0       # [s]
# Errands that may be left out wait while the executor is busy, at most so many.
_MOST_OPTIONAL = 128

Value = TypeVar('Value')


class Errands:
    """Things that the executor of a node does for other threads, which wait for them.

    The server of the SDK calls back from threads of its own; subscriptions, publishers and clients
    are made and destroyed between two callbacks of the executor only.
    """

    def __init__(self, node: Node, executor: Executor) -> None:
        """node: takes part in executor."""
        self._node = node
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

    def do(self, function: Callable[[], Value], patience: float = _EXECUTOR_PATIENCE) -> Value:
        """Have something done and return its result, or raise what it raises.

        patience [s]. Raises RunError if the executor does not come to it.
        """
        answer: Answer[Value] = Answer()

        def work() -> None:
            try:
                answer.set_result(function())
            except Exception as error:  # it belongs to the thread that asked
                answer.set_exception(error)

        self.post(work)
        try:
            return answer.result(patience)
        except NoAnswer:
            raise RunError(f'the node was busy for {patience:g} s; is it still running?') from None

    def call(self, service_type: Any, name: str, request: Any, patience: float) -> Any:
        """Call a service and return its response; not from the thread of the executor.

        patience [s]. Raises RunError if nobody offers it, does not answer, or the call fails.
        """
        client = self.do(lambda: self._node.create_client(service_type, name))
        try:
            until = time.monotonic() + patience
            while not client.service_is_ready():
                if time.monotonic() >= until:
                    raise RunError(f'service {name} is not offered; does its node still run?')
                time.sleep(_POLL)
            answer: Answer[Any] = Answer()

            def pass_on(future: Future) -> None:
                error = future.exception()
                if error is not None or future.cancelled():
                    answer.set_exception(RunError(f'the call of service {name} failed: {error}'))
                else:
                    answer.set_result(future.result())

            def ask() -> None:
                client.call_async(request).add_done_callback(pass_on)

            self.do(ask)
            try:
                return answer.result(max(_POLL, until - time.monotonic()))
            except NoAnswer:
                raise RunError(f'service {name} has not answered for {patience:g} s') from None
        finally:
            self.post(lambda: self._node.destroy_client(client))
