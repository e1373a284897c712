# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A drive with a laser: where the robot was and what it saw."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array
from racecar.metrics.drive_sum import DriveSum
from racecar.scene.scene import EMPTY_SCENE, Scene


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
        angles, ranges = self.yaw + self.angles[hit], self.ranges[hit].astype(np.float64)
        return self.x + ranges * np.cos(angles), self.y + ranges * np.sin(angles)


class LaserLog(NamedTuple):
    """A drive.

    name: for titles. t [s]: times of the odometry from its start; x, y [m], yaw [rad], speed [m/s]
    at them. scans: some of the scans, in order of time. scene: what stood around, as far as it is
    known. collisions: number of them, None if nobody counted.
    """

    name: str
    t: Array
    x: Array
    y: Array
    yaw: Array
    speed: Array
    scans: tuple[SeenScan, ...]
    scene: Scene = EMPTY_SCENE
    collisions: int | None = None

    @property
    def distance(self) -> float:
        """Length of the path [m]."""
        return float(np.hypot(np.diff(self.x), np.diff(self.y)).sum())

    @property
    def summary(self) -> str:
        """How far and how long it drove, its laps, and how often it ran into something."""
        drive = DriveSum()
        for pose in np.column_stack([self.t, self.x, self.y, self.yaw]).tolist():
            drive.add(*pose)
        return drive.text(self.collisions)
