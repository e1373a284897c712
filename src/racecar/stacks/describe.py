# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The nodes of a stack with the user's choices applied, and whether these fit together."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
import re

from racecar.catalogue import node_names, NODES
from racecar.core.control.own_controller import CONTROLLER
from racecar.core.errors import ConfigurationError, excerpt
from racecar.core.parameter_file import read_parameter_file
from racecar.ros.topics import TOPIC_NAMES
from racecar.stacks import driver, dynamic_ode, kinematic_ode
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import StackOptions
from racecar.stacks.parts import (
    absolute,
    namespace_of,
    recorder,
    vehicle_file,
    with_choices,
)
from racecar.stacks.stack import Stack

_NAME = '[A-Za-z_][A-Za-z0-9_]*'
_NAMESPACE = re.compile(f'{_NAME}(?:/{_NAME})*')

STACKS: dict[str, Stack] = {
    stack.name: stack for stack in (kinematic_ode.STACK, dynamic_ode.STACK, driver.STACK)}
"""By name; the file of each one is named like it."""


def find_stack(name: str) -> Stack:
    """Return a stack. Raises ConfigurationError naming those there are."""
    if name not in STACKS:
        raise ConfigurationError(
            f"configuration '{name}' is unknown, expected one of {', '.join(STACKS)}")
    return STACKS[name]


def find_tracking_stack(name: str) -> Stack:
    """Return a stack that follows a trajectory. Raises ConfigurationError for others."""
    stack = find_stack(name)
    if not stack.follows_trajectory:
        known = ', '.join(other.name for other in STACKS.values() if other.follows_trajectory)
        raise ConfigurationError(
            f"configuration '{name}' follows no trajectory, expected one of {known};"
            f' `racecar up {name}` runs it')
    return stack


def describe_stack(name: str, options: StackOptions) -> list[NodeDescription]:
    """Return the nodes of a configuration with the user's choices applied.

    The user's params_file goes over the files of config/, single options over both, and
    overrides over everything. Raises ConfigurationError for an unknown name, a namespace that is
    none, an override of a node that is not there, or tyre_data without record, BagError if record
    cannot be made.
    """
    stack = find_stack(name)
    namespace = namespace_of(options)
    if namespace and not _NAMESPACE.fullmatch(namespace):
        raise ConfigurationError(
            f'namespace {excerpt(options.namespace)} is no name, expected letters, digits and _,'
            ' not beginning with a digit, in parts with / between them, for example car1')
    if options.topic_names not in TOPIC_NAMES:
        raise ConfigurationError(
            f"topic_names '{options.topic_names}' is unknown, expected one of"
            f" {', '.join(TOPIC_NAMES)}")
    descriptions = _with_listeners(stack, options, stack.nodes(options))
    if options.tyre_data and not options.record:
        raise ConfigurationError(
            'tyre_data is what to record, but nothing is recorded: name a folder with record')
    for node in options.overrides:
        if node != CONTROLLER:
            _check_override(name, node, descriptions, options.overrides_option)
        elif options.controller is None:
            raise ConfigurationError(
                f'{options.overrides_option}: {CONTROLLER}.{next(iter(options.overrides[node]))}'
                " is a setting of a controller of one's own, but none is chosen: give"
                f' --{CONTROLLER} MODULE:CLASS')
    _check_files(name, options, descriptions)
    descriptions = [with_choices(d, options) for d in descriptions]
    stack.check(descriptions)
    return descriptions


def _with_listeners(
    stack: Stack, options: StackOptions, descriptions: list[NodeDescription],
) -> list[NodeDescription]:
    """Add the recorder, and tell the simulator how many subscriptions to wait for."""
    listeners = options.observers
    if options.lockstep:
        listeners += sum(d.spec.hears_odometry for d in descriptions)
    if options.record:
        listeners += 1
        awaited = (*stack.descriptions, *stack.answers) if options.lockstep else stack.descriptions
        descriptions = [
            recorder(options, options.record, stack.recorded, awaited), *descriptions]
    return [
        replace(d, parameters={**d.parameters, 'wait_for_subscribers': listeners})
        if d.executable == stack.simulator else d for d in descriptions]


def _check_files(
        stack: str, options: StackOptions, descriptions: list[NodeDescription]) -> None:
    """Refuse what is in the user's files for a node that there is not, or that no node knows.

    The file of a vehicle may also be for nodes that this configuration does not have.
    """
    def tables(*executables: str) -> dict[str, Collection[str]]:
        return {absolute(namespace_of(options), name)[1:]: NODES[name].table.names
                for name in executables}

    nodes = {d.full_name: d.spec.table.names for d in descriptions}
    read_parameter_file(vehicle_file(options.vehicle)).check(
        {**tables(*NODES), **nodes}, 'racecar')
    if options.params_file:
        # There only while it records.
        read_parameter_file(options.params_file).check(
            {**tables(node_names.BAG_RECORDER), **nodes}, stack)


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
