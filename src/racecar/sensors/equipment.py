# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a simulator has beside its cars, by parameters: the world around them and their sensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from racecar.base.errors import ParameterError
from racecar.base.parameters import Parameter, ParameterTable, suggest
from racecar.scene.world_choice import scene_of
from racecar.sensors import SENSOR_KINDS
from racecar.sensors.mounting import EquippedPlant, MountedSensor, sensor_parameters
from racecar.simulation.ports import Plant

# Sensors of the car, each named like its kind: where their values differ from the kind's.
_SENSORS: dict[str, dict[str, Any]] = {
    'laser': {'rate': 40.0},
    'camera': {'rate': 30.0, 'frame': 'camera_optical_frame'},
    'imu': {'rate': 100.0, 'frame': 'base_imu_link'},
}

SENSOR_NAMES = tuple(_SENSORS)
"""What the parameter sensors may name."""


def _rows(name: str, defaults: Mapping[str, Any]) -> list[Parameter]:
    """Return the rows of a sensor but for its kind, with defaults in place of others."""
    own = {f'{name}.{key}': value for key, value in defaults.items()}
    return [
        replace(row, default=own.get(row.name, row.default))
        for row in sensor_parameters(name, name) if row.name != _kind_of(name)]


def _kind_of(name: str) -> str:
    return f'{name}.kind'


EQUIPMENT_PARAMETERS = ParameterTable([
    Parameter('sensors', list, [], f"Sensors of the car: {', '.join(SENSOR_NAMES)}",
              read_only=True),
    *(row for name, defaults in _SENSORS.items() for row in _rows(name, defaults)),
])
"""Beside WORLD_PARAMETER, which each simulator has in its own table."""


def check_sensor_names(names: list[str]) -> None:
    """Raise ParameterError for a name that is unknown or stands twice."""
    for index, name in enumerate(names):
        if name not in SENSOR_NAMES:
            raise ParameterError(
                f"parameter 'sensors' names {name!r}, which is unknown;"
                f' {suggest(name, SENSOR_NAMES)}')
        if name in names[:index]:
            raise ParameterError(f"parameter 'sensors' names {name!r} twice, expected once")


def equip(plant: Plant, values: Mapping[str, Any]) -> Plant:
    """Return a plant whose robots have the sensors and the map that parameters ask for.

    values: of EQUIPMENT_PARAMETERS and WORLD_PARAMETER, the latter as the plant has been made
    with. Raises ParameterError or ConfigurationError for what does not fit.
    """
    names: list[str] = values['sensors']
    check_sensor_names(names)
    scene = scene_of(values)
    if scene.is_empty and not names:
        return plant
    sensors = [
        MountedSensor.from_values(name, {**_own(name, values), _kind_of(name): name})
        for name in names]
    return EquippedPlant(plant, {entity.name: sensors for entity in plant.entities}, scene)


def _own(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {row.name: values[row.name] for row in EQUIPMENT_PARAMETERS
            if row.name.startswith(f'{name}.')}


assert set(_SENSORS) <= set(SENSOR_KINDS)
