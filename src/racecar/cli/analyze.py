# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar analyze`: tracking error, figures and a report of a run."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
import functools
import json
from pathlib import Path
import sys
from typing import NamedTuple, TYPE_CHECKING

from racecar.base.errors import BagError, ConfigurationError, RunError
from racecar.cli.choices import add_car_argument, completed_as_file
from racecar.cli.figure_files import figure_files
from racecar.cli.output import print_rows
from racecar.metrics.quantities import DEFAULT_METRIC

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from racecar.analysis.run_data import TrackingRun
    from racecar.bags.runs import Run
    from racecar.base.run_file import RunFile
    from racecar.metrics.tracking_error import Metrics

REPORT_NAME = 'report.html'

_BAR_STEP = 500  # messages


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar analyze`."""
    parser.description = (
        'Compare odometry and reference of a run: print RMSE, ISE, maximum, cross-track, heading'
        ' and speed error, write report.html with figures that can be zoomed, and path.png, x.png,'
        ' y.png, error.png; with slip and forces of the wheels in a bag, fx.png and fy.png too.'
        ' Without a reference, the report shows path, speed and accelerations; of a bag of'
        ' driver_bridge there is driver.png, of one with a laser drive.png and scan.png. ROS is'
        ' not needed.')
    completed_as_file(parser.add_argument(
        'run', type=Path, metavar='RUN',
        help='rosbag2 folder (MCAP or sqlite3), a .mcap or .db3 file, a .bag file of ROS 1, a CSV'
             ' file of simulate or up, the folder of a run, or the dataset of a sweep'))
    add_car_argument(parser, 'none; `racecar compare` has all')
    parser.add_argument(
        '--skip', type=float, metavar='SECONDS',
        help='leave out the first seconds, where the start transient is (default: as many as the'
             ' run itself did, by its run.yaml)')
    parser.add_argument(
        '--odometry-topic', metavar='T',
        help='nav_msgs/Odometry of the car (default: by any set of topic names, in any namespace)')
    parser.add_argument(
        '--reference-topic', metavar='T',
        help='nav_msgs/Odometry to follow (default: reference_trajectory beside it)')
    parser.add_argument(
        '--metric', metavar='M',
        help=f'of a dataset: what maps and the list of the worst points show (default:'
             f' {DEFAULT_METRIC})')
    parser.add_argument(
        '--over', nargs='+', metavar='NODE.PARAMETER',
        help='of a dataset: at least two parameters over which the maps are (default: the first'
             ' four)')
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FOLDER',
        help='where figures and report go (default: analysis in a folder, NAME_analysis'
             ' beside a file NAME.mcap or NAME.csv); files of an earlier analysis are replaced')
    parser.add_argument(
        '--json', action='store_true',
        help='print one JSON object with the metrics in SI units, ticks and seconds that the'
             ' recording lost, and the warnings; everything else to stderr')


def run(arguments: argparse.Namespace) -> int:
    """Analyse the run, print the metrics, write figures and report; returns 0.

    Raises RacecarError with a one-line message.
    """
    # Late, so that the help loads no library.
    from racecar.facade.datasets import is_dataset, open_dataset

    output = arguments.output or default_output(arguments.run)
    if is_dataset(arguments.run):
        from racecar.cli.dataset import show_dataset

        _check_given('a run', arguments, 'car', 'skip', 'odometry_topic', 'reference_topic')
        show_dataset(
            open_dataset(arguments.run), output, metric=arguments.metric or DEFAULT_METRIC,
            over=arguments.over, as_json=arguments.json)
        return 0
    _check_given('the dataset of a sweep', arguments, 'metric', 'over')
    try:
        analysis = analyse(
            arguments.run, output, car=arguments.car, skip=arguments.skip,
            odometry_topic=arguments.odometry_topic, reference_topic=arguments.reference_topic)
    except (BagError, RunError):
        lines = _without_reference(arguments, output)
        if not lines:
            raise
        print('\n'.join(lines))
        return 0
    if arguments.json:
        print(json.dumps({**analysis.metrics.as_dict(), **_losses(analysis.run)}))
    else:
        if analysis.run.odometry_name:
            print(f'{analysis.run.odometry_name} against {analysis.run.reference_name}')
        print_rows(analysis.metrics.as_rows())
    print('\n'.join(analysis.places), file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _check_given(what: str, arguments: argparse.Namespace, *names: str) -> None:
    """Raise ConfigurationError for an option that is for something else."""
    for name in names:
        if getattr(arguments, name) is not None:
            raise ConfigurationError(
                f"--{name.replace('_', '-')} is for {what}, '{arguments.run}' is none; leave it"
                ' out')


def _losses(run: TrackingRun) -> dict[str, object]:
    return {
        'lost_ticks': 0 if run.lost is None else run.lost.ticks,
        'lost_share': 0.0 if run.lost is None else run.lost.share,
        'late_start': 0.0 if run.late is None else run.late.missing,
        'warnings': list(run.warnings),
    }


class Analysis(NamedTuple):
    """A run, its metrics, and lines that say where report and figures lie, or why one does not."""

    run: TrackingRun
    metrics: Metrics
    places: list[str]


def analyse(
    path: Path, output: Path, *, car: str | None = None, skip: float | None = None,
    title: str | None = None, odometry_topic: str | None = None,
    reference_topic: str | None = None,
) -> Analysis:
    """Compute the metrics of a run and write figures and report to a folder.

    path, car: as for racecar.bags.runs.read_run(); skip: seconds to leave out at the start, by
    default as many as the run itself did; title: of report and figures, by default the name of the
    run. Warnings go to stderr. Raises RacecarError with a one-line message.
    """
    from racecar.bags.runs import read_run

    with naming(path):
        with progress_bar() as progress:
            recorded = read_run(
                path, car=car, odometry_topic=odometry_topic, reference_topic=reference_topic,
                needs_reference=True, progress=progress)
        return write_analysis(recorded, output, skip=skip, title=title)


def write_analysis(
    recorded: Run, output: Path, *, skip: float | None = None, title: str | None = None,
) -> Analysis:
    """Do what analyse() does for a run, which has a reference, that was read already."""
    from racecar.analysis.html_report import write_report

    if skip is None:
        skip = recorded.skip
    tracking_run = recorded.tracking
    assert tracking_run is not None
    if title is not None:
        tracking_run = replace(tracking_run, name=title)
    for warning in tracking_run.warnings:
        if warning not in recorded.read_warnings:  # those are logged by the reader
            print(f'warning: {warning}', file=sys.stderr)
    track = tracking_run.merged(skip)
    metrics = tracking_run.metrics(skip)

    if output.exists() and not output.is_dir():
        raise ConfigurationError(f"--output '{output}' is a file, expected a folder")

    def draw() -> dict[str, Figure]:
        from racecar.analysis.figures import draw_figures, draw_tyre_figures

        tyres = {} if tracking_run.tyre_data is None else draw_tyre_figures(
            tracking_run.name, tracking_run.tyre_data.without_start(skip))
        return {**draw_figures(tracking_run.name, track, metrics), **tyres}

    paths, drawn = figure_files(draw, output)
    figures = {path.stem for path in paths}
    report = output / REPORT_NAME
    write_report(report, tracking_run, track, metrics, skip=skip, source=recorded.source,
                 file=recorded.file)
    places = [f'Report: {report}', drawn]
    if not paths:
        return Analysis(tracking_run, metrics, places)
    if tracking_run.tyre_data is not None:
        places += [
            f'No {key}.png: its slip is not in the bag, or 0 throughout as the vehicle model has'
            ' none' for key in ('fx', 'fy') if key not in figures]
    elif recorded.path.suffix != '.csv' and _has_tyre_forces(recorded.file):
        places.append('No fx.png and fy.png: slip and forces of the wheels were not recorded;'
                      ' record them with --tyre-data (ros2 launch: tyre_data:=true)')
    return Analysis(tracking_run, metrics, places)


def _has_tyre_forces(file: RunFile | None) -> bool:
    """Whether a run is known to be of the 3-D world with forces of tyres."""
    from racecar.world.world_parameters import PACEJKA

    values = None if file is None else file.values_with('contact_model')
    return values is not None and values['contact_model'] == PACEJKA


def analyse_drive(bag: Path, output: Path, *, title: str | None = None) -> list[str]:
    """Draw what the driver of a bag did, with driver_bridge; return where the figure lies.

    title: of the figure, by default the name of the bag. Raises BagError or ConfigurationError
    with a one-line message.
    """
    from racecar.bags.driver_log import read_driver_log

    with progress_bar() as progress:
        log = read_driver_log(bag, progress)
    if title is not None:
        log = replace(log, name=title)

    def draw() -> dict[str, Figure]:
        from racecar.analysis.driver_figure import draw_driver_figure

        return {'driver': draw_driver_figure(log)}

    return [figure_files(draw, output)[1]]


def analyse_scans(
    bag: Path, output: Path, *, title: str | None = None, car: str | None = None,
) -> list[str]:
    """Draw a drive with a laser; return how long it was and where the figures lie.

    title: of the figures, by default the name of the bag; car: one of several. Raises BagError or
    ConfigurationError with a one-line message.
    """
    from racecar.bags.laser_log import read_laser_log

    with progress_bar() as progress:
        log = read_laser_log(bag, progress, car=car)
    if title is not None:
        log = log._replace(name=title)
    scan = log.scans[len(log.scans) // 2]

    def draw() -> dict[str, Figure]:
        from racecar.analysis.scene_figure import draw_laser_figure, draw_scan_figure

        return {'drive': draw_laser_figure(log), 'scan': draw_scan_figure(scan, log.name)}

    return [log.summary, figure_files(draw, output)[1]]


def _without_reference(arguments: argparse.Namespace, output: Path) -> list[str]:
    """Analyse a run that holds no reference, unless somebody asked for its error.

    Returns lines that say what was drawn; none if the run has a reference, or no odometry either.
    """
    from racecar.analysis.course_of_run import laps_of_drive
    from racecar.analysis.html_report import drive_report, drive_rows
    from racecar.analysis.run_charts import ShownRun
    from racecar.bags.runs import locate, read_run

    if arguments.json or arguments.reference_topic is not None:
        return []
    path = locate(arguments.run, arguments.car)
    analyses = [] if path.suffix == '.csv' else _analyses_of_bag(path, arguments.car)
    try:
        with progress_bar() as progress:
            recorded = read_run(
                arguments.run, car=arguments.car, odometry_topic=arguments.odometry_topic,
                progress=progress)
    except BagError:
        # The drawings may do without odometry, or say better what is missing.
        return analyses[0](path, output) if analyses else []
    if recorded.tracking is not None:
        return []
    lines = analyses[0](path, output) if analyses else []
    motion = recorded.motion.without_start(
        recorded.skip if arguments.skip is None else arguments.skip)
    if not lines:
        print_rows(drive_rows(
            motion, recorded.collisions, laps_of_drive(motion, recorded.file)))
    report = output / REPORT_NAME
    drive_report(
        ShownRun(recorded.name, motion, None, scene=recorded.scene), recorded.source,
        recorded.file, recorded.collisions).write(report)
    return [f'Report: {report}', *lines]


def _analyses_of_bag(path: Path, car: str | None) -> list[Callable[[Path, Path], list[str]]]:
    """What else than a run can be drawn of a bag; car: of one of several."""
    from racecar.bags.driver_log import has_driver_state
    from racecar.bags.laser_log import has_scans
    from racecar.bags.reader import BagReader

    with BagReader(path) as reader:
        summary = reader.summary
    return [analyse for is_there, analyse in (
        (has_driver_state, analyse_drive),
        (has_scans, functools.partial(analyse_scans, car=car))) if is_there(summary)]


def default_output(run: Path) -> Path:
    """Folder for results when none is given."""
    return run / 'analysis' if run.is_dir() else run.with_name(f'{run.stem}_analysis')


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let errors about the samples of a run say which run it is."""
    try:
        yield
    except RunError as error:
        text = str(error)
        raise RunError(text if str(path) in text else f"run '{path}': {text}") from error


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int], None] | None]:
    """Yield a progress callback that draws on stderr if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(desc='reading', unit=' messages', leave=False, delay=0.5) as bar:
        def update(done: int, total: int) -> None:
            if done % _BAR_STEP == 0:
                bar.total = total
                bar.update(done - bar.n)

        yield update
