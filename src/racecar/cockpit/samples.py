# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joins what comes on the topics of a robot to rows of its state, one for each odometry."""

from __future__ import annotations

from collections import deque
import math
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from racecar.cockpit.columns import (
    COMMAND,
    DRIVER,
    ERRORS,
    joint_column,
    MOTION,
    POSE,
    REFERENCE,
    STEERING,
)
from racecar.core.types import (
    AckermannCommand,
    BodyState,
    HINGE_JOINTS,
    JointStates,
    NANOSECONDS,
    Odometry,
    quaternion_to_yaw,
)

Row = NDArray[np.float64]
Value = TypeVar('Value')

# So much may wait for its time: a second at full speed.
_MOST = 5000
# What has a stamp so far ahead has one of another clock, and counts at once [ns].
_FAR = NANOSECONDS
# A reference goes on along its tangent for so long, and then is none any more [ns].
_EXTRAPOLATED, _FORGOTTEN = NANOSECONDS // 5, NANOSECONDS // 2


class _Held(Generic[Value]):
    """The newest value of a stream at a time that goes on."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Value]] = deque(maxlen=_MOST)
        self.stamp_ns = -1
        self.newest_ns = -1
        self.value: Value | None = None

    def add(self, stamp_ns: int, value: Value) -> None:
        """Add a value that counts from a time on [ns]."""
        self._waiting.append((stamp_ns, value))
        self.newest_ns = stamp_ns

    def advance(self, time_ns: int) -> None:
        """Go on to a time [ns]."""
        while self._waiting and not time_ns < self._waiting[0][0] <= time_ns + _FAR:
            self.stamp_ns, self.value = self._waiting.popleft()


class Samples:
    """The rows of one robot. Columns that are not known are NaN."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        """columns: as the message `robot` lists them."""
        self.tracked_ahead = 0.0
        self._odometry: deque[tuple[int, BodyState]] = deque(maxlen=_MOST)
        self._references: _Held[Odometry] = _Held()
        self._commands: _Held[AckermannCommand] = _Held()
        self._joints: _Held[JointStates] = _Held()
        self._driver: _Held[tuple[float, ...]] = _Held()
        self._last_ns = -1
        self._held_ns = -1
        self.set_columns(columns)

    def set_columns(self, columns: tuple[str, ...]) -> None:
        """Give rows other columns from now on."""
        places = {name: index for index, name in enumerate(columns)}
        self._width = len(columns)
        self._pose = slice(0, len(POSE) + len(MOTION))
        self._command = places[COMMAND[0]]
        self._steering = places[STEERING]
        self._reference = places[REFERENCE[0]]
        self._errors = places[ERRORS[0]]
        self._driver_place = places.get(DRIVER[0])
        self._places = places

    @property
    def last_ns(self) -> int:
        """Time of the newest odometry [ns]; -1 before the first."""
        return self._odometry[-1][0] if self._odometry else self._last_ns

    def add_odometry(self, time_ns: int, state: BodyState) -> None:
        """Add what makes a row."""
        self._odometry.append((time_ns, state))

    def add_reference(self, reference: Odometry) -> None:
        """Add a reference, with the tangent as its heading."""
        self._references.add(reference.time_ns, reference)

    def add_command(self, command: AckermannCommand, stamp_ns: int) -> None:
        """Add a command; NaN for what it does not say."""
        self._commands.add(stamp_ns, command)

    def add_joints(self, joints: JointStates, stamp_ns: int) -> None:
        """Add positions of joints."""
        self._joints.add(stamp_ns, joints)

    def add_driver(self, numbers: tuple[float, ...], stamp_ns: int) -> None:
        """Add what DRIVER lists."""
        self._driver.add(stamp_ns, numbers)

    def take(self) -> tuple[Row, Row] | None:
        """Return times (n,) [s] and rows (n, columns) that are complete; None if there are none.

        The newest one waits until the next call for its reference, which comes after it.
        """
        count = len(self._odometry)
        if count and self._awaits_reference(self._odometry[-1][0]):
            self._held_ns = self._odometry[-1][0]
            count -= 1
        if not count:
            return None
        times, rows = np.empty(count), np.full((count, self._width), np.nan)
        for index in range(count):
            time_ns, state = self._odometry.popleft()
            times[index] = time_ns / NANOSECONDS
            self._fill(rows[index], time_ns, state)
        return times, rows

    def _awaits_reference(self, time_ns: int) -> bool:
        newest = self._references.newest_ns
        return self._held_ns != time_ns and 0 <= time_ns - newest < _FORGOTTEN \
            and newest != time_ns

    def _fill(self, row: Row, time_ns: int, state: BodyState) -> None:
        if time_ns < self._last_ns:
            # A simulation that began anew.
            self._references, self._commands = _Held(), _Held()
            self._joints, self._driver = _Held(), _Held()
        self._last_ns = time_ns
        for held in (self._references, self._commands, self._joints, self._driver):
            held.advance(time_ns)
        pose, twist = state
        row[self._pose] = (*pose, twist.vx, twist.wz)
        if self._commands.value is not None:
            row[self._command:self._command + len(COMMAND)] = self._commands.value
        if self._joints.value is not None:
            self._fill_joints(row, self._joints.value)
        if self._driver_place is not None and self._driver.value is not None:
            row[self._driver_place:self._driver_place + len(DRIVER)] = self._driver.value
        self._fill_reference(row, time_ns, state)

    def _fill_joints(self, row: Row, joints: JointStates) -> None:
        positions = dict(zip(joints.names, joints.positions, strict=True))
        for name, position in positions.items():
            place = self._places.get(joint_column(name))
            if place is not None:
                row[place] = position
        left, right = (positions.get(name, math.nan) for name in HINGE_JOINTS)
        row[self._steering] = middle_angle(left, right)

    def _fill_reference(self, row: Row, time_ns: int, state: BodyState) -> None:
        reference, age = self._references.value, time_ns - self._references.stamp_ns
        if reference is None or not 0 <= age < _FORGOTTEN:
            return
        yaw = reference.yaw
        along, across = math.cos(yaw), math.sin(yaw)
        way = reference.vx * min(age, _EXTRAPOLATED) / NANOSECONDS
        x, y = reference.x + way * along, reference.y + way * across
        row[self._reference:self._reference + len(REFERENCE)] = x, y, reference.vx
        heading = quaternion_to_yaw(*state.pose[3:])
        error_x = state.pose.x + self.tracked_ahead * math.cos(heading) - x
        error_y = state.pose.y + self.tracked_ahead * math.sin(heading) - y
        row[self._errors:self._errors + len(ERRORS)] = (
            math.hypot(error_x, error_y), error_x * along + error_y * across,
            error_y * along - error_x * across)


def middle_angle(left: float, right: float) -> float:
    """Return the angle between two steered wheels, whose cotangent is their mean [rad]."""
    a, b = math.tan(left), math.tan(right)
    return math.atan(2.0 * a * b / (a + b)) if a + b else 0.5 * (left + right)


def driver_numbers(message: Any) -> tuple[float, ...]:
    """Return what DRIVER lists of a racecar_interfaces/DriverState."""
    return message.gear, message.rpm, message.throttle, message.brake_intensity
