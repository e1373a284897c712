# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar identify`: fit a vehicle to logs of real drives, or evaluate one by them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
import json
from pathlib import Path
import re
import sys
from typing import TYPE_CHECKING

from racecar.base.errors import ConfigurationError
from racecar.base.share import find_vehicle
from racecar.cli.choices import add_vehicle_argument
from racecar.cli.output import made_folder, ProgressBar

if TYPE_CHECKING:
    from racecar.identification.drive import Drive
    from racecar.identification.evaluation import Evaluation
    from racecar.identification.identify import Identification

_BAGS = ('.mcap', '.db3')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar identify`."""
    parser.description = (
        'Check logs, fit steering, tyres and friction by open-loop prediction, and write a'
        ' vehicle file, the same as JSON, and report.html. Each value comes with interval,'
        ' spread between sessions and a status. A log is a rosbag2 bag (MCAP or sqlite3) or a'
        ' CSV file whose header has units, as t[s],x[m],yaw_rate[deg/s]. ROS is not needed.')
    parser.add_argument('logs', type=Path, nargs='*', metavar='BAG|CSV', help='logs, one a drive')
    add_vehicle_argument(
        parser, 'vehicle to start from: mass, geometry and inertia stay (default: f1tenth)',
        'f1tenth')
    parser.add_argument('--name', default='identified', metavar='N',
                        help='name of the new vehicle (default: identified)')
    parser.add_argument(
        '--free', action='append', default=[], metavar='P',
        help='estimate this too, which is taken from the bench by default: yaw_inertia,'
             ' cog_height (if wheels spin)')
    parser.add_argument(
        '--combined-slip', action='store_true',
        help='fit combined slip even where the wheels hardly seem to spin')
    parser.add_argument(
        '--evaluate', action='store_true',
        help='fit nothing: print how well --vehicle predicts the logs, beside baselines')
    parser.add_argument(
        '--adapt', type=float, default=40.0, metavar='SECONDS',
        help='start of each drive on which the scale of its wheels is adapted; it is not evaluated'
             ' (default: 40)')
    parser.add_argument('--plan', action='store_true',
                        help='fit nothing: print which drives are to be made, and which the logs'
                             ' have already')
    parser.add_argument(
        '--column', action='append', default=[], metavar='QUANTITY=NAME',
        help='column of the CSV file that holds a quantity, as yaw_rate=gyro_z')
    parser.add_argument(
        '--topic', action='append', default=[], metavar='ROLE=TOPIC',
        help='topic of the bag for command, odometry, pose or imu')
    parser.add_argument('-o', '--output', type=Path, default=Path('identification'),
                        metavar='FOLDER', help='where the results go (default: identification)')
    parser.add_argument('--json', action='store_true',
                        help='print the result as one JSON object; everything else to stderr')


def run(arguments: argparse.Namespace) -> int:
    """Fit, evaluate or plan; returns 0.

    Raises RunError, BagError, ParameterError or ConfigurationError with a one-line message.
    """
    from racecar.identification.drive import QUANTITIES

    columns = _pairs('--column', arguments.column, tuple(QUANTITIES))
    names = _pairs('--topic', arguments.topic, ('command', 'odometry', 'pose', 'imu'))
    if not arguments.logs and not arguments.plan:
        raise ConfigurationError('no log is given; name bags or CSV files, or ask for --plan')
    if not re.fullmatch(r'[A-Za-z][A-Za-z0-9_]*', arguments.name):
        raise ConfigurationError(f"--name is '{arguments.name}', expected letters, digits and _")
    vehicle = find_vehicle(arguments.vehicle)
    drives = [_read(path, columns, names) for path in arguments.logs]
    for drive in drives:
        for note in drive.notes:
            print(f'warning: {note}', file=sys.stderr)
    if arguments.plan:
        return _plan(drives, as_json=arguments.json)
    if arguments.evaluate:
        return _evaluate(drives, vehicle, arguments.adapt, as_json=arguments.json)
    return _fit(drives, vehicle, arguments)


def _pairs(option: str, texts: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for text in texts:
        key, separator, value = text.partition('=')
        if not separator or not value or key not in known:
            raise ConfigurationError(
                f"{option} is '{text}', expected NAME=VALUE with one of {', '.join(known)}")
        pairs[key] = value
    return pairs


def _read(path: Path, columns: dict[str, str], names: dict[str, str]) -> Drive:
    from racecar.identification.csv_log import read_csv_log
    from racecar.identification.preparing import prepare

    if path.is_dir() or path.suffix in _BAGS:
        from racecar.bags.identification_log import read_identification_log

        return prepare(read_identification_log(path, names))
    return prepare(read_csv_log(path, columns))


def _plan(drives: Sequence[Drive], *, as_json: bool) -> int:
    from racecar.identification.plan import plan

    rows = plan(drives)
    if as_json:
        print(json.dumps([{
            'drive': row.manoeuvre.name, 'tells': row.manoeuvre.tells, 'seconds': row.seconds,
            'needed': row.manoeuvre.needed, 'missing': row.is_missing} for row in rows]))
        return 0
    for row in rows:
        drive = row.manoeuvre
        state = 'missing' if row.is_missing else 'there'
        print(f'{drive.name:<15} {state:<8} {row.seconds:6.1f} of {drive.needed:4.1f} s  tells'
              f' {", ".join(drive.tells)}')
        if row.is_missing:
            print(f'{"":<15} {drive.how}: racecar simulate kinematic_ode --trajectory'
                  f' {drive.name}')
    return 0


def _evaluate(drives: Sequence[Drive], path: Path, adapt: float, *, as_json: bool) -> int:
    from racecar.dynamics.vehicles import VehicleParameters
    from racecar.identification.evaluation import Candidate, evaluate
    from racecar.identification.result_file import evaluations_as_json, read_candidates
    from racecar.identification.unknowns import prior

    if not adapt >= 0.0:
        raise ConfigurationError(f'--adapt is {adapt:g}, expected 0 or more seconds')
    vehicle, own, remark = read_candidates(path)
    if remark:
        print(f'warning: {remark}', file=sys.stderr)
    f1tenth = VehicleParameters.from_file(find_vehicle('f1tenth'))
    evaluations = evaluate(drives, own, vehicle, adapt)
    baseline = evaluate(drives, [Candidate('unfitted f1tenth, Fiala', 'fiala', prior(f1tenth),
                                        False)], f1tenth, adapt)
    merged = [row._replace(scores={**other.scores, **row.scores})
              for row, other in zip(evaluations, baseline, strict=True)]
    if as_json:
        print(json.dumps(evaluations_as_json(merged)))
        return 0
    _print_evaluations(merged, own[-1].name)
    return 0


def _print_evaluations(evaluations: Sequence[Evaluation], name: str) -> None:
    from racecar.identification.evaluation import HORIZON, ratios

    print(f'RMS errors after {HORIZON:g} s, open loop')
    for row in evaluations:
        after = f', evaluated after {row.adaptation:g} s' if row.adaptation else ''
        print(f'{row.drive}{after}')
        for model, score in row.scores.items():
            print(f'  {model:<32} heading {score.heading:.4f} rad (median'
                  f' {score.heading_median:.4f})  position {score.position:.3f} m (median'
                  f' {score.position_median:.3f}, of localisation alone'
                  f' {score.path_position:.3f})  wheel scale {score.scale:.3f}')
    print(f'heading of {name} over that of '
          + ', '.join(f'{other} {ratio:.2f}'
                      for other, ratio in ratios(evaluations, name).items()))


def _fit(drives: Sequence[Drive], path: Path, arguments: argparse.Namespace) -> int:
    from racecar.dynamics.vehicles import VehicleParameters
    from racecar.identification.identify import FITTED, identify
    from racecar.identification.report import identification_page
    from racecar.identification.result_file import as_json, vehicle_yaml

    output: Path = arguments.output
    if output.exists() and not output.is_dir():
        raise ConfigurationError(f"--output '{output}' is a file, expected a folder")
    with made_folder(output, may_exist=True):
        vehicle = VehicleParameters.from_file(path)
        with ProgressBar(100.0, 'fitting', '%') as bar:
            tell: Callable[[float, str], None] = lambda share, _: bar(100.0 * share)  # noqa: E731
            result = identify(drives, vehicle, free=arguments.free, progress=tell,
                              combined=arguments.combined_slip)
        for warning in result.warnings:
            print(f'warning: {warning}', file=sys.stderr)
        page = identification_page(result, f'Identification of {arguments.name}')
        page.write(output / 'report.html')
        texts = {f'{arguments.name}.yaml': vehicle_yaml(result, arguments.name, vehicle),
                 f'{arguments.name}.json': json.dumps(as_json(result), indent=1)}
        try:
            for file, text in texts.items():
                (output / file).write_text(text, encoding='utf-8')
        except OSError as error:
            raise ConfigurationError(
                f"'{output}' cannot be written: {error.strerror}; give another folder") from error
    if arguments.json:
        print(json.dumps(as_json(result)))
    else:
        _print_estimates(result)
        _print_evaluations(result.evaluations, FITTED)
        if result.left_out:
            print('Leave one out:')
            _print_evaluations(result.left_out, FITTED)
    where = sys.stderr if arguments.json else sys.stdout
    print(f'Vehicle: {output / (arguments.name + ".yaml")}', file=where)
    print(f'Report: {output / "report.html"}', file=where)
    return 0


def _print_estimates(result: Identification) -> None:
    for row in result.estimates.values():
        interval = '' if row.interval is None else '[{:.4g}, {:.4g}]'.format(*row.interval)
        spread = '' if row.spread is None else f'+-{row.spread:.2g}'
        reason = f': {row.status.reason}' if row.status.reason else ''
        print(f'{row.name:<26} {row.value:>9.4g} {row.unit:<10} {interval:<20} {spread:<9}'
              f' {row.status.word}{reason}')
