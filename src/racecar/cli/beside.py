# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A server in a process of its own beside the stack that a command runs.

The simulation does not share its interpreter with viewers. The server ends with the command,
however that ends, because its standard input does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import contextlib
import subprocess
import sys
import threading

from racecar.base.errors import ConfigurationError
from racecar.base.starting import child_code

_SERVING, _FAILED = '+', '-'
_END_TIMEOUT = 5.0      # [s]


class Beside:
    """The process that serves, from the side of the command."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self._process = process
        self.address = address

    def tell(self, line: str) -> None:
        """Give it a line, unless it has gone."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(f'{line}\n')
            self._process.stdin.flush()

    def hear(self) -> str:
        """Wait for its next line; empty once it has gone."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip()


@contextlib.contextmanager
def served_beside(module: str, function: str, *arguments: object) -> Iterator[Beside]:
    """Call a function of a module in another process meanwhile; say on stderr where it serves.

    It calls tell_address() or tell_failure() once and ends when the parent does. Ctrl-C does not
    reach it. arguments: plain values. Raises ConfigurationError with what tell_failure() was told.
    """
    with subprocess.Popen([sys.executable, '-c', child_code(module, function, *arguments)],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        try:
            assert process.stdout is not None
            answer = process.stdout.readline().rstrip()
            if not answer.startswith(_SERVING):
                raise ConfigurationError(
                    answer.removeprefix(_FAILED)
                    or f'the process that serves beside this one ({module}) ended')
            address = answer.removeprefix(_SERVING)
            print(address, file=sys.stderr)
            yield Beside(process, address)
        finally:
            _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
    try:
        process.wait(_END_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()


def tell_address(text: str) -> None:
    """Tell the parent what to open or connect to."""
    print(f'{_SERVING}{text}', flush=True)


def tell_failure(error: Exception) -> None:
    """Tell the parent why nothing is served."""
    print(f'{_FAILED}{error}', flush=True)


def when_the_parent_ends(end: Callable[[], object]) -> None:
    """Call a function in a thread of its own once the parent has ended or does not want more."""
    def wait() -> None:
        sys.stdin.read()
        end()

    threading.Thread(target=wait, daemon=True).start()
