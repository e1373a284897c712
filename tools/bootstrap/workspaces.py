# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The colcon workspace that is built on top of a ROS 2."""

from pathlib import Path
import shutil
from typing import Dict, List, Optional

from . import paths
from .checks import check_compiler, path_problem
from .environments import additions, Environment, repair_shebangs, with_additions
from .errors import SetupError
from .processes import exclusive, run_logged
from .stamps import interface_key, package_key, read_stamp, remove, write_stamp
from .terminal import Progress


class Preparation:
    """Something prepared below .racecar in which commands run."""

    def environment(self) -> Optional[Environment]:
        """Return the complete environment, or None if something must be made first."""
        raise NotImplementedError

    def steps(self) -> int:
        """Return the number of steps that make() announces."""
        raise NotImplementedError

    def make(self, progress: Progress, lock: int) -> None:
        """Make what is missing."""
        raise NotImplementedError

    def prepare(self) -> Environment:
        """Return the complete environment, making what is missing."""
        ready = self.environment()
        if ready is not None:
            return ready
        with exclusive() as lock:
            # Someone else may have done it while we waited.
            ready = self.environment()
            if ready is not None:
                return ready
            self.make(Progress(self.steps()), lock)
        ready = self.environment()
        if ready is None:
            raise SetupError('the sources changed during the build: run this again')
        return ready


class Workspace(Preparation):
    """The colcon workspace under .racecar and the ROS 2 it is built against."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.folder = paths.STATE / name
        self.stamp = self.folder / 'ready.json'

    def base_key(self) -> str:
        """Identify the ROS 2 underneath."""
        raise NotImplementedError

    def base_ready(self) -> bool:
        """Tell whether the ROS 2 underneath is in place."""
        return True

    def base_steps(self) -> int:
        """Return the number of steps that make_base announces."""
        return 0

    def make_base(self, progress: Progress, lock: int) -> None:
        """Put the ROS 2 underneath in place."""

    def base_environment(self) -> Environment:
        """Return the environment of the ROS 2 underneath."""
        raise NotImplementedError

    def provides(self, package: str) -> bool:
        """Tell whether the ROS 2 underneath has a package."""
        raise NotImplementedError

    def python(self) -> str:
        """Return the Python that nodes run with."""
        raise NotImplementedError

    def sources(self) -> List[Path]:
        """Return the interface packages to build, the underlay's only where it is needed."""
        wanted = [
            paths.ROOT / 'underlay' / name for name in paths.UNDERLAY if not self.provides(name)]
        return wanted + [paths.ROOT / name for name in paths.INTERFACES]

    def keys(self) -> Dict[str, str]:
        """Return the present hashes of everything that the workspace is made of."""
        return {
            'interfaces': interface_key(self.sources(), self.base_key()),
            'package': package_key(),
        }

    def environment(self) -> Optional[Environment]:
        if not self.base_ready():
            return None
        stamp = read_stamp(self.stamp)
        if any(stamp.get(name) != key for name, key in self.keys().items()):
            return None
        return with_additions(self.base_environment(), stamp['additions'])

    def steps(self) -> int:
        return 1 + (0 if self.base_ready() else self.base_steps())

    def make(self, progress: Progress, lock: int) -> None:
        problem = path_problem(str(paths.ROOT))
        if problem:
            raise SetupError(problem)
        if not self.base_ready():
            self.make_base(progress, lock)
        self.build(progress, lock)

    def build(self, progress: Progress, lock: int) -> None:
        """Build with colcon; the stamp comes last, and without it all is built anew."""
        keys = self.keys()
        stamp = read_stamp(self.stamp)
        remove(self.stamp)
        packages = [*self.sources(), paths.ROOT]
        if stamp.get('interfaces') == keys['interfaces']:
            packages = [paths.ROOT]
            for base in ('build', 'install'):
                remove(self.folder / base / paths.PACKAGE)
        else:
            check_compiler()
            remove(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        total = len(packages)
        progress.step(f'building {total} package{"s" if total > 1 else ""}')
        finished: List[str] = []

        def on_output(line: str) -> None:
            if line.startswith('Finished <<<'):
                finished.append(line.split()[2])
                progress.update(len(finished), total, finished[-1])

        environment = self.base_environment()
        # Personal defaults for colcon must not change this build.
        environment['COLCON_HOME'] = str(self.folder / 'colcon_home')
        environment.pop('COLCON_DEFAULTS_FILE', None)
        run_logged(
            self._colcon_command(packages, environment), f'build-{self.name}.log', environment,
            lock, on_output,
        )
        repair_shebangs(self.folder / 'install' / paths.PACKAGE / 'lib' / paths.PACKAGE)
        added = additions(
            self.folder / 'install' / 'local_setup.bash', str(Path(self.python()).parent))
        write_stamp(self.stamp, {**keys, 'additions': added})
        progress.done()

    def _colcon_command(self, packages: List[Path], environment: Environment) -> List[str]:
        colcon = shutil.which('colcon', path=environment['PATH'])
        if colcon is None:
            raise SetupError('colcon is not on PATH: sudo apt install python3-colcon-ros '
                             'python3-colcon-common-extensions')
        ninja = shutil.which('ninja', path=environment['PATH'])
        return [
            colcon, '--log-base', str(self.folder / 'log'), 'build',
            '--base-paths', *map(str, packages),
            '--build-base', str(self.folder / 'build'),
            '--install-base', str(self.folder / 'install'),
            '--symlink-install',
            '--cmake-args', *(['-GNinja'] if ninja else []),
            f'-DPython3_EXECUTABLE={self.python()}', '-DBUILD_TESTING=OFF',
            '-DCMAKE_BUILD_TYPE=Release', '-Wno-dev',
        ]
