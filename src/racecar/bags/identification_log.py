# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A drive to identify a vehicle from, out of a bag: commands, odometry, pose, gyroscope."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path

import numpy as np

from racecar.bags import message_types
from racecar.bags.car_rows import COMMANDS
from racecar.bags.drive_reader import Columns, DriveReader, Progress, Rows, seconds
from racecar.bags.message_values import pose_in_plane
from racecar.bags.summary import find_topic
from racecar.base.errors import BagError
from racecar.identification.drive import Channel, RawLog
from racecar.ros import topics
from racecar.ros.topics.sets import names_in_all_sets

_COLUMNS = {
    'command': Columns(('steering_command', 'speed_command'),
                       attrgetter('drive.steering_angle', 'drive.speed')),
    'odometry': Columns(('wheel_speed',), lambda message: (message.twist.twist.linear.x,)),
    'pose': Columns(('x', 'y', 'yaw'), pose_in_plane),
    'imu': Columns(('yaw_rate', 'ax', 'ay'), attrgetter(
        'angular_velocity.z', 'linear_acceleration.x', 'linear_acceleration.y')),
}


def read_identification_log(
    path: Path | str, names: Mapping[str, str] | None = None, progress: Progress | None = None,
) -> RawLog:
    """Read a drive from a bag; header.stamp is the time base.

    names: topic by role, by default those of any set of topic names. The roles: command, the
    ackermann_msgs/AckermannDriveStamped that the car obeyed; odometry, the nav_msgs/Odometry with
    the speed of the wheels; pose, the nav_msgs/Odometry with the true pose, as of a localisation,
    else that of odometry; imu, a sensor_msgs/Imu. Raises BagError if the bag cannot be read, a
    topic is missing or its stamps do not grow.
    """
    given = names or {}
    with DriveReader(path, given.get('odometry')) as drive:
        asked = [drive.rows(topic, _COLUMNS[role])
                 for role, topic in _chosen(drive, given).items()]
        drive.read(progress)
    origin = min((int(rows.stamps[0]) for rows in asked if rows.count), default=0)
    channels: dict[str, Channel] = {}
    for rows in asked:
        channels |= _channels(rows, drive.path, origin)
    return RawLog(drive.path.resolve().stem, channels, str(path))


def _chosen(drive: DriveReader, given: Mapping[str, str]) -> dict[str, str]:
    """Topic by role, without an imu if the bag has none."""
    def find(role: str, usual: tuple[str, ...], kind: str) -> str:
        return find_topic(drive.summary, (given[role],) if role in given
                          else names_in_all_sets(*usual), kind)

    odometry = drive.robot.odometry
    chosen = {'command': find('command', COMMANDS, message_types.ACKERMANN),
              'odometry': odometry}
    for role, usual, kind, other in (
            ('pose', (topics.FILTERED_ODOMETRY,), message_types.ODOMETRY, {'pose': odometry}),
            ('imu', (topics.IMU,), message_types.IMU, {})):
        try:
            chosen[role] = find(role, usual, kind)
        except BagError:
            if role in given:
                raise
            chosen |= other
    return chosen


def _channels(rows: Rows, path: Path, origin: int) -> dict[str, Channel]:
    """Columns as channels. Raises BagError where there is no time base."""
    topic, names, table = rows.topic, rows.columns.names, rows.table
    if rows.count < 2:
        raise BagError(
            f"bag '{path}': {topic} has {rows.count} messages, expected a recorded drive")
    t = seconds(rows.stamps, origin)
    back = np.flatnonzero(np.diff(t) < 0.0)
    if back.size:
        at = int(back[0])
        raise BagError(
            f"bag '{path}': the clock of {topic} jumps from {t[at]:.6g} s to {t[at + 1]:.6g}"
            ' s, expected stamps that grow; cut the bag there')
    wrong = np.argwhere(~np.isfinite(table))
    if wrong.size:
        raise BagError(f"bag '{path}': {topic} has {table[tuple(wrong[0])]} for"
                       f' {names[int(wrong[0][1])]} at {t[int(wrong[0][0])]:.6g} s, expected'
                       ' finite numbers')
    # Of several messages with one stamp the last counts.
    keep = np.append(np.diff(t) > 0.0, True)
    return {name: Channel(t[keep], np.ascontiguousarray(column))
            for name, column in zip(names, table[keep].T, strict=True)}
