# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tyres that are given by their curves of pure slip, which are read anew for each load.

X = Y = 1, gx and gy are the forces of combined_slip; both scales of the lateral force are 1.
"""

from __future__ import annotations

from collections.abc import Callable
import functools
import math
import re
import sys
from typing import NamedTuple, TypeVar

from racecar.base.compiled import importable
from racecar.base.elementary import arctangent
from racecar.dynamics.tyres.combined_slip import combined_forces_of
from racecar.dynamics.tyres.contact import (
    Contact,
    grip,
    rest,
    shares_apart,
    slide,
    slide_each,
    slide_four,
    TyrePair,
)
from racecar.dynamics.tyres.lateral import LateralSlip, of_angle, of_tangent
from racecar.dynamics.tyres.pacejka import side_curvature

_Curve = Callable[..., float]
T = TypeVar('T')


class CurveAxle(NamedTuple):
    """Tyres of an axle: both scales, LateralSlip, and its shift as an angle [rad]."""

    tangent_scale: float
    force_scale: float
    stiffness: float
    friction: float
    load: float
    shape: float
    curvature: float
    asymmetry: float
    shift: float
    shift_angle: float


class CurvePair(TyrePair):
    """Tyres of which this is one wheel."""


class CurveTyres(NamedTuple):
    """Tyres of one pair of curves: see TyreModel.lateral and TyreModel.contact."""

    lateral: Callable[[LateralSlip], CurveAxle]
    contact: Callable[[TyrePair], CurvePair]


@functools.cache
def curve_tyres(lateral_force: _Curve, longitudinal_force: _Curve) -> CurveTyres:
    """Tyres with these pure functions as curves; arguments as in TyreModel."""
    return CurveTyres(_lateral(lateral_force), _contact(lateral_force, longitudinal_force))


def _kind(base: type[T], *curves: _Curve) -> type[T]:
    """NamedTuple class of its own for curves, importable as the cache on disk needs it."""
    names = '_'.join(f'{curve.__module__}_{curve.__qualname__}' for curve in curves)
    name = re.sub(r'\W', '_', f'{base.__name__}_{names}')
    module = sys.modules[__name__]
    while hasattr(module, name):
        # A file of the user's may be read twice.
        name += '_'
    kind = type(name, (base,), {'__module__': __name__, '__slots__': ()})
    setattr(module, name, kind)
    return kind


def _lateral(lateral_force: _Curve) -> Callable[[LateralSlip], CurveAxle]:
    kind = _kind(CurveAxle, lateral_force)

    def make(slip: LateralSlip) -> CurveAxle:
        return kind(1.0, 1.0, *slip, math.atan(slip.shift))

    @importable
    def force_of_tangent(tyre: CurveAxle, tangent: float) -> float:
        return lateral_force(
            arctangent(tangent), tyre.stiffness, tyre.friction, tyre.load, tyre.shape,
            side_curvature(tyre.curvature, tyre.asymmetry, tyre.shift, tangent))

    @importable
    def force_of_angle(tyre: CurveAxle, slip_angle: float) -> float:
        return lateral_force(
            slip_angle, tyre.stiffness, tyre.friction, tyre.load, tyre.shape,
            side_curvature(tyre.curvature, tyre.asymmetry, tyre.shift_angle, slip_angle))

    of_tangent.register(kind)(force_of_tangent)
    of_angle.register(kind)(force_of_angle)
    return make


def _contact(
    lateral_force: _Curve, longitudinal_force: _Curve,
) -> Callable[[TyrePair], CurvePair]:
    kind = _kind(CurvePair, lateral_force, longitudinal_force)
    forces = combined_forces_of(lateral_force, longitudinal_force)

    @importable
    def prepare(t: TyrePair) -> CurvePair:
        return kind(t.stiffness_x, t.friction_x, t.shape_x, t.curvature_x, t.stiffness_y,
                    t.friction_y, t.shape_y, t.curvature_y, t.load, t.by_load, t.asymmetry_x,
                    t.shift_x, t.asymmetry_y, t.shift_y, t.slip_limit)

    @importable
    def slide_any(tyre: CurvePair, slip: float, tangent: float) -> Contact:
        return Contact(1.0, 1.0, slip, tangent)

    @importable
    def grip_any(tyre: CurvePair, contact: Contact, load: float) -> tuple[float, float]:
        scale = 0.5 * (1.0 - tyre.by_load + tyre.by_load * load / (0.5 * tyre.load))
        return forces(contact.first, contact.second, load, tyre, scale)

    @importable
    def rest_any(tyre: CurvePair, contact: Contact) -> tuple[float, float]:
        return grip_any(tyre, contact, 0.5 * tyre.load)

    slide.register(kind)(slide_any)
    slide_four.register(kind)(slide_each)
    grip.register(kind)(grip_any)
    rest.register(kind)(rest_any)
    shares_apart(kind)
    return prepare
