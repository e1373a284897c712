# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What can be spawned or loaded: files of this package and of folders, and what is in worlds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
import os
from pathlib import Path
from typing import NamedTuple

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.share import find_world, resource_file, world_names
from racecar.base.yaml_file import load_yaml
from racecar.entities.refusals import RefusedError
from racecar.entities.world_entities import spawnable_bounds, spawnables, World
from racecar.simulation.ports import Bounds


class FoundFiles(NamedTuple):
    """URIs without repetition, and why sources among those asked for are unknown, by source."""

    uris: list[str]
    unknown: dict[str, str]


class WorldSheet(NamedTuple):
    """What the file of a world says of it; nothing if it cannot be read."""

    description: str = ''
    tags: tuple[str, ...] = ()


def world_uri(world: str) -> str:
    """URI of a world by its name; the file itself for one that does not come with the package."""
    return f'package://racecar/worlds/{world}.yaml' if world in world_names() else world


def world_files(sources: Iterable[str]) -> FoundFiles:
    """Worlds that come with the package, and YAML files in folders."""
    return _with_folders(map(world_uri, world_names()), sources)


def spawnable_files(sources: Iterable[str]) -> tuple[dict[str, Bounds], Sequence[str]]:
    """Bounds of what can be spawned by its URI, also from folders; sources that are unknown."""
    found = _with_folders(spawnables(), sources)
    return dict(_bounded(found.uris)), list(found.unknown)


def world_sheet(world: World) -> WorldSheet:
    """Description and tags of a world."""
    if not world.uri:
        return WorldSheet()
    try:
        path = resource_file(world.uri) if '://' in world.uri else find_world(world.uri)
        content = load_yaml('world file', path)
    except ConfigurationError:
        return WorldSheet()
    if not isinstance(content, dict):
        return WorldSheet()
    return WorldSheet(str(content.get('description', '')), tuple(tag for tag, key in (
        ('map', 'image'), ('cones', 'cones'), ('markers', 'boards'), ('walls', 'walls'))
        if content.get(key)))


def _with_folders(uris: Iterable[str], sources: Iterable[str]) -> FoundFiles:
    found, unknown = list(uris), {}
    for source in sources:
        try:
            found += _files_of(source)
        except ConfigurationError as error:
            unknown[source] = str(error)
    return FoundFiles(list(dict.fromkeys(found)), unknown)


def _files_of(source: str) -> list[str]:
    """YAML files in a folder. Raises ConfigurationError if it is none."""
    folder = Path(source.removeprefix('file://'))
    if not os.path.isdir(folder):
        raise ConfigurationError(
            f'source {excerpt(source)} is unknown, expected a folder on this computer')
    return [str(path) for path in sorted(folder.glob('*.yaml'))]


def _bounded(uris: Iterable[str]) -> Iterator[tuple[str, Bounds]]:
    for uri in uris:
        try:
            yield uri, spawnable_bounds(uri)
        except RefusedError:
            continue
