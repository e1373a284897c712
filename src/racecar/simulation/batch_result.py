# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a batch of closed loops gives, and the noise that it may take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
import math

import numpy as np

from racecar.base.errors import ConfigurationError
from racecar.base.random_numbers import four_normals, philox
from racecar.base.types import Odometry, yaw_to_quaternion
from racecar.metrics.laps import LapTimes
from racecar.metrics.path_batch import PathColumns
from racecar.metrics.run_table import RunTable
from racecar.metrics.tracking_error import Array, Metrics


@dataclass(frozen=True)
class Noise:
    """Standard deviations of white noise, drawn anew at each tick.

    Measured: x, y [m], yaw [rad], vx, vy [m/s], yaw_rate [rad/s], added to the odometry that the
    control laws see. Of the motion: lateral, added to the lateral state (vy or beta), and turning,
    added to the yaw rate, per square root of a second [m/s/sqrt(s) or rad/sqrt(s), rad/s/sqrt(s)].
    """

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    yaw_rate: float = 0.0
    lateral: float = 0.0
    turning: float = 0.0

    def __post_init__(self) -> None:
        for row in fields(self):
            value = getattr(self, row.name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ConfigurationError(
                    f"noise '{row.name}' is {value!r}, expected a number of at least 0")


    def measured(self, key: tuple[int, int], odometry: Odometry, tick: int) -> Odometry:
        """Odometry with the noise of a tick, drawn by a key of two words as blocks of cars do."""
        x, y, yaw, vx = four_normals(philox((tick, 0, 0, 0), key))
        vy, yaw_rate, _, _ = four_normals(philox((tick, 1, 0, 0), key))
        qz, qw = yaw_to_quaternion(odometry.yaw + self.yaw * yaw)
        return odometry._replace(
            x=odometry.x + self.x * x, y=odometry.y + self.y * y, qz=qz, qw=qw,
            vx=odometry.vx + self.vx * vx, vy=odometry.vy + self.vy * vy,
            yaw_rate=odometry.yaw_rate + self.yaw_rate * yaw_rate)


@dataclass(frozen=True, eq=False)
class BatchResult:
    """Metrics of n cars, SI units as in Metrics, each (n,); NaN where no sample counts.

    diverged_at: time up to which a car that diverged was simulated [s], NaN for the others, whose
    metrics cover the whole run, or that up to the laps that were wanted. tracked_ahead: as in
    RunTable [m]. records: (n, samples, len(COLUMNS)), NaN after a divergence or the end of a run,
    or None where nothing was recorded. path: errors against the path of the reference, of the
    time before a divergence too; None if they were not asked for; laps: of each car, None where
    the path is not closed, empty if neither they nor those errors were asked for.
    collisions: contacts of cars that drive in a world, NaN for others; None if
    there are none in a world. control_effort: of the steering commands [rad^2 s], None if it was
    not asked for. failures: of cars whose custom controller failed, by number,
    what it says; their metrics are NaN.
    """

    rmse: Array
    ise: Array
    sum_squared_error: Array
    max_error: Array
    samples: Array
    duration: Array
    diverged_at: Array
    tracked_ahead: Array
    records: Array | None = None
    path: PathColumns | None = None
    laps: Sequence[LapTimes | None] = ()
    collisions: Array | None = None
    control_effort: Array | None = None
    failures: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rmse)

    def metrics(self, car: int) -> Metrics:
        """Return the metrics of one car, of the time before it diverged if it did."""
        return Metrics(
            float(self.rmse[car]), float(self.ise[car]), float(self.sum_squared_error[car]),
            float(self.max_error[car]), int(self.samples[car]), float(self.duration[car]),
            None if self.path is None else self.path.metrics(car), self._collisions_of(car),
            self.laps[car] if self.laps else None)

    def _collisions_of(self, car: int) -> int | None:
        counted = None if self.collisions is None else self.collisions[car]
        return None if counted is None or np.isnan(counted) else int(counted)

    def table(self, car: int) -> RunTable:
        """Return the recorded rows of one car. Raises ConfigurationError if there are none."""
        if self.records is None:
            raise ConfigurationError('nothing was recorded; run with record_every of at least 1')
        recorded = self.records[car]
        return RunTable(
            recorded[~np.isnan(recorded[:, 0])], float(self.tracked_ahead[car]))
