# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar foxglove`: serve whatever runs in a ROS domain to the Foxglove app."""

from __future__ import annotations

import argparse
import importlib.util
import ipaddress
import sys

from racecar.base.extras import not_installed
from racecar.cli.inspecting import say
from racecar.cli.number_types import whole
from racecar.signals import code_of_command

LOOPBACK = '127.0.0.1'
PORT = 8765
"""Where the app looks unless it is told otherwise."""

PORT_NUMBER = whole(range(65536), 'TCP port')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar foxglove`."""
    parser.description = (
        'Serve the topics, parameters and services of the nodes in the ROS domain to the Foxglove'
        ' app, until Ctrl-C; whoever started them, with `ros2 launch` or `racecar up`. Needs'
        ' foxglove-sdk from PyPI. docs/foxglove.md says how to connect.')
    parser.add_argument('--port', type=PORT_NUMBER, default=PORT, metavar='PORT',
                        help=f'TCP port; 0: one that is free (default: {PORT})')
    parser.add_argument(
        '--host', default=LOOPBACK, metavar='ADDRESS',
        help='address of this computer to be served at; all but that of the loopback let anybody'
             f' in the network set parameters and drive (default: {LOOPBACK})')


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C.

    Raises ConfigurationError with a one-line message, and Interruption on Ctrl-C and SIGTERM.
    """
    check_installed()
    from racecar.clients.foxglove.serving import serve
    from racecar.ros.interrupted import Interrupted

    if not _is_loopback(arguments.host):
        print(f'warning: whoever reaches {arguments.host} can set parameters, call services and'
              ' publish, without a password', file=sys.stderr)
    interrupted = Interrupted(code_of_command)
    try:
        serve(arguments.host, arguments.port, say, interrupted.then_end)
        interrupted.check()
    finally:
        interrupted.restore()
    return 0


def check_installed() -> None:
    """Raise ConfigurationError if the SDK is not installed."""
    if importlib.util.find_spec('foxglove') is None:
        raise not_installed('the server for Foxglove', 'foxglove')


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == 'localhost'
