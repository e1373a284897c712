# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A drive with a laser from a bag."""

from __future__ import annotations

from collections.abc import Callable
import itertools
import math
from operator import attrgetter
from pathlib import Path

import numpy as np

from racecar.analysis.laser_log import LaserLog, SeenScan
from racecar.bags import message_types
from racecar.bags.car_rows import PLANAR_MOTION
from racecar.bags.drive_reader import DriveReader, Progress, seconds
from racecar.bags.message_values import grid
from racecar.bags.static_frames import StaticFrames
from racecar.bags.summary import BagSummary, find_scans
from racecar.base.errors import BagError
from racecar.base.poses import rotated
from racecar.base.types import NANOSECONDS, Pose2, Pose3, quaternion_to_yaw
from racecar.ros import topics
from racecar.scene.grid_map import OccupancyGrid
from racecar.scene.scene import EMPTY_SCENE, Scene

_KEPT = 25
"""Scans of a drive that are kept, spread over it."""


def has_scans(summary: BagSummary) -> bool:
    """Whether a bag holds what read_laser_log() reads."""
    return any(row.type_name == message_types.SCAN for row in summary.topics)


def read_laser_log(
    path: Path | str, progress: Progress | None = None, *, car: str | None = None,
) -> LaserLog:
    """Read path and some scans of a drive from a bag; header.stamp is the time base.

    Where the laser is on the robot says tf_static, that of its namespace if there is one; without
    it, it is where the odometry is.
    progress: called with the number of messages read so far and in all. car: name of one of
    several. Raises BagError if the bag cannot be read, or has no odometry or no scans.
    """
    with DriveReader(path, car=car) as drive:
        topic = find_scans(drive.summary, drive.robot)
        odometry = drive.rows(drive.pose_topic, PLANAR_MOTION)
        frames = StaticFrames(drive)
        scans = drive.values(topic, _spread(drive.summary, topic))
        grids, counts = map_and_collisions(drive)
        drive.read(progress)
    odometry.check()
    if not scans:
        raise BagError(f"bag '{path}': {topic} has no messages; was its node running?")
    stamps, table = odometry.ordered(at_least=1)
    origin = int(stamps[0])
    t, x, y, yaw = seconds(stamps, origin), table[:, 0], table[:, 1], np.unwrap(table[:, 2])

    def seen_scan(stamp: int, message: object) -> SeenScan:
        at = (stamp - origin) / NANOSECONDS
        px, py, heading = (float(np.interp(at, t, values)) for values in (x, y, yaw))
        mount = frames.pose(attrgetter('header.frame_id')(message))
        return _seen_scan(at, Pose2(px, py, heading), mount, message)

    return LaserLog(
        drive.summary.name, t, x, y, yaw, table[:, 3], tuple(seen_scan(*row) for row in scans),
        Scene(grid=grids[0]) if grids else EMPTY_SCENE, counts[0] if counts else None)


def map_and_collisions(drive: DriveReader) -> tuple[list[OccupancyGrid], list[int]]:
    """Ask for the map and the number of collisions; each list has one once the bag is read."""
    # Cars share a world, but not what they run into.
    return (
        drive.newest(drive.beside(message_types.MAP, topics.MAP, is_shared=True), grid),
        drive.newest(drive.beside(message_types.COUNT, topics.COLLISIONS), attrgetter('data')))


def _spread(summary: BagSummary, topic: str) -> Callable[[object], object]:
    """Function that returns a few of the messages of a topic, spread over the bag, else None."""
    count = sum(row.message_count for row in summary.topics if row.name == topic)
    every = max(1, math.ceil(count / _KEPT))
    number = itertools.count()
    return lambda message: message if next(number) % every == every // 2 else None


def _seen_scan(time: float, robot: Pose2, mount: Pose3, message: object) -> SeenScan:
    """What a laser saw that is mounted on a robot; time [s]."""
    # Of a laser that hangs upside down the rays count the other way round.
    side = math.copysign(1.0, rotated(mount[3:], (0.0, 0.0, 1.0))[2])
    cosine, sine = math.cos(robot.yaw), math.sin(robot.yaw)
    first, step, found = attrgetter('angle_min', 'angle_increment', 'ranges')(message)
    ranges = np.asarray(found, dtype=np.float32)
    return SeenScan(
        time, robot.x + mount.x * cosine - mount.y * sine,
        robot.y + mount.x * sine + mount.y * cosine, robot.yaw + quaternion_to_yaw(*mount[3:]),
        side * (first + step * np.arange(len(ranges))), ranges)
