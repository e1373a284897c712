# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar param`: parameters of running nodes, as `ros2 param` shows and sets them."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from racecar.base.errors import ConfigurationError, excerpt
from racecar.cli.inspecting import named, run, Verbs, warn_if_nobody

if TYPE_CHECKING:
    from racecar.clients.inspection.inspector import Inspector
    from racecar.clients.inspection.parameters import NodeParameters

__all__ = ['add_arguments', 'run']


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar param`."""
    parser.description = (
        'Look at and set the parameters of running nodes, with the words of `ros2 param`; needs'
        ' no ros2cli. `racecar parameters` lists what nodes have without running them.')
    verbs = Verbs(parser)
    node, name = named('node'), named('name')
    verb = verbs.add('list', _list, 'list the parameters of a node, or of all')
    verb.add_argument('node', metavar='NODE', nargs='?')
    verb.add_argument('--filter', metavar='REGEX', help='only names that match')
    verb.add_argument('--param-type', action='store_true', help='with their types')
    verb = verbs.add('get', _get, 'print a parameter', node, name)
    verb.add_argument('--hide-type', action='store_true', help='only the value')
    verb = verbs.add('set', _set, 'set a parameter', node, name)
    verb.add_argument('value', metavar='VALUE', help='YAML, as 3.0, true, circle or [1, 2]')
    verbs.add('dump', _dump, 'print all parameters of a node as a parameter file', node)
    verb = verbs.add('describe', _describe, 'tell what parameters mean and allow', node)
    verb.add_argument('names', metavar='NAME', nargs='+')


def _list(inspector: Inspector, arguments: argparse.Namespace) -> None:
    from racecar.clients.graph.view import is_hidden, nodes_with_parameters
    from racecar.clients.inspection.parameters import NodeParameters

    pattern = _pattern(arguments.filter)
    if arguments.node:
        names = [arguments.node]
    else:
        inspector.settle()
        answering = {*nodes_with_parameters(inspector.graph.services())}
        names = [name for name in dict.fromkeys(inspector.graph.nodes())
                 if not is_hidden(name) and name in answering]
        warn_if_nobody(names, 'nodes with parameters')
    for name in names:
        node = NodeParameters(inspector, name)
        if not arguments.node:
            print(f'{node.node}:')
        _print_names(node, pattern, arguments.param_type)


def _pattern(text: str | None) -> re.Pattern[str]:
    try:
        return re.compile(text or '')
    except re.error as error:
        raise ConfigurationError(
            f'--filter {excerpt(text)} is no regular expression: {error}') from error


def _print_names(node: NodeParameters, pattern: re.Pattern[str], with_types: bool) -> None:
    from racecar.clients.inspection.parameters import type_text

    names = [name for name in node.names() if pattern.match(name)]
    if not with_types:
        print(''.join(f'  {name}\n' for name in names), end='')
        return
    for descriptor in node.describe(names):
        print(f'  {descriptor.name} (type: {type_text(descriptor.type)})')


def _get(inspector: Inspector, arguments: argparse.Namespace) -> None:
    from racecar.clients.inspection.parameters import NodeParameters, value_text

    value, = NodeParameters(inspector, arguments.node).get([arguments.name])
    print(value_text(value, with_type=not arguments.hide_type))


def _set(inspector: Inspector, arguments: argparse.Namespace) -> None:
    from racecar.clients.inspection.parameters import NodeParameters

    NodeParameters(inspector, arguments.node).set(arguments.name, arguments.value)
    print('Set parameter successful')


def _dump(inspector: Inspector, arguments: argparse.Namespace) -> None:
    from racecar.clients.inspection.parameters import NodeParameters
    from racecar.ros.message_values import yaml_text

    print(yaml_text(NodeParameters(inspector, arguments.node).dump()), end='')


def _describe(inspector: Inspector, arguments: argparse.Namespace) -> None:
    from racecar.clients.inspection.parameters import description_lines, NodeParameters

    for descriptor in NodeParameters(inspector, arguments.node).describe(arguments.names):
        print('\n'.join(description_lines(descriptor)))
