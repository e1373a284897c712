# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a simulator has beside its cars, by parameters: the world around them and their sensors.

The parameter `sensors` names them: a kind, such as `laser`, for the sensor that is called like it,
or KIND:NAME, such as `laser:rear`, for one more, whose parameters are then `rear.x`, `rear.rate`
and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from racecar.base.errors import excerpt, ParameterError
from racecar.base.frames import BASE_LINK, is_part_name, PART_NAME_RULE
from racecar.base.parameters import Parameter, ParameterTable, suggest
from racecar.base.values import text_of, texts_of, Values
from racecar.description.urdf import RobotDescription
from racecar.scene.world_choice import scene_of
from racecar.sensors import SENSOR_KINDS
from racecar.sensors.mounting import (
    EquippedPlant,
    frame_in_slot,
    MountedSensor,
    settings_of_sensor,
    with_sensor_frames,
)
from racecar.simulation.ports import Plant
from racecar.simulation.reckoned_plant import with_odometry

SENSOR_NAMES = tuple(SENSOR_KINDS)
"""What the parameter sensors may name: kinds, whose first sensors are called like them."""

_SENSORS = Parameter(
    'sensors', list, [], f"Sensors of the car: {', '.join(SENSOR_NAMES)}; KIND:NAME is one more of"
    ' a kind, such as laser:rear, whose parameters are called NAME.x, NAME.rate and so on',
    read_only=True)


class ChosenSensor(NamedTuple):
    """A sensor that a robot has: its name, which no other one has, and its kind."""

    name: str
    kind: str


def chosen_sensors(words: Sequence[str]) -> list[ChosenSensor]:
    """Sensors that the parameter `sensors` asks for, in its order.

    words: KIND or KIND:NAME each. Raises ParameterError for a kind that is unknown, for a name
    that ROS does not allow, that of another kind, and one that stands twice.
    """
    chosen: list[ChosenSensor] = []
    for word in words:
        kind, colon, name = word.partition(':')
        sensor = ChosenSensor(name if colon else kind, kind)
        if kind not in SENSOR_NAMES:
            raise _error(f'{excerpt(word)}, which is unknown; {suggest(kind, SENSOR_NAMES)}')
        if not is_part_name(sensor.name):
            raise _error(
                f'{excerpt(word)}, expected a name behind the colon that {PART_NAME_RULE},'
                f' such as {kind}:rear')
        if sensor.name in SENSOR_NAMES and sensor.name != kind:
            raise _error(
                f'{excerpt(word)}, but {sensor.name} is the name of another kind; give this {kind}'
                f' a name of its own, such as {kind}:rear')
        if sensor.name in [other.name for other in chosen]:
            raise _error(
                f"'{sensor.name}' twice, expected once; one more {kind} needs a name of its own,"
                f' such as {kind}:rear')
        chosen.append(sensor)
    return chosen


def _error(problem: str) -> ParameterError:
    return ParameterError(f"parameter '{_SENSORS.name}' names {problem}")


class ShownSensor(NamedTuple):
    """A sensor of which the readings are shown: its name, and the frame that they are in."""

    name: str
    frame: str


def shown_sensor(values: Values, kind: str) -> ShownSensor | None:
    """Sensor of a kind that is shown where there is room for one: called like it, else the first.

    values: parameters of a simulator, which may lack any. None if there is no sensor of the kind.
    Raises ParameterError as chosen_sensors().
    """
    mounted = chosen_sensors(texts_of({_SENSORS.name: [], **values}, _SENSORS.name))
    found = [sensor.name for sensor in mounted if sensor.kind == kind]
    if not found:
        return None
    name = kind if kind in found else found[0]
    frame = text_of(values, f'{name}.frame', SENSOR_KINDS[kind].frame.format(name))
    return ShownSensor(name, frame_in_slot(text_of(values, f'{name}.slot', ''), frame))


def _further_rows(values: Mapping[str, object], table: ParameterTable) -> Iterable[Parameter]:
    """Rows of the sensors that are not called like their kinds; see MoreRows."""
    try:
        texts = _SENSORS.validate(values.get(_SENSORS.name, []))
    except ParameterError:
        # Whoever resolves the values says so.
        return
    assert isinstance(texts, list)
    taken = {row.name.partition('.')[0] for row in table}
    for name, kind in chosen_sensors(texts):
        if name == kind:
            continue
        if name in taken:
            raise _error(
                f"'{kind}:{name}', but {name} is what other parameters begin with; choose another"
                ' name')
        yield from settings_of_sensor(name, SENSOR_KINDS[kind])


EQUIPMENT_PARAMETERS = ParameterTable([
    _SENSORS,
    *(row for name, kind in SENSOR_KINDS.items() for row in settings_of_sensor(name, kind)),
], [_further_rows])
"""Beside WORLD_PARAMETER, which each simulator has in its own table."""


def equip(
    plant: Plant, values: Mapping[str, object], of_cars: Sequence[Values] | None = None,
) -> Plant:
    """Return a plant whose robots have the odometry, sensors and map that parameters ask for.

    values: of EQUIPMENT_PARAMETERS, WORLD_PARAMETER, as the plant has been made with, and, of
    cars, ODOMETRY_PARAMETERS; of_cars: those of each robot, where they differ. Raises
    ParameterError or ConfigurationError for what does not fit.
    """
    return with_sensors(with_odometry(plant, values, of_cars), values, of_cars)


def with_sensors(
    plant: Plant, values: Mapping[str, object], of_cars: Sequence[Values] | None = None,
) -> Plant:
    """Do what equip() does to a plant whose robots have their odometry."""
    each = [_mounted(values)] * len(plant.entities) if of_cars is None \
        else [_mounted(own) for own in of_cars]
    scene = scene_of(values)
    if scene.is_empty and not any(each):
        return plant
    return EquippedPlant(plant, {
        entity.name: sensors for entity, sensors in zip(plant.entities, each, strict=True)}, scene)


def described_with_sensors(
    description: RobotDescription, values: Mapping[str, object],
) -> RobotDescription:
    """Description of a robot with the frames of the sensors that resolved values ask for.

    Raises ParameterError or ConfigurationError for what does not fit.
    """
    return with_sensor_frames(description, BASE_LINK, _mounted(values))


def _mounted(values: Values) -> list[MountedSensor]:
    return [
        MountedSensor.from_values(name, {**_own(name, values), f'{name}.kind': kind})
        for name, kind in chosen_sensors(texts_of(values, _SENSORS.name))]


def _own(name: str, values: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in values.items() if key.startswith(f'{name}.')}
