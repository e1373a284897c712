# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar analyze`: tracking error, figures and a report from a bag."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
import json
from pathlib import Path
import sys
from typing import NamedTuple, TYPE_CHECKING

from racecar.cli.choices import completed_as_file
from racecar.cli.output import print_rows
from racecar.core.errors import BagError, ConfigurationError

if TYPE_CHECKING:
    from racecar.core.analysis.metrics import Metrics
    from racecar.core.analysis.run_data import TrackingRun

_BAR_STEP = 500  # messages


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar analyze`."""
    parser.description = (
        'Compare odometry and reference of a rosbag2 bag (MCAP or sqlite3): print RMSE, ISE,'
        ' maximum, cross-track, heading and speed error, write path.png, x.png, y.png, error.png'
        ' and report.html; with slip and forces of the wheels in the bag, fx.png and fy.png too.'
        ' Of a bag of driver_bridge without a reference, write driver.png. ROS is not needed.')
    completed_as_file(parser.add_argument(
        'bag', type=Path, metavar='BAG', help='bag folder, or a .mcap or .db3 file'))
    parser.add_argument(
        '--skip', type=float, default=0.0, metavar='SECONDS',
        help='leave out the first seconds, where the start transient is (default: 0)')
    parser.add_argument(
        '--odometry-topic', metavar='T',
        help='nav_msgs/Odometry of the car (default: /vesc/odom, else /odom, in any namespace)')
    parser.add_argument(
        '--reference-topic', metavar='T',
        help='nav_msgs/Odometry to follow (default: /reference_trajectory, in any namespace)')
    parser.add_argument(
        '--output', type=Path, metavar='FOLDER',
        help='where figures and report go (default: analysis in a bag folder, NAME_analysis'
             ' beside a bare file NAME.mcap); files of an earlier analysis are replaced')
    parser.add_argument(
        '--json', action='store_true',
        help='print one JSON object with the metrics in SI units, ticks and seconds that the'
             ' recording lost, and the warnings; everything else to stderr')


def run(arguments: argparse.Namespace) -> int:
    """Analyse the bag, print the metrics, write figures and report; returns 0.

    Raises BagError or ConfigurationError with a one-line message.
    """
    output = arguments.output or default_output(arguments.bag)
    try:
        analysis = analyse(
            arguments.bag, output, skip=arguments.skip,
            odometry_topic=arguments.odometry_topic, reference_topic=arguments.reference_topic)
    except BagError:
        analyse_other = _analysis_without_reference(arguments)
        if analyse_other is None:
            raise
        print('\n'.join(analyse_other(arguments.bag, output)))
        return 0
    if arguments.json:
        print(json.dumps({**analysis.metrics.as_dict(), **_losses(analysis.run)}))
    else:
        print(f'{analysis.run.odometry_name} against {analysis.run.reference_name}')
        print_rows(analysis.metrics.as_rows())
    print('\n'.join(analysis.places), file=sys.stderr if arguments.json else sys.stdout)
    return 0


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
    bag: Path, output: Path, *, skip: float = 0.0, title: str | None = None,
    odometry_topic: str | None = None, reference_topic: str | None = None,
) -> Analysis:
    """Compute the metrics of a bag and write figures and report to a folder.

    title: of report and figures, by default the name of the bag. Warnings go to stderr.
    Raises BagError or ConfigurationError with a one-line message.
    """
    # Imported here, so that `racecar --help` does not wait for matplotlib.
    from racecar.bags.tracking_run import read_tracking_run
    from racecar.core.analysis.figures import (
        draw_figures,
        draw_tyre_figures,
        render_figures,
        write_figures,
    )
    from racecar.core.analysis.html_report import write_report
    from racecar.core.analysis.metrics import compute_metrics

    with _progress_bar() as progress:
        recorded = read_tracking_run(
            bag, odometry_topic=odometry_topic, reference_topic=reference_topic,
            progress=progress)
    tracking_run = recorded.run
    if title is not None:
        tracking_run = replace(tracking_run, name=title)
    for warning in tracking_run.warnings:
        if warning not in recorded.bag.warnings:  # those are logged by the reader
            print(f'warning: {warning}', file=sys.stderr)
    track = tracking_run.merged(skip)
    metrics = replace(compute_metrics(tracking_run.merged(), skip),
                      collisions=tracking_run.collisions)

    if output.exists() and not output.is_dir():
        raise ConfigurationError(f"--output '{output}' is a file, expected a folder")
    figures = draw_figures(tracking_run.name, track, metrics)
    if tracking_run.tyre_data is not None:
        figures |= draw_tyre_figures(
            tracking_run.name, tracking_run.tyre_data.without_start(skip))
    pictures = render_figures(figures)
    paths = write_figures(pictures, output)
    report = output / 'report.html'
    write_report(report, tracking_run, track, metrics, pictures, skip, recorded.source)
    places = [f'Report: {report}', f'Figures: {", ".join(str(path) for path in paths)}']
    if tracking_run.tyre_data is not None:
        places += [
            f'No {key}.png: its slip is not in the bag, or 0 throughout as the vehicle model has'
            ' none' for key in ('fx', 'fy') if key not in pictures]
    return Analysis(tracking_run, metrics, places)


def analyse_drive(bag: Path, output: Path, *, title: str | None = None) -> list[str]:
    """Draw what the driver of a bag did, with driver_bridge; return where the figure lies.

    title: of the figure, by default the name of the bag. Raises BagError or ConfigurationError
    with a one-line message.
    """
    from racecar.bags.driver_log import read_driver_log
    from racecar.core.analysis.driver_figure import draw_driver_figure
    from racecar.core.analysis.figures import render_figures, write_figures

    with _progress_bar() as progress:
        log = read_driver_log(bag, progress)
    if title is not None:
        log = replace(log, name=title)
    paths = write_figures(render_figures({'driver': draw_driver_figure(log)}), output)
    return [f'Figure: {path}' for path in paths]


def analyse_scans(bag: Path, output: Path, *, title: str | None = None) -> list[str]:
    """Draw a drive with a laser; return how long it was and where the figures lie.

    title: of the figures, by default the name of the bag. Raises BagError or ConfigurationError
    with a one-line message.
    """
    from racecar.bags.laser_log import read_laser_log
    from racecar.core.analysis.figures import render_figures, write_figures
    from racecar.core.analysis.scene_figure import draw_laser_figure, draw_scan_figure

    with _progress_bar() as progress:
        log = read_laser_log(bag, progress)
    if title is not None:
        log = log._replace(name=title)
    scan = log.scans[len(log.scans) // 2]
    paths = write_figures(render_figures({
        'drive': draw_laser_figure(log), 'scan': draw_scan_figure(scan, log.name)}), output)
    return [log.summary, f'Figures: {", ".join(str(path) for path in paths)}']


def _analysis_without_reference(
    arguments: argparse.Namespace,
) -> Callable[[Path, Path], list[str]] | None:
    """Return what draws a bag that holds no reference, unless somebody asked for its error."""
    from racecar.bags.driver_log import has_driver_state
    from racecar.bags.laser_log import has_scans
    from racecar.bags.reader import BagReader
    from racecar.bags.tracking_run import REFERENCE_TOPICS

    if arguments.json or arguments.reference_topic is not None:
        return None
    with BagReader(arguments.bag) as reader:
        summary = reader.summary
    if any(row.name.endswith(REFERENCE_TOPICS) for row in summary.topics):
        return None
    if has_driver_state(summary):
        return analyse_drive
    return analyse_scans if has_scans(summary) else None


def default_output(bag: Path) -> Path:
    """Return the folder for results when none is given."""
    return bag / 'analysis' if bag.is_dir() else bag.with_name(f'{bag.stem}_analysis')


@contextmanager
def _progress_bar() -> Iterator[Callable[[int, int], None] | None]:
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
