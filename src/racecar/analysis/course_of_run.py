# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Course of the laps of a run: that of its reference or of its world, by its run.yaml."""

from __future__ import annotations

from pathlib import Path

from numpy.typing import ArrayLike

from racecar.analysis.motion import Motion
from racecar.base.errors import RacecarError
from racecar.base.run_file import RunFile
from racecar.base.share import find_track, track_names
from racecar.control.tracker import course_of
from racecar.control.trajectories.waypoint_file import read_way_points
from racecar.metrics.laps import Course, lap_times, LapRule, LapTimes
from racecar.metrics.quantities import Quantity


def course_of_world(world: str | None) -> Course | None:
    """Track that has the name of a world; None if there is none."""
    name = Path(world or '').stem
    if name not in track_names():
        return None
    points, _, _, widths = read_way_points(find_track(name))
    return Course.along(points, widths)


def course_of_run(file: RunFile | None, start: ArrayLike) -> Course | None:
    """Path of the reference that a run.yaml tells; None without one, or if its waypoints are gone.

    start: where the reference began in `map` [m].
    """
    values = None if file is None else file.values_with('trajectory')
    if values is None:
        return None
    try:
        return course_of(values, start)
    # The file may be of another version.
    except (RacecarError, KeyError, TypeError, ValueError):
        return None


def laps_of_drive(
    motion: Motion, file: RunFile | None, rule: LapRule | None = None,
) -> LapTimes | None:
    """Laps of base_link on the track that has the name of the world; None without one."""
    course = None if file is None else course_of_world(file.world)
    return None if course is None else lap_times(course, motion.t, motion.x, motion.y, rule)


def further_quantities(collisions: int | None, laps: LapTimes | None) -> dict[str, Quantity]:
    """Contacts and laps of a drive by name, as far as they are known."""
    return {**({} if collisions is None else {'collisions': Quantity('collisions', collisions)}),
            **({} if laps is None else laps.quantities())}
