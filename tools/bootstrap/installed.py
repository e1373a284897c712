# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A ROS 2 installation that the user has sourced."""

import os
from pathlib import Path
import shutil
import sys
from typing import List

from . import paths
from .checks import missing_modules
from .environments import Environment
from .errors import SetupError
from .stamps import digest, RECIPE
from .terminal import Progress
from .workspaces import Workspace

# Imported by racecar, absent from the apt packages of a ROS installation.
PIP_ONLY = ('rosbags', 'mcap', 'zstandard')


class Installed(Workspace):
    """A ROS 2 installation that the user has sourced."""

    def __init__(self) -> None:
        self.distro = os.environ['ROS_DISTRO']
        super().__init__(f'ros-{self.distro}')

    def _prefixes(self) -> List[str]:
        ours = str(self.folder)
        listed = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
        return [prefix for prefix in listed if prefix and not prefix.startswith(ours)]

    def base_key(self) -> str:
        return digest(
            [RECIPE, str(paths.ROOT), self.distro, self.python(), *self._prefixes()])

    def base_environment(self) -> Environment:
        return {**os.environ, 'RACECAR_ROS': 'installed'}

    def provides(self, package: str) -> bool:
        return any(
            (Path(prefix) / 'share' / package / 'package.xml').exists()
            for prefix in self._prefixes()
        )

    def python(self) -> str:
        return shutil.which('python3') or sys.executable

    def build(self, progress: Progress, lock: int) -> None:
        missing = missing_modules(self.python(), PIP_ONLY)
        if missing:
            raise SetupError(
                f'{self.python()} cannot import {", ".join(missing)}, which no ROS package '
                'brings. Either\n'
                '    rosdep install --ignore-src -y --from-paths .\n'
                'or, in a virtual environment made with --system-site-packages,\n'
                f'    pip install {" ".join(missing)}'
            )
        super().build(progress, lock)
