# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parts that stacks have in common: names, files, muxes, the planar simulator, the recorder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
import os
from pathlib import Path

from racecar.bags.folder import check_bag_folder
from racecar.base.errors import ConfigurationError, excerpt, ParameterError
from racecar.base.parameters import ParameterTable
from racecar.base.share import find_config, find_vehicle, find_wheeled_robot
from racecar.base.types import WHEEL_NAMES
from racecar.catalogue import node_names
from racecar.control.command_mux import PRIORITY, RACE_INPUT
from racecar.control.servo_commands import SERVO_PARAMETERS
from racecar.differential.parameters import PREFIX, ROBOT_PARAMETERS
from racecar.dynamics.vehicles.parameters import (
    VEHICLE,
    VEHICLE_FILE_PARAMETERS,
    VehicleParameters,
)
from racecar.faults.plant import shows_truth
from racecar.ros import topics
from racecar.ros.topics.sets import topic_set, TopicSet
from racecar.scene.world_choice import scene_of
from racecar.sensors.equipment import chosen_sensors
from racecar.sensors.laser import LASER
from racecar.simulation.reckoned_plant import is_reckoned
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import (
    StackOptions,
    TELEOP_JOY,
    TELEOP_KEYBOARD,
    TELEOP_NONE,
)
from racecar.world.world_parameters import WHEEL_CONTROLLERS

WHEEL_TOPICS = tuple(f'{topic}/{wheel}' for topic in topics.WHEELS for wheel in WHEEL_NAMES)
"""Sixteen more messages a tick: recorded only for those who ask."""

_WORLD_TOPICS = (topics.MAP, topics.COLLISIONS, topics.IN_COLLISION)

_MUX_FILES = {topics.HIGH_LEVEL_MUX: 'mux/high_level', topics.LOW_LEVEL_MUX: 'mux/low_level'}


PACEJKA_VARIABLE = 'PACEJKA'
"""In the environment: chooses tyre forces for the wheels of the 3-D world, as in the original."""

_YES, _NO = ('1', 'true', 'yes', 'on'), ('', '0', 'false', 'no', 'off')

WORLD_JOINT_STATES = topics.JOINT_STATES, topics.WORLD_JOINT_STATES
"""Renaming of the joint states in the stacks of the 3-D world."""


def namespace_of(options: StackOptions) -> str:
    """Namespace of the stack without slashes around it."""
    return options.namespace.strip('/')


def absolute(namespace: str, topic: str) -> str:
    """Full name of a relative one; a full one stays."""
    return topic if topic.startswith('/') else '/' + '/'.join(
        part for part in (namespace, topic) if part)


def names_of(options: StackOptions) -> TopicSet:
    """The chosen set of names, as one of several cars has it."""
    names = topic_set(options.topic_names)
    if options.car:
        of_all = namespace_of(options).removesuffix(options.car).rstrip('/')
        return names.of_car(options.car, of_all)
    return names.of_fleet(car.name for car in options.fleet)


def renamed(options: StackOptions, topic: str) -> str:
    """What the chosen set of names calls a topic."""
    return names_of(options).renamed(topic)


def remappings(options: StackOptions) -> tuple[tuple[str, str], ...]:
    """Renamings of the chosen set."""
    return tuple((topic, name) for topic, name in names_of(options).topics.items()
                 if topic != name)


def given(**values: object) -> dict[str, object]:
    """Values that the user chose."""
    return {name: value for name, value in values.items() if value is not None}


def vehicle_file(vehicle: str | None) -> Path:
    """Parameter file of a car, by name or path; None: that of the racecar.

    Raises ConfigurationError naming the cars there are.
    """
    return find_vehicle(vehicle or 'racecar')


def robot_file(robot: str | None) -> Path:
    """Parameter file of a differential-drive robot, by name or path; None: that of the pioneer.

    Raises ConfigurationError naming the robots there are.
    """
    return find_wheeled_robot(robot or 'pioneer')


def node(
    executable: str, options: StackOptions, *files: Path,
    parameters: Mapping[str, object] | None = None, hears: str = '',
    gives: tuple[str, ...] = (), use_sim_time: bool = True,
) -> NodeDescription:
    """Node named like its executable, with its file of config/ below the others.

    files: parameter files over its defaults; parameters: over these; hears, gives, use_sim_time:
    as NodeDescription has them.
    """
    return NodeDescription(
        executable, executable, namespace_of(options), (find_config(executable), *files),
        parameters or {}, remappings(options), use_sim_time, hears=hears, gives=gives)


ROBOT = PREFIX.rstrip('.')

SHARED: Mapping[str, ParameterTable] = {
    VEHICLE: VEHICLE_FILE_PARAMETERS, ROBOT: ROBOT_PARAMETERS}
"""Rows that all nodes which know the car, or the differential-drive robot, have alike."""


def with_choices(description: NodeDescription, options: StackOptions) -> NodeDescription:
    """Node with the user's file, clock and overrides; its own go over SHARED."""
    clock = ((topics.CLOCK, absolute(namespace_of(options), 'clock')),) \
        if options.own_clock else ()
    description = _with_set(replace(
        description, user_file=Path(options.params_file) if options.params_file else None),
        names_of(options))
    of_all = {f'{whole}.{name}': value for whole in SHARED
              for name, value in options.overrides.get(whole, {}).items()}
    return replace(
        description, remappings=description.remappings + clock, parameters={
            **description.parameters,
            **{name: value for name, value in of_all.items()
               if name in description.spec.table},
            **options.overrides.get(description.name, {}),
            **options.overrides.get(description.full_name, {})})


def _with_set(description: NodeDescription, names: TopicSet) -> NodeDescription:
    """Node with those parameters of a set of topic names that the user has not chosen.

    Sensors go first: their parameters depend on them.
    """
    for name, value in sorted(names.parameters.items(), key=lambda row: row[0] != 'sensors'):
        if name in description.table and not description.is_chosen(name):
            description = replace(
                description, parameters={**description.parameters, name: value})
    return description


def command_muxes(options: StackOptions, *answers: str) -> list[NodeDescription]:
    """Muxes of both levels, and the emergency brake that the user chooses.

    answers: topics of commands that lockstep waits for.
    """
    namespace, names = namespace_of(options), names_of(options)
    muxes = []
    for full_name, inputs in topics.MUX_INPUTS.items():
        place, _, name = absolute(namespace, full_name).strip('/').rpartition('/')
        answered = {topic: target for topic, target in inputs.items()
                    if target in (*answers, topics.HIGH_LEVEL_OUTPUT)}
        judges = [topic for topic, target in inputs.items()
                  if options.safety and target in _SAFETY]
        joined = {topic: names.renamed(target) for topic, target in inputs.items()} | {
            topic.removeprefix(f'{full_name}/'): target for topic, target in names.topics.items()
            if topic.startswith(f'{full_name}/')}
        shared = [topic for topic, target in joined.items() if target in names.shared]
        # In lockstep the simulator itself holds cars.
        is_refereed = options.race is not None and not options.lockstep \
            and full_name == topics.LOW_LEVEL_MUX
        if is_refereed:
            joined[RACE_INPUT] = topics.RACE_COMMAND
        muxes.append(NodeDescription(
            node_names.ACKERMANN_MUX, name, place, (find_config(node_names.ACKERMANN_MUX),),
            {'config_file': names.muxes.get(full_name, _MUX_FILES[full_name]),
             'lockstep': options.lockstep, 'awaited': ','.join((*answered, *judges)),
             # Not the newest: autonomy would overrule the brake, and the referee.
             **({'arbitration': PRIORITY} if judges or is_refereed else {}),
             **({'race': True} if is_refereed else {}),
             **({'shared': shared} if shared else {})},
            tuple((f'~/{topic}', absolute(namespace, target))
                  for topic, target in joined.items()),
            hears=next(iter(answered.values()), ''), gives=(f'{full_name}/output',)))
    return [*_emergency_brake(options), *muxes]


_SAFETY = (topics.SAFETY_COMMAND, topics.SAFETY_CLEAR)


def check_scans(simulator: NodeDescription, reader: str) -> None:
    """Refuse a car without a laser, and in lockstep one whose scans take time.

    reader: who reads them, for messages. A simulator whose parameters cannot be used is left to
    the error of its own check.
    """
    values = simulator.usable_values()
    if values is None:
        return
    if LASER.name not in [sensor.name for sensor in chosen_sensors(values['sensors'])]:
        raise ConfigurationError(
            f'{reader} reads scans, but the car has no laser: sensors of {simulator.full_name} are'
            f" {values['sensors']}, expected {LASER.name} among them, and a world, as by --world"
            f" racetrack --set {simulator.full_name.lstrip('/')}.sensors=[{LASER.name}]")
    for name in ('laser.sweep_time', 'laser.delay'):
        if values['lockstep'] and values[name] > 0.0:
            raise ConfigurationError(
                f'{name} of {simulator.full_name} is {values[name]:g} s, but in lockstep a scan is'
                ' answered at the time of its stamp, which is that of its first ray: set it to 0,'
                ' or do without lockstep')


def _emergency_brake(options: StackOptions) -> list[NodeDescription]:
    return [node(
        node_names.EMERGENCY_BRAKE, options, vehicle_file(options.vehicle),
        parameters={'lockstep': options.lockstep}, gives=_SAFETY)] if options.safety else []


def safety_topics(options: StackOptions) -> tuple[str, ...]:
    """What a bag holds of the emergency brake besides the commands of the last mux."""
    return (topics.SAFETY_COMMAND, topics.MUX_ACTIVE) if options.safety else ()


def with_wheelbase(descriptions: list[NodeDescription]) -> list[NodeDescription]:
    """Nodes of which the muxes know the wheelbase of the simulated car, unless the user chose it.

    A simulator whose parameters cannot be used is left to the error of its own check.
    """
    simulator = next((d for d in descriptions if d.spec.is_simulator), None)
    if simulator is None or not all(
            row.name in simulator.spec.table for row in VEHICLE_FILE_PARAMETERS):
        return descriptions
    try:
        wheelbase = VehicleParameters.from_values(simulator.resolve()).wheelbase
    except ParameterError:
        return descriptions
    return [replace(d, parameters={'wheelbase': wheelbase, **d.parameters})
            if d.executable == node_names.ACKERMANN_MUX and not d.is_chosen('wheelbase') else d
            for d in descriptions]


_TELEOP_NODES = {
    TELEOP_NONE: (), TELEOP_KEYBOARD: (node_names.KEYBOARD_TELEOP,),
    TELEOP_JOY: (node_names.JOY_TELEOP, node_names.JOY_NODE)}
_TELEOP_TOPICS = {
    TELEOP_NONE: (), TELEOP_KEYBOARD: (topics.TELEOP_COMMAND,),
    TELEOP_JOY: (topics.JOY, topics.TELEOP_COMMAND)}


def teleop_nodes(options: StackOptions, usual: str) -> list[NodeDescription]:
    """Nodes by which a person drives; usual: who does unless the user chooses.

    Raises ConfigurationError for an unknown choice, and in lockstep, which waits for nobody else.
    """
    chosen = options.teleop or usual
    if chosen not in _TELEOP_NODES:
        raise ConfigurationError(
            f"teleop {excerpt(chosen)} is unknown, expected one of {', '.join(_TELEOP_NODES)}")
    if chosen != TELEOP_NONE and options.lockstep:
        raise ConfigurationError(
            f'teleop is {chosen}, but in lockstep the simulator waits for an answer to each'
            ' odometry message, which no person gives: do without lockstep')
    return [node(executable, options) for executable in _TELEOP_NODES[chosen]]


def teleop_topics(options: StackOptions, usual: str) -> tuple[str, ...]:
    """What a bag holds of it besides the commands of the last mux."""
    chosen = _TELEOP_TOPICS[options.teleop or usual]
    return (*chosen, topics.MUX_ACTIVE) if chosen else ()


def surroundings(options: StackOptions) -> dict[str, object]:
    """Parameters of any simulator: world, sensors and faults that the user chose."""
    return given(world=options.world, sensors=list(options.sensors) or None,
                 faults=list(options.faults) or None)


def surrounding_topics(simulator: NodeDescription) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Topics of a simulator's world, which are latched, and of its sensors and true motion.

    Raises ConfigurationError for a world that cannot be read, ParameterError for values that are
    not allowed.
    """
    values = simulator.resolve()
    world = () if scene_of(values).is_empty else _WORLD_TOPICS
    truth = (topics.GROUND_TRUTH,) if is_reckoned(values) or shows_truth(values) else ()
    return world, (*truth, *(topic for sensor in chosen_sensors(values['sensors'])
                             for topic in topics.sensor_topics(*sensor)))


def simulator_of_car(executable: str, options: StackOptions, *files: Path) -> NodeDescription:
    """Simulator of a car; files: over its defaults."""
    return node(
        executable, options, *files, parameters={
            **given(tyre_model=options.tyre_model, end_time=options.end_time,
                    real_time_factor=options.real_time_factor),
            **surroundings(options),
            'lockstep': options.lockstep},
        use_sim_time=False, hears=topics.COMMAND)


def world_nodes(
    options: StackOptions, vehicle: Path, *files: Path,
) -> list[NodeDescription]:
    """Simulator of the 3-D world, and servo_commands if joints are commanded.

    vehicle, files: over its defaults. With PACEJKA set in the environment, as in the original,
    wheels have tyre forces unless the user chooses. Raises ConfigurationError for a PACEJKA that
    is neither yes nor no.
    """
    tyres = (find_config('stacks/world_pacejka'),) if _wants_pacejka() else ()
    simulator = simulator_of_car(node_names.WORLD_SIMULATOR, options, *tyres, *files, vehicle)
    simulator = replace(simulator, remappings=(*simulator.remappings, WORLD_JOINT_STATES))
    chosen = with_choices(simulator, options).usable_values()
    if chosen is None or chosen['command_interface'] != WHEEL_CONTROLLERS:
        return [simulator]
    servo = {name: chosen[name] for name in SERVO_PARAMETERS.names}
    return [simulator, node(
        node_names.SERVO_COMMANDS, options, vehicle, parameters=servo)]


def _wants_pacejka() -> bool:
    text = os.environ.get(PACEJKA_VARIABLE, '')
    if text.lower() not in (*_YES, *_NO):
        raise ConfigurationError(
            f'{PACEJKA_VARIABLE} is {excerpt(text)} in the environment, expected one of'
            f" {', '.join((*_YES, *_NO[1:]))}")
    return text.lower() in _YES


def recorder(
    options: StackOptions, folder: str, recorded: tuple[str, ...], awaited: tuple[str, ...],
) -> NodeDescription:
    """Recorder of a stack: its topics, and those that it joins before the last one.

    Raises BagError if the folder cannot be made.
    """
    check_bag_folder(folder)
    chosen = (*WHEEL_TOPICS, *recorded) if options.tyre_data else recorded
    return NodeDescription(
        node_names.BAG_RECORDER, node_names.BAG_RECORDER, namespace_of(options),
        (find_config(node_names.BAG_RECORDER),),
        {'folder': folder,
         'topics': [renamed(options, topic) for topic in chosen],
         'awaited': [renamed(options, topic) for topic in awaited]})
