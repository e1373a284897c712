# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run as a table, one row per odometry message; what `simulate` and `up` hand out as CSV."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from racecar.core.analysis.metrics import Array, compute_metrics, merge_by_stamp, Metrics
from racecar.core.errors import ConfigurationError

# SI units; reference and command are those that answer the odometry of the row.
COLUMNS = ('time', 'x', 'y', 'yaw', 'vx', 'vy', 'yaw_rate', 'x_reference', 'y_reference',
           'speed_command', 'steering_command')


@dataclass(frozen=True)
class RunTable:
    """rows: (n, len(COLUMNS)), ascending in time; x and y are those of base_link.

    tracked_ahead: position ahead of base_link [m] of the point that follows the reference.
    """

    rows: Array
    tracked_ahead: float = 0.0

    def column(self, name: str) -> Array:
        """Return one column, (n,), by its name in COLUMNS."""
        return self.rows[:, COLUMNS.index(name)]

    def metrics(self, skip: float = 0.0) -> Metrics:
        """Compute the error of the tracked point without the first `skip` seconds."""
        t, yaw = self.column('time'), self.column('yaw')
        x = self.column('x') + self.tracked_ahead * np.cos(yaw)
        y = self.column('y') + self.tracked_ahead * np.sin(yaw)
        return compute_metrics(merge_by_stamp(
            t, x, y, t, self.column('x_reference'),
            self.column('y_reference')).without_start(skip))

    def write_csv(self, path: Path | str) -> None:
        """Write a header and all rows, each number in the shortest form that reads back exactly.

        Raises ConfigurationError if the file cannot be written.
        """
        try:
            with open(path, 'w', newline='', encoding='utf-8') as stream:
                writer = csv.writer(stream)
                writer.writerow(COLUMNS)
                writer.writerows(self.rows.tolist())
        except OSError as error:
            raise ConfigurationError(
                f"CSV file '{path}' cannot be written: {error.strerror}") from error


def answered_rows(odometry: Array, reference: Array, command: Array) -> Array:
    """Join what was recorded of three topics into rows of COLUMNS.

    odometry: (n, 7) time, x, y, yaw, vx, vy, yaw_rate; reference: (m, 3) time, x, y, interpolated;
    command: (k, 3) time, speed, steering, the newest counts. Rows outside the reference's span
    are left out; before the first command it is zero. Raises BagError if nothing overlaps.
    """
    merged = merge_by_stamp(odometry[:, 0], odometry[:, 1], odometry[:, 2],
                            reference[:, 0], reference[:, 1], reference[:, 2])
    kept = np.searchsorted(odometry[:, 0], merged.t)
    latest = np.searchsorted(command[:, 0], merged.t, side='right') - 1
    commands = np.where((latest >= 0)[:, None], command[latest, 1:], 0.0) \
        if len(command) else np.zeros((len(merged.t), 2))
    return np.column_stack([
        odometry[kept], merged.reference_x, merged.reference_y, commands])
