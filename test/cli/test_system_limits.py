# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the system refuses to a command is told in one line."""

import errno
import subprocess
import sys

import numpy as np
import pytest

from racecar.base.errors import ConfigurationError
from racecar.cli import parameters, reproduce
from racecar.cli.main import main
from racecar.rendering.film import Film, write_still

COMMAND = [sys.executable, '-m', 'racecar.cli.main', 'parameters', 'trajectory_tracker']


def test_a_full_disk_behind_stdout_is_told_in_one_line():
    with open('/dev/full', 'w') as full:
        ended = subprocess.run(
            COMMAND, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr == 'racecar parameters: error: No space left on device\n'


def test_a_closed_stdout_is_no_error():
    ended = subprocess.run(['/bin/sh', '-c', '"$@" >&-', 'sh', *COMMAND], stderr=subprocess.PIPE,
                           text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, '')


@pytest.mark.parametrize(('error', 'told'), [
    (MemoryError(), 'memory or threads of this process do not suffice'),
    (RuntimeError("can't start new thread"), 'memory or threads of this process do not suffice'),
    (OSError(errno.EMFILE, 'Too many open files', '/a/b'), "'/a/b': Too many open files"),
    (OSError(errno.EROFS, 'Read-only file system'), 'Read-only file system'),
    (OSError('Could not load libx.so. It may mean.'), 'Could not load libx.so; do the limits')])
def test_what_the_system_refuses_is_one_line(monkeypatch, capsys, error, told):
    def fail(_):
        raise error

    monkeypatch.setattr(parameters, 'run', fail)
    assert main(['parameters', 'trajectory_tracker']) == 1
    line, = capsys.readouterr().err.splitlines()
    assert line.startswith(f'racecar parameters: error: {told}')


@pytest.mark.parametrize('error', [RuntimeError('a bug'), FileNotFoundError(2, 'of the program')])
def test_an_error_of_the_program_keeps_its_traceback(monkeypatch, error):
    def fail(_):
        raise error

    monkeypatch.setattr(reproduce, 'run', fail)
    with pytest.raises(type(error)):
        main(['reproduce'])


class Writer:
    """Writes a file at the end, and is interrupted there."""

    def __init__(self, path, **_):
        self.path = path

    def append_data(self, pixels):
        """Take a picture."""

    def close(self):
        """Be interrupted."""
        self.path.write_bytes(b'half')
        raise KeyboardInterrupt


def test_nothing_is_left_of_a_video_that_is_interrupted_while_it_is_written(
        tmp_path, monkeypatch):
    monkeypatch.setattr('imageio.v2.get_writer', Writer)
    with pytest.raises(KeyboardInterrupt), Film(tmp_path / 'a.gif', 10.0) as film:
        film.add(np.zeros((4, 4, 3), np.uint8))
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_file_system_is_told_in_one_line(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EROFS, 'Read-only file system')

    monkeypatch.setattr('PIL.Image.Image.save', refuse)
    monkeypatch.setattr('pathlib.Path.unlink', refuse)
    with pytest.raises(ConfigurationError, match='cannot be written: .*Read-only file system'):
        write_still(tmp_path / 'a.png', np.zeros((4, 4, 3), np.uint8))
