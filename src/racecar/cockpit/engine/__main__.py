# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The process of a configuration without ROS; the server of the cockpit starts it.

Frames come on the standard input and go on the standard output, each behind its length. The first
one says what to run; the process ends with the run, or when the server goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import contextlib
import os
import queue
import sys
import threading
from typing import BinaryIO

from racecar.base.compiled import announce_compilation
from racecar.base.errors import RacecarError
from racecar.cockpit.configurations import stack_options
from racecar.cockpit.engine.engine_run import EngineRun
from racecar.cockpit.feed import Message
from racecar.cockpit.frames import FrameError, read_json
from racecar.cockpit.link import check_length, LENGTH, packed
from racecar.cockpit.pages import Pages
from racecar.neo.car import neo_options, NeoCar
from racecar.neo.controller import Controller, read_press
from racecar.neo.server import NeoServer
from racecar.neo.session import NeoSession
from racecar.signals import at_end, code_of_command, end_at_once_on_signals, end_process
from racecar.stacks.options import COCKPIT, StackOptions
from racecar.stacks.run_files import describe_run
from racecar.stacks.stepped.local_node import Log
from racecar.stacks.stepped.stepped_stack import describe_stepped, SteppedStack

_USUAL = 'kinematic_ode'


class _Pipe:
    """The way to the server."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._writing = threading.Lock()

    def send(self, frame: bytes, key: str = '') -> None:
        """Send a frame; waits for the server, which reads all the time."""
        with self._writing:
            try:
                self._stream.write(packed(frame))
                self._stream.flush()
            except OSError:
                # The server has gone, and with it everybody who could be told.
                os._exit(0)


def _read(stream: BinaryIO, requests: queue.Queue[Message]) -> None:
    """Hand on what the server says; end the process once it says nothing more."""
    try:
        while len(head := stream.read(LENGTH.size)) == LENGTH.size:
            requests.put(read_json(stream.read(check_length(head))))
    except FrameError as error:
        print(f'racecar cockpit: error: {error}', file=sys.stderr)
    end_process(0)


def _binary(number: int) -> int:
    """A descriptor that keeps bytes as they are, as all but those of Windows do."""
    if sys.platform == 'win32':
        import msvcrt

        msvcrt.setmode(number, os.O_BINARY)
    return number


def _load_kernels() -> None:
    """Load, or compile, what most configurations need, while nobody waits for it."""
    with contextlib.suppress(RacecarError):
        SteppedStack(_USUAL, StackOptions(), lambda *_: None)


def _neo(
    stack: SteppedStack, presses: Sequence[str], log: Log,
) -> Callable[[], object]:
    """Serve programs of RACECAR Neo beside the pages; gives what to call at each odometry."""
    def tell(level: str, text: str) -> None:
        log(level, text, 'neo')

    car, controller = NeoCar(stack), Controller([read_press(text) for text in presses])
    server = NeoServer(car, controller, tell)
    # A program would wait for ever for one that has gone without a word.
    at_end(server.close)
    end_at_once_on_signals(code_of_command)
    return NeoSession(car, server, controller).frame


def main() -> int:
    """Run what the first frame says; return the exit code."""
    out = os.fdopen(_binary(os.dup(sys.stdout.fileno())), 'wb')
    # Nothing that is printed is to come between the frames.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    pages = Pages(_Pipe(out))
    requests: queue.Queue[Message] = queue.Queue()
    threading.Thread(
        target=_read, args=(os.fdopen(_binary(os.dup(sys.stdin.fileno())), 'rb'), requests),
        name='cockpit reader', daemon=True).start()
    # The server reads it once there is something to start.
    announce_compilation(lambda text: pages.report_state('starting', text))
    _load_kernels()
    start = requests.get()
    name = str(start['configuration'])

    def log(level: str, text: str, node: str) -> None:
        pages.log(level, text, node)

    try:
        options = stack_options(name, start['options'])
        presses = start.get('presses')
        if presses is not None:
            options = neo_options(name, options)
        stack = SteppedStack(name, options, log)
        run = EngineRun(stack, pages, requests, lambda: describe_run(
            COCKPIT, name, options, describe_stepped(name, options), f'racecar cockpit {name}'),
            None if presses is None else _neo(stack, presses, log))
        run.begin()
        pages.report_state('running', f'{name}, without ROS')
        run.spin()
    except RacecarError as error:
        print(f'racecar cockpit: error: {error}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    code = main()
    sys.stderr.flush()
    # Python takes a while to take apart what was imported.
    os._exit(code)
