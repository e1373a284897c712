# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction zones and moving things of environments, beside those of their tracks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest
from racecar.gym.randomisation import Distribution, distribution_of
from racecar.gym.tracks import Track
from racecar.metrics.course_places import Places, poses_along, Segments
from racecar.scene.scene import MovingThing, Scene
from racecar.scene.world_file import FACTOR_RANGE, world_of_content

Array = NDArray[np.float64]

_ALONG, _AT = ('way', 'offset'), ('x', 'y')
_ROUND = 'radius', 'factor'


class DrawnZone(NamedTuple):
    """A round friction zone that each episode places.

    along: whether first and second are the way along the line of the track and the offset to the
    left of it, else x and y [m]; radius [m]; factor of the friction of tyres.
    """

    along: bool
    first: Distribution
    second: Distribution
    radius: Distribution
    factor: Distribution


class Things(NamedTuple):
    """Zones that episodes place, and what else is in the scenes of all tracks."""

    drawn: tuple[DrawnZone, ...]
    scene: Scene


def things_of(zones: object, moving: object) -> Things:
    """Things of the options friction_zones and moving.

    Raises ConfigurationError for what they cannot be.
    """
    items = _items('friction_zones', zones)
    fixed = [item for item in items if 'points' in item]
    drawn = tuple(_drawn_zone(f'friction_zones[{index}]', item)
                  for index, item in enumerate(items) if 'points' not in item)
    return Things(drawn, world_of_content('options of an environment', {
        'friction_zones': fixed, 'moving': _items('moving', moving)}))


def _items(name: str, given: object) -> list[Mapping[str, object]]:
    rows = () if given is None else given
    if not isinstance(rows, Sequence) or isinstance(rows, str) or not all(
            isinstance(row, Mapping) for row in rows):
        raise ConfigurationError(
            f'{name} is {excerpt(given)}, expected a list of mappings, as a world file has them')
    return [dict(row) for row in rows]


def _drawn_zone(place: str, item: Mapping[str, object]) -> DrawnZone:
    along = not set(_AT) & set(item)
    names = (*(_ALONG if along else _AT), *_ROUND)
    for name in item:
        if name not in names:
            raise ConfigurationError(
                f'{place} has {excerpt(name)}; {suggest(str(name), names)}')
    missing = [name for name in names if name not in item]
    if missing:
        raise ConfigurationError(
            f"{place} has no {' and no '.join(missing)}, expected {', '.join(names)}, or points"
            f' and factor of a polygon; each number may be a distribution')
    found = [distribution_of(name, item[name], f'{place}, {name},') for name in names]
    lowest, highest = FACTOR_RANGE
    if found[2].ends[0] <= 0.0 or not (
            lowest <= found[3].ends[0] <= found[3].ends[1] <= highest):
        raise ConfigurationError(
            f'{place} draws a radius of {found[2].ends[0]:g} to {found[2].ends[1]:g} m and a'
            f' factor of {found[3].ends[0]:g} to {found[3].ends[1]:g}, expected a radius above 0'
            f' and a factor in [{lowest:g}, {highest:g}]')
    return DrawnZone(along, *found)


def furnished(track: Track, things: Scene) -> Track:
    """A track with more zones and moving things. Raises ConfigurationError for a name twice."""
    if not (things.moving or things.friction_zones):
        return track
    scene = track.scene
    names = {thing.name for thing in scene.moving}
    for thing in things.moving:
        if thing.name in names:
            raise ConfigurationError(
                f'a thing of moving has the name {excerpt(thing.name)}, which one of the track'
                f' {track.name} has: give it another name')
    moving: tuple[MovingThing, ...] = (*scene.moving, *things.moving)
    return track._replace(scene=replace(
        scene, moving=moving, patches=(*scene.patches, *things.patches),
        friction_zones=(*scene.friction_zones, *things.friction_zones)))


def zones_drawn(
    zones: Sequence[DrawnZone], shares: Array, segments: Segments, courses: NDArray[np.int64],
) -> Array:
    """x, y, radius [m], factor of zones of some worlds, (worlds, zones, 4).

    shares: uniform numbers, (worlds, 4 zones); courses: number of each world's course.
    """
    found = np.empty((len(shares), len(zones), 4))
    for k, zone in enumerate(zones):
        for column, distribution in enumerate(zone[1:]):
            found[:, k, column] = distribution.of(shares[:, 4 * k + column])
        if zone.along:
            found[:, k, :2] = poses_along(segments, courses, Places(
                found[:, k, 0].copy(), found[:, k, 1].copy(), np.zeros(len(found))))[:, :2]
    return found
