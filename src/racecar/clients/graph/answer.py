# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Answers that come later, for coroutines and for threads that wait."""

from __future__ import annotations

from collections.abc import Coroutine, Generator, Iterable
from concurrent.futures import Future
from typing import Any, TypeVar

from racecar.base.errors import RacecarError, RunError

Value = TypeVar('Value')

Steps = Coroutine['Answer[Any]', None, Value]
"""A coroutine that awaits answers and nothing else."""


class Answer(Future[Value]):
    """A value or an error that comes later: awaited by coroutines, waited for by other threads.

    rclpy's own futures serve only one of the two, and its SingleThreadedExecutor polls a coroutine
    that awaits one without pause.
    """

    def __await__(self) -> Generator[Answer[Any], None, Value]:
        """Give the value, or raise the error, once it is there."""
        if not self.done():
            yield self
        return self.result()


def start(steps: Steps[Value]) -> Answer[Value]:
    """Run a coroutine to its first answer that is not there yet, and on as the answers come.

    It goes on in the threads that give the answers. The result is what it returns, or the error
    that it raises. An error that is no RacecarError, which nobody may expect, is raised here as
    well, or logged if it comes later.
    """
    result: Answer[Value] = Answer()

    def go_on(_: object = None) -> None:
        try:
            awaited = steps.send(None)
        except StopIteration as end:
            result.set_result(end.value)
        except RacecarError as error:
            result.set_exception(error)
        except Exception as error:
            result.set_exception(error)
            raise
        else:
            awaited.add_done_callback(go_on)

    go_on()
    return result


async def all_of(coroutines: Iterable[Steps[object]]) -> None:
    """Start all, and wait until each has ended.

    Raises RunError with the messages of those that failed.
    """
    failures = []
    for answer in [start(steps) for steps in coroutines]:
        try:
            await answer
        except RacecarError as error:
            failures.append(str(error))
    if failures:
        raise RunError('; '.join(failures))
