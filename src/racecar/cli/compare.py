# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar compare`: runs side by side, as a table and as an HTML report."""

from __future__ import annotations

import argparse
from dataclasses import replace
import datetime
import json
from pathlib import Path
import sys
from typing import TYPE_CHECKING

from racecar.base.errors import ConfigurationError
from racecar.cli.analyze import naming, progress_bar
from racecar.cli.output import print_table

if TYPE_CHECKING:
    from racecar.analysis.comparison import ComparedRun


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar compare`."""
    parser.description = (
        'Print the metrics of some runs side by side and write an HTML report: paths over each'
        ' other, speed, steering and errors over time, g-g diagram, and what was set differently'
        ' in runs that have a run.yaml. ROS is not needed.')
    parser.add_argument(
        'runs', type=Path, nargs='+', metavar='RUN',
        help='folder of a run, bag (folder, .mcap or .db3) or CSV file; at least two')
    parser.add_argument(
        '--skip', type=float, metavar='SECONDS',
        help='leave out the first seconds of each run (default: as many as the run itself did, by'
             ' its run.yaml)')
    parser.add_argument(
        '--odometry-topic', metavar='T', help='of the bags, as for racecar analyze')
    parser.add_argument(
        '--reference-topic', metavar='T', help='of the bags, as for racecar analyze')
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FOLDER',
        help='where report.html goes; must not exist (default: runs/compare-DATE-TIME)')
    parser.add_argument(
        '--json', action='store_true',
        help='print one JSON object with the metrics of each run in SI units, everything else to'
             ' stderr')


def run(arguments: argparse.Namespace) -> int:
    """Compare, print the table, write the report; returns 0. Raises RacecarError."""
    from racecar.analysis.comparison import comparison_report, comparison_rows
    from racecar.bags.runs import names_of

    if len(arguments.runs) < 2:
        raise ConfigurationError(
            f"only '{arguments.runs[0]}' is given, expected at least two runs; `racecar analyze`"
            ' takes one')
    output = arguments.output or (
        Path('runs') / f'compare-{datetime.datetime.now():%Y%m%d-%H%M%S}')
    if output.exists():
        raise ConfigurationError(
            f"--output '{output}' exists already, not overwriting it; name another folder")
    names = names_of(arguments.runs)
    runs = []
    for path, name in zip(arguments.runs, names, strict=True):
        with naming(path):
            runs.append(_read(path, name, arguments))
    for compared in runs:
        for text in compared.warnings:
            print(f'warning: {compared.shown.name}: {text}', file=sys.stderr)
    if arguments.skip is None and any(compared.skip for compared in runs):
        left_out = ', '.join(f'{compared.skip:g} s of {compared.shown.name}' for compared in runs)
        print(f'left out at the start, as the runs themselves did: {left_out}; --skip changes it',
              file=sys.stderr)
    report = output / 'report.html'
    comparison_report(runs).write(report)
    if arguments.json:
        print(json.dumps({
            'runs': [compared.as_dict() for compared in runs], 'report': str(report)}))
    else:
        print_table(
            ['', *names, ''],
            [[name, *values, unit] for name, values, unit in comparison_rows(runs)])
    print(f'Report: {report}', file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _read(path: Path, name: str, arguments: argparse.Namespace) -> ComparedRun:
    # Imported here, so that `racecar --help` does not wait for it.
    from racecar.analysis.comparison import ComparedRun
    from racecar.analysis.run_charts import ShownRun
    from racecar.bags.runs import locate, read_run
    from racecar.metrics.tracking_error import compute_metrics

    is_bag = locate(path).suffix != '.csv'
    with progress_bar() as progress:
        read = read_run(
            path, odometry_topic=arguments.odometry_topic if is_bag else None,
            reference_topic=arguments.reference_topic if is_bag else None, progress=progress)
    skip = read.skip if arguments.skip is None else arguments.skip
    motion = read.motion.without_start(skip)
    tracking = read.tracking
    if tracking is None:
        return ComparedRun(
            ShownRun(name, motion, None), None, str(read.path),
            ('it has no reference, so no tracking error',), read.file, skip)
    metrics = replace(compute_metrics(tracking.merged(), skip),
                      collisions=tracking.collisions)
    return ComparedRun(
        ShownRun(name, motion, tracking.merged(skip), tracking.tyre_data), metrics,
        str(read.path), tracking.warnings, read.file, skip)
