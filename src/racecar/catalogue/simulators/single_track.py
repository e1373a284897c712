# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulator of cars in the plane."""

from __future__ import annotations

from collections.abc import Mapping

from racecar.catalogue.simulators.cars import car_table, describe_car, with_laser
from racecar.catalogue.simulators.shared import SimulatorEntry
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.closed_loop import LoopCar
from racecar.simulation.fleet_file import values_of_cars
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.ports import Plant
from racecar.simulation.reckoned_plant import as_it_is, car_with_odometry, is_reckoned
from racecar.simulation.vehicle_fleet import make_vehicle_plant
from racecar.simulation.vehicle_plant import VehiclePlant

SINGLE_TRACK_SIMULATOR = car_table(SIMULATOR_PARAMETERS)


def _make_car(values: Mapping[str, object], like: LoopCar | None) -> LoopCar:
    same = None if like is None else like.compiled
    simulator = make_simulator(values, None if same is None else same.model)
    sensors = with_laser(values)
    return car_with_odometry(
        VehiclePlant(simulator), values, simulator.description, simulator, sensors or as_it_is,
    ) if sensors or is_reckoned(values) else simulator


def _make_plant(values: Mapping[str, object]) -> Plant:
    return make_vehicle_plant(values_of_cars(values, SINGLE_TRACK_SIMULATOR))


ENTRY = SimulatorEntry(_make_car, _make_plant, describe_car)
