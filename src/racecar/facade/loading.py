# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs from folders, bags and CSV files as objects, of one car or of several."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, overload, TYPE_CHECKING

from racecar.facade.arguments import suggesting_names
from racecar.facade.fleet_run import FleetRun
from racecar.facade.run import Run

if TYPE_CHECKING:
    from racecar.bags import runs


@overload
def load(
    path: str | os.PathLike[str], *, car: str, odometry_topic: str | None = ...,
    reference_topic: str | None = ...,
) -> Run: ...


# Any in the place of FleetRun: whoever loads a single run need not ask whether it is one.
@overload
def load(
    path: str | os.PathLike[str], *, car: None = ..., odometry_topic: str | None = ...,
    reference_topic: str | None = ...,
) -> Run | Any: ...


@suggesting_names
def load(
    path: str | os.PathLike[str], *, car: str | None = None, odometry_topic: str | None = None,
    reference_topic: str | None = None,
) -> Run | Any:
    """Load a run; of several cars in one world, a FleetRun with the run of each.

    path: folder of a run (of `simulate --report`, `up --report`, `demo`, or `run.save()`),
    rosbag2 folder (MCAP or sqlite3), .mcap or .db3 file, .bag file of ROS 1, or CSV file.
    car: name of one of several cars, of which a Run is wanted.
    odometry_topic, reference_topic: of a bag, nav_msgs/Odometry; by default those of the robot in
    it. Raises RunError, BagError or ConfigurationError with a line that says why it cannot be
    read.
    """
    # The readers of bags take longer to import than all else.
    from racecar.bags.runs import read_cars, read_run

    place = Path(os.path.expanduser(os.fspath(path)))
    if car is None and odometry_topic is None and reference_topic is None:
        read = read_cars(place)
        if read:
            first = next(iter(read.values()))
            return FleetRun.of_cars(
                first.name, {name: _run_of(one) for name, one in read.items()}, first.skip)
    return _run_of(read_run(
        place, car=car, odometry_topic=odometry_topic, reference_topic=reference_topic))


def _run_of(read: runs.Run) -> Run:
    return Run(f'{read.name}, {read.car}' if read.car else read.name, read.motion, read.tracking,
               read.source, () if read.tracking is None else read.tracking.warnings, read.skip,
               lambda: read.file, collisions=read.counted)
