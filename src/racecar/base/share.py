# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where config, launch, urdf and world files lie: in the source tree, or where it is installed."""

from __future__ import annotations

import os
from pathlib import Path
import sys
from urllib.parse import unquote, urlsplit
import xml.etree.ElementTree as ElementTree

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggestion


def share_folder() -> Path:
    """Return the folder that holds config/.

    The source tree goes before the prefix below which this module is installed, that before those
    of AMENT_PREFIX_PATH and of Python. Raises ConfigurationError where none has it.
    """
    module = Path(__file__).resolve()
    source = module.parents[3]
    candidates = [source] if (source / 'package.xml').is_file() else []
    # <prefix>/lib/python3.11/site-packages/racecar/base/share.py, or less of it with --target.
    prefixes = [str(folder) for folder in module.parents[2:6]]
    prefixes += os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    candidates += [
        Path(prefix) / 'share' / 'racecar' for prefix in (*prefixes, sys.prefix) if prefix]
    for candidate in candidates:
        if (candidate / 'config').is_dir():
            return candidate
    raise ConfigurationError(
        'the folder config/ of racecar is not found beside the sources, below the prefix where'
        f' they are installed, {sys.prefix}, or in AMENT_PREFIX_PATH; source install/setup.bash,'
        ' install the package anew, or run from the repository')


def version() -> str:
    """Return the version that package.xml states, which is installed beside config/."""
    manifest = ElementTree.parse(share_folder() / 'package.xml').getroot()
    return manifest.findtext('version', '')


def find_config(name: str | Path) -> Path:
    """Return a file by its path, or by its name in config/ (suffix .yaml optional).

    Raises ConfigurationError naming what was looked for and what there is.
    """
    folder = share_folder() / 'config'
    found = _find(name, folder, '.yaml')
    if found is not None:
        return found
    known = sorted(
        str(path.relative_to(folder).with_suffix('')) for path in folder.rglob('*.yaml'))
    raise ConfigurationError(
        f'configuration file {excerpt(str(name))} is neither a file nor one of {", ".join(known)}'
        f'{suggestion(str(name), known)}')


def resource_file(uri: str) -> Path:
    """Return the file that `package://racecar/...`, `file:///...` or a path names.

    Raises ConfigurationError if there is none.
    """
    prefix = 'package://racecar/'
    if uri.startswith(prefix):
        path = share_folder() / uri.removeprefix(prefix)
    elif uri.startswith('file://'):
        path = Path(unquote(urlsplit(uri).path))
    else:
        path = Path(uri)
    if not os.path.isfile(path):
        raise ConfigurationError(f'file {excerpt(uri)} is not there, expected {path}')
    return path


def find_vehicle(name: str | Path) -> Path:
    """Return a vehicle's file by its path, or by its name in config/vehicles (suffix optional).

    Raises ConfigurationError naming what was looked for and what there is.
    """
    found = _find(name, share_folder() / 'config' / 'vehicles', '.yaml')
    if found is not None:
        return found
    known = vehicle_names()
    raise ConfigurationError(
        f'vehicle {excerpt(str(name))} is neither a file nor one of {", ".join(known)}'
        f'{suggestion(str(name), known)}')


def find_robot(name: str | Path) -> Path:
    """Return the file of a car or of a robot with two wheels, by its path or its name in config/.

    Raises ConfigurationError naming what was looked for and what there is.
    """
    for folder in ('vehicles', 'robots'):
        found = _find(name, share_folder() / 'config' / folder, '.yaml')
        if found is not None:
            return found
    known = car_and_robot_names()
    raise ConfigurationError(
        f'vehicle {excerpt(str(name))} is neither a file nor one of {", ".join(known)}'
        f'{suggestion(str(name), known)}')


def vehicle_names() -> list[str]:
    """Return the names of the vehicles in config/vehicles."""
    return sorted(path.stem for path in (share_folder() / 'config' / 'vehicles').glob('*.yaml'))


def robot_names() -> list[str]:
    """Return the names of the robots with two wheels in config/robots."""
    return sorted(path.stem for path in (share_folder() / 'config' / 'robots').glob('*.yaml'))


def car_and_robot_names() -> list[str]:
    """Names of the vehicles in config/vehicles, then of the robots in config/robots."""
    return [*vehicle_names(), *robot_names()]


def find_track(name: str | Path) -> Path:
    """Return a waypoint file by its path, or by its name in config/tracks (suffix optional).

    Raises ConfigurationError naming what was looked for and what there is.
    """
    folder = share_folder() / 'config' / 'tracks'
    found = _find(name, folder, '.csv')
    if found is not None:
        return found
    known = track_names()
    raise ConfigurationError(
        f'waypoint file {excerpt(str(name))} is neither a file nor one of {", ".join(known)}'
        f'{suggestion(str(name), known)}')


def track_names() -> list[str]:
    """Return the names of the waypoint files in config/tracks."""
    return sorted(path.stem for path in (share_folder() / 'config' / 'tracks').glob('*.csv'))


def find_world(name: str | Path) -> Path:
    """Return a world or map file by its path, or by its name in worlds/ (suffix optional).

    Raises ConfigurationError naming what was looked for and what there is.
    """
    folder = share_folder() / 'worlds'
    found = _find(name, folder, '.yaml')
    if found is not None:
        return found
    raise ConfigurationError(
        f'world {excerpt(str(name))} is neither a file nor one of {", ".join(world_names())}'
        f'{suggestion(str(name), world_names())}')


def world_names() -> list[str]:
    """Return the names of the worlds in worlds/."""
    return sorted(path.stem for path in (share_folder() / 'worlds').glob('*.yaml'))


def _find(name: str | Path, folder: Path, suffix: str) -> Path | None:
    text, given = str(name), Path(name)
    known = folder / f'{given}{suffix}'
    # A file here that is called like a known name, as bin/racecar, has to be asked for as a path.
    candidates = (given, folder / given, known) if text.startswith(('.', os.sep)) \
        else (known, given, folder / given)
    # Unlike Path.is_file() this also takes a name that is too long for one that is not there.
    return next((path for path in candidates if os.path.isfile(path)), None)
