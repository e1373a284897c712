# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Numbers of cars that differ in parameters of vehicle or actuators, made at once by columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array, is_column, rows_of
from racecar.base.errors import ConfigurationError
from racecar.base.types import NANOSECONDS
from racecar.base.values import Values
from racecar.dynamics.actuators import ACTUATOR_PARAMETERS, Actuators
from racecar.dynamics.vehicles.interface import VehicleModel
from racecar.dynamics.vehicles.modes import are_slower
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.simulation.car_body import car_body
from racecar.simulation.model_lanes import command_limits, held_channels
from racecar.simulation.simulator import Simulator


class VehicleColumns(NamedTuple):
    """Numbers of cars whose vehicles differ, in SI units: (numbers, cars) each.

    parameters, limits: those of ModelColumns; command_limits: lowest and highest speed, lowest and
    highest steering angle; bodies: of CarBody; are_possible: whether each car can be, (cars,).
    """

    parameters: Array
    limits: Array
    command_limits: Array
    bodies: Array
    are_possible: NDArray[np.bool_]


def vehicle_columns(
    model: VehicleModel, vehicle: VehicleParameters, values: Values, cars: int, fastest: float,
) -> VehicleColumns:
    """Numbers of cars of a model; vehicle: numbers or columns; values: resolved, of the model.

    A car is possible where all modes of its equations are slower than fastest [1/s], which method
    and step allow. Raises TypeError or ValueError where the cars do not differ in numbers alone.
    """
    found = model.columns(vehicle, values, cars)
    if is_column(found.ahead):
        raise TypeError('the cars start at different points')
    return VehicleColumns(
        found.parameters, found.limits, rows_of(command_limits(vehicle), cars),
        rows_of(car_body(vehicle, found.ahead), cars),
        are_slower(found.modes, fastest))


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
