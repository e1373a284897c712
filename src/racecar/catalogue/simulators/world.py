# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulator of cars in the 3-D world."""

from __future__ import annotations

from collections.abc import Mapping

from racecar.catalogue.simulators.cars import describe_car
from racecar.catalogue.simulators.shared import (
    check_alone,
    FLEET,
    SIMULATOR_NODE,
    SimulatorEntry,
    with_laser,
)
from racecar.dynamics.vehicles.parameters import VEHICLE_PARAMETERS
from racecar.simulation.closed_loop import LoopCar
from racecar.simulation.dead_reckoning import ODOMETRY_PARAMETERS
from racecar.simulation.fleet_file import values_of_cars
from racecar.simulation.ports import Plant
from racecar.simulation.reckoned_plant import as_it_is
from racecar.world.world_parameters import WORLD_PARAMETERS

WORLD_SIMULATOR = (
    VEHICLE_PARAMETERS + WORLD_PARAMETERS + FLEET + ODOMETRY_PARAMETERS + SIMULATOR_NODE)


def _make_car(values: Mapping[str, object], like: LoopCar | None) -> LoopCar:
    check_alone(values)
    # Imports an engine that only this needs.
    from racecar.world.make_world import make_world_car

    return make_world_car(values, with_laser(values) or as_it_is)


def _make_plant(values: Mapping[str, object]) -> Plant:
    from racecar.world.make_world import make_world_plant

    return make_world_plant(values, cars=values_of_cars(values, WORLD_SIMULATOR))


ENTRY = SimulatorEntry(_make_car, _make_plant, describe_car)
