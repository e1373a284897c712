# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A terminal for tests: what a person would type and see."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

from racecar.base.share import share_folder

DEADLINE = 60.0


class PseudoTerminal:
    """Both ends of a terminal; a context manager."""

    def __init__(self, columns=100, rows=30):
        self._person, self.device = pty.openpty()
        self.path = os.ttyname(self.device)
        self.resize(columns, rows)
        self.attributes = termios.tcgetattr(self.device)
        self.seen = b''
        self.processes = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait(DEADLINE)
        os.close(self._person)
        os.close(self.device)

    def resize(self, columns, rows):
        fcntl.ioctl(self.device, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

    def start(self, *arguments, **options):
        """Start a Python process in a session of its own, of which this is the terminal."""
        path = os.pathsep.join(
            filter(None, [str(share_folder() / 'src'), os.environ.get('PYTHONPATH')]))
        process = subprocess.Popen(
            [sys.executable, *arguments], stdin=self.device, stdout=self.device,
            stderr=self.device, start_new_session=True, env={**os.environ, 'PYTHONPATH': path},
            preexec_fn=_take_terminal, **options)
        self.processes.append(process)
        return process

    def type(self, text):
        os.write(self._person, text if isinstance(text, bytes) else text.encode())

    def read(self, patience=0.0):
        """Take in what has been written on the terminal since."""
        while select.select([self._person], [], [], patience)[0]:
            try:
                self.seen += os.read(self._person, 65536)
            except OSError:
                return
            patience = 0.0

    @property
    def is_restored(self):
        return termios.tcgetattr(self.device) == self.attributes

    def until(self, condition, what):
        """Read on until a condition holds."""
        end = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < end, f'{what} did not come; seen: {self.seen[-3000:]!r}'
            self.read(0.02)

    def until_seen(self, text, after=0):
        """Read on until a text is written behind a place; return the place behind it."""
        data = text.encode()
        self.until(lambda: data in self.seen[after:], text)
        return self.seen.index(data, after) + len(data)

    def wait(self, process):
        """Read on until a process ends; return its exit code."""
        self.until(lambda: process.poll() is not None, 'the end')
        self.read()
        return process.returncode


def _take_terminal():
    # Who runs the tests in the background may have them ignored, and they are inherited.
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def stopped(process):
    """Tell whether a process is suspended."""
    with open(f'/proc/{process.pid}/stat', encoding='ascii') as file:
        return file.read().rpartition(')')[2].split()[0] == 'T'


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)
