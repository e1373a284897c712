# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Combined slip in two parts: before the load of the wheel is known, and after.

A double track finds the loads in rounds of forces and loads while the slip stays, so whatever
does not depend on the load is computed once. With s slip, t = tan(alpha), K and C stiffness,

    Fx = X gx(Fz)    Fy = Y gy(Fz)    q = sqrt((K s/mu_x)^2 + (C t/mu_y)^2)    n = q/Fz

where X, Y belong to the slip and gx, gy, the shares, to the load. A wheel without load has no
force. Each tyre model has a NamedTuple of its own, whose type chooses the functions: those of the
models are in fiala_contact, linear_contact and pacejka_contact; that of a model which is given by
its curves is in curves. Source: that of combined_slip.
"""

from __future__ import annotations

from typing import NamedTuple

from racecar.base.compiled import by_type, pure
from racecar.base.types import Wheels

NO_LIMIT = 1e300
"""Slip that none comes near [-]."""

TINY = 1e-150
"""Keeps a denominator from 0; the square of what is smaller does not count."""


class TyreSides(NamedTuple):
    """How a Pacejka tyre depends on the side to which it slips, x along and y across.

    asymmetry, shift: those of side_curvature() [-]; shift_y is compared with the tangent of the
    slip angle; slip_limit: longitudinal slip from which on more makes no difference [-].
    """

    asymmetry_x: float = 0.0
    shift_x: float = 0.0
    asymmetry_y: float = 0.0
    shift_y: float = 0.0
    slip_limit: float = NO_LIMIT


class TyrePair(NamedTuple):
    """Tyres of an axle under its static load, as a vehicle packs them; x along, y across.

    stiffness of both tyres [N or N/rad], friction, shape, curvature [-]; load of the axle [N];
    by_load: 1 if the stiffness of a wheel goes with its load, else 0; the others: see TyreSides.
    """

    stiffness_x: float
    friction_x: float
    shape_x: float
    curvature_x: float
    stiffness_y: float
    friction_y: float
    shape_y: float
    curvature_y: float
    load: float
    by_load: float
    asymmetry_x: float = 0.0
    shift_x: float = 0.0
    asymmetry_y: float = 0.0
    shift_y: float = 0.0
    slip_limit: float = NO_LIMIT


class Contact(NamedTuple):
    """A wheel that slips, whatever its load: X and Y, then what its tyre needs for the shares."""

    x: float
    y: float
    first: float
    second: float


class Push(NamedTuple):
    """Of a wheel's X and Y what acts along x and y of the body; see turn()."""

    along_x: float
    along_y: float
    across_x: float
    across_y: float


@by_type
def slide(tyre: object, slip: float, tangent: float) -> Contact:
    """Contact of a wheel with a longitudinal slip and a tangent of the slip angle [-]."""
    raise NotImplementedError


@by_type
def slide_four(
    front: object, rear: object, slips: Wheels, tangents: Wheels,
) -> tuple[Contact, Contact, Contact, Contact]:
    """Contacts of all wheels, side by side where operations wait for each other."""
    raise NotImplementedError


@by_type
def rest(tyre: object, contact: Contact) -> tuple[float, float]:
    """Shares gx, gy under the static load of the wheel."""
    raise NotImplementedError


@by_type
def grip(tyre: object, contact: Contact, load: float) -> tuple[float, float]:
    """Shares gx, gy under a load [N]."""
    raise NotImplementedError


@by_type
def turn(tyre: object, contact: Contact, cosine: float, sine: float) -> Push:
    """Push of a wheel that is turned by an angle with this cosine and sine."""
    raise NotImplementedError


@by_type
def push(tyre: object, turned: Push, share_x: float, share_y: float) -> tuple[float, float]:
    """Force along x and y of the body [N]: one product each where both shares are the same."""
    raise NotImplementedError


@pure
def slide_each(
    front: object, rear: object, slips: Wheels, tangents: Wheels,
) -> tuple[Contact, Contact, Contact, Contact]:
    """slide_four() one wheel after the other."""
    return (slide(front, slips[0], tangents[0]), slide(front, slips[1], tangents[1]),
            slide(rear, slips[2], tangents[2]), slide(rear, slips[3], tangents[3]))


@pure
def turn_alike(tyre: object, contact: Contact, cosine: float, sine: float) -> Push:
    """turn() as sums, for a tyre whose shares are the same."""
    return Push(contact.x * cosine - contact.y * sine, contact.x * sine + contact.y * cosine,
                0.0, 0.0)


@pure
def push_alike(tyre: object, turned: Push, share_x: float, share_y: float) -> tuple[float, float]:
    """push() for a tyre whose shares are the same."""
    return turned.along_x * share_x, turned.along_y * share_x


@pure
def turn_apart(tyre: object, contact: Contact, cosine: float, sine: float) -> Push:
    """turn() in parts of X and Y, for a tyre whose shares differ."""
    return Push(contact.x * cosine, contact.x * sine, contact.y * sine, contact.y * cosine)


@pure
def push_apart(tyre: object, turned: Push, share_x: float, share_y: float) -> tuple[float, float]:
    """push() for a tyre whose shares differ."""
    return (turned.along_x * share_x - turned.across_x * share_y,
            turned.along_y * share_x + turned.across_y * share_y)


def shares_alike(tyre: type) -> None:
    """Let tyres of a type, whose shares are the same, be turned and pushed as sums."""
    turn.register(tyre)(turn_alike)
    push.register(tyre)(push_alike)


def shares_apart(tyre: type) -> None:
    """Let tyres of a type, whose shares differ, be turned and pushed in parts."""
    turn.register(tyre)(turn_apart)
    push.register(tyre)(push_apart)
