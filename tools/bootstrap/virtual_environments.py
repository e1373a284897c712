# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Virtual environments with exactly what a lock file pins."""

import os
import re
import shutil
from typing import Dict, Sequence

from . import paths
from .checks import choose_python, Version
from .environments import Environment, without_ros
from .errors import SetupError
from .processes import run_logged
from .stamps import digest, read_stamp, RECIPE, remove, write_stamp
from .terminal import Progress

DISK_NEEDED = 2 * 1024**3


class VirtualEnvironment:
    """A virtual environment below .racecar and the lock file that it is made from."""

    STEPS = 2

    def __init__(self, name: str) -> None:
        self.folder = paths.STATE / f'venv-{name}'
        self.lock_file = paths.REQUIREMENTS / f'{name}.lock'
        self.stamp = self.folder / 'ready.json'

    @property
    def python(self) -> str:
        """The Python in it."""
        return str(self.folder / 'bin' / 'python3')

    def key(self) -> str:
        """Return the hash of all that it depends on."""
        return digest([RECIPE, str(paths.ROOT), self.lock_file.read_text(encoding='utf-8')])

    def ready(self) -> bool:
        """Tell whether it is complete and of the present lock file."""
        stamp = read_stamp(self.stamp)
        # The link moves when the distribution's Python is upgraded.
        return (
            stamp.get('key') == self.key()
            and stamp.get('python') == os.path.realpath(self.python)
            and os.path.exists(self.python)
        )

    def finish(self, key: str) -> None:
        """Note that it is complete, for the key of when it was begun."""
        write_stamp(self.stamp, {'key': key, 'python': os.path.realpath(self.python)})

    def make(self, versions: Sequence[Version], progress: Progress, lock: int) -> None:
        """Make it anew from one of these versions of Python; finish() remains to be called."""
        base = choose_python(versions)
        free = shutil.disk_usage(str(paths.STATE)).free
        if free < DISK_NEEDED:
            raise SetupError(f'{free / 1e9:.1f} GB are free on the disk of {paths.STATE}; '
                             f'{DISK_NEEDED / 1e9:.1f} GB are needed')
        remove(self.folder)
        environment = without_ros(dict(os.environ))
        environment.pop('VIRTUAL_ENV', None)
        # A personal setting that pip refuses in a virtual environment.
        environment['PIP_USER'] = '0'
        progress.step(f'making a virtual environment in .racecar/{self.folder.name}')
        run_logged([base, '-m', 'venv', str(self.folder)], 'venv.log', environment, lock)
        progress.done()
        self._install(progress, environment, lock)

    def _install(self, progress: Progress, environment: Environment, lock: int) -> None:
        # Read once: the file may change while pip works.
        blocks = requirement_blocks(self.lock_file.read_text(encoding='utf-8'))
        total = len(blocks)
        progress.step(f'installing {total} wheels')
        pip = [
            self.python, '-m', 'pip', 'install', '--require-hashes', '--no-deps',
            '--no-build-isolation', '--disable-pip-version-check', '--no-input',
            '--progress-bar', 'off', '--requirement',
        ]
        # First what builds the one source package in the list: pip would otherwise
        # fetch a builder that no hash pins.
        first = paths.STATE / 'first.lock'
        builders = [blocks[name] for name in ('setuptools', 'packaging') if name in blocks]
        first.write_text(''.join(builders), encoding='utf-8')
        run_logged([*pip, str(first)], 'pip-first.log', environment, lock)
        remove(first)

        seen = set()

        def on_output(line: str) -> None:
            name = named_wheel(line)
            if name:
                seen.add(name)

        def on_tick() -> None:
            # Half the bar for the downloads, half for unpacking.
            unpacked = sum(1 for _ in self.folder.glob('lib/python3.*/site-packages/*.dist-info'))
            progress.update(len(seen) + unpacked, 2 * total,
                            f'{len(seen)} fetched, {unpacked} unpacked')

        run_logged(
            [*pip, str(self.lock_file)], 'pip.log', environment, lock, on_output, on_tick)
        progress.done()


def named_wheel(line: str) -> str:
    """Return the package that a line of pip's output begins with, empty if it names none.

    Wheels of an index that is a folder are `Processing FOLDER/NAME-VERSION-...`.
    """
    found = (
        re.match(r'(?:Collecting|Ignoring|Requirement already satisfied:) ([\w.-]+)', line)
        or re.match(r'Processing (?:.*/)?(\w[\w.]*)-[^/]*\.(?:whl|tar\.gz)', line))
    return re.sub('[-_.]+', '-', found.group(1)).lower() if found else ''


def requirement_blocks(lock_text: str) -> Dict[str, str]:
    """Split a lock file into {name: its lines}; several versions of one name stay together."""
    blocks: Dict[str, str] = {}
    name = ''
    for line in lock_text.splitlines(keepends=True):
        start = re.match(r'([A-Za-z0-9][\w.-]*)==', line)
        if start:
            name = start.group(1).lower()
        if name:
            blocks[name] = blocks.get(name, '') + line
    return blocks
