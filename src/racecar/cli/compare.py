# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar compare`: runs side by side, as a table and as an HTML report."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import datetime
import json
from pathlib import Path
import sys
from typing import NamedTuple, TYPE_CHECKING

from racecar.base.errors import ConfigurationError, RacecarError
from racecar.base.run_file import NAME, read_run_file
from racecar.cli.analyze import naming, progress_bar
from racecar.cli.choices import add_car_argument, completed_as_file
from racecar.cli.dataset import add_jobs_argument, add_scheduler_arguments, columns_of, cores_of
from racecar.cli.number_types import named_numbers, number, whole
from racecar.cli.output import print_table, ProgressBar
from racecar.facade.chunks import Cores
from racecar.facade.cluster import Cluster
from racecar.facade.datasets import is_dataset, open_dataset
from racecar.facade.repetition import repeated, Repetition, START
from racecar.facade.sweeps import SweepResult
from racecar.metrics.quantities import DEFAULT_METRIC
from racecar.metrics.settling import BAND
from racecar.simulation.batch_result import Noise
from racecar.stacks.run_files import unverified_program

if TYPE_CHECKING:
    from racecar.analysis.comparison import ComparedRun
    from racecar.analysis.html_page import HtmlPage
    from racecar.bags.runs import ChosenRun

_MOST_REPETITIONS = 100_000
_OF_SEEDS = ('noise', 'start', 'trust', 'jobs', 'scheduler')
_OF_RUNS = ('car', 'settled_from', 'odometry_topic', 'reference_topic')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar compare`."""
    parser.description = (
        'Print the metrics of some runs side by side and write an HTML report: paths over each'
        ' other, speed, steering and errors over time, g-g diagram, and what was set differently'
        ' in runs that have a run.yaml. With --seeds each run is simulated again many times with'
        ' noise and other starts, and compared by means, confidence intervals and differences of'
        ' pairs. ROS is not needed.')
    parser.add_argument(
        'runs', type=Path, nargs='+', metavar='RUN',
        help='folder of a run, bag (folder, .mcap or .db3) or CSV file; at least two. With --seeds'
             f' a {NAME}, or what has one beside it. Or datasets of sweeps, compared by quantiles.'
             ' One folder or bag of several cars is enough: they stand side by side')
    add_car_argument(parser, 'all, side by side')
    parser.add_argument(
        '--skip', type=number(0.0), metavar='SECONDS',
        help='leave out the first seconds of each run (default: as many as the run itself did, by'
             ' its run.yaml)')
    parser.add_argument(
        '--settled-from', type=number(0.0), metavar='SECONDS',
        help='time from which each run counts as settled (default: when its error stays within'
             f' {BAND:.0%}% of its largest value)')
    parser.add_argument(
        '--odometry-topic', metavar='T', help='of the bags, as for racecar analyze')
    parser.add_argument(
        '--reference-topic', metavar='T', help='of the bags, as for racecar analyze')
    parser.add_argument(
        '--seeds', type=whole(range(2, _MOST_REPETITIONS + 1)), metavar='N',
        help='simulate each run N times with --noise and --start')
    parser.add_argument(
        '--noise', type=named_numbers(tuple(Noise.__dataclass_fields__)), metavar='NAME=SIGMA,...',
        help='standard deviations of white noise, SI units: of what the controller measures'
             ' x, y, yaw, vx, vy, yaw_rate; of the motion lateral, turning')
    parser.add_argument(
        '--start', type=named_numbers(START), metavar='NAME=SIGMA,...',
        help='standard deviations of the pose at the start: x, y [m], yaw [rad]')
    add_jobs_argument(parser, 'with --seeds')
    add_scheduler_arguments(parser)
    parser.add_argument(
        '--trust', action='store_true',
        help='with --seeds: run the controller that a file names even if it is another file than'
             ' that of the run')
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FOLDER',
        help='where report.html goes; must not exist (default: runs/compare-DATE-TIME)')
    for flag, what in (('--csv', 'CSV, SI units and full precision'),
                       ('--latex', 'a LaTeX tabular (booktabs)')):
        completed_as_file(parser.add_argument(
            flag, type=Path, metavar='FILE', help=f'write the table as {what}'))
    parser.add_argument(
        '--json', action='store_true',
        help='print one JSON object with the metrics of each run in SI units, everything else to'
             ' stderr')


class _Compared(NamedTuple):
    """What a comparison gives.

    table: header and rows for people, the unit at the end; csv: header and rows in SI units; page:
    of the report; content: for --json.
    """

    table: tuple[Sequence[str], Sequence[Sequence[str]]]
    csv: tuple[Sequence[str], Sequence[Sequence[object]]]
    page: HtmlPage
    content: dict[str, object]


def run(arguments: argparse.Namespace) -> int:
    """Compare, print the table, write the report; returns 0. Raises RacecarError."""
    from racecar.analysis.tables import write_csv, write_latex
    from racecar.bags.runs import names_of
    _check_seeds(arguments)
    are_runs = arguments.seeds is None and not any(map(is_dataset, arguments.runs))
    chosen = _chosen(arguments) if are_runs else []
    if len(chosen or arguments.runs) < 2:
        raise ConfigurationError(
            f"only '{arguments.runs[0]}' is given, expected at least two runs; `racecar analyze`"
            ' takes one')
    output = arguments.output or (
        Path('runs') / f'compare-{datetime.datetime.now():%Y%m%d-%H%M%S}')
    if output.exists():
        raise ConfigurationError(
            f"--output '{output}' exists already, not overwriting it; name another folder")
    names = names_of([
        path.parent if path.name == NAME else path for path in arguments.runs])
    if are_runs:
        compared = _compare_runs(arguments, chosen)
    elif arguments.seeds is not None:
        compared = _compare_repeated(arguments, names)
    else:
        compared = _compare_datasets(arguments, names)
    report = output / 'report.html'
    compared.page.write(report)
    if arguments.csv is not None:
        write_csv(arguments.csv, *compared.csv, '--csv')
    if arguments.latex is not None:
        write_latex(arguments.latex, *compared.table, '--latex')
    if arguments.json:
        print(json.dumps({**compared.content, 'report': str(report)}))
    else:
        print_table(*compared.table)
    for what, path in (('Table', arguments.csv), ('Table', arguments.latex), ('Report', report)):
        if path is not None:
            print(f'{what}: {path}', file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _check_seeds(arguments: argparse.Namespace) -> None:
    """Raise ConfigurationError for options that do not go together."""
    wrong = _OF_SEEDS if arguments.seeds is None else _OF_RUNS
    given = [name for name in wrong if getattr(arguments, name)]
    if given:
        raise ConfigurationError(
            f"--{given[0].replace('_', '-')} is for "
            + ('runs that are simulated again: give --seeds N' if arguments.seeds is None else
               'runs as they are, --seeds simulates them again; leave one of the two out'))
    if arguments.seeds is not None and not (arguments.noise or arguments.start):
        raise ConfigurationError(
            f'--seeds {arguments.seeds} without --noise and --start gives the same run again and'
            ' again; add --noise x=0.01,y=0.01 or --start y=0.1')


def _chosen(arguments: argparse.Namespace) -> list[ChosenRun]:
    """Runs that are compared; who names a topic wants one of a bag."""
    from racecar.bags.runs import chosen_runs, ChosenRun, names_of

    if arguments.odometry_topic is None:
        return chosen_runs(arguments.runs, arguments.car)
    if arguments.car is not None:
        raise ConfigurationError(
            f'both --car {arguments.car} and --odometry-topic {arguments.odometry_topic} are'
            ' given, expected one of them; leave one out')
    return [ChosenRun(path, name, None)
            for path, name in zip(arguments.runs, names_of(arguments.runs), strict=True)]


def _compare_runs(arguments: argparse.Namespace, chosen: Sequence[ChosenRun]) -> _Compared:
    from racecar.analysis.comparison import compared_quantities, comparison_report

    runs, names = [], [one.name for one in chosen]
    for one in chosen:
        with naming(one.path):
            runs.append(_read(one, arguments))
    for run in runs:
        for text in run.warnings:
            print(f'warning: {run.shown.name}: {text}', file=sys.stderr)
    if arguments.skip is None and any(run.skip for run in runs):
        left_out = ', '.join(f'{run.skip:g} s of {run.shown.name}' for run in runs)
        print(f'left out at the start, as the runs themselves did: {left_out}; --skip changes it',
              file=sys.stderr)
    quantities = compared_quantities(runs)
    return _Compared(
        (['', *names, ''], [
            [row.name, *texts, unit] for row in quantities for texts, unit in [row.texts()]]),
        (['quantity', 'unit', *names], [[row.name, row.unit, *row.values] for row in quantities]),
        comparison_report(runs), {'runs': [run.as_dict() for run in runs]})


def _read(chosen: ChosenRun, arguments: argparse.Namespace) -> ComparedRun:
    # Imported here, so that `racecar --help` does not wait for it.
    from racecar.analysis.comparison import ComparedRun
    from racecar.analysis.course_of_run import further_quantities, laps_of_drive
    from racecar.analysis.run_charts import ShownRun
    from racecar.bags.runs import locate, read_run
    from racecar.metrics.settling import settling

    path, name, car = chosen
    is_bag = locate(path, car).suffix != '.csv'
    with progress_bar() as progress:
        read = read_run(
            path, car=car, odometry_topic=arguments.odometry_topic if is_bag else None,
            reference_topic=arguments.reference_topic if is_bag else None, progress=progress)
    skip = read.skip if arguments.skip is None else arguments.skip
    motion = read.motion.without_start(skip)
    tracking = read.tracking
    if tracking is None:
        return ComparedRun(
            ShownRun(name, motion, None, scene=read.scene), None, str(read.path),
            # That of several cars goes without saying.
            () if car else ('it has no reference, so no tracking error',), read.file, skip,
            further=further_quantities(
                read.collisions, laps_of_drive(read.motion, read.file)))
    return ComparedRun(
        ShownRun(name, motion, tracking.merged(skip), tracking.tyre_data, read.scene),
        tracking.metrics(skip), str(read.path), tracking.warnings, read.file, skip,
        settling(tracking.merged(), arguments.settled_from))


def _compare_datasets(arguments: argparse.Namespace, names: Sequence[str]) -> _Compared:
    from racecar.analysis.dataset_report import compared_columns, comparison_of_datasets

    for name in ('skip', *_OF_RUNS):
        if getattr(arguments, name) is not None:
            raise ConfigurationError(
                f"--{name.replace('_', '-')} is for runs, these are datasets of sweeps; leave it"
                ' out')
    swept = [columns_of(open_dataset(path), name)
             for path, name in zip(arguments.runs, names, strict=True)]
    rows = compared_columns(swept)
    return _Compared(
        (['', *names, ''], [[row.name, *texts, unit]
                            for row in rows for texts, unit in [row.texts()]]),
        (['quantity', 'unit', *names], [[row.name, row.unit, *row.values] for row in rows]),
        comparison_of_datasets(swept, rows, DEFAULT_METRIC),
        {'datasets': [{'name': name, **{row.name: row.values[place] for row in rows}}
                      for place, name in enumerate(names)]})


def _compare_repeated(arguments: argparse.Namespace, names: Sequence[str]) -> _Compared:
    from racecar.analysis.repetition_report import (
        columns_of,
        CSV_HEADER,
        csv_rows,
        repeated_quantities,
        RepeatedRun,
        repetition_report,
    )

    repetition = Repetition(arguments.seeds, arguments.noise or {}, arguments.start or {})
    runs, sources = [], []
    with cores_of(arguments) as cores:
        for path, name in zip(arguments.runs, names, strict=True):
            source = path if path.name.endswith(NAME) else _file_beside(path)
            result = _repeat(source, name, repetition, arguments, cores)
            lost = result.has_diverged
            lost[list(result.result.failures)] = True
            runs.append(RepeatedRun(name, [
                None if is_lost else result.result.metrics(car)
                for car, is_lost in enumerate(lost)], int(lost.sum())))
            sources.append((name, str(source)))
    quantities = repeated_quantities(runs)
    how = [*sources, ('Repetitions', str(repetition.times)), *(
        (what, ', '.join(f'{key} {value:g}' for key, value in given.items()) or 'none')
        for what, given in (('Noise (standard deviations, SI)', repetition.noise),
                            ('Start (standard deviations, SI)', repetition.start)))]
    rows = csv_rows(runs, quantities)
    return _Compared(
        (['', *columns_of(runs), ''], [
            [row.name, *texts, unit] for row in quantities for texts, unit in [row.texts()]]),
        (CSV_HEADER, rows), repetition_report(runs, how),
        {'rows': [dict(zip(CSV_HEADER, row, strict=True)) for row in rows],
         'lost': {one.name: one.lost for one in runs}})


def _file_beside(path: Path) -> Path:
    """The run.yaml of a run; raises RunError if there is no run, ConfigurationError without it."""
    from racecar.bags.runs import locate
    from racecar.base.run_file import run_file_beside

    if path.is_dir() and (path / NAME).is_file():
        return path / NAME
    found = run_file_beside(locate(path))
    if not found.is_file():
        raise ConfigurationError(
            f"run '{path}' has no {NAME}, by which --seeds would simulate it again; leave --seeds"
            ' out')
    return found


def _repeat(
    source: Path, name: str, repetition: Repetition, arguments: argparse.Namespace,
    cores: Cores | Cluster,
) -> SweepResult:
    """Simulate a run many times; warnings go to stderr. Raises RacecarError, naming the run."""
    file = read_run_file(source)
    unverified = unverified_program(file)
    if unverified is not None and not arguments.trust:
        raise ConfigurationError(
            f'{name}: {unverified}, and would be executed; read it, and add --trust to run it')
    try:
        skip = file.skip if arguments.skip is None else arguments.skip
        made = repeated(name, file, repetition, skip, arguments.jobs, cores)
        with ProgressBar(made.simulated, f'simulating {name}') as show:
            result = made.run(show)
    except RacecarError as error:
        raise type(error)(f"run '{source}': {error}") from error
    for text in result.warnings:
        print(f'warning: {name}: {text}', file=sys.stderr)
    return result
