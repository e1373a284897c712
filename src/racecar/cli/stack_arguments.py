# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Options that `demo`, `up` and `simulate` share."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
import sys
from typing import Any

from racecar.cli.output import print_rows
from racecar.core.analysis.metrics import Metrics
from racecar.core.errors import ConfigurationError
from racecar.core.share import vehicle_names
from racecar.core.trajectories import TRAJECTORIES
from racecar.core.tyres import TYRE_MODELS
from racecar.stacks import parse_overrides, StackOptions, STACKS


def add_stack_arguments(parser: argparse.ArgumentParser, *, with_name: bool = True) -> None:
    """Declare what chooses and changes a configuration."""
    if with_name:
        parser.add_argument('name', metavar='NAME', help=f"configuration: {', '.join(STACKS)}")
    parser.add_argument(
        '--vehicle', default='racecar',
        help=f"{', '.join(vehicle_names())}, or a parameter file (default: racecar)")
    parser.add_argument(
        '--trajectory', help=f"{', '.join(TRAJECTORIES)}, or the report's number")
    parser.add_argument('--tyre-model', help=f"{', '.join(TYRE_MODELS)}, or the number")
    parser.add_argument('--params-file', help='ROS parameter file, goes over those of config/')
    parser.add_argument(
        '--set', action='append', default=[], metavar='NODE.PARAMETER=VALUE', dest='settings',
        help='override any parameter, e.g. trajectory_tracker.Kp=3.0; may be repeated')


def add_result_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what becomes of the result of a run."""
    parser.add_argument(
        '--skip', type=_seconds, default=0.0, metavar='SECONDS',
        help='leave the start out of the metrics (default: 0)')
    parser.add_argument('--csv', type=Path, metavar='FILE', help='write the run as CSV, SI units')
    parser.add_argument(
        '--json', action='store_true',
        help='print one JSON object with the metrics on stdout, everything else on stderr')


def check_result_arguments(arguments: argparse.Namespace) -> None:
    """Raise ConfigurationError before a run if its results could not be kept after it."""
    if arguments.csv is not None and not arguments.csv.parent.is_dir():
        raise ConfigurationError(
            f"--csv '{arguments.csv}': the folder '{arguments.csv.parent}' does not exist;"
            ' make it or name another')
    if arguments.duration is not None and arguments.skip >= arguments.duration:
        raise ConfigurationError(
            f'--skip is {arguments.skip:g} s, expected less than the duration'
            f' ({arguments.duration:g} s)')


def add_duration_argument(parser: argparse.ArgumentParser, default: float | None) -> None:
    """Declare --duration [s]; None runs until interrupted."""
    shown = 'until Ctrl-C' if default is None else f'{default:g}'
    parser.add_argument(
        '--duration', type=_duration, default=default, metavar='SECONDS',
        help=f'simulated time (default: {shown})')


def add_tyre_data_argument(parser: argparse.ArgumentParser) -> None:
    """Declare --tyre-data."""
    parser.add_argument(
        '--tyre-data', action='store_true',
        help='record slip and forces of each wheel too; takes more time')


def non_negative(text: str) -> float:
    """Parse a number of at least 0, for argparse."""
    value = _number(text)
    if value < 0.0:
        raise argparse.ArgumentTypeError(f'{text} is negative, expected a number of at least 0')
    return value


_seconds = non_negative


def _duration(text: str) -> float:
    value = _number(text)
    if not 0.0 < value <= 1e7:
        raise argparse.ArgumentTypeError(f'{text} s, expected seconds above 0 and up to 1e7')
    return value


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f'{text!r} is not a number') from None
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f'{text} is not finite')
    return value


def stack_options(arguments: argparse.Namespace, **more: Any) -> StackOptions:
    """Return the options that the shared arguments stand for."""
    return StackOptions(
        vehicle=arguments.vehicle, trajectory=arguments.trajectory,
        tyre_model=arguments.tyre_model, params_file=arguments.params_file,
        overrides=parse_overrides(arguments.settings), **more)


def check_rivals(rivals: list[str]) -> None:
    """Raise ConfigurationError if somebody else took part in a run."""
    if rivals:
        raise ConfigurationError(f"the result is not to be trusted: {'; '.join(rivals)}")


def report_run(
        arguments: argparse.Namespace, metrics: Metrics, span: float, wall_time: float) -> None:
    """Print metrics and where the CSV lies, as --json and --csv ask.

    span: simulated time [s].
    """
    speed = span / wall_time if wall_time > 0.0 else 0.0
    if arguments.json:
        print(json.dumps({**metrics.as_dict(), 'real_time_factor': speed}))
    else:
        print_rows([*metrics.as_rows(), ('real-time factor', f'{speed:.1f}', '')])
    if arguments.csv is not None:
        print(f'Run: {arguments.csv}', file=sys.stderr if arguments.json else sys.stdout)
