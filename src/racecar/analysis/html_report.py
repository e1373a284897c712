# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One HTML file that holds everything about a tracking run: numbers, figures, provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, UTC
from pathlib import Path

from racecar.analysis.course_of_run import further_quantities, laps_of_drive
from racecar.analysis.html_page import HtmlPage
from racecar.analysis.motion import Motion
from racecar.analysis.run_charts import (
    gg_chart,
    path_chart,
    position_chart,
    ShownRun,
    time_chart,
    tyre_charts,
)
from racecar.analysis.run_data import EPOCH_FROM_NS, TrackingRun
from racecar.analysis.scene_of_run import scene_of_run
from racecar.analysis.step_time import ANSWER, step_time_of
from racecar.base.columns import Array
from racecar.base.run_file import RunFile
from racecar.base.types import NANOSECONDS
from racecar.metrics.laps import LapTimes
from racecar.metrics.path_kernels import SLOWEST_COURSE
from racecar.metrics.path_metrics import PATH_WINDOW
from racecar.metrics.quantities import length_text, Quantity
from racecar.metrics.settling import BAND, settling
from racecar.metrics.tracking_error import MergedTrack, Metrics

_TYRE_CAPTIONS = {
    'fx': 'Longitudinal force of each tyre against its longitudinal slip, positive when braking',
    'fy': 'Lateral force of each tyre against its slip angle, both positive to the left',
}
_TYRE_METHOD = (
    'Slip and force of a wheel carry no stamp. Where both have equally many samples, the n-th slip'
    ' goes with the n-th force, else each slip with the force recorded nearest to it, at most half'
    ' a step apart.')
_METHOD = (
    'The error of an odometry sample is its position minus the desired position at the same'
    ' stamp. The desired position is the reference sample with that very stamp, else'
    ' interpolated linearly in time between its two neighbours. Odometry before the first or after'
    ' the last reference sample is left out; of several samples with one stamp the last recorded'
    ' counts. Both positions are taken as they are given, in one frame.')
_PATH_METHOD = (
    'The path is the polyline of the desired positions. Its nearest point is sought at most'
    f' {PATH_WINDOW:g} s before and after the sample. Course and speeds are those of the'
    ' difference between the positions before and after the sample; below'
    f' {SLOWEST_COURSE:g} m/s there is no course. Where the path turns back on itself within that'
    ' time, the heading error is modulo π.')
ACCELERATION_METHOD = (
    'Accelerations are those of base_link in the body frame, from the differences of the twist of'
    ' the odometry.')
GG_CAPTION = 'g-g diagram: how much of the grip was used (double-click: every sample)'
TIME_CAPTION = ('Speed, steering and errors over time (double-click: all of the errors, the start'
                ' too)')
_ENOUGH = 100  # times for a 99th percentile
SIMULATED = (('Source', 'simulation'),)
MEANINGS = {
    'RMSE': 'square root of the mean squared distance over the samples',
    'ISE': 'integral of the squared distance over time, trapezoid rule on the stamps',
    'sum of squared errors': 'plain sum over the samples; grows with the odometry rate',
    'maximum error': 'largest distance of a sample',
    'samples': 'odometry samples compared',
    'duration': 'from the first to the last of them',
    'cross-track RMSE': 'of the distance to the nearest point of the path',
    'maximum cross-track error': 'largest distance to the nearest point of the path',
    'heading RMSE': 'of the course against the direction of the path at the nearest point',
    'speed RMSE': 'of the speed against that of the reference at the same time',
    'settling time': 'from the first sample until the error stays within'
                     f' {BAND:.0%} of its largest value',
    'RMSE before settling': 'of the start, whatever is left out above',
    'RMSE when settled': 'of all that follows',
    'maximum error when settled': 'of all that follows',
    'collisions': 'contacts with what stands around, from the first message to the last',
    'laps': 'complete ones along the path, or the track of the world, of the whole run',
    'best lap': 'from crossing to crossing of the start line, interpolated within a tick',
    'mean lap': 'of all complete laps, the first one from rest among them',
    'progress in laps': 'way along the course by its length; negative the wrong way',
    'wrong ways': 'how often the car went back by more than 1 % of the course',
    'track exits': 'how often the tracked point left the track, by its widths',
    'time off the track': 'of the tracked point, in all',
    'distance': 'length of the driven path',
    'mean speed': 'distance by time',
    'maximum speed': 'of base_link',
    'maximum lateral acceleration': 'of base_link, in the body frame',
    'lateral acceleration RMS': 'of base_link, in the body frame',
    'control effort': 'integral of the squared steering angle that was commanded, within the'
                      ' range of the car',
    'steering rate RMS': 'of the same angle, by the difference of two commands',
    'controller time P50': 'median wall time of an answer to an odometry, in Python',
    'controller time P99': '99 % of the answers took no longer',
    'loop time P50': 'median wall time of a tick of the compiled loop, controller and car',
    'loop time P99': '99 % of the pieces of ticks took no longer',
}
"""What each row of Metrics and Motion says."""


def tracking_report(
    run: TrackingRun, track: MergedTrack, metrics: Metrics, skip: float = 0.0,
    source: Sequence[tuple[str, str]] = SIMULATED, file: RunFile | None = None,
) -> HtmlPage:
    """Report of a run as an HTML page.

    track, metrics: of the run without its first `skip` seconds. source: rows, name and text, that
    say where the run comes from; file: its run.yaml.
    """
    page = HtmlPage(
        run.name, f'Tracking report: RMSE {length_text(metrics.rmse)} over'
        f' {metrics.duration:.1f} s')
    for text in run.warnings:
        page.warning(text)
    motion = None if run.motion is None else run.motion.without_start(skip)
    page.heading('Tracking error')
    rows = [*metrics.as_rows(), *_rows_of(settling(run.merged()).quantities()),
            *(motion.as_rows() if motion is not None else ()), *_rows_of(step_times(file))]
    page.table(
        ['Quantity', 'Value', 'Unit', 'Meaning'],
        [[name, value, unit, MEANINGS[name]] for name, value, unit in rows],
        numbers=[1], remarks=[3])
    add_laps(page, metrics.laps)
    page.heading('Figures')
    tyres = {}
    if motion is not None:
        shown = ShownRun(run.name, motion, track, scene=scene_of_run(file))
        page.charts([
            (path_chart(shown), 'Path, coloured by speed'),
            (gg_chart([shown]), GG_CAPTION)])
        page.charts([
            (time_chart([shown], metrics.rmse), TIME_CAPTION)], over_time=True)
    page.charts([(position_chart(track), 'Position over time')], over_time=True)
    if run.tyre_data is not None:
        tyres = tyre_charts(run.tyre_data.without_start(skip))
        if tyres:
            page.charts([(chart, _TYRE_CAPTIONS[key]) for key, chart in tyres.items()])
    page.heading('Source')
    page.facts([*source, *_facts(run, track, skip)])
    add_run_file(page, file)
    page.heading('How it was computed')
    for text in (_METHOD, _PATH_METHOD, *([ACCELERATION_METHOD] if motion is not None else ()),
                 *([_TYRE_METHOD] if tyres else ())):
        page.paragraph(text)
    return page


def drive_report(
    shown: ShownRun, source: Sequence[tuple[str, str]], file: RunFile | None = None,
    collisions: int | None = None,
) -> HtmlPage:
    """Report of a run without a reference: where and how fast it drove.

    collisions: contacts with what stands around, None if nobody counted. Laps are those on the
    track that has the name of the world.
    """
    motion, laps = shown.motion, laps_of_drive(shown.motion, file)
    page = HtmlPage(
        shown.name, f'Drive without a reference: {motion.distance:.1f} m in'
        f' {motion.duration:.1f} s')
    page.heading('Drive')
    page.table(
        ['Quantity', 'Value', 'Unit', 'Meaning'],
        [[name, value, unit, MEANINGS[name]] for name, value, unit in drive_rows(
            motion, collisions, laps)],
        numbers=[1], remarks=[3])
    add_laps(page, laps)
    page.heading('Figures')
    page.charts([
        (path_chart(shown), 'Path, coloured by speed'),
        (gg_chart([shown]), GG_CAPTION)])
    page.charts([(time_chart([shown]), 'Speed and steering over time')], over_time=True)
    page.heading('Source')
    page.facts(source)
    add_run_file(page, file)
    page.heading('How it was computed')
    page.paragraph(ACCELERATION_METHOD)
    return page


def drive_rows(
    motion: Motion, collisions: int | None, laps: LapTimes | None,
) -> list[tuple[str, str, str]]:
    """(name, value, unit) of a drive without a reference."""
    return [*motion.as_rows(), *_rows_of(further_quantities(collisions, laps))]


def add_laps(page: HtmlPage, laps: LapTimes | None) -> None:
    """Table of the laps and their sectors, if there are any."""
    if laps is None or not laps.laps:
        return
    page.heading('Laps')
    sectors = len(laps.laps[0].sectors)
    page.table(
        ['Lap', 'Began [s]', 'Time [s]',
         *(f'Sector {number} [s]' for number in range(1, sectors + 1))],
        [[str(number), *(f'{time:.3f}' for time in (lap.begun, lap.time, *lap.sectors))]
         for number, lap in enumerate(laps.laps, start=1)], numbers=range(3 + sectors))


def step_times(file: RunFile | None) -> dict[str, Quantity]:
    """Wall times of a controller as its run.yaml has them, by the names that JSON has."""
    found = None if file is None else step_time_of(file.step_time)
    if found is None:
        return {}
    what, key = ('controller time', 'controller_time') if found.of == ANSWER else (
        'loop time', 'loop_time')
    times = {f'{key}_p50': Quantity(f'{what} P50', found.median, 's')}
    # Of fewer the highest would be called so.
    return times if found.samples < _ENOUGH else {
        **times, f'{key}_p99': Quantity(f'{what} P99', found.p99, 's')}


def _rows_of(quantities: Mapping[str, Quantity]) -> list[tuple[str, str, str]]:
    return [quantity.row() for quantity in quantities.values()]


def write_report(
    path: Path | str, run: TrackingRun, track: MergedTrack, metrics: Metrics, *,
    skip: float = 0.0, source: Sequence[tuple[str, str]] = SIMULATED, file: RunFile | None = None,
) -> None:
    """Write `tracking_report` to a file. Raises ConfigurationError if it cannot be written."""
    tracking_report(run, track, metrics, skip, source, file).write(path)


def add_run_file(page: HtmlPage, file: RunFile | None) -> None:
    """Add how a run was made, as far as it is known."""
    if file is not None:
        page.facts(how_made(file))
        page.details('Everything that was set: run.yaml', file.to_yaml())


def how_made(file: RunFile) -> list[tuple[str, str]]:
    """By which command, when and with which version a run was made: names and texts."""
    return [('Command', file.command), ('Made', file.made), *(
        (name.capitalize() if name != 'racecar' else 'Version of racecar', text)
        for name, text in file.environment.items()
        if name in ('racecar', 'git commit', 'uncommitted changes'))]


def _facts(run: TrackingRun, track: MergedTrack, skip: float) -> list[tuple[str, str]]:
    return [
        ('Odometry', _samples(run.odometry_name, run.t)),
        ('Reference', _samples(run.reference_name, run.reference_t)),
        ('Compared', f'{track.t[0]:.3f} s to {track.t[-1]:.3f} s; 0 s is the first stamp,'
                     f' {_instant(run.origin_ns)}'),
        ('Left out at the start', f'{skip:g} s'),
    ]


def _samples(name: str, t: Array) -> str:
    before = f'{name}, ' if name else ''
    duration = float(t.max() - t.min())
    rate = f', {(t.size - 1) / duration:.1f} Hz' if duration > 0.0 else ''
    return f'{before}{t.size} samples{rate}'


def _instant(stamp_ns: int) -> str:
    seconds = f'{stamp_ns / NANOSECONDS:.3f} s'
    if stamp_ns < EPOCH_FROM_NS:
        return seconds
    date = datetime.fromtimestamp(stamp_ns // NANOSECONDS, tz=UTC)
    return f'{date:%Y-%m-%d %H:%M:%S} UTC'
