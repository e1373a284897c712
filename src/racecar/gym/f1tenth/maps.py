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
from racecar.control.spline import spline_through
from racecar.gym.f1tenth.canvas import CallbackCanvas
from racecar.gym.tracks import named_track
from racecar.scene.world_choice import scene_of

Array = NDArray[np.float64]

_STEP = 0.1  # of centre lines [m]
_LINE_COLOUR = (0, 128, 0)


class Raceline:
    """Waypoints as users of f1tenth_gym look at them, (n,) each, in single precision as there.

    ss: way along them [m]; xs, ys [m]; yaws [rad]; ks: curvature [1/m]; vxs [m/s]; axs [m/s^2];
    n: how many; length [m].
    """

    def __init__(self, rows: Array) -> None:
        """rows: s, x, y, yaw, curvature, speed, acceleration, (n, 7)."""
        self.ss, self.xs, self.ys, self.yaws, self.ks, self.vxs, self.axs = (
            np.ascontiguousarray(column) for column in rows.T.astype(np.float32))
        self.n = len(rows)
        self.length = float(np.hypot(np.diff(self.xs), np.diff(self.ys)).sum())

    @property
    def points(self) -> Array:
        """Places of the waypoints, (n, 2) [m]."""
        return np.column_stack([self.xs, self.ys]).astype(float)

    @property
    def closed(self) -> Array:
        """The same and the first again, (n + 1, 2) [m]."""
        return np.concatenate([self.points, self.points[:1]])

    def render_waypoints(self, renderer: CallbackCanvas) -> None:
        """Draw them as a closed line, for add_render_callback()."""
        renderer.render_closed_lines(self.points, color=_LINE_COLOUR, size=1)


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
        found = centre_line(np.loadtxt(centre, delimiter=',')[:, :2])
    elif place in track_names() or Path(place).suffix != '.yaml':
        try:
            found = centre_line(named_track(place).course.points[:-1])
        except ConfigurationError:
            # A map without a closed track has no line.
            found = None
    if race.is_file():
        # f1tenth_gym has semicolons, TrajectoryAidedLearning commas between the same columns.
        lines = race.read_text(encoding='utf-8').replace(';', ',').splitlines()
        return found, Raceline(np.loadtxt(lines, delimiter=','))
    return found, found


def centre_line(points: Array) -> Raceline:
    """Line through points (n, 2) [m] and back to the first, at 1 m/s.

    As there: a periodic cubic spline over the way along the points, read at each 0.1 m.
    """
    closed = np.concatenate([points, points[:1]])
    way = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))])
    s = np.arange(0.0, way[-1], _STEP)
    spline, pieces = spline_through(way, closed, closed=True), np.searchsorted(
        way, s, side='right') - 1
    (x, y), (dx, dy), (ddx, ddy) = (
        part(s, pieces).T for part in (spline.point, spline.derivative, spline.second))
    return Raceline(np.column_stack([
        s, x, y, np.arctan2(dy, dx) % (2.0 * np.pi),
        (ddy * dx - ddx * dy) / (dx * dx + dy * dy) ** 1.5, np.ones_like(s), np.zeros_like(s)]))
