# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes as processes of their own, ended without fail."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile

from racecar.base.share import share_folder

DEADLINE = 60.0

VEHICLE = ('--params-file', str(share_folder() / 'config' / 'vehicles' / 'racecar.yaml'))


class NodeProcess:
    """`python -m racecar.nodes EXECUTABLE --ros-args ...`, a context manager."""

    def __init__(self, executable, *arguments, **environment):
        self.executable = executable
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        path = os.pathsep.join(
            filter(None, [str(share_folder() / 'src'), os.environ.get('PYTHONPATH')]))
        self.process = subprocess.Popen(
            [sys.executable, '-m', 'racecar.nodes', executable, '--ros-args',
             *map(str, arguments)],
            env={**os.environ, 'PYTHONPATH': path, 'PYTHONFAULTHANDLER': '1', **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=self._stderr)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self._stderr.close()

    def send_signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        """End it as `kill -9` does."""
        self.process.kill()
        self.process.wait(DEADLINE)

    def wait(self):
        """Wait for its end and return the exit code; a process that hangs says where."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(DEADLINE)
        self.process.send_signal(signal.SIGABRT)
        self.process.wait(DEADLINE)
        raise AssertionError(f'{self.executable} did not end; its threads:\n{self.stderr}')

    @property
    def has_ended(self):
        return self.process.poll() is not None

    @property
    def stderr(self):
        self._stderr.seek(0)
        return self._stderr.read().decode()
