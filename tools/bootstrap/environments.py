# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Environment variables with which commands find ROS 2, the packages and nothing else."""

import os
from pathlib import Path
import subprocess
import sys
from typing import Dict, Iterable, List

from . import paths
from .errors import SetupError

Environment = Dict[str, str]

# The wheels restart every interpreter until this is set beside LD_LIBRARY_PATH.
WHEELS_READY = '_ROS_WHEELS_BOOTSTRAP_COMPLETE'
# Fast DDS reads the profiles that a variable names: the first up to 2.x (Jazzy), then the second.
PROFILE_FILES = ('FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE')
LOOPBACK_PROFILE = str(paths.ROOT / 'config' / 'dds' / 'loopback.xml')
DISCOVERY_RANGE = 'ROS_AUTOMATIC_DISCOVERY_RANGE'
ROS_PATHS = ('AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH', 'COLCON_PREFIX_PATH')


def joined(first: Iterable[str], then: str) -> str:
    """Put entries in front of a search path, each entry once."""
    return os.pathsep.join(dict.fromkeys([*first, *filter(None, then.split(os.pathsep))]))


def without_ros(environment: Environment) -> Environment:
    """Return the environment with every trace of a ROS 2 installation taken out.

    Two ROS 2 installations in one process crash it, so wheels must not see another.
    """
    prefixes = [
        prefix
        for name in ROS_PATHS
        for prefix in environment.get(name, '').split(os.pathsep)
        if prefix
    ]
    clean = {}
    for name, value in environment.items():
        if name in ROS_PATHS or name.startswith(('ROS_DISTRO', 'ROS_VERSION', 'ROS_PYTHON_')):
            continue
        if name in ('PATH', 'PYTHONPATH', 'LD_LIBRARY_PATH', 'PKG_CONFIG_PATH'):
            value = os.pathsep.join(
                entry
                for entry in value.split(os.pathsep)
                if not any(Path(prefix) in (Path(entry), *Path(entry).parents)
                           for prefix in prefixes)
            )
            if not value:
                continue
        clean[name] = value
    for name in ('PYTHONHOME', WHEELS_READY):
        clean.pop(name, None)
    return clean


def wheels_environment(environment: Environment, venv: Path, distro: str) -> Environment:
    """Return the environment in which the wheels' ROS 2 works."""
    result = without_ros(environment)
    libraries = [str(venv / 'lib')]
    libraries += sorted(map(str, venv.glob('lib/python3.*/site-packages/ros_*.libs')))
    result.update({
        'VIRTUAL_ENV': str(venv),
        'PATH': joined([str(venv / 'bin')], result.get('PATH', os.defpath)),
        'LD_LIBRARY_PATH': joined(libraries, result.get('LD_LIBRARY_PATH', '')),
        'AMENT_PREFIX_PATH': str(venv),
        'CMAKE_PREFIX_PATH': str(venv),
        'ROS_DISTRO': distro,
        'ROS_VERSION': '2',
        'ROS_PYTHON_VERSION': '3',
        # The only middleware among the wheels.
        'RMW_IMPLEMENTATION': 'rmw_fastrtps_cpp',
        WHEELS_READY: '1',
        # Marks the environment as ours, so that ./run inside ./run stays here.
        'RACECAR_ROS': 'wheels',
        'RACECAR_DISTRO': distro,
    })
    return with_loopback_only(result, distro)


def with_loopback_only(environment: Environment, distro: str) -> Environment:
    """Return the environment in which DDS keeps to this machine, unless asked otherwise.

    A class of thirty in one network must not drive each other's cars. A range other than
    LOCALHOST and a profile of the user's own are asking.
    """
    result = dict(environment)
    nested = False
    for name in PROFILE_FILES:
        if result.get(name) == LOOPBACK_PROFILE:
            nested = True
            del result[name]
    wanted = result.get(DISCOVERY_RANGE, 'LOCALHOST')
    if any(map(result.get, PROFILE_FILES)):
        result.setdefault(DISCOVERY_RANGE, 'LOCALHOST')
    elif wanted == 'LOCALHOST' or nested and wanted == 'SYSTEM_DEFAULT':
        result[PROFILE_FILES[0 if distro == 'jazzy' else 1]] = LOOPBACK_PROFILE
        # The profile says it all; see there.
        result[DISCOVERY_RANGE] = 'SYSTEM_DEFAULT'
    return result


def additions(setup_script: Path, python_folder: str) -> Dict[str, List[str]]:
    """Return what sourcing a script puts in front of each search path."""
    base = joined([python_folder, '/usr/bin'], '/bin')
    environment = {'PATH': base, WHEELS_READY: '1'}
    # colcon's script calls a Python, any will do, without quotes around its path.
    for python in (sys.executable, '/usr/bin/python3'):
        if ' ' not in python and os.path.exists(python):
            environment['COLCON_PYTHON_EXECUTABLE'] = python
            break
    # The braces keep the script's own output out of ours.
    answer = subprocess.run(
        ['bash', '--norc', '--noprofile', '-c', '{ . "$0"; } >&2 && exec env -0',
         str(setup_script)],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    added = {}
    for item in filter(None, answer.stdout.decode().split('\0')):
        name, _, value = item.partition('=')
        if name.endswith('PATH'):
            known = base.split(os.pathsep) if name == 'PATH' else []
            entries = [entry for entry in value.split(os.pathsep) if entry and entry not in known]
            if entries:
                added[name] = entries
    if str(setup_script.parent / paths.PACKAGE) not in added.get('AMENT_PREFIX_PATH', []):
        raise SetupError(f'{setup_script} does not lead to the package {paths.PACKAGE}:\n'
                         + answer.stderr.decode(errors='replace').strip())
    return added


def repair_shebangs(folder: Path) -> None:
    """Make scripts start whose Python the kernel cannot find: spaces, or too long a path."""
    for path in folder.glob('*'):
        text = path.read_bytes()
        first, _, rest = text.partition(b'\n')
        if first.startswith(b'#!/') and b' ' not in first and len(first) < 127:
            continue
        if first.startswith(b'#!'):
            path.write_bytes(b'#!/usr/bin/env python3\n' + rest)


def with_additions(environment: Environment, added: Dict[str, List[str]]) -> Environment:
    """Return the environment with the cached search paths in front."""
    result = dict(environment)
    for name, entries in added.items():
        result[name] = joined(entries, result.get(name, ''))
    return result
