# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which tyre stands on which axle: model and coefficients, by parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from racecar.core.errors import ParameterError
from racecar.core.parameters import Parameter, ParameterTable
from racecar.core.tyres import find_tyre_model, pacejka, TyreModel
from racecar.core.tyres.pacejka import MagicFormula, SURFACES
from racecar.core.vehicles.parameters import VehicleParameters

TYRE_PARAMETER_CHOICES = ('vehicle', 'given', 'computed', *SURFACES)

_DIRECTIONS = {'longitudinal': pacejka.LONGITUDINAL, 'lateral': pacejka.LATERAL}


def _row(
    direction: str, name: str, default: float, text: str, *, above: float | None = None,
    maximum: float | None = None,
) -> Parameter:
    return Parameter(
        f'pacejka.{direction}.{name}', float, default,
        f'{text}, {direction}, for tyre_parameters given', above=above, maximum=maximum,
        read_only=True)


TYRE_PARAMETERS = ParameterTable([
    Parameter('tyre_parameters', str, 'vehicle', 'Coefficients of Pacejka tyres: slope and peak'
              " from the vehicle's stiffness and friction; given by pacejka.*; computed from"
              ' wheel and load; or those of a surface',
              choices=TYRE_PARAMETER_CHOICES, read_only=True),
    *(row for direction, formula in _DIRECTIONS.items() for row in (
        _row(direction, 'stiffness_factor', formula.stiffness_factor, 'B', above=0.0),
        _row(direction, 'shape', formula.shape, 'C', above=0.0, maximum=2.5),
        _row(direction, 'friction', formula.friction, 'D over the load', above=0.0),
        _row(direction, 'curvature', formula.curvature, 'E', maximum=1.0))),
])


class TyreDirection(NamedTuple):
    """One direction of both tyres of an axle under its static load.

    stiffness: slope at zero slip [N/rad or N]; friction: peak over load [-];
    shape and curvature: C and E of the magic formula [-], without effect for other models.
    """

    stiffness: float
    friction: float
    shape: float
    curvature: float


class TyreSet(NamedTuple):
    """Tyres of a vehicle; x longitudinal, y lateral."""

    model: TyreModel
    selection: str
    front_x: TyreDirection
    front_y: TyreDirection
    rear_x: TyreDirection
    rear_y: TyreDirection


def make_tyre_set(
    vehicle: VehicleParameters, tyre_model: str | int, values: Mapping[str, Any] | None = None,
) -> TyreSet:
    """Return the tyres that tyre_model (name or number) and the rows of TYRE_PARAMETERS select.

    values: resolved rows, others are left alone; missing ones have their defaults.
    Raises ParameterError if a value is unknown or the model has no such coefficients.
    """
    model = find_tyre_model(tyre_model)
    own = TYRE_PARAMETERS.resolve(
        {name: value for name, value in (values or {}).items() if name in TYRE_PARAMETERS})
    selection = str(own['tyre_parameters'])
    if selection == 'vehicle':
        friction, shape, curvature = (
            vehicle.friction_coefficient, pacejka.SHAPE, pacejka.CURVATURE)
        return TyreSet(model, selection, *(
            TyreDirection(stiffness, friction, shape, curvature) for stiffness in (
                vehicle.front_slip_stiffness, vehicle.front_cornering_stiffness,
                vehicle.rear_slip_stiffness, vehicle.rear_cornering_stiffness)))
    if model.name != 'pacejka':
        raise ParameterError(
            f"parameter 'tyre_parameters' is {selection!r}, expected vehicle for the tyre_model"
            f' {model.name}: only pacejka has such coefficients')
    directions = []
    for axle_load in (vehicle.front_axle_load, vehicle.rear_axle_load):
        for direction in _DIRECTIONS:
            formula = _formula(selection, direction, 0.5 * axle_load, vehicle, own)
            directions.append(TyreDirection(
                formula.stiffness(axle_load), formula.friction, formula.shape,
                formula.curvature))
    return TyreSet(model, selection, *directions)


def _formula(
    selection: str, direction: str, wheel_load: float, vehicle: VehicleParameters,
    values: Mapping[str, Any],
) -> MagicFormula:
    if selection in SURFACES:
        return SURFACES[selection]
    if selection == 'computed':
        coefficients = (
            pacejka.LONGITUDINAL_LOAD if direction == 'longitudinal' else pacejka.LATERAL_LOAD)
        return pacejka.computed(
            vehicle.wheel_width, vehicle.wheel_radius, wheel_load, coefficients)
    return MagicFormula(*(
        values[f'pacejka.{direction}.{name}']
        for name in ('stiffness_factor', 'shape', 'friction', 'curvature')))
