# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The table of run options: launch arguments and the options of the commands are made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
import functools
import os
import shlex
from typing import Any, cast, NamedTuple

import yaml

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.share import (
    car_and_robot_names,
    race_names,
    topic_set_names,
    track_names,
    world_names,
)
from racecar.base.yaml_file import describe_error, parse_yaml
from racecar.catalogue import node_names, TABLES
from racecar.control.custom_controller import CONTROLLER, POLICY_SUFFIX
from racecar.dynamics.tyres import SELECTION
from racecar.ros.topics.sets import topic_set
from racecar.scene.world_choice import MOST_CARS
from racecar.sensors.equipment import SENSOR_NAMES
from racecar.simulation.fleet_file import FleetCar, is_fleet_file, read_fleet

LAUNCH, UP, DEMO, SIMULATE, SWEEP, COCKPIT, NEO = (
    'launch', 'up', 'demo', 'simulate', 'sweep', 'cockpit', 'neo')
"""Ways to run a stack; a sweep has its options in its file. The cockpit runs what its page chooses
by `up`: it has only options that name no file and no code of the user's."""

SET_ARGUMENT = 'set'
SET_OPTION = f'--{SET_ARGUMENT}'
"""What launch files and commands call overrides."""

DURATION = 80.0
"""Simulated time of a run without ROS whose length nobody chose [s]."""

DEFAULT_NAMES = 'racecar'
"""Set of topic names of the cars."""

_ALL = (LAUNCH, UP, DEMO, SIMULATE, SWEEP)
_ANY_DRIVER = (*_ALL, NEO)
_EVERYWHERE = (*_ALL, COCKPIT)
_EVERY_CAR = (*_EVERYWHERE, NEO)
_NODES = (LAUNCH, UP, DEMO)
_WATCHED = (*_NODES, COCKPIT)
TELEOP_NONE, TELEOP_KEYBOARD, TELEOP_JOY = 'none', 'keyboard', 'joy'
LOG_LEVELS = ('debug', 'info', 'warn', 'error', 'fatal')


class RunOption(NamedTuple):
    """What a user may choose of a run.

    help: for people. type: bool, float or str; dict for settings node.parameter=value, tuple for
    names. ways: that have the option. choices: the allowed values, looked up when they are needed.
    flag: name on the command line, if it is not the option's; a bool that is on by default has one
    that switches it off. for_tracking: only for stacks that follow a trajectory. suggestions: as
    choices, but other values are allowed too. metavar: stands for the value in help texts.
    is_path: of a file or folder, so that ~ is the home folder. off_help: of the flag that switches
    a bool off. whole: whether each text of a tuple is one value, and no list of names.
    """

    help: str
    type: type
    ways: tuple[str, ...]
    choices: Callable[[], Sequence[str]] | None = None
    flag: str = ''
    for_tracking: bool = False
    suggestions: Callable[[], Sequence[str]] | None = None
    metavar: str = ''
    is_path: bool = False
    off_help: str = ''
    whole: bool = False

    def values_of(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Values of a tuple that texts stand for."""
        return tuple(texts) if self.whole else parse_names(texts)


def _option(default: Any, help_text: str, kind: type, ways: tuple[str, ...], **more: Any) -> Any:
    option = RunOption(help_text, kind, ways, **more)
    if default is dict:
        return field(default_factory=dict, metadata={'option': option})
    return field(default=default, metadata={'option': option})


def _texts(values: Sequence[object]) -> tuple[str, ...]:
    return tuple(str(value) for value in values)


@dataclass(frozen=True)
class StackOptions:
    """What a user may choose of a run; None leaves a parameter as its file has it.

    The fields are the table of run options: see run_options(). observers: further subscriptions to
    the odometry for which the simulator waits; car: of several, the one whose nodes these are;
    overrides_option: what the user calls the overrides, for messages; none is a user's choice.
    """

    vehicle: str | None = _option(
        None, 'vehicle, by name or as a parameter file; default: racecar, of differential_wheels'
        ' and differential_plant the robot pioneer', str, _EVERY_CAR,
        suggestions=car_and_robot_names, is_path=True)
    cars: tuple[str, ...] = _option(
        (), 'several cars in one world, by their names, their number: car1, car2 and so on, or a'
        ' YAML file that says in what they differ; each has its nodes, topics and frames below its'
        ' name; docs/several_cars.md', tuple, (LAUNCH, UP, SIMULATE, COCKPIT), metavar='CAR')
    race: str | None = _option(
        None, 'race of these cars, by name or as a file of `racecar race`: the node race_control'
        ' starts and judges it; its world is that of the file unless another is chosen;'
        ' docs/races.md', str, (LAUNCH, UP), metavar='FILE', is_path=True,
        suggestions=race_names)
    trajectory: str | None = _option(
        None, "shape of the reference, by name or the report's number", str, _EVERYWHERE,
        choices=lambda: _texts(TABLES[node_names.TRAJECTORY_TRACKER]['trajectory'].choices),
        for_tracking=True)
    waypoints: str | None = _option(
        None, 'waypoints to follow, by name or as a CSV file, in place of a trajectory', str,
        _EVERYWHERE, suggestions=track_names, metavar='FILE', is_path=True, for_tracking=True)
    tyre_model: str | None = _option(
        None, f'tyre model, {SELECTION}', str, _EVERY_CAR,
        choices=lambda: _texts(TABLES[node_names.SINGLE_TRACK_SIMULATOR]['tyre_model'].choices))
    world: str | None = _option(
        None, 'what stands around the car: a world or map, by name or as a file', str,
        _EVERY_CAR, suggestions=world_names, is_path=True)
    sensors: tuple[str, ...] = _option(
        (), f"sensors of the car: {', '.join(SENSOR_NAMES)}; KIND:NAME is one more of a kind",
        tuple, _WATCHED, metavar='SENSOR')
    params_file: str | None = _option(
        None, 'ROS parameter file of your own; it goes over those in config/', str, _ANY_DRIVER,
        metavar='FILE', is_path=True)
    overrides: Mapping[str, Mapping[str, object]] = _option(
        dict, 'override any parameter, over everything else, e.g. trajectory_tracker.Kp=3.0;'
        ' vehicle.PARAMETER=VALUE is for all nodes that know the vehicle', dict, _ANY_DRIVER,
        flag=SET_ARGUMENT, metavar='NODE.PARAMETER=VALUE')
    controller: str | None = _option(
        None, 'controller of your own in place of tracker and law, module:Class or'
        f' file.py:Class; {SET_OPTION} {CONTROLLER}.NAME=VALUE gives settings to it;'
        ' docs/own_controller.md', str, (LAUNCH, UP, SIMULATE, SWEEP), metavar='MODULE:CLASS',
        is_path=True, for_tracking=True)
    policy: str | None = _option(
        None, 'policy file, FILE.onnx, that drives in place of tracker and law: a controller that'
        f' was trained; {SET_OPTION} {CONTROLLER}.line=NAME gives it another line; docs/gym.md',
        str,
        (LAUNCH, UP, SIMULATE, SWEEP), metavar='FILE', is_path=True, for_tracking=True)
    flying_start: bool = _option(
        False, 'start on the reference, in its direction and at its speed, in place of at rest',
        bool, _ALL, for_tracking=True)
    faults: tuple[str, ...] = _option(
        (), "what fails, 'kind: friction, onset: 5.0, size: 0.3'; several with ; between them;"
        ' docs/campaigns.md', tuple, (LAUNCH, UP, SIMULATE, SWEEP), flag='fault',
        metavar='FAULT', whole=True)
    without: tuple[str, ...] = _option(
        (), 'leave out a node, because one of your own is in its place', tuple, (LAUNCH, UP),
        metavar='NODE')
    teleop: str | None = _option(
        None, 'who drives by hand, before all others while a key or button is held: keyboard of'
        ' this terminal, joystick or nobody; default: keyboard in the configurations teleop, none'
        ' in others', str, _NODES,
        choices=lambda: (TELEOP_NONE, TELEOP_KEYBOARD, TELEOP_JOY))
    safety: bool = _option(
        False, 'add an emergency brake for each car: it stops it before what the laser sees and by'
        ' its service ~/stop, whatever autonomy commands; docs/safety.md', bool, (LAUNCH, UP))
    namespace: str = _option('', 'namespace of all nodes and topics', str, (LAUNCH, UP))
    own_clock: bool = _option(
        False, 'keep the time on the topic clock of the namespace instead of /clock: for several'
        ' cars, each with its own time', bool, (LAUNCH, UP))
    topic_names: str = _option(
        '', 'set of topic names, by name or as a file; default: that of the configuration, cmd_vel'
        f' for differential-drive robots and {DEFAULT_NAMES} for others', str, (LAUNCH, UP),
        suggestions=topic_set_names, metavar='NAMES', is_path=True)
    use_sim_time: bool = _option(
        True, 'whether the nodes take their time from /clock; the simulator makes that time and'
        ' never does', bool, (LAUNCH,))
    real_time_factor: float | None = _option(
        None, 'simulated seconds per second; 0: as fast as possible', float, (*_WATCHED, NEO),
        metavar='FACTOR')
    lockstep: bool = _option(
        False, 'wait for the answer to every odometry message: deterministic at any speed', bool,
        (LAUNCH, UP, COCKPIT))
    active: bool = _option(
        True, 'whether the tracker starts active; an inactive one waits for its parameter active'
        ' or its service ~/activate', bool, (LAUNCH, UP, COCKPIT), flag='inactive',
        for_tracking=True, off_help='start the tracker inactive: it waits for its parameter active'
        ' or its service ~/activate')
    end_time: float | None = _option(
        None, 'simulated time at which the run ends [s]', float,
        (LAUNCH, UP, DEMO, SIMULATE, COCKPIT, NEO), flag='duration', metavar='SECONDS')
    control_rate: float | None = _option(
        None, 'rate of tracker and law, a whole number times that of the odometry, the last of'
        ' which they use in between, as in real time [Hz]; default: at each odometry, as in'
        ' lockstep', float, (SIMULATE,), metavar='HZ', for_tracking=True)
    record: str | None = _option(
        None, 'folder of a new bag', str, (LAUNCH, UP), metavar='FOLDER', is_path=True)
    tyre_data: bool = _option(
        False, 'record slip and forces of each wheel too; takes more time', bool, _NODES)
    rviz: bool = _option(False, 'show the car in RViz', bool, (LAUNCH,))
    log_level: str = _option(
        'info', 'least severe messages that the nodes print', str, (LAUNCH,),
        choices=lambda: LOG_LEVELS)
    observers: int = 0
    car: str = ''
    overrides_option: str = SET_OPTION

    def __post_init__(self) -> None:
        """Let a policy be the controller, and a number stand for names of cars.

        The names are those of the set of topic names, if it has as many.

        Raises ConfigurationError for an empty name or path, if policy and controller are chosen,
        and for no car or too many.
        """
        for row in fields(self):
            option: RunOption | None = row.metadata.get('option')
            # Where the default is empty, too, it says what it does.
            if option is not None and row.default is None and getattr(self, row.name) == '':
                raise ConfigurationError(
                    f'{row.name} is empty, expected a value; leave it out for the default')
        if self.policy is not None:
            # One way from here on, also in run files.
            object.__setattr__(
                self, CONTROLLER, policy_as_controller(self.policy, self.controller))
            object.__setattr__(self, 'policy', None)
        if len(self.cars) == 1 and self.cars[0].isdecimal():
            names = numbered_cars(self.cars[0])
            of_set = tuple(topic_set(self.topic_names).cars) if self.topic_names else ()
            object.__setattr__(
                self, 'cars', of_set[:len(names)] if len(names) <= len(of_set) else names)

    @property
    def fleet_file(self) -> str:
        """The fleet file that is chosen in place of names of cars, '' for none.

        Raises ConfigurationError if there is more beside it.
        """
        if not any(map(is_fleet_file, self.cars)):
            return ''
        if len(self.cars) > 1:
            raise ConfigurationError(
                f'cars are {list(self.cars)}, expected names, or one fleet file alone')
        return self.cars[0]

    @functools.cached_property
    def fleet(self) -> tuple[FleetCar, ...]:
        """The cars of a fleet, none of a single car. Raises ConfigurationError as read_fleet()."""
        return read_fleet(self.fleet_file) if self.fleet_file else tuple(
            FleetCar(name, place=place) for place, name in enumerate(self.cars))

    @property
    def controller_settings(self) -> Mapping[str, object]:
        """Settings of the custom controller, among the overrides."""
        return self.overrides.get(CONTROLLER, {})


def numbered_cars(text: str) -> tuple[str, ...]:
    """Names of so many cars. Raises ConfigurationError for none and for too many."""
    count = int(text) if len(text) <= len(str(MOST_CARS)) else 0
    if not 1 <= count <= MOST_CARS:
        raise ConfigurationError(
            f'cars is {excerpt(text)}, expected names, or their number from 1 to {MOST_CARS}')
    return tuple(f'car{number}' for number in range(1, count + 1))


def policy_as_controller(policy: str | None, controller: str | None) -> str | None:
    """The controller that is chosen, which a policy file is as well.

    Raises ConfigurationError for another file, and if a controller is chosen, too.
    """
    if policy is None:
        return controller
    if controller is not None:
        raise ConfigurationError(
            f'policy {excerpt(policy)} and controller {excerpt(controller)} are both chosen,'
            ' expected one of the two')
    if not policy.endswith(POLICY_SUFFIX):
        raise ConfigurationError(
            f'policy is {excerpt(policy)}, expected a file that ends in {POLICY_SUFFIX}')
    return policy


class NamedOption(NamedTuple):
    """An option with its name and its default."""

    name: str
    default: object
    option: RunOption

    @property
    def flag(self) -> str:
        """What the command line calls it."""
        return f"--{(self.option.flag or self.name).replace('_', '-')}"

    @property
    def launch_name(self) -> str:
        """Name of the launch argument."""
        return self.option.flag if self.option.type is dict else self.name


def run_options(way: str, *, tracking: bool = True) -> Iterator[NamedOption]:
    """Yield the options of a way to run; tracking: of a stack that follows a trajectory."""
    for row in fields(StackOptions):
        option: RunOption | None = row.metadata.get('option')
        if option is not None and way in option.ways and (tracking or not option.for_tracking):
            default = None if option.type in (dict, tuple) else row.default
            yield NamedOption(row.name, default, option)


def from_texts(way: str, texts: Mapping[str, str], **more: object) -> StackOptions:
    """Options that texts by launch_name stand for; an empty text is the default.

    more: values of options that take precedence. Raises ConfigurationError for what cannot be
    read; a number that is none goes on, as the check of its parameter says what was expected.
    """
    values: dict[str, object] = {}
    for row in run_options(way):
        name, _, option = row
        text = texts.get(row.launch_name, '')
        if not text or name in more:
            continue
        if option.type is bool:
            values[name] = text.lower() == 'true'
        elif option.type is dict:
            try:
                values[name] = parse_overrides(shlex.split(text), option.flag)
            except ValueError as error:
                raise ConfigurationError(f'{option.flag}: {text!r}: {error}') from error
        elif option.type is tuple:
            values[name] = option.values_of([text])
        elif option.type is float:
            values[name] = _number_or_text(text)
        else:
            values[name] = os.path.expanduser(text) if option.is_path else text
    return from_values({**values, **more})


def from_values(values: Mapping[str, object]) -> StackOptions:
    """Options of these names; a value of another type goes on to the check of its parameter."""
    return StackOptions(**cast('dict[str, Any]', values))


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def parse_names(texts: Iterable[str]) -> tuple[str, ...]:
    """Names in texts, separated by commas or spaces, without slashes around them.

    What is the path of a fleet file keeps them.
    """
    return tuple(os.path.expanduser(name) if is_fleet_file(name) else name.strip('/')
                 for text in texts for name in text.replace(',', ' ').split())


def parse_overrides(
    settings: Sequence[str], option: str = SET_OPTION,
) -> dict[str, dict[str, object]]:
    """Turn `node.parameter=value` texts into {node: {parameter: value}}.

    option: what the user calls them, for the message. Raises ConfigurationError for a text of
    another form.
    """
    overrides: dict[str, dict[str, object]] = {}
    for setting in settings:
        key, equals, text = setting.partition('=')
        node, dot, parameter = key.strip().partition('.')
        if not (equals and dot and node and parameter):
            raise ConfigurationError(
                f'{option} {excerpt(setting)}: expected node.parameter=value, for example'
                ' trajectory_tracker.Kp=3.0')
        try:
            value = parse_yaml(text)
        except yaml.YAMLError as error:
            raise ConfigurationError(
                f'{option} {excerpt(setting)}: the value is not YAML: {describe_error(error)}'
            ) from error
        overrides.setdefault(node.strip('/'), {})[parameter] = value
    return overrides
