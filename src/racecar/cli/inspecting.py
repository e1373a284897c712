# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the commands topic, node, param and service have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
import os
import sys
from typing import TYPE_CHECKING

from racecar.cli.number_types import number

if TYPE_CHECKING:
    from racecar.clients.inspection.inspector import Inspector

Run = Callable[['Inspector', argparse.Namespace], object]
Block = Callable[[argparse.ArgumentParser], None]
"""Declares arguments that several verbs share."""

Found = Sequence[tuple[str, Sequence[str]]]
"""Names and their types."""


class Verbs:
    """The subcommands of a command, as those of ros2."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self._subparsers = parser.add_subparsers(dest='verb', required=True, metavar='VERB')

    def add(
        self, name: str, run: Run, help_text: str, *blocks: Block,
    ) -> argparse.ArgumentParser:
        """Add one, with the options that all have and the arguments of its blocks."""
        parser = self._subparsers.add_parser(
            name, help=help_text, description=f'{help_text[0].upper()}{help_text[1:]}.')
        for declare in (_declare_spin_time, *blocks):
            declare(parser)
        parser.set_defaults(run_verb=run)
        return parser

    def add_list(self, what: str, run: Run) -> None:
        """Add `list` of what has names and types; run prints it by print_found()."""
        verb = self.add('list', run, f'list the {what}')
        verb.add_argument('-t', '--show-types', action='store_true', help='with their types')
        verb.add_argument('-c', f'--count-{what}', dest='only_count', action='store_true',
                          help='only how many')
        verb.add_argument(f'--include-hidden-{what}', dest='with_hidden', action='store_true',
                          help='also hidden ones')


def _declare_spin_time(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        '--spin-time', type=number(0.0, 1e6, above=True), metavar='SECONDS',
        help='how long to look for other nodes (default: until nothing new is found)')


def named(what: str) -> Block:
    """Block of the verbs that take the name of one topic, node or service."""
    def declare(parser: argparse.ArgumentParser) -> None:
        parser.add_argument(what, metavar=what.upper())

    return declare


def valued(example: str) -> Block:
    """Block of the verbs that take a type, as in the example, and the values of its fields."""
    def declare(parser: argparse.ArgumentParser) -> None:
        parser.add_argument('type', metavar='TYPE', help=f'as {example}')
        parser.add_argument(
            'values', metavar='VALUES', nargs='?', default='{}',
            help="YAML of the fields, as '{data: true}'; others have their defaults")

    return declare


def run(arguments: argparse.Namespace) -> int:
    """Run a verb; returns 0. Raises RacecarError with a one-line message."""
    from racecar.clients.inspection.inspector import Inspector

    with Inspector(arguments.spin_time) as inspector:
        arguments.run_verb(inspector, arguments)
    return 0


def print_found(found: Found, what: str, arguments: argparse.Namespace) -> None:
    """Print what `list` asks for: names, with their types in brackets, or only how many."""
    warn_if_nobody(found, what)
    if arguments.only_count:
        print(len(found))
        return
    for name, kinds in found:
        print(f"{name} [{', '.join(kinds)}]" if arguments.show_types else name)


def say(text: object) -> None:
    """Print at once, also into a pipe."""
    print(text, flush=True)


def warn_if_nobody(found: Sequence[object], what: str) -> None:
    """Say on stderr that nothing was found, and where to look."""
    if not found:
        domain = os.environ.get('ROS_DOMAIN_ID') or '0'
        print(f'no {what} found in ROS domain {domain}; does a stack run there? ROS_DOMAIN_ID'
              ' chooses another', file=sys.stderr)
