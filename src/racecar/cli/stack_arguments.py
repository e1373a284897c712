# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The run options as arguments of `demo`, `up` and `simulate`, and what becomes of results."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
import json
from pathlib import Path
import sys

from racecar.base.errors import ConfigurationError
from racecar.cli.choices import completed_as_file, Suggestions
from racecar.cli.number_types import number
from racecar.cli.output import print_rows
from racecar.control.custom_controller import CONTROLLER
from racecar.metrics.tracking_error import Metrics
from racecar.stacks import parse_overrides, StackOptions, STACKS
from racecar.stacks.options import from_values, NamedOption, run_options, RunOption

OPTION_DEFAULTS = 'option_defaults'
"""Where the arguments hold the defaults of the run options, to tell what was given."""


def add_name_argument(
    parser: argparse.ArgumentParser, *, tracking: bool = False, optional: bool = False,
    driving: bool = False,
) -> None:
    """Declare the name of a configuration.

    tracking: one that follows a trajectory; driving: or one that drives without.
    """
    names = [stack.name for stack in STACKS.values()
             if stack.closes_loop or not tracking or (driving and stack.driver is not None)]
    parser.add_argument('name', metavar='NAME', nargs='?' if optional else None,
                        choices=Suggestions(names),
                        help=f"configuration: {', '.join(names)}")


def add_stack_arguments(parser: argparse.ArgumentParser, way: str, **defaults: object) -> None:
    """Declare the run options of a way to run; defaults: where the command has others."""
    rows = list(run_options(way))
    for row in rows:
        _add_option(parser, row, defaults.get(row.name, row.default))
    parser.set_defaults(
        **{OPTION_DEFAULTS: {row.name: parser.get_default(row.name) for row in rows}})


def add_controller_argument(parser: argparse.ArgumentParser, way: str) -> None:
    """Declare only the options that choose a custom controller."""
    for row in run_options(way):
        if row.name in (CONTROLLER, 'policy'):
            _add_option(parser, row, row.default)


def _add_option(parser: argparse.ArgumentParser, row: NamedOption, default: object) -> None:
    name, _, option = row
    if option.type in (dict, tuple):
        parser.add_argument(
            row.flag, dest=name, action='append', default=[], metavar=option.metavar,
            help=f'{option.help}; may be repeated')
    elif option.type is bool:
        parser.add_argument(
            row.flag, dest=name, action='store_false' if default else 'store_true',
            help=option.off_help or option.help)
    else:
        listed = option.choices or option.suggestions
        action = parser.add_argument(
            row.flag, dest=name, type=_PARSERS.get(name, str), default=default,
            choices=Suggestions(listed()) if listed else None,
            metavar=option.metavar or name.upper(), help=_help(option, default))
        if option.is_path and not listed:
            completed_as_file(action)


def _help(option: RunOption, default: object) -> str:
    listed = option.choices or option.suggestions
    names = f": {', '.join(listed())}" if listed else ''
    shown = '' if default in (None, '') else f' (default: {default})'
    return f'{option.help}{names}{shown}'


def add_result_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what becomes of the result of a run."""
    parser.add_argument(
        '--skip', type=number(0.0), metavar='SECONDS',
        help='leave the start out of the metrics (default: 0, with --from as that run)')
    completed_as_file(parser.add_argument(
        '--csv', type=Path, metavar='FILE', help='write the run as CSV, SI units'))
    parser.add_argument(
        '--json', action='store_true',
        help='print one JSON object with the metrics on stdout, everything else on stderr')


def check_result_arguments(arguments: argparse.Namespace) -> None:
    """Raise ConfigurationError before a run if its results could not be kept after it."""
    if arguments.csv is not None and not arguments.csv.parent.is_dir():
        raise ConfigurationError(
            f"--csv '{arguments.csv}': the folder '{arguments.csv.parent}' does not exist;"
            ' make it or name another')
    if arguments.csv is not None and arguments.csv.is_dir():
        raise ConfigurationError(
            f"--csv '{arguments.csv}' is a folder, expected a file; add a name")
    if arguments.end_time is not None and arguments.skip >= arguments.end_time:
        raise ConfigurationError(
            f'--skip is {arguments.skip:g} s, expected less than the duration'
            f' ({arguments.end_time:g} s)')


# Ranges beyond those of the parameters; others are checked with these.
_PARSERS: dict[str, Callable[[str], float]] = {
    'end_time': number(0.0, 1e7, above=True), 'real_time_factor': number(0.0),
    'control_rate': number(0.0, 1e6, above=True)}


def stack_options(way: str, arguments: argparse.Namespace, **more: object) -> StackOptions:
    """Options that the arguments stand for; more: options that take precedence."""
    given = {row.name: getattr(arguments, row.name) for row in run_options(way)}
    given['overrides'] = parse_overrides(given['overrides'])
    for name, _, option in run_options(way):
        if option.type is tuple:
            given[name] = option.values_of(given[name])
    return from_values({**given, **more})


def check_conflicts(conflicts: list[str]) -> None:
    """Raise ConfigurationError if somebody else took part in a run."""
    if conflicts:
        raise ConfigurationError(f"the result is not to be trusted: {'; '.join(conflicts)}")


def report_run(
        arguments: argparse.Namespace, metrics: Metrics, span: float, wall_time: float,
        warnings: Sequence[str] = ()) -> None:
    """Print metrics as --json asks.

    span: simulated time [s]; warnings: what a reader of the numbers should know, for stderr.
    """
    speed = span / wall_time if wall_time > 0.0 else 0.0
    for text in warnings:
        print(f'warning: {text}', file=sys.stderr)
    if arguments.json:
        print(json.dumps({**metrics.as_dict(), 'real_time_factor': speed}))
    else:
        print_rows([*metrics.as_rows(), ('real-time factor', f'{speed:.1f}', '')])
