# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A vehicle by its parameters: the tables, and the check of what they make as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array
from racecar.base.errors import excerpt, ParameterError, RacecarError
from racecar.base.parameter_fields import fields_of, made_of, table_of
from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_vehicle
from racecar.base.values import text_of, Values
from racecar.dynamics.tyres.pacejka import SURFACES
from racecar.dynamics.vehicles.body_check import check_vehicle
from racecar.dynamics.vehicles.body_parameters import BODY_PARAMETERS, BODY_PREFIX, BodyParameters
from racecar.dynamics.vehicles.design import (
    DEFAULT_MATERIAL,
    Footprint,
    GRAVITY,
    VehicleDesign,
)
from racecar.dynamics.vehicles.extension_parameters import (
    DATA,
    Extension,
    EXTENSION_PARAMETERS,
    EXTENSIONS,
)
from racecar.dynamics.vehicles.light_parameters import LIGHT_PARAMETERS, Lights, LIGHTS_PREFIX
from racecar.dynamics.vehicles.wheel_parameters import (
    corner_names,
    WHEEL_PARAMETERS,
    WHEEL_PREFIX,
    WheelDesign,
    WheelLook,
)

__all__ = [
    'DESCRIPTION_PARAMETERS', 'Footprint', 'GRAVITY', 'PREFIX', 'VEHICLE',
    'VEHICLE_FILE_PARAMETERS', 'VEHICLE_PARAMETERS', 'VehicleParameters',
]

VEHICLE = 'vehicle'
PREFIX = f'{VEHICLE}.'
"""Of the names of parameters of a vehicle. As the name of a node in settings, VEHICLE stands for
all nodes that know the vehicle."""
_OWN_PREFIXES = BODY_PREFIX, LIGHTS_PREFIX, WHEEL_PREFIX, EXTENSIONS, DATA

# Of the name of a vehicle.
_LONGEST_NAME, _NAME_MARKS = 80, ' ._+-'

VEHICLE_PARAMETERS = table_of(VehicleDesign, PREFIX)

DESCRIPTION_PARAMETERS = (
    BODY_PARAMETERS + WHEEL_PARAMETERS + LIGHT_PARAMETERS + EXTENSION_PARAMETERS)
"""Beside VEHICLE_PARAMETERS; the simulators, which describe the vehicle, have them."""

VEHICLE_FILE_PARAMETERS = VEHICLE_PARAMETERS + DESCRIPTION_PARAMETERS
"""What the file of a vehicle holds below `vehicle`; all nodes that know the vehicle have the rows
of VEHICLE_PARAMETERS, the simulators, which describe it, also the others."""


_FIELDS = {name: field for field, name in fields_of(
    VehicleDesign, PREFIX, {row.name: row.name for row in VEHICLE_PARAMETERS}).items()}

# What wheels look like follows from their size.
_WHEEL_SIZES = 'wheel_radius', 'wheel_width', 'rear_wheel_radius', 'rear_wheel_width'

VEHICLE_COLUMNS = frozenset(
    row.name for row in VEHICLE_PARAMETERS
    if row.type is float and _FIELDS[row.name] not in _WHEEL_SIZES)
"""Names of the parameters in which VehicleParameters.columns() may differ."""


def _check_name(name: str) -> None:
    """Raise ParameterError unless files can be named after the vehicle."""
    if not (name[:1].isalnum() and len(name) <= _LONGEST_NAME
            and all(part.isalnum() or part in _NAME_MARKS for part in name)):
        raise ParameterError(
            f"parameter '{PREFIX}name' is {excerpt(name)}, expected up to {_LONGEST_NAME} letters,"
            " digits, blanks and ._+- of which the first is a letter or digit: files are named"
            ' after the vehicle')


def _foreign_wheels(values: Values) -> tuple[WheelDesign | None, ...]:
    """Wheels of other vehicles that are at the four corners, None for its own."""
    found: list[WheelDesign | None] = []
    for corner, name in enumerate(corner_names(values)):
        if not name:
            found.append(None)
            continue
        try:
            path = find_vehicle(name)
            other = load_parameter_file(path, node=VEHICLE)
            # Its own, not again those of others.
            other.pop(f'{WHEEL_PREFIX}corners', None)
            found.append(VehicleParameters.from_values(other).wheel_designs[corner])
        except RacecarError as error:
            raise ParameterError(f"parameter '{WHEEL_PREFIX}corners': {error}") from error
    return tuple(found) or (None, None, None, None)


def _is_possible(vehicle: VehicleDesign) -> bool:
    try:
        check_vehicle(vehicle)
    except ParameterError:
        return False
    return True


class VehicleParameters(VehicleDesign):
    """A vehicle in SI units, built from its parameters and checked as a whole."""

    __slots__ = ()

    @classmethod
    def from_values(cls, values: Values) -> VehicleParameters:
        """Build from names of VEHICLE_FILE_PARAMETERS; others are left alone.

        Raises ParameterError naming the first unknown, missing, ill-typed or out-of-range one, or
        what together cannot be a vehicle.
        """
        own = VEHICLE_PARAMETERS.resolve(
            {name: value for name, value in values.items()
             if name.startswith(PREFIX) and not name.startswith(_OWN_PREFIXES)})
        _check_name(text_of(own, f'{PREFIX}name'))
        material = text_of(own, f'{PREFIX}contact_material')
        if material != DEFAULT_MATERIAL:
            own[f'{PREFIX}friction_coefficient'] = SURFACES[material].friction
        vehicle = made_of(
            cls, PREFIX, own, body=BodyParameters.from_values(values),
            lights=Lights.from_values(values), wheel=WheelLook.from_values(values),
            foreign_wheels=_foreign_wheels(values), extension=Extension.from_values(values))
        # Raises the error of wheels that there cannot be.
        vehicle.wheel.shapes(vehicle.wheel_radii, vehicle.wheel_widths)
        check_vehicle(vehicle)
        return vehicle

    def columns(self, values: Mapping[str, Array]) -> VehicleParameters:
        """Many vehicles like this one, (cars,), as racecar.base.columns has them.

        values: by some names of VEHICLE_COLUMNS, each number one that its parameter may have.
        """
        return self._with(self._fields_of(values))

    def are_possible(self, values: Mapping[str, Array]) -> NDArray[np.bool_]:
        """Whether from_values() makes each of the vehicles of columns(), (cars,).

        values: as of columns(), an array of one value a car, (cars,), by name.
        """
        fields = self._fields_of(values)
        rows = zip(*(column.tolist() for column in fields.values()), strict=True)
        return np.array([_is_possible(self._with(dict(zip(fields, row, strict=True))))
                         for row in rows])

    def _with(self, fields: Values) -> VehicleParameters:
        change: Callable[..., VehicleParameters] = replace
        return change(self, **fields)

    def _fields_of(self, values: Mapping[str, Array]) -> dict[str, Array]:
        fields = {_FIELDS[name]: column for name, column in values.items()}
        if self.contact_material != DEFAULT_MATERIAL:
            fields.pop('friction_coefficient', None)
        return fields

    @classmethod
    def from_file(cls, path: Path | str) -> VehicleParameters:
        """Build from a vehicle's parameter file, e.g. config/vehicles/racecar.yaml.

        Raises ConfigurationError if it is not one, and ParameterError as from_values(), with the
        name of the file.
        """
        values = load_parameter_file(path, node='vehicle')
        try:
            return cls.from_values(values)
        except ParameterError as error:
            raise ParameterError(f'vehicle file {excerpt(str(path))}: {error}') from error
