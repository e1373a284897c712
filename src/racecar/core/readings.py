# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What sensors give, in SI units: the values that cross their ports."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class LaserScan(NamedTuple):
    """One sweep; ranges are counter-clockwise from angle_min.

    angle_min, angle_max, angle_increment [rad]; time_increment: between two rays, scan_time:
    between two scans [s]; range_min, range_max [m]; ranges (n,), float32 [m], +inf or -inf where
    nothing is measured (REP 117); sweep_ns: how long before the time of the reading the first ray
    went out [ns].
    """

    angle_min: float
    angle_max: float
    angle_increment: float
    time_increment: float
    scan_time: float
    range_min: float
    range_max: float
    ranges: NDArray[np.float32]
    sweep_ns: int = 0
