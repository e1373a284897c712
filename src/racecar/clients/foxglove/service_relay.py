# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Services of running nodes, for clients to call with serialised requests."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from foxglove import MessageSchema, Schema, Service, ServiceRequest, ServiceSchema
from rclpy.node import Node
from rclpy.serialization import serialize_message

from racecar.bags.message_definitions import MessageDefinitions
from racecar.base.errors import ConfigurationError, MessageError
from racecar.clients.foxglove.node_thread import NodeThread
from racecar.clients.foxglove.topic_relay import ENCODING, SCHEMA_ENCODING
from racecar.clients.graph.service_calls import Patience, ServiceCalls, ServiceType
from racecar.clients.graph.view import GraphView, is_hidden
from racecar.ros.message_values import load_type
from racecar.ros.wire import deserialize

_PATIENCE = Patience(10.0)
# What each node has for its parameters and types: the panel of parameters is for it.
_OF_EVERY_NODE = ('rcl_interfaces/srv/', 'type_description_interfaces/srv/')


class ServiceServer(Protocol):
    """What advertises services to clients, such as the WebSocketServer of the SDK."""

    def add_services(self, services: list[Service]) -> None: ...

    def remove_services(self, names: list[str]) -> None: ...


class ServiceRelay:
    """Advertises the services of others and calls them for clients."""

    def __init__(
        self, node: Node, thread: NodeThread, definitions: MessageDefinitions,
        server: ServiceServer,
    ) -> None:
        """thread: of the executor of node."""
        self._node = node
        self._thread = thread
        self._graph = GraphView(node)
        self._calls = ServiceCalls(node, _PATIENCE)
        self._definitions = definitions
        self._server = server
        self._offered: dict[str, str] = {}

    def look(self) -> None:
        """Advertise the services that there are now; for the thread of the executor."""
        found = {
            name: types[0] for name, types in self._graph.services().items()
            if len(types) == 1 and not is_hidden(name) and not types[0].startswith(_OF_EVERY_NODE)}
        gone = [name for name, kind in self._offered.items() if found.get(name) != kind]
        if gone:
            self._server.remove_services(gone)
        new = [name for name in found if name not in self._offered or name in gone]
        self._offered = found
        services = [service for name in new
                    if (service := self._service(name, found[name])) is not None]
        if services:
            self._server.add_services(services)

    def _service(self, name: str, type_name: str) -> Service | None:
        texts = self._definitions.service_texts(type_name)
        try:
            if texts is None:
                raise ConfigurationError(f'the definition of {type_name} is not found')
            kind = load_type(type_name, 'srv')
        except ConfigurationError as error:
            self._node.get_logger().warning(f'service {name} is not shown: {error}')
            return None
        request, response = (
            MessageSchema(encoding=ENCODING, schema=Schema(
                name=f'{type_name}_{part}', encoding=SCHEMA_ENCODING, data=text.encode()))
            for part, text in zip(('Request', 'Response'), texts, strict=True))
        return Service(
            name, schema=ServiceSchema(type_name, request=request, response=response),
            handler=partial(answer, partial(self._call, kind, name), kind))

    def _call(self, kind: ServiceType[object], name: str, request: object) -> object:
        return self._thread.wait_for(
            lambda: self._calls.call(kind, name, request), self._calls.poll)


def answer(call: Callable[[Any], object], kind: Any, request: ServiceRequest) -> bytes:
    """Give the serialised response to a serialised request; a client gets the text of an error.

    call: gives the response to a request; kind: the class of the service. Raises MessageError for
    bytes that are no request.
    """
    if request.encoding not in ('', ENCODING):
        raise MessageError(f'the request is encoded as {request.encoding!r}, expected {ENCODING}')
    message = kind.Request()
    # An empty one has a byte that means nothing, and that not everybody sends.
    if message.get_fields_and_field_types():
        message = deserialize(request.payload, kind.Request)
    return bytes(serialize_message(call(message)))
