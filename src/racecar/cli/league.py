# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar league`: controllers against each other on lines, plants and conditions of a file."""

from __future__ import annotations

import argparse
import csv
import datetime
import json
from pathlib import Path
import shlex
import sys

from racecar.base.environment import present_environment
from racecar.base.share import find_league, league_names
from racecar.cli.choices import completed_as_file
from racecar.cli.dataset import add_jobs_argument, add_scheduler_arguments, cores_of
from racecar.cli.number_types import whole
from racecar.cli.output import print_rows, ProgressBar, typed_command
from racecar.facade.league import CpuFigures, INSIDE, LeagueResult, LeagueRun
from racecar.facade.league_file import read_league
from racecar.signals import raising_on_signals

_MOST_SEEDS = 10_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar league`."""
    parser.description = (
        'Drive controllers on race lines, plants and conditions against each other, without ROS'
        ' and on all cores: lap time, lap over bound, errors, effort and who stays on the track.'
        ' Writes a table, its hash and a page. A folder that has some of it already goes on.'
        ' docs/league.md.')
    completed_as_file(parser.add_argument(
        'file', metavar='FILE',
        help=f"league, by name or as a file ({', '.join(league_names())})"))
    parser.add_argument('--seeds', type=whole(range(1, _MOST_SEEDS + 1)), metavar='N',
                        help='runs of each cell with noise (default: those of the file)')
    add_jobs_argument(parser)
    add_scheduler_arguments(parser)
    parser.add_argument('--no-cpu', action='store_true',
                        help='do not measure the time that answers take')
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FOLDER',
        help='where results go; what is there already is not run again (default:'
             ' runs/league-DATE-TIME)')
    parser.add_argument('--json', action='store_true',
                        help='print one JSON object with the cells on stdout')


def run(arguments: argparse.Namespace) -> int:
    """Run what is missing, write table, times and page; returns 0.

    Raises RacecarError with a one-line message.
    """
    league = read_league(find_league(arguments.file))
    if arguments.seeds is not None:
        league = league.with_seeds(arguments.seeds)
    output = arguments.output or Path('runs') / f'league-{datetime.datetime.now():%Y%m%d-%H%M%S}'
    made = LeagueRun(league, output)
    try:
        with cores_of(arguments) as cores, raising_on_signals(), ProgressBar(
                made.total, 'racing', 'runs') as show:
            show(made.done)
            result = made.run(cores, show)
    except KeyboardInterrupt:
        seeds = [] if arguments.seeds is None else ['--seeds', str(arguments.seeds)]
        again = ['racecar', 'league', arguments.file, *seeds, '--output', str(output)]
        print(f'racecar league: {made.done} of {made.total} runs are kept; go on with'
              f' {shlex.join(again)}', file=sys.stderr)
        raise
    cpu = () if arguments.no_cpu else made.cpu()
    (output / 'table.csv').write_text(result.csv(), encoding='utf-8')
    (output / 'table.sha256').write_text(f'{result.digest}  table.csv\n', encoding='utf-8')
    if cpu:
        _write_cpu(cpu, output / 'cpu.csv')
    from racecar.analysis.league_report import league_page

    lines = {line.name: line.line for line in made.lines}
    report = output / 'report.html'
    league_page(Path(arguments.file).stem, result.shown(), lines.__getitem__, cpu, [
        ('Command', typed_command()), ('Hash of the table', result.digest),
        *((name, str(value)) for name, value in present_environment().items())]).write(report)
    if arguments.json:
        print(json.dumps({'runs': made.total, 'digest': result.digest,
                          'table': str(output / 'table.csv'), 'report': str(report)}))
    else:
        print_rows(_rows(result))
    failed = [found for found in result.cells if found.failure]
    if failed:
        print(f'racecar league: {len(failed)} of {len(result.cells)} cells failed; the first,'
              f' {failed[0].cell.name}: {failed[0].failure}', file=sys.stderr)
    print(f"Table: {output / 'table.csv'}\nHash: {result.digest}\nReport: {report}",
          file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _rows(result: LeagueResult) -> list[tuple[str, str, str]]:
    """Of each controller: how many of its runs stayed inside, and its best lap over the bound."""
    rows = []
    for name in result.league.controllers:
        cells = [found for found in result.cells if found.cell.controller == name]
        inside = [run for found in cells for run in found.runs if run.outcome == INSIDE]
        best = min((run.lap_over_bound for run in inside), default=float('nan'))
        rows.append((name, f'{len(inside)}/{sum(found.cell.seeds for found in cells)}',
                     f'runs inside; best lap {best:.3f} of the bound'))
    return rows


def _write_cpu(cpu: tuple[CpuFigures, ...], file: Path) -> None:
    with file.open('w', newline='', encoding='utf-8') as stream:
        writer = csv.writer(stream, lineterminator='\n')
        writer.writerow(CpuFigures._fields)
        writer.writerows(cpu)
