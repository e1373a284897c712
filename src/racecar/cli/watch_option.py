# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""--watch of `up` and `demo`: the page of the cockpit beside the stack they start."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
import contextlib
import os
import signal

from racecar.cli.beside import served_beside, tell_address, tell_failure, when_the_parent_ends
from racecar.cli.cockpit import attached
from racecar.cli.page_server import check_server
from racecar.core.errors import RacecarError
from racecar.signals import Interruption


def add_watch_argument(parser: argparse.ArgumentParser) -> None:
    """Declare --watch."""
    parser.add_argument(
        '--watch', action='store_true',
        help='show the run on the page of the cockpit, which opens in the browser; in real time'
        ' unless --real-time-factor is given')


@contextlib.contextmanager
def watched(
    arguments: argparse.Namespace, namespace: str | None = None, topic_names: str | None = None,
) -> Iterator[None]:
    """Serve the page meanwhile, if the arguments ask for it; say on stderr where.

    namespace, topic_names: of the robot that it shows. It hears the ROS domain of the environment.
    Raises ConfigurationError if the page cannot be served.
    """
    if not arguments.watch:
        yield
        return
    check_server()
    with served_beside(__name__, 'serve_cockpit', namespace, topic_names):
        yield


def serve_cockpit(namespace: str | None, topic_names: str | None) -> None:
    """Serve the page until the parent ends."""
    # Ctrl-C is for the parent, whose end is the end of this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from racecar.cockpit.live_feed import AttachFeed
    from racecar.cockpit.serving import serve

    when_the_parent_ends(lambda: os.kill(os.getpid(), signal.SIGTERM))
    try:
        serve(AttachFeed(*attached(namespace, topic_names)), opens_browser=True,
              announce=tell_address)
    except Interruption:
        pass
    except RacecarError as error:
        tell_failure(error)
