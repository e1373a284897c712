# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a bag tells to who wants to see its drive: poses, joints, lamps, scans, robot, map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from racecar.analysis.drive import Drive
from racecar.bags import message_types, message_values
from racecar.bags.drive_reader import Columns, DriveReader, Progress, seconds
from racecar.bags.static_frames import StaticFrames
from racecar.bags.summary import find_scans
from racecar.base.columns import Array
from racecar.base.errors import BagError, ConfigurationError
from racecar.base.poses import pose_of_child, rotated
from racecar.base.types import JointStates, LampSwitches, NANOSECONDS, Pose3
from racecar.description.urdf import RobotDescription
from racecar.ros import topics
from racecar.scene.grid_map import OccupancyGrid


def _pose(message: object) -> Pose3 | None:
    state = message_values.body_state(message)
    return None if state is None else state.pose


_POSE = Columns(Pose3._fields, _pose)


class DriveLog(NamedTuple):
    """A drive; what the robot is made of and the map around it, None where the bag has neither."""

    drive: Drive
    description: RobotDescription | None
    grid: OccupancyGrid | None


class _Scan(NamedTuple):
    """A LaserScan: frame, angle of the first ray, from ray to ray [rad], ranges [m]."""

    frame: str
    first: float
    step: float
    ranges: Array

    @classmethod
    def of(cls, message: object) -> _Scan:
        frame, first, step, ranges = attrgetter(
            'header.frame_id', 'angle_min', 'angle_increment', 'ranges')(message)
        return cls(frame, first, step, np.asarray(ranges, dtype=np.float64))

    def points(self, laser: Pose3) -> Array:
        """Where the rays ended, (n, 3) [m]; laser: its pose in the scene."""
        angles = self.first + self.step * np.arange(len(self.ranges))
        seen = np.isfinite(self.ranges) & np.isfinite(angles)
        angles, ranges = angles[seen], self.ranges[seen]
        # Axes of the scan's plane in the scene.
        along, left = (np.array(rotated(laser[3:], axis))
                       for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
        return np.asarray(np.array(laser[:3]) + (ranges * np.cos(angles))[:, None] * along
                          + (ranges * np.sin(angles))[:, None] * left)


def read_drive_log(
    path: Path | str, *, car: str | None = None, with_scans: bool = False,
    progress: Progress | None = None,
) -> DriveLog:
    """Read a drive from a bag; header.stamp is the time base, 0 s the first odometry.

    car: name of one of several. with_scans: read laser scans, too. progress: called with the
    number of messages read so far and in all. Raises BagError if the bag cannot be read, has no
    odometry, or has no scans though they are wanted.
    """
    with DriveReader(path, car=car) as drive:
        odometry = drive.rows(drive.pose_topic, _POSE)
        joints = drive.values(
            drive.beside(message_types.JOINTS, topics.JOINT_STATES, topics.WORLD_JOINT_STATES),
            message_values.joint_states)
        lamps = _lamp_values(drive)
        texts = drive.newest(drive.beside(message_types.TEXT, topics.ROBOT_DESCRIPTION),
                             lambda message: str(message.data))
        grids = drive.newest(
            drive.beside(message_types.MAP, topics.MAP, is_shared=True), message_values.grid)
        paths = drive.newest(
            drive.beside(message_types.PATH, topics.REFERENCE_PATH), message_values.path_points)
        scans = drive.values(find_scans(drive.summary, drive.robot), _Scan.of) \
            if with_scans else []
        frames = StaticFrames(drive) if with_scans else None
        drive.read(progress)
    # Of a stamp that came twice, after a reset, the last.
    stamps, poses = odometry.ordered(at_least=2)
    origin = int(stamps[0])
    description = _description(path, texts[0]) if texts else None
    reference = paths[0] if paths else np.empty((0, 2))
    lamp_t, switches = _lamps(lamps, origin)
    found = Drive(
        seconds(stamps, origin), poses, *_joints(joints, origin),
        reference[np.isfinite(reference).all(axis=1)], np.empty(0), start_ns=origin,
        lamp_t=lamp_t, switches=switches)
    if frames is not None:
        # A description has the frames of the robot that is drawn.
        links = {} if description is None else description.tree.poses()
        found = _with_scans(found, scans, lambda frame: links.get(
            frame.rpartition('/')[2]) or frames.pose(frame))
    return DriveLog(found, description, grids[0] if grids else None)


def _lamp_values(drive: DriveReader) -> list[tuple[int, LampSwitches]]:
    """Ask how the lamps were switched."""
    topic = drive.beside(message_types.LAMP_SWITCHES, topics.DRIVER_LAMPS)
    if topic:
        return drive.values(topic, message_values.lamp_switches)
    # What bags of earlier versions have in its place.
    return drive.values(drive.beside(message_types.DRIVER_STATE, topics.DRIVER_STATE),
                        message_values.switches_of_state)


def _description(path: Path | str, text: str) -> RobotDescription:
    try:
        return RobotDescription.from_urdf(text)
    except ConfigurationError as error:
        raise BagError(
            f"bag '{path}': the robot description in it cannot be used: {error}; --vehicle names"
            ' another robot') from error


def _lamps(
    rows: Sequence[tuple[int, LampSwitches]], origin: int,
) -> tuple[Array, list[LampSwitches]]:
    """Times at which the lamps were switched [s], and how."""
    changes: list[tuple[int, LampSwitches]] = []
    for stamp, switches in sorted(rows, key=lambda row: row[0]):
        # What simulators do not obey is not shown either.
        if switches.can_blink and (not changes or switches != changes[-1][1]):
            changes.append((stamp, switches))
    return (np.array([(stamp - origin) / NANOSECONDS for stamp, _ in changes]),
            [switches for _, switches in changes])


def _joints(
    rows: Sequence[tuple[int, JointStates]], origin: int,
) -> tuple[tuple[str, ...], Array, Array]:
    """Names, times (n,) [s] and positions (n, joints) of the joints that the first message has."""
    names = rows[0][1].names if rows else ()
    found = {stamp: joints.positions for stamp, joints in rows if joints.names == names}
    if not found:
        return (), np.zeros(1), np.empty((1, 0))
    stamps = sorted(found)
    return names, seconds(np.array(stamps, dtype=np.int64), origin), np.array(
        [found[stamp] for stamp in stamps]).reshape(len(stamps), len(names))


def _with_scans(
    drive: Drive, scans: Sequence[tuple[int, _Scan]], pose_of: Callable[[str], Pose3],
) -> Drive:
    """The drive with the points that the laser saw; pose_of: of a frame on the robot."""
    times, points = [], []
    for stamp, scan in sorted(scans, key=lambda row: row[0]):
        time = (stamp - drive.start_ns) / NANOSECONDS
        times.append(time)
        points.append(scan.points(pose_of_child(drive.pose(time), pose_of(scan.frame))))
    return replace(drive, scan_t=np.array(times), scans=points)
