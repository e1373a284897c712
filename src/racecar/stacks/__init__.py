# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which nodes make up a configuration; launch files, `up` and `simulate` all read it here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
import os
from pathlib import Path
from typing import Any

import yaml

from racecar.core.analysis.bag_folder import check_bag_folder
from racecar.core.control.linearizer import LINEARIZERS, make_linearizer
from racecar.core.control.tracker import tracked_ahead
from racecar.core.errors import ConfigurationError, excerpt, ParameterError
from racecar.core.parameters import load_parameter_file, read_parameter_file, USE_SIM_TIME
from racecar.core.powertrain import CAR_PARAMETERS, CarParameters
from racecar.core.share import find_config, vehicle_names
from racecar.core.trajectories import trajectory_type
from racecar.core.types import (
    FX_TOPIC,
    FY_TOPIC,
    SLIP_ANGLE_TOPIC,
    SLIP_TOPIC,
    WHEEL_NAMES,
)
from racecar.core.vehicles.parameters import VehicleParameters
from racecar.core.yaml_file import describe_error, parse_yaml
from racecar.nodes.tables import TABLES

__all__ = ['STACKS', 'TOPIC_NAMES', 'NodeDescription', 'StackOptions', 'describe_stack',
           'has_tracker', 'parse_overrides', 'require_tracker']

_COMMANDS_OF_F1TENTH = {
    'vesc/ackermann_cmd_mux/input/navigation': 'drive',
    'vesc/ackermann_cmd_mux/input/teleop': 'teleop',
}

# Relative names of this package on the left, those of other worlds on the right.
TOPIC_NAMES: dict[str, dict[str, str]] = {
    'racecar': {},
    'f1tenth': {'vesc/odom': 'odom', **_COMMANDS_OF_F1TENTH},
    # f1tenth_gym_ros calls its first car ego_racecar.
    'f1tenth_gym': {'vesc/odom': 'ego_racecar/odom', **_COMMANDS_OF_F1TENTH},
    # On the track controllers take the odometry of a particle filter, whose place the simulator
    # takes: it knows the pose on the map.
    'f1tenth_pf': {'vesc/odom': 'pf/pose/odom', **_COMMANDS_OF_F1TENTH},
}

# The odometry comes last: the simulator waits for its subscription before the first tick.
RECORDED_TOPICS = (
    'tf_static', 'reference_path', 'tracked_point', 'tf', 'car_state', 'joint_states',
    'reference_trajectory', 'virtual_velocities', 'vesc/ackermann_cmd_mux/input/navigation',
    'vesc/low_level/ackermann_cmd_mux/output', 'vesc/odom',
)

RECORDED_DRIVER_TOPICS = (
    'tf_static', 'driver/car_info', 'driver/lamps', 'tf', 'car_state', 'joint_states',
    'driver/command', 'driver/state', 'vesc/wheel_command', 'vesc/ackermann_cmd_mux/input/driver',
    'vesc/low_level/ackermann_cmd_mux/active', 'vesc/low_level/ackermann_cmd_mux/output',
    'vesc/odom',
)

# Latched descriptions without which a bag cannot be judged: sent before the recorder joins, they
# come in their own time, which a short run does not wait for.
DESCRIPTIONS = ('tracked_point',)

DRIVER_DESCRIPTIONS = ('driver/car_info',)

# What answers the odometry; in lockstep the recorder joins these before it.
ANSWERS = (
    'reference_trajectory', 'virtual_velocities', 'vesc/ackermann_cmd_mux/input/navigation',
    'vesc/low_level/ackermann_cmd_mux/output',
)

DRIVER_ANSWERS = (
    'driver/state', 'vesc/wheel_command', 'vesc/ackermann_cmd_mux/input/driver',
    'vesc/low_level/ackermann_cmd_mux/output',
)

# Sixteen more messages a tick: recorded only for those who ask.
WHEEL_TOPICS = tuple(
    f'{topic}/{wheel}' for topic in (SLIP_TOPIC, SLIP_ANGLE_TOPIC, FX_TOPIC, FY_TOPIC)
    for wheel in WHEEL_NAMES)


# Two descriptions of one vehicle may differ by rounding, not by more [m].
_SAME_POINT = 1e-3

# What the commands call overrides.
SET_OPTION = '--set'


@dataclass(frozen=True)
class StackOptions:
    """What a user may choose of a configuration; None leaves a parameter as its file has it.

    record: folder of the bag; tyre_data: with slip and forces of the wheels.
    observers: further subscriptions to the odometry to wait for.
    own_clock: time on the topic clock of the namespace instead of /clock, for several cars.
    overrides_option: what the user calls the overrides, for messages.
    """

    vehicle: str = 'racecar'
    trajectory: str | None = None
    tyre_model: str | None = None
    params_file: str | None = None
    namespace: str = ''
    real_time_factor: float | None = None
    lockstep: bool = False
    active: bool = True
    end_time: float | None = None
    record: str | None = None
    tyre_data: bool = False
    observers: int = 0
    topic_names: str = 'racecar'
    own_clock: bool = False
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    overrides_option: str = SET_OPTION


@dataclass(frozen=True)
class NodeDescription:
    """A node to be: executable, name, namespace, parameter files and values, remappings."""

    executable: str
    name: str
    namespace: str = ''
    parameter_files: tuple[Path, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    remappings: tuple[tuple[str, str], ...] = ()
    use_sim_time: bool = True

    @property
    def full_name(self) -> str:
        """Namespace and name, without the leading slash."""
        return f'{self.namespace}/{self.name}' if self.namespace else self.name

    def explicit_parameters(self) -> dict[str, Any]:
        """Return what files and values set, later ones over earlier ones.

        Raises ParameterError, naming the node, for what its table does not allow.
        """
        table = TABLES[self.executable]
        merged: dict[str, Any] = {}
        for path in self.parameter_files:
            merged.update(read_parameter_file(path).of_node(self.full_name, table))
        merged.update(self.parameters)
        merged.pop(USE_SIM_TIME, None)
        try:
            values = table.resolve(merged)
        except ParameterError as error:
            raise ParameterError(f'node {self.full_name}: {error}') from error
        # Lists must be of one type; YAML may mix whole numbers with others.
        return {name: values[name] if isinstance(value, list) else value
                for name, value in merged.items()}

    def resolve(self) -> dict[str, Any]:
        """Return the value of every parameter of the node."""
        return TABLES[self.executable].resolve(self.explicit_parameters())


def parse_overrides(
        settings: list[str], option: str = SET_OPTION) -> dict[str, dict[str, Any]]:
    """Turn `node.parameter=value` texts into {node: {parameter: value}}.

    option: what the user calls them, for messages.
    Raises ConfigurationError for a text of another form.
    """
    overrides: dict[str, dict[str, Any]] = {}
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


def describe_stack(name: str, options: StackOptions) -> list[NodeDescription]:
    """Return the nodes of a configuration with the user's choices applied.

    The user's params_file goes over the files of config/, single options over both, and
    overrides over everything. Raises ConfigurationError for an unknown name, an override of a
    node that is not there, or tyre_data without record, BagError if record cannot be made.
    """
    for kind, value, known in (('configuration', name, STACKS),
                               ('topic_names', options.topic_names, TOPIC_NAMES)):
        if value not in known:
            raise ConfigurationError(
                f"{kind} '{value}' is unknown, expected one of {', '.join(known)}")
    descriptions = STACKS[name](options)
    if options.tyre_data and not options.record:
        raise ConfigurationError(
            'tyre_data is what to record, but nothing is recorded: name a folder with record')
    for node in options.overrides:
        _check_override(name, node, descriptions, options.overrides_option)
    _check_files(name, options, descriptions)
    extra = (Path(options.params_file),) if options.params_file else ()
    clock = (('/clock', _absolute(options.namespace.strip('/'), 'clock')),) \
        if options.own_clock else ()
    return _with_matching_driver(_with_matching_tracker([
        replace(
            d, parameter_files=d.parameter_files + extra, remappings=d.remappings + clock,
            parameters={**d.parameters, **options.overrides.get(d.name, {}),
                        **options.overrides.get(d.full_name, {})})
        for d in descriptions
    ], extra), extra)


def has_tracker(name: str) -> bool:
    """Tell whether a configuration follows a trajectory, so that there is an error to measure.

    An unknown name has one: describe_stack() then says what there is.
    """
    return name != 'driver'


def require_tracker(name: str) -> None:
    """Raise ConfigurationError for a configuration that follows no trajectory."""
    if not has_tracker(name):
        known = ', '.join(stack for stack in STACKS if has_tracker(stack))
        raise ConfigurationError(
            f"configuration '{name}' follows no trajectory, expected one of {known};"
            f' `racecar up {name}` runs it')


def _with_matching_driver(
        descriptions: list[NodeDescription], files: tuple[Path, ...]) -> list[NodeDescription]:
    """Tell the driver bridge the rate of the simulator; refuse a car without engine and gears.

    files: the user's parameter files.
    """
    driver = next((d for d in descriptions if d.executable == 'driver_bridge'), None)
    simulator = next((d for d in descriptions if d.executable == 'single_track_simulator'), None)
    if driver is None or simulator is None:
        return descriptions
    _, vehicle_file, *_ = driver.parameter_files
    given = {*driver.parameters, *(
        name for path in files
        for name in load_parameter_file(path, driver.name, driver.namespace))}
    if not any(name in CAR_PARAMETERS for name in given):
        # Raises the error that names the file if it has none either.
        CarParameters.from_file(vehicle_file)
    try:
        rate = simulator.resolve()['rate']
    except ParameterError:
        # The check of the node that cannot be started says it better.
        return descriptions
    if 'rate' in given:
        return descriptions
    return [replace(d, parameters={**d.parameters, 'rate': rate}) if d is driver else d
            for d in descriptions]


def _with_matching_tracker(
        descriptions: list[NodeDescription], files: tuple[Path, ...]) -> list[NodeDescription]:
    """Tell the tracker where the centre of gravity is; refuse what the law is not made for.

    files: the user's parameter files; what they or the overrides say of cog_ahead counts.
    Nodes whose parameters cannot be used are left to the error that their own check gives.
    """
    tracker = next((d for d in descriptions if d.executable == 'trajectory_tracker'), None)
    linearizer = next((d for d in descriptions if d.executable in LINEARIZERS), None)
    if tracker is None or linearizer is None:
        return descriptions
    try:
        values = tracker.resolve()
        vehicle = VehicleParameters.from_values(linearizer.resolve())
        law = make_linearizer(linearizer.executable, linearizer.resolve())
    except ParameterError:
        return descriptions
    given = {name for path in files
             for name in load_parameter_file(path, tracker.name, tracker.namespace)}
    if 'cog_ahead' not in given.union(tracker.parameters):
        values['cog_ahead'] = -vehicle.odometry_offset
        descriptions = [
            replace(d, parameters={**d.parameters, 'cog_ahead': values['cog_ahead']})
            if d is tracker else d for d in descriptions]
    tracked = tracked_ahead(values)
    exact = law.tracked_ahead
    if abs(tracked - exact) > _SAME_POINT:
        raise ConfigurationError(
            f"tracked_point of {tracker.full_name} is '{values['tracked_point']}', {tracked:g} m"
            f' ahead of base_link, but the law of {linearizer.full_name} is exact for the point'
            f' {exact:g} m ahead: use base_link with the kinematic law and cog with the dynamic'
            ' one')
    distance, epsilon = values['PL_distance'], linearizer.resolve()['epsilon']
    if distance != epsilon:
        raise ConfigurationError(
            f'PL_distance of {tracker.full_name} is {distance:g} m, but epsilon of'
            f' {linearizer.full_name} is {epsilon:g} m: both place the same point P, so set both'
            ' to one value')
    if trajectory_type(values['trajectory']).reverses and not law.reverses:
        raise ConfigurationError(
            f"trajectory '{values['trajectory']}' of {tracker.full_name} goes backwards, which"
            f' {linearizer.full_name} does not: use kinematic_linearizer with reverse: true')
    return descriptions


def _check_files(
        stack: str, options: StackOptions, descriptions: list[NodeDescription]) -> None:
    """Refuse what is in the user's files for a node that there is not, or that no node knows.

    The file of a vehicle may also be for nodes that this configuration does not have.
    """
    def tables(*executables: str) -> dict[str, Collection[str]]:
        namespace = options.namespace.strip('/')
        return {f'{namespace}/{name}'.strip('/'): TABLES[name].names for name in executables}

    nodes = {d.full_name: TABLES[d.executable].names for d in descriptions}
    read_parameter_file(_vehicle_file(options.vehicle)).check(
        {**tables(*TABLES), **nodes}, 'racecar')
    if options.params_file:
        # There only while it records.
        read_parameter_file(options.params_file).check({**tables('bag_recorder'), **nodes}, stack)


def _check_override(
        stack: str, node: str, descriptions: list[NodeDescription], option: str) -> None:
    matches = [d for d in descriptions if node in (d.name, d.full_name)]
    if not matches:
        names = ', '.join(sorted(d.full_name for d in descriptions))
        raise ConfigurationError(
            f"{option}: node '{node}' is not part of {stack}, expected one of {names}")
    if len(matches) > 1:
        names = ' or '.join(d.full_name for d in matches)
        raise ConfigurationError(f"{option}: node '{node}' stands for several, give {names}")


def _absolute(namespace: str, topic: str) -> str:
    return '/' + '/'.join(part for part in (namespace, topic) if part)


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _vehicle_file(vehicle: str) -> Path:
    names = vehicle_names()
    if vehicle in names:
        return find_config(f'vehicles/{vehicle}')
    if os.path.isfile(vehicle):
        return Path(vehicle)
    raise ConfigurationError(
        f"vehicle {excerpt(vehicle)} is unknown, expected one of {', '.join(names)} or a parameter"
        ' file')


def _command_muxes(options: StackOptions, namespace: str) -> list[NodeDescription]:
    renamed = TOPIC_NAMES[options.topic_names]
    # Topic of the node below ~/ on the left, the topic that it is joined with on the right.
    links = {
        'high_level': {'navigation': 'vesc/ackermann_cmd_mux/input/navigation'},
        'low_level': {
            'teleop': 'vesc/ackermann_cmd_mux/input/teleop',
            'safety': 'vesc/ackermann_cmd_mux/input/safety',
            'driver': 'vesc/ackermann_cmd_mux/input/driver',
            'driver_hold': 'vesc/ackermann_cmd_mux/input/driver_hold',
            'input/navigation': 'vesc/high_level/ackermann_cmd_mux/output'},
    }
    return [
        NodeDescription(
            'ackermann_mux', 'ackermann_cmd_mux',
            _absolute(namespace, f'vesc/{level}').strip('/'),
            (find_config('ackermann_mux'),),
            {'config_file': f'mux/{level}', 'lockstep': options.lockstep},
            tuple((f'~/{topic}', _absolute(namespace, renamed.get(target, target)))
                  for topic, target in joined.items()))
        for level, joined in links.items()
    ]


def _kinematic_ode(options: StackOptions) -> list[NodeDescription]:
    return _ode(options, 'kinematic_linearizer')


def _dynamic_ode(options: StackOptions) -> list[NodeDescription]:
    return _ode(options, 'dynamic_linearizer', find_config('stacks/dynamic_ode'))


def _ode(
        options: StackOptions, linearizer: str, *tracker_files: Path) -> list[NodeDescription]:
    """Return tracker, a linearizer, the muxes and the single-track simulator.

    tracker_files: parameter files of the tracker over its defaults.
    """
    namespace = options.namespace.strip('/')
    vehicle_file = _vehicle_file(options.vehicle)
    remappings = tuple(TOPIC_NAMES[options.topic_names].items())
    lockstep = {'lockstep': options.lockstep}

    descriptions = [
        NodeDescription(
            'trajectory_tracker', 'trajectory_tracker', namespace,
            (find_config('trajectory_tracker'), *tracker_files),
            {**_given(trajectory=options.trajectory), 'active': options.active, **lockstep},
            remappings),
        NodeDescription(
            linearizer, linearizer, namespace, (find_config(linearizer), vehicle_file), lockstep,
            remappings),
        *_command_muxes(options, namespace),
        _planar_simulator(options, namespace, vehicle_file, listeners=2),
    ]
    return _with_recorder(
        descriptions, options, namespace, RECORDED_TOPICS, DESCRIPTIONS, ANSWERS)


def _driver(options: StackOptions) -> list[NodeDescription]:
    """Return driver bridge, the muxes and the planar simulator with four wheels."""
    if options.trajectory is not None:
        raise ConfigurationError(
            f"trajectory is '{options.trajectory}', but the configuration driver follows none:"
            ' drive by the services and topics below driver/')
    namespace = options.namespace.strip('/')
    vehicle_file = _vehicle_file(options.vehicle)
    return _with_recorder([
        NodeDescription(
            'driver_bridge', 'driver_bridge', namespace,
            (find_config('driver_bridge'), vehicle_file), {'lockstep': options.lockstep},
            tuple(TOPIC_NAMES[options.topic_names].items())),
        *_command_muxes(options, namespace),
        _planar_simulator(
            options, namespace, find_config('stacks/driver'), vehicle_file, listeners=1),
    ], options, namespace, RECORDED_DRIVER_TOPICS, DRIVER_DESCRIPTIONS, DRIVER_ANSWERS)


def _planar_simulator(
        options: StackOptions, namespace: str, *files: Path, listeners: int) -> NodeDescription:
    """Return the simulator; files: over its defaults; listeners: that lockstep waits for."""
    awaited = (options.observers + (listeners if options.lockstep else 0)
               + (1 if options.record else 0))
    return NodeDescription(
        'single_track_simulator', 'single_track_simulator', namespace,
        (find_config('single_track_simulator'), *files),
        {**_given(tyre_model=options.tyre_model, end_time=options.end_time,
                  real_time_factor=options.real_time_factor),
         'lockstep': options.lockstep, 'wait_for_subscribers': awaited},
        tuple(TOPIC_NAMES[options.topic_names].items()), use_sim_time=False)


def _with_recorder(
        descriptions: list[NodeDescription], options: StackOptions, namespace: str,
        recorded: tuple[str, ...], described: tuple[str, ...], answers: tuple[str, ...],
) -> list[NodeDescription]:
    if not options.record:
        return descriptions
    check_bag_folder(options.record)
    awaited = (*described, *answers) if options.lockstep else described
    renamed = TOPIC_NAMES[options.topic_names]
    topics = (*WHEEL_TOPICS, *recorded) if options.tyre_data else recorded
    return [NodeDescription(
        'bag_recorder', 'bag_recorder', namespace, (find_config('bag_recorder'),),
        {'folder': options.record,
         'topics': [renamed.get(topic, topic) for topic in topics],
         'awaited': [renamed.get(topic, topic) for topic in awaited]}),
        *descriptions]


STACKS: dict[str, Callable[[StackOptions], list[NodeDescription]]] = {
    'kinematic_ode': _kinematic_ode,
    'dynamic_ode': _dynamic_ode,
    'driver': _driver,
}
