# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar node`: which nodes run, and what they publish and offer, as `ros2 node` tells."""

from __future__ import annotations

import argparse
from collections import Counter
import sys

from racecar.cli.inspecting import run, Verbs, warn_if_nobody

__all__ = ['add_arguments', 'run']


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar node`."""
    parser.description = (
        'Look at running nodes, with the words of `ros2 node`; needs no ros2cli.')
    verbs = Verbs(parser)
    verb = verbs.add('list', _list, 'list the nodes')
    verb.add_argument('-a', '--all', action='store_true', help='also hidden ones')
    verb.add_argument('-c', '--count-nodes', action='store_true', help='only how many')
    verb = verbs.add('info', _info, 'tell what a node publishes, hears and offers')
    verb.add_argument('node', metavar='NODE')


def _list(arguments: argparse.Namespace) -> int:
    from racecar.clients.inspection.graph import Graph, is_hidden

    with Graph(arguments.spin_time) as graph:
        graph.settle()
        found = [name for name in graph.nodes() if arguments.all or not is_hidden(name)]
    warn_if_nobody(found, 'nodes')
    for name, number in Counter(found).items():
        if number > 1:
            print(f"warning: {number} nodes are called {name}; they take each other's services",
                  file=sys.stderr)
    if arguments.count_nodes:
        print(len(found))
    elif found:
        print('\n'.join(found))
    return 0


def _info(arguments: argparse.Namespace) -> int:
    from racecar.clients.inspection.graph import Graph

    with Graph(arguments.spin_time) as graph:
        full = graph.find_node(arguments.node)
        # Whoever told of it tells the rest at once.
        graph.settle(0.0)
        namespace, _, name = full.rpartition('/')
        words = name, namespace or '/'
        print(full)
        for what, found in (
                ('Subscribers', graph.node.get_subscriber_names_and_types_by_node(*words)),
                ('Publishers', graph.node.get_publisher_names_and_types_by_node(*words)),
                ('Service Servers', graph.node.get_service_names_and_types_by_node(*words)),
                ('Service Clients', graph.node.get_client_names_and_types_by_node(*words))):
            print(f'  {what}:')
            for topic, types in sorted(found):
                print(f"    {topic}: {', '.join(types)}")
    return 0
