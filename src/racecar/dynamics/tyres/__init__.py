# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tyre models, one per file; a new one adds its row to TYRE_MODELS."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from racecar.base.errors import ParameterError
from racecar.dynamics.tyres import fiala, linear, pacejka
from racecar.dynamics.tyres.contact import TyrePair
from racecar.dynamics.tyres.curves import curve_tyres, CurveAxle, CurvePair
from racecar.dynamics.tyres.fiala import FialaTyre, UnsaturatedTyre
from racecar.dynamics.tyres.fiala_contact import (
    Brush,
    prepare_brush,
    prepare_unsaturated,
    UnsaturatedBrush,
)
from racecar.dynamics.tyres.lateral import LateralSlip
from racecar.dynamics.tyres.linear import LinearTyre
from racecar.dynamics.tyres.linear_contact import prepare_linear, Straight
from racecar.dynamics.tyres.pacejka_contact import Magic, prepare_pacejka

TyreForce = Callable[..., float]

AxleTyre: TypeAlias = LinearTyre | FialaTyre | UnsaturatedTyre | CurveAxle
"""Tyres of an axle, see racecar.dynamics.tyres.lateral."""

WheelTyre: TypeAlias = Straight | Brush | UnsaturatedBrush | Magic | CurvePair
"""Tyre of a wheel, see racecar.dynamics.tyres.contact."""


class TyreModel(NamedTuple):
    """One row of the registry.

    name and number: both select the model. lateral_force: pure function of slip angle [rad],
    cornering stiffness [N/rad], friction coefficient [-], vertical load [N], and Pacejka's shape
    and curvature [-], which have defaults; gives the force [N], which opposes the slip.
    longitudinal_force: the same of longitudinal slip [-] and slip stiffness [N].
    stiffness_by_load: whether the stiffness of a wheel goes with its load.
    lateral: makes the NamedTuple of racecar.dynamics.tyres.lateral; contact: pure function that
    makes that of racecar.dynamics.tyres.contact for one wheel. A model without them is given by
    its curves: slower, not different.
    """

    name: str
    number: int
    lateral_force: TyreForce
    longitudinal_force: TyreForce
    stiffness_by_load: bool = False
    lateral: Callable[[LateralSlip], AxleTyre] | None = None
    contact: Callable[[TyrePair], WheelTyre] | None = None

    def lateral_tyre(self, slip: LateralSlip) -> AxleTyre:
        """Tyres of an axle for racecar.dynamics.tyres.lateral."""
        make = self.lateral or curve_tyres(self.lateral_force, self.longitudinal_force).lateral
        return make(slip)

    def contact_tyre(self) -> Callable[[TyrePair], WheelTyre]:
        """Pure function that makes the tyre of a wheel for racecar.dynamics.tyres.contact."""
        return self.contact or curve_tyres(self.lateral_force, self.longitudinal_force).contact


TYRE_MODELS: dict[str, TyreModel] = {
    row.name: row
    for row in (
        TyreModel('linear', 0, linear.lateral_force, linear.longitudinal_force,
                  lateral=linear.linear_tyre, contact=prepare_linear),
        TyreModel('fiala', 1, fiala.lateral_force, fiala.longitudinal_force,
                  lateral=fiala.fiala_tyre, contact=prepare_brush),
        TyreModel('fiala_unsaturated', 2, fiala.lateral_force_unsaturated,
                  fiala.longitudinal_force_unsaturated, lateral=fiala.unsaturated_tyre,
                  contact=prepare_unsaturated),
        TyreModel('pacejka', 3, pacejka.lateral_force, pacejka.longitudinal_force, True,
                  contact=prepare_pacejka),
    )
}

DEFAULT_TYRE_MODEL = 'linear'
"""Tyres of a single-track model that is given none."""


SELECTION = ("by name or number; fiala_unsaturated is the report's cubic up to twice full sliding"
             ' and a straight line beyond')
"""How a tyre model is chosen, for the descriptions of parameters."""


def tyre_model_choices() -> tuple[str, ...]:
    """All selectors of the registered models: names, then numbers as text."""
    return (*TYRE_MODELS, *(str(row.number) for row in TYRE_MODELS.values()))


def find_tyre_model(selector: str | int) -> TyreModel:
    """Model of a name or number (number also as text, as parameters give it).

    Raises ParameterError if there is none.
    """
    text = str(selector)
    for row in TYRE_MODELS.values():
        if text in (row.name, str(row.number)):
            return row
    raise ParameterError(
        f"parameter 'tyre_model' is {selector!r}, expected one of"
        f" {', '.join(tyre_model_choices())}")
