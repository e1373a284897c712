# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the commands topic, node, param and service have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
import os
import sys
from typing import Any

Run = Callable[[argparse.Namespace], int]

_VERB = 'verb'


class Verbs:
    """The subcommands of a command, as those of ros2."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self._subparsers = parser.add_subparsers(dest=_VERB, required=True, metavar='VERB')

    def add(self, name: str, run: Run, help_text: str) -> argparse.ArgumentParser:
        """Add one, with the options that all have."""
        parser = self._subparsers.add_parser(
            name, help=help_text, description=f'{help_text[0].upper()}{help_text[1:]}.')
        parser.add_argument(
            '--spin-time', type=seconds, metavar='SECONDS',
            help='how long to look for other nodes (default: until nothing new is found)')
        parser.set_defaults(run_verb=run)
        return parser


def seconds(text: str) -> float:
    """Parse a time, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 < value < 1e6:
        raise argparse.ArgumentTypeError(f'{text!r}, expected a number above 0')
    return value


def count(text: str) -> int:
    """Parse a number of things, for argparse."""
    if not text.isdecimal() or not 0 < int(text) < 10**9:
        raise argparse.ArgumentTypeError(f'{text!r}, expected a whole number above 0')
    return int(text)


def print_names(names: Sequence[tuple[str, Sequence[str]]], *, types: bool) -> None:
    """Print names, and their types in brackets if these are wanted."""
    for name, kinds in names:
        print(f"{name} [{', '.join(kinds)}]" if types else name)


def say(text: Any) -> None:
    """Print at once, also into a pipe."""
    print(text, flush=True)


def warn_if_nobody(found: Sequence[Any], what: str) -> None:
    """Say on stderr that nothing was found, and where to look."""
    if not found:
        domain = os.environ.get('ROS_DOMAIN_ID') or '0'
        print(f'no {what} found in ROS domain {domain}; does a stack run there? ROS_DOMAIN_ID'
              ' chooses another', file=sys.stderr)
