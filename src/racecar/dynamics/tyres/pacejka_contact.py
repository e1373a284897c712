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

from racecar.base.compiled import pure
from racecar.base.elementary import arctangent_of_positive, sine_to_three_quarters
from racecar.base.types import Wheels
from racecar.dynamics.tyres.contact import (
    Contact,
    grip,
    rest,
    shares_alike,
    slide,
    slide_four,
    TINY,
    TyrePair,
)
from racecar.dynamics.tyres.pacejka import side_curvature

SHAPE_LIMIT = 3.0
"""Shape factor up to which the sine stays in the range of its kernel [-]."""


class Magic(NamedTuple):
    """Of one wheel: n_x/s, n_y/t, 1 over the latter; -mu n_x/s, C, w/n, B, E; static load [N].

    The others: see TyreSides.
    """

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
    asymmetry_x: float
    shift_x: float
    asymmetry_y: float
    shift_y: float
    slip_limit: float


@pure
def prepare_pacejka(tyres: TyrePair) -> Magic:
    """Parameters of a Pacejka contact whose stiffness is proportional to its load."""
    x = tyres.stiffness_x / (tyres.friction_x * tyres.load)
    y = tyres.stiffness_y / (tyres.friction_y * tyres.load)
    return Magic(x, y, 1.0 / y, -tyres.friction_x * x, -tyres.friction_y * y, tyres.shape_x,
                 tyres.shape_y, 1.0 / tyres.shape_x, y / tyres.shape_y, tyres.curvature_x,
                 tyres.curvature_y, 0.5 * tyres.load, tyres.asymmetry_x, tyres.shift_x,
                 tyres.asymmetry_y, tyres.shift_y, tyres.slip_limit)


class _Reach(NamedTuple):
    """How far a wheel slips: n [-]; X and Y over the sines of their curves [-]; E of each."""

    length: float
    x: float
    y: float
    curvature_x: float
    curvature_y: float


@pure
def _reach(slip: float, tangent: float, tyre: Magic) -> _Reach:
    slip = min(max(slip, -tyre.slip_limit), tyre.slip_limit)
    along = tyre.scale_x * slip
    across = tyre.scale_y * tangent
    length = math.sqrt(along * along + across * across)
    per_length = 1.0 / max(length, TINY)
    return _Reach(length, tyre.minus_slope_x * slip * per_length,
                  tyre.minus_slope_y * tangent * per_length,
                  side_curvature(tyre.curvature_x, tyre.asymmetry_x, tyre.shift_x, slip),
                  side_curvature(tyre.curvature_y, tyre.asymmetry_y, tyre.shift_y, tangent))


@pure
def _bent(scaled: float, angle: float, curvature: float) -> float:
    """Argument w - E (w - atan w) of the arctangent; scaled: w, at least 0; angle: atan w."""
    return scaled - curvature * (scaled - angle)


@slide.register(Magic)
def _slide(tyre: Magic, slip: float, tangent: float) -> Contact:
    # The forces over the load [-].
    reach = _reach(slip, tangent, tyre)
    x = tyre.factor_x * reach.length
    y = tyre.factor_y * arctangent_of_positive(reach.length * tyre.per_scale_y)
    return Contact(
        reach.x * sine_to_three_quarters(tyre.shape_x * arctangent_of_positive(
            _bent(x, arctangent_of_positive(x), reach.curvature_x))),
        reach.y * sine_to_three_quarters(tyre.shape_y * arctangent_of_positive(
            _bent(y, arctangent_of_positive(y), reach.curvature_y))), 0.0, 0.0)


@pure
def _arctangents(a: float, b: float, c: float, d: float) -> Wheels:
    return (arctangent_of_positive(a), arctangent_of_positive(b), arctangent_of_positive(c),
            arctangent_of_positive(d))


@pure
def _sines(a: float, b: float, c: float, d: float) -> Wheels:
    return (sine_to_three_quarters(a), sine_to_three_quarters(b), sine_to_three_quarters(c),
            sine_to_three_quarters(d))


@pure
def _curves(w: Wheels, first: Wheels, curvature: Wheels, f_shape: float,
            r_shape: float) -> Wheels:
    """Sines of the curves at w of two front and two rear wheels; first: atan w."""
    a = _arctangents(_bent(w[0], first[0], curvature[0]), _bent(w[1], first[1], curvature[1]),
                     _bent(w[2], first[2], curvature[2]), _bent(w[3], first[3], curvature[3]))
    return _sines(f_shape * a[0], f_shape * a[1], r_shape * a[2], r_shape * a[3])


@slide_four.register(Magic)
def _slide_four(
    f: Magic, r: Magic, slips: Wheels, tangents: Wheels,
) -> tuple[Contact, Contact, Contact, Contact]:
    # An arctangent's operations wait for each other, so those of all wheels stand side by side.
    reach0, reach1 = _reach(slips[0], tangents[0], f), _reach(slips[1], tangents[1], f)
    reach2, reach3 = _reach(slips[2], tangents[2], r), _reach(slips[3], tangents[3], r)
    n0, n1, n2, n3 = reach0.length, reach1.length, reach2.length, reach3.length
    angle = _arctangents(n0 * f.per_scale_y, n1 * f.per_scale_y, n2 * r.per_scale_y,
                         n3 * r.per_scale_y)
    x = (f.factor_x * n0, f.factor_x * n1, r.factor_x * n2, r.factor_x * n3)
    y = (f.factor_y * angle[0], f.factor_y * angle[1], r.factor_y * angle[2],
         r.factor_y * angle[3])
    first_x = _arctangents(x[0], x[1], x[2], x[3])
    first_y = _arctangents(y[0], y[1], y[2], y[3])
    x = _curves(x, first_x, (reach0.curvature_x, reach1.curvature_x, reach2.curvature_x,
                             reach3.curvature_x), f.shape_x, r.shape_x)
    y = _curves(y, first_y, (reach0.curvature_y, reach1.curvature_y, reach2.curvature_y,
                             reach3.curvature_y), f.shape_y, r.shape_y)
    return (Contact(reach0.x * x[0], reach0.y * y[0], 0.0, 0.0),
            Contact(reach1.x * x[1], reach1.y * y[1], 0.0, 0.0),
            Contact(reach2.x * x[2], reach2.y * y[2], 0.0, 0.0),
            Contact(reach3.x * x[3], reach3.y * y[3], 0.0, 0.0))


@rest.register(Magic)
def _rest(tyre: Magic, contact: Contact) -> tuple[float, float]:
    return tyre.load, tyre.load


@grip.register(Magic)
def _grip(tyre: Magic, contact: Contact, load: float) -> tuple[float, float]:
    return load, load


shares_alike(Magic)
