# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulator of cars in the 3-D world."""

from __future__ import annotations

from collections.abc import Mapping

from racecar.catalogue.simulators.cars import car_table, describe_car, with_laser
from racecar.catalogue.simulators.shared import SimulatorEntry
from racecar.simulation.closed_loop import LoopCar
from racecar.simulation.fleet_file import values_of_cars
from racecar.simulation.ports import Plant
from racecar.simulation.reckoned_plant import as_it_is
from racecar.world.world_parameters import WORLD_PARAMETERS

WORLD_SIMULATOR = car_table(WORLD_PARAMETERS)


def _make_car(values: Mapping[str, object], like: LoopCar | None) -> LoopCar:
    # Imports an engine that only this needs.
    from racecar.world.make_world import make_world_car

    return make_world_car(values, with_laser(values) or as_it_is)


def _make_plant(values: Mapping[str, object]) -> Plant:
    from racecar.world.make_world import make_world_plant

    return make_world_plant(values, cars=values_of_cars(values, WORLD_SIMULATOR))


ENTRY = SimulatorEntry(_make_car, _make_plant, describe_car)
