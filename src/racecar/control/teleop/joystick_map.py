# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joystick maps: which buttons and axes command what, in the form of the MIT RACECAR's file."""

from __future__ import annotations

from dataclasses import dataclass
import math
from pathlib import Path
from typing import NamedTuple, TypeGuard

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest
from racecar.base.values import Values
from racecar.base.yaml_file import load_yaml

COMMAND_TYPES = (
    'ackermann_msgs/AckermannDriveStamped', 'ackermann_msgs/msg/AckermannDriveStamped')
SPEED, STEERING_ANGLE = 'drive.speed', 'drive.steering_angle'
TARGETS = (SPEED, STEERING_ANGLE)

_KEYS = ('type', 'is_default', 'message_type', 'interface_type', 'topic_name', 'deadman_buttons',
         'axis_mappings', 'message_value')
_MOST_BUTTONS = 256


class AxisMapping(NamedTuple):
    """target = scale * axis + offset; the axis goes from -1 to 1."""

    axis: int
    target: str
    scale: float
    offset: float = 0.0


@dataclass(frozen=True)
class JoystickCommand:
    """What is commanded while all its buttons are held.

    values: targets that are fixed. drives: whether it commands the car; one that does not leaves
    it to others.
    """

    name: str
    buttons: frozenset[int]
    axes: tuple[AxisMapping, ...] = ()
    values: tuple[tuple[str, float], ...] = ()
    drives: bool = True


def load_joystick_map(path: Path | str) -> tuple[JoystickCommand, ...]:
    """Read a joystick map: the mapping `teleop` of commands by name, as in the original.

    A command has deadman_buttons, axis_mappings (axis, target, scale, offset) and message_value
    (target, value); one whose message_type is not that of drive commands commands nothing. One
    with is_default is left out: what is sent while no button is held is not for the map to say.
    Raises ConfigurationError naming the file, the command, the value and what was expected.
    """
    content = load_yaml('joystick map', path, 'check config_file')
    commands = content.get('teleop') if isinstance(content, dict) else None
    if not isinstance(commands, dict) or not commands:
        raise ConfigurationError(f"joystick map '{path}' has no mapping 'teleop' of commands")
    found = [_parse(path, name, entry) for name, entry in commands.items()]
    parsed = tuple(command for command in found if command is not None)
    buttons = [command.buttons for command in parsed]
    for command in parsed:
        if buttons.count(command.buttons) > 1:
            raise ConfigurationError(
                f"joystick map '{path}': deadman_buttons {sorted(command.buttons)} of"
                f' {command.name!r} stand twice; give each command others')
    if not any(command.drives for command in parsed):
        raise ConfigurationError(
            f"joystick map '{path}' has no command that drives: one with deadman_buttons and"
            f' axis_mappings to {SPEED} and {STEERING_ANGLE}')
    return parsed


def _parse(path: Path | str, name: str, entry: object) -> JoystickCommand | None:
    where = f"joystick map '{path}': {name!r}"
    if not isinstance(entry, dict):
        raise ConfigurationError(
            f'{where} is {excerpt(entry)}, expected deadman_buttons, axis_mappings, ...')
    for key in entry:
        if key not in _KEYS:
            raise ConfigurationError(
                f'{where}: key {excerpt(key)} is unknown; {suggest(key, _KEYS)}')
    if entry.get('is_default', False):
        return None
    buttons = entry.get('deadman_buttons')
    if not isinstance(buttons, list) or not buttons or not all(map(_is_index, buttons)):
        raise ConfigurationError(
            f'{where}: deadman_buttons is {excerpt(buttons)}, expected a list of numbers of'
            ' buttons')
    kind = entry.get('message_type', entry.get('interface_type', COMMAND_TYPES[0]))
    if kind not in COMMAND_TYPES:
        return JoystickCommand(name, frozenset(buttons), drives=False)
    axes = tuple(_parse_axis(f'{where}: axis_mappings, number {number}', item)
                 for number, item in enumerate(_list(where, entry, 'axis_mappings'), 1))
    values = tuple(_parse_value(f'{where}: message_value, number {number}', item)
                   for number, item in enumerate(_list(where, entry, 'message_value'), 1))
    targets = [axis.target for axis in axes] + [target for target, _ in values]
    for target in targets:
        if targets.count(target) > 1:
            raise ConfigurationError(f'{where}: target {target} stands twice')
    if not targets:
        raise ConfigurationError(f'{where} commands nothing, expected axis_mappings')
    return JoystickCommand(name, frozenset(buttons), axes, values)


def _list(where: str, entry: Values, key: str) -> list[object]:
    items = entry.get(key, [])
    if not isinstance(items, list):
        raise ConfigurationError(f'{where}: {key} is {excerpt(items)}, expected a list')
    return items


def _parse_axis(where: str, item: object) -> AxisMapping:
    values = _mapping(where, item, ('axis', 'target', 'scale'), ('offset',))
    axis = values['axis']
    if not _is_index(axis):
        raise ConfigurationError(
            f'{where}: axis is {excerpt(axis)}, expected the number of an axis')
    return AxisMapping(axis, _target(where, values), _number(where, values, 'scale'),
                       _number(where, values, 'offset') if 'offset' in values else 0.0)


def _parse_value(where: str, item: object) -> tuple[str, float]:
    values = _mapping(where, item, ('target', 'value'))
    return _target(where, values), _number(where, values, 'value')


def _mapping(
    where: str, item: object, needed: tuple[str, ...], others: tuple[str, ...] = (),
) -> Values:
    """Mapping with the keys that are needed. Raises ConfigurationError for anything else."""
    if not isinstance(item, dict) or any(key not in item for key in needed):
        raise ConfigurationError(f"{where} is {excerpt(item)}, expected {', '.join(needed)}")
    known = (*needed, *others)
    for key in item:
        if key not in known:
            raise ConfigurationError(
                f'{where}: key {excerpt(key)} is unknown; {suggest(key, known)}')
    return item


def _target(where: str, item: Values) -> str:
    # Of joy_teleop for ROS 2, too, which has a - where the original has a point.
    target = str(item['target']).replace('-', '.')
    if target not in TARGETS:
        raise ConfigurationError(
            f"{where}: target is {excerpt(item['target'])}, expected {' or '.join(TARGETS)}")
    return target


def _number(where: str, item: Values, key: str) -> float:
    value = item[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) \
            or abs(value) > 100.0:
        raise ConfigurationError(
            f'{where}: {key} is {excerpt(value)}, expected a number from -100 to 100')
    return float(value)


def _is_index(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_BUTTONS
