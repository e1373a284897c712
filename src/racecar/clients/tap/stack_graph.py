# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who is there, found by the names that nodes of this suite have for topics and services."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rclpy.node import Node

from racecar.ros.topics import find_robots

ODOMETRY_TYPE = 'nav_msgs/msg/Odometry'
_RESET, _ACTIVATE, _LIST = '/reset', '/activate', '/list_parameters'
_RESET_TYPE, _SWITCH_TYPE = 'racecar_interfaces/srv/Reset', 'std_srvs/srv/SetBool'


class StackGraph(NamedTuple):
    """Full names of nodes; None for what is not there."""

    simulator: str | None
    trackers: tuple[str, ...]
    nodes: tuple[str, ...]
    services: frozenset[str]


def look_around(node: Node, namespace: str) -> StackGraph:
    """Return who is there below a namespace; the nodes are those that have parameters."""
    prefix = f"/{namespace.strip('/')}/" if namespace.strip('/') else '/'
    found = {name: types for name, types in node.get_service_names_and_types()
             if name.startswith(prefix)}

    def owners(ending: str, kind: str | None = None) -> tuple[str, ...]:
        return tuple(sorted(
            name.removesuffix(ending) for name, types in found.items()
            if name.endswith(ending) and (kind is None or kind in types)))

    simulators = owners(_RESET, _RESET_TYPE)
    return StackGraph(
        simulators[0] if simulators else None, owners(_ACTIVATE, _SWITCH_TYPE),
        tuple(name for name in owners(_LIST) if not _is_hidden(name)), frozenset(found))


def find_stack(
    node: Node, namespace: str | None, names: str | None = None,
) -> tuple[str, str] | None:
    """Return namespace and set of topic names of a robot whose odometry somebody publishes.

    namespace, names: where, and with which set, to look only; None for the first robot in order.
    None if there is none.
    """
    published = [
        name for name, types in node.get_topic_names_and_types()
        if ODOMETRY_TYPE in types and node.count_publishers(name)]
    place = None if namespace is None else f"/{namespace.strip('/')}".rstrip('/')
    robots = find_robots(
        published, lambda name: node.count_publishers(name) > 0, namespace=place, names=names)
    return (robots[0].namespace.strip('/'), robots[0].names) if robots else None


def full_name(namespace: str, topic: str, renamed: Mapping[str, str]) -> str:
    """Return the full name of a topic by its name in this suite."""
    return '/' + '/'.join(filter(None, (namespace.strip('/'), renamed.get(topic, topic))))


def _is_hidden(name: str) -> bool:
    return any(part.startswith('_') for part in name.split('/'))


def spoken_on(node: Node, names: Iterable[str]) -> bool:
    """Whether anybody publishes on one of these topics."""
    return any(map(node.count_publishers, names))
