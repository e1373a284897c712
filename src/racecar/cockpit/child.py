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
import subprocess
import sys
from typing import Any

_TAIL = 40
_LONGEST_LINE = 500
# It closes its bag and its nodes meanwhile; then it is killed [s].
_PATIENCE = 8.0
# As the command does: signals are handled before the slow imports.
_MAIN = 'import sys; from racecar.executables import command; sys.exit(command())'
_NODES = 'racecar.nodes'
# Keys that end the server do not end it.
_APART: dict[str, Any] = {'start_new_session': True}
if sys.platform == 'win32':
    _APART = {'creationflags': subprocess.CREATE_NEW_PROCESS_GROUP}
_ERROR = re.compile(r'racecar \w+: error: ')


class Child:
    """A process of this Python, in a session of its own, so that Ctrl-C spares it.

    streams: its standard input and output, where they are piped.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.streams = process.stdin, process.stdout
        self._tail: deque[str] = deque(maxlen=_TAIL)
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, arguments: Sequence[str]) -> Child:
        """Start `racecar ARGUMENTS`."""
        return await cls._start(['-c', _MAIN, *arguments], asyncio.subprocess.DEVNULL)

    @classmethod
    async def start_node(cls, arguments: Sequence[str]) -> Child:
        """Start a node; arguments: its name, and those for ROS."""
        return await cls._start(['-m', _NODES, *arguments], asyncio.subprocess.DEVNULL)

    @classmethod
    async def start_module(cls, module: str) -> Child:
        """Start a module with piped streams."""
        return await cls._start(['-m', module], asyncio.subprocess.PIPE)

    @classmethod
    async def _start(cls, words: Sequence[str], streams: int) -> Child:
        return cls(await asyncio.create_subprocess_exec(
            sys.executable, *words, stdin=streams, stdout=streams, stderr=asyncio.subprocess.PIPE,
            env={**os.environ, 'PYTHONUNBUFFERED': '1'}, **_APART))

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

    @property
    def has_ended(self) -> bool:
        """Whether it is over."""
        return self._process.returncode is not None

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
        for stop, patience in (
                (self._process.terminate, _PATIENCE), (self._process.kill, None)):
            if self._process.returncode is not None:
                break
            with contextlib.suppress(ProcessLookupError):
                stop()
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
        return 'lost', f'the process that ran it was killed ({_signal_name(-code)})'
    return 'failed', error or f'the process that ran it ended with exit code {code}'
