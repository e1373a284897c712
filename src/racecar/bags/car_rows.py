# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a car moved and what its tyres did, from the messages of one car in a bag."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from racecar.analysis.motion import Motion
from racecar.analysis.tyre_data import pair_samples, TyreCurve, TyreData
from racecar.bags import message_types
from racecar.bags.drive_reader import Columns, DriveReader, Rows, seconds, time_of_recording
from racecar.bags.message_values import pose_in_plane
from racecar.base.types import WHEEL_NAMES
from racecar.ros import topics

COMMANDS = (topics.COMMAND, topics.HIGH_LEVEL_OUTPUT, topics.NAVIGATION_COMMAND)
"""What the car obeys, or what comes nearest to it in the bag."""


_PLANAR_TWIST = attrgetter(
    'twist.twist.linear.x', 'twist.twist.linear.y', 'twist.twist.angular.z')


def _motion(message: object) -> tuple[float, ...]:
    return *pose_in_plane(message), *_PLANAR_TWIST(message)


PLANAR_MOTION = Columns(('x', 'y', 'yaw', 'vx', 'vy', 'yaw_rate'), _motion)
"""Of an Odometry [m, rad, s]."""
_COMMAND = Columns(('speed', 'steering_angle'), attrgetter('drive.speed', 'drive.steering_angle'))
_STATE_FIELDS = ('steering_angle', 'slip_angle_front', 'slip_angle_rear')
_STATE = Columns(_STATE_FIELDS, attrgetter(*_STATE_FIELDS))
_NUMBER = Columns(('data',), lambda message: (message.data,))


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
        return cls(drive.rows(drive.pose_topic, PLANAR_MOTION),
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


class TyreRows:
    """Slip and forces of the wheels of one car; times are those of recording."""

    def __init__(self, drive: DriveReader, namespace: str) -> None:
        """Ask for those below a namespace, as /car1 or an empty one."""
        def wanted(name: str) -> Rows:
            topic = drive.beside(message_types.NUMBER, name, namespace=namespace)
            return drive.rows(topic, _NUMBER, time_of_recording)

        self._rows = {(quantity, wheel): wanted(f'{quantity}/{wheel}')
                      for quantity in topics.WHEELS for wheel in WHEEL_NAMES}

    def data(self) -> TyreData | None:
        """What was read; None if no force has its slip."""
        starts = [int(rows.stamps[0]) for rows in self._rows.values() if rows.count]
        if not starts:
            return None
        found = TyreData(
            dict(self._curves(
                topics.WHEEL_SLIP, topics.WHEEL_LONGITUDINAL_FORCE, min(starts))),
            dict(self._curves(
                topics.WHEEL_SLIP_ANGLE, topics.WHEEL_LATERAL_FORCE, min(starts))))
        return found if found.fx or found.fy else None

    def _curves(
        self, slip_topic: str, force_topic: str, origin_ns: int,
    ) -> Iterator[tuple[str, TyreCurve]]:
        for wheel in WHEEL_NAMES:
            slip, force = self._rows[slip_topic, wheel], self._rows[force_topic, wheel]
            if not (slip.count and force.count):
                continue
            first, second = pair_samples(slip.stamps, force.stamps)
            if first.size:
                yield wheel, TyreCurve(seconds(slip.stamps[first], origin_ns),
                                       slip.table[first, 0], force.table[second, 0])
