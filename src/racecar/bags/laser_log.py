# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A drive with a laser from a bag."""

from __future__ import annotations

from collections.abc import Callable
import math
from pathlib import Path
from typing import Any

import numpy as np

from racecar.analysis.laser_log import LaserLog, SeenScan
from racecar.bags import message_types
from racecar.bags.drive_log import grid_of_message
from racecar.bags.reader import BagMessage, BagReader, stamp_ns
from racecar.bags.static_frames import StaticFrames
from racecar.bags.summary import BagSummary, find_robot, find_topic
from racecar.base.errors import BagError
from racecar.base.poses import NO_POSE, rotated
from racecar.base.types import NANOSECONDS, quaternion_to_yaw
from racecar.ros import topics
from racecar.scene.scene import EMPTY_SCENE, Scene

_KEPT = 25
"""Scans of a drive that are kept, spread over it."""


def has_scans(summary: BagSummary) -> bool:
    """Return whether a bag holds what read_laser_log() reads."""
    return any(row.type_name == message_types.SCAN for row in summary.topics)


def read_laser_log(
    path: Path | str, progress: Callable[[int, int], None] | None = None,
) -> LaserLog:
    """Read path and some scans of a drive from a bag; header.stamp is the time base.

    Where the laser is on the robot says tf_static, that of its namespace if there is one; without
    it, it is where the odometry is.
    progress: called with the number of messages read so far and in all. Raises BagError if the bag
    cannot be read, or has no odometry or no scans.
    """
    with BagReader(path) as reader:
        summary = reader.summary
        odometry, namespace, *_ = find_robot(summary)
        scans = find_topic(
            summary, (f'{namespace}/{topics.SCAN}', topics.SCAN), message_types.SCAN)
        counts = {row.name: row.message_count for row in summary.topics}
        every = max(1, math.ceil(counts[scans] / _KEPT))
        there = {(row.name, row.type_name) for row in summary.topics}
        beside: dict[str, str] = {}
        for name, kind, is_shared in (
                (topics.TF_STATIC, message_types.TRANSFORMS, True),
                (topics.MAP, message_types.MAP, True),
                (topics.COLLISIONS, message_types.COUNT, False)):
            # Cars share a world, but not what they run into.
            for topic in (f'{namespace}/{name}', *([f'/{name}'] if is_shared else [])):
                if (topic, kind) in there:
                    beside[topic] = name
                    break
        rows: list[tuple[int, float, float, float, float]] = []
        kept: list[Any] = []
        frames, base = StaticFrames(), ''
        scene, collisions, seen = EMPTY_SCENE, None, 0

        def take(row: BagMessage) -> None:
            nonlocal base, scene, collisions, seen
            name = beside.get(row.topic)
            if row.topic == odometry:
                rows.append(_odometry_row(row.message))
                base = str(row.message.child_frame_id)
            elif row.topic == scans:
                if seen % every == every // 2:
                    kept.append(row.message)
                seen += 1
            elif name == topics.COLLISIONS:
                collisions = row.message.data
            elif name == topics.MAP:
                scene = Scene(grid=grid_of_message(row.message))
            else:
                frames.add(row.message)

        reader.hand_out(dict.fromkeys([odometry, scans, *beside], take), progress)
    for topic, found in ((odometry, len(rows)), (scans, seen)):
        if not found:
            raise BagError(f"bag '{path}': {topic} has no messages; was its node running?")
    table = np.array(sorted(rows))
    t = (table[:, 0] - table[0, 0]) / NANOSECONDS
    x, y, yaw = table[:, 1], table[:, 2], np.unwrap(table[:, 3])

    def seen_scan(message: Any) -> SeenScan:
        at = (stamp_ns(message) - table[0, 0]) / NANOSECONDS
        px, py, heading = (float(np.interp(at, t, values)) for values in (x, y, yaw))
        mount = frames.pose(message.header.frame_id, base) or NO_POSE
        ahead, left, turn = mount.x, mount.y, quaternion_to_yaw(*mount[3:])
        # Of a laser that hangs upside down they count the other way round.
        side = math.copysign(1.0, rotated(mount[3:], (0.0, 0.0, 1.0))[2])
        cosine, sine = math.cos(heading), math.sin(heading)
        ranges = np.asarray(message.ranges, dtype=np.float32)
        return SeenScan(
            at, px + ahead * cosine - left * sine, py + ahead * sine + left * cosine,
            heading + turn,
            side * (message.angle_min + message.angle_increment * np.arange(len(ranges))), ranges)

    return LaserLog(
        Path(path).resolve().name, t, x, y, yaw, table[:, 4],
        tuple(seen_scan(message) for message in kept), scene, collisions)


def _odometry_row(message: Any) -> tuple[int, float, float, float, float]:
    pose, turn = message.pose.pose.position, message.pose.pose.orientation
    return (stamp_ns(message), pose.x, pose.y, quaternion_to_yaw(turn.x, turn.y, turn.z, turn.w),
            message.twist.twist.linear.x)
