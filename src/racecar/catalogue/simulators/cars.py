# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the simulators of cars share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from racecar.base.parameters import ParameterTable
from racecar.catalogue.simulators.shared import FLEET, SIMULATOR_NODE
from racecar.description.urdf import RobotDescription
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.vehicles.parameters import VEHICLE_PARAMETERS, VehicleParameters
from racecar.sensors.equipment import described_with_sensors, shown_sensor, with_sensors
from racecar.sensors.laser import LASER
from racecar.simulation.dead_reckoning import ODOMETRY_PARAMETERS
from racecar.simulation.ports import Plant


def car_table(own: ParameterTable) -> ParameterTable:
    """Table of a simulator of cars that has these rows of its own."""
    return VEHICLE_PARAMETERS + own + FLEET + ODOMETRY_PARAMETERS + SIMULATOR_NODE


def with_laser(values: Mapping[str, object]) -> Callable[[Plant], Plant] | None:
    """What gives a plant its sensors where a controller may look at a laser; None without one."""
    return partial(with_sensors, values=values) if shown_sensor(values, LASER.name) else None


def describe_car(values: Mapping[str, object]) -> RobotDescription:
    """Description of the robot of resolved values."""
    return described_with_sensors(
        describe_vehicle(VehicleParameters.from_values(values)), values)
