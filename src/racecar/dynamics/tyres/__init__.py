# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tyre models, one per file; a new one adds its row to TYRE_MODELS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from racecar.base.errors import ParameterError
from racecar.dynamics.tyres import fiala, linear, pacejka
from racecar.dynamics.tyres.contact import ContactForm
from racecar.dynamics.tyres.fiala_contact import BRUSH, BRUSH_UNSATURATED
from racecar.dynamics.tyres.linear_contact import LINEAR
from racecar.dynamics.tyres.pacejka_contact import PACEJKA

TyreForce = Callable[..., Any]


Scale = Callable[[float, float, float], float]


class TyreForm(NamedTuple):
    """The same force as a product, in the form that loops over steps and vehicles take.

    Force = force_scale * of_tangent(tan(alpha) * tangent_scale, C, mu, Fz, c, e)
          = force_scale * of_angle(alpha, tangent_scale, C, mu, Fz, c, e).

    Both scales are functions of C [N/rad], mu [-] and Fz [N]; so much is computed
    once. c and e are shape and curvature [-]. The two
    others are inlined kernels without calls of the C library, and return a number [-].
    """

    tangent_scale: Scale
    force_scale: Scale
    of_tangent: TyreForce
    of_angle: TyreForce


class TyreModel(NamedTuple):
    """One row of the registry.

    name and number: both select the model. lateral_force: compiled function of slip angle [rad],
    cornering stiffness [N/rad], friction coefficient [-], vertical load [N], and Pacejka's shape
    and curvature [-], which have defaults; returns the force [N], which opposes the slip.
    longitudinal_force: the same of longitudinal slip [-] and slip stiffness [N].
    stiffness_by_load: whether the stiffness of a wheel goes with its load.
    form: the lateral force in parts; contact: combined slip in parts; a model without them is
    slower, not different.
    """

    name: str
    number: int
    lateral_force: TyreForce
    longitudinal_force: TyreForce
    stiffness_by_load: bool = False
    form: TyreForm | None = None
    contact: ContactForm | None = None


TYRE_MODELS: dict[str, TyreModel] = {
    row.name: row
    for row in (
        TyreModel('linear', 0, linear.lateral_force, linear.longitudinal_force, form=TyreForm(
            linear.tangent_scale, linear.force_scale, linear.of_tangent, linear.of_angle),
            contact=LINEAR),
        TyreModel('fiala', 1, fiala.lateral_force, fiala.longitudinal_force, form=TyreForm(
            fiala.tangent_scale, fiala.force_scale, fiala.of_tangent, fiala.of_angle),
            contact=BRUSH),
        TyreModel('fiala_unsaturated', 2, fiala.lateral_force_unsaturated,
                  fiala.longitudinal_force_unsaturated, form=TyreForm(
                      fiala.tangent_scale, fiala.force_scale, fiala.of_tangent_unsaturated,
                      fiala.of_angle_unsaturated), contact=BRUSH_UNSATURATED),
        TyreModel('pacejka', 3, pacejka.lateral_force, pacejka.longitudinal_force, True,
                  contact=PACEJKA),
    )
}

DEFAULT_TYRE_MODEL = 'linear'
"""Tyres of a single-track model that is given none."""


SELECTION = ("by name or number; fiala_unsaturated is the report's cubic up to twice full sliding"
             ' and a straight line beyond')
"""How a tyre model is chosen, for the descriptions of parameters."""


def tyre_model_choices() -> tuple[str, ...]:
    """Return all selectors of the registered models: names, then numbers as text."""
    return (*TYRE_MODELS, *(str(row.number) for row in TYRE_MODELS.values()))


def find_tyre_model(selector: str | int) -> TyreModel:
    """Return the model of a name or number (number also as text, as parameters give it).

    Raises ParameterError if there is none.
    """
    text = str(selector)
    for row in TYRE_MODELS.values():
        if text in (row.name, str(row.number)):
            return row
    raise ParameterError(
        f"parameter 'tyre_model' is {selector!r}, expected one of"
        f" {', '.join(tyre_model_choices())}")
