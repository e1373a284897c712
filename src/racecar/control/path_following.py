# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A path that others plan, as the reference of the tracker."""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np

from racecar.base.errors import ParameterError
from racecar.base.types import Odometry
from racecar.base.values import number_of, Values
from racecar.control.tracker import TrajectoryTracker
from racecar.control.trajectories.waypoint_file import MIN_SPACING
from racecar.control.trajectories.waypoints import WayPointPath

AT_REST = Odometry(0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

_LIMIT, _MOST_POINTS = 1e5, 100_000


def path_from(
    points: Sequence[tuple[float, float]], car: Odometry, values: Values,
) -> WayPointPath:
    """Rest of a path (n, 2) in map [m] from its nearest point to the car on.

    It starts with the speed of the car and ends at rest; limits are those of waypoints in resolved
    TRACKER_PARAMETERS. Raises ParameterError for a path that cannot be followed.
    """
    table = np.array(points, dtype=np.float64).reshape(-1, 2)
    if not (len(table) <= _MOST_POINTS and (np.abs(table) <= _LIMIT).all()):
        raise ParameterError(
            f'the path has {len(table)} poses as far as {np.abs(table).max(initial=0.0):g} m away,'
            f' expected at most {_MOST_POINTS} finite ones within {_LIMIT:g} m')
    nearest = int(np.hypot(*(table - (car.x, car.y)).T).argmin()) if len(table) else 0
    kept: list[tuple[float, float]] = []
    for x, y in table[min(nearest, max(len(table) - 2, 0)):].tolist():
        # Planners repeat poses.
        if not kept or math.dist(kept[-1], (x, y)) >= MIN_SPACING:
            kept.append((x, y))
    if len(kept) < 2:
        raise ParameterError('the path ends where it begins, expected at least two places')
    return WayPointPath(
        '', 'open', number_of(values, 'waypoints_speed_limit'),
        number_of(values, 'waypoints_lateral_acceleration'),
        number_of(values, 'waypoints_longitudinal_acceleration'), tuple(kept),
        max(car.vx, 0.0))


def tracker_of_path(path: WayPointPath, values: Values) -> TrajectoryTracker:
    """Tracker of a path in map, in the place of the trajectory of resolved values."""
    return TrajectoryTracker({**values, 'reference_origin': 'map'}, path)
