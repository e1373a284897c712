# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Speed of the engine behind a gear.

The engine turns with the driven wheels: n = 60/(2 pi) |ratio| times their mean speed. (The later
library averages all four wheels, so that an engine slows down when undriven wheels lock.) Shifting
takes no time and any gear goes at any speed; beyond engine_max_rpm the engine gives no torque.
"""

from __future__ import annotations

import math

from racecar.core.compiled import inlined
from racecar.core.types import Wheels


@inlined
def engine_rpm(speeds: Wheels, driven: Wheels, ratio: float) -> float:
    """Return the speed of the engine [rev/min], never negative; 0 in neutral (ratio 0).

    speeds: of the wheels [rad/s]; driven: 1 for a driven wheel, else 0.
    """
    total = (driven[0] * speeds[0] + driven[1] * speeds[1] + driven[2] * speeds[2]
             + driven[3] * speeds[3])
    count = driven[0] + driven[1] + driven[2] + driven[3]
    return abs(ratio * total * (1.0 / count)) * (60.0 / (2.0 * math.pi))
