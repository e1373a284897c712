# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which tyre stands on which axle: model and coefficients, by parameters."""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import NamedTuple

from racecar.base.errors import ParameterError
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.values import number_of, Values
from racecar.dynamics.tyres import find_tyre_model, pacejka, TyreModel, WheelTyre
from racecar.dynamics.tyres.contact import TyrePair, TyreSides
from racecar.dynamics.tyres.pacejka import LoadCoefficients, MagicFormula, SURFACES
from racecar.dynamics.tyres.pacejka_contact import SHAPE_LIMIT
from racecar.dynamics.vehicles.interface import MadeOf
from racecar.dynamics.vehicles.parameters import VehicleParameters

TYRE_PARAMETER_CHOICES = ('vehicle', 'given', 'computed', *SURFACES)

_DIRECTIONS = {'longitudinal': pacejka.LONGITUDINAL, 'lateral': pacejka.LATERAL}


_LOAD_COEFFICIENTS = {
    'longitudinal': pacejka.LONGITUDINAL_LOAD, 'lateral': pacejka.LATERAL_LOAD}

# D = Fz (b1 Fz + b2) and so on, see LoadCoefficients.
_LOAD_TEXTS = {
    'b1': 'Part of D over the square of the load', 'b2': 'Part of D over the load',
    'b3': 'Part of BCD over the square of the load', 'b4': 'Part of BCD over the load',
    'b5': 'Decay of BCD with the load', 'b6': 'Part of E over the square of the load',
    'b7': 'Part of E over the load', 'b8': 'Part of E that does not depend on the load',
    'b13': 'Share of E with the opposite sign of slip + H', 'H': 'Slip added for that sign'}

_LOAD_UNITS = {'b1': 'N/kN^2', 'b2': 'N/kN', 'b3': 'N/kN^2', 'b4': 'N/kN', 'b5': '1/kN',
               'b6': '1/kN^2', 'b7': '1/kN'}

REPORT_SLIP_LIMIT = 1.0
"""Longitudinal slip at which that of the report is cut off [-]."""


def _row(
    direction: str, name: str, default: float, text: str, *, above: float | None = None,
    maximum: float | None = None,
) -> Parameter:
    return Parameter(
        f'pacejka.{direction}.{name}', float, default,
        f'{text}, {direction}, for tyre_parameters given', above=above, maximum=maximum,
        read_only=True)


def _load_row(direction: str, name: str, default: float) -> Parameter:
    bound = 1.0 if name == 'H' else 1e6
    return Parameter(
        f'pacejka.{direction}.{name}', float, default,
        f'{_LOAD_TEXTS[name]}, {direction}, for tyre_parameters computed',
        unit=_LOAD_UNITS.get(name, ''), minimum=-bound, maximum=bound, read_only=True)


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
    *(_load_row(direction, name, value) for direction, b in _LOAD_COEFFICIENTS.items()
      for name, value in b._asdict().items()),
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
    """Tyres of a vehicle; x longitudinal, y lateral; sides: of both axles."""

    model: TyreModel
    selection: str
    sides: TyreSides
    front_x: TyreDirection
    front_y: TyreDirection
    rear_x: TyreDirection
    rear_y: TyreDirection

    def on_friction(self, front: float, rear: float) -> TyreSet:
        """Return them where the friction of front and rear tyres is times these factors.

        Slopes at zero slip stay.
        """
        return self._replace(**{
            f'{axle}_{axis}': direction._replace(friction=factor * direction.friction)
            for axle, factor in (('front', front), ('rear', rear))
            for axis, direction in (
                ('x', getattr(self, f'{axle}_x')), ('y', getattr(self, f'{axle}_y')))})

    def contact_tyre(self) -> Callable[[TyrePair], WheelTyre]:
        """Pure function that makes the tyre of a wheel for racecar.dynamics.tyres.contact."""
        shapes = (self.front_x.shape, self.front_y.shape, self.rear_x.shape, self.rear_y.shape)
        model = self.model if max(shapes) <= SHAPE_LIMIT else self.model._replace(contact=None)
        return model.contact_tyre()


def tyres_of(made_of: MadeOf) -> TyreSet:
    """Tyres of what cars are made of, whose vehicle may have columns; see make_tyre_set()."""
    vehicle, values = made_of
    return make_tyre_set(vehicle, str(values['tyre_model']), values)


def make_tyre_set(
    vehicle: VehicleParameters, tyre_model: str | int, values: Values | None = None,
) -> TyreSet:
    """Tyres that tyre_model (name or number) and the rows of TYRE_PARAMETERS select.

    values: resolved rows, others are left alone; missing ones have their defaults.
    Raises ParameterError if a value is unknown or the model has no such coefficients.
    """
    model = find_tyre_model(tyre_model)
    own = TYRE_PARAMETERS.resolve(
        {name: value for name, value in (values or {}).items() if name in TYRE_PARAMETERS})
    selection = str(own['tyre_parameters'])
    if selection == 'vehicle':
        along, across = vehicle.frictions
        return TyreSet(model, selection, TyreSides(), *(
            TyreDirection(stiffness, friction, pacejka.SHAPE, pacejka.CURVATURE)
            for stiffness, friction in (
                (vehicle.front_slip_stiffness, along), (vehicle.front_cornering_stiffness, across),
                (vehicle.rear_slip_stiffness, along),
                (vehicle.rear_cornering_stiffness, across))))
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
    return TyreSet(model, selection, _sides(selection, own), *directions)


def _sides(selection: str, values: Values) -> TyreSides:
    if selection == 'given':
        return TyreSides(slip_limit=REPORT_SLIP_LIMIT)
    if selection != 'computed':
        return TyreSides()
    x, y = (_load_coefficients(direction, values) for direction in _DIRECTIONS)
    # The slip angle of the report is that to the other side.
    return TyreSides(x.b13, x.H, -y.b13, -math.tan(y.H), REPORT_SLIP_LIMIT)


def _load_coefficients(direction: str, values: Values) -> LoadCoefficients:
    return LoadCoefficients(*(
        number_of(values, f'pacejka.{direction}.{name}') for name in LoadCoefficients._fields))


def _formula(
    selection: str, direction: str, wheel_load: float, vehicle: VehicleParameters,
    values: Values,
) -> MagicFormula:
    if selection in SURFACES:
        return SURFACES[selection]
    if selection == 'computed':
        coefficients = _load_coefficients(direction, values)
        try:
            formula = pacejka.computed(
                vehicle.wheel_width, vehicle.wheel_radius, wheel_load,
                coefficients._replace(b13=0.0))
        except (ZeroDivisionError, OverflowError):
            formula = MagicFormula(math.nan, math.nan, math.nan, math.nan)
        return _checked(direction, wheel_load, coefficients.b13, formula)
    return MagicFormula(*(
        number_of(values, f'pacejka.{direction}.{name}')
        for name in ('stiffness_factor', 'shape', 'friction', 'curvature')))


def _checked(
    direction: str, wheel_load: float, asymmetry: float, formula: MagicFormula,
) -> MagicFormula:
    """Formula. Raises ParameterError if its force does not oppose every slip."""
    largest = formula.curvature + abs(formula.curvature * asymmetry)
    # Written so that NaN is refused, too.
    if not (formula.friction > 0.0 and formula.stiffness_factor > 0.0 and largest <= 1.0):
        raise ParameterError(
            f'parameters pacejka.{direction}.b1 to b13 give D ='
            f' {formula.friction * wheel_load:.4g} N, B = {formula.stiffness_factor:.4g} and E up'
            f' to {largest:.4g} under {wheel_load:.4g} N, expected D and B above 0 and E up to 1')
    return formula
