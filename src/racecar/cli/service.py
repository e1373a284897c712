# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar service`: list and call services, as `ros2 service` does."""

from __future__ import annotations

import argparse

from racecar.cli.inspecting import print_found, run, say, Verbs

__all__ = ['add_arguments', 'run']


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar service`."""
    parser.description = (
        'Look at and call the services of running nodes, with the words of `ros2 service`; needs'
        ' no ros2cli.')
    verbs = Verbs(parser)
    verbs.add_list('services', _list)
    verb = verbs.add('type', _type, 'print the type of a service')
    verb.add_argument('service', metavar='SERVICE')
    verb = verbs.add('call', _call, 'call a service')
    verb.add_argument('service', metavar='SERVICE')
    verb.add_argument('type', metavar='TYPE', help='as std_srvs/srv/SetBool')
    verb.add_argument('values', metavar='VALUES', nargs='?', default='{}',
                      help="YAML of the fields, as '{data: true}'; others have their defaults")


def _list(arguments: argparse.Namespace) -> int:
    from racecar.clients.inspection.graph import Graph, is_hidden

    with Graph(arguments.spin_time) as graph:
        graph.settle()
        own = graph.node.get_fully_qualified_name()
        found = [(name, types) for name, types in graph.services()
                 if not name.startswith(f'{own}/')
                 and (arguments.with_hidden or not is_hidden(name))]
    print_found(found, 'services', arguments)
    return 0


def _type(arguments: argparse.Namespace) -> int:
    from racecar.clients.inspection.graph import absolute, Graph

    with Graph(arguments.spin_time) as graph:
        print(graph.service_type(absolute(arguments.service)))
    return 0


def _call(arguments: argparse.Namespace) -> int:
    from racecar.base.errors import ConfigurationError
    from racecar.clients.inspection.graph import absolute, Graph
    from racecar.ros.message_values import load_type, parse_message, type_name

    name = absolute(arguments.service)
    service_type = load_type(arguments.type, 'srv')
    with Graph(arguments.spin_time) as graph:
        request = parse_message(
            service_type.Request, arguments.values, graph.node.get_clock().now().to_msg())
        offered = graph.service_type(name)
        if offered != type_name(service_type):
            raise ConfigurationError(
                f'service {name} is of type {offered}, not {type_name(service_type)}')
        say(f'requester: making request: {request!r}\n')
        response = graph.call(service_type, name, request)
    print(f'response:\n{response!r}\n')
    return 0
