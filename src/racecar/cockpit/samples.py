# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joins what comes on the topics of a robot to rows of its state, one for each odometry.

All rows of a batch at once: at full speed a tick has a fifth of a millisecond for everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from racecar.base.types import (
    AckermannCommand,
    BodyState,
    HINGE_JOINTS,
    JointStates,
    NANOSECONDS,
    Odometry,
    Pose3,
    Twist3,
)
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
from racecar.dynamics.vehicles.ackermann import middle_angles

Rows = NDArray[np.float64]

MOST_WAITING = 5000
"""So many samples of a kind may wait: more than half a second at full speed."""

# What has a stamp so far ahead has one of another clock, and counts at once [ns].
_FAR = NANOSECONDS
# A reference goes on along its tangent for so long, and then is none any more [ns].
_EXTRAPOLATED, _FORGOTTEN = NANOSECONDS // 5, NANOSECONDS // 2
# Stamps that step back by less come from a second publisher; by more, from another run [ns].
_JITTER = NANOSECONDS // 10
_LONG_AGO = -10**18
_DRIVER = attrgetter('gear', 'rpm', 'throttle', 'brake_intensity')
# What is shown of the stamp and the numbers of Pose3 and Twist3.
_ODOMETRY = (0, *(1 + index for index in range(len(Pose3._fields))),
             1 + len(Pose3._fields) + Twist3._fields.index('vx'),
             1 + len(Pose3._fields) + Twist3._fields.index('wz'))


class _Waiting:
    """Rows of numbers, a stamp [ns] in front, as they came: one by one or many at once."""

    def __init__(self, width: int, most: int) -> None:
        """width: numbers of a row beside the stamp; most: how many rows may wait."""
        self._width = width
        self._most = most
        self._blocks: list[Rows] = []
        self._single: list[tuple[float, ...]] = []
        self._count = 0
        self.newest_ns: float = _LONG_AGO

    def __len__(self) -> int:
        return self._count

    def add(self, row: tuple[float, ...]) -> None:
        """Add a row, unless too many wait."""
        if self._count < self._most:
            self._single.append(row)
            self._count += 1
        self.newest_ns = row[0]

    def extend(self, rows: Rows) -> None:
        """Add rows (n, 1 + width), as far as not too many wait then."""
        self._close_block()
        self._blocks.append(rows[:self._most - self._count])
        self._count += len(self._blocks[-1])
        self.newest_ns = rows[-1, 0]

    def all(self) -> Rows:
        """All rows (n, 1 + width)."""
        self._close_block()
        if len(self._blocks) != 1:
            self._blocks = [np.concatenate([np.empty((0, 1 + self._width)), *self._blocks])]
        return self._blocks[0]

    def keep(self, rows: Rows) -> None:
        """Let only these rows wait any longer."""
        self._blocks, self._single, self._count = [rows], [], len(rows)

    def _close_block(self) -> None:
        if self._single:
            self._blocks.append(np.array(self._single, dtype=np.float64))
            self._single = []


class _Stream(_Waiting):
    """Numbers each of which counts until the next."""

    def __init__(self, width: int, most: int) -> None:
        super().__init__(width, most)
        self._held = np.full(1 + width, np.nan)
        self._held[0] = _LONG_AGO

    def at(self, times: Rows) -> tuple[Rows, Rows]:
        """Stamps (n,) [ns] and numbers (n, width) at ascending times [ns]; moves there."""
        if not len(self):
            found = np.broadcast_to(self._held, (len(times), len(self._held)))
            return found[:, 0], found[:, 1:]
        rows = np.vstack([self._held, self.all()])
        stamps = rows[:, 0]
        stamps[stamps > times[-1] + _FAR] = times[0]
        np.maximum.accumulate(stamps, out=stamps)
        places = np.searchsorted(stamps, times, side='right') - 1
        self._held = rows[places[-1]]
        self.keep(rows[places[-1] + 1:])
        return stamps[places], rows[places, 1:]


class Samples:
    """The rows of one robot. Columns that are not known are NaN."""

    def __init__(self, columns: tuple[str, ...], most_waiting: int = MOST_WAITING) -> None:
        """columns: as the message `robot` lists them; most_waiting: samples of a kind."""
        self.tracked_ahead = 0.0
        self._most = most_waiting
        # The last number is the time that the row is shown at.
        self._odometry = _Waiting(len(POSE) + len(MOTION) + 1, most_waiting)
        self._held_ns = -1
        self._ignores_references = False
        self._names: tuple[str, ...] = ()
        self.begin_anew()
        self.set_columns(columns)

    def begin_anew(self) -> None:
        """Forget all that counts for the rows to come, as a simulation began anew."""
        self._last_ns = -1.0
        self._references = _Stream(5, self._most)
        self._commands = _Stream(len(COMMAND), self._most)
        self._joints = _Stream(len(self._names), self._most)
        self._driver = _Stream(len(DRIVER), self._most)

    def is_of_another_run(self, time_ns: int) -> bool:
        """Whether odometry of this time [ns] lies before that which came last."""
        return time_ns < self.last_ns - _JITTER

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
    def last_ns(self) -> int:
        """Time of the newest odometry [ns]; -1 before the first."""
        return int(self._odometry.newest_ns if len(self._odometry) else self._last_ns)

    def add_odometry(
        self, time_ns: int, state: BodyState, shown_at: float | None = None,
    ) -> None:
        """Add what makes a row; shown_at: its time in take() [s], by default its stamp."""
        pose, twist = state
        self._odometry.add((time_ns, *pose, twist.vx, twist.wz,
                            time_ns / NANOSECONDS if shown_at is None else shown_at))

    def extend_odometry(self, rows: Rows) -> None:
        """Add many at once; rows (n, 14): stamps [ns], the numbers of Pose3 and Twist3."""
        self._odometry.extend(np.column_stack([rows[:, _ODOMETRY], rows[:, 0] / NANOSECONDS]))

    def ignore_references(self, ignored: bool) -> None:
        """Let rows have no reference and errors, or have them again.

        For a robot that was put elsewhere, until its tracker begins anew.
        """
        self._ignores_references = ignored
        self._references = _Stream(5, self._most)

    def add_reference(self, reference: Odometry) -> None:
        """Add a reference, with the tangent as its heading."""
        if not self._ignores_references:
            self._references.add(reference[:6])

    def extend_references(self, rows: Rows) -> None:
        """Add many at once; rows (n, 8): the numbers of Odometry."""
        if not self._ignores_references:
            self._references.extend(rows[:, :6])

    def add_command(self, command: AckermannCommand, stamp_ns: int) -> None:
        """Add a command; NaN for what it does not say."""
        self._commands.add((stamp_ns, *command))

    def extend_commands(self, rows: Rows) -> None:
        """Add many at once; rows (n, 3): stamps [ns], the numbers of AckermannCommand."""
        self._commands.extend(rows)

    def add_joints(self, joints: JointStates, stamp_ns: int) -> None:
        """Add positions of joints."""
        self._name_joints(joints.names)
        self._joints.add((stamp_ns, *joints.positions))

    def extend_joints(self, joints: Sequence[tuple[JointStates, int]]) -> None:
        """Add many, each with its stamp [ns], of a robot that always has the same joints."""
        self._name_joints(joints[-1][0].names)
        self._joints.extend(np.array(
            [(stamp_ns, *found.positions) for found, stamp_ns in joints], dtype=np.float64))

    def _name_joints(self, names: tuple[str, ...]) -> None:
        if names != self._names:
            self._names = names
            self._joints = _Stream(len(names), self._most)
            self._place_joints()

    def add_driver(self, numbers: tuple[float, ...], stamp_ns: int) -> None:
        """Add what DRIVER lists."""
        self._driver.add((stamp_ns, *numbers))

    def take(self, *, waits: bool = True) -> tuple[Rows, Rows] | None:
        """Times (n,) [s] and rows (n, columns) that are complete; None if there are none.

        waits: the newest one waits until the next call for its reference, which comes after it.
        """
        count = len(self._odometry)
        if waits and count and self._awaits_reference(self.last_ns):
            self._held_ns = self.last_ns
            count -= 1
        if not count:
            return None
        waiting = self._odometry.all()
        odometry = waiting[:count]
        if odometry[0, 0] < self._last_ns - _JITTER:
            self.begin_anew()
        steps = np.diff(odometry[:, 0])
        back = np.flatnonzero(steps < -_JITTER)
        if len(back):
            # Where a simulation began anew the rest is for the next time.
            odometry = odometry[:back[0] + 1]
        self._odometry.keep(waiting[len(odometry):])
        if (steps < 0.0).any():
            odometry = odometry[np.argsort(odometry[:, 0], kind='stable')]
        self._last_ns = odometry[-1, 0]
        return odometry[:, -1], self._rows(odometry)

    def _awaits_reference(self, time_ns: int) -> bool:
        newest = self._references.newest_ns
        return self._held_ns != time_ns and 0 < time_ns - newest < _FORGOTTEN

    def _rows(self, odometry: Rows) -> Rows:
        times = odometry[:, 0]
        rows = np.full((len(times), len(self._columns)), np.nan)
        rows[:, :len(POSE) + len(MOTION)] = odometry[:, 1:-1]
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


def driver_numbers(message: object) -> tuple[float, ...]:
    """The columns DRIVER of a racecar_interfaces/DriverState."""
    return tuple(map(float, _DRIVER(message)))
