# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands with their output in a log, ended without fail, and one set-up at a time."""

import contextlib
import fcntl
import os
from pathlib import Path
import selectors
import signal
import subprocess
from typing import Callable, Iterator, List

from . import paths
from .environments import Environment
from .errors import SetupError
from .terminal import say

# Text in a log -> what the user can do about it.
HINTS = (
    ('no space left', 'the disk is full'),
    ('do not match the hashes', 'a download differs from the lock file in requirements: a proxy '
     'or mirror may serve other files'),
    ('name resolution', 'the package index cannot be reached: is there a network?'),
    ('failed to establish a new connection', 'the package index cannot be reached: is there a '
     'network?'),
    ('network is unreachable', 'the package index cannot be reached: is there a network?'),
    ('proxyerror', 'the proxy refused: look at HTTPS_PROXY'),
    ('timed out', 'the package index did not answer in time: try again'),
    ('python.h', 'the Python headers are missing: sudo apt install python3-dev'),
    ('killed signal', 'the compiler was stopped, probably for lack of memory'),
)


def hint_for(log_text: str) -> str:
    """Return advice for a log that ended badly, or an empty text."""
    lowered = log_text.lower()
    return next((advice for sign, advice in HINTS if sign in lowered), '')


def stop_group(process: 'subprocess.Popen[bytes]') -> None:
    """End a child and all it started: politely, then for certain."""
    for number, patience in ((signal.SIGINT, 5.0), (signal.SIGKILL, 5.0)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
    # The leader may be gone before its children are.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def run_logged(
    command: List[str],
    log_name: str,
    environment: Environment,
    lock: int,
    on_output: Callable[[str], None] = lambda line: None,
    on_tick: Callable[[], None] = lambda: None,
) -> None:
    """Run a command with its output in a log file.

    Args:
        command: program and arguments
        log_name: name of the file under .racecar/logs
        environment: environment of the child
        lock: descriptor that the child holds too, so that the lock outlives
            this process for as long as something still writes
        on_output: called with each line
        on_tick: called a few times a second

    Raises:
        SetupError: the command failed; names the log
    """
    paths.LOGS.mkdir(parents=True, exist_ok=True)
    log = paths.LOGS / log_name
    with log.open('wb') as sink:
        sink.write(('$ ' + ' '.join(command) + '\n').encode())
        sink.flush()
        # A session of its own: Ctrl-C reaches this script, which then ends the whole group.
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=str(paths.STATE),
            start_new_session=True,
            pass_fds=(lock,),
        )
        try:
            assert process.stdout is not None
            for line in _lines(process.stdout.fileno(), on_tick):
                sink.write(line)
                sink.flush()
                on_output(line.decode(errors='replace').rstrip())
            code = process.wait()
        except BaseException:
            stop_group(process)
            raise
    if code:
        lines = log.read_text(errors='replace').splitlines()
        advice = hint_for('\n'.join(lines))
        tail = '\n'.join('    ' + line for line in lines[-12:])
        raise SetupError(
            f'{Path(command[0]).name} failed with code {code}'
            + (f': {advice}' if advice else '')
            + f'\n{tail}\nthe whole log: {log}'
        )


def _lines(descriptor: int, on_tick: Callable[[], None]) -> Iterator[bytes]:
    """Yield the lines of a pipe, calling on_tick while waiting."""
    pending = b''
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while True:
            on_tick()
            if not selector.select(0.3):
                continue
            chunk = os.read(descriptor, 65536)
            if not chunk:
                break
            *complete, pending = (pending + chunk).split(b'\n')
            for line in complete:
                yield line + b'\n'
    if pending:
        yield pending


@contextlib.contextmanager
def exclusive() -> Iterator[int]:
    """Let one set-up at a time work on this clone."""
    try:
        paths.STATE.mkdir(exist_ok=True)
        descriptor = os.open(str(paths.STATE / 'lock'), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise SetupError(
            f'{paths.STATE} cannot be written: {error.strerror}; use a clone of your own, or let'
            ' its owner run it'
        ) from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say('another ./run is preparing this clone: waiting for it ...')
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)
