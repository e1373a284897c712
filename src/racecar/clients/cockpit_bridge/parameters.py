# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the nodes of a stack for pages: as they are and as they become."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
import math

from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterDescriptor, ParameterType
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from rclpy.parameter import parameter_value_to_python

from racecar.base.errors import excerpt, ParameterError, RunError
from racecar.clients.graph.answer import start
from racecar.clients.graph.parameters import (
    KnownParameters,
    ParameterCache,
    ParameterServices,
    ranges_of,
)
from racecar.clients.graph.service_calls import ServiceCalls
from racecar.clients.graph.settable_parameters import (
    check_settable,
    choices,
    is_showable,
    unit_of,
)
from racecar.cockpit.frames import json_frame
from racecar.cockpit.pages import Pages
from racecar.cockpit.parameter_rows import condition_of, ParameterRow

_TYPES = {
    ParameterType.PARAMETER_BOOL: 'bool', ParameterType.PARAMETER_INTEGER: 'int',
    ParameterType.PARAMETER_DOUBLE: 'float', ParameterType.PARAMETER_STRING: 'string'}
_LONGEST_TEXT = 1000


class PageParameters:
    """Shows pages the parameters of the nodes, and sets those that they may set."""

    def __init__(
        self, node: Node, calls: ServiceCalls, pages: Pages, on_node: Callable[[str], object],
        local_nodes: Mapping[str, Node],
    ) -> None:
        """on_node: called with a node whose parameters are known now.

        local_nodes: as ParameterCache takes them.
        """
        self._pages = pages
        self._on_node = on_node
        self._services = ParameterServices(calls)
        self._cache = ParameterCache(node, self._services, self._on_change, local_nodes)
        self._asked: set[str] = set()
        # What each node had when it was first seen.
        self._first: dict[str, dict[str, object]] = {}
        self._is_stale = False

    def look(self, nodes: Iterable[str]) -> None:
        """Ask the nodes that are new, and forget those that have gone; full names."""
        self._cache.look(nodes)
        gone = self._asked - self._cache.present
        self._asked -= gone
        if gone:
            for name in gone:
                self._first.pop(name, None)
            self._publish()
        for name in sorted(self._cache.present - self._asked):
            self._asked.add(name)
            start(self._ask(name))

    async def _ask(self, node: str) -> None:
        try:
            await self._cache.read(node)
        except RunError:
            # Asked again when looked at again.
            self._asked.discard(node)
            return
        self._first.setdefault(node, self.values(node))
        self._publish()
        self._on_node(node)

    def freshen(self) -> None:
        """Send what was changed, for pages that come later; to be called now and then."""
        if self._is_stale:
            self._is_stale = False
            self._publish(again=True)

    def values(self, node: str) -> dict[str, object]:
        """What is known of a node, by name; empty if nothing is."""
        known = self._cache.of(node)
        return {name: known.python(name) for name in known.values}

    def value(self, node: str, name: str) -> object:
        """Value of a parameter; None if it is not known."""
        return self._cache.of(node).python(name)

    async def set(self, node: str, name: str, value: object) -> None:
        """Set a parameter that pages may set.

        Raises ParameterError for others, wrong types and values that the node refuses, RunError if
        it does not answer.
        """
        known = self._cache.nodes.get(node)
        if known is None:
            raise ParameterError(
                f"node {excerpt(node)} is not there, expected one of"
                f" {', '.join(sorted(self._cache.nodes))}")
        descriptor = known.descriptors.get(name)
        if descriptor is None:
            raise ParameterError(f'{node} has no parameter {excerpt(name)}')
        check_settable(descriptor, known.python(name), value)
        await self._services.set(node, name, RosParameter(
            name, value=_converted(descriptor, value)).get_parameter_value())

    def _publish(self, *, again: bool = False) -> None:
        """Send all; again: nothing but values that were sent to pages one by one is new."""
        self._pages.send(json_frame('parameters', again=again, nodes=[
            {'node': node, 'parameters': [
                row for name in known.descriptors
                if (row := _row(known, name, self._first.get(node, {}))) is not None]}
            for node, known in sorted(self._cache.nodes.items())]), 'parameters')

    def _on_change(self, node: str, changed: Sequence[ParameterMessage]) -> None:
        for parameter in changed:
            if parameter.value.type in _TYPES:
                self._pages.send(json_frame(
                    'parameter', node=node, name=parameter.name,
                    value=_for_json(parameter_value_to_python(parameter.value))),
                    f'parameter {node} {parameter.name}')
        self._is_stale = True


def _row(
    known: KnownParameters, name: str, first: Mapping[str, object],
) -> ParameterRow | None:
    """A parameter as pages show it; None for one that they may not know. first: values by name."""
    descriptor, value = known.descriptors[name], known.python(name)
    if descriptor.type not in _TYPES or not is_showable(descriptor, value):
        return None
    limits = ranges_of(descriptor)
    # Of other people's nodes, a limit may be infinite.
    low, high = map(_for_json, (limits[0].from_value, limits[0].to_value)
                    if limits else (None, None))
    return {
        'name': name, 'type': _TYPES[descriptor.type], 'value': _for_json(value),
        'default': _for_json(first.get(name, value)), 'unit': unit_of(descriptor),
        'minimum': low, 'maximum': high, 'choices': choices(descriptor, value),
        'description': descriptor.description, 'range': descriptor.additional_constraints,
        'read_only': bool(descriptor.read_only),
        'only_with': condition_of(name, known.descriptors)}


def _for_json(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value[:_LONGEST_TEXT] if isinstance(value, str) else value


def _converted(descriptor: ParameterDescriptor, value: object) -> object:
    """A value of JSON in the type of a parameter. Raises ParameterError."""
    kind = _TYPES.get(descriptor.type)
    if (kind == 'bool' and isinstance(value, bool)) or (
            kind == 'string' and isinstance(value, str)):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        if kind == 'float' and abs(value) < math.inf:
            return float(value)
        if kind == 'int' and float(value).is_integer():
            return int(value)
    raise ParameterError(
        f'parameter {descriptor.name!r} is {excerpt(value)}, expected a value of type'
        f" {kind or 'other than a list'}"
        f' {descriptor.additional_constraints}'.rstrip())
