# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lateral tyre models, one per file; a new one adds its row to TYRE_MODELS."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from racecar.core.errors import ParameterError
from racecar.core.tyres import fiala, linear

LateralForce = Callable[[float, float, float, float], float]
SlipForce = Callable[[float, float, float, float, float], float]


class TyreModel(NamedTuple):
    """One row of the registry.

    name and number: both select the model. lateral_force: compiled function of slip angle [rad],
    cornering stiffness [N/rad], friction coefficient [-] and vertical load [N]; returns the force
    [N], which opposes the slip.

    The same force in the forms that the loops over steps and vehicles take, both inlined into
    them and free of calls of the C library: tangent_force of the slip angle's tangent [-] and
    angle_force of the slip angle itself [rad]. Both also take stiffness, friction, load and
    per_sliding = C/(3 mu Fz) [-]. A model without them is slower, not different.
    """

    name: str
    number: int
    lateral_force: LateralForce
    tangent_force: SlipForce | None = None
    angle_force: SlipForce | None = None


TYRE_MODELS: dict[str, TyreModel] = {
    row.name: row
    for row in (
        TyreModel('linear', 0, linear.lateral_force, linear.tangent_force, linear.angle_force),
        TyreModel('fiala', 1, fiala.lateral_force, fiala.tangent_force, fiala.angle_force),
        TyreModel('fiala_unsaturated', 2, fiala.lateral_force_unsaturated,
                  fiala.tangent_force_unsaturated, fiala.angle_force_unsaturated),
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
