# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who is there, found by the names that nodes of this suite have for topics and services."""

from __future__ import annotations

from typing import NamedTuple

from racecar.clients.graph.view import GraphView, is_hidden, nodes_with_parameters, owners
from racecar.ros.topics.robots import find_robots

ODOMETRY_TYPE = 'nav_msgs/msg/Odometry'
_RESET, _ACTIVATE = '/reset', '/activate'
_RESET_TYPE, _SWITCH_TYPE = 'racecar_interfaces/srv/Reset', 'std_srvs/srv/SetBool'


class StackGraph(NamedTuple):
    """Full names of nodes; None for what is not there."""

    simulator: str | None
    trackers: tuple[str, ...]
    nodes: tuple[str, ...]
    services: frozenset[str]


def look_around(graph: GraphView, namespace: str) -> StackGraph:
    """Nodes of a stack below a namespace; `nodes` are those that have parameters.

    One of several cars has its simulator in the namespace above, and then all nodes below that.
    """
    place = namespace.strip('/')
    own = _below(graph, place)
    if own.simulator is not None or not place:
        return own
    above = place.rpartition('/')[0]
    world = _below(graph, above)
    if world.simulator is None or world.simulator.strip('/').rpartition('/')[0] != above:
        return own
    return world._replace(trackers=own.trackers)


def _below(graph: GraphView, place: str) -> StackGraph:
    prefix = f'/{place}/' if place else '/'
    services = {name: types for name, types in graph.services().items()
                if name.startswith(prefix)}
    simulators = sorted(owners(services, _RESET, _RESET_TYPE))
    return StackGraph(
        simulators[0] if simulators else None,
        tuple(sorted(owners(services, _ACTIVATE, _SWITCH_TYPE))),
        tuple(sorted(name for name in nodes_with_parameters(services) if not is_hidden(name))),
        frozenset(services))


def find_stack(
    graph: GraphView, namespace: str | None, names: str | None = None,
) -> tuple[str, str] | None:
    """Namespace and set of topic names of a robot whose odometry somebody publishes.

    namespace, names: where, and with which set, to look only; None for the first robot in order.
    None if there is none.
    """
    place = None if namespace is None else f"/{namespace.strip('/')}".rstrip('/')
    robots = find_robots(
        graph.published(ODOMETRY_TYPE), graph.is_published, namespace=place, names=names)
    return (robots[0].namespace.strip('/'), robots[0].names) if robots else None
