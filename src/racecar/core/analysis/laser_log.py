# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A drive with a laser: where the robot was and what it saw."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.core.analysis.metrics import Array


class SeenScan(NamedTuple):
    """A scan and the pose of the laser at its time.

    t: since the start [s]; x, y [m], yaw [rad]: of the laser in `map`; angles [rad], ranges [m]
    (n,) of the rays.
    """

    t: float
    x: float
    y: float
    yaw: float
    angles: Array
    ranges: NDArray[np.float32]

    @property
    def points(self) -> tuple[Array, Array]:
        """Where the rays ended in `map` (x, y) [m]; without those that saw nothing."""
        hit = np.isfinite(self.ranges)
        angles, ranges = self.yaw + self.angles[hit], self.ranges[hit]
        return self.x + ranges * np.cos(angles), self.y + ranges * np.sin(angles)


class LaserLog(NamedTuple):
    """A drive.

    name: for titles. t [s]: times of the odometry from its start; x, y [m], yaw [rad], speed [m/s]
    at them. scans: some of the scans, in order of time. collisions: number of them, None if nobody
    counted.
    """

    name: str
    t: Array
    x: Array
    y: Array
    yaw: Array
    speed: Array
    scans: tuple[SeenScan, ...]
    collisions: int | None = None

    @property
    def distance(self) -> float:
        """Length of the path [m]."""
        return float(np.hypot(np.diff(self.x), np.diff(self.y)).sum())
