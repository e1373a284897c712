# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""SIGINT and SIGTERM of a process, from its first line on; imports only what is fast to import."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import contextlib
import os
import signal
import sys
from typing import NoReturn

STOPS = (signal.SIGINT, signal.SIGTERM)

LAUNCHED_BY = 'RACECAR_LAUNCHED_BY'
"""Environment variable with the process number of the launch that started a node."""

# Of POSIX; Windows has none.
_SIGPIPE = 13
# Of <sys/prctl.h>.
_PR_SET_PDEATHSIG = 1

ExitCode = Callable[[int], int]

_last_acts: list[Callable[[], object]] = []


class Interruption(KeyboardInterrupt):
    """One of STOPS came; number says which."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


def code_of_command(number: int) -> int:
    """Return the exit code of a command that a signal has stopped, as shells count."""
    return 128 + number


def code_of_node(number: int) -> int:
    """Return the exit code of a node that a signal has stopped: that is how nodes end."""
    return 0


def at_end(act: Callable[[], object]) -> None:
    """Let end_process() call this first, for what must not be left behind; atexit is too late."""
    _last_acts.append(act)


def end_process(code: int) -> NoReturn:
    """End the process now: what is written is kept, nothing is torn down.

    Python takes half a second to take apart what the nodes import.
    """
    for act in _last_acts:
        with contextlib.suppress(Exception):
            act()
    for stream in (sys.stdout, sys.stderr):
        # Also where a reader has closed the pipe, or a write was interrupted.
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(code)


@contextlib.contextmanager
def ending_with_the_reader() -> Iterator[None]:
    """End the process without a word if nobody reads stdout any more, as with `| head`."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:  # as after `>&-`
                sys.stdout.flush()
    except BrokenPipeError:
        end_process(code_of_command(_SIGPIPE))


def end_at_once_on_signals(exit_code: ExitCode) -> None:
    """Let each of STOPS end the process, until another handler takes over; main thread only.

    For as long as nothing has to be closed: it may strike amidst an import.
    """
    for number in STOPS:
        signal.signal(number, lambda number, _: end_process(exit_code(number)))


def end_with_launch() -> None:
    """Let SIGTERM come when the launch ends that LAUNCHED_BY names, if it is the parent process.

    Of `ros2 launch`, SIGTERM and SIGKILL end only the launch itself, and its nodes drive on.
    """
    launch = os.environ.get(LAUNCHED_BY, '')
    if launch != str(os.getppid()):
        # Started by hand, or a debugger is between.
        return
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if launch != str(os.getppid()):
        os.kill(os.getpid(), signal.SIGTERM)


@contextlib.contextmanager
def raising_on_signals() -> Iterator[None]:
    """Let each of STOPS raise Interruption meanwhile, so that what is open is closed.

    In the main thread only. Not for imports, in which an exception may be lost.
    """
    def interrupt(number: int, _: object) -> NoReturn:
        raise Interruption(number)

    former = {number: signal.signal(number, interrupt) for number in STOPS}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
