# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tracks of environments: what stands around, and the closed line along which cars race."""

from __future__ import annotations

from collections.abc import Sequence
import functools
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError
from racecar.base.share import find_track, track_names
from racecar.control.policy.driver import course_along
from racecar.metrics.laps import Course
from racecar.scene.scene import Scene
from racecar.scene.scene_map import scene_map
from racecar.scene.track import find_centre_line, generate_centre_line, track_map, TrackShape
from racecar.scene.world_choice import files_of_world, scene_of, Status, statuses

GENERATED = 'generated'
"""Name of the tracks that seeds draw."""

Array = NDArray[np.float64]


class Track(NamedTuple):
    """A closed course and what stands around it; line: its name for a policy file, '' if none."""

    name: str
    scene: Scene
    course: Course
    line: str


def named_track(name: str, line: str = '') -> Track:
    """Track of a world, by name or as a file; line: name or file of its centre line.

    By default the line of the same name, else that which is found in the map. One and the same
    while its files stay the same. Raises ConfigurationError for a world without a closed track.
    """
    if not line and name in track_names():
        line = name
    files = (*files_of_world(name), *([find_track(line)] if line else []))
    return _track(name, line, files, statuses(files))


@functools.lru_cache(maxsize=64)
def _track(name: str, line: str, _: tuple[Path, ...], __: tuple[Status, ...]) -> Track:
    scene = scene_of({'world': name})
    if line:
        return Track(name, scene, course_along(line), line)
    try:
        found = find_centre_line(scene_map(scene), scene.starts[0])
    except ConfigurationError as error:
        raise ConfigurationError(f'track {name}: {error}') from None
    return Track(name, scene, Course.along(found.points, found.widths), '')


@functools.lru_cache(maxsize=64)
def generated_track(seed: int, shape: TrackShape) -> Track:
    """Track that a seed draws. Raises ConfigurationError for a shape that cannot be."""
    line = generate_centre_line(seed, shape)
    name = f'{GENERATED}_{seed}'
    return Track(name, Scene(name=name, grid=track_map(line)),
                 Course.along(line.points, line.widths), '')


def tracks_of(
    names: object, line: str, seed: int, count: int, shape: TrackShape,
) -> tuple[Track, ...]:
    """Tracks of one or several names; of `generated` those of `count` seeds from `seed` on."""
    given = [names] if isinstance(names, str) else names
    if not isinstance(given, Sequence) or not given or not all(
            isinstance(name, str) for name in given):
        raise ConfigurationError(
            f'track is {names!r}, expected a name or a list of names of worlds, or {GENERATED}')
    found: list[Track] = []
    for name in given:
        if name == GENERATED:
            found += [generated_track(seed + k, shape) for k in range(count)]
        else:
            found.append(named_track(name, line))
    return tuple(found)
