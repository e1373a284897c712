# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A program of a student's as a process within limits; its output is kept."""

from __future__ import annotations

from collections import deque
import contextlib
import ctypes
import json
import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import threading
import time
from typing import NamedTuple

LOG_NAME = 'output.txt'
FILE_SIZE = 200.0
"""Largest file that a program may write [MB]."""
MOST_OUTPUT = 1_000_000
"""Bytes of its output that are kept."""

_CONFINE = Path(__file__).with_name('confine.py')
_PATIENCE = 2.0
_PR_SET_CHILD_SUBREAPER = 36
_ERROR = re.compile(r'^(?:[\w.]*(?:Error|Exception|Interrupt|Exit)\b|confine: ).*')
_LONGEST = 300

# All else of the environment, as tokens of whoever runs the grader, is none of a student's.
_PASSED_ON = re.compile(
    r'PATH|LANG|LC_\w+|TZ|PYTHONPATH|VIRTUAL_ENV|LD_LIBRARY_PATH|AMENT_\w+|CMAKE_PREFIX_PATH'
    r'|COLCON_\w+|SIM_WS|ROS_\w+|RMW_\w+|RCUTILS_\w+|FAST(?:RTPS|DDS)_\w+|CYCLONEDDS_\w+')


class Limits(NamedTuple):
    """Of one process: memory [MB] and processor time [s]."""

    memory: float
    processor_time: float


class Command(NamedTuple):
    """Words of a command, and folders that go before PYTHONPATH and AMENT_PREFIX_PATH."""

    words: tuple[str, ...]
    python_path: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()


def environment_of(command: Command, home: Path) -> dict[str, str]:
    """Environment of a program whose home, and whose only place to write, is a folder."""
    kept = {name: value for name, value in os.environ.items() if _PASSED_ON.fullmatch(name)}
    for name, folders in (('PYTHONPATH', command.python_path),
                          ('AMENT_PREFIX_PATH', command.prefixes)):
        kept[name] = os.pathsep.join(filter(None, (*folders, kept.get(name, ''))))
    place = str(home)
    return {**kept, 'HOME': place, 'TMPDIR': place, 'ROS_HOME': place, 'ROS_LOG_DIR': place,
            'XDG_CACHE_HOME': place, 'MPLCONFIGDIR': place, 'MPLBACKEND': 'Agg',
            'NUMBA_CACHE_DIR': place, 'PYTHONUNBUFFERED': '1', 'PYTHONDONTWRITEBYTECODE': '1'}


class Program:
    """A running program; name: for people."""

    def __init__(
        self, name: str, command: Command, home: Path, limits: Limits, folder: Path | None = None,
    ) -> None:
        """Start it; home: the folder that it may write in; folder: where it starts, else there.

        Its output goes beside home, into NAME_output.txt.
        """
        home.mkdir(parents=True, exist_ok=True)
        self.name = name
        settings = {'folder': str(folder or home), 'writable': [str(home)],
                    'memory': limits.memory, 'file_size': FILE_SIZE,
                    'processor_time': limits.processor_time}
        self._others = adopt_orphans()
        self._process = subprocess.Popen(
            [sys.executable, '-I', str(_CONFINE), json.dumps(settings), *command.words],
            env=environment_of(command, home), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
        self._tail: deque[str] = deque(maxlen=60)
        # Beside its home, where it cannot make a link of it that leads elsewhere.
        self._log = home.parent / f'{name}_{LOG_NAME}'
        self.is_cut = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        left = MOST_OUTPUT
        with open(self._log, 'wb') as log:
            # A line without an end must not fill the memory.
            while chunk := self._process.stdout.readline(8192):
                self._tail.append(_shown(chunk))
                if left > 0:
                    log.write(chunk[:left])
                    log.flush()
                left -= len(chunk)
                self.is_cut = left < 0

    @property
    def code(self) -> int | None:
        """Exit code, negative for the signal that ended it; None while it runs."""
        return self._process.poll()

    def why(self) -> str:
        """How it ended, in one line with its error."""
        code = self.code
        if code is None:
            return f'{self.name} runs'
        self._reader.join(1.0)
        lines = [line for line in self._tail if line.strip()]
        found = next((line for line in reversed(lines) if _ERROR.match(line)), '')
        last = found or (lines[-1] if lines else 'it printed nothing')
        if code == -signal.SIGXCPU:
            return f'{self.name} was ended: it used more processor time than it may'
        if code == -signal.SIGXFSZ:
            return f'{self.name} was ended: it wrote a file of more than {FILE_SIZE:g} MB'
        if code < 0:
            with contextlib.suppress(ValueError):
                return f'{self.name} was ended by {signal.Signals(-code).name}: {last}'
        return f'{self.name} ended with exit code {code}: {last}'

    def end(self) -> None:
        """End it and all that it has started."""
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_PATIENCE)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        end_descendants(self._others)
        self._reader.join(_PATIENCE)


def _shown(line: bytes) -> str:
    """Line of an output for people: control characters would steer their terminal."""
    text = line.decode(errors='replace').rstrip()[:_LONGEST]
    return ''.join(sign if sign.isprintable() else ' ' for sign in text)


def adopt_orphans() -> frozenset[int]:
    """Become the parent of what outlives its parent among the descendants of this process.

    Returns the descendants that there are, for end_descendants().
    """
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return frozenset(_descendants(os.getpid()))


def end_descendants(spared: frozenset[int]) -> None:
    """Kill the processes that descend from this one, also those in sessions of their own.

    spared: process numbers of others. What this process has started since is killed, too.
    """
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        found = [number for number in _descendants(os.getpid()) if number not in spared]
        for number in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        for number in found:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(number, os.WNOHANG)
        if not found:
            return
        time.sleep(0.005)


def _descendants(root: int) -> list[int]:
    parents: dict[int, int] = {}
    for path in Path('/proc').glob('[0-9]*/stat'):
        with contextlib.suppress(OSError, ValueError, IndexError):
            text = path.read_text(errors='replace')
            fields = text.rpartition(')')[2].split()
            parents[int(path.parent.name)] = int(fields[1])
    found, level = [], {root}
    while level:
        level = {number for number, parent in parents.items() if parent in level}
        found += sorted(level)
    return found


def run_confined(
    name: str, command: Command, home: Path, limits: Limits, folder: Path, patience: float,
) -> str:
    """Run a program to its end; why it failed, empty if it did not.

    patience: seconds after which it is ended.
    """
    program = Program(name, command, home, limits, folder)
    try:
        deadline = time.monotonic() + patience
        while program.code is None and time.monotonic() < deadline:
            time.sleep(0.02)
        if program.code is None:
            return f'{name} took more than {patience:g} s'
        return program.why() if program.code else ''
    finally:
        program.end()
