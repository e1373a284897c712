# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arguments of the facade: their names, their types, and the run options that they stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import functools
import inspect
import os
from pathlib import Path
import sys
from typing import Any, ParamSpec, TypeVar

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest
from racecar.control.custom_controller import (
    controller_class,
    ControllerClass,
    find_controller,
)
from racecar.dynamics.vehicles.parameters import VEHICLE
from racecar.facade.vehicle import Vehicle

P = ParamSpec('P')
R = TypeVar('R')

Text = str | os.PathLike[str]
"""A name or a path."""

Settings = Mapping[str, object]
"""Values by node.parameter."""


def suggesting_names(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function: an argument that it does not have is answered with the nearest names.

    The function raises ConfigurationError then, where Python raises TypeError.
    """
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in kwargs:
            if name not in known:
                raise ConfigurationError(
                    f'{function.__name__}() has no argument {excerpt(name)};'
                    f' {suggest(name, known)}')
        return function(*args, **kwargs)

    return checked


def text_of(name: str, value: object) -> str | None:
    """A name, number or path as an option of the command has it; None stays.

    name: of the argument. Raises ConfigurationError for what is none of these.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return os.path.expanduser(str(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ConfigurationError(
        f'{name} is {excerpt(value)}, expected a text: a name, or the path of a file')


def texts_of(name: str, value: object) -> tuple[str, ...]:
    """An option that is given several times, of which Python has one; () for None.

    Raises ConfigurationError as text_of().
    """
    text = text_of(name, value)
    return () if text is None else (text,)


def settings_of(argument: str, given: Settings | None) -> dict[str, dict[str, object]]:
    """Turn {'node.parameter': value} into {node: {parameter: value}}.

    argument: its name, for messages. Raises ConfigurationError for another form.
    """
    found: dict[str, dict[str, object]] = {}
    for key, value in _mapping(argument, given).items():
        node, dot, parameter = str(key).partition('.')
        if not (dot and node and parameter):
            raise ConfigurationError(
                f"{argument} has {excerpt(key)}, expected 'node.parameter', for example"
                f" {argument}={{'trajectory_tracker.Kp': 3.0}}")
        found.setdefault(node, {})[parameter] = plain(value)
    return found


def with_vehicle(vehicle: Text | Vehicle | None, settings: Settings | None) -> tuple[
        str | None, dict[str, object]]:
    """What a vehicle is in the options of a run: a name or file, and settings of all nodes.

    settings: single ones, which go over those of the vehicle. Raises ConfigurationError.
    """
    given = dict(_mapping('set', settings))
    if not isinstance(vehicle, Vehicle):
        return text_of(VEHICLE, vehicle), given
    return vehicle.source, {
        **{f'{VEHICLE}.{name}': value for name, value in vehicle.changes.items()}, **given}


def controller_of(given: object) -> ControllerClass | None:
    """What makes the controller that is meant by a class, a function, or where one is.

    Raises ConfigurationError for anything else, and for a text that leads nowhere.
    """
    if given is None or isinstance(given, ControllerClass):
        return given
    if isinstance(given, str | os.PathLike):
        return find_controller(os.fspath(given))
    if not callable(given):
        raise ConfigurationError(
            f"controller is {excerpt(given)}, expected a class, a function of odometry and"
            " reference, 'module:Class' or 'file.py:Class'; docs/own_controller.md")
    return controller_class(_place_of(given), given)


def plain(value: object) -> Any:
    """A value as YAML has it: lists for arrays, tuples and ranges, and numbers of Python."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, 'tolist'):
        return value.tolist()
    if isinstance(value, tuple | list | range):
        return [plain(item) for item in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def call_text(function: str, first: str, arguments: Mapping[str, object]) -> str:
    """A call as the user may have typed it; arguments that are None are left out."""
    words = [repr(first), *(f'{name}={value!r}' for name, value in arguments.items()
                            if value is not None)]
    return f"racecar.{function}({', '.join(words)})"


def _mapping(argument: str, given: Settings | None) -> Settings:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ConfigurationError(
            f'{argument} is {excerpt(given)}, expected a dictionary, for example'
            f" {argument}={{'trajectory_tracker.Kp': 3.0}}")
    return given


def _place_of(made_by: Callable[..., object]) -> str:
    """Where a class or function stands, as --controller takes it if that is possible."""
    name = getattr(made_by, '__qualname__', type(made_by).__qualname__)
    module = getattr(made_by, '__module__', None) or '__main__'
    file = getattr(sys.modules.get(module), '__file__', None)
    return f'{file if file and Path(file).is_file() else module}:{name}'
