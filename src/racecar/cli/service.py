# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar service`: list and call services, as `ros2 service` does."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from racecar.cli.inspecting import named, print_found, run, say, valued, Verbs

if TYPE_CHECKING:
    from racecar.clients.inspection.inspector import Inspector

__all__ = ['add_arguments', 'run']


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar service`."""
    parser.description = (
        'Look at and call the services of running nodes, with the words of `ros2 service`; needs'
        ' no ros2cli.')
    verbs = Verbs(parser)
    service = named('service')
    verbs.add_list('services', _list)
    verbs.add('type', _type, 'print the type of a service', service)
    verbs.add('call', _call, 'call a service', service, valued('std_srvs/srv/SetBool'))


def _list(inspector: Inspector, arguments: argparse.Namespace) -> None:
    from racecar.clients.graph.view import is_hidden

    inspector.settle()
    own = inspector.node.get_fully_qualified_name()
    print_found([(name, types) for name, types in inspector.graph.services().items()
                 if not name.startswith(f'{own}/')
                 and (arguments.with_hidden or not is_hidden(name))], 'services', arguments)


def _type(inspector: Inspector, arguments: argparse.Namespace) -> None:
    from racecar.clients.graph.view import absolute

    print(inspector.service_type(absolute(arguments.service)))


def _call(inspector: Inspector, arguments: argparse.Namespace) -> None:
    from racecar.base.errors import ConfigurationError
    from racecar.clients.graph.view import absolute
    from racecar.ros.message_values import load_type, parse_message, type_name

    name = absolute(arguments.service)
    service_type = load_type(arguments.type, 'srv')
    request = parse_message(
        service_type.Request, arguments.values, inspector.node.get_clock().now().to_msg())
    offered = inspector.service_type(name)
    if offered != type_name(service_type):
        raise ConfigurationError(
            f'service {name} is of type {offered}, not {type_name(service_type)}')
    say(f'requester: making request: {request!r}\n')
    response = inspector.call(service_type, name, request)
    print(f'response:\n{response!r}\n')
