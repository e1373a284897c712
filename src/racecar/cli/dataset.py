# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Datasets of sweeps: made in parts, analysed, compared; what several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
import json
from pathlib import Path
import shlex
import sys
from typing import TYPE_CHECKING

import numpy as np

from racecar.base.errors import ConfigurationError
from racecar.base.parameters import suggestion
from racecar.cli.number_types import number, whole
from racecar.cli.output import print_rows, print_table, ProgressBar, typed_command
from racecar.facade.chunks import Cores
from racecar.facade.cluster import Cluster, LOCAL, open_cores, TIMEOUT
from racecar.facade.datasets import (
    DatasetWriter,
    FAILURE,
    open_dataset,
    Outcome,
    raise_lost,
    Rows,
    run_into,
    SweepDataset,
    SweepRows,
)
from racecar.facade.node_processes import open_runners
from racecar.facade.sweep_parts import UNITS
from racecar.facade.sweeps import MOST_JOBS
from racecar.faults.plant import FAULTS
from racecar.metrics.quantities import DEFAULT_METRIC
from racecar.signals import raising_on_signals
from racecar.stacks.sweep import Sweep

if TYPE_CHECKING:
    from racecar.analysis.dataset_report import SweptColumns

_NO_METRICS = 'samples', 'duration', 'tracked_ahead', 'diverged_at'


def add_jobs_argument(parser: argparse.ArgumentParser, where: str = '') -> None:
    """Declare --jobs; where: with which other option it counts."""
    parser.add_argument(
        '--jobs', type=whole(range(1, MOST_JOBS + 1)), metavar='N',
        help=f"cores to use{f' {where}' if where else ''} (default: all)")


def add_scheduler_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --scheduler and --timeout."""
    parser.add_argument(
        '--scheduler', metavar='ADDRESS',
        help=f"run on the workers of a Dask scheduler, tcp://HOST:8786, or '{LOCAL}' for processes"
             ' on this machine')
    parser.add_argument(
        '--timeout', type=number(0.0), metavar='SECONDS', default=TIMEOUT,
        help='with --scheduler: time after which a worker that is at a part of the points counts'
             ' as hung (default: %(default)g)')


def cores_of(arguments: argparse.Namespace) -> AbstractContextManager[Cores | Cluster]:
    """What runs the points, by --scheduler, --jobs and --timeout; raises as open_cores()."""
    return open_cores(*_cores(arguments))


def _cores(
    arguments: argparse.Namespace,
) -> tuple[str | None, int | None, float, Callable[[str], object]]:
    return (arguments.scheduler, arguments.jobs, arguments.timeout,
            lambda text: print(text, file=sys.stderr))


def command_to_resume(arguments: argparse.Namespace, output: Path) -> str:
    """The command as typed, but that it goes on with what lies in a folder."""
    return ' '.join([
        typed_command(),
        *([f'-o {shlex.quote(str(output))}'] if arguments.output is None else []),
        *([] if arguments.resume else ['--resume'])])


def make_dataset(
    sweep: Sweep, output: Path, arguments: argparse.Namespace, command: str,
) -> None:
    """Run a sweep into a dataset and analyse it; command: as typed.

    Raises RacecarError; RunError for points without a row, when all others have theirs.
    """
    outcome = write_dataset(
        SweepRows(sweep), output, arguments, command, arguments.file, 'points')
    show_dataset(open_dataset(output), output, as_json=arguments.json)
    raise_lost(outcome, sweep)


def write_dataset(
    rows: Rows, output: Path, arguments: argparse.Namespace, command: str, file: Path, unit: str,
) -> Outcome:
    """Run a sweep into a dataset; command: as typed; file: of the sweep; unit: of its points.

    Raises RacecarError.
    """
    sweep = rows.sweep
    count = len(sweep.points)
    with open_runners(sweep, *_cores(arguments)) as cores:
        writer = DatasetWriter(
            output, rows, command, file=str(file.resolve()), resume=arguments.resume)
        try:
            with raising_on_signals(), ProgressBar(count, 'simulating', unit) as show:
                outcome = run_into(writer, cores, sweep, show,
                                   lambda text: print(text, file=sys.stderr))
        except KeyboardInterrupt:
            left = sum(points for _, points in writer.missing)
            print(f'racecar {arguments.command}: {count - left} of {count} {unit} are kept; go on'
                  f' with {command_to_resume(arguments, output)}', file=sys.stderr)
            raise
    _warn(outcome, count)
    return outcome


def _warn(outcome: Outcome, count: int) -> None:
    if outcome.unmade:
        print(f'warning: {outcome.unmade} of {count} points cannot be run, the first:'
              f' {outcome.warning}', file=sys.stderr)


def show_dataset(
    dataset: SweepDataset, output: Path, *, metric: str = DEFAULT_METRIC,
    over: Sequence[str] | None = None, as_json: bool = False,
) -> None:
    """Print quantiles of a dataset and write report and table to a folder.

    metric: of maps and of the worst points; over: parameters of the maps, by default the first
    four. Raises ConfigurationError for names that there are not.
    """
    from racecar.analysis.dataset_report import (
        dataset_report,
        quantile_rows,
        QUANTILES,
        worst_points,
    )
    from racecar.analysis.tables import write_csv

    check_names('--metric', [metric], UNITS)
    check_names('--over', over or [], dataset.names)
    swept = columns_of(dataset, dataset.folder.name)
    rows = [*quantile_rows(swept)]
    numbers = dataset.column('point')
    worst = worst_points(swept, metric)
    listed = [int(numbers[row]) for row in worst]
    commands = dataset.commands_of(listed) if listed else []
    lost = int(swept.lost.sum())
    about = [('points', str(dataset.count), ''), ('done', str(len(numbers)), ''),
             ('diverged or failed', str(lost), '')]
    # Faults in one line are of each run alone.
    over = over or [name for name in dataset.names if name != FAULTS][:4]
    page = dataset_report(
        swept, metric, over, about, [*zip(worst, commands, strict=True)],
        [('Command', dataset.file.command), ('Made', dataset.file.made),
         *((name, str(value)) for name, value in dataset.file.environment.items())])
    output.mkdir(parents=True, exist_ok=True)
    report, table = output / 'report.html', output / 'quantiles.csv'
    page.write(report)
    write_csv(table, ['metric', 'unit', *QUANTILES, 'mean'], [
        [row.name, row.unit, *row.values, row.mean] for row in rows], '--output')
    if as_json:
        print(json.dumps({
            'points': dataset.count, 'done': len(numbers), 'lost': lost,
            'quantiles': {row.name: dict(zip((*QUANTILES, 'mean'), (*row.values, row.mean),
                                             strict=True)) for row in rows},
            'worst': [{'point': point, 'command': command}
                      for point, command in zip(listed, commands, strict=True)],
            'report': str(report), 'table': str(table)}))
    else:
        print_rows(about)
        print_table(['', *QUANTILES, 'mean', ''], [
            [row.name, *texts, unit] for row in rows for texts, unit in [row.texts()]])
        if commands:
            print(f'The worst by {metric}: {commands[0]}')
    print(f'Dataset: {dataset.folder}\nTable: {table}\nReport: {report}',
          file=sys.stderr if as_json else sys.stdout)


def columns_of(dataset: SweepDataset, title: str) -> SweptColumns:
    """A dataset for the pages and tables of racecar.analysis."""
    from racecar.analysis.dataset_report import SweptColumns

    failed = dataset.column(FAILURE)
    lost = np.array([text is not None for text in failed.tolist()], dtype=bool)
    lost |= ~np.isnan(dataset.column('diverged_at'))
    return SweptColumns(
        title, dataset.names, dataset.units,
        {name: unit for name, unit in UNITS.items() if name not in _NO_METRICS},
        dataset.column, lost)


def check_names(option: str, given: Sequence[str], known: Mapping[str, str] | Sequence[str],
                ) -> None:
    """Raise ConfigurationError for a name that is not known."""
    for name in given:
        if name not in known:
            raise ConfigurationError(
                f"{option} '{name}' is unknown, expected one of {', '.join(known)}"
                f'{suggestion(name, known)}')
