# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Custom controllers in place of tracker and law; see docs/own_controller.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
import importlib
import importlib.util
import inspect
import json
import math
from pathlib import Path
import sys
from types import ModuleType
from typing import cast, NamedTuple, Protocol, TypeGuard

import yaml

from racecar.base.errors import ConfigurationError, excerpt, RacecarError, RunError
from racecar.base.parameters import Parameter, suggestion
from racecar.base.readings import LaserScan
from racecar.base.rows import flatten, Numbers
from racecar.base.types import AckermannCommand, NANOSECONDS, Odometry
from racecar.base.values import Value, Values
from racecar.base.yaml_file import describe_error, parse_yaml
from racecar.control.estimation import SensedController, SENSING, Sensing
from racecar.control.progress import PROGRESS, progress_part, ProgressPart
from racecar.control.racing import CONTROLLERS
from racecar.control.trajectories import Motion
from racecar.dynamics.vehicles.parameters import VehicleParameters

CONTROLLER = 'controller'
"""What settings of a controller stand under: controller.NAME."""

POLICY_SUFFIX = '.onnx'
"""How the name of a policy file ends, which is a controller too; docs/gym.md."""

PureStep = Callable[..., tuple[Numbers, float, float]]
"""step(state, parameters, car, reference, dt): next state, speed [m/s], steering angle [rad].

state, parameters: NamedTuples of floats or of such NamedTuples; car: CarMotion; reference: Motion;
dt: time since the step before [s], 0 at the first.
"""


class Controller(Protocol):
    """Drives a car along a reference.

    Made with the vehicle that the controller is to believe in; further arguments of its
    constructor are settings, given by keyword. It may have `preview` [s]: how far ahead in time
    the reference lies that it gets, by default 0. If it has a pure `step`, which Numba compiles,
    with `state` and `parameters` as the NamedTuples to start with, that runs; command() is asked
    where it is not compiled, or, if there is none, the step. If it has `see(scan)`, it gets each
    LaserScan at its time, as a message has it, and returns the command from then on or None; with
    see() it runs in plain Python, and command() may be missing.
    """

    def __init__(self, vehicle: VehicleParameters) -> None:
        """Take the vehicle."""

    def command(self, odometry: Odometry, reference: Motion) -> AckermannCommand:
        """Return the command for the car as measured; reference in `map`."""


class PureController(NamedTuple):
    """A pure step and the NamedTuples of numbers that it starts with.

    progress: how it is asked if it follows by progress, None for one by time.
    """

    step: PureStep
    state: Numbers
    parameters: Numbers
    progress: ProgressPart | None = None


@dataclass(frozen=True)
class ControllerClass:
    """What makes controllers: a class that is imported already, and the settings that it takes.

    where: as the user named it. settings: rows of its keyword arguments by name, of type object
    where neither annotation nor default tells one; required: those without a default.
    takes_any: whether it takes other names too. sees: tells whether those that it makes read scans
    where the class does not; raises ConfigurationError if that cannot be known.
    """

    where: str
    constructor: Callable[..., Controller]
    settings: Mapping[str, Parameter]
    required: tuple[str, ...]
    takes_any: bool
    sees: Callable[[], bool] | None = None

    def __reduce__(self) -> str | tuple[object, ...]:
        """Found again by its file or module in another process; others are pickled by value."""
        source, _, name = self.where.rpartition(':')
        place = f'{Path(source).resolve()}:{name}' if source.endswith('.py') else self.where
        if place.endswith(POLICY_SUFFIX):
            place = str(Path(place).resolve())
        try:
            find_controller(place)
        except ConfigurationError:
            return super().__reduce_ex__(2)
        return _found_again, (place, self.where)

    @property
    def is_by_progress(self) -> bool:
        """Whether it is known that they follow by progress, before one is made."""
        return getattr(self.constructor, 'follows', None) == PROGRESS

    @property
    def reads_scans(self) -> bool:
        """Whether it is known that they read scans, before one is made.

        Raises ConfigurationError for a policy file that cannot be read.
        """
        return reads_scans(self.constructor) if self.sees is None else self.sees()

    def takes(self, name: str) -> bool:
        """Whether there is such a setting."""
        return name in self.settings or self.takes_any or (
            self.is_by_progress and name in SENSING)

    def setting(self, name: str) -> Parameter:
        """Return the row of a setting. Raises ConfigurationError with the names there are."""
        if name not in self.settings:
            if self.is_by_progress and name in SENSING:
                return SENSING[name]
            if self.takes_any:
                return _row(name, object)
            names = [*self.settings, *(SENSING.names if self.is_by_progress else ())]
            known = f"it takes {', '.join(names)}" if names else 'it takes none'
            raise ConfigurationError(
                f'controller {excerpt(self.where)} has no setting {excerpt(name)}:'
                f' {known}{suggestion(name, names)}')
        return self.settings[name]

    def make(
        self, vehicle: VehicleParameters, settings: Values | None = None,
    ) -> Controller:
        """Return a controller with some settings; the others have their defaults.

        Raises ParameterError for a value of another type, ConfigurationError for an unknown or
        missing setting, and with the line of the user's code if the constructor fails.
        """
        values = {name: self.setting(name).validate(value)
                  for name, value in (settings or {}).items()}
        sensing = {name: value for name, value in values.items()
                   if self.is_by_progress and name in SENSING and name not in self.settings}
        missing = [name for name in self.required if name not in values]
        if missing:
            raise ConfigurationError(
                f"controller {excerpt(self.where)} needs {', '.join(missing)}; give"
                f' {CONTROLLER}.{missing[0]}')
        _check_takes_vehicle(self.where, self.constructor)
        try:
            controller = self.constructor(vehicle, **{
                name: value for name, value in values.items() if name not in sensing})
        except Exception as error:
            raise ConfigurationError(
                f'controller {excerpt(self.where)} cannot be made with the vehicle:'
                f' {_described(error)}') from error
        if pure_part(controller) is None and progress_part(controller) is not None:
            raise ConfigurationError(
                f'controller {excerpt(self.where)} follows by progress, expected a pure step'
                '(state, parameters, car, path, dt) with state and parameters')
        if pure_part(controller) is None and not (
                has_command(controller) or reads_scans(controller)):
            raise ConfigurationError(
                f'controller {excerpt(self.where)} has neither command(odometry, reference) nor'
                ' step nor see(scan)')
        preview_of(controller)
        return controller if not sensing else cast(
            Controller, SensedController(controller, vehicle, Sensing.from_values(sensing)))


def load_controller(
    where: str, vehicle: VehicleParameters, settings: Values | None = None,
) -> Controller:
    """Import a controller and make it.

    where: `module:Class` or `file.py:Class`; settings: keyword arguments of its constructor.
    Raises ConfigurationError or ParameterError in one line if that is not possible.
    """
    return find_controller(where).make(vehicle, settings)


def find_controller(where: str) -> ControllerClass:
    """Import what a controller is made by: `module:Class` or `file.py:Class`, or a function.

    A name of CONTROLLERS stands for one of the package, FILE.onnx for a policy file. Raises
    ConfigurationError in one line if that is not possible.
    """
    if where.endswith(POLICY_SUFFIX):
        from racecar.control.policy.driver import PolicyDriver, sees_scans

        # Its settings are those of the driver, but the file.
        def drive(vehicle: VehicleParameters, line: str = '') -> Controller:
            return PolicyDriver(vehicle, where, line)

        return replace(controller_class(where, drive), sees=partial(sees_scans, where))
    place = CONTROLLERS.get(where, where)
    source, _, name = place.rpartition(':')
    if not source or not name:
        raise ConfigurationError(
            f'controller {excerpt(where)}: expected module:Class or file.py:Class, or one of'
            f" {', '.join(CONTROLLERS)}{suggestion(where, CONTROLLERS)}")
    try:
        module = _load_file(Path(source)) if source.endswith('.py') else _load_module(source)
    except ConfigurationError:
        raise
    except Exception as error:
        raise ConfigurationError(
            f'controller {excerpt(where)} cannot be imported: {_described(error)}') from error
    constructor = getattr(module, name, None)
    if not callable(constructor):
        found = [key for key, value in vars(module).items() if isinstance(value, type)
                 and (hasattr(value, 'command') or hasattr(value, 'step'))]
        raise ConfigurationError(
            f"controller {excerpt(where)}: there is no class '{name}', expected one of"
            f" {', '.join(found) or 'none'}")
    return controller_class(where, constructor)


def _found_again(place: str, where: str) -> ControllerClass:
    return replace(find_controller(place), where=where)


def controller_class(where: str, made_by: Callable[..., object]) -> ControllerClass:
    """Controllers made by a class, or the one that a function of odometry and reference is.

    where: what messages and the run.yaml call it. A function with exactly two arguments to be
    given by position is asked at each odometry; any other callable gets the vehicle, and gives a
    controller.
    """
    if _answers_odometry(made_by):
        return ControllerClass(where, lambda vehicle: _FunctionController(
            cast(_Answer, made_by)), {}, (), False)
    constructor = cast(Callable[..., Controller], made_by)
    arguments = _keyword_arguments(constructor)
    named = [a for a in arguments if a.kind is not a.VAR_KEYWORD]
    return ControllerClass(
        where, constructor, {a.name: _row(a.name, _type_of(a)) for a in named},
        tuple(a.name for a in named if a.default is a.empty), len(named) < len(arguments))


_Answer = Callable[[Odometry, Motion], AckermannCommand]


class _FunctionController:
    """A controller that is one function and has no memory."""

    def __init__(self, function: _Answer) -> None:
        self.command = function


def _answers_odometry(given: Callable[..., object]) -> bool:
    """Whether it is a function of odometry and reference, and not what makes controllers."""
    if not inspect.isfunction(given):
        return False
    required = [row for row in inspect.signature(given).parameters.values()
                if row.default is row.empty
                and row.kind in (row.POSITIONAL_ONLY, row.POSITIONAL_OR_KEYWORD)]
    return len(required) == 2


def written_settings(settings: Values) -> str:
    """Return settings as a text that read_settings() reads; empty if there are none."""
    return json.dumps(dict(settings)) if settings else ''


def read_settings(text: str) -> dict[str, Value]:
    """Return the settings of a text: a YAML mapping, or empty. Raises ConfigurationError."""
    try:
        settings = parse_yaml(text)
    except yaml.YAMLError as error:
        raise ConfigurationError(
            f'settings of the controller {excerpt(text)} are not YAML: {describe_error(error)}'
        ) from error
    found = settings or {}
    if not isinstance(found, dict):
        raise ConfigurationError(
            f'settings of the controller are {excerpt(text)}, expected a YAML mapping, for'
            ' example {gain: 3.0}')
    return found


def _keyword_arguments(constructor: Callable[..., object]) -> list[inspect.Parameter]:
    """Keyword arguments of a constructor after the vehicle."""
    try:
        signature = inspect.signature(constructor, eval_str=True)
    except NameError:  # an annotation of what is imported for type checkers only
        signature = inspect.signature(constructor)
    except (TypeError, ValueError):  # not written in Python
        return []
    arguments = list(signature.parameters.values())
    if arguments and arguments[0].kind in (
            inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD):
        del arguments[0]
    return [a for a in arguments if a.kind in (
        a.POSITIONAL_OR_KEYWORD, a.KEYWORD_ONLY, a.VAR_KEYWORD)]


def _check_takes_vehicle(where: str, constructor: Callable[..., object]) -> None:
    """Raise ConfigurationError if a constructor has no argument for the vehicle."""
    try:
        arguments = inspect.signature(constructor).parameters.values()
    except (TypeError, ValueError):  # not written in Python
        return
    if not any(a.kind in (a.POSITIONAL_ONLY, a.POSITIONAL_OR_KEYWORD, a.VAR_POSITIONAL)
               for a in arguments):
        raise ConfigurationError(
            f'controller {excerpt(where)} does not take the vehicle, expected'
            ' __init__(self, vehicle, ...)')


def _type_of(argument: inspect.Parameter) -> type:
    kinds = (bool, int, float, str)
    return next((kind for kind in kinds if argument.annotation is kind), None) or next(
        (kind for kind in kinds if isinstance(argument.default, kind)), object)


def _row(name: str, kind: type) -> Parameter:
    return Parameter(name, kind, None, 'setting of the controller, by annotation or default')


def pure_part(controller: object) -> PureController | None:
    """Return the pure step of a controller, None if it has none.

    Raises ConfigurationError if state or parameters are no NamedTuples of finite numbers.
    """
    step = getattr(controller, 'step', None)
    if step is None:
        return None
    if not callable(step) or hasattr(step, '__self__'):
        raise ConfigurationError(
            f'step of the controller is {excerpt(step)}, expected a function of numbers without'
            ' self: write step = staticmethod(function)')
    parts = [getattr(controller, name, None) for name in ('state', 'parameters')]
    for name, values in zip(('state', 'parameters'), parts, strict=True):
        if not hasattr(values, '_fields') or not values or not all(
                map(_is_number, flatten(cast(Numbers, values)))):
            raise ConfigurationError(
                f'{name} of the controller is {excerpt(values)}, expected a NamedTuple of finite'
                ' numbers, at least one, or of such NamedTuples, beside step')
    state, parameters = cast('list[Numbers]', parts)
    return PureController(step, state, parameters, progress_part(controller))


def has_command(controller: object) -> bool:
    """Whether a controller can be asked for a command."""
    return callable(getattr(controller, 'command', None))


def reads_scans(controller: object) -> bool:
    """Whether a controller, or what makes it, has see(scan)."""
    return callable(getattr(controller, 'see', None))


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and math.isfinite(value)


def ask(controller: Controller, odometry: Odometry, reference: Motion) -> AckermannCommand:
    """Return the command in single precision, as a message carries it.

    Raises RunError if it is no pair of finite numbers, or if the controller fails.
    """
    time = odometry.time_ns / NANOSECONDS
    try:
        answer = controller.command(odometry, reference)
    except Exception as error:
        raise failure_at(error, time) from error
    return _checked(answer, controller.command, time)


def show(controller: object, scan: LaserScan, time: float) -> AckermannCommand | None:
    """Let a controller see a scan of a time [s]; its command from now on, None for none.

    The scan is seen as a message has it. Raises RunError as ask().
    """
    see: Callable[[LaserScan], AckermannCommand | None] = getattr(controller, 'see')  # noqa: B009
    try:
        answer = see(scan.in_single_precision())
    except Exception as error:
        raise failure_at(error, time) from error
    return None if answer is None else _checked(answer, see, time)


def _checked(
    answer: AckermannCommand, given_by: Callable[..., object], time: float,
) -> AckermannCommand:
    """Command of an answer in single precision. Raises RunError for what is none."""
    try:
        speed, steering = answer
        command = AckermannCommand.in_single_precision(speed, steering)
    except Exception as error:
        raise RunError(
            f'the controller returns {excerpt(answer)} at {time:g} s{_place_of(given_by)},'
            ' expected speed [m/s] and steering angle [rad]: return speed, steering_angle'
        ) from error
    check_command(command, time)
    return command


def _place_of(function: Callable[..., object]) -> str:
    """Where a function of the user's begins; empty if it is not written in Python."""
    code = getattr(inspect.unwrap(function), '__code__', None)
    return '' if code is None else f' ({Path(code.co_filename).name}, line {code.co_firstlineno})'


def failure_at(error: Exception, time: float) -> RunError:
    """Return the error of a controller that failed at a time [s], in one line."""
    return RunError(
        f'the controller fails at {time:g} s: {_described(error)}; expected it to return speed'
        ' [m/s] and steering angle [rad]')


def check_command(command: AckermannCommand, time: float) -> None:
    """Raise RunError for the command of a time [s] that is not finite."""
    if not command.is_finite:
        raise RunError(command_failure(command, time))


def command_failure(command: AckermannCommand, time: float) -> str:
    """Message for a command at a time [s] that is not finite."""
    return f'the controller commands {command} at {time:g} s, expected finite numbers'


def preview_of(controller: Controller) -> float:
    """Return how far ahead in time the reference of a controller lies [s].

    Raises ConfigurationError if that is no number of at least 0.
    """
    preview = getattr(controller, 'preview', 0.0)
    if not (_is_number(preview) and preview >= 0.0):
        raise ConfigurationError(
            f'preview of the controller is {preview!r}, expected a number of at least 0 [s]')
    return float(preview)


def _load_module(name: str) -> ModuleType:
    if Path(name).is_file():
        raise ConfigurationError(
            f'controller file {excerpt(name)} does not end in .py, expected file.py:Class')
    # As with `python -m`, modules of the present folder count.
    if '' not in sys.path:
        sys.path.insert(0, '')
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f'{name}.'.startswith(f'{error.name}.'):
            raise
        raise ConfigurationError(
            f'controller module {excerpt(name)} is neither in this folder nor installed, expected'
            ' module:Class or file.py:Class') from error


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise ConfigurationError(f'controller file {excerpt(str(path))} does not exist')
    # Not to stand in place of a module that happens to have its name.
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
    if isinstance(error, RacecarError):
        return text
    trace, line = error.__traceback__, ''
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        # The line that imports is the user's, those of the interpreter's import are not.
        if not file.startswith('<frozen'):
            line = f' ({file}, line {trace.tb_lineno})'
        trace = trace.tb_next
    return f'{type(error).__name__}: {text}{line}'
