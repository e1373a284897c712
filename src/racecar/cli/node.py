# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar node`: which nodes run, and what they publish and offer, as `ros2 node` tells."""

from __future__ import annotations

import argparse
from collections import Counter
import sys
from typing import TYPE_CHECKING

from racecar.cli.inspecting import named, run, Verbs, warn_if_nobody

if TYPE_CHECKING:
    from racecar.clients.inspection.inspector import Inspector

__all__ = ['add_arguments', 'run']


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar node`."""
    parser.description = (
        'Look at running nodes, with the words of `ros2 node`; needs no ros2cli.')
    verbs = Verbs(parser)
    verb = verbs.add('list', _list, 'list the nodes')
    verb.add_argument('-a', '--all', action='store_true', help='also hidden ones')
    verb.add_argument('-c', '--count-nodes', action='store_true', help='only how many')
    verbs.add('info', _info, 'tell what a node publishes, hears and offers', named('node'))


def _list(inspector: Inspector, arguments: argparse.Namespace) -> None:
    from racecar.clients.graph.view import is_hidden

    inspector.settle()
    found = [name for name in inspector.graph.nodes() if arguments.all or not is_hidden(name)]
    warn_if_nobody(found, 'nodes')
    for name, number in Counter(found).items():
        if number > 1:
            print(f"warning: {number} nodes are called {name}; they take each other's services",
                  file=sys.stderr)
    if arguments.count_nodes:
        print(len(found))
    elif found:
        print('\n'.join(found))


def _info(inspector: Inspector, arguments: argparse.Namespace) -> None:
    full = inspector.find_node(arguments.node)
    # Whoever told of it tells the rest at once.
    inspector.settle(0.0)
    print(full)
    for what, found in inspector.graph.endpoints_of(full).items():
        print(f'  {what}:')
        for topic, types in found.items():
            print(f"    {topic}: {', '.join(types)}")
