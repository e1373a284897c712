# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 packages in a student's folder, made ready to run from a copy of their sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import configparser
import fnmatch
import json
import os
from pathlib import Path
import re
import shutil
import sys
from typing import NamedTuple
import xml.etree.ElementTree as ElementTree

from racecar.base.errors import ConfigurationError
from racecar.base.parameters import suggestion
from racecar.courses.program import Command, Limits, run_confined
from racecar.courses.sources import copy_sources, text_of

_IGNORED = ('.git', '.github', '__pycache__', 'build', 'install', 'log', '*.db3', '*.mcap',
            '*.bag', '*.mp4', '*.egg-info')
_START = Path(__file__).with_name('start_node.py')
_SETUP_PATIENCE, _BUILD_PATIENCE = 120.0, 900.0
_NODE = 'rclpy'
# Of packages and executables; what becomes a part of paths leads nowhere else.
_NAME = re.compile(r'\w[\w.+-]*')
_MARKERS = 'COLCON_IGNORE', 'AMENT_IGNORE'
_MANIFEST = 'package.xml'


class Prepared(NamedTuple):
    """A student's folder, ready to run.

    folder: the copy. executables: command by name. faults: what could not be made ready, a line
    each.
    """

    folder: Path
    executables: dict[str, Command]
    faults: tuple[str, ...]

    def find(self, wanted: Sequence[str]) -> tuple[str, Command]:
        """Executable of the first name or pattern that there is one of.

        Raises ConfigurationError that says what there is.
        """
        for pattern in wanted:
            for name in sorted(self.executables):
                if fnmatch.fnmatchcase(name, pattern):
                    return name, self.executables[name]
        known = ', '.join(sorted(self.executables)) or 'none at all'
        faults = ''.join(f'; {fault}' for fault in self.faults)
        raise ConfigurationError(
            f"no executable is called {' or '.join(wanted)}; there are {known}"
            f'{suggestion(wanted[0], list(self.executables))}{faults}')

    def lay_out(self, home: Path) -> None:
        """Make a folder, where programs start, look like a workspace, with the copy as its src.

        Programs read src/PACKAGE/FILE, as they are started from their workspace.
        """
        place = home / 'src'
        if (self.folder / _MANIFEST).is_file():
            place /= _name_of(self.folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(os.path.relpath(self.folder, place.parent))

    def find_file(self, pattern: str) -> Path | None:
        """First file of a pattern, the one least deep; None if there is none."""
        found = sorted(self.folder.rglob(pattern), key=lambda path: (len(path.parts), path))
        return found[0] if found else None


def prepare(
    folder: Path, work: Path, python: str, memory: float, *, dynamic_parameters: bool = False,
) -> Prepared:
    """Copy a student's folder and find its executables.

    Python packages run from their sources: setup.py tells the names and puts its data files where
    ament finds them. Python files with nodes in any other folder run as they are. What is left is
    built by colcon, where that is installed. setup.py and builds are a student's code, too: they
    run within the same limits. dynamic_parameters: see racecar.courses.start_node. Raises
    ConfigurationError for a folder that cannot be read.
    """
    copy, prefix = work / 'src', work / 'prefix'

    def words(name: str, target: str) -> tuple[str, ...]:
        return (python, str(_START), json.dumps({
            'name': name, 'target': target, 'dynamic_parameters': dynamic_parameters}))

    copy_sources(folder, copy, _IGNORED)
    limits = Limits(memory, _BUILD_PATIENCE)
    faults: list[str] = []
    executables: dict[str, Command] = {}
    prefixes = (str(prefix),)
    packages = list(_packages(copy))
    python_packages = [package for package in packages if _is_python(package)]
    python_path = tuple(str(path) for path in packages if (path / 'setup.py').is_file())
    for package in python_packages:
        fault = run_confined(
            'setup.py', Command((python, 'setup.py', '-q', 'egg_info', 'build_ext', '--inplace',
                                 'install_data', '--install-dir', str(prefix))),
            work, limits, package, _SETUP_PATIENCE)
        if fault:
            faults.append(f'{package.relative_to(copy)}: {fault}')
        for name, target in _scripts(package):
            executables.setdefault(name, Command(words(name, target), python_path, prefixes))
    for path in _node_files(copy):
        roots = (str(path.parent), *(str(package) for package in packages
                                     if path.is_relative_to(package)))
        executables.setdefault(path.stem, Command(
            words(path.stem, str(path)), tuple(dict.fromkeys((*python_path, *roots))), prefixes))
    built = [package for package in packages if package not in python_packages
             and (package / 'CMakeLists.txt').is_file()]
    if built:
        fault = _build(built, copy, work, limits, executables)
        if fault:
            faults.append(fault)
    return Prepared(copy, executables, tuple(faults))


def _packages(folder: Path) -> Iterator[Path]:
    """Folders with a package.xml, none within another, each name once."""
    names = set()
    for place, folders, files in os.walk(folder):
        folders.sort()
        if any(marker in files for marker in _MARKERS):
            folders.clear()
        elif _MANIFEST in files:
            folders.clear()
            path = Path(place)
            name = _name_of(path)
            if name not in names:
                names.add(name)
                yield path


def _manifest(package: Path) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(text_of(package / _MANIFEST))
    except (ElementTree.ParseError, ValueError):
        return ElementTree.Element('package')


def _name_of(package: Path) -> str:
    name = _manifest(package).findtext('name', '').strip()
    return name if _NAME.fullmatch(name) else package.name


def _is_python(package: Path) -> bool:
    """Whether setup.py installs a package; the labs of F1TENTH have one that CMake ignores."""
    build_type = _manifest(package).findtext('export/build_type', '').strip()
    return build_type != 'ament_cmake' and (package / 'setup.py').is_file()


def _scripts(package: Path) -> Iterator[tuple[str, str]]:
    """Names and targets of the console scripts that setup.py has told."""
    for path in sorted(package.glob('*.egg-info/entry_points.txt')):
        found = configparser.ConfigParser(delimiters=('=',), interpolation=None)
        # Names of scripts may have capitals.
        found.optionxform = str  # type: ignore[assignment,method-assign]
        try:
            found.read_string(text_of(path))
        except configparser.Error:
            continue
        if found.has_section('console_scripts'):
            # Files of the grader are called by them.
            yield from (item for item in found.items('console_scripts')
                        if _NAME.fullmatch(item[0]))


def _node_files(folder: Path) -> Iterator[Path]:
    """Python files that are programs with nodes."""
    for path in sorted(folder.rglob('*.py'), key=lambda found: (len(found.parts), found)):
        if path.name.startswith('.') or path.name.endswith('.launch.py') \
                or path.name in ('setup.py', '__init__.py') or not path.name.isprintable():
            continue
        text = text_of(path)
        if _NODE in text and '__main__' in text:
            yield path


def _build(
    packages: Sequence[Path], copy: Path, work: Path, limits: Limits,
    executables: dict[str, Command],
) -> str:
    """Build packages by colcon and add their executables; why that failed, else empty."""
    names = ', '.join(_name_of(package) for package in packages)
    colcon = shutil.which('colcon')
    if colcon is None:
        return f'{names} would have to be built, but colcon is not installed'
    install = work / 'install'
    fault = run_confined(
        'colcon', Command((
            colcon, 'build', '--base-paths', str(copy), '--build-base', str(work / 'build'),
            '--install-base', str(install), '--packages-select', *map(_name_of, packages),
            '--cmake-args', '-DBUILD_TESTING=OFF',
            f'-DPython3_EXECUTABLE={sys.executable}')),
        work, limits, work, _BUILD_PATIENCE)
    for package in packages:
        prefix = install / _name_of(package)
        libraries = tuple(str(path) for path in prefix.glob('lib/python3*/site-packages'))
        libraries += tuple(str(path) for path in prefix.glob('local/lib/python3*/dist-packages'))
        for path in sorted((prefix / 'lib' / _name_of(package)).glob('*')):
            if os.access(path, os.X_OK) and path.is_file():
                executables.setdefault(path.name, Command((str(path),), libraries, (str(prefix),)))
    return f'colcon cannot build {names}: {fault}' if fault else ''
