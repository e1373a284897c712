# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A drive to identify a vehicle from, out of a bag: commands, odometry, pose, gyroscope."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from racecar.bags import message_types
from racecar.bags.reader import BagMessage, BagReader, stamp_ns
from racecar.bags.summary import BagSummary, find_robot, find_topic
from racecar.base.errors import BagError
from racecar.base.types import NANOSECONDS, quaternion_to_yaw
from racecar.identification.drive import Channel, RawLog
from racecar.ros import topics

COMMAND_TOPICS = (f'/{topics.COMMAND}', '/drive', f'/{topics.NAVIGATION_COMMAND}')
IMU_TOPICS = (f'/{topics.IMU}', '/imu')
POSE_TOPICS = ('/pf/pose/odom',)

TOPIC_ROLES = {
    'command': 'ackermann_msgs/AckermannDriveStamped that the car obeyed',
    'odometry': 'nav_msgs/Odometry with the speed of the wheels',
    'pose': 'nav_msgs/Odometry with the true pose, as of a localisation; else that of odometry',
    'imu': 'sensor_msgs/Imu',
}

Row = tuple[int, tuple[float, ...]]


class _Rows:
    """Stamps and numbers of one topic."""

    def __init__(self, width: int) -> None:
        self._stamps = array('q')
        self._numbers = array('d')
        self._width = width

    def add(self, stamp: int, numbers: tuple[float, ...]) -> None:
        self._stamps.append(stamp)
        self._numbers.extend(numbers)

    def channels(self, topic: str, path: Path, names: tuple[str, ...],
                 origin: int) -> dict[str, Channel]:
        """Return the columns as channels. Raises BagError where there is no time base."""
        if len(self._stamps) < 2:
            raise BagError(f"bag '{path}': {topic} has {len(self._stamps)} messages, expected a"
                           ' recorded drive')
        t = (np.array(self._stamps) - origin) / NANOSECONDS
        back = np.flatnonzero(np.diff(t) < 0.0)
        if back.size:
            at = int(back[0])
            raise BagError(
                f"bag '{path}': the clock of {topic} jumps from {t[at]:.6g} s to {t[at + 1]:.6g}"
                ' s, expected stamps that grow; cut the bag there')
        # Of several messages with one stamp the last counts.
        keep = np.append(np.diff(t) > 0.0, True)
        table = np.array(self._numbers).reshape(-1, self._width)
        wrong = np.argwhere(~np.isfinite(table))
        if wrong.size:
            raise BagError(f"bag '{path}': {topic} has {table[tuple(wrong[0])]} for"
                           f' {names[int(wrong[0][1])]} at {t[int(wrong[0][0])]:.6g} s, expected'
                           ' finite numbers')
        return {name: Channel(t[keep], np.ascontiguousarray(column))
                for name, column in zip(names, table[keep].T, strict=True)}

    @property
    def first(self) -> int | None:
        """The first stamp [ns]."""
        return self._stamps[0] if self._stamps else None


def _command(message: Any) -> tuple[float, ...]:
    return message.drive.steering_angle, message.drive.speed


def _odometry(message: Any) -> tuple[float, ...]:
    return (message.twist.twist.linear.x,)


def _pose(message: Any) -> tuple[float, ...]:
    position, turn = message.pose.pose.position, message.pose.pose.orientation
    return position.x, position.y, quaternion_to_yaw(turn.x, turn.y, turn.z, turn.w)


def _imu(message: Any) -> tuple[float, ...]:
    return (message.angular_velocity.z, message.linear_acceleration.x,
            message.linear_acceleration.y)


_COLUMNS: dict[str, tuple[tuple[str, ...], Callable[[Any], tuple[float, ...]]]] = {
    'command': (('steering_command', 'speed_command'), _command),
    'odometry': (('wheel_speed',), _odometry),
    'pose': (('x', 'y', 'yaw'), _pose),
    'imu': (('yaw_rate', 'ax', 'ay'), _imu),
}


def read_identification_log(
    path: Path | str, names: Mapping[str, str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RawLog:
    """Read a drive from a bag; header.stamp is the time base.

    names: topic by role (TOPIC_ROLES), by default those of this package or of F1TENTH. Raises
    BagError if the bag cannot be read, a topic is missing or its stamps do not grow.
    """
    given = names or {}
    with BagReader(path) as reader:
        summary = reader.summary
        chosen = _chosen(summary, given)
        rows = {role: _Rows(len(_COLUMNS[role][0])) for role in chosen}
        roles: dict[str, list[str]] = {}
        for role, topic in chosen.items():
            roles.setdefault(topic, []).append(role)

        def take(row: BagMessage) -> None:
            for role in roles[row.topic]:
                rows[role].add(stamp_ns(row.message), _COLUMNS[role][1](row.message))

        reader.hand_out(dict.fromkeys(roles, take), progress)
    origin = min((row.first for row in rows.values() if row.first is not None), default=0)
    channels: dict[str, Channel] = {}
    for role, columns in rows.items():
        channels |= columns.channels(chosen[role], summary.path, _COLUMNS[role][0], origin)
    return RawLog(summary.path.resolve().stem, channels, str(path))


def _chosen(summary: BagSummary, given: Mapping[str, str]) -> dict[str, str]:
    odometry = find_robot(summary, given.get('odometry')).odometry
    chosen = {
        'command': find_topic(summary, (given['command'],) if 'command' in given
                              else COMMAND_TOPICS, message_types.ACKERMANN),
        'odometry': odometry}
    for role, usual, kind, other in (('pose', POSE_TOPICS, message_types.ODOMETRY, odometry),
                                     ('imu', IMU_TOPICS, message_types.IMU, None)):
        if role in given:
            chosen[role] = find_topic(summary, (given[role],), kind)
            continue
        try:
            chosen[role] = find_topic(summary, usual, kind)
        except BagError:
            if other is not None:
                chosen[role] = other
    return chosen
