# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Combined slip of Fiala's brush, with and without saturation; see contact.

It needs neither arctangent nor tangent, as its curve is one of z = n/3 = q/(3 Fz):

    X = -K s    Y = -C t    gx = gy = 1 - z + z^2/3 for z < 1, else 1/(3 z)

Without saturation g = 1 - 4/(3 z) from z = 2 on; z of a direction is held where pure slip of that
direction would be tan(1.4 rad), and its X or Y is then multiplied by the held q over q. Sources:
fiala, combined_slip.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.elementary import quotient
from racecar.dynamics.tyres.combined_slip import NO_LOAD
from racecar.dynamics.tyres.contact import (
    Contact,
    grip,
    rest,
    shares_alike,
    shares_apart,
    slide,
    slide_each,
    slide_four,
    TINY,
    TyrePair,
)
from racecar.dynamics.tyres.fiala import TANGENT_LIMIT

_THIRD = 1.0 / 3.0


class Brush(NamedTuple):
    """Of one wheel: -K, -C; q/3 over slip [N]; held q/3 [N]; static load and its inverse."""

    minus_stiffness_x: float
    minus_stiffness_y: float
    sliding_x: float
    sliding_y: float
    held_x: float
    held_y: float
    load: float
    per_load: float


class UnsaturatedBrush(Brush):
    """The same without saturation."""


@pure
def prepare_brush(tyres: TyrePair) -> Brush:
    """Parameters of a brush contact."""
    x = tyres.stiffness_x / (6.0 * tyres.friction_x)
    y = tyres.stiffness_y / (6.0 * tyres.friction_y)
    return Brush(-0.5 * tyres.stiffness_x, -0.5 * tyres.stiffness_y, x, y,
                 TANGENT_LIMIT * x, TANGENT_LIMIT * y, 0.5 * tyres.load, 2.0 / tyres.load)


@pure
def prepare_unsaturated(tyres: TyrePair) -> UnsaturatedBrush:
    """What a brush tyre without saturation needs."""
    return UnsaturatedBrush(*prepare_brush(tyres))


@slide.register(Brush)
def _slide(tyre: Brush, slip: float, tangent: float) -> Contact:
    # The forces at small slip [N], q/3 [N], 1/q [1/N].
    along = tyre.sliding_x * slip
    across = tyre.sliding_y * tangent
    strength = math.sqrt(along * along + across * across)
    return Contact(tyre.minus_stiffness_x * slip, tyre.minus_stiffness_y * tangent, strength,
                   _THIRD / max(strength, TINY))


@pure
def _share(z: float, sliding: float) -> float:
    # Not of z < 1: NaN, which is 0/0 of a wheel off the ground; sliding is then 0.
    return 1.0 - z * (1.0 - z * _THIRD) if z < 1.0 else sliding


@rest.register(Brush)
def _rest(tyre: Brush, contact: Contact) -> tuple[float, float]:
    share = _share(contact.first * tyre.per_load, tyre.load * contact.second)
    return share, share


@grip.register(Brush)
def _grip(tyre: Brush, contact: Contact, load: float) -> tuple[float, float]:
    share = _share(quotient(contact.first, load), load * contact.second)
    return share, share


@slide.register(UnsaturatedBrush)
def _slide_unsaturated(tyre: UnsaturatedBrush, slip: float, tangent: float) -> Contact:
    # Forces at small slip [N], reduced where q is held, and q/3 of each direction [N].
    along = tyre.sliding_x * slip
    across = tyre.sliding_y * tangent
    strength = math.sqrt(along * along + across * across)
    held_x, held_y = min(strength, tyre.held_x), min(strength, tyre.held_y)
    per_strength = 1.0 / max(strength, TINY)
    reduced_x, reduced_y = held_x * per_strength, held_y * per_strength
    return Contact(
        tyre.minus_stiffness_x * slip * (reduced_x if strength > tyre.held_x else 1.0),
        tyre.minus_stiffness_y * tangent * (reduced_y if strength > tyre.held_y else 1.0),
        held_x, held_y)


@pure
def _share_unsaturated(z: float, load: float) -> float:
    cubic = 1.0 - z * (1.0 - z * _THIRD)
    straight = 1.0 - 4.0 * _THIRD / max(z, 1.0)
    share = cubic if z < 2.0 else straight
    return 0.0 if load < NO_LOAD else share


@grip.register(UnsaturatedBrush)
def _grip_unsaturated(
    tyre: UnsaturatedBrush, contact: Contact, load: float,
) -> tuple[float, float]:
    return (_share_unsaturated(quotient(contact.first, load), load),
            _share_unsaturated(quotient(contact.second, load), load))


@rest.register(UnsaturatedBrush)
def _rest_unsaturated(tyre: UnsaturatedBrush, contact: Contact) -> tuple[float, float]:
    return _grip_unsaturated(tyre, contact, tyre.load)


for _kind in (Brush, UnsaturatedBrush):
    slide_four.register(_kind)(slide_each)
shares_alike(Brush)
shares_apart(UnsaturatedBrush)
