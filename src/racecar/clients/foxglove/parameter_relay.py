# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of running nodes, as /node.parameter, read and set through the nodes' services."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import contextlib
from typing import Any

from foxglove import Parameter, ParameterType
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterType as Kind
from rcl_interfaces.msg import ParameterValue
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from rclpy.parameter import parameter_value_to_python

from racecar.base.errors import excerpt, RacecarError, RunError
from racecar.clients.foxglove.node_thread import NodeThread
from racecar.clients.graph.answer import all_of, start
from racecar.clients.graph.parameters import ParameterCache, ParameterServices
from racecar.clients.graph.service_calls import Patience, ServiceCalls
from racecar.clients.graph.settable_parameters import check_settable
from racecar.clients.inspection.parameters import checked_value

_PATIENCE = Patience(3.0)

_HINTS = {Kind.PARAMETER_DOUBLE: ParameterType.Float64,
          Kind.PARAMETER_DOUBLE_ARRAY: ParameterType.Float64Array,
          Kind.PARAMETER_BYTE_ARRAY: ParameterType.ByteArray}


class ParameterRelay:
    """Knows the parameters of the nodes that there are, once somebody has asked for them.

    get() and set() wait for nodes and are not for the thread of the executor; look() is.
    """

    def __init__(
        self, node: Node, thread: NodeThread, complain: Callable[[str], object],
    ) -> None:
        """thread: of the executor of node. complain: gets a sentence for a refused value."""
        self._thread = thread
        self._complain = complain
        self._calls = ServiceCalls(node, _PATIENCE)
        self._services = ParameterServices(self._calls)
        self._cache = ParameterCache(node, self._services)

    def look(self, nodes: Iterable[str]) -> None:
        """Take note of the full names of the nodes that have parameters now."""
        self._cache.look(nodes)

    def get(self, names: Iterable[str]) -> list[Parameter]:
        """Parameters of these names, or all; unknown ones are left out."""
        self._learn()
        wanted = {*names}
        rows = [(full_name(node, name), value)
                for node, known in sorted(self._cache.nodes.items())
                for name, value in sorted(known.values.items())]
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
            value = self._cache.of(node).values.get(name)
            if value is None or value.type == Kind.PARAMETER_NOT_SET:
                self._complain(f'parameter {excerpt(parameter.name)} is unknown')
                continue
            try:
                value = self._set(node, name, value.type, parameter.get_value())
            except RacecarError as error:
                self._complain(f'parameter {parameter.name} stays'
                               f' {excerpt(_plain(value))}: {error}')
            found = to_client(parameter.name, value)
            result += [found] if found else []
        return result

    def _set(self, node: str, name: str, kind: int, wanted: object) -> ParameterValue:
        if isinstance(wanted, bytes):
            wanted = [bytes((byte,)) for byte in wanted]
        checked = checked_value(name, wanted, kind)
        known = self._cache.of(node)
        descriptor = known.descriptors.get(name)
        if descriptor is None:
            raise RunError('the node has not described it')
        check_settable(descriptor, known.python(name), checked)
        value: ParameterValue = RosParameter(name, value=checked).get_parameter_value()
        self._thread.wait_for(
            lambda: start(self._set_checked(node, name, value)), self._calls.poll)
        return value

    async def _set_checked(self, node: str, name: str, value: ParameterValue) -> None:
        await self._services.set(node, name, value)
        # The client may ask before the event comes.
        self._cache.note(node, [ParameterMessage(name=name, value=value)])

    def _learn(self) -> None:
        """Ask the nodes of which nothing is known yet; those that do not answer stay unknown."""
        unknown = sorted(self._cache.present - self._cache.nodes.keys())
        if unknown:
            with contextlib.suppress(RunError):
                self._thread.wait_for(
                    lambda: start(all_of(map(self._cache.read, unknown))), self._calls.poll)


def full_name(node: str, name: str) -> str:
    """What clients call a parameter; names of nodes have no dots."""
    return f'{node}.{name}'


def to_client(name: str, value: ParameterValue) -> Parameter | None:
    """Parameter as clients get it; None for one that is not set."""
    if value.type == Kind.PARAMETER_NOT_SET:
        return None
    return Parameter(name, value=_plain(value), type=_HINTS.get(value.type))


def _plain(value: ParameterValue) -> Any:
    found = parameter_value_to_python(value)
    if value.type == Kind.PARAMETER_BYTE_ARRAY:
        return b''.join(found)
    return found if isinstance(found, bool | int | float | str | None) else [*found]
