# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a car moved, from its odometry, commands and diagnostics in a bag."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from racecar.analysis.motion import Motion
from racecar.bags import message_types
from racecar.bags.reader import BagMessage, stamp_ns
from racecar.bags.summary import BagSummary
from racecar.base.types import NANOSECONDS, quaternion_to_yaw
from racecar.ros import topics
from racecar.simulation.metrics.tracking_error import Array

# What the car obeys, or what comes nearest to it in the bag.
_COMMANDS = tuple(dict.fromkeys(
    (topics.COMMAND, topics.HIGH_LEVEL_OUTPUT, *(
        names.get(topics.NAVIGATION_COMMAND, topics.NAVIGATION_COMMAND)
        for names in topics.TOPIC_NAMES.values()))))


_BEYOND = 1e9
"""No position, speed or angle of a robot is so large [SI]."""


class MotionSamples:
    """Collects the messages of one car; the bag need not have more than its odometry."""

    def __init__(self, summary: BagSummary, odometry: str, namespace: str) -> None:
        """odometry: its topic; namespace: of the other topics, as /car1 or an empty one."""
        self._odometry = odometry
        there = {(row.name, row.type_name) for row in summary.topics if row.message_count}
        self._command = next((
            topic for name in _COMMANDS
            if (topic := f'{namespace}/{name}', message_types.ACKERMANN) in there), '')
        state = f'{namespace}/{topics.CAR_STATE}'
        self._state = state if (state, message_types.CAR_STATE) in there else ''
        self._rows = {topic: _Rows(width) for topic, width in (
            (odometry, 6), (self._command, 2), (self._state, 3))}

    @property
    def topics(self) -> list[str]:
        """Those that the bag has."""
        return [topic for topic in self._rows if topic]

    def add(self, row: BagMessage) -> None:
        """Take a message of one of the topics."""
        message = row.message
        rows = self._rows[row.topic]
        if row.topic == self._odometry:
            rows.add(message, _odometry(message))
        elif row.topic == self._command:
            rows.add(message, (message.drive.speed, message.drive.steering_angle))
        else:
            rows.add(message, (message.steering_angle, message.slip_angle_front,
                               message.slip_angle_rear))

    def data(self, origin_ns: int | None = None) -> Motion:
        """Return what was added; 0 s is origin_ns, by default the first stamp of the odometry."""
        if origin_ns is None:
            origin_ns = self._rows[self._odometry].first_ns
        (t, odometry), (command_t, command), (state_t, state) = (
            self._rows[topic].columns(origin_ns)
            for topic in (self._odometry, self._command, self._state))
        x, y, yaw, vx, vy, yaw_rate = odometry
        return Motion(t, x, y, yaw, vx, vy, yaw_rate, command_t, command[0], command[1], state_t,
                      state[0], state[1], state[2])


class _Rows:
    """Rows of numbers with stamps."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._stamps = array('q')
        self._numbers = array('d')

    def add(self, message: Any, numbers: Sequence[float]) -> None:
        self._stamps.append(stamp_ns(message))
        self._numbers.extend(numbers)

    @property
    def first_ns(self) -> int:
        """The least of the stamps [ns], 0 without one."""
        return min(self._stamps, default=0)

    def columns(self, origin_ns: int) -> tuple[Array, Array]:
        """Return times (n,) [s], strictly ascending, and columns (width, n).

        Of several messages with one stamp the last counts; those with values that are not finite
        or beyond all that drives are left out.
        """
        rows = np.array(self._numbers).reshape(-1, self._width)
        stamps = np.array(self._stamps, dtype=np.int64)
        finite = (np.abs(rows) < _BEYOND).all(axis=1)
        rows, stamps = rows[finite], stamps[finite]
        order = np.argsort(stamps, kind='stable')
        stamps = stamps[order]
        last = np.append(stamps[1:] != stamps[:-1], True) if stamps.size else order.astype(bool)
        return (stamps[last] - origin_ns) / NANOSECONDS, rows[order][last].T


def _odometry(message: Any) -> tuple[float, ...]:
    place, turn = message.pose.pose.position, message.pose.pose.orientation
    linear, angular = message.twist.twist.linear, message.twist.twist.angular
    return (place.x, place.y, quaternion_to_yaw(turn.x, turn.y, turn.z, turn.w), linear.x,
            linear.y, angular.z)
