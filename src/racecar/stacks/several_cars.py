# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Configurations of several cars: one simulator, and for each car the nodes that drive it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from racecar.base.errors import ConfigurationError
from racecar.base.values import texts_of
from racecar.catalogue import node_names
from racecar.ros import topics
from racecar.scene.world_choice import car_names, FLEET_PARAMETERS
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import StackOptions, TELEOP_NONE
from racecar.stacks.parts import namespace_of, renamed
from racecar.stacks.stack import Stack

_CARS = FLEET_PARAMETERS[0].name

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
        return
    car_names({_CARS: list(options.cars)})
    if not all(_CARS in d.spec.table for d in nodes if d.spec.is_simulator):
        raise ConfigurationError(
            f'cars are {list(options.cars)}, but {stack.simulator} has one robot: take gap_ode,'
            ' gap_world or plant')
    if stack.closes_loop:
        raise ConfigurationError(
            f'cars are {list(options.cars)}, but those of {stack.name} would all follow one'
            ' reference at the same time: take gap_ode, gap_world, or plant with controllers of'
            ' your own')
    if (options.teleop or stack.teleop) != TELEOP_NONE:
        raise ConfigurationError(
            f'cars are {list(options.cars)}, but one person drives by teleop'
            f' {options.teleop or stack.teleop}: take plant, and a teleop node in the namespace of'
            ' one of the cars')


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
    for car in options.cars:
        there = replace(options, namespace=namespace_of_car(options, car))
        for node, of_car in zip(one, stack.nodes(there), strict=True):
            if not node.spec.is_simulator:
                (found.left_out if node in left_out else found.running).append(of_car)
    recorders = [_recorded(d, options) for d in running
                 if d.executable == node_names.BAG_RECORDER]
    simulators = [_simulated(d, options) for d in running if d.spec.is_simulator]
    return CarNodes(
        [*recorders, *found.running, *simulators],
        [*found.left_out, *(d for d in left_out if d.spec.is_simulator)])


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
            spread |= {f'{namespace_of_car(options, car)}/{full[node]}': values
                       for car in options.cars}
    own = {node: values for node, values in options.overrides.items() if node not in full}
    return {**spread, **own, **{
        node: {**spread[node], **own[node]} for node in spread.keys() & own.keys()}}


def _simulated(simulator: NodeDescription, options: StackOptions) -> NodeDescription:
    """Simulator of all cars, whose topics are renamed like those of one."""
    publishers = 'wait_for_publishers'
    awaited = texts_of(simulator.parameters, publishers) \
        if publishers in simulator.parameters else ()
    return replace(
        simulator, remappings=(*simulator.remappings, *(
            (f'{car}/{topic}', f'{car}/{name}') for car in options.cars
            for topic, name in simulator.remappings)),
        parameters={
            **simulator.parameters, _CARS: list(options.cars),
            **({publishers: list(_below(options, awaited))} if awaited else {})})


def _recorded(recorder: NodeDescription, options: StackOptions) -> NodeDescription:
    shared = [renamed(options, topic) for topic in _SHARED]

    def of_all(name: str) -> list[str]:
        topics_of_one = texts_of(recorder.parameters, name)
        return [*(topic for topic in topics_of_one if topic in shared),
                *_below(options, [topic for topic in topics_of_one if topic not in shared])]

    return replace(recorder, parameters={
        **recorder.parameters, 'topics': of_all('topics'), 'awaited': of_all('awaited')})


def _below(options: StackOptions, names: Sequence[str]) -> Iterator[str]:
    return (f'{car}/{name}' for car in options.cars for name in names)
