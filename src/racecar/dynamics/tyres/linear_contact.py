# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Combined slip of the linear tyre, which has no limit to share; see contact.

    X = -K s    Y = -C t atan(w)/w    w = q mu_y/C    gx = gy = 1

Sources: linear, combined_slip.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import inlined
from racecar.base.elementary import arctangent_of_positive
from racecar.dynamics.tyres.combined_slip import NO_LOAD
from racecar.dynamics.tyres.contact import (
    Contact,
    ContactForm,
    each_slides,
    push_alike,
    TINY,
    turn_alike,
    TyrePair,
)


class Straight(NamedTuple):
    """Of one wheel: -K, -C; slip times `along` counts as a tangent."""

    minus_stiffness_x: float
    minus_stiffness_y: float
    along: float


@inlined
def prepare_linear(tyres: TyrePair) -> Straight:
    """Parameters of a linear contact."""
    return Straight(
        -0.5 * tyres.stiffness_x, -0.5 * tyres.stiffness_y,
        tyres.stiffness_x * tyres.friction_y / (tyres.friction_x * tyres.stiffness_y))


@inlined
def slide_linear(slip: float, tangent: float, tyre: Straight) -> Contact:
    """Return the forces [N]."""
    along = tyre.along * slip
    length = math.sqrt(along * along + tangent * tangent)
    share = arctangent_of_positive(max(length, TINY)) / max(length, TINY)
    return Contact(tyre.minus_stiffness_x * slip, tyre.minus_stiffness_y * tangent * share,
                   0.0, 0.0)


@inlined
def rest_linear(contact: Contact, tyre: Straight) -> tuple[float, float]:
    """Return 1 twice."""
    return 1.0, 1.0


@inlined
def grip_linear(contact: Contact, load: float, tyre: Straight) -> tuple[float, float]:
    """Return 1 or, off the ground, 0 twice."""
    stands = 0.0 if load < NO_LOAD else 1.0
    return stands, stands


LINEAR = ContactForm(
    prepare_linear, slide_linear, each_slides(slide_linear), rest_linear, grip_linear,
    turn_alike, push_alike)
