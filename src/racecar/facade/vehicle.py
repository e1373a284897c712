# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A vehicle with its parameters, as the facade takes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
import os
from pathlib import Path
from typing import Any, NamedTuple

from racecar.base.errors import ConfigurationError, excerpt, ParameterError
from racecar.base.notebook import facts_table, page_part, value_text
from racecar.base.parameter_file import load_parameter_file
from racecar.base.parameters import Parameter, suggest
from racecar.base.share import find_vehicle, vehicle_names
from racecar.dynamics.vehicles.parameters import (
    PREFIX,
    VEHICLE,
    VEHICLE_FILE_PARAMETERS,
    VEHICLE_PARAMETERS,
    VehicleParameters,
)
from racecar.dynamics.vehicles.vehicle_sheet import Row, vehicle_sheet

_DEFAULT = 'racecar'


class ParameterRow(NamedTuple):
    """A parameter of a vehicle: name, value, unit ('' for none), and what it is."""

    name: str
    value: Any
    unit: str
    description: str


class Vehicle(Mapping[str, Any]):
    """A car by its name, its file or its values; immutable.

    `vehicle['mass']` is a parameter by its name, SI units; `vehicle.parameters` has the same with
    types, and what follows from it, such as `vehicle.parameters.understeer_gradient`. A vehicle
    is a mapping, so that `dict(vehicle)` has all values and two vehicles with equal values are
    equal.
    source: name or file that it is from, None for one from values alone; changes: values by name
    that differ from it.
    """

    source: str | None
    changes: Mapping[str, object]

    def __init__(self, vehicle: str | os.PathLike[str] | Mapping[str, object] = _DEFAULT) -> None:
        """vehicle: name in config/vehicles, path of a parameter file, or values by name.

        Values that are left out have their defaults; mass, lengths and stiffnesses have none.
        Raises ConfigurationError for a name or file that is none, ParameterError, naming the
        parameter, for a value that is missing or not allowed, and for what cannot be a vehicle.
        """
        if isinstance(vehicle, Mapping):
            # All of them, as they go over the file of some other vehicle.
            given: dict[str, object] = {row.name: row.default for row in VEHICLE_FILE_PARAMETERS
                     if row.default is not None}
            given |= {full_name(name): value for name, value in vehicle.items()}
            self._take(None, {}, given)
        elif isinstance(vehicle, str | os.PathLike):
            name = os.path.expanduser(os.fspath(vehicle))
            path = find_vehicle(name)
            self._take(name if name in vehicle_names() else str(Path(path).resolve()),
                       load_parameter_file(path, node=VEHICLE), {})
        else:
            raise ConfigurationError(
                f'vehicle is {excerpt(vehicle)}, expected a name'
                f" ({', '.join(vehicle_names())}), the path of a file, or a dictionary of values")

    def _take(
        self, source: str | None, of_source: Mapping[str, object], changes: Mapping[str, object],
    ) -> None:
        values = VEHICLE_FILE_PARAMETERS.resolve({
            **{name: value for name, value in of_source.items()
               if name in VEHICLE_FILE_PARAMETERS}, **changes})
        self.source = source
        self.changes = {_short_name(name): values[name] for name in changes}
        self._of_source = of_source
        self._values = values
        self.parameters = VehicleParameters.from_values(values)

    @property
    def name(self) -> str:
        """Name of the vehicle, which titles and file names have."""
        return self.parameters.name

    def replace(self, changes: Mapping[str, object] | None = None, **more: object) -> Vehicle:
        """Another vehicle, in which some values differ.

        changes: values by name; more: the same as keyword arguments, in which dots may be written
        as underscores: `replace(mass=4.0, front_cornering_stiffness=90.0)`. Raises ParameterError
        for an unknown name, naming the nearest ones, for a value that is not allowed, and for what
        cannot be a vehicle.
        """
        new = {full_name(name): value for name, value in {**(changes or {}), **more}.items()}
        vehicle = Vehicle.__new__(Vehicle)
        vehicle._take(self.source, self._of_source, {
            **{full_name(name): value for name, value in self.changes.items()}, **new})
        return vehicle

    @property
    def rows(self) -> list[ParameterRow]:
        """Parameters of the motion with value, unit and meaning; others are of body and looks."""
        return [self._row(row) for row in VEHICLE_PARAMETERS]

    def figures(self) -> dict[str, list[Row]]:
        """What follows from the parameters, as `racecar vehicle show` prints it, by title.

        Dimensions, loads, steering and, of a car with springs, how its body moves: (name, text).
        """
        return vehicle_sheet(self.parameters)

    def __getitem__(self, name: str) -> Any:
        return self._values[full_name(name)]

    def __iter__(self) -> Iterator[str]:
        return map(_short_name, self._values)

    def __len__(self) -> int:
        return len(self._values)

    @cached_property
    def _hash(self) -> int:
        return hash(repr(self._values))

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        """Say where it is from, and what was changed."""
        if self.source is None:
            return f'<Vehicle {self.name}: {self._summary}>'
        changed = ', '.join(f'{name}={value!r}' for name, value in self.changes.items())
        text = f'Vehicle({self.source!r})' + (f' with {changed}' if changed else '')
        return f'<{text}: {self._summary}>'

    @property
    def _summary(self) -> str:
        car = self.parameters
        return (f'{car.mass:.4g} kg, wheelbase {car.wheelbase:.4g} m, understeer gradient'
                f' {car.understeer_gradient:.3g} rad s^2/m')

    def _repr_html_(self) -> str:
        """Figures and parameters for a notebook."""
        parameters = facts_table({f'{len(self.rows)} parameters of the motion': [
            (row.name, f'{value_text(row.value)} {row.unit}'.rstrip()) for row in self.rows]})
        return page_part(
            f'Vehicle {self.name}', facts_table(self.figures()),
            f'<details><summary>Parameters</summary>{parameters}</details>')

    def _row(self, row: Parameter) -> ParameterRow:
        return ParameterRow(
            _short_name(row.name), self._values[row.name], row.unit, row.description)


def _short_name(name: str) -> str:
    return name.removeprefix(PREFIX)


_BY_UNDERSCORES = {_short_name(name).replace('.', '_'): name
                   for name in VEHICLE_FILE_PARAMETERS.names}


def full_name(name: str) -> str:
    """Name in VEHICLE_FILE_PARAMETERS. Raises ParameterError with the nearest ones."""
    full = f'{PREFIX}{str(name).removeprefix(PREFIX)}'
    if full in VEHICLE_FILE_PARAMETERS:
        return full
    if name in _BY_UNDERSCORES:
        return _BY_UNDERSCORES[name]
    raise ParameterError(
        f'vehicle has no parameter {excerpt(name)};'
        f' {suggest(str(name), map(_short_name, VEHICLE_FILE_PARAMETERS.names))}')
