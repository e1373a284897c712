# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Controllers of one's own in the place of tracker and law; see docs/own_controller.md."""

from __future__ import annotations

from collections.abc import Callable
import importlib
import importlib.util
import math
from pathlib import Path
import sys
from types import ModuleType
from typing import Any, Protocol

from racecar.core.errors import ConfigurationError, excerpt, RunError
from racecar.core.trajectories import Motion
from racecar.core.types import AckermannCommand, CarMotion, Odometry
from racecar.core.vehicles.parameters import VehicleParameters

PureStep = Callable[[Any, Any, CarMotion, Motion, float], tuple[Any, float, float]]
"""step(state, parameters, car, reference, dt): next state, speed [m/s], steering angle [rad].

state, parameters: NamedTuples of floats; dt: time since the step before [s], 0 at the first.
"""


class Controller(Protocol):
    """Drives a car along a reference.

    Made with the vehicle that the controller is to believe in. It may have `preview` [s]: how far
    ahead in time the reference lies that it gets, by default 0. If it has a pure `step`, which
    Numba compiles, with `state` and `parameters` as the NamedTuples to start with, that runs, and
    command() is not asked.
    """

    def __init__(self, vehicle: VehicleParameters) -> None:
        """Take the vehicle."""

    def command(self, odometry: Odometry, reference: Motion) -> AckermannCommand:
        """Return the command for the car as measured; reference in `map`."""


def load_controller(where: str, vehicle: VehicleParameters) -> Controller:
    """Import a controller and make it; where: `module:Class` or `file.py:Class`.

    Raises ConfigurationError in one line if that is not possible.
    """
    source, _, name = where.rpartition(':')
    if not source or not name:
        raise ConfigurationError(
            f'controller {excerpt(where)}: expected module:Class or file.py:Class')
    try:
        module = _load_file(Path(source)) if source.endswith('.py') else _load_module(source)
    except ConfigurationError:
        raise
    except Exception as error:
        raise ConfigurationError(
            f'controller {excerpt(where)} cannot be imported: {_described(error)}') from error
    if not callable(getattr(module, name, None)):
        found = [key for key, value in vars(module).items() if isinstance(value, type)
                 and (hasattr(value, 'command') or hasattr(value, 'step'))]
        raise ConfigurationError(
            f"controller {excerpt(where)}: there is no class '{name}', expected one of"
            f" {', '.join(found) or 'none'}")
    try:
        controller: Controller = getattr(module, name)(vehicle)
    except Exception as error:
        raise ConfigurationError(
            f'controller {excerpt(where)} cannot be made with the vehicle:'
            f' {_described(error)}') from error
    if not hasattr(controller, 'step') and not callable(getattr(controller, 'command', None)):
        raise ConfigurationError(
            f'controller {excerpt(where)} has neither command(odometry, reference) nor step')
    return controller


def ask(controller: Controller, odometry: Odometry, reference: Motion) -> AckermannCommand:
    """Return the command in single precision, as a message carries it.

    Raises RunError if it is no pair of finite numbers, or if the controller fails.
    """
    try:
        speed, steering = controller.command(odometry, reference)
        command = AckermannCommand.in_single_precision(speed, steering)
    except Exception as error:
        raise RunError(
            f'the controller fails at {odometry.time_ns / 1e9:g} s: {_described(error)}; expected'
            ' command() to return speed [m/s] and steering angle [rad]') from error
    if not command.is_finite:
        raise RunError(
            f'the controller commands {command} at {odometry.time_ns / 1e9:g} s, expected finite'
            ' numbers')
    return command


def preview_of(controller: Controller) -> float:
    """Return how far ahead in time the reference of a controller lies [s].

    Raises ConfigurationError if that is no number of at least 0.
    """
    preview = getattr(controller, 'preview', 0.0)
    if not (isinstance(preview, (int, float)) and math.isfinite(preview) and preview >= 0.0):
        raise ConfigurationError(
            f'preview of the controller is {preview!r}, expected a number of at least 0 [s]')
    return float(preview)


def _load_module(name: str) -> ModuleType:
    # As with `python -m`, modules of the present folder count.
    if '' not in sys.path:
        sys.path.insert(0, '')
    return importlib.import_module(name)


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise ConfigurationError(f'controller file {excerpt(str(path))} does not exist')
    # Not to stand in the place of a module that happens to have its name.
    name = f'controller_{path.stem}'
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Classes are looked up there by the name of their module.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _described(error: Exception) -> str:
    """Return the error on one line, with the line of the user's code it is from, if any."""
    text = str(error).partition('\n')[0] or type(error).__name__
    trace, line = error.__traceback__, ''
    while trace is not None:
        line = f' ({trace.tb_frame.f_code.co_filename}, line {trace.tb_lineno})'
        trace = trace.tb_next
    return f'{type(error).__name__}: {text}{line}'
