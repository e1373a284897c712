# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""--foxglove of `up` and `demo`: the server of `racecar foxglove` beside the stack they start."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
import contextlib
import signal

from racecar.base.errors import RacecarError
from racecar.cli.beside import served_beside, tell_address, tell_failure, when_the_parent_ends
from racecar.cli.foxglove import check_installed, LOOPBACK, PORT, PORT_NUMBER


def add_foxglove_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --foxglove and its port."""
    parser.add_argument(
        '--foxglove', action='store_true',
        help='serve topics, parameters and services to the Foxglove app; needs foxglove-sdk')
    parser.add_argument(
        '--foxglove-port', type=PORT_NUMBER, default=PORT, metavar='PORT',
        help=f'TCP port of --foxglove; 0: one that is free (default: {PORT})')


@contextlib.contextmanager
def foxglove_served(arguments: argparse.Namespace) -> Iterator[None]:
    """Serve Foxglove meanwhile, if the arguments ask for it; say on stderr where.

    It hears the ROS domain of the environment. Raises ConfigurationError if it cannot be served.
    """
    if not arguments.foxglove:
        yield
        return
    check_installed()
    with served_beside(__name__, 'serve_foxglove', arguments.foxglove_port):
        yield


def serve_foxglove(port: int) -> None:
    """Serve until the parent ends."""
    # Ctrl-C is for the parent, whose end is the end of this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from racecar.clients.foxglove.serving import serve

    try:
        serve(LOOPBACK, port, tell_address,
              lambda done: when_the_parent_ends(lambda: done.set_result(None)))
    except RacecarError as error:
        tell_failure(error)
