# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar race`: cars race by the rules of a file, and a race is driven again from its inputs."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
from pathlib import Path
import sys

from racecar.analysis.race_report import cells_of, head_of
from racecar.base.environment import differences, hash_of_file, present_environment
from racecar.base.errors import ConfigurationError, RunError
from racecar.base.share import find_race, race_names
from racecar.cli.choices import completed_as_file
from racecar.cli.output import made_folder, print_table, ProgressBar, typed_command
from racecar.facade.race_file import read_race
from racecar.facade.race_results import REPORT, summary, write_results
from racecar.facade.race_run import (
    drive_again,
    drive_race,
    KeptRace,
    longest,
    RaceResult,
    read_inputs,
    write_inputs,
)
from racecar.signals import raising_on_signals


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar race`."""
    parser.description = (
        'Let cars race without ROS: time trial, qualifying, head to head or past obstacles, judged'
        ' by the rules of RoboRacer. Writes standings, events, laps, a page, and the commands of'
        ' all cars, from which alone --replay drives the race again to the bit. docs/races.md.')
    completed_as_file(parser.add_argument(
        'file', metavar='FILE', nargs='?',
        help=f"race, by name or as a file ({', '.join(race_names())})"))
    parser.add_argument(
        '--replay', type=Path, metavar='FOLDER',
        help='drive a race again from the commands in its folder, in place of FILE, and say'
             ' whether it has the same bits')
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FOLDER',
        help='where results go; must not exist (default: runs/race-DATE-TIME; with --replay'
             ' nothing is written without it)')
    parser.add_argument('--json', action='store_true',
                        help='print one JSON object with the standings on stdout')


def run(arguments: argparse.Namespace) -> int:
    """Race, or drive a race again; returns 0.

    Raises RacecarError with a one-line message; RunError if a replay has other bits.
    """
    if (arguments.file is None) == (arguments.replay is None):
        raise ConfigurationError('give FILE or --replay FOLDER, one of the two')
    output = arguments.output
    if output is None and arguments.replay is None:
        output = Path('runs') / f'race-{datetime.datetime.now():%Y%m%d-%H%M%S}'
    if output is not None and output.exists():
        raise ConfigurationError(
            f"--output '{output}' exists already, not overwriting it; name another folder")
    kept = None if arguments.replay is None else read_inputs(arguments.replay)
    with contextlib.nullcontext() if output is None else made_folder(output):
        if kept is None:
            file = find_race(arguments.file)
            title, race = file.stem, read_race(file)
            for line in race.warnings:
                print(f'warning: {line}', file=sys.stderr)
            with raising_on_signals(), ProgressBar(longest(race.plan), 'racing') as show:
                result = drive_race(race, show)
        else:
            title = arguments.replay.name
            for line in _changes(kept):
                print(f'warning: {line}', file=sys.stderr)
            with raising_on_signals(), ProgressBar(longest(kept.plan), 'racing again') as show:
                result = drive_again(kept.plan, kept.inputs, show)
        _show(result, as_json=arguments.json)
        if output is not None:
            write_inputs(result, output, typed_command())
            # Pages and films take as long as a race.
            write_results(result, output, title, typed_command())
            print(f'Results: {output}', f'Report: {output / REPORT}', sep='\n',
                  file=sys.stderr if arguments.json else sys.stdout)
    if kept is not None and result.digest != kept.digest:
        raise RunError(
            f'the race was another one: its digest is {result.digest}, that of'
            f" '{arguments.replay}' is {kept.digest}")
    if kept is not None:
        print('The race has the same bits.', file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _changes(kept: KeptRace) -> list[str]:
    """Why a race that is driven again may have other bits: one sentence each, none if it does."""
    found = [f'{name} is {now} now, was {then}'
             for name, then, now in differences(kept.environment, present_environment())]
    for name, then in kept.files.items():
        path = Path(name)
        if not path.is_file() or hash_of_file(path) != then:
            found.append(f'file {name} has changed or is gone')
    return found


def _show(result: RaceResult, *, as_json: bool) -> None:
    """Print the standings at once, also where stdout is no terminal."""
    kind = result.plan.rules.format
    if as_json:
        print(json.dumps(summary(result), allow_nan=False), flush=True)
    else:
        print_table(head_of(kind), [cells_of(kind, row) for row in result.standings])
    print(f'Digest: {result.digest}', file=sys.stderr if as_json else sys.stdout, flush=True)
