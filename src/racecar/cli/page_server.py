# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Options of the commands that serve the page of the cockpit, and how they serve it."""

from __future__ import annotations

import argparse
import webbrowser

from racecar.cli.number_types import whole
from racecar.cockpit.access import check_server, FIRST_PORT, LOOPBACK
from racecar.cockpit.feed import Feed


def add_server_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the page is served."""
    parser.add_argument(
        '--port', type=whole(range(1, 65536), 'port'), metavar='PORT',
        help=f'port of the page (default: the first that is free from {FIRST_PORT} on)')
    parser.add_argument(
        '--host', default=LOOPBACK, metavar='ADDRESS',
        help='address at which the page is served, 0.0.0.0 for all of this computer; whoever has'
             ' the printed URL with its token can then watch and drive'
             f' (default: {LOOPBACK}, for this computer only)')
    parser.add_argument('--open', action='store_true', help='open the page in the browser')


def serve_feed(feed: Feed, arguments: argparse.Namespace, note: str = '') -> None:
    """Serve a feed until it ends; note: a line below the address of the page.

    Raises what serve() raises, and ConfigurationError.
    """
    check_server()
    from racecar.cockpit.serving import serve

    serve(feed, host=arguments.host, port=arguments.port,
          open_page=webbrowser.open if arguments.open else None,
          announce=lambda text: print('\n'.join(filter(None, (text, note))), flush=True))
