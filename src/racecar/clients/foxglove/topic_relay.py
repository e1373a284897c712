# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Topics as channels: raw bytes, and only of those that a client has subscribed to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from foxglove import Channel, Context, Schema
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy
from rclpy.subscription import Subscription

from racecar.bags.message_definitions import MessageDefinitions
from racecar.base.errors import ConfigurationError
from racecar.clients.graph.view import GraphView, is_hidden
from racecar.ros import qos
from racecar.ros.message_values import load_type

ENCODING, SCHEMA_ENCODING = 'cdr', 'ros2msg'

# Messages that wait while the executor is busy: enough for plots, few for pictures.
_DEPTH, _PICTURE_DEPTH = 100, 4


@dataclass
class _Relayed:
    """A topic that is advertised; clients: their numbers, one for each subscription."""

    topic: str
    type_name: str
    channel: Channel
    clients: list[int] = field(default_factory=list)
    subscription: Subscription | None = None
    is_latched: bool = False


class TopicRelay:
    """Advertises what others publish and passes on what is subscribed to.

    All methods are for the thread of the node's executor.
    """

    def __init__(
        self, node: Node, context: Context, definitions: MessageDefinitions,
        now_ns: Callable[[], int],
    ) -> None:
        """now_ns: gives the time of a message that has just come [ns]."""
        self._node = node
        self._graph = GraphView(node)
        self._context = context
        self._definitions = definitions
        self._now_ns = now_ns
        self._relayed: dict[str, _Relayed] = {}
        self._refused: set[tuple[str, ...]] = set()

    @property
    def is_in_use(self) -> bool:
        """Whether a client has subscribed to anything."""
        return any(relayed.clients for relayed in self._relayed.values())

    def look(self) -> None:
        """Advertise the topics that have a publisher now, and no others."""
        published = {
            name: types for name, types in self._graph.published().items()
            if not is_hidden(name)}
        for name in self._relayed.keys() - published.keys():
            self._withdraw(name)
        for name, types in published.items():
            known = self._relayed.get(name)
            if known is not None and types != [known.type_name]:
                self._withdraw(name)
                known = None
            if known is None:
                self._advertise(name, types)

    def subscribe(self, channel_id: int, client: int) -> None:
        """Pass a channel's messages on to one more client."""
        relayed = self._find(channel_id)
        if relayed is None:
            return
        relayed.clients.append(client)
        if relayed.subscription is not None and relayed.is_latched:
            # What was published before is sent to new subscriptions only.
            self._node.destroy_subscription(relayed.subscription)
            relayed.subscription = None
        if relayed.subscription is None:
            self._listen(relayed)

    def unsubscribe(self, channel_id: int, client: int) -> None:
        """Take a client from a channel; after the last one nothing is listened to."""
        relayed = self._find(channel_id)
        if relayed is None or client not in relayed.clients:
            return
        relayed.clients.remove(client)
        if not relayed.clients and relayed.subscription is not None:
            self._node.destroy_subscription(relayed.subscription)
            relayed.subscription = None

    def _find(self, channel_id: int) -> _Relayed | None:
        return next((relayed for relayed in self._relayed.values()
                     if relayed.channel.id() == channel_id), None)

    def _advertise(self, name: str, types: list[str]) -> None:
        refused = (name, *types)
        if refused in self._refused:
            return
        try:
            if len(types) > 1:
                raise ConfigurationError(f"it has the types {', '.join(types)}, expected one")
            load_type(types[0], 'msg')
            definition, _ = self._definitions.text(types[0])
            if not definition:
                raise ConfigurationError(f'the definition of {types[0]} is not found')
        except ConfigurationError as error:
            self._refused.add(refused)
            self._node.get_logger().warning(f'topic {name} is not shown: {error}')
            return
        self._relayed[name] = _Relayed(name, types[0], Channel(
            name, message_encoding=ENCODING, context=self._context, schema=Schema(
                name=types[0], encoding=SCHEMA_ENCODING, data=definition.encode())))

    def _withdraw(self, name: str) -> None:
        relayed = self._relayed.pop(name)
        if relayed.subscription is not None:
            self._node.destroy_subscription(relayed.subscription)
        relayed.channel.close()

    def _listen(self, relayed: _Relayed) -> None:
        depth = _PICTURE_DEPTH if relayed.type_name in qos.LARGE_TYPES else _DEPTH
        profile = qos.matching(self._graph.publisher_profiles(relayed.topic), depth)
        relayed.is_latched = profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
        relayed.subscription = self._node.create_subscription(
            load_type(relayed.type_name, 'msg'), relayed.topic,
            partial(self._on_message, relayed.channel), profile, raw=True)

    def _on_message(self, channel: Channel, data: bytes) -> None:
        channel.log(data, log_time=self._now_ns())
