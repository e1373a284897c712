# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a bag tells to who wants to see its drive: poses, joints, lamps, scans, robot, map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from racecar.analysis.drive import Drive
from racecar.bags import message_types
from racecar.bags.body_states import body_state
from racecar.bags.reader import BagMessage, BagReader, stamp_ns
from racecar.bags.static_frames import StaticFrames
from racecar.bags.summary import BagSummary, find_robot, find_topic
from racecar.base.errors import BagError, ConfigurationError
from racecar.base.poses import NO_POSE, pose_of_child, rotated
from racecar.base.types import (
    BodyState,
    LampSwitches,
    NANOSECONDS,
    Pose2,
    Pose3,
    quaternion_to_yaw,
)
from racecar.description.urdf import RobotDescription
from racecar.driver.controls import Indicator
from racecar.ros import topics
from racecar.scene.grid_map import grid_of_cells, OccupancyGrid

_BESIDE = {
    topics.ROBOT_DESCRIPTION: message_types.TEXT, topics.MAP: message_types.MAP,
    topics.REFERENCE_PATH: message_types.PATH, topics.DRIVER_LAMPS: message_types.LAMP_SWITCHES,
}


class DriveLog(NamedTuple):
    """A drive; what the robot is made of and the map around it, None where the bag has neither."""

    drive: Drive
    description: RobotDescription | None
    grid: OccupancyGrid | None


def read_drive_log(
    path: Path | str, *, with_scans: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> DriveLog:
    """Read a drive from a bag; header.stamp is the time base, 0 s the first odometry.

    with_scans: read laser scans, too. progress: called with the number of messages read so far
    and in all. Raises BagError if the bag cannot be read, has no odometry, or has no scans though
    they are wanted.
    """
    with BagReader(path) as reader:
        summary = reader.summary
        odometry, namespace, *_ = find_robot(summary)
        wanted = {odometry: 'odometry'}
        for name, kind in _BESIDE.items():
            topic = f'{namespace}/{name}'
            if _has(summary, topic, kind):
                wanted[topic] = name
        joints = next((
            topic for name in (topics.JOINT_STATES, topics.WORLD_JOINT_STATES)
            if _has(summary, topic := f'{namespace}/{name}', message_types.JOINTS)), '')
        if joints:
            wanted[joints] = 'joints'
        if f'{namespace}/{topics.DRIVER_LAMPS}' not in wanted:
            # What bags of earlier versions have in its place.
            state = f'{namespace}/{topics.DRIVER_STATE}'
            if _has(summary, state, message_types.DRIVER_STATE):
                wanted[state] = topics.DRIVER_STATE
        if with_scans:
            wanted[find_topic(summary, (f'{namespace}/{topics.SCAN}',), message_types.SCAN)] = (
                'scans')
            tf = next((topic for topic in (f'{namespace}/{topics.TF_STATIC}',
                                           f'/{topics.TF_STATIC}')
                       if _has(summary, topic, message_types.TRANSFORMS)), '')
            if tf:
                wanted[tf] = topics.TF_STATIC
        frames, base = StaticFrames(), ''
        found: dict[str, list[Any]] = {name: [] for name in wanted.values()}

        def take(row: BagMessage) -> None:
            nonlocal base
            name = wanted[row.topic]
            if name == topics.TF_STATIC:
                frames.add(row.message)
                return
            if name == 'odometry':
                base = str(row.message.child_frame_id)
            found[name].append(_REDUCED[name](row.message))

        reader.hand_out(dict.fromkeys(wanted, take), progress)
    # Of a stamp that came twice, after a reset, the last.
    seen = {stamp: state.pose for stamp, state in found['odometry'] if state is not None}
    if len(seen) < 2:
        raise BagError(
            f"bag '{path}': {odometry} has {len(found['odometry'])} messages, of which {len(seen)}"
            ' can be used, expected at least 2; was its node running?')
    stamps = np.array(sorted(seen), dtype=np.int64)
    origin = int(stamps[0])
    t = (stamps - origin) / NANOSECONDS
    poses = np.array([seen[stamp] for stamp in stamps.tolist()])
    names, joint_t, positions = _joints(found.get('joints', []), origin)
    texts, grids, paths = (
        found.get(name, []) for name in (topics.ROBOT_DESCRIPTION, topics.MAP,
                                         topics.REFERENCE_PATH))
    description = _description(path, texts[-1]) if texts else None
    drive = Drive(
        t, poses, names, joint_t, positions,
        np.array(paths[-1]).reshape(-1, 2) if paths else np.empty((0, 2)), np.empty(0),
        start_ns=origin, **_lamps(
            found.get(topics.DRIVER_LAMPS) or found.get(topics.DRIVER_STATE) or [], origin))
    if with_scans:
        # A description has the frames of the robot that is drawn.
        links = {} if description is None else description.tree.poses()
        drive = _with_scans(drive, found['scans'], origin, lambda frame: links.get(
            frame.rpartition('/')[2]) or frames.pose(frame, base) or NO_POSE)
    return DriveLog(drive, description, grids[-1] if grids else None)


def _has(summary: BagSummary, topic: str, kind: str) -> bool:
    return any(row.name == topic and row.type_name == kind and row.message_count
               for row in summary.topics)


def _description(path: Path | str, text: str) -> RobotDescription:
    try:
        return RobotDescription.from_urdf(text)
    except ConfigurationError as error:
        raise BagError(
            f"bag '{path}': the robot description in it cannot be used: {error}; --vehicle names"
            ' another robot') from error


def _odometry(message: Any) -> tuple[int, BodyState | None]:
    return stamp_ns(message), body_state(message)


def _joint_row(message: Any) -> tuple[int, tuple[str, ...], tuple[float, ...]]:
    return stamp_ns(message), tuple(message.name), tuple(map(float, message.position))


def _lamp_row(message: Any) -> tuple[int, LampSwitches]:
    return stamp_ns(message), LampSwitches(
        *(getattr(message, name) for name in LampSwitches._fields))


def _state_row(message: Any) -> tuple[int, LampSwitches]:
    """Return the switches that a racecar_interfaces/DriverState tells."""
    return stamp_ns(message), LampSwitches(
        message.hazard_flashers or message.indicator == Indicator.LEFT,
        message.hazard_flashers or message.indicator == Indicator.RIGHT,
        message.front_lights_lit, message.rear_lights_lit, message.antifog_lights_lit,
        message.brake_lights_lit, message.backwards_lights_lit, message.indicator_period)


def _lamps(rows: list[tuple[int, LampSwitches]], origin: int) -> dict[str, Any]:
    """Return when the lamps were switched, and how."""
    changes: list[tuple[int, LampSwitches]] = []
    for stamp, switches in sorted(rows, key=lambda row: row[0]):
        # What simulators do not obey is not shown either.
        if switches.can_blink and (not changes or switches != changes[-1][1]):
            changes.append((stamp, switches))
    return {'lamp_t': np.array([(stamp - origin) / NANOSECONDS for stamp, _ in changes]),
            'switches': [switches for _, switches in changes]}


def _scan(message: Any) -> tuple[int, str, float, float, Any]:
    return (stamp_ns(message), message.header.frame_id, message.angle_min,
            message.angle_increment, np.asarray(message.ranges, dtype=np.float64))


def grid_of_message(message: Any) -> OccupancyGrid:
    """Return the map of a nav_msgs/OccupancyGrid. Raises MessageError for what is none."""
    info = message.info
    place, turn = info.origin.position, info.origin.orientation
    # Converted here: a compiled function takes numbers only, and says at length that it does.
    return grid_of_cells(
        np.array(message.data, dtype=np.int8), info.height, info.width, float(info.resolution),
        Pose2(float(place.x), float(place.y),
              quaternion_to_yaw(*map(float, (turn.x, turn.y, turn.z, turn.w)))))


def _path(message: Any) -> list[tuple[float, float]]:
    places = [(pose.pose.position.x, pose.pose.position.y) for pose in message.poses]
    return [place for place in places if all(map(math.isfinite, place))]


def _text(message: Any) -> str:
    return str(message.data)


# What is kept of each message: whole ones would fill the memory.
_REDUCED: dict[str, Callable[[Any], Any]] = {
    'odometry': _odometry, 'joints': _joint_row, 'scans': _scan, topics.MAP: grid_of_message,
    topics.REFERENCE_PATH: _path, topics.ROBOT_DESCRIPTION: _text,
    topics.DRIVER_LAMPS: _lamp_row, topics.DRIVER_STATE: _state_row}


def _joints(
    rows: list[tuple[int, tuple[str, ...], tuple[float, ...]]], origin: int,
) -> tuple[tuple[str, ...], Any, Any]:
    if not rows:
        return (), np.zeros(1), np.empty((1, 0))
    names = rows[0][1]
    rows = sorted(row for row in rows if row[1] == names and len(row[2]) == len(names)
                  and all(map(math.isfinite, row[2])))
    if not rows:
        return (), np.zeros(1), np.empty((1, 0))
    times = (np.array([row[0] for row in rows], dtype=np.int64) - origin) / NANOSECONDS
    return names, times, np.array([row[2] for row in rows]).reshape(len(rows), len(names))


def _with_scans(
    drive: Drive, rows: list[tuple[int, str, float, float, Any]], origin: int,
    pose_of: Callable[[str], Pose3],
) -> Drive:
    """Return the drive with the points that the laser saw; pose_of: of a frame on the robot."""
    times, scans = [], []
    for stamp, frame, first, step, ranges in sorted(rows, key=lambda row: row[0]):
        time = (stamp - origin) / NANOSECONDS
        times.append(time)
        scans.append(_points(pose_of_child(drive.pose(time), pose_of(frame)), first, step, ranges))
    return replace(drive, scan_t=np.array(times), scans=scans)


def _points(laser: Pose3, first: float, step: float, ranges: Any) -> Any:
    angles = first + step * np.arange(len(ranges))
    seen = np.isfinite(ranges) & np.isfinite(angles)
    angles, ranges = angles[seen], ranges[seen]
    # Axes of the scan's plane in the scene.
    along, left = (np.array(rotated(laser[3:], axis))
                   for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    return (np.array(laser[:3]) + (ranges * np.cos(angles))[:, None] * along
            + (ranges * np.sin(angles))[:, None] * left)
