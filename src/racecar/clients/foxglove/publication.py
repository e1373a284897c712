# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What clients publish, on any topic: checked to be a message of its type, then as it came."""

from __future__ import annotations

from typing import NamedTuple

from rclpy.exceptions import NameValidationException
from rclpy.node import Node
from rclpy.publisher import Publisher

from racecar.base.errors import ConfigurationError, excerpt, MessageError
from racecar.clients.foxglove.topic_relay import ENCODING
from racecar.ros import qos
from racecar.ros.message_values import load_type
from racecar.ros.raw_subscription import Complaints
from racecar.ros.wire import deserialize


class _Publication(NamedTuple):
    """A topic that a client has said it publishes to."""

    message_type: type
    publisher: Publisher
    complaints: Complaints


class Publications:
    """Publishers on behalf of clients; all methods are for the thread of the node's executor."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publications: dict[tuple[int, int], _Publication] = {}

    def advertise(
        self, client: int, number: int, topic: str, encoding: str, type_name: str,
    ) -> None:
        """Make a publisher; number: what the client calls its channel.

        Raises ConfigurationError for an encoding other than CDR, a type that is not installed and
        a name that topics cannot have.
        """
        if encoding != ENCODING:
            raise ConfigurationError(
                f'topic {excerpt(topic)}: its messages are encoded as {excerpt(encoding)},'
                f' expected {ENCODING}')
        message_type = load_type(type_name, 'msg')
        self.withdraw(client, number)
        try:
            publisher = self._node.create_publisher(message_type, topic, qos.STATE)
        except (NameValidationException, RuntimeError) as error:
            # Its further lines point at the place.
            text = str(error).partition('\n')[0].rstrip(':')
            raise ConfigurationError(
                f'topic {excerpt(topic)} cannot be published to: {text}') from error
        self._publications[client, number] = _Publication(
            message_type, publisher, Complaints(self._node, topic))

    def publish(self, client: int, number: int, data: bytes) -> None:
        """Publish a message; what is none is dropped with an error in the log."""
        publication = self._publications.get((client, number))
        if publication is None:
            return
        try:
            deserialize(data, publication.message_type)
        except MessageError as error:
            publication.complaints.dropped(error)
            return
        publication.publisher.publish(data)

    def withdraw(self, client: int, number: int) -> None:
        """Let go of a publisher."""
        publication = self._publications.pop((client, number), None)
        if publication is not None:
            self._node.destroy_publisher(publication.publisher)
