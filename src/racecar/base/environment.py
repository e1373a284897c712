# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a run was made with: version, commit, libraries, machine."""

from __future__ import annotations

from collections.abc import Mapping
import functools
import hashlib
from importlib import metadata
import os
from pathlib import Path
import platform
import subprocess
import xml.etree.ElementTree as ElementTree

from racecar.base.compiled import has_compiler
from racecar.base.errors import ConfigurationError
from racecar.base.share import version

_LIBRARIES = ('numpy', 'scipy', 'numba', 'llvmlite', 'mujoco')
_GIT_TIMEOUT = 5.0  # [s]


def present_environment() -> dict[str, str]:
    """Versions that this process runs with, by name; names that do not apply are left out.

    sources: hash of the Python files of this package, so that a change is seen without git. As it
    is at the first call: the modules of a process do not change with their files.
    """
    return dict(_environment())


@functools.cache
def _environment() -> Mapping[str, str]:
    found = {
        'racecar': _version(),
        'sources': _hash_of_sources(),
        'git commit': _git('rev-parse', 'HEAD'),
        'uncommitted changes': 'yes' if _git('status', '--porcelain') else '',
        'ROS 2': os.environ.get('ROS_DISTRO', ''),
        'Python': platform.python_version(),
        **{name: _library(name) for name in _LIBRARIES},
        'compiled': 'yes' if has_compiler() else 'no',
        'operating system': f'{platform.system()} {platform.release()}',
        'C library': ' '.join(platform.libc_ver()),
        'architecture': platform.machine(),
        'processor': _processor(),
    }
    return {name: text for name, text in found.items() if text.strip()}


def differences(
    first: Mapping[str, str], second: Mapping[str, str],
) -> list[tuple[str, str, str]]:
    """Name and both texts ('none' for none) of what differs in two environments."""
    names = dict.fromkeys((*first, *second))
    return [(name, first.get(name, 'none'), second.get(name, 'none'))
            for name in names if first.get(name) != second.get(name)]


def hash_of_file(path: Path | str) -> str:
    """SHA-256 of a file's content. Raises OSError."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _version() -> str:
    try:
        return version()
    except (ConfigurationError, OSError, ElementTree.ParseError):
        return _library('racecar')


def _library(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ''


def _hash_of_sources() -> str:
    package = Path(__file__).resolve().parents[1]
    total = hashlib.sha256()
    for path in sorted(package.rglob('*.py')):
        total.update(f'{path.relative_to(package)}\0'.encode())
        total.update(path.read_bytes())
    return total.hexdigest()[:16]


def _git(*arguments: str) -> str:
    """Output of git for the sources; empty where they have no repository."""
    folder = Path(__file__).resolve().parents[3]
    if not (folder / '.git').exists():
        return ''
    try:
        answer = subprocess.run(
            ['git', '-C', str(folder), *arguments], capture_output=True, text=True, check=True,
            timeout=_GIT_TIMEOUT, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return ''
    return answer.stdout.strip()


def _processor() -> str:
    try:
        with open('/proc/cpuinfo', encoding='utf-8') as stream:
            names = (line.partition(':')[2].strip() for line in stream
                     if line.startswith('model name'))
            return next(names, '')
    except OSError:
        return platform.processor()
