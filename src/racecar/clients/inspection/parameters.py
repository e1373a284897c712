# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of running nodes, through their services."""

from __future__ import annotations

from collections.abc import Sequence

from rcl_interfaces.msg import ParameterDescriptor, ParameterType, ParameterValue
from rclpy.parameter import Parameter as RosParameter
from rclpy.parameter import parameter_value_to_python
import yaml

from racecar.base.errors import ConfigurationError, excerpt, ParameterError
from racecar.base.parameters import suggest
from racecar.base.yaml_file import describe_error, parse_yaml
from racecar.clients.graph.answer import start
from racecar.clients.graph.parameters import ranges_of
from racecar.clients.inspection.inspector import Inspector

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
    """The parameters of one node; all methods raise RunError if it does not answer."""

    def __init__(self, inspector: Inspector, node: str) -> None:
        """Raise ConfigurationError if the node is absent."""
        self._inspector = inspector
        self._services = inspector.parameters
        self.node = inspector.find_node(node)

    def names(self) -> list[str]:
        """Names in order."""
        return sorted(self._inspector.wait_for(start(self._services.names(self.node))))

    def describe(self, names: Sequence[str]) -> list[ParameterDescriptor]:
        """What the node says of parameters. Raises ParameterError for an unknown one."""
        known = self.names()
        for name in names:
            if name not in known:
                raise ParameterError(
                    f'parameter {excerpt(name)} is unknown to {self.node}; {suggest(name, known)}')
        return self._inspector.wait_for(start(self._services.describe(self.node, names)))

    def get(self, names: Sequence[str]) -> list[ParameterValue]:
        """Values of parameters. Raises ParameterError for an unknown name."""
        self.describe(names)
        return self._inspector.wait_for(start(self._services.get(self.node, names)))

    def set(self, name: str, text: str) -> None:
        """Set a parameter to what a YAML text stands for.

        Raises ParameterError if it is unknown, has another type, or the node refuses the value.
        """
        descriptor, = self.describe([name])
        value = RosParameter(name, value=_parse(name, text, descriptor.type))
        try:
            self._inspector.wait_for(start(self._services.set(
                self.node, name, value.get_parameter_value())))
        except ParameterError as error:
            raise ParameterError(f'Setting parameter failed: {error}') from error

    def dump(self) -> dict[str, object]:
        """All values as a parameter file has them."""
        names = self.names()
        values = [parameter_value_to_python(value) for value in self.get(names)]
        tree: dict[str, object] = {}
        for name, value in zip(names, values, strict=True):
            tree[name] = value if isinstance(value, bool | int | float | str | None) else [*value]
        return {self.node: {'ros__parameters': tree}}


def type_text(kind: int) -> str:
    """Name of a type of parameters, as ros2 param has it."""
    return _TYPES[kind][0]


def value_text(value: ParameterValue, *, with_type: bool = True) -> str:
    """A value as ros2 param get prints it."""
    found = parameter_value_to_python(value)
    label = _TYPES[value.type][1]
    if found is None:
        return label
    shown = found if isinstance(found, bool | int | float | str) else [*found]
    return f'{label} {shown}' if with_type else f'{shown}'


def description_lines(descriptor: ParameterDescriptor) -> list[str]:
    """What ros2 param describe prints."""
    lines = [f'Parameter name: {descriptor.name}', f'  Type: {type_text(descriptor.type)}']
    if descriptor.description:
        lines.append(f'  Description: {descriptor.description}')
    lines.append('  Constraints:')
    if descriptor.read_only:
        lines.append('    Read only: true')
    for limits in ranges_of(descriptor):
        lines += [f'    Min value: {limits.from_value}', f'    Max value: {limits.to_value}']
        if limits.step:
            lines.append(f'    Step: {limits.step}')
    if descriptor.additional_constraints:
        lines.append(f'    Additional constraints: {descriptor.additional_constraints}')
    return lines


def _parse(name: str, text: str, kind: int) -> object:
    """A value in the type that a parameter has."""
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


def checked_value(name: str, value: object, kind: int) -> object:
    """A plain value in the type that a parameter has.

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
