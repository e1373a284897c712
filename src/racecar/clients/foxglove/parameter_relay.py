# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of running nodes, as /node.parameter, read and set through the nodes' services."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
import contextlib
import threading
from typing import Any

from foxglove import Parameter, ParameterType
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterEvent, ParameterValue
from rcl_interfaces.msg import ParameterType as Kind
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters
from rclpy.parameter import Parameter as RosParameter
from rclpy.parameter import parameter_value_to_python

from racecar.base.errors import excerpt, ParameterError, RacecarError, RunError
from racecar.clients.foxglove.errands import Errands
from racecar.clients.inspection.parameters import checked_value
from racecar.clients.settable_parameters import check_settable

_PATIENCE = 3.0       # [s]
_AT_ONCE = 8

_HINTS = {Kind.PARAMETER_DOUBLE: ParameterType.Float64,
          Kind.PARAMETER_DOUBLE_ARRAY: ParameterType.Float64Array,
          Kind.PARAMETER_BYTE_ARRAY: ParameterType.ByteArray}


class ParameterRelay:
    """Knows the parameters of the nodes that there are, once somebody has asked for them.

    get() and set() wait for nodes and are not for the thread of the executor; the others are.
    """

    def __init__(
        self, errands: Errands, complain: Callable[[str], object],
    ) -> None:
        """complain: called with a sentence for each value that is refused."""
        self._errands = errands
        self._complain = complain
        self._lock = threading.Lock()
        self._there: set[str] = set()
        self._values: dict[str, dict[str, ParameterValue]] = {}

    def look(self, nodes: Iterable[str]) -> None:
        """Take note of the full names of the nodes that have parameters now."""
        with self._lock:
            self._there = {*nodes}
            for node in self._values.keys() - self._there:
                del self._values[node]

    def on_event(self, event: ParameterEvent) -> None:
        """Take note of what a node says has changed."""
        with self._lock:
            known = self._values.get(event.node)
            if known is None:
                return
            known.update({
                row.name: row.value for row in (*event.new_parameters, *event.changed_parameters)})
            for row in event.deleted_parameters:
                known.pop(row.name, None)

    def get(self, names: Iterable[str]) -> list[Parameter]:
        """Return the parameters of these names, or all; unknown ones are left out."""
        self._learn()
        wanted = {*names}
        with self._lock:
            rows = [(full_name(node, name), value) for node, values in sorted(self._values.items())
                    for name, value in sorted(values.items())]
        return [parameter for name, value in rows if not wanted or name in wanted
                if (parameter := to_client(name, value))]

    def set(self, parameters: Iterable[Parameter]) -> list[Parameter]:
        """Set parameters and return what they are afterwards: the former value of a refused one.

        A complaint says why a value is refused.
        """
        self._learn()
        result = []
        for parameter in parameters:
            node, _, name = parameter.name.partition('.')
            with self._lock:
                value = self._values.get(node, {}).get(name)
            if value is None or value.type == Kind.PARAMETER_NOT_SET:
                self._complain(f'parameter {excerpt(parameter.name)} is unknown')
                continue
            try:
                value = self._set(node, name, value, parameter.get_value())
            except RacecarError as error:
                self._complain(f'parameter {parameter.name} stays'
                               f' {excerpt(_plain(value))}: {error}')
            found = to_client(parameter.name, value)
            result += [found] if found else []
        return result

    def _set(self, node: str, name: str, before: ParameterValue, wanted: Any) -> ParameterValue:
        if isinstance(wanted, bytes):
            wanted = [bytes((byte,)) for byte in wanted]
        checked = checked_value(name, wanted, before.type)
        descriptor = _only(self._call(
            node, DescribeParameters, 'describe_parameters', names=[name]).descriptors)
        check_settable(descriptor, parameter_value_to_python(before), checked)
        value: ParameterValue = RosParameter(name, value=checked).get_parameter_value()
        result = _only(self._call(
            node, SetParameters, 'set_parameters',
            parameters=[ParameterMessage(name=name, value=value)]).results)
        if not result.successful:
            raise ParameterError(result.reason or 'the node refuses it')
        with self._lock:
            if node in self._values:
                self._values[node][name] = value
        return value

    def _call(self, node: str, kind: Any, service: str, **request: Any) -> Any:
        """Return the response of a node. Raises RunError without one."""
        return self._errands.call(kind, f'{node}/{service}', kind.Request(**request), _PATIENCE)

    def _learn(self) -> None:
        """Ask the nodes of which nothing is known yet; those that do not answer stay unknown."""
        with self._lock:
            unknown = sorted(self._there - self._values.keys())
        if unknown:
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                [*pool.map(self._learn_node, unknown)]

    def _learn_node(self, node: str) -> None:
        with contextlib.suppress(RunError):
            names = self._call(node, ListParameters, 'list_parameters').result.names
            values = self._call(node, GetParameters, 'get_parameters', names=names).values
            with self._lock:
                self._values[node] = dict(zip(names, values, strict=False))


def _only(answers: Sequence[Any]) -> Any:
    """Return the answer about one parameter. Raises RunError if there is another number."""
    if len(answers) != 1:
        raise RunError(f'the node has answered with {len(answers)} results, expected one')
    return answers[0]


def full_name(node: str, name: str) -> str:
    """Return what clients call a parameter; names of nodes have no dots."""
    return f'{node}.{name}'


def to_client(name: str, value: ParameterValue) -> Parameter | None:
    """Return a parameter as clients get it; None for one that is not set."""
    if value.type == Kind.PARAMETER_NOT_SET:
        return None
    return Parameter(name, value=_plain(value), type=_HINTS.get(value.type))


def _plain(value: ParameterValue) -> Any:
    found = parameter_value_to_python(value)
    if value.type == Kind.PARAMETER_BYTE_ARRAY:
        return b''.join(found)
    return found if isinstance(found, bool | int | float | str | None) else [*found]
