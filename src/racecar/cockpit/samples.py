# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joins what comes on the topics of a robot to rows of its state, one for each odometry.

All rows of a batch at once: at full speed a tick has a fifth of a millisecond for everything.
"""

from __future__ import annotations

from typing import Any

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
)
from racecar.core.vehicles.ackermann import middle_angles

Rows = NDArray[np.float64]

# So many samples may wait: a second at full speed.
_MOST = 5000
# What has a stamp so far ahead has one of another clock, and counts at once [ns].
_FAR = NANOSECONDS
# A reference goes on along its tangent for so long, and then is none any more [ns].
_EXTRAPOLATED, _FORGOTTEN = NANOSECONDS // 5, NANOSECONDS // 2
_LONG_AGO = -10**18


class _Stream:
    """Numbers with stamps, each of which counts until the next."""

    def __init__(self, width: int) -> None:
        self._rows: list[tuple[float, ...]] = []
        self._held = np.full(1 + width, np.nan)
        self._held[0] = _LONG_AGO
        self.newest_ns = _LONG_AGO

    def add(self, stamp_ns: int, numbers: tuple[float, ...]) -> None:
        """Add numbers that count from a time on [ns]."""
        if len(self._rows) < _MOST:
            self._rows.append((stamp_ns, *numbers))
        self.newest_ns = stamp_ns

    def at(self, times: Rows) -> tuple[Rows, Rows]:
        """Return stamps (n,) [ns] and numbers (n, width) at ascending times [ns]; moves there."""
        if not self._rows:
            found = np.broadcast_to(self._held, (len(times), len(self._held)))
            return found[:, 0], found[:, 1:]
        rows = np.vstack([self._held, np.array(self._rows, dtype=np.float64)])
        stamps = rows[:, 0]
        stamps[stamps > times[-1] + _FAR] = times[0]
        np.maximum.accumulate(stamps, out=stamps)
        places = np.searchsorted(stamps, times, side='right') - 1
        self._held = rows[places[-1]]
        self._rows = self._rows[places[-1]:]
        return stamps[places], rows[places, 1:]


class Samples:
    """The rows of one robot. Columns that are not known are NaN."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        """columns: as the message `robot` lists them."""
        self.tracked_ahead = 0.0
        self._odometry: list[tuple[float, ...]] = []
        self._last_ns = -1.0
        self._held_ns = -1
        self._names: tuple[str, ...] = ()
        self._begin_anew()
        self.set_columns(columns)

    def _begin_anew(self) -> None:
        self._references = _Stream(5)
        self._commands = _Stream(len(COMMAND))
        self._joints = _Stream(len(self._names))
        self._driver = _Stream(len(DRIVER))

    def set_columns(self, columns: tuple[str, ...]) -> None:
        """Give rows other columns from now on."""
        self._columns = columns
        self._places = {name: index for index, name in enumerate(columns)}
        self._place_joints()

    def _place_joints(self) -> None:
        found = [(index, self._places[joint_column(name)])
                 for index, name in enumerate(self._names) if joint_column(name) in self._places]
        self._from, self._to = ([*indices] for indices in zip(*found, strict=True)) \
            if found else ([], [])

    @property
    def waiting(self) -> int:
        """How many rows take() could return."""
        return len(self._odometry)

    @property
    def last_ns(self) -> int:
        """Time of the newest odometry [ns]; -1 before the first."""
        return int(self._odometry[-1][0] if self._odometry else self._last_ns)

    def add_odometry(self, time_ns: int, state: BodyState) -> None:
        """Add what makes a row."""
        pose, twist = state
        if len(self._odometry) < _MOST:
            self._odometry.append((time_ns, *pose, twist.vx, twist.wz))

    def add_reference(self, reference: Odometry) -> None:
        """Add a reference, with the tangent as its heading."""
        self._references.add(reference.time_ns, reference[1:6])

    def add_command(self, command: AckermannCommand, stamp_ns: int) -> None:
        """Add a command; NaN for what it does not say."""
        self._commands.add(stamp_ns, command)

    def add_joints(self, joints: JointStates, stamp_ns: int) -> None:
        """Add positions of joints."""
        if joints.names != self._names:
            self._names = joints.names
            self._joints = _Stream(len(self._names))
            self._place_joints()
        self._joints.add(stamp_ns, joints.positions)

    def add_driver(self, numbers: tuple[float, ...], stamp_ns: int) -> None:
        """Add what DRIVER lists."""
        self._driver.add(stamp_ns, numbers)

    def take(self, *, waits: bool = True) -> tuple[Rows, Rows] | None:
        """Return times (n,) [s] and rows (n, columns) that are complete; None if there are none.

        waits: the newest one waits until the next call for its reference, which comes after it.
        """
        count = len(self._odometry)
        if waits and count and self._awaits_reference(self.last_ns):
            self._held_ns = self.last_ns
            count -= 1
        if not count:
            return None
        odometry = np.array(self._odometry[:count], dtype=np.float64)
        if odometry[0, 0] < self._last_ns:
            self._begin_anew()
        back = np.flatnonzero(np.diff(odometry[:, 0]) < 0.0)
        if len(back):
            # Where a simulation began anew the rest is for the next time.
            odometry = odometry[:back[0] + 1]
        del self._odometry[:len(odometry)]
        self._last_ns = odometry[-1, 0]
        return odometry[:, 0] / NANOSECONDS, self._rows(odometry)

    def _awaits_reference(self, time_ns: int) -> bool:
        newest = self._references.newest_ns
        return self._held_ns != time_ns and 0 < time_ns - newest < _FORGOTTEN

    def _rows(self, odometry: Rows) -> Rows:
        times = odometry[:, 0]
        rows = np.full((len(times), len(self._columns)), np.nan)
        rows[:, :len(POSE) + len(MOTION)] = odometry[:, 1:]
        self._put(rows, COMMAND, self._commands.at(times)[1])
        self._put(rows, DRIVER, self._driver.at(times)[1])
        joints = self._joints.at(times)[1]
        rows[:, self._to] = joints[:, self._from]
        if set(HINGE_JOINTS) <= {*self._names}:
            left, right = (joints[:, self._names.index(name)] for name in HINGE_JOINTS)
            self._put(rows, (STEERING,), middle_angles(left, right)[:, None])
        self._add_errors(rows, times)
        return rows

    def _put(self, rows: Rows, names: tuple[str, ...], numbers: Rows) -> None:
        first = self._places.get(names[0])
        if first is not None:
            rows[:, first:first + len(names)] = numbers

    def _add_errors(self, rows: Rows, times: Rows) -> None:
        stamps, numbers = self._references.at(times)
        age = times - stamps
        x, y, qz, qw, speed = numbers.T
        # A heading: the other two numbers of the quaternion are 0.
        along, across = qw * qw - qz * qz, 2.0 * qw * qz
        way = np.where(age < _FORGOTTEN, speed * np.minimum(age, _EXTRAPOLATED) / NANOSECONDS,
                       np.nan)
        x, y = x + way * along, y + way * across
        self._put(rows, REFERENCE, np.column_stack(
            [x, y, np.where(age < _FORGOTTEN, speed, np.nan)]))
        px, py, _, qx, qy, qz, qw = rows[:, :len(POSE)].T
        ahead = self.tracked_ahead
        error_x = px + ahead * (1.0 - 2.0 * (qy * qy + qz * qz)) - x
        error_y = py + ahead * 2.0 * (qw * qz + qx * qy) - y
        self._put(rows, ERRORS, np.column_stack([
            np.hypot(error_x, error_y), error_x * along + error_y * across,
            error_y * along - error_x * across]))


def driver_numbers(message: Any) -> tuple[float, ...]:
    """Return what DRIVER lists of a racecar_interfaces/DriverState."""
    return tuple(map(float, (
        message.gear, message.rpm, message.throttle, message.brake_intensity)))
