# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Combined slip of the linear tyre, which has no limit to share; see contact.

    X = -K s    Y = -C t atan(w)/w    w = q mu_y/C    gx = gy = 1

Sources: linear, combined_slip.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.elementary import arctangent_of_positive
from racecar.dynamics.tyres.combined_slip import NO_LOAD
from racecar.dynamics.tyres.contact import (
    Contact,
    grip,
    rest,
    shares_alike,
    slide,
    slide_each,
    slide_four,
    TINY,
    TyrePair,
)


class Straight(NamedTuple):
    """Of one wheel: -K, -C; slip times `along` counts as a tangent."""

    minus_stiffness_x: float
    minus_stiffness_y: float
    along: float


@pure
def prepare_linear(tyres: TyrePair) -> Straight:
    """Parameters of a linear contact."""
    return Straight(
        -0.5 * tyres.stiffness_x, -0.5 * tyres.stiffness_y,
        tyres.stiffness_x * tyres.friction_y / (tyres.friction_x * tyres.stiffness_y))


@slide.register(Straight)
def _slide(tyre: Straight, slip: float, tangent: float) -> Contact:
    along = tyre.along * slip
    length = math.sqrt(along * along + tangent * tangent)
    share = arctangent_of_positive(max(length, TINY)) / max(length, TINY)
    return Contact(tyre.minus_stiffness_x * slip, tyre.minus_stiffness_y * tangent * share,
                   0.0, 0.0)


@rest.register(Straight)
def _rest(tyre: Straight, contact: Contact) -> tuple[float, float]:
    return 1.0, 1.0


@grip.register(Straight)
def _grip(tyre: Straight, contact: Contact, load: float) -> tuple[float, float]:
    stands = 0.0 if load < NO_LOAD else 1.0
    return stands, stands


slide_four.register(Straight)(slide_each)
shares_alike(Straight)
