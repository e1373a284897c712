# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Numbers of cars that differ in parameters of vehicle or actuators, made at once by columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array, is_column, rows_of
from racecar.base.errors import ConfigurationError
from racecar.base.types import NANOSECONDS
from racecar.base.values import Values
from racecar.dynamics.actuators import ACTUATOR_PARAMETERS, Actuators
from racecar.dynamics.vehicles.interface import MadeOf, VehicleModel
from racecar.dynamics.vehicles.modes import are_slower
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.simulation.car_body import car_body
from racecar.simulation.ground_friction import of_both, WheelSpots
from racecar.simulation.model_lanes import command_limits, held_channels
from racecar.simulation.simulator import Simulator

# Factors of friction, to see what they change: many, as some numbers differ by rounding alone.
_OTHERS = np.linspace(0.1, 3.0, 64)


class VehicleColumns(NamedTuple):
    """Numbers of cars whose vehicles differ, in SI units: (numbers, cars) each.

    parameters, limits: those of ModelColumns; command_limits: lowest and highest speed, lowest and
    highest steering angle; bodies: of CarBody; are_possible: whether each car can be, (cars,);
    spots: of WheelSpots; grips: as grips_of() has them, for the factors that were asked for.
    """

    parameters: Array
    limits: Array
    command_limits: Array
    bodies: Array
    are_possible: NDArray[np.bool_]
    spots: Array
    grips: Array


class AxleFactors(NamedTuple):
    """Factors of the friction under the wheels of cars, of zones and of the ground without.

    rows: grip_rows() of their model; factors: (factors, cars).
    """

    rows: Array
    factors: Array

    def of(self, chosen: NDArray[np.bool_]) -> AxleFactors:
        """Those of some of the cars."""
        return AxleFactors(self.rows, self.factors[:, chosen])


def grip_rows(model: VehicleModel) -> Array:
    """Parameters of a model that the friction under its axles changes, (numbers, 2).

    Each by its row, and 1 if it is that of the rear axle, else 0; none of a model without tyres.
    """
    found = []
    if model.parameters_on(1.0, 1.0) is not None:
        others = cast(float, _OTHERS)
        front, rear, both = (
            rows_of(model.parameters_on(*factors) or (), len(_OTHERS))
            for factors in ((others, 1.0), (1.0, others), (1.0, 1.0)))
        found = [(float(row), axle) for axle, changed in ((0.0, front), (1.0, rear))
                 for row in np.flatnonzero((changed != both).any(axis=1))]
    return np.array(found).reshape(-1, 2)


def grips_of(
    model: VehicleModel, table: Array, factors: Array, made_of: MadeOf | None = None,
) -> Array:
    """Parameters of grip_rows() of cars by the factors of the friction under both wheels.

    (factors factors numbers, cars), that of the left wheel changes slowest; table: of the model;
    factors: of each car, (factors, cars); made_of: of which the cars are in place of the model.
    """
    count, cars = factors.shape
    found, rows = np.empty((count, count, len(table), cars)), table[:, 0].astype(int)
    for left in range(count):
        for right in range(left + 1):
            factor = of_both(*cast(
                tuple[float, float], (factors[left], factors[right])))
            found[left, right] = found[right, left] = rows_of(
                model.parameters_on(factor, factor, made_of) or (), cars)[rows]
    return found.reshape(-1, cars)


def vehicle_columns(
    model: VehicleModel, vehicle: VehicleParameters, values: Values, cars: int, fastest: float,
    friction: AxleFactors | None = None,
) -> VehicleColumns:
    """Numbers of cars of a model; vehicle: numbers or columns; values: resolved, of the model.

    A car is possible where all modes of its equations are slower than fastest [1/s], which method
    and step allow. friction: of zones, for the grips. Raises TypeError or ValueError where the
    cars do not differ in numbers alone.
    """
    found = model.columns(vehicle, values, cars)
    if is_column(found.ahead):
        raise TypeError('the cars start at different points')
    return VehicleColumns(
        found.parameters, found.limits, rows_of(command_limits(vehicle), cars),
        rows_of(car_body(vehicle, found.ahead), cars),
        are_slower(found.modes, fastest),
        np.empty((0, cars)) if friction is None else rows_of(WheelSpots.of(vehicle), cars),
        np.empty((0, cars)) if friction is None else grips_of(
            model, *friction, MadeOf(vehicle, values)))


class ChannelColumns(NamedTuple):
    """Actuators of cars for LaneNumbers.line, (numbers, cars); are_possible: of each, (cars,)."""

    line: Array
    are_possible: NDArray[np.bool_]


def channel_columns(
    simulator: Simulator, values: Values, columns: Mapping[str, Array], cars: int,
) -> ChannelColumns:
    """Actuators of cars that differ from that of a simulator in some of ACTUATOR_PARAMETERS.

    values: resolved, of the simulator; columns: by parameter, others are left alone. The line has
    no rows where actuators do not differ. A car whose actuators are all off, or cannot be, is
    impossible. Raises TypeError for a simulator without actuators.
    """
    varied = {name: column.tolist() for name, column in columns.items()
              if name in ACTUATOR_PARAMETERS}
    if not varied:
        return ChannelColumns(np.empty((0, cars)), np.ones(cars, dtype=bool))
    own = {row.name: values[row.name] for row in ACTUATOR_PARAMETERS}
    steps = simulator.steps_per_tick
    if simulator.channels is None:
        raise TypeError('a car without actuators takes no columns of them')
    line = rows_of(held_channels(simulator.channels, steps), cars)
    possible = np.ones(cars, dtype=bool)
    for car in range(cars):
        try:
            made = Actuators.from_values(
                {**own, **{name: column[car] for name, column in varied.items()}},
                simulator.step_ns / NANOSECONDS)
        except ConfigurationError:
            made = None
        possible[car] = made is not None
        if made is not None:
            line[:, car] = np.ravel(held_channels(made.channels, steps))
    return ChannelColumns(line, possible)
