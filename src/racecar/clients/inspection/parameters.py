# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of running nodes, through their services."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    Parameter,
    ParameterDescriptor,
    ParameterType,
    ParameterValue,
)
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    ListParameters,
    SetParameters,
)
from rclpy.parameter import Parameter as RosParameter
from rclpy.parameter import parameter_value_to_python
import yaml

from racecar.base.errors import ConfigurationError, excerpt, ParameterError
from racecar.base.parameters import suggest
from racecar.base.yaml_file import describe_error, parse_yaml
from racecar.clients.inspection.graph import Graph

_TYPES = {
    ParameterType.PARAMETER_BOOL: ('boolean', 'Boolean value is:'),
    ParameterType.PARAMETER_INTEGER: ('integer', 'Integer value is:'),
    ParameterType.PARAMETER_DOUBLE: ('double', 'Double value is:'),
    ParameterType.PARAMETER_STRING: ('string', 'String value is:'),
    ParameterType.PARAMETER_BYTE_ARRAY: ('byte array', 'Byte values are:'),
    ParameterType.PARAMETER_BOOL_ARRAY: ('boolean array', 'Boolean values are:'),
    ParameterType.PARAMETER_INTEGER_ARRAY: ('integer array', 'Integer values are:'),
    ParameterType.PARAMETER_DOUBLE_ARRAY: ('double array', 'Double values are:'),
    ParameterType.PARAMETER_STRING_ARRAY: ('string array', 'String values are:'),
    ParameterType.PARAMETER_NOT_SET: ('not set', 'Parameter not set.'),
}
"""What ros2 param calls each type, and what it prints before a value."""


class NodeParameters:
    """The parameters of one node."""

    def __init__(self, graph: Graph, node: str) -> None:
        """Raise ConfigurationError if the node is absent."""
        self._graph = graph
        self.node = graph.find_node(node)

    def _call(self, service_type: Any, service: str, **request: Any) -> Any:
        return self._graph.call(
            service_type, f'{self.node}/{service}', service_type.Request(**request))

    def names(self) -> list[str]:
        """Return the names in order. Raises RunError if the node does not answer."""
        return sorted(self._call(ListParameters, 'list_parameters').result.names)

    def describe(self, names: Sequence[str]) -> list[ParameterDescriptor]:
        """Return what the node says of parameters. Raises ParameterError for an unknown one."""
        known = self.names()
        for name in names:
            if name not in known:
                raise ParameterError(
                    f'parameter {excerpt(name)} is unknown to {self.node}; {suggest(name, known)}')
        response = self._call(DescribeParameters, 'describe_parameters', names=[*names])
        return list(response.descriptors)

    def get(self, names: Sequence[str]) -> list[ParameterValue]:
        """Return values. Raises ParameterError for an unknown name."""
        self.describe(names)
        return list(self._call(GetParameters, 'get_parameters', names=[*names]).values)

    def set(self, name: str, text: str) -> None:
        """Set a parameter to what a YAML text stands for.

        Raises ParameterError if it is unknown, has another type, or the node refuses the value.
        """
        descriptor, = self.describe([name])
        value = _parse(name, text, descriptor.type)
        response = self._call(SetParameters, 'set_parameters', parameters=[Parameter(
            name=name, value=RosParameter(name, value=value).get_parameter_value())])
        result, = response.results
        if not result.successful:
            raise ParameterError(f'Setting parameter failed: {result.reason}')

    def dump(self) -> dict[str, Any]:
        """Return all values as a parameter file has them."""
        names = self.names()
        values = [parameter_value_to_python(value) for value in self.get(names)]
        tree: dict[str, Any] = {}
        for name, value in zip(names, values, strict=True):
            tree[name] = value if isinstance(value, bool | int | float | str | None) else [*value]
        return {self.node: {'ros__parameters': tree}}


def type_text(kind: int) -> str:
    """Return what a type of parameters is called."""
    return _TYPES[kind][0]


def value_text(value: ParameterValue, *, with_type: bool = True) -> str:
    """Return a value as ros2 param get prints it."""
    found = parameter_value_to_python(value)
    label = _TYPES[value.type][1]
    if found is None:
        return label
    shown = found if isinstance(found, bool | int | float | str) else [*found]
    return f'{label} {shown}' if with_type else f'{shown}'


def description_lines(descriptor: ParameterDescriptor) -> list[str]:
    """Return what ros2 param describe prints."""
    lines = [f'Parameter name: {descriptor.name}', f'  Type: {type_text(descriptor.type)}']
    if descriptor.description:
        lines.append(f'  Description: {descriptor.description}')
    lines.append('  Constraints:')
    if descriptor.read_only:
        lines.append('    Read only: true')
    ranges: list[FloatingPointRange | IntegerRange] = [
        *descriptor.floating_point_range, *descriptor.integer_range]
    for limits in ranges:
        lines += [f'    Min value: {limits.from_value}', f'    Max value: {limits.to_value}']
        if limits.step:
            lines.append(f'    Step: {limits.step}')
    if descriptor.additional_constraints:
        lines.append(f'    Additional constraints: {descriptor.additional_constraints}')
    return lines


def _parse(name: str, text: str, kind: int) -> Any:
    """Return a value in the type that a parameter has."""
    if kind == ParameterType.PARAMETER_STRING:
        # What is written is meant, also 3 or true.
        try:
            value = parse_yaml(text)
        except yaml.YAMLError:
            return text
        return value if isinstance(value, str) else text
    try:
        value = parse_yaml(text)
    except yaml.YAMLError as error:
        raise ConfigurationError(
            f'value {excerpt(text)} of {name} is not YAML: {describe_error(error)}') from error
    return checked_value(name, value, kind)


def checked_value(name: str, value: Any, kind: int) -> Any:
    """Return a plain value in the type that a parameter has.

    Whole numbers are numbers, too, and 0 and 1 booleans.
    kind: of ParameterType. Raises ParameterError for another type.
    """
    items = value if isinstance(value, list) else [value]
    expected = {
        ParameterType.PARAMETER_BOOL: bool, ParameterType.PARAMETER_BOOL_ARRAY: bool,
        ParameterType.PARAMETER_INTEGER: int, ParameterType.PARAMETER_INTEGER_ARRAY: int,
        ParameterType.PARAMETER_DOUBLE: float, ParameterType.PARAMETER_DOUBLE_ARRAY: float,
        ParameterType.PARAMETER_STRING: str, ParameterType.PARAMETER_STRING_ARRAY: str}.get(kind)
    if expected is None and not isinstance(value, dict):
        return value
    if expected is float:
        items = [float(item) if isinstance(item, int) and not isinstance(item, bool) else item
                 for item in items]
    if expected is bool:
        items = [bool(item) if type(item) is int and item in (0, 1) else item for item in items]
    is_list = type_text(kind).endswith('array')
    if isinstance(value, list) != is_list or any(type(item) is not expected for item in items):
        raise ParameterError(
            f'parameter {name!r} is of type {type_text(kind)}, not {excerpt(value)}')
    return items if is_list else items[0]
