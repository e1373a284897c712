# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of other nodes: asked for by services, and kept as /parameter_events changes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
import types
from typing import NamedTuple

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    Parameter,
    ParameterDescriptor,
    ParameterEvent,
    ParameterValue,
)
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters
from rclpy.node import Node
from rclpy.parameter import parameter_value_to_python
from rclpy.qos import qos_profile_parameter_events

from racecar.base.errors import ParameterError, RunError
from racecar.clients.graph.service_calls import ServiceCalls


class ParameterServices:
    """The services that each node has for its parameters.

    node is always a full name. All raise RunError if the node does not respond.
    """

    def __init__(self, calls: ServiceCalls) -> None:
        self._calls = calls

    async def names(self, node: str) -> list[str]:
        """Names of the parameters of a node."""
        response = await self._calls.call(
            ListParameters, f'{node}/list_parameters', ListParameters.Request())
        return list(response.result.names)

    async def describe(self, node: str, names: Sequence[str]) -> list[ParameterDescriptor]:
        """What a node says of its parameters."""
        response = await self._calls.call(
            DescribeParameters, f'{node}/describe_parameters',
            DescribeParameters.Request(names=names))
        return list(response.descriptors)

    async def get(self, node: str, names: Sequence[str]) -> list[ParameterValue]:
        """Values of parameters."""
        response = await self._calls.call(
            GetParameters, f'{node}/get_parameters', GetParameters.Request(names=names))
        return list(response.values)

    async def set(self, node: str, name: str, value: ParameterValue) -> None:
        """Set a parameter. Raises ParameterError with the reason if the node refuses the value."""
        response = await self._calls.call(
            SetParameters, f'{node}/set_parameters',
            SetParameters.Request(parameters=[Parameter(name=name, value=value)]), keep=True)
        if len(response.results) != 1:
            raise RunError(
                f'the node has answered with {len(response.results)} results, expected one')
        result, = response.results
        if not result.successful:
            raise ParameterError(result.reason or 'the node refuses it')


class KnownParameters(NamedTuple):
    """What is known of the parameters of a node, by name."""

    descriptors: Mapping[str, ParameterDescriptor] = types.MappingProxyType({})
    values: Mapping[str, ParameterValue] = types.MappingProxyType({})

    def python(self, name: str) -> object:
        """Value of a parameter as Python has it; None for one that is not known or not set."""
        value = self.values.get(name)
        return None if value is None else parameter_value_to_python(value)


UNKNOWN = KnownParameters()
"""Of a node of which nothing is known."""

OnChange = Callable[[str, Sequence[Parameter]], object]


class ParameterCache:
    """The parameters of the nodes that are there: asked for once, then followed.

    nodes may be read by any thread: what is known is replaced as a whole, never changed. The rest
    is for the thread of the executor.
    """

    def __init__(
        self, node: Node, services: ParameterServices,
        on_change: OnChange = lambda node, changed: None,
        local_nodes: Mapping[str, Node] = types.MappingProxyType({}),
    ) -> None:
        """on_change: called with a known node and its parameters that have new values.

        local_nodes: nodes of this process by full name, which are looked at instead of asked: a
        client of each service would hold up a simulation at full speed for a millisecond.
        """
        self._services = services
        self._on_change = on_change
        self._local_nodes = local_nodes
        self.present: frozenset[str] = frozenset()
        self.nodes: Mapping[str, KnownParameters] = {}
        node.create_subscription(
            ParameterEvent, '/parameter_events', self._on_event, qos_profile_parameter_events)

    def look(self, present: Iterable[str]) -> None:
        """Take note of the full names of the nodes that have parameters now; forget the others."""
        self.present = frozenset(present)
        self.nodes = {node: known for node, known in self.nodes.items() if node in self.present}

    def of(self, node: str) -> KnownParameters:
        """What is known of a node."""
        return self.nodes.get(node, UNKNOWN)

    async def read(self, node: str) -> None:
        """Learn the parameters of a present node. Raises RunError if it does not answer."""
        local = self._local_nodes.get(node)
        known = await self._ask(node) if local is None else _parameters_of(local)
        if node in self.present:
            self.nodes = {**self.nodes, node: known}

    def note(self, node: str, changed: Iterable[Parameter], deleted: Iterable[str] = ()) -> None:
        """Take over new values of a node, if it is known."""
        known = self.nodes.get(node)
        if known is not None:
            values = {**known.values, **{row.name: row.value for row in changed}}
            for name in deleted:
                values.pop(name, None)
            self.nodes = {**self.nodes, node: known._replace(values=values)}

    async def _ask(self, node: str) -> KnownParameters:
        names = await self._services.names(node)
        descriptors = await self._services.describe(node, names)
        values = await self._services.get(node, names)
        return KnownParameters({row.name: row for row in descriptors},
                               dict(zip(names, values, strict=False)))

    def _on_event(self, event: ParameterEvent) -> None:
        changed = [*event.new_parameters, *event.changed_parameters]
        self.note(event.node, changed, [row.name for row in event.deleted_parameters])
        if event.node in self.nodes and changed:
            self._on_change(event.node, changed)


def ranges_of(descriptor: ParameterDescriptor) -> list[FloatingPointRange | IntegerRange]:
    """The range of a parameter that is a number; empty for one without."""
    return [*descriptor.floating_point_range, *descriptor.integer_range]


def _parameters_of(node: Node) -> KnownParameters:
    names = [*node.get_parameters_by_prefix('')]
    return KnownParameters(
        {name: node.describe_parameter(name) for name in names},
        {name: node.get_parameter_or(name).get_parameter_value() for name in names})
