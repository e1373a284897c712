# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a machine has what the preparation needs; each lack is named with its remedy."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from .errors import SetupError

Version = Tuple[int, int]
PYTHON_VERSIONS: Sequence[Version] = ((3, 11), (3, 12), (3, 13), (3, 14))
OLDEST_GLIBC = (2, 28)


def platform_problem(system: str, machine: str, libc: Tuple[str, str], distro: str) -> str:
    """Say why the wheels cannot run here, or return an empty text."""
    version = tuple(int(number) for number in re.findall(r'\d+', libc[1])[:2])
    oldest = '.'.join(map(str, OLDEST_GLIBC))
    if system == 'Linux' and machine in ('x86_64', 'AMD64'):
        if libc[0] == 'glibc' and version >= OLDEST_GLIBC:
            return ''
    return (
        f'the ROS 2 wheels need Linux on x86-64 with glibc {oldest} or newer; this is {system} '
        f'on {machine} with {" ".join(libc).strip() or "an unknown C library"}. Install ROS 2 '
        f'{distro.capitalize()}, source its setup.bash and run this again.'
    )


def path_problem(path: str) -> str:
    """Say why nothing can be built under this path, or return an empty text."""
    bad = sorted(letter for letter in set(path) if letter in ':;"\\$\'`\n' or letter > '~')
    if bad:
        return (
            f'the path {path!r} contains {" ".join(map(repr, bad))}, which search paths, CMake '
            'or the message generators cannot hold: move the clone elsewhere.'
        )
    return ''


PROBE = (
    'import importlib.util, json, os, sys, sysconfig; '
    'print(json.dumps([list(sys.version_info[:2]), os.path.realpath(sys.executable), '
    'os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")), '
    'importlib.util.find_spec("ensurepip") is not None]))'
)


def probe_python(program: str) -> Optional[Tuple[Version, str, bool, bool]]:
    """Ask a Python for (version, real path, has headers, has ensurepip)."""
    try:
        answer = subprocess.run(
            [program, '-I', '-c', PROBE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=30, check=True,
        ).stdout
        version, real, headers, ensurepip = json.loads(answer)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return (version[0], version[1]), real, headers, ensurepip


def choose_python(versions: Sequence[Version]) -> str:
    """Return a Python of these versions to make a virtual environment from.

    Raises:
        SetupError: none fits, or it lacks a part
    """
    asked = os.environ.get('RACECAR_PYTHON')
    names = ['python%d.%d' % version for version in versions]
    if asked:
        programs = [asked]
    else:
        programs = [getattr(sys, '_base_executable', '') or sys.executable]
        programs += [found for found in map(shutil.which, names) if found]
    for program in programs:
        answer = probe_python(program)
        if answer is None or answer[0] not in versions:
            continue
        (major, minor), real, headers, ensurepip = answer
        if not ensurepip:
            raise SetupError(
                f'{real} cannot make virtual environments: '
                f'sudo apt install python{major}.{minor}-venv'
            )
        if not headers:
            raise SetupError(
                f'{real} comes without its C headers: '
                f'sudo apt install python{major}.{minor}-dev'
            )
        return program
    low, high = versions[0], versions[-1]
    raise SetupError(
        'Python %d.%d to %d.%d is needed' % (low + high)
        + (f', and RACECAR_PYTHON={asked} is none' if asked
           else f'; this one is {platform.python_version()} and none of {", ".join(names)} '
           'is on PATH')
        + '.'
    )


def check_compiler() -> None:
    """Raise unless CMake will find a C and a C++ compiler."""
    for variable, names in (('CC', ('cc', 'gcc', 'clang')), ('CXX', ('c++', 'g++', 'clang++'))):
        asked = os.environ.get(variable, '').split()[:1]
        if not any(map(shutil.which, asked or names)):
            raise SetupError(
                f'no {"C++" if variable == "CXX" else "C"} compiler on PATH (looked for '
                f'{", ".join(asked or names)}); the messages need one: '
                'sudo apt install build-essential'
            )


def missing_modules(
    python: str, names: Iterable[str], environment: Optional[Dict[str, str]] = None,
) -> List[str]:
    """Return those of the modules that a Python does not find."""
    code = ('import importlib.util, sys; '
            'print(*[n for n in sys.argv[1:] if importlib.util.find_spec(n) is None])')
    answer = subprocess.run(
        [python, '-c', code, *names], stdout=subprocess.PIPE, check=True, env=environment).stdout
    return answer.decode().split()
