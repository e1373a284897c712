# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A process that the server has started: its end, and what it said last."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
import contextlib
import os
import re
import signal
import sys

_TAIL = 40
_LONGEST_LINE = 500
# It closes its bag and its nodes meanwhile; then it is killed [s].
_PATIENCE = 8.0
# As the command does: signals are handled before the slow imports.
_MAIN = 'import sys; from racecar.executables import command; sys.exit(command())'
_ERROR = re.compile(r'racecar \w+: error: ')


class Child:
    """`racecar ARGUMENTS` in this Python, in a session of its own, so that Ctrl-C spares it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._tail: deque[str] = deque(maxlen=_TAIL)
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, arguments: Sequence[str]) -> Child:
        """Start it."""
        return cls(await asyncio.create_subprocess_exec(
            sys.executable, '-c', _MAIN, *arguments, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
            start_new_session=True, env={**os.environ, 'PYTHONUNBUFFERED': '1'}))

    async def _listen(self) -> None:
        assert self._process.stderr is not None
        while True:
            try:
                line = await self._process.stderr.readline()
            except ValueError:
                # Longer than what asyncio keeps: that is dropped.
                continue
            if not line:
                return
            self._tail.append(line.decode(errors='replace').rstrip()[:_LONGEST_LINE])

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    async def wait(self) -> int:
        """Wait for its end; return the exit code, negative for the signal that killed it."""
        code = await self._process.wait()
        # What a process of its own keeps open must not hold this up.
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._listening), 1.0)
        return code

    @property
    def error(self) -> str:
        """The line with which it failed, or the last one that it wrote."""
        for line in reversed(self._tail):
            match = _ERROR.match(line)
            if match:
                return line[match.end():]
        return next((line for line in reversed(self._tail) if line.strip()), '')

    async def end(self) -> None:
        """End it: first by SIGTERM, and by SIGKILL if that takes too long."""
        for number, patience in ((signal.SIGTERM, _PATIENCE), (signal.SIGKILL, None)):
            if self._process.returncode is not None:
                break
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._process.wait(), patience)
        self._listening.cancel()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        # Of the real-time signals only the first and the last have names.
        return f'signal {number}'


def how_it_ended(code: int, error: str) -> tuple[str, str]:
    """State of the session after an exit code, and a text for people."""
    if code == 0:
        return 'ended', 'the configuration has ended'
    if code < 0:
        return 'lost', f'the process of the nodes was killed ({_signal_name(-code)})'
    return 'failed', error or f'the process of the nodes ended with exit code {code}'
