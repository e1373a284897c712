# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the nodes of a stack, as they are and as they become."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
import math
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    ParameterEvent,
    ParameterType,
    ParameterValue,
)
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from rclpy.parameter import parameter_value_to_python
from rclpy.qos import qos_profile_parameter_events

from racecar.base.errors import excerpt, ParameterError
from racecar.clients.settable_parameters import check_settable, choices, is_settable
from racecar.clients.tap.services import Services
from racecar.cockpit.frames import json_frame

_TYPES = {
    ParameterType.PARAMETER_BOOL: 'bool', ParameterType.PARAMETER_INTEGER: 'int',
    ParameterType.PARAMETER_DOUBLE: 'float', ParameterType.PARAMETER_STRING: 'string'}
_LONGEST_TEXT = 1000


class ParameterWatch:
    """Asks each node once, then follows what is changed by anybody."""

    def __init__(
        self, node: Node, services: Services, send: Callable[[bytes, str], object],
        on_node: Callable[[str], object], neighbours: Mapping[str, Node],
    ) -> None:
        """send: a frame with its key; on_node: called with a node that is known now.

        neighbours: nodes of this process by full name, which are looked at instead of asked: a
        client of each service would hold up a simulation at full speed for a millisecond.
        """
        self._node = node
        self._services = services
        self._send = send
        self._on_node = on_node
        self._neighbours = neighbours
        self._asked: set[str] = set()
        self._is_stale = False
        self._values: dict[str, dict[str, Any]] = {}
        self._descriptors: dict[str, dict[str, ParameterDescriptor]] = {}
        node.create_subscription(
            ParameterEvent, '/parameter_events', self._on_event, qos_profile_parameter_events)

    def look(self, nodes: Iterable[str]) -> None:
        """Ask the nodes that are new, and forget those that have gone; full names."""
        present = {*nodes}
        gone = self._asked - present
        for name in gone:
            self._asked.discard(name)
            self._values.pop(name, None)
            self._descriptors.pop(name, None)
        if gone:
            self._publish()
        for name in sorted(present - self._asked):
            self._asked.add(name)
            neighbour = self._neighbours.get(name)
            if neighbour is None:
                self._ask(name)
            else:
                self._look_at(name, neighbour)

    def freshen(self) -> None:
        """Send what was changed, for pages that come later; to be called now and then."""
        if self._is_stale:
            self._is_stale = False
            self._publish(again=True)

    def values(self, node: str) -> dict[str, Any]:
        """Return what is known of a node, by name; empty if nothing is."""
        return self._values.get(node, {})

    def _ask(self, node: str) -> None:
        names: list[str] = []

        def on_list(response: ListParameters.Response) -> None:
            names.extend(response.result.names)
            self._services.forget(f'{node}/list_parameters')
            self._services.call(
                DescribeParameters, f'{node}/describe_parameters',
                DescribeParameters.Request(names=names), on_descriptors, on_failure)

        def on_descriptors(response: DescribeParameters.Response) -> None:
            self._descriptors[node] = {row.name: row for row in response.descriptors}
            self._services.forget(f'{node}/describe_parameters')
            self._services.call(
                GetParameters, f'{node}/get_parameters', GetParameters.Request(names=names),
                on_values, on_failure)

        def on_values(response: GetParameters.Response) -> None:
            self._services.forget(f'{node}/get_parameters')
            self._know(node, {
                name: parameter_value_to_python(value)
                for name, value in zip(names, response.values, strict=False)})

        def on_failure(_: str) -> None:
            # Asked again when looked at again.
            self._asked.discard(node)

        self._services.call(
            ListParameters, f'{node}/list_parameters', ListParameters.Request(), on_list,
            on_failure)

    def _look_at(self, name: str, node: Node) -> None:
        names = [*node.get_parameters_by_prefix('')]
        self._descriptors[name] = {key: node.describe_parameter(key) for key in names}
        self._know(name, {key: node.get_parameter_or(key).value for key in names})

    def _know(self, node: str, values: dict[str, Any]) -> None:
        self._values[node] = values
        self._publish()
        self._on_node(node)

    def set(self, node: str, name: str, value: Any, on_failure: Callable[[str], object]) -> None:
        """Set a parameter that pages may set. Raises ParameterError for others and wrong types."""
        if node not in self._values:
            raise ParameterError(
                f"node {excerpt(node)} is not there, expected one of"
                f" {', '.join(sorted(self._values))}")
        descriptor = self._descriptors[node].get(name)
        if descriptor is None:
            raise ParameterError(f'{node} has no parameter {excerpt(name)}')
        check_settable(descriptor, self._values[node].get(name), value)
        converted = _converted(descriptor, value)

        def on_response(response: SetParameters.Response) -> None:
            failed = [result.reason for result in response.results if not result.successful]
            if failed:
                on_failure(failed[0])

        self._services.call(
            SetParameters, f'{node}/set_parameters', SetParameters.Request(parameters=[
                RosParameter(name, value=converted).to_parameter_msg()]), on_response, on_failure)

    def _is_shown(self, node: str, descriptor: ParameterDescriptor) -> bool:
        return descriptor.type in _TYPES and is_settable(
            descriptor, self._values[node].get(descriptor.name))

    def _publish(self, *, again: bool = False) -> None:
        """Send all; again: nothing but values that pages have been told one by one is new."""
        self._send(json_frame('parameters', again=again, nodes=[
            {'node': node, 'parameters': [
                self._row(node, row) for row in self._descriptors[node].values()
                if self._is_shown(node, row)]}
            for node in sorted(self._values)]), 'parameters')

    def _row(self, node: str, descriptor: ParameterDescriptor) -> dict[str, Any]:
        value = self._values[node][descriptor.name]
        limits: list[FloatingPointRange | IntegerRange] = [
            *descriptor.floating_point_range, *descriptor.integer_range]
        # Of other people's nodes, a limit may be infinite.
        low, high = map(_for_json, (limits[0].from_value, limits[0].to_value)
                        if limits else (None, None))
        return {
            'name': descriptor.name, 'type': _TYPES[descriptor.type], 'value': _for_json(value),
            'minimum': low, 'maximum': high, 'choices': choices(descriptor, value),
            'description': descriptor.description,
            'range': descriptor.additional_constraints, 'read_only': False}

    def _on_event(self, event: ParameterEvent) -> None:
        values = self._values.get(event.node)
        if values is None:
            return
        changed: list[ParameterMessage] = [*event.new_parameters, *event.changed_parameters]
        for parameter in changed:
            value = parameter_value_to_python(parameter.value)
            values[parameter.name] = value
            if _is_plain(parameter.value):
                self._send(json_frame(
                    'parameter', node=event.node, name=parameter.name, value=_for_json(value)),
                    f'parameter {event.node} {parameter.name}')
        if changed:
            self._is_stale = True


def _is_plain(value: ParameterValue) -> bool:
    return value.type in _TYPES


def _for_json(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value[:_LONGEST_TEXT] if isinstance(value, str) else value


def _converted(descriptor: ParameterDescriptor, value: Any) -> Any:
    """Return a value of JSON in the type of a parameter. Raises ParameterError."""
    kind = _TYPES.get(descriptor.type)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind == 'bool' and isinstance(value, bool):
        return value
    if kind == 'float' and is_number and abs(value) < math.inf:
        return float(value)
    if kind == 'int' and is_number and float(value).is_integer():
        return int(value)
    if kind == 'string' and isinstance(value, str):
        return value
    raise ParameterError(
        f'parameter {descriptor.name!r} is {excerpt(value)}, expected a value of type'
        f" {kind or 'other than a list'}"
        f' {descriptor.additional_constraints}'.rstrip())
