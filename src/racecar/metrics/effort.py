# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How much a controller steers."""

from __future__ import annotations

import numpy as np

from racecar.base.columns import Array

CONTROL_EFFORT = 'control_effort'
EFFORT_UNIT = 'rad^2 s'


def control_effort(times: Array, steering: Array) -> float:
    """Integral of the squared steering angle over time, as in the cost of an LQR [rad^2 s].

    times: (n,) of the commands [s]; steering: (n,) [rad], each held until the next.
    """
    return float(np.sum(steering[:-1]**2 * np.diff(times)))
