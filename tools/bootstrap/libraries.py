# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""No ROS 2: core and command line with the Python packages of Ubuntu 24.04."""

import os
from typing import Optional

from . import paths
from .environments import Environment, joined, without_ros
from .terminal import Progress
from .virtual_environments import VirtualEnvironment
from .workspaces import Preparation

# Those for which there are wheels of that age.
PYTHON_VERSIONS = ((3, 11), (3, 12))


class Libraries(Preparation):
    """What racecar needs from Python, and no ROS 2."""

    def __init__(self) -> None:
        self.venv = VirtualEnvironment('noble')

    def environment(self) -> Optional[Environment]:
        if not self.venv.ready():
            return None
        result = without_ros(dict(os.environ))
        result.update({
            'VIRTUAL_ENV': str(self.venv.folder),
            'PATH': joined([str(self.venv.folder / 'bin'), str(paths.ROOT / 'bin')],
                           result.get('PATH', os.defpath)),
            'PYTHONPATH': joined([str(paths.ROOT / 'src')], result.get('PYTHONPATH', '')),
            # Machine code of one version of Numba would drive out that of the other.
            'NUMBA_CACHE_DIR': str(self.venv.folder / 'numba'),
            # Marks the environment as ours, so that ./run inside ./run stays here.
            'RACECAR_ROS': 'none',
        })
        return result

    def steps(self) -> int:
        return self.venv.STEPS

    def make(self, progress: Progress, lock: int) -> None:
        key = self.venv.key()
        self.venv.make(PYTHON_VERSIONS, progress, lock)
        self.venv.finish(key)
