# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""--foxglove of `up` and `demo`: the server of `racecar foxglove` beside the stack they start."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
import contextlib
import signal
import subprocess
import sys
import threading
from typing import Any

from racecar.cli.foxglove import check_installed, LOOPBACK, PORT, port_number
from racecar.core.errors import ConfigurationError, RacecarError

_SERVING, _FAILED = '+', '-'
_END_TIMEOUT = 5.0      # [s]


def add_foxglove_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --foxglove and its port."""
    parser.add_argument(
        '--foxglove', action='store_true',
        help='serve topics, parameters and services to the Foxglove app; needs foxglove-sdk')
    parser.add_argument(
        '--foxglove-port', type=port_number, default=PORT, metavar='PORT',
        help=f'TCP port of --foxglove; 0: one that is free (default: {PORT})')


@contextlib.contextmanager
def foxglove_served(arguments: argparse.Namespace) -> Iterator[None]:
    """Serve Foxglove meanwhile, if the arguments ask for it; say on stderr where.

    In a process of its own: the simulation does not share its interpreter with viewers. It hears
    the ROS domain of the environment. Raises ConfigurationError if it cannot be served.
    """
    if not arguments.foxglove:
        yield
        return
    check_installed()
    # The path, because this program may have been started with one of its own.
    code = (f'import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve_beside;'
            f' serve_beside({arguments.foxglove_port})')
    with subprocess.Popen([sys.executable, '-c', code], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            answer = process.stdout.readline().rstrip()
            if not answer.startswith(_SERVING):
                raise ConfigurationError(
                    answer.removeprefix(_FAILED) or 'the process that serves Foxglove ended')
            print(answer.removeprefix(_SERVING), file=sys.stderr)
            yield
        finally:
            _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(_END_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()


def serve_beside(port: int) -> None:
    """Serve until the standard input ends, which it does with the process at its other end.

    The first line on stdout says what to connect to, or why that cannot be.
    """
    # Ctrl-C is for the parent, whose end is the end of this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from racecar.clients.foxglove.serving import serve

    def tell(sign: str) -> Callable[[object], None]:
        return lambda text: print(f'{sign}{text}', flush=True)

    def then_end(done: Any) -> None:
        def wait() -> None:
            sys.stdin.read()
            done.set_result(None)

        threading.Thread(target=wait, daemon=True).start()

    try:
        serve(LOOPBACK, port, tell(_SERVING), then_end)
    except RacecarError as error:
        tell(_FAILED)(error)
