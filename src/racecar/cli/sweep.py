# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar sweep`: many closed loops at once over a grid or a sample of parameters."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
import csv
import datetime
import itertools
import json
import os
from pathlib import Path
import sys
import time

import numpy as np

from racecar.base.errors import ConfigurationError, RunError
from racecar.cli.choices import completed_as_file
from racecar.cli.output import print_rows, ProgressBar
from racecar.cli.stack_arguments import (
    add_controller_argument,
    add_name_argument,
    announce_controller,
)
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.batch_result import BatchResult
from racecar.simulation.closed_loop import Loop
from racecar.simulation.engine import LANES
from racecar.simulation.metrics.path_metrics import error_text
from racecar.stacks.options import SWEEP
from racecar.stacks.sweep import load_sweep, OPTIONS, Sweep

_TRACKING = ('rmse', 'ise', 'sum_squared_error', 'max_error', 'samples', 'duration')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar sweep`."""
    parser.description = (
        'Run the closed loop once for each combination of parameters in a YAML file, without ROS'
        ' and on all cores, and write a table and a plot of the tracking error. Each car gives'
        ' the figures that `racecar simulate` gives for its parameters.')
    add_name_argument(parser, tracking=True)
    completed_as_file(parser.add_argument(
        'file', type=Path, metavar='FILE',
        help=f"YAML with options ({', '.join(OPTIONS)}, duration, skip, set, noise) and either"
             ' grid: {node.parameter: [values]} or sample: {node.parameter: {uniform: [a, b]} or'
             ' {normal: [mean, deviation]}} with count and seed; config/sweeps has examples'))
    add_controller_argument(parser, SWEEP)
    parser.add_argument(
        '--jobs', type=_jobs, metavar='N', help='cores to use (default: all)')
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FOLDER',
        help='where table and plot go; must not exist (default: runs/sweep-DATE-TIME)')
    parser.add_argument(
        '--json', action='store_true',
        help='print one JSON object with the outcome on stdout, everything else on stderr')


def run(arguments: argparse.Namespace) -> int:
    """Simulate all points, write table and plot; returns 0.

    Cars that diverge are reported, not fatal, nor are controllers of the user's own that fail at
    some points. Raises RacecarError with a one-line message, RunError if they fail at all points.
    """
    # Imported here, so that `racecar --help` does not wait for matplotlib.
    from racecar.analysis.figures import render_figures, write_figures
    from racecar.analysis.sweep_figure import sweep_figure

    sweep = load_sweep(arguments.name, arguments.file, arguments.controller)
    output = arguments.output or Path('runs') / f'sweep-{datetime.datetime.now():%Y%m%d-%H%M%S}'
    if output.exists():
        raise ConfigurationError(
            f"--output '{output}' exists already, not overwriting it; name another folder")
    jobs = arguments.jobs or len(os.sched_getaffinity(0))
    generator = np.random.default_rng((sweep.seed, 1)) if sweep.noise is not None else None
    batch = BatchSimulation(
        _loops(sweep), noise=sweep.noise, generator=generator, threads=jobs,
        block_size=min(LANES, -(-len(sweep.points) // jobs)))
    simulated = len(batch) * sweep.duration
    with ProgressBar(simulated, 'simulating') as show:
        start = time.perf_counter()
        result = batch.run(
            sweep.duration, skip=sweep.skip, with_path=True,
            on_progress=lambda share: show(share * simulated))
        wall_time = time.perf_counter() - start

    for point, message in itertools.islice(result.failures.items(), 1):
        told = (f'the controller fails at {len(result.failures)} of {len(batch)} points, the first'
                f' ({sweep.describe(point)}): {message}')
        if len(result.failures) == len(batch):
            raise RunError(told)
        print(f'warning: {told}', file=sys.stderr)
    for point, message in itertools.islice(sweep.outrun.items(), 1):
        print(f'warning: at {len(sweep.outrun)} of {len(batch)} points the reference is too fast,'
              f' the first ({sweep.describe(point)}): {message}', file=sys.stderr)
    diverged = ~np.isnan(result.diverged_at)
    figure = sweep_figure(
        f'{arguments.file.stem}, {sweep.duration:g} s', sweep.names, sweep.points, result.rmse,
        diverged, units=sweep.units, is_grid=sweep.is_grid, failed=list(result.failures))
    plot, = write_figures(render_figures({'sweep': figure}), output)
    table = output / 'results.csv'
    write_table(table, sweep, result)
    places = {'table': str(table), 'plot': str(plot)}
    ranked = np.where(diverged | np.isnan(result.rmse), np.inf, result.rmse)
    best = int(np.argmin(ranked))
    has_best = bool(np.isfinite(ranked[best]))
    if arguments.json:
        print(json.dumps({
            'cars': len(batch), 'diverged': int(diverged.sum()),
            'failed': len(result.failures),
            'best': {'point': best, 'parameters': dict(zip(
                sweep.names, sweep.points[best], strict=True)),
                **result.metrics(best).as_dict()} if has_best else None,
            'simulated_seconds_per_second': simulated / wall_time, **places}))
    else:
        print_rows(_summary(sweep, result, ranked, simulated / wall_time))
    stream = sys.stderr if arguments.json else sys.stdout
    if diverged.any():
        first = int(np.argmax(diverged))
        print(f'warning: {int(diverged.sum())} of {len(batch)} cars diverged, the first'
              f' ({sweep.describe(first)}) at {result.diverged_at[first]:.2f} s; their metrics end'
              ' there', file=sys.stderr)
    print(f"Table: {places['table']}\nPlot: {places['plot']}", file=stream)
    return 0


def write_table(path: Path, sweep: Sweep, result: BatchResult) -> None:
    """Write one line per point: parameters, metrics in SI units, time of divergence or nothing.

    With a controller of one's own there is a last column `failure`: what it said, or nothing.
    Raises ConfigurationError if the file cannot be written.
    """
    columns = {name: getattr(result, name).tolist() for name in _TRACKING}
    columns['samples'] = [int(count) for count in result.samples]
    if result.path is not None:
        columns |= {name: values.tolist() for name, values in result.path.columns().items()}
    if result.collisions is not None:
        columns['collisions'] = [
            result.metrics(car).collisions for car in range(len(sweep.points))]
    columns['diverged_at'] = result.diverged_at.tolist()
    try:
        with open(path, 'w', newline='', encoding='utf-8') as stream:
            writer = csv.writer(stream)
            if sweep.controller is not None:
                columns['failure'] = [
                    result.failures.get(car, '') for car in range(len(sweep.points))]
            writer.writerow((*sweep.names, *columns))
            for point, *metrics in zip(sweep.points, *columns.values(), strict=True):
                writer.writerow((*point, *('' if value != value else value for value in metrics)))
    except OSError as error:
        raise ConfigurationError(
            f"table '{path}' cannot be written: {error.strerror}") from error


def _summary(
    sweep: Sweep, result: BatchResult, ranked: np.ndarray, speed: float,
) -> list[tuple[str, str, str]]:
    fine = np.sort(ranked[np.isfinite(ranked)])
    rows = [('cars', str(len(result)), ''),
            ('diverged', str(int(np.sum(~np.isnan(result.diverged_at)))), '')]
    if result.failures:
        rows.append(('failed', str(len(result.failures)), ''))
    if result.collisions is not None:
        rows.append(('collided', str(int(np.sum(result.collisions > 0.0))), ''))
    if fine.size:
        best = int(np.argmin(ranked))
        rows += [
            ('best RMSE', error_text(float(fine[0])), f'm  {sweep.describe(best)}'),
            ('median RMSE', error_text(float(np.median(fine))), 'm'),
            ('worst RMSE', error_text(float(fine[-1])), 'm')]
        against_path = result.metrics(best).path
        if against_path is not None:
            rows += [(f'{name} of the best', value, unit)
                     for name, value, unit in against_path.as_rows()]
    return [*rows, ('simulated seconds per second', f'{speed:.0f}', '')]


def _loops(sweep: Sweep) -> Iterator[Loop]:
    """Build the loops of all points; say once how a controller of one's own runs."""
    if sweep.controller is None:
        yield from sweep.loops()
        return
    said: set[str] = set()
    for loop in sweep.own_loops():
        if loop.why_plain not in said:
            said.add(loop.why_plain)
            announce_controller(sweep.controller.where, loop.why_plain)
        yield loop


def _jobs(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if not 1 <= value <= 1024:
        raise argparse.ArgumentTypeError(f'{text!r} is not a whole number from 1 to 1024')
    return value
