# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a node knows of the others: nodes, topics with their endpoints, services."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.topic_endpoint_info import TopicEndpointInfo

TypesByName = dict[str, list[str]]
"""Types by full name, in the order of the names."""

_PARAMETERS = '/list_parameters'


class GraphView:
    """The graph as a node has found it up to now; each query asks the middleware anew.

    The query for all topics or services takes some milliseconds in a large graph.
    """

    def __init__(self, node: Node) -> None:
        self._node = node

    def nodes(self) -> list[str]:
        """Full names of the other nodes, in order; hidden ones and namesakes, too."""
        own = self._node.get_fully_qualified_name()
        names = [f"{namespace.rstrip('/')}/{name}"
                 for name, namespace in self._node.get_node_names_and_namespaces()]
        return sorted(name for name in names if name != own)

    def topics(self) -> TypesByName:
        """Topics that anybody publishes or subscribes to."""
        return dict(sorted(self._node.get_topic_names_and_types()))

    def services(self) -> TypesByName:
        """Services that anybody offers."""
        return dict(sorted(self._node.get_service_names_and_types()))

    def published(self, type_name: str | None = None) -> TypesByName:
        """Topics with a publisher; type_name: only those that have this type."""
        return {name: types for name, types in self.topics().items()
                if (type_name is None or type_name in types) and self.is_published(name)}

    def is_published(self, topic: str) -> bool:
        """Whether anybody publishes on a topic of this full name."""
        return bool(self._node.count_publishers(topic))

    def publishers(self, topic: str) -> list[TopicEndpointInfo]:
        """Publishers on a topic of this full name."""
        return list(self._node.get_publishers_info_by_topic(topic))

    def subscriptions(self, topic: str) -> list[TopicEndpointInfo]:
        """Subscriptions to a topic of this full name."""
        return list(self._node.get_subscriptions_info_by_topic(topic))

    def publisher_profiles(self, topic: str) -> list[QoSProfile]:
        """QoS of each publisher on a topic of this full name."""
        return [info.qos_profile for info in self.publishers(topic)]

    def endpoints_of(self, node: str) -> dict[str, TypesByName]:
        """What a node of this full name hears, publishes, offers and calls."""
        namespace, _, name = node.rpartition('/')
        words = name, namespace or '/'
        return {what: dict(sorted(found)) for what, found in (
            ('Subscribers', self._node.get_subscriber_names_and_types_by_node(*words)),
            ('Publishers', self._node.get_publisher_names_and_types_by_node(*words)),
            ('Service Servers', self._node.get_service_names_and_types_by_node(*words)),
            ('Service Clients', self._node.get_client_names_and_types_by_node(*words)))}


def owners(
    services: Mapping[str, Iterable[str]], ending: str, type_name: str | None = None,
) -> list[str]:
    """Full names of the nodes that offer a service of this ending and, if given, of this type."""
    return [name.removesuffix(ending) for name, types in services.items()
            if name.endswith(ending) and (type_name is None or type_name in types)]


def nodes_with_parameters(services: Mapping[str, Iterable[str]]) -> list[str]:
    """Full names of the nodes whose parameters can be asked for."""
    return owners(services, _PARAMETERS)


def absolute(name: str) -> str:
    """A name with a slash before it."""
    return name if name.startswith('/') else f'/{name}'


def is_hidden(name: str) -> bool:
    """Whether a name is not for people: a part of it begins with an underscore."""
    return any(part.startswith('_') for part in name.split('/'))
