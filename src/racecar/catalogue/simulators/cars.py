# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the simulators of cars share."""

from __future__ import annotations

from collections.abc import Mapping

from racecar.description.urdf import RobotDescription
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.sensors.equipment import described_with_sensors


def describe_car(values: Mapping[str, object]) -> RobotDescription:
    """Description of the robot of resolved values."""
    return described_with_sensors(
        describe_vehicle(VehicleParameters.from_values(values)), values)
