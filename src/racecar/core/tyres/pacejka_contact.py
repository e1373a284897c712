# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Combined slip of Pacejka's magic formula; see contact.

Its stiffness goes with the load, so K/Fz, C/Fz and n do not depend on the load: gx = gy = Fz,

    X = -n_x/n mu_x sin(Cx atan(w - Ex (w - atan w)))      w = n/Cx
    Y = -n_y/n mu_y sin(Cy atan(w - Ey (w - atan w)))      w = B atan(n mu_y Fz/C)

with n_x = K s/(mu_x Fz), n_y = C t/(mu_y Fz). Sources: pacejka, combined_slip.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.core.compiled import inlined
from racecar.core.elementary import arctangent_of_positive, sine_to_three_quarters
from racecar.core.tyres.contact import (
    Contact,
    ContactForm,
    push_alike,
    TINY,
    turn_alike,
    TyrePair,
)

SHAPE_LIMIT = 3.0
"""Shape factor up to which the sine stays in the range of its kernel [-]."""


class Magic(NamedTuple):
    """Of one wheel: n_x/s, n_y/t, 1 over the latter; -mu n_x/s, C, w/n, B, E; static load [N]."""

    scale_x: float
    scale_y: float
    per_scale_y: float
    minus_slope_x: float
    minus_slope_y: float
    shape_x: float
    shape_y: float
    factor_x: float
    factor_y: float
    curvature_x: float
    curvature_y: float
    load: float


@inlined
def prepare_pacejka(tyres: TyrePair) -> Magic:
    """Return what a Pacejka tyre needs whose stiffness goes with its load."""
    x = tyres.stiffness_x / (tyres.friction_x * tyres.load)
    y = tyres.stiffness_y / (tyres.friction_y * tyres.load)
    return Magic(x, y, 1.0 / y, -tyres.friction_x * x, -tyres.friction_y * y, tyres.shape_x,
                 tyres.shape_y, 1.0 / tyres.shape_x, y / tyres.shape_y, tyres.curvature_x,
                 tyres.curvature_y, 0.5 * tyres.load)


@inlined
def _magic(scaled: float, shape: float, curvature: float) -> float:
    """Return sin(C atan(w - E (w - atan w))); scaled: w, at least 0."""
    return sine_to_three_quarters(shape * arctangent_of_positive(
        scaled - curvature * (scaled - arctangent_of_positive(scaled))))


@inlined
def slide_pacejka(slip: float, tangent: float, tyre: Magic) -> Contact:
    """Return the forces over the load [-]."""
    along = tyre.scale_x * slip
    across = tyre.scale_y * tangent
    length = math.sqrt(along * along + across * across)
    per_length = 1.0 / max(length, TINY)
    return Contact(
        tyre.minus_slope_x * slip * per_length * _magic(
            tyre.factor_x * length, tyre.shape_x, tyre.curvature_x),
        tyre.minus_slope_y * tangent * per_length * _magic(
            tyre.factor_y * arctangent_of_positive(length * tyre.per_scale_y), tyre.shape_y,
            tyre.curvature_y), 0.0, 0.0)


@inlined
def rest_pacejka(contact: Contact, tyre: Magic) -> tuple[float, float]:
    """Return the load twice [N]."""
    return tyre.load, tyre.load


@inlined
def grip_pacejka(contact: Contact, load: float, tyre: Magic) -> tuple[float, float]:
    """Return the load twice [N]."""
    return load, load


PACEJKA = ContactForm(
    prepare_pacejka, slide_pacejka, rest_pacejka, grip_pacejka, turn_alike, push_alike)
