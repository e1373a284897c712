# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lateral tyre models, one per file; a new one adds its row to TYRE_MODELS."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from racecar.core.errors import ParameterError
from racecar.core.tyres import fiala, linear

LateralForce = Callable[[float, float, float, float], float]
Scale = Callable[[float, float, float], float]


class TyreForm(NamedTuple):
    """The same force as a product, in the form that loops over steps and vehicles take.

    Force = force_scale * of_tangent(tan(alpha) * tangent_scale, C, mu, Fz)
          = force_scale * of_angle(alpha, tangent_scale, C, mu, Fz).

    Both scales are functions of C [N/rad], mu [-] and Fz [N]; so much is computed once. The two
    others are inlined kernels without calls of the C library, and return a number [-].
    """

    tangent_scale: Scale
    force_scale: Scale
    of_tangent: Callable[[float, float, float, float], float]
    of_angle: Callable[[float, float, float, float, float], float]


class TyreModel(NamedTuple):
    """One row of the registry.

    name and number: both select the model. lateral_force: compiled function of slip angle [rad],
    cornering stiffness [N/rad], friction coefficient [-] and vertical load [N]; returns the force
    [N], which opposes the slip.
    form: the force in parts; a model without it is slower, not different.
    """

    name: str
    number: int
    lateral_force: LateralForce
    form: TyreForm | None = None


TYRE_MODELS: dict[str, TyreModel] = {
    row.name: row
    for row in (
        TyreModel('linear', 0, linear.lateral_force, TyreForm(
            linear.tangent_scale, linear.force_scale, linear.of_tangent, linear.of_angle)),
        TyreModel('fiala', 1, fiala.lateral_force, TyreForm(
            fiala.tangent_scale, fiala.force_scale, fiala.of_tangent, fiala.of_angle)),
        TyreModel('fiala_unsaturated', 2, fiala.lateral_force_unsaturated, TyreForm(
            fiala.tangent_scale, fiala.force_scale, fiala.of_tangent_unsaturated,
            fiala.of_angle_unsaturated)),
    )
}


def tyre_model_choices() -> tuple[str, ...]:
    """Return all selectors of the registered models: names, then numbers as text."""
    return (*TYRE_MODELS, *(str(row.number) for row in TYRE_MODELS.values()))


def find_tyre_model(selector: str | int) -> TyreModel:
    """Return the model of a name or number (number also as text, as YAML and ROS give it).

    Raises ParameterError if there is none.
    """
    text = str(selector)
    for row in TYRE_MODELS.values():
        if text in (row.name, str(row.number)):
            return row
    raise ParameterError(
        f"parameter 'tyre_model' is {selector!r}, expected one of"
        f" {', '.join(tyre_model_choices())}")
