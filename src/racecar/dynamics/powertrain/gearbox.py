# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Speed of the engine behind a gear.

The engine turns with the driven wheels: n = 60/(2 pi) |ratio| times their mean speed. (The later
library averages all four wheels, so that an engine slows down when undriven wheels lock.) Any gear
goes at any speed; beyond engine_max_rpm the engine gives no torque. For the shift time after a
change of gear, none by default, the engine has no torque, neither to drive nor to brake.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.types import Wheels


class Shift(NamedTuple):
    """Ratio of the gear that was chosen last, and how long its shift still takes [s]."""

    ratio: float
    left: float


@pure
def next_shift(shift: Shift, ratio: float, shift_time: float, dt: float) -> tuple[Shift, bool]:
    """Shift after dt [s] with a ratio chosen, and whether the engine drives meanwhile.

    It drives in whole steps: in one of which the shift takes more than half it does not.
    """
    left = shift.left if ratio == shift.ratio else shift_time
    return Shift(ratio, max(left - dt, 0.0)), left <= 0.5 * dt


@pure
def engine_turning(speeds: Wheels, driven: Wheels, ratio: float) -> float:
    """Speed of the engine [rev/min], negative if it is turned backwards.

    speeds: of the wheels [rad/s]; driven: 1 for a driven wheel, else 0.
    """
    total = (driven[0] * speeds[0] + driven[1] * speeds[1] + driven[2] * speeds[2]
             + driven[3] * speeds[3])
    count = driven[0] + driven[1] + driven[2] + driven[3]
    return ratio * total * (1.0 / count) * (60.0 / (2.0 * math.pi))


@pure
def engine_rpm(speeds: Wheels, driven: Wheels, ratio: float) -> float:
    """Speed of the engine [rev/min], never negative; 0 in neutral (ratio 0)."""
    return abs(engine_turning(speeds, driven, ratio))
