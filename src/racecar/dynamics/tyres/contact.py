# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Combined slip in two parts: before the load of the wheel is known, and after.

A double track finds the loads in rounds of forces and loads while the slip stays, so whatever
does not depend on the load is computed once. With s slip, t = tan(alpha), K and C stiffness,

    Fx = X gx(Fz)    Fy = Y gy(Fz)    q = sqrt((K s/mu_x)^2 + (C t/mu_y)^2)    n = q/Fz

where X, Y belong to the slip and gx, gy, the shares, to the load. A wheel without load has no
force. The forms of the tyre models are in fiala_contact, linear_contact and pacejka_contact; that
of any other model reads its curves anew for each load: X = Y = 1, gx and gy are the forces.
Source: that of combined_slip.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from racecar.base.compiled import inlined, specialise
from racecar.base.types import Wheels
from racecar.dynamics.tyres.combined_slip import combined_forces, NO_LIMIT

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
    """Of a wheel's X and Y what acts along x and y of the body; see ContactForm."""

    along_x: float
    along_y: float
    across_x: float
    across_y: float


class ContactForm(NamedTuple):
    """Combined slip of a tyre model as inlined kernels.

    prepare(TyrePair) returns a NamedTuple of numbers for the next; slide(slip, tangent, prepared)
    a Contact, slide_four(slips, tangents, front, rear) those of all wheels, side by side where
    operations wait for each other. rest(contact, prepared) and grip(contact, load, prepared)
    return the shares gx, gy under the static load of the wheel and under another [N];
    turn(contact, cosine, sine) a Push of a wheel that is turned, push(Push, gx, gy) its force
    along x and y of the body: one product each where gx and gy are the same.
    """

    prepare: Callable[[TyrePair], Any]
    slide: Callable[[float, float, Any], Contact]
    slide_four: Callable[[Wheels, Wheels, Any, Any], tuple[Contact, Contact, Contact, Contact]]
    rest: Callable[[Contact, Any], tuple[float, float]]
    grip: Callable[[Contact, float, Any], tuple[float, float]]
    turn: Callable[[Contact, float, float], Push]
    push: Callable[[Push, float, float], tuple[float, float]]


def slide(slip: float, tangent: float, tyre: Any) -> Contact:
    """Stand for the kernel that each_slides() binds."""
    raise NotImplementedError('each_slides() binds this name')


def _slide_four(
    slips: Wheels, tangents: Wheels, front: Any, rear: Any,
) -> tuple[Contact, Contact, Contact, Contact]:
    return (slide(slips[0], tangents[0], front), slide(slips[1], tangents[1], front),
            slide(slips[2], tangents[2], rear), slide(slips[3], tangents[3], rear))


def each_slides(slide: Callable[..., Contact]) -> Callable[..., Any]:
    """Return slide_four() that does so one wheel after the other."""
    return specialise(_slide_four, f'four_{slide.__name__}', inlined, slide=slide)


@inlined
def turn_alike(contact: Contact, cosine: float, sine: float) -> Push:
    """Return the sums, for a tyre whose shares are the same."""
    return Push(contact.x * cosine - contact.y * sine, contact.x * sine + contact.y * cosine,
                0.0, 0.0)


@inlined
def push_alike(turned: Push, share_x: float, share_y: float) -> tuple[float, float]:
    """Return the force along x and y of the body [N]."""
    return turned.along_x * share_x, turned.along_y * share_x


@inlined
def turn_apart(contact: Contact, cosine: float, sine: float) -> Push:
    """Return the parts of X and Y, for a tyre whose shares differ."""
    return Push(contact.x * cosine, contact.x * sine, contact.y * sine, contact.y * cosine)


@inlined
def push_apart(turned: Push, share_x: float, share_y: float) -> tuple[float, float]:
    """Return the force along x and y of the body [N]."""
    return (turned.along_x * share_x - turned.across_x * share_y,
            turned.along_y * share_x + turned.across_y * share_y)


@inlined
def prepare_any(tyres: TyrePair) -> TyrePair:
    """Return the tyres as they are."""
    return tyres


@inlined
def slide_any(slip: float, tangent: float, tyre: TyrePair) -> Contact:
    """Return X = Y = 1 and the slips [-]."""
    return Contact(1.0, 1.0, slip, tangent)


def grip_any(contact: Contact, load: float, tyre: TyrePair) -> tuple[float, float]:
    """Return the forces [N], for a tyre model that has no form of its own.

    The global name combined_forces is bound to the tyre model.
    """
    scale = 0.5 * (1.0 - tyre.by_load + tyre.by_load * load / (0.5 * tyre.load))
    return combined_forces(
        contact.first, contact.second, load,
        scale * tyre.stiffness_x, tyre.friction_x, tyre.shape_x, tyre.curvature_x,
        scale * tyre.stiffness_y, tyre.friction_y, tyre.shape_y, tyre.curvature_y,
        tyre.asymmetry_x, tyre.shift_x, tyre.asymmetry_y, tyre.shift_y, tyre.slip_limit)


def grip(contact: Contact, load: float, tyre: Any) -> tuple[float, float]:
    """Stand for the kernel that any_form() binds."""
    raise NotImplementedError('any_form() binds this name')


def rest_any(contact: Contact, tyre: TyrePair) -> tuple[float, float]:
    """Return the forces under the static load. The global name grip is bound to grip_any()."""
    return grip(contact, 0.5 * tyre.load, tyre)


def any_form(
    name: str, lateral: Callable[..., Any], longitudinal: Callable[..., Any],
) -> ContactForm:
    """Return the form of a tyre model that is given by its curves; name: of the model."""
    bound = specialise(grip_any, f'grip_{name}', inlined, combined_forces=specialise(
        combined_forces, f'combined_forces_{name}', inlined, lateral_force=lateral,
        longitudinal_force=longitudinal))
    return ContactForm(
        prepare_any, slide_any, each_slides(slide_any),
        specialise(rest_any, f'rest_{name}', inlined, grip=bound), bound, turn_apart, push_apart)
