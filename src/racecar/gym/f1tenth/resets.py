# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where agents of f1tenth_gym 1.0.0 start: around a waypoint of a line.

Its names are <line>_<place>_<order>: cl or rl, grid or random, static or random. Numbers are drawn
from the generator of the environment, there from the global one of NumPy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt
from racecar.gym.f1tenth.maps import GymTrack, Raceline

Array = NDArray[np.float64]

_DEFAULT = 'rl_grid_static'


class _Kind(NamedTuple):
    line: str
    place: str
    order: str


def _kind_of(name: str | None) -> _Kind:
    parts = (name or _DEFAULT).split('_')
    if len(parts) != 3 or parts[0] not in ('cl', 'rl') or parts[1] not in (
            'grid', 'random') or parts[2] not in ('static', 'random'):
        raise ConfigurationError(
            f"reset_config has the type {excerpt(name)}, expected cl or rl, grid or random, static"
            " or random, joined by _, for example 'rl_random_static'")
    return _Kind(*parts)


def sample_poses(
    track: GymTrack, agents: int, random: np.random.Generator, *, type: str | None = None,
    start_width: float = 1.0, min_dist: float = 1.5, max_dist: float = 2.5, **others: object,
) -> Array:
    """Poses of agents one behind the other in the direction of the line, (agents, 3).

    start_width: of the waypoints of the grid; min_dist, max_dist: from one to the next [m]. Raises
    ConfigurationError for another type, and for a map without a line.
    """
    kind = _kind_of(type)
    line = track.centerline if kind.line == 'cl' else track.raceline
    if line is None:
        raise ConfigurationError(
            f"map {excerpt(track.name)} has no line from which agents could start: give"
            " options={'poses': ...} to reset()")
    last = line.n if kind.place == 'random' else max(
        int(start_width / (line.length / line.n)), 1)
    at = int(random.integers(last))
    side = float(random.choice([-1.0, 1.0])) if kind.line == 'cl' else 0.0
    poses = []
    for k in range(agents):
        poses.append(_pose(line, at, side * (-1.0) ** k / agents if agents > 1 else 0.0))
        at = (at + _waypoints(line, at, float(random.uniform(min_dist, max_dist)))) % line.n
    found = np.array(poses)
    if kind.order == 'random':
        random.shuffle(found)
    return found


def _pose(line: Raceline, at: int, offset: float) -> tuple[float, float, float]:
    after = (at + 1) % line.n
    yaw = float(np.arctan2(line.ys[after] - line.ys[at], line.xs[after] - line.xs[at]))
    return (float(line.xs[at] - offset * np.sin(yaw)), float(line.ys[at] + offset * np.cos(yaw)),
            yaw)


def _waypoints(line: Raceline, at: int, distance: float) -> int:
    """How many waypoints further on a distance ends [m]."""
    gone, count = 0.0, 0
    while gone < distance and count < line.n:
        here, after = (at + count) % line.n, (at + count + 1) % line.n
        gone += float(np.hypot(line.xs[after] - line.xs[here], line.ys[after] - line.ys[here]))
        count += 1
    return count
