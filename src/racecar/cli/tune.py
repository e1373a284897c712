# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar tune`: the best values of parameters, sought with Optuna."""

from __future__ import annotations

import argparse
import csv
import datetime
import json
from pathlib import Path
import shlex
import sys

from racecar.base.environment import present_environment
from racecar.base.errors import ConfigurationError
from racecar.base.run_file import NAME
from racecar.cli.analyze import REPORT_NAME
from racecar.cli.choices import completed_as_file
from racecar.cli.dataset import (
    add_jobs_argument,
    add_scheduler_arguments,
    command_to_resume,
    cores_of,
)
from racecar.cli.figure_files import figure_files
from racecar.cli.number_types import whole
from racecar.cli.output import made_folder, print_rows, ProgressBar, typed_command
from racecar.cli.stack_arguments import add_controller_argument, add_name_argument
from racecar.facade.tuning import TuneRun
from racecar.facade.tuning_file import (
    DEFAULT_TRIALS,
    KEYS,
    MOST_TRIALS,
    OBJECTIVES,
    read_tuning,
)
from racecar.facade.tuning_result import Trial, TuneResult
from racecar.signals import raising_on_signals
from racecar.stacks.options import policy_as_controller, SWEEP

_DATABASE = 'study.db'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar tune`."""
    parser.description = (
        'Seek the values of parameters with which the closed loop drives best, without ROS and on'
        ' all cores: Optuna proposes them, and the cars of a batch of trials run side by side.'
        ' Writes the best as a parameter file, all trials as a table, a plot and a report.')
    add_name_argument(parser, tracking=True)
    completed_as_file(parser.add_argument(
        'file', type=Path, metavar='FILE',
        help='YAML with tune: {node.parameter: {range: [a, b], log: true} or {choices: [..]}} and'
             f" any of {', '.join(key for key in KEYS if key != 'tune')}; objectives are"
             f" {', '.join(OBJECTIVES)}; config/tuning has an example"))
    add_controller_argument(parser, SWEEP)
    parser.add_argument(
        '--trials', type=whole(range(1, MOST_TRIALS + 1)), metavar='N',
        help=f'how many trials in all (default: those of the file, or {DEFAULT_TRIALS})')
    parser.add_argument(
        '--storage', metavar='URL',
        help='database of the trials, as sqlite:///study.db or postgresql://... (default:'
             f' {_DATABASE} in the folder)')
    parser.add_argument(
        '--resume', action='store_true',
        help='go on with a search that was interrupted, or with more trials: the same FILE, and'
             ' --output or --storage as then')
    add_jobs_argument(parser)
    add_scheduler_arguments(parser)
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FOLDER',
        help='where results go; must not exist without --resume (default: runs/tune-DATE-TIME)')
    parser.add_argument(
        '--json', action='store_true',
        help='print one JSON object with the outcome on stdout, everything else on stderr')


def run(arguments: argparse.Namespace) -> int:
    """Run all trials, write what is best, table and plot; returns 0.

    Raises RacecarError with a one-line message, RunError if no trial completes.
    """
    tuning = read_tuning(arguments.name, arguments.file,
                         policy_as_controller(arguments.policy, arguments.controller))
    if arguments.trials is not None:
        tuning = tuning.with_trials(arguments.trials)
    if arguments.resume and arguments.output is None:
        raise ConfigurationError('--resume needs --output: the folder of the search to go on with')
    output = arguments.output or Path('runs') / f'tune-{datetime.datetime.now():%Y%m%d-%H%M%S}'
    if output.exists() and not arguments.resume:
        raise ConfigurationError(
            f"--output '{output}' exists already, not overwriting it; name another folder, or go"
            ' on there with --resume')
    with made_folder(output, may_exist=arguments.resume), cores_of(arguments) as cores:
        made = TuneRun(
            tuning, arguments.storage or f'sqlite:///{output / _DATABASE}',
            resume=arguments.resume, cores=cores)
        try:
            with raising_on_signals(), ProgressBar(
                    tuning.trials, 'tuning', 'trials') as show:
                result = made.run(show)
        except KeyboardInterrupt:
            print(f'racecar tune: {made.kept} of {tuning.trials} trials are kept; go on with'
                  f' {command_to_resume(arguments, output)}', file=sys.stderr)
            raise
    best, run_files = _write_best(result, output)
    commands = [shlex.join(['racecar', 'simulate', '--from', str(file)]) for file in run_files]
    plots, drawn = figure_files(lambda: {'tune': result.plot()}, output)
    table = _write_table(result, output)
    report = result.report(output / REPORT_NAME, commands, [
        ('Command', typed_command()), ('Tuning file', str(arguments.file)),
        *((name, str(value)) for name, value in present_environment().items())])
    if arguments.json:
        print(json.dumps({
            'trials': len(result), 'best': [_as_dict(result, trial) for trial in result.best],
            'importances': {name: dict(shares) for name, shares in result.importances.items()},
            'parameters': [*map(str, best)], 'run_files': [*map(str, run_files)],
            'table': str(table), 'plot': str(plots[0]) if plots else None,
            'report': str(report)}))
    else:
        print_rows(result.as_rows())
    print('\n'.join([
        f"Parameters: {best[0]}{f' to {best[-1].name}' if len(best) > 1 else ''}",
        f'Table: {table}', drawn, f'Report: {report}', f'Drive it: {commands[0]}']),
        file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _as_dict(result: TuneResult, trial: Trial) -> dict[str, object]:
    return {'trial': trial.number, 'parameters': dict(trial.parameters),
            **dict(zip(result.tuning.objectives, trial.values, strict=True))}


def _write_table(result: TuneResult, output: Path) -> Path:
    path, columns = output / 'trials.csv', result.columns()
    with path.open('w', newline='', encoding='utf-8') as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def _write_best(result: TuneResult, output: Path) -> tuple[list[Path], list[Path]]:
    """Write a parameter file and a run file for each of the best trials."""
    names = ['best'] if len(result.tuning.objectives) == 1 else [
        f'best-{number}' for number in range(1, len(result.spread) + 1)]
    files = [output / f'{name}.yaml' for name in names]
    run_files = [output / f'{name}.{NAME}' for name in names]
    command = typed_command()
    for file, run_file, trial in zip(files, run_files, result.spread, strict=True):
        file.write_text(result.parameter_file(trial), encoding='utf-8')
        result.run_file(trial, command).write(run_file)
    return files, run_files
