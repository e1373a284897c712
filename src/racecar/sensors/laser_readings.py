# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a laser makes of true distances: noise, resolution and the ends of its range."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array
from racecar.base.compiled import kernel
from racecar.sensors.noise import fill_normal

Ranges = NDArray[np.float32]


class LaserErrors(NamedTuple):
    """What a reading differs by from the truth [m]; deviation: of the noise."""

    deviation: float
    resolution: float
    range_min: float
    range_max: float


@kernel
def read_ranges(truth: Array, noise: Array, errors: LaserErrors, ranges: Ranges) -> None:
    """Write the ranges [m] that the laser makes of true distances and noise of deviation 1."""
    deviation, resolution = errors.deviation, errors.resolution
    range_min, range_max = errors.range_min, errors.range_max
    for i in range(len(ranges)):
        distance = truth[i] + deviation * noise[i]
        if resolution > 0.0 and distance < math.inf:
            distance = math.floor(distance / resolution + 0.5) * resolution
        if distance > range_max:
            distance = math.inf
        if distance < range_min:
            distance = -math.inf
        ranges[i] = distance


@kernel
def read_noisy(truth: Array, seed: np.uint64, errors: LaserErrors, ranges: Ranges) -> None:
    """Do what read_ranges() does with the numbers that fill_normal() makes of a seed."""
    noise = np.empty(len(ranges) + len(ranges) % 2)
    fill_normal(seed, noise)
    read_ranges(truth, noise, errors, ranges)
