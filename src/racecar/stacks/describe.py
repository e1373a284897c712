# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The nodes of a stack with the user's choices applied, and whether these fit together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
import re

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameter_file import read_parameter_file
from racecar.base.parameters import suggest, suggestion
from racecar.catalogue import node_names, NODES
from racecar.control.custom_controller import CONTROLLER
from racecar.control.laws import LAWS, SimulatorKind
from racecar.ros import topics
from racecar.ros.topics.sets import topic_set
from racecar.stacks import (
    differential_wheels,
    driver,
    driver_world,
    gap_following,
    plant,
    teleop,
)
from racecar.stacks.faults import kills_of
from racecar.stacks.flying_start import started_on_reference
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import StackOptions
from racecar.stacks.parts import (
    namespace_of,
    recorder,
    safety_topics,
    SHARED,
    surrounding_topics,
    teleop_nodes,
    teleop_topics,
    with_choices,
    with_wheelbase,
)
from racecar.stacks.safety import with_brakes
from racecar.stacks.several_cars import (
    check_cars,
    in_world_of_race,
    judged_in_world_of_cars,
    of_cars,
    overrides_of_cars,
)
from racecar.stacks.simulator_part import planar_part, SimulatorPart, world_part
from racecar.stacks.stack import Stack
from racecar.stacks.tracking import tracking_stack

_NAME = '[A-Za-z_][A-Za-z0-9_]*'
_NAMESPACE = re.compile(f'{_NAME}(?:/{_NAME})*')

# One and the same command on its way to the car.
_COMMANDS = (topics.NAVIGATION_COMMAND, topics.HIGH_LEVEL_OUTPUT, topics.COMMAND,
             topics.TWIST_COMMAND)

# With words for people.
_SIMULATORS: Mapping[SimulatorKind, tuple[str, SimulatorPart]] = {
    SimulatorKind.PLANE: ('single-track simulator', planar_part()),
    SimulatorKind.WORLD: ('the 3-D world', world_part()),
    SimulatorKind.WORLD_WITH_TYRES: (
        'the 3-D world with tyre forces', world_part('stacks/world_pacejka')),
}


def _law_stacks(*simulators: SimulatorKind) -> Iterator[Stack]:
    """Configurations of all laws with one of these simulators."""
    for law in LAWS.values():
        for name, simulator in law.stacks.items():
            if simulator in simulators:
                words, part = _SIMULATORS[simulator]
                yield tracking_stack(
                    name,
                    f'trajectory tracker, {law.name} linearizer, command muxes and {words}',
                    law.executable, *law.tracker_files, simulator=part)


STACKS: dict[str, Stack] = {
    stack.name: stack for stack in (
        *_law_stacks(SimulatorKind.PLANE), plant.STACK, driver.STACK,
        *_law_stacks(SimulatorKind.WORLD, SimulatorKind.WORLD_WITH_TYRES),
        driver_world.STACK, *gap_following.STACKS, *differential_wheels.STACKS, *teleop.STACKS)}
"""By name."""


def find_stack(name: str, expected: Iterable[str] = ()) -> Stack:
    """Configuration of a name.

    expected: names that the message for an unknown one lists, by default all. Raises
    ConfigurationError.
    """
    if name not in STACKS:
        known = list(expected) or list(STACKS)
        raise ConfigurationError(
            f"configuration '{name}' is unknown, expected one of {', '.join(known)}"
            f'{suggestion(name, known)}')
    return STACKS[name]


def find_tracking_stack(name: str) -> Stack:
    """Stack that follows a trajectory by itself. Raises ConfigurationError for others."""
    tracking = [other.name for other in STACKS.values() if other.closes_loop]
    stack = find_stack(name, tracking)
    if not stack.closes_loop:
        known = ', '.join(tracking)
        what = 'has no control law' if stack.follows_trajectory else 'follows no trajectory'
        others = '' if stack.driver is None else f', and `racecar simulate {name} --cars N`'
        raise ConfigurationError(
            f"configuration '{name}' {what}, expected one of {known}; `racecar up {name}` runs"
            f' it{others}')
    return stack


def check_namespace(namespace: str) -> None:
    """Raise ConfigurationError for a namespace that ROS 2 does not allow; empty for none."""
    name = namespace.strip('/')
    if name and not _NAMESPACE.fullmatch(name):
        raise ConfigurationError(
            f'namespace {excerpt(namespace)} is no name, expected letters, digits and _,'
            ' not beginning with a digit, in parts with / between them, for example car1')


def describe_stack(name: str, options: StackOptions) -> list[NodeDescription]:
    """Nodes of a configuration with the user's choices applied.

    The user's params_file goes over the files of config/, single options over both, and
    overrides over everything; what is for nodes that are left out is accepted. Raises
    ConfigurationError for an unknown name, a namespace that is none, an override of a node that is
    not there, or tyre_data without record, ParameterError for values that a node which is left out
    does not allow, BagError if record cannot be made.
    """
    stack = find_stack(name)
    options = in_world_of_race(stack, stack.with_names(options))
    check_namespace(options.namespace)
    every = [*stack.nodes(options), *teleop_nodes(options, stack.teleop)]
    check_cars(stack, options, every)
    left_out = _left_out(name, every, options)
    descriptions = _with_listeners(stack, options, every, left_out)
    known = [*descriptions, *left_out]
    if options.cars:
        descriptions, left_out = of_cars(stack, options, descriptions, left_out)
        options = replace(options, overrides=overrides_of_cars(options, known))
    if options.tyre_data and not options.record:
        raise ConfigurationError(
            'tyre_data is what to record, but nothing is recorded: name a folder with record')
    _check_overrides(name, options, [*descriptions, *left_out], known)
    _check_files(stack, options, [*descriptions, *left_out])
    for description in left_out:
        # Nobody else looks at them.
        with_choices(description, options).explicit_parameters()
    _check_set(options, descriptions)
    descriptions = with_wheelbase([with_choices(d, options) for d in descriptions])
    descriptions = judged_in_world_of_cars(options, descriptions)
    if options.safety:
        descriptions = with_brakes(name, descriptions)
    if options.flying_start:
        descriptions = started_on_reference(stack, descriptions)
    stack.check(descriptions)
    # Raises for faults that cannot be.
    kills_of(descriptions)
    return descriptions


def _check_overrides(
    stack: str, options: StackOptions, nodes: list[NodeDescription], known: list[NodeDescription],
) -> None:
    """Raise ConfigurationError for an override of what is not there.

    nodes: all of them; known: those of one car, which stand for those of each.
    """
    for node in options.overrides:
        if node in SHARED:
            for parameter in options.overrides[node]:
                # Raises the error that suggests a name.
                row = SHARED[node][f'{node}.{parameter}']
                if not any(row.name in d.spec.table for d in nodes):
                    raise ConfigurationError(
                        f'{options.overrides_option}: no node of {stack} has {row.name}')
        elif node != CONTROLLER:
            if node not in [d.full_name for d in nodes]:
                _find(stack, node, known, options.overrides_option)
        elif options.controller is None:
            raise ConfigurationError(
                f'{options.overrides_option}: {CONTROLLER}.{next(iter(options.overrides[node]))}'
                ' is a setting of a custom controller, but none is chosen: give'
                f' --{CONTROLLER} MODULE:CLASS')


def _check_set(options: StackOptions, descriptions: list[NodeDescription]) -> None:
    """Raise ConfigurationError for a parameter of the set of topic names that no node has."""
    known = {row.name for spec in NODES.values() for row in spec.table} | {
        row.name for d in descriptions for row in d.table}
    for name in topic_set(options.topic_names).parameters:
        if name not in known:
            raise ConfigurationError(
                f'parameter {excerpt(name)} of the set of topic names {options.topic_names} is'
                f' unknown to all nodes; {suggest(name, known)}')


def unanswered(descriptions: list[NodeDescription]) -> tuple[str, ...]:
    """Relative names of the topics of the loop that are left to nodes of the user's."""
    given = {topic for d in descriptions for topic in d.gives}
    return tuple(d.hears for d in descriptions if d.hears and d.hears not in given)


def commands_of(descriptions: list[NodeDescription]) -> str:
    """Relative name of the first topic of commands that one of these nodes gives.

    Of what another process publishes the beginning may not be heard.
    """
    given = {topic for d in descriptions for topic in d.gives}
    return next((topic for topic in _COMMANDS if topic in given), _COMMANDS[0])


def _left_out(
    stack: str, descriptions: list[NodeDescription], options: StackOptions,
) -> list[NodeDescription]:
    """Nodes that the user's choices leave out. Raises ConfigurationError."""
    left_out = [_find(stack, name, descriptions, 'without') for name in options.without]
    if options.controller is not None:
        for description in left_out:
            if description.spec.makes_controller:
                raise ConfigurationError(
                    f'without {description.full_name} there is nobody to run the controller'
                    f' {excerpt(options.controller)}: give one of the two')
        # Its place is taken.
        left_out += [d for d in descriptions if d.spec.law is not None]
    return left_out


def _with_listeners(
    stack: Stack, options: StackOptions, every: list[NodeDescription],
    left_out: list[NodeDescription],
) -> list[NodeDescription]:
    """Leave nodes out, add the recorder, and tell the simulator whom to wait for."""
    descriptions = [d for d in every if d not in left_out]
    listeners = options.observers
    waits: dict[str, object] = {}
    missing = unanswered(descriptions)
    if options.lockstep:
        listeners += sum(d.spec.hears_odometry for d in descriptions)
        if missing:
            # Who answers in the place of ours hears the odometry, too.
            listeners += 1
            waits = {'wait_for_publishers': list(missing)}
    if options.record:
        listeners += 1
        world, sensors = surrounding_topics(with_choices(next(
            d for d in every if d.executable == stack.simulator), options))
        sensors = tuple(topic for topic in sensors if topic not in stack.recorded)
        by_hand = tuple(dict.fromkeys(
            topic for topic in (*teleop_topics(options, stack.teleop), *safety_topics(options))
            if topic not in stack.recorded))
        # Latched, and so on its way when the recorder has joined: a short drive may end before.
        frames = (topics.TF_STATIC,) if topics.TF_STATIC in stack.recorded and any(
            d.executable == stack.simulator for d in descriptions) else ()
        awaited = (*stack.descriptions, *stack.answers, *sensors, *frames) \
            if options.lockstep else stack.descriptions
        given = {*missing, *sensors, *(topic for d in descriptions for topic in d.gives)}
        gone = {topic for d in every for topic in (d.hears, *d.gives)} - given
        descriptions = [
            recorder(options, options.record, (*world, *sensors, *by_hand, *stack.recorded),
                     tuple(topic for topic in awaited if topic not in gone)), *descriptions]
    return [
        replace(d, parameters={**d.parameters, 'wait_for_subscribers': listeners, **waits})
        if d.executable == stack.simulator else d for d in descriptions]


def _check_files(
        stack: Stack, options: StackOptions, descriptions: list[NodeDescription]) -> None:
    """Refuse what is in the user's files for a node that there is not, or that no node knows.

    The file of a vehicle may also be for nodes that this configuration does not have.
    """
    chosen = [with_choices(d, options) for d in descriptions]

    def check(path: Path | str, where: str, *executables: str) -> None:
        file = read_parameter_file(path)
        others = [NodeDescription(name, name, namespace_of(options)) for name in executables]
        file.check({
            **{d.full_name: d.table_of(file).names for d in others},
            **{d.full_name: d.table.names | d.table_of(file).names for d in chosen}}, where)

    check(stack.described_by(options), 'racecar', *NODES)
    if options.params_file:
        # There only while it records.
        check(options.params_file, stack.name, node_names.BAG_RECORDER)


def _find(
    stack: str, node: str, descriptions: list[NodeDescription], option: str,
) -> NodeDescription:
    """Node of a name, full or not. Raises ConfigurationError unless there is one."""
    matches = [d for d in descriptions if node in (d.name, d.full_name)]
    if not matches:
        names = sorted(d.full_name for d in descriptions)
        raise ConfigurationError(
            f"{option}: node '{node}' is not part of {stack}, expected one of {', '.join(names)}"
            f'{suggestion(node, names)}')
    if len(matches) > 1:
        names = [d.full_name for d in matches]
        raise ConfigurationError(
            f"{option}: node '{node}' stands for several, give {' or '.join(names)}")
    return matches[0]
