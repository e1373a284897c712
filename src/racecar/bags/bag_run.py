# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run from a bag, with a reference or without."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from racecar.analysis.motion import Motion
from racecar.analysis.run_data import TrackingRun
from racecar.bags.car_rows import MotionRows
from racecar.bags.drive_reader import DriveReader, Progress
from racecar.bags.laser_log import map_and_collisions
from racecar.bags.tracking_run import tracking_run_in
from racecar.base.errors import BagError
from racecar.ros import topics
from racecar.scene.scene import EMPTY_SCENE, Scene


class BagRun(NamedTuple):
    """What racecar.bags.runs.Run has of a bag, by the same names; warnings: its read_warnings.

    start_ns: stamp that is 0 s of all times [ns].
    """

    motion: Motion
    tracking: TrackingRun | None
    source: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...] = ()
    collisions: int | None = None
    map_scene: Scene = EMPTY_SCENE
    start_ns: int = 0


def read_bag_run(
    path: Path, odometry_topic: str | None = None, reference_topic: str | None = None, *,
    car: str | None = None, needs_reference: bool = False, progress: Progress | None = None,
) -> BagRun:
    """Read a bag; arguments and errors as for racecar.bags.runs.read_run()."""
    with DriveReader(path, odometry_topic, car) as drive:
        # That of another car is none.
        place = '' if car is None else drive.robot.namespace
        if reference_topic is None and not needs_reference and not _has_reference(drive, place):
            finish = _ask_motion(drive)
            drive.read(progress)
            return finish()
        tracked = tracking_run_in(drive, reference_topic, progress)
    assert tracked.run.motion is not None
    if not tracked.run.motion.t.size:
        # None of it can be used, and this says why.
        tracked.run.merged()
    return BagRun(tracked.run.motion, tracked.run, tracked.source, tracked.bag.warnings,
                  start_ns=tracked.run.origin_ns)


def read_bag_runs(
    path: Path, cars: Sequence[str], progress: Progress | None = None,
) -> list[BagRun]:
    """Read the runs of several cars, those without a reference in one walk over the bag.

    Errors as of read_bag_run().
    """
    with DriveReader(path) as drive:
        drives = {car: drive.of_car(car) for car in cars}
        finish = {car: _ask_motion(one) for car, one in drives.items()
                  if not _has_reference(one, one.robot.namespace)}
        if finish:
            drive.read(progress)
    return [finish[car]() if car in finish else read_bag_run(path, car=car, progress=progress)
            for car in cars]


def _has_reference(drive: DriveReader, place: str) -> bool:
    """Whether a bag has a reference below a namespace, '' for any."""
    return any(row.name.endswith(f'{place}/{topics.REFERENCE_TRAJECTORY}')
               for row in drive.summary.topics)


def _ask_motion(drive: DriveReader) -> Callable[[], BagRun]:
    """Ask for a run without a reference; returns what gives it once the bag is read."""
    rows = MotionRows.of(drive)
    grids, counts = map_and_collisions(drive)

    def finish() -> BagRun:
        motion = rows.motion()
        if not motion.t.size:
            raise BagError(
                f"bag '{drive.path}': {rows.odometry.topic} has no messages that can be used;"
                ' was its node running?')
        return BagRun(motion, None, (('Bag', str(drive.path)),),
                      collisions=counts[0] if counts else None,
                      map_scene=Scene(grid=grids[0]) if grids else EMPTY_SCENE,
                      start_ns=int(rows.odometry.stamps.min()))

    return finish
