# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Maps and lines for the environments of f1tenth_gym."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.share import track_names, world_names
from racecar.gym.tracks import named_track
from racecar.metrics.laps import Course
from racecar.scene.world_choice import scene_of

Array = NDArray[np.float64]


class Raceline:
    """Waypoints as users of f1tenth_gym look at them.

    xs, ys [m], vxs [m/s], ss: way along them [m], yaws [rad], n: how many; length [m].
    """

    def __init__(self, xs: Array, ys: Array, vxs: Array) -> None:
        self.xs, self.ys, self.vxs, self.n = xs, ys, vxs, len(xs)
        steps = np.column_stack([np.diff(xs), np.diff(ys)])
        self.ss = np.concatenate([[0.0], np.cumsum(np.hypot(*steps.T))])
        self.length = float(self.ss[-1])
        self.yaws = np.arctan2(*np.concatenate([steps, steps[-1:]]).T[::-1])

    def render_waypoints(self, renderer: object) -> None:
        """Nothing: pictures show the line by themselves."""


class GymTrack:
    """Map with its lines; raceline is the centre line where there is none."""

    def __init__(self, name: str) -> None:
        """Raise ConfigurationError for a map that there is not."""
        place = find_map(name)
        self.name, self.scene = name, scene_of({'world': place})
        self.filepath = place
        self.centerline, self.raceline = _lines(place)

    @classmethod
    def from_track_name(cls, track: str) -> GymTrack:
        """Track of a name."""
        return cls(track)


def find_map(name: str) -> str:
    """World, by name or as a file, of a map as f1tenth_gym calls it.

    A name of worlds of this package in any case of letters; else NAME.yaml,
    maps/NAME/NAME_map.yaml as f1tenth_gym keeps them, or maps/NAME.yaml as
    TrajectoryAidedLearning does. Raises ConfigurationError.
    """
    if name.lower() in world_names():
        return name.lower()
    places = list(_places(name))
    for place in places:
        if place.is_file():
            return str(place)
    raise ConfigurationError(
        f'map {excerpt(name)} is none of {", ".join(sorted(world_names()))}, and there is none of'
        f' {", ".join(map(str, places))}: download it, for example from'
        ' github.com/f1tenth/f1tenth_racetracks, and give the path of its .yaml')


def _places(name: str) -> Iterator[Path]:
    given = Path(name).expanduser()
    yield given if given.suffix == '.yaml' else given.with_name(f'{given.name}.yaml')
    yield Path('maps', name, f'{name}_map.yaml')
    yield Path('maps', f'{name}.yaml')


def _lines(place: str) -> tuple[Raceline | None, Raceline | None]:
    """Centre line and race line of a map; those of files beside it go before."""
    folder, stem = Path(place).parent, Path(place).stem.removesuffix('_map')
    centre, race = (folder / f'{stem}_{kind}.csv' for kind in ('centerline', 'raceline'))
    found = None
    if centre.is_file():
        points = np.loadtxt(centre, delimiter=',')[:, :2]
        found = Raceline(points[:, 0], points[:, 1], np.ones(len(points)))
    elif place in track_names() or Path(place).suffix != '.yaml':
        try:
            found = _of_course(named_track(place).course)
        except ConfigurationError:
            # A map without a closed track has no line.
            found = None
    if race.is_file():
        # f1tenth_gym has semicolons, TrajectoryAidedLearning commas between the same columns.
        lines = race.read_text(encoding='utf-8').replace(';', ',').splitlines()
        rows = np.loadtxt(lines, delimiter=',')
        return found, Raceline(rows[:, 1], rows[:, 2], rows[:, 5])
    return found, found


def _of_course(course: Course) -> Raceline:
    points = course.points[:-1]
    return Raceline(points[:, 0], points[:, 1], np.ones(len(points)))
