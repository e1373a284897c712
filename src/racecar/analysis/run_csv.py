# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The CSV file of a run, read back as RunCsv of run_table writes it."""

from __future__ import annotations

from collections.abc import Sequence
import csv
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from racecar.analysis.completeness import lost_ticks
from racecar.analysis.motion import Motion
from racecar.analysis.run_data import TrackingRun
from racecar.base.errors import excerpt, RunError
from racecar.metrics.path_kernels import move_ahead
from racecar.metrics.run_table import answered_rows, COLUMNS, RunTable

_FINITE = COLUMNS.index('yaw_rate') + 1
_REFERENCE, _COMMANDS = slice(_FINITE, _FINITE + 2), slice(_FINITE + 2, _FINITE + 4)
_LARGEST = 1e12  # [SI], of a time as well


def read_run_csv(path: Path | str, tracked_ahead: float = 0.0) -> RunTable:
    """Read a run from a CSV file; reference and command may be empty.

    tracked_ahead: as in RunTable [m]. Raises RunError, naming the line, for what is no such file.
    """
    name = f'run {excerpt(str(path))}'
    try:
        with open(path, newline='', encoding='utf-8') as stream:
            lines = csv.reader(stream)
            if tuple(next(lines, ())) != COLUMNS:
                raise RunError(
                    f'{name} does not begin with the columns of a run, expected'
                    f" {','.join(COLUMNS)}")
            rows = [_row(name, number, line) for number, line in enumerate(lines, start=2)]
    except OSError as error:
        raise RunError(f'{name} cannot be read: {error.strerror}; check the path') from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise RunError(f'{name} is no CSV file: {error}') from error
    except ValueError as error:  # a NUL in the path
        raise RunError(f'{name} cannot be read: {error}; check the path') from error
    if len(rows) < 2:
        raise RunError(f'{name} has {len(rows)} rows, expected at least 2')
    table = RunTable(np.array(rows), tracked_ahead)
    steps = np.diff(table.column('time'))
    if np.any(steps <= 0.0):
        raise RunError(
            f'{name}, line {int(np.argmax(steps <= 0.0)) + 3}: its times do not ascend, expected'
            ' each later than the last')
    return table


def motion_of(table: RunTable) -> Motion:
    """How the car of a run moved; 0 s is its first row."""
    t, x, y, yaw, vx, vy, yaw_rate = (table.column(name) for name in COLUMNS[:_FINITE])
    t = t - t[0]
    speed, steering = table.column('speed_command'), table.column('steering_command')
    known = np.isfinite(speed) & np.isfinite(steering)
    return Motion(t, x, y, yaw, vx, vy, yaw_rate, t[known], speed[known], steering[known])


def tracking_run_of(table: RunTable, name: str) -> TrackingRun | None:
    """Tracked point and reference of a run; None if it has no reference."""
    moved: NDArray[np.float64] = np.array([table.column(column) for column in COLUMNS[:4]])
    t, x, y, yaw = moved
    desired_x, desired_y = table.column('x_reference'), table.column('y_reference')
    known = np.isfinite(desired_x) & np.isfinite(desired_y)
    if not known.any():
        return None
    if table.tracked_ahead:
        move_ahead(x, y, yaw, table.tracked_ahead)
    t = t - t[0]
    lost = lost_ticks(t)
    warnings = () if lost is None else (
        f'{lost.ticks} of {lost.ticks + t.size} rows are missing ({lost.share:.1%}): the times'
        f' step by {lost.period:.4g} s, at {lost.longest_at:.3f} s by {lost.longest:.6g} s',)
    return TrackingRun(
        name=name, t=t, x=x, y=y, yaw=yaw, reference_t=t[known], reference_x=desired_x[known],
        reference_y=desired_y[known], warnings=warnings, lost=lost, motion=motion_of(table))


def table_of(
    motion: Motion, tracking: TrackingRun | None = None, tracked_ahead: float = 0.0,
) -> RunTable:
    """Table of a run that is known as arrays: one row for each odometry sample.

    tracking: gives the reference, NaN where there is none; the command is the newest one, NaN
    before the first. tracked_ahead: as in RunTable [m].
    """
    odometry = np.column_stack([
        motion.t, motion.x, motion.y, motion.yaw, motion.vx, motion.vy, motion.yaw_rate])
    rows = np.full((len(odometry), len(COLUMNS)), np.nan)
    rows[:, :_FINITE] = odometry
    commands = np.column_stack([motion.command_t, motion.speed_command, motion.steering_command])
    commands = commands[np.argsort(commands[:, 0], kind='stable')]
    latest = np.searchsorted(commands[:, 0], motion.t, side='right') - 1
    rows[latest >= 0, _COMMANDS] = commands[latest[latest >= 0], 1:]
    if tracking is not None:
        found = answered_rows(odometry, np.column_stack([
            tracking.reference_t, tracking.reference_x, tracking.reference_y]), commands)
        rows[np.searchsorted(motion.t, found[:, 0]), _REFERENCE] = found[:, _REFERENCE]
    return RunTable(rows, tracked_ahead)


def _row(name: str, number: int, line: Sequence[str]) -> list[float]:
    try:
        row = [float(text) if text else math.nan for text in line]
    except ValueError:
        row = []
    if (len(row) != len(COLUMNS) or not all(map(math.isfinite, row[:_FINITE]))
            or any(abs(value) > _LARGEST for value in row)):
        raise RunError(
            f'{name}, line {number}: expected {len(COLUMNS)} numbers, time to yaw_rate finite,'
            f' none beyond {_LARGEST:g}')
    return row
