# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a car moved, from its odometry, commands and diagnostics in a bag."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, NamedTuple

from racecar.analysis.motion import Motion
from racecar.bags import message_types
from racecar.bags.drive_reader import Columns, DriveReader, Rows, seconds
from racecar.bags.message_values import pose_in_plane
from racecar.ros import topics

COMMANDS = tuple(dict.fromkeys(
    (topics.COMMAND, topics.HIGH_LEVEL_OUTPUT, *(
        names.get(topics.NAVIGATION_COMMAND, topics.NAVIGATION_COMMAND)
        for names in topics.TOPIC_NAMES.values()))))
"""What the car obeys, or what comes nearest to it in the bag."""


def _motion(message: Any) -> tuple[float, ...]:
    twist = message.twist.twist
    return *pose_in_plane(message), twist.linear.x, twist.linear.y, twist.angular.z


PLANAR_MOTION = Columns(('x', 'y', 'yaw', 'vx', 'vy', 'yaw_rate'), _motion)
"""Of an Odometry [m, rad, s]."""
_COMMAND = Columns(('speed', 'steering_angle'), attrgetter('drive.speed', 'drive.steering_angle'))
_STATE_FIELDS = ('steering_angle', 'slip_angle_front', 'slip_angle_rear')
_STATE = Columns(_STATE_FIELDS, attrgetter(*_STATE_FIELDS))


class MotionRows(NamedTuple):
    """Rows of one car; a bag need not have more than those of the odometry."""

    odometry: Rows
    commands: Rows
    states: Rows

    @classmethod
    def of(cls, drive: DriveReader, namespace: str | None = None) -> MotionRows:
        """Ask for them; namespace: of all but the odometry, by default that of the robot."""
        command = drive.beside(message_types.ACKERMANN, *COMMANDS, namespace=namespace)
        state = drive.beside(message_types.CAR_STATE, topics.CAR_STATE, namespace=namespace)
        return cls(drive.rows(drive.robot.odometry, PLANAR_MOTION),
                   drive.rows(command, _COMMAND), drive.rows(state, _STATE))

    def motion(self, origin_ns: int | None = None) -> Motion:
        """What was read; 0 s is origin_ns, by default the first stamp of the odometry."""
        if origin_ns is None:
            origin_ns = int(min(self.odometry.stamps, default=0))
        columns = []
        for rows in self:
            stamps, table = rows.ordered()
            columns += [seconds(stamps, origin_ns), *table.T]
        return Motion(*columns)
