# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where config, launch, urdf and world files lie: in the source tree, or where it is installed."""

from __future__ import annotations

import functools
import os
from pathlib import Path
import sys
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
import xml.etree.ElementTree as ElementTree

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggestion


def share_folder() -> Path:
    """Folder that holds config/.

    The source tree goes before the prefix below which this module is installed, that before those
    of AMENT_PREFIX_PATH and of Python. Raises ConfigurationError where none has it.
    """
    return _share_folder(os.environ.get('AMENT_PREFIX_PATH', ''), sys.prefix)


# A stack asks a hundred times.
@functools.lru_cache
def _share_folder(ament_prefixes: str, python_prefix: str) -> Path:
    module = Path(__file__).resolve()
    source = module.parents[3]
    candidates = [source] if (source / 'package.xml').is_file() else []
    # <prefix>/lib/python3.11/site-packages/racecar/base/share.py, or less of it with --target.
    prefixes = [str(folder) for folder in module.parents[2:6]]
    prefixes += ament_prefixes.split(os.pathsep)
    candidates += [
        Path(prefix) / 'share' / 'racecar' for prefix in (*prefixes, python_prefix) if prefix]
    for candidate in candidates:
        if (candidate / 'config').is_dir():
            return candidate
    raise ConfigurationError(
        'the folder config/ of racecar is not found beside the sources, below the prefix where'
        f' they are installed, {python_prefix}, or in AMENT_PREFIX_PATH; source'
        ' install/setup.bash, install the package anew, or run from the repository')


def version() -> str:
    """Version that package.xml states, which is installed beside config/."""
    manifest = ElementTree.parse(share_folder() / 'package.xml').getroot()
    return manifest.findtext('version', '')


def may_be_path(text: str) -> bool:
    """Whether what a user gives for a file can be its path: it has a separator or a suffix.

    Anything else is a name.
    """
    return os.sep in text or bool(Path(text).suffix)


TOPIC_SETS_VARIABLE = 'RACECAR_TOPIC_NAMES'
"""In the environment: folders with sets of topic names of one's own."""


class _Collection(NamedTuple):
    """Files of one kind, which users choose by name or by path.

    word: what messages call one; suffix: of the files, optional in a name; folders: below
    share_folder(), an earlier one before a later; nested: whether names include subfolders;
    variable: environment variable with further folders, before the others.
    """

    word: str
    suffix: str
    folders: tuple[str, ...]
    nested: bool = False
    variable: str = ''

    def names(self) -> list[str]:
        """Names of the files without suffix, sorted within each folder."""
        pattern = f'{"**/" if self.nested else ""}*{self.suffix}'
        return [name for folder in self._paths() for name in sorted(
            path.relative_to(folder).with_suffix('').as_posix() for path in folder.glob(pattern))]

    def find(self, name: str | Path) -> Path:
        """File of a name or path.

        A known name goes before a file of that name in the working folder. What has neither a
        separator nor a suffix is a name, never a path. Raises ConfigurationError that lists the
        names and suggests the nearest.
        """
        text, folders = str(name), self._paths()
        paths = [Path(name)] if may_be_path(text) else []
        named = [folder / f'{text}{self.suffix}' for folder in folders]
        # A name with its suffix; a file in the working folder that is called so goes before.
        files = [folder / text for folder in folders]
        # A leading dot or separator asks for the path.
        candidates = (*paths, *named, *files) if text.startswith(('.', os.sep)) \
            else (*named, *paths, *files)
        # Unlike Path.is_file() this also takes a name that is too long for one that is not there.
        found = next((path for path in candidates if os.path.isfile(path)), None)
        if found is None:
            names = self.names()
            raise ConfigurationError(
                f'{self.word} {excerpt(text)} is neither a file nor one of {", ".join(names)}'
                f'{suggestion(text, names)}')
        return found

    def _paths(self) -> list[Path]:
        share = share_folder()
        further = os.environ.get(self.variable, '').split(os.pathsep) if self.variable else ()
        return [*(Path(folder) for folder in further if folder),
                *(share / folder for folder in self.folders)]


_CONFIGURATIONS = _Collection('configuration file', '.yaml', ('config',), nested=True)
_VEHICLES = _Collection('vehicle', '.yaml', ('config/vehicles',))
_ROBOTS = _Collection('vehicle', '.yaml', ('config/robots',))
_CARS_AND_ROBOTS = _Collection('vehicle', '.yaml', (*_VEHICLES.folders, *_ROBOTS.folders))
_TRACKS = _Collection('waypoint file', '.csv', ('config/tracks',))
_RACELINES = _Collection('raceline', '.csv', ('config/racelines',))
_LEAGUES = _Collection('league file', '.yaml', ('config/leagues',))
_RACES = _Collection('race file', '.yaml', ('config/races',))
_CAMPAIGNS = _Collection('campaign file', '.yaml', ('config/campaigns',))
_SCENARIOS = _Collection('scenario file', '.yaml', ('config/scenarios',))
_TRACK_SOURCES = _Collection('manifest of tracks', '.yaml', ('config/track_sources',))
_WORLDS = _Collection('world', '.yaml', ('worlds',))
_LABS = _Collection('lab', '.yaml', ('config/labs',))
_TOPIC_SETS = _Collection(
    'set of topic names', '.yaml', ('config/topic_names',), variable=TOPIC_SETS_VARIABLE)


def find_config(name: str | Path) -> Path:
    """File of a path, or of a name in config/ (suffix .yaml optional).

    Raises ConfigurationError naming what was looked for and what there is.
    """
    return _CONFIGURATIONS.find(name)


def find_vehicle(name: str | Path) -> Path:
    """File of a car, by its path or its name in config/vehicles (suffix optional).

    Raises ConfigurationError naming what was looked for and what there is.
    """
    return _VEHICLES.find(name)


def find_wheeled_robot(name: str | Path) -> Path:
    """File of a differential-drive robot, by its path or its name in config/robots.

    Raises ConfigurationError naming what was looked for and what there is.
    """
    return _ROBOTS.find(name)


def find_robot(name: str | Path) -> Path:
    """File of a car or of a differential-drive robot, by its path or its name in config/.

    Raises ConfigurationError naming what was looked for and what there is.
    """
    return _CARS_AND_ROBOTS.find(name)


def find_track(name: str | Path) -> Path:
    """Waypoint file of a path, or of a name in config/tracks (suffix optional).

    Raises ConfigurationError naming what was looked for and what there is.
    """
    return _TRACKS.find(name)


def find_track_source(name: str | Path) -> Path:
    """Manifest of tracks, by its path or its name in config/track_sources (suffix optional).

    Raises ConfigurationError naming what was looked for and what there is.
    """
    return _TRACK_SOURCES.find(name)


def find_raceline(name: str | Path) -> Path:
    """File of a race line by its path or its name in config/racelines (suffix optional).

    Raises ConfigurationError naming what was looked for and what there is.
    """
    return _RACELINES.find(name)


def find_league(name: str | Path) -> Path:
    """File of a league, by its name in config/leagues or a path.

    Raises ConfigurationError.
    """
    return _LEAGUES.find(name)


def find_race(name: str | Path) -> Path:
    """File of a race, by its name in config/races or a path.

    Raises ConfigurationError.
    """
    return _RACES.find(name)


def find_campaign(name: str | Path) -> Path:
    """File of a campaign of faults, by its name in config/campaigns or a path.

    Raises ConfigurationError.
    """
    return _CAMPAIGNS.find(name)


def find_scenario(name: str | Path) -> Path:
    """File of a scenario, by its name in config/scenarios or a path.

    Raises ConfigurationError.
    """
    return _SCENARIOS.find(name)


def find_world(name: str | Path) -> Path:
    """World or map file of a path, or of a name in worlds/ (suffix optional).

    Raises ConfigurationError naming what was looked for and what there is.
    """
    return _WORLDS.find(name)


def find_lab(name: str | Path) -> Path:
    """Lab file of a path, or of a name in config/labs (suffix optional).

    Raises ConfigurationError naming what was looked for and what there is.
    """
    return _LABS.find(name)


def lab_names() -> list[str]:
    """Names of the labs in config/labs."""
    return _LABS.names()


def find_topic_set(name: str | Path) -> Path:
    """File of a set of topic names, by its path or its name (suffix optional).

    Names are those in config/topic_names and in the folders of TOPIC_SETS_VARIABLE. Raises
    ConfigurationError naming what was looked for and what there is.
    """
    return _TOPIC_SETS.find(name)


def topic_set_names() -> list[str]:
    """Names of the sets of topic names, those of the user's first."""
    return [*dict.fromkeys(_TOPIC_SETS.names())]


def vehicle_names() -> list[str]:
    """Names of the vehicles in config/vehicles."""
    return _VEHICLES.names()


def robot_names() -> list[str]:
    """Names of the differential-drive robots in config/robots."""
    return _ROBOTS.names()


def car_and_robot_names() -> list[str]:
    """Names of the vehicles in config/vehicles, then of the robots in config/robots."""
    return _CARS_AND_ROBOTS.names()


def track_names() -> list[str]:
    """Names of the waypoint files in config/tracks."""
    return _TRACKS.names()


def raceline_names() -> list[str]:
    """Names of the race lines in config/racelines."""
    return _RACELINES.names()


def league_names() -> list[str]:
    """Names of the leagues in config/leagues."""
    return _LEAGUES.names()


def race_names() -> list[str]:
    """Names of the races in config/races."""
    return _RACES.names()


def campaign_names() -> list[str]:
    """Names of the campaigns in config/campaigns."""
    return _CAMPAIGNS.names()


def scenario_names() -> list[str]:
    """Names of the scenarios in config/scenarios."""
    return _SCENARIOS.names()


def world_names() -> list[str]:
    """Names of the worlds in worlds/."""
    return _WORLDS.names()


def resource_file(uri: str) -> Path:
    """File that `package://racecar/...`, `file:///...` or a path names.

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
