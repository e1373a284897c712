# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run that is made again from its run.yaml, and what `simulate` and `up` keep of a run."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
import contextlib
from dataclasses import replace
import datetime
from pathlib import Path
import sys

from racecar.base.errors import ConfigurationError
from racecar.base.run_file import CSV_NAME, NAME, read_run_file, run_file_beside, RunFile
from racecar.cli.output import made_folder, typed_command
from racecar.cli.stack_arguments import OPTION_DEFAULTS, stack_options
from racecar.metrics.tracking_error import Metrics
from racecar.stacks import NodeDescription, parse_overrides, StackOptions
from racecar.stacks.options import run_options
from racecar.stacks.parts import SHARED
from racecar.stacks.run_files import (
    cautions,
    describe_run,
    options_of,
    unverified_program,
)

# Of the options that shape a run these may be given beside --from.
_BESIDE = ('end_time', 'overrides', 'record', 'faults')


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --from, and the folder in which a run is kept with its report."""
    parser.add_argument(
        '--from', dest='run_file', type=Path, metavar='FILE',
        help=f'make a run again, to the bit: a {NAME}, or the folder of a run or bag that holds'
             ' one; NAME and the options that shape a run are left out then, but --set goes over'
             ' it')
    parser.add_argument(
        '--trust', action='store_true',
        help='with --from: run the controller that the file names even if it is another file than'
             ' that of the run')
    parser.add_argument(
        '--report', action='store_true',
        help=f'keep the run in a folder: {CSV_NAME}, {NAME} and report.html with figures')
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FOLDER',
        help='the folder of --report; must not exist (default: runs/COMMAND-DATE-TIME)')


def chosen_run(way: str, arguments: argparse.Namespace) -> tuple[str, StackOptions]:
    """Configuration and the options that NAME or --from stand for.

    Says on stderr why a run made again may differ. Without --skip the run file says how much of
    the start is left out of the metrics. Raises ConfigurationError unless there is
    exactly one of the two, or for options that contradict --from.
    """
    name, options, file = _chosen(way, arguments)
    if arguments.skip is None:
        arguments.skip = 0.0 if file is None else file.skip
    return name, options


def _chosen(
    way: str, arguments: argparse.Namespace,
) -> tuple[str, StackOptions, RunFile | None]:
    if arguments.run_file is None:
        if arguments.name is None:
            raise ConfigurationError(
                f'no configuration is named: give NAME, or --from with a {NAME}')
        return arguments.name, stack_options(way, arguments), None
    _check_only_from(way, arguments)
    file = read_run_file(arguments.run_file)
    options = options_of(file, way)
    unverified = unverified_program(file)
    if unverified is not None and not arguments.trust:
        raise ConfigurationError(
            f'{unverified}, and would be executed; read it, and add --trust to run it')
    for text in cautions(file, way):
        print(f'warning: the run may differ from that of {arguments.run_file}: {text}',
              file=sys.stderr)
    overrides = _merged(options.overrides, parse_overrides(arguments.overrides))
    if arguments.end_time is getattr(arguments, OPTION_DEFAULTS)['end_time'] and (
            options.end_time is not None):
        arguments.end_time = options.end_time
    elif arguments.end_time is not None:
        # The length of the run stands among the parameters, too.
        for values in overrides.values():
            values.pop('end_time', None)
    return file.configuration, replace(
        options, overrides=overrides, end_time=arguments.end_time,
        record=getattr(arguments, 'record', None),
        faults=tuple(getattr(arguments, 'faults', ())) or options.faults), file


def _check_only_from(way: str, arguments: argparse.Namespace) -> None:
    """Raise ConfigurationError for a name or an option that contradicts --from."""
    given = [row.flag for row in run_options(way)
             if row.name not in _BESIDE
             and getattr(arguments, row.name) is not getattr(arguments, OPTION_DEFAULTS)[row.name]]
    if arguments.name is not None:
        given.insert(0, arguments.name)
    if given:
        raise ConfigurationError(
            f"{', '.join(given)} contradicts --from, which says how the run was made; leave it"
            ' out, or use --set to change a parameter')


def _merged(
    recorded: Mapping[str, Mapping[str, object]], given: Mapping[str, Mapping[str, object]],
) -> dict[str, dict[str, object]]:
    """Put the parameters of --set over those of a run file, whose names may be full ones."""
    overrides = {node: dict(values) for node, values in recorded.items()}
    for node, values in given.items():
        if node in SHARED:
            # The file has the vehicle of each node, which would go over this.
            of_all = {f'{node}.{key}': value for key, value in values.items()}
            for known in overrides.values():
                known.update({key: value for key, value in of_all.items() if key in known})
        name = next((full for full in overrides if full.rpartition('/')[2] == node), node)
        overrides.setdefault(name, {}).update(values)
    return overrides


def check_run_folder(arguments: argparse.Namespace, way: str) -> None:
    """Choose the folder of --report. Raises ConfigurationError if it exists already."""
    if arguments.output is not None:
        arguments.report = True
    elif arguments.report:
        arguments.output = Path('runs') / f'{way}-{datetime.datetime.now():%Y%m%d-%H%M%S}'
    if arguments.output is not None and arguments.output.exists():
        raise ConfigurationError(
            f"--output '{arguments.output}' exists already, not overwriting it; name another"
            ' folder')


def run_folder(arguments: argparse.Namespace) -> contextlib.AbstractContextManager[None]:
    """Make the folder of --report before the run, as made_folder()."""
    return made_folder(arguments.output) if arguments.report else contextlib.nullcontext()


def csv_files(arguments: argparse.Namespace) -> list[Path]:
    """CSV files to write."""
    files = [] if arguments.csv is None else [arguments.csv]
    if arguments.report:
        files.append(arguments.output / CSV_NAME)
    return files


def how_made(
    way: str, configuration: str, options: StackOptions, descriptions: Sequence[NodeDescription],
    skip: float = 0.0,
) -> RunFile:
    """How this command makes its run; skip: seconds that its metrics leave out."""
    return describe_run(way, configuration, options, descriptions, typed_command(), skip)


def keep_run(
    arguments: argparse.Namespace, files: Sequence[Path], made: RunFile, metrics: Metrics,
) -> None:
    """Put run.yaml beside the CSV files, write the report, and say where they lie.

    Raises ConfigurationError for what cannot be written.
    """
    for file in files:
        made.write(run_file_beside(file))
    out = sys.stderr if arguments.json else sys.stdout
    if arguments.csv is not None:
        print(f'Run: {arguments.csv}', file=out)
    if arguments.report:
        # Imported here, so that `racecar --help` does not wait for them.
        from racecar.bags.runs import read_run
        from racecar.cli.analyze import write_analysis

        run = read_run(arguments.output, needs_reference=True)
        assert run.tracking is not None
        run = replace(run, tracking=replace(
            run.tracking, name=f'{made.configuration}, {arguments.output.name}',
            collisions=metrics.collisions))
        places = write_analysis(run, arguments.output, skip=arguments.skip).places
        print('\n'.join([f'Run: {arguments.output}', *places]), file=out)
