# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What may be started: the configurations and their options for a page, and words for `up`."""

from __future__ import annotations

from collections.abc import Mapping
import functools
import importlib.util
import math
from typing import NotRequired, TypedDict

from racecar.base.errors import ConfigurationError, excerpt, RacecarError
from racecar.base.extras import installation
from racecar.base.parameters import suggestion
from racecar.base.share import robot_names, vehicle_names
from racecar.catalogue import NODES, titles
from racecar.ros import topics
from racecar.scene.world_choice import MOST_CARS
from racecar.sensors.equipment import SENSOR_NAMES
from racecar.stacks import (
    describe_stack,
    differential_wheels,
    find_stack,
    plant,
    Stack,
    STACKS,
)
from racecar.stacks.options import (
    COCKPIT,
    from_values,
    NamedOption,
    run_options,
    StackOptions,
    TELEOP_NONE,
)
from racecar.stacks.stepped.stepped_stack import describe_stepped

_KINDS = {bool: 'flag', float: 'number', tuple: 'names'}

# A page gives their number, and no names and files.
_CARS, _COUNT, _ONE_CAR = 'cars', 'count', 1

# In place of the help of the command line where that speaks of files: a page offers names only.
_HELP = {
    'vehicle': '', 'trajectory': 'shape of the reference',
    'waypoints': 'line to follow in place of a trajectory', 'world': 'what stands around the car',
    'sensors': '',
    'cars': 'in one world; a page drives the first',
    'tyre_model': "fiala unsaturated: the report's cubic up to twice full sliding, a straight line"
                  ' beyond',
}

# What runs without ROS answers each odometry in any case.
_LOCKSTEP = 'lockstep'

# No node takes a longer run, or a higher factor.
_LARGEST_NUMBER = 1e6


# Names for people of the values of an option.
_TITLES: Mapping[str, Mapping[str, str]] = {
    'vehicle': titles.VEHICLES, 'trajectory': titles.TRAJECTORIES, 'waypoints': titles.WAYPOINTS,
    'tyre_model': titles.TYRE_MODELS, 'world': titles.WORLDS, 'sensors': titles.SENSORS}


class PageOption(TypedDict):
    """An option of a configuration.

    kind: flag, number, count, names or choice. default: null where the files of the configuration
    decide, and usual is what they say, if anything. choices: names that its value may have;
    titles: what people call them.
    """

    name: str
    kind: str
    default: object
    usual: object
    help: str
    choices: NotRequired[list[str]]
    titles: NotRequired[dict[str, str]]


class Configuration(TypedDict):
    """What may be started, as the message `welcome` has it.

    unavailable: why it cannot be here, and the remedy; empty if it can.
    """

    name: str
    title: str
    summary: str
    follows_trajectory: bool
    is_driver: bool
    unavailable: str
    options: list[PageOption]


def configuration_names() -> list[str]:
    """Names of what may be started."""
    return [stack.name for stack in _stacks()]


def configurations(*, with_nodes: bool) -> list[Configuration]:
    """Configurations as the message `welcome` has them; with_nodes: run by ROS."""
    return [{**_configuration(stack, with_nodes), 'unavailable': _unavailable(stack)}
            for stack in _stacks()]


@functools.cache
def _configuration(stack: Stack, with_nodes: bool) -> Configuration:
    usual: dict[str, object] = {'vehicle': stack.described_by(StackOptions()).stem}
    for node in describe_stack(stack.name, StackOptions()):
        usual = {**node.resolve(), **usual}
    return {
        'name': stack.name, 'title': titles.CONFIGURATIONS[stack.name], 'summary': stack.summary,
        'follows_trajectory': stack.follows_trajectory,
        'is_driver': topics.DRIVER_PEDALS in stack.recorded,
        'unavailable': '',
        'options': [_for_page(stack, row, usual.get(row.name))
                    for row in _options(stack, with_nodes)]}


def stack_options(name: object, options: object) -> StackOptions:
    """Options of a page for a configuration that runs without ROS.

    Raises RacecarError for what is not among configurations(), or does not fit together.
    """
    stack = _find(name)
    found = from_values({row.name: value for row, value in _chosen(stack, options, False)})
    describe_stepped(stack.name, found)
    return found


def command_words(name: object, options: object) -> list[str]:
    """Arguments of `racecar` that run a configuration with options of a page by ROS.

    Raises RacecarError for what is not among configurations(), or does not fit together.
    """
    stack = _find(name)
    chosen = _chosen(stack, options, True)
    words = ['up', stack.name, *(word for row, value in chosen for word in _words(row, value))]
    values = {row.name: value for row, value in chosen}
    if stack.teleop != TELEOP_NONE:
        # The cockpit drives in the place of keys and joysticks.
        values['teleop'] = TELEOP_NONE
        words += ['--teleop', TELEOP_NONE]
    describe_stack(stack.name, from_values(values))
    return words


def _chosen(
    stack: Stack, options: object, with_nodes: bool,
) -> list[tuple[NamedOption, object]]:
    """Options that a page has chosen other than the defaults, with their values."""
    if not isinstance(options, Mapping):
        raise ConfigurationError(f'options are {excerpt(options)}, expected an object')
    known = {row.name: row for row in _options(stack, with_nodes)}
    chosen: list[tuple[NamedOption, object]] = []
    for key, value in options.items():
        if key not in known:
            raise ConfigurationError(
                f'option {excerpt(key)} is unknown for {stack.name}, expected one of'
                f" {', '.join(known)}{suggestion(key, known)}")
        row = known[key]
        if value is None or value == _default(row) or value in ('', []):
            continue
        chosen.append((row, _check(stack, row, value)))
    return chosen


def _stacks() -> list[Stack]:
    # Who drives by a node of their own also starts these, and attaches the cockpit.
    own = (plant.NAME, differential_wheels.PLANT)
    return [stack for name, stack in STACKS.items() if name not in own]


def _find(name: object) -> Stack:
    known = configuration_names()
    if not isinstance(name, str) or name not in known:
        raise ConfigurationError(
            f"configuration is {excerpt(name)}, expected one of {', '.join(known)}"
            f'{suggestion(str(name), known)}')
    return find_stack(name)


def _unavailable(stack: Stack) -> str:
    missing = [module for module in NODES[stack.simulator].needs
               if importlib.util.find_spec(module) is None]
    return f"needs {' and '.join(missing)}: {installation(*missing)}" if missing else ''


def _options(stack: Stack, with_nodes: bool) -> list[NamedOption]:
    left_out = {*(() if with_nodes else (_LOCKSTEP,)), *(() if _takes_cars(stack) else (_CARS,))}
    return [row for row in run_options(COCKPIT, tracking=stack.follows_trajectory)
            if row.name not in left_out]


@functools.cache
def _takes_cars(stack: Stack) -> bool:
    """Whether several cars can be in it."""
    try:
        describe_stepped(stack.name, StackOptions(cars=('2',)))
    except RacecarError:
        return False
    return True


def _default(row: NamedOption) -> object:
    """Value for a page of what nobody has chosen; None where the configuration decides."""
    if row.name == _CARS:
        return _ONE_CAR
    return [] if row.option.type is tuple else row.default


def _choices(stack: Stack, row: NamedOption) -> list[str]:
    option = row.option
    if row.name == 'sensors':
        return [*SENSOR_NAMES]
    if row.name == 'vehicle':
        return robot_names() if stack in differential_wheels.STACKS else vehicle_names()
    listed = option.choices or option.suggestions
    # Some have the report's numbers, too, which would stand in a list beside the names.
    return [name for name in listed() if not name.isdecimal()] if listed else []


def _for_page(stack: Stack, row: NamedOption, usual: object) -> PageOption:
    found: PageOption = {
        'name': row.name, 'kind': _kind(row), 'default': _default(row),
        'usual': None if usual == [] else usual,
        'help': _HELP.get(row.name, row.option.help)}
    if choices := _choices(stack, row):
        found['choices'] = choices
        known = _TITLES.get(row.name, {})
        found['titles'] = {name: known[name] for name in choices if name in known}
    return found


def _kind(row: NamedOption) -> str:
    return _COUNT if row.name == _CARS else _KINDS.get(row.option.type, 'choice')


def _check(stack: Stack, row: NamedOption, value: object) -> object:
    """Value of an option. Raises ConfigurationError unless it is a name or number.

    A name of a file that is not among ours is refused, too: a page names no files.
    """
    kind = row.option.type
    choices = _choices(stack, row)
    if row.name == _CARS:
        if isinstance(value, int) and not isinstance(value, bool) \
                and _ONE_CAR <= value <= MOST_CARS:
            return (f'{value}',)
        raise ConfigurationError(
            f'option {_CARS} is {excerpt(value)}, expected a whole number from {_ONE_CAR} to'
            f' {MOST_CARS}')
    if kind is bool and isinstance(value, bool):
        return value
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool) \
            and math.isfinite(value) and 0.0 <= value <= _LARGEST_NUMBER:
        return float(value)
    if kind is tuple and isinstance(value, list) and all(name in choices for name in value):
        return tuple(value)
    if kind is str and value in choices:
        return value
    expected = {bool: 'true or false', float: f'a number from 0 to {_LARGEST_NUMBER:g}',
                tuple: f"a list of {', '.join(choices)}"}.get(
                    kind, f"one of {', '.join(choices)}")
    raise ConfigurationError(f'option {row.name} is {excerpt(value)}, expected {expected}')


def _words(row: NamedOption, value: object) -> list[str]:
    if isinstance(value, bool):
        return [row.flag]
    return [row.flag, ' '.join(value) if isinstance(value, tuple) else f'{value}']
