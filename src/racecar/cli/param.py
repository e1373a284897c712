# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar param`: parameters of running nodes, as `ros2 param` shows and sets them."""

from __future__ import annotations

import argparse
import re
from typing import Any

from racecar.base.errors import ConfigurationError, excerpt
from racecar.cli.inspecting import run, Verbs, warn_if_nobody

__all__ = ['add_arguments', 'run']


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar param`."""
    parser.description = (
        'Look at and set the parameters of running nodes, with the words of `ros2 param`; needs'
        ' no ros2cli. `racecar parameters` lists what nodes have without running them.')
    verbs = Verbs(parser)
    verb = verbs.add('list', _list, 'list the parameters of a node, or of all')
    verb.add_argument('node', metavar='NODE', nargs='?')
    verb.add_argument('--filter', metavar='REGEX', help='only names that match')
    verb.add_argument('--param-type', action='store_true', help='with their types')
    verb = verbs.add('get', _get, 'print a parameter')
    verb.add_argument('node', metavar='NODE')
    verb.add_argument('name', metavar='NAME')
    verb.add_argument('--hide-type', action='store_true', help='only the value')
    verb = verbs.add('set', _set, 'set a parameter')
    verb.add_argument('node', metavar='NODE')
    verb.add_argument('name', metavar='NAME')
    verb.add_argument('value', metavar='VALUE', help='YAML, as 3.0, true, circle or [1, 2]')
    verb = verbs.add('dump', _dump, 'print all parameters of a node as a parameter file')
    verb.add_argument('node', metavar='NODE')
    verb = verbs.add('describe', _describe, 'tell what parameters mean and allow')
    verb.add_argument('node', metavar='NODE')
    verb.add_argument('names', metavar='NAME', nargs='+')


def _list(arguments: argparse.Namespace) -> int:
    from racecar.clients.inspection.graph import Graph, is_hidden
    from racecar.clients.inspection.parameters import NodeParameters

    pattern = _pattern(arguments.filter)
    with Graph(arguments.spin_time) as graph:
        if arguments.node:
            names = [arguments.node]
        else:
            graph.settle()
            offered = dict(graph.services())
            names = [name for name in dict.fromkeys(graph.nodes()) if not is_hidden(name)
                     and f'{name}/list_parameters' in offered]
            warn_if_nobody(names, 'nodes with parameters')
        for name in names:
            node = NodeParameters(graph, name)
            if not arguments.node:
                print(f'{node.node}:')
            _print_names(node, pattern, arguments.param_type)
    return 0


def _pattern(text: str | None) -> re.Pattern[str]:
    try:
        return re.compile(text or '')
    except re.error as error:
        raise ConfigurationError(
            f'--filter {excerpt(text)} is no regular expression: {error}') from error


def _print_names(node: Any, pattern: re.Pattern[str], with_types: bool) -> None:
    from racecar.clients.inspection.parameters import type_text

    names = [name for name in node.names() if pattern.match(name)]
    if not with_types:
        print(''.join(f'  {name}\n' for name in names), end='')
        return
    for descriptor in node.describe(names):
        print(f'  {descriptor.name} (type: {type_text(descriptor.type)})')


def _get(arguments: argparse.Namespace) -> int:
    from racecar.clients.inspection.graph import Graph
    from racecar.clients.inspection.parameters import NodeParameters, value_text

    with Graph(arguments.spin_time) as graph:
        value, = NodeParameters(graph, arguments.node).get([arguments.name])
    print(value_text(value, with_type=not arguments.hide_type))
    return 0


def _set(arguments: argparse.Namespace) -> int:
    from racecar.clients.inspection.graph import Graph
    from racecar.clients.inspection.parameters import NodeParameters

    with Graph(arguments.spin_time) as graph:
        NodeParameters(graph, arguments.node).set(arguments.name, arguments.value)
    print('Set parameter successful')
    return 0


def _dump(arguments: argparse.Namespace) -> int:
    from racecar.clients.inspection.graph import Graph
    from racecar.clients.inspection.parameters import NodeParameters
    from racecar.ros.message_values import yaml_text

    with Graph(arguments.spin_time) as graph:
        print(yaml_text(NodeParameters(graph, arguments.node).dump()), end='')
    return 0


def _describe(arguments: argparse.Namespace) -> int:
    from racecar.clients.inspection.graph import Graph
    from racecar.clients.inspection.parameters import description_lines, NodeParameters

    with Graph(arguments.spin_time) as graph:
        for descriptor in NodeParameters(graph, arguments.node).describe(arguments.names):
            print('\n'.join(description_lines(descriptor)))
    return 0
