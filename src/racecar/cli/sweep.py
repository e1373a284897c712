# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar sweep`: many closed loops at once over a grid or a sample of parameters."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import contextlib
import datetime
import json
from pathlib import Path
import sys
import time

import numpy as np

from racecar.base.errors import ConfigurationError, RacecarError
from racecar.base.values import Values
from racecar.base.yaml_file import naming_file
from racecar.cli.analyze import REPORT_NAME
from racecar.cli.choices import completed_as_file
from racecar.cli.dataset import (
    add_jobs_argument,
    add_scheduler_arguments,
    cores_of,
    make_dataset,
    write_dataset,
)
from racecar.cli.figure_files import figure_files
from racecar.cli.number_types import whole
from racecar.cli.output import made_folder, print_rows, ProgressBar, typed_command
from racecar.cli.stack_arguments import add_controller_argument, add_name_argument
from racecar.facade.datasets import is_dataset, raise_lost
from racecar.facade.fleet_datasets import FleetRows
from racecar.facade.fleet_sweeps import (
    cautions_of,
    FleetSweepResult,
    FleetSweepRun,
    result_of_cars,
)
from racecar.facade.sweeps import SweepResult, SweepRun
from racecar.signals import raising_on_signals
from racecar.stacks.fleet_sweep import CARS, FleetSweep, make_fleet_sweep
from racecar.stacks.options import parse_names, policy_as_controller, SWEEP
from racecar.stacks.sweep import load_sweep, NamedPoints, OPTIONS, read_sweep, WHAT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar sweep`."""
    parser.description = (
        'Run the closed loop once for each combination of parameters in a YAML file, without ROS'
        ' and on all cores, and write table, plot and report of the tracking error. Each car'
        ' gives the figures that `racecar simulate` gives for its parameters.')
    add_name_argument(parser, tracking=True, driving=True)
    completed_as_file(parser.add_argument(
        'file', type=Path, metavar='FILE',
        help=f"YAML with options ({', '.join(OPTIONS)}, duration, skip, set, noise) and either"
             ' grid: {node.parameter: [values]} or sample: {node.parameter: {uniform: [a, b]} or'
             ' {normal: [mean, deviation]}} with count and seed; config/sweeps has examples'))
    parser.add_argument(
        '--cars', action='append', default=[], metavar='CAR',
        help='several cars in one world, as for racecar simulate: each point is a run of all, and'
             ' the table has the figures of each; may be repeated, or stand in FILE as cars:')
    add_controller_argument(parser, SWEEP)
    add_jobs_argument(parser)
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FOLDER',
        help='where table, plot and report go; must not exist without --resume (default:'
             ' runs/sweep-DATE-TIME)')
    parser.add_argument(
        '--dataset', action='store_true',
        help='write the points as a Parquet dataset while they are simulated, however many there'
             ' are, of one car with quantiles for table and plot; --scheduler does, too')
    parser.add_argument(
        '--resume', action='store_true',
        help='go on with a dataset that was interrupted: the same FILE, and --output as then')
    add_scheduler_arguments(parser)
    parser.add_argument(
        '--point', type=whole(range(1, 10_000_001)), metavar='N',
        help='simulate this point of the file alone, with the noise that it has among all')
    parser.add_argument(
        '--json', action='store_true',
        help='print one JSON object with the outcome on stdout, everything else on stderr')


def run(arguments: argparse.Namespace) -> int:
    """Simulate all points, write table and plot; returns 0.

    Cars that diverge are reported, not fatal, nor are custom controllers that fail at
    some points. Raises RacecarError with a one-line message, RunError if they fail at all points.
    """
    cars = parse_names(arguments.cars)
    # A name of a configuration that cannot be is told before a file that is not there.
    content = read_sweep(arguments.file) if cars or arguments.file.is_file() else {}
    if cars or CARS in content:
        return _run_cars(arguments, {**content, **({CARS: [*cars]} if cars else {})})
    sweep = load_sweep(arguments.name, arguments.file,
                       policy_as_controller(arguments.policy, arguments.controller))
    output = _output(arguments, sweep)
    if arguments.point is not None:
        sweep = sweep.part(arguments.point - 1, 1)
    if _keeps_rows(arguments):
        make_dataset(sweep, output, arguments, typed_command())
        return 0
    start = time.perf_counter()
    made = SweepRun(arguments.file.stem, sweep, arguments.jobs,
                    lambda text: print(text, file=sys.stderr))
    with made_folder(output):
        with ProgressBar(made.simulated, 'simulating') as show:
            result = made.run(show)
        speed = made.simulated / (time.perf_counter() - start)
        if not arguments.json:
            print_rows([*result.as_rows(), ('simulated seconds per second', f'{speed:.0f}', '')])
        places, told = _write(result, output, arguments.file)
    if arguments.json:
        print(json.dumps({
            'cars': len(result), 'diverged': int(result.has_diverged.sum()),
            'failed': len(result.result.failures), 'best': _best(result),
            'simulated_seconds_per_second': speed, **places}))
    print(told, file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _run_cars(arguments: argparse.Namespace, content: Values) -> int:
    """Simulate all points of several cars, write table and plot; returns 0."""
    for name in ('controller', 'policy'):
        if getattr(arguments, name):
            raise ConfigurationError(
                f'--{name} is for sweeps of one car, these have several: leave it out')
    with naming_file(WHAT, arguments.file):
        sweep = make_fleet_sweep(arguments.name, content)
    output = _output(arguments, sweep)
    if arguments.point is not None:
        sweep = sweep.part(arguments.point - 1, 1)
    if _keeps_rows(arguments):
        # A first point that cannot be run has a row that says so.
        with contextlib.suppress(RacecarError):
            _warn(cautions_of(sweep))
        result, speed = _dataset_of_cars(arguments, sweep, output), {}
        places, told = _write(result, output, arguments.file)
    else:
        _warn(cautions_of(sweep))
        start = time.perf_counter()
        with made_folder(output):
            with cores_of(arguments) as cores:
                made = FleetSweepRun(arguments.file.stem, sweep, cores)
                with raising_on_signals(), ProgressBar(made.simulated, 'simulating') as show:
                    result = made.run(show)
            speed = {
                'simulated seconds per second': made.simulated / (time.perf_counter() - start)}
            places, told = _write(result, output, arguments.file)
    if arguments.json:
        print(json.dumps({
            'points': len(result), 'cars': list(result.cars), 'columns': result.columns(),
            **{name.replace(' ', '_'): value for name, value in speed.items()}, **places}))
    else:
        print_rows([*result.as_rows(), *((name, f'{value:.1f}', '')
                                         for name, value in speed.items())])
    print(told, file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _dataset_of_cars(
    arguments: argparse.Namespace, sweep: FleetSweep, output: Path,
) -> FleetSweepResult:
    """Run several cars into a dataset, or go on with one; what all of its rows say."""
    rows = FleetRows(sweep)
    outcome = write_dataset(
        rows, output, arguments, typed_command(), arguments.file, 'points')
    raise_lost(outcome, sweep)
    return result_of_cars(arguments.file.stem, sweep, rows.outcomes(output))


def _keeps_rows(arguments: argparse.Namespace) -> bool:
    """Whether points go into a dataset as soon as they are done."""
    return arguments.dataset or arguments.resume or arguments.scheduler is not None


def _output(arguments: argparse.Namespace, sweep: NamedPoints) -> Path:
    """Folder of the results. Raises ConfigurationError for options that do not go together."""
    if arguments.resume and arguments.output is None:
        raise ConfigurationError(
            '--resume needs --output: the folder of the dataset to go on with')
    if arguments.point is not None:
        if arguments.point > len(sweep.points):
            raise ConfigurationError(
                f'--point {arguments.point} is not in the file, expected 1 to'
                f' {len(sweep.points)}')
        if _keeps_rows(arguments):
            raise ConfigurationError('--point runs one point here: leave out the dataset')
    output: Path = arguments.output or \
        Path('runs') / f'sweep-{datetime.datetime.now():%Y%m%d-%H%M%S}'
    if output.exists() and not arguments.resume:
        going_on = ', or go on with its dataset by --resume' if is_dataset(output) else ''
        raise ConfigurationError(
            f"--output '{output}' exists already, not overwriting it; name another folder"
            f'{going_on}')
    return output


def _write(
    result: SweepResult | FleetSweepResult, output: Path, file: Path,
) -> tuple[dict[str, str | None], str]:
    """Print the warnings, write table, report and plot; where they lie, for --json and people."""
    _warn(result.warnings)
    table = output / 'results.csv'
    # First what nothing else can be made of again.
    result.write_csv(table)
    report = result.report(output / REPORT_NAME, [
        ('Command', typed_command()), ('Sweep file', str(file))])
    plots, drawn = figure_files(lambda: {'sweep': result.plot()}, output)
    return ({'table': str(table), 'plot': str(plots[0]) if plots else None,
             'report': str(report)}, f'Table: {table}\n{drawn}\nReport: {report}')


def _warn(texts: Sequence[str]) -> None:
    for text in texts:
        print(f'warning: {text}', file=sys.stderr)


def _best(result: SweepResult) -> dict[str, object] | None:
    """The best point for --json; None if no car has an error."""
    if not np.isfinite(result.ranked).any():
        return None
    best = result.best()
    return {'point': best.point, 'parameters': best.parameters, **best.metrics.as_dict()}
