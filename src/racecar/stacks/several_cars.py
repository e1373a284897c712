# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Configurations of several cars: one simulator, and for each car the nodes that drive it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
import os
from typing import NamedTuple

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.fields import Fields
from racecar.base.share import find_race, find_vehicle, find_world
from racecar.base.values import texts_of
from racecar.base.yaml_file import load_yaml
from racecar.catalogue import node_names
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.race.rules import read_rules
from racecar.ros import topics
from racecar.ros.topics.sets import FRAME_PREFIX, topic_set
from racecar.scene.world_choice import (
    check_car_names,
    FLEET_FILE,
    FLEET_PARAMETERS,
    WORLD_PARAMETER,
)
from racecar.simulation.fleet_file import FleetCar, OUTSIDE
from racecar.simulation.obstacles import GIVE_PARAMETER
from racecar.stacks import parts
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import StackOptions, TELEOP_NONE
from racecar.stacks.parts import namespace_of, renamed, vehicle_file
from racecar.stacks.stack import Stack

_CARS = FLEET_PARAMETERS[0].name

# What several cars can drive, and, by their simulators, several robots of other kinds.
_WITHOUT_REFERENCE = 'gap_ode, gap_world, or plant with controllers of your own'
_OF_ROBOTS = {
    node_names.DIFFERENTIAL_WHEELS_SIMULATOR: 'differential_plant with controllers of your own'}

# Of all cars, whatever their names.
_SHARED = (topics.TF, topics.TF_STATIC, topics.CLOCK)


class CarNodes(NamedTuple):
    """Nodes of all cars that run, and those that were left out."""

    running: list[NodeDescription]
    left_out: list[NodeDescription]


def check_cars(stack: Stack, options: StackOptions, nodes: Sequence[NodeDescription]) -> None:
    """Raise ConfigurationError for several cars where there can be but one.

    nodes: of the configuration with one car. Raises ParameterError for names that cannot be.
    """
    if not options.cars:
        if options.race is not None:
            raise ConfigurationError(
                f'race is {excerpt(options.race)}, but there is one car: name several by cars')
        return
    check_car_names([car.name for car in options.fleet])
    if options.race is not None and not any(
            d.executable == node_names.ACKERMANN_MUX for d in nodes):
        raise ConfigurationError(
            f'race is {excerpt(options.race)}, but {stack.name} has no command muxes, by which'
            f' race_control holds cars: take {_WITHOUT_REFERENCE}')
    if stack.closes_loop:
        raise ConfigurationError(
            f'cars are {list(options.cars)}, but those of {stack.name} would all follow one'
            ' reference at the same time: take'
            f' {_OF_ROBOTS.get(stack.simulator, _WITHOUT_REFERENCE)}')
    if (options.teleop or stack.teleop) != TELEOP_NONE:
        raise ConfigurationError(
            f'cars are {list(options.cars)}, but one person drives by teleop'
            f' {options.teleop or stack.teleop}: take plant, and a teleop node in the namespace of'
            ' one of the cars')
    if options.race is not None:
        _check_borders(stack, options.race, nodes)
    drivers = _drivers(nodes)
    for car in options.fleet:
        if car.stack not in ('', OUTSIDE, *drivers):
            raise ConfigurationError(
                f"fleet file '{options.fleet_file}': car {car.name}: stack is"
                f' {excerpt(car.stack)}, expected {" or ".join((*drivers, OUTSIDE))}, as'
                f' {stack.name} has it')


def _check_borders(stack: Stack, race: str, nodes: Sequence[NodeDescription]) -> None:
    """Raise ConfigurationError for a race whose borders give way where they cannot."""
    depth = read_rules(_fields_of_race(race)).touch_depth
    if depth and not all(
            GIVE_PARAMETER.name in d.spec.table for d in nodes if d.spec.is_simulator):
        raise ConfigurationError(
            f'race is {excerpt(race)}, by whose rule touch_depth a car touches a border up to'
            f' {depth:g} m deep before it crashes, but in the 3-D world of {stack.name} borders do'
            ' not give way: take gap_ode or plant, or a race file with rules: {touch_depth: 0},'
            ' by which each touch is a crash')


def _drivers(nodes: Sequence[NodeDescription]) -> tuple[str, ...]:
    """Nodes of one car that drive it without a person, by their executables."""
    return tuple(d.executable for d in nodes if _drives(d))


def _drives(node: NodeDescription) -> bool:
    return topics.NAVIGATION_COMMAND in node.gives and not node.spec.is_simulator


def namespace_of_car(options: StackOptions, car: str) -> str:
    """Namespace of one of several cars without slashes around it."""
    return '/'.join(part for part in (namespace_of(options), car) if part)


def of_cars(
    stack: Stack, options: StackOptions, running: Sequence[NodeDescription],
    left_out: Sequence[NodeDescription],
) -> CarNodes:
    """Nodes of all cars in the place of those of one; the recorder and the simulator stay one."""
    found = CarNodes([], [])
    one = stack.nodes(options)
    for car in options.fleet:
        there = replace(options, namespace=namespace_of_car(options, car.name), car=car.name,
                        vehicle=car.vehicle or options.vehicle)
        for node, of_car in zip(one, stack.nodes(there), strict=True):
            if not node.spec.is_simulator:
                (found.left_out if node in left_out or (car.is_outside and _drives(node))
                 else found.running).append(_told(of_car, car, there))
    recorders = [_recorded(d, options) for d in running
                 if d.executable == node_names.BAG_RECORDER]
    simulators = [_simulated(d, options, running) for d in running if d.spec.is_simulator]
    return CarNodes(
        [*recorders, *found.running, *_race_control(options), *simulators],
        [*found.left_out, *(d for d in left_out if d.spec.is_simulator)])


def in_world_of_race(stack: Stack, options: StackOptions) -> StackOptions:
    """Options with the world of the race that is chosen, unless another is.

    Another one is that of the option `world`, or a parameter of the simulator that the user's file
    or an override sets. Raises ConfigurationError for a race file that cannot be read.
    """
    if options.race is None or options.world is not None:
        return options
    if any(parts.with_choices(d, options).is_chosen(WORLD_PARAMETER.name)
           for d in stack.nodes(options) if d.spec.is_simulator):
        return options
    return replace(options, world=_fields_of_race(options.race).text('world', 'racetrack'))


def judged_in_world_of_cars(
    options: StackOptions, descriptions: list[NodeDescription],
) -> list[NodeDescription]:
    """Nodes of which race_control judges in the world in which the simulator has the cars.

    Without a simulator it is that of the options. A simulator whose parameters cannot be used is
    left to the error of its own check. Raises ConfigurationError where the user has chosen another
    world for race_control than for the simulator.
    """
    referee = next((d for d in descriptions if d.executable == node_names.RACE_CONTROL), None)
    if referee is None:
        return descriptions
    name = WORLD_PARAMETER.name
    simulator = next((d for d in descriptions if d.spec.is_simulator), None)
    values = {name: options.world} if simulator is None else simulator.usable_values()
    if values is None:
        return descriptions
    world = values[name]
    if not referee.is_chosen(name):
        told = replace(referee, parameters={**referee.parameters, **parts.given(world=world)})
        return [told if d is referee else d for d in descriptions]
    chosen = referee.resolve()[name]
    if simulator is not None and world is not None and find_world(chosen) != find_world(world):
        raise ConfigurationError(
            f'{name} of {referee.full_name} is {excerpt(chosen)}, but {simulator.full_name} has'
            f' the cars in {excerpt(world)}: a race is judged where it is driven; choose the'
            f' {name} of both by --{name}')
    return descriptions


def _fields_of_race(race: str) -> Fields:
    file = find_race(race)
    return Fields.of(f"race file '{file}'", load_yaml('race file', file))


def _race_control(options: StackOptions) -> list[NodeDescription]:
    if options.race is None:
        return []
    return [_of_all(parts.node(
        node_names.RACE_CONTROL, options, vehicle_file(options.vehicle), parameters={
            'race_file': str(find_race(options.race).resolve()), 'auto_start': True,
            'lockstep': options.lockstep, **_names_of(options)}), options)]


def _of_all(node: NodeDescription, options: StackOptions) -> NodeDescription:
    """Node whose topics of each car are renamed like those of one."""
    names = topic_set(options.topic_names)
    found = dict(node.remappings)
    for car in options.fleet:
        of_car = {topic: f'{car.name}/{name}' for topic, name in node.remappings
                  if car.name not in names.cars or topic not in names.topics}
        found |= {f'{car.name}/{topic}': name
                  for topic, name in {**of_car, **names.cars.get(car.name, {})}.items()}
    return replace(node, remappings=tuple(found.items()))


def _names_of(options: StackOptions) -> dict[str, object]:
    """Parameters of nodes that know all cars."""
    file = options.fleet_file
    return {_CARS: [car.name for car in options.fleet],
            **({FLEET_FILE.name: os.path.abspath(file)} if file else {})}


def _told(node: NodeDescription, car: FleetCar, options: StackOptions) -> NodeDescription:
    """Node of a car, which knows its frames, and a mux the wheelbase of a vehicle of its own.

    options: those of the car.
    """
    if FRAME_PREFIX in node.table:
        of_all = parts.names_of(options).parameters.get(FRAME_PREFIX, '')
        node = replace(node, parameters={
            FRAME_PREFIX: f'{of_all}{car.name}/', **node.parameters})
    if node.executable != node_names.ACKERMANN_MUX or not car.vehicle:
        return node
    wheelbase = VehicleParameters.from_file(find_vehicle(car.vehicle)).wheelbase
    return replace(node, parameters={'wheelbase': wheelbase, **node.parameters})


def overrides_of_cars(
    options: StackOptions, nodes: Sequence[NodeDescription],
) -> Mapping[str, Mapping[str, object]]:
    """Overrides by the names of the nodes of all cars; nodes: of one car, in no namespace of it.

    What is for a node by its full name is for that of each car, below what is for one of them.
    """
    below = namespace_of(options)
    full = {d.full_name: d.full_name.removeprefix(f'{below}/') for d in nodes
            if d.full_name != d.name and not d.spec.is_simulator}
    spread: dict[str, Mapping[str, object]] = {}
    for node, values in options.overrides.items():
        if node in full:
            spread |= {f'{namespace_of_car(options, car.name)}/{full[node]}': values
                       for car in options.fleet}
    of_file = {f'{namespace_of_car(options, car.name)}/{node}': values
               for car in options.fleet for node, values in car.settings.items()}
    own = {node: values for node, values in options.overrides.items() if node not in full}
    found: dict[str, Mapping[str, object]] = {}
    for layer in (spread, of_file, own):
        for node, values in layer.items():
            found[node] = {**found.get(node, {}), **values}
    return found


def _simulated(
    simulator: NodeDescription, options: StackOptions, running: Sequence[NodeDescription],
) -> NodeDescription:
    """Simulator of all cars, whose topics are renamed like those of one."""
    publishers = 'wait_for_publishers'
    of_each = texts_of(simulator.parameters, publishers) \
        if publishers in simulator.parameters else ()
    awaited = [*_below(options.fleet, of_each)]
    if options.lockstep and _drivers(running):
        awaited += _below([car for car in options.fleet if car.is_outside],
                          [topics.NAVIGATION_COMMAND])
    refereed = options.lockstep and options.race is not None
    if refereed:
        awaited.append(topics.RACE_ORDERS)
    gives = GIVE_PARAMETER.name in simulator.spec.table
    return replace(_of_all(simulator, options), parameters={
        **simulator.parameters, **_names_of(options), **(_giving(options) if gives else {}),
        **({publishers: awaited} if awaited else {}),
        **({'lockstep_race': True} if refereed else {})})


def _giving(options: StackOptions) -> dict[str, object]:
    """How far cars may press into borders by the rules of a race."""
    if options.race is None:
        return {}
    rules = read_rules(_fields_of_race(options.race))
    return {GIVE_PARAMETER.name: rules.touch_depth}


def _recorded(recorder: NodeDescription, options: StackOptions) -> NodeDescription:
    shared = [renamed(options, topic) for topic in _SHARED]
    names = topic_set(options.topic_names)
    # What the topics of one car are called here.
    here = {name: topic for topic, name in names.topics.items()}

    def of_car(car: FleetCar, topic: str) -> str:
        return names.cars.get(car.name, {}).get(here.get(topic, topic), f'{car.name}/{topic}')

    def of_all(name: str) -> list[str]:
        topics_of_one = texts_of(recorder.parameters, name)
        return [*(topic for topic in topics_of_one if topic in shared),
                *(of_car(car, topic) for car in options.fleet for topic in topics_of_one
                  if topic not in shared)]

    race = [] if options.race is None else [
        renamed(options, topic) for topic in (topics.RACE_STATE, topics.RACE_EVENTS)]
    return replace(recorder, parameters={
        **recorder.parameters, 'topics': [*race, *of_all('topics')], 'awaited': of_all('awaited')})


def _below(cars: Sequence[FleetCar], names: Sequence[str]) -> Iterator[str]:
    return (f'{car.name}/{name}' for car in cars for name in names)
