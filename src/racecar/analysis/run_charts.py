# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Interactive figures of runs: paths, quantities over time, g-g diagram, tyre forces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from racecar.analysis.chart import Chart, INK, SOFT, Stroke
from racecar.analysis.cross_track import cross_track_error
from racecar.analysis.motion import Motion
from racecar.analysis.palette import BLUE, GREEN
from racecar.analysis.tyre_data import TyreCurve, TyreData
from racecar.base.columns import Array
from racecar.metrics.tracking_error import MergedTrack

_SPEED = 'speed [m/s]'
_SYMBOLS = ('circle', 'diamond', 'square', 'cross')


class ShownRun(NamedTuple):
    """A run as the figures show it; track: None without a reference."""

    name: str
    motion: Motion
    track: MergedTrack | None
    tyre_data: TyreData | None = None


def path_chart(run: ShownRun, bounds: tuple[float, float] | None = None) -> Chart:
    """Draw a path from above, coloured by speed; bounds: of the colours [m/s]."""
    chart = Chart('x [m]', ['y [m]'], is_map=True)
    motion, track = run.motion, run.track
    if track is None:
        chart.coloured(motion.x, motion.y, motion.speed, 'driven', _SPEED, bounds=bounds,
                       times=motion.t)
    else:
        speed = np.interp(track.t, motion.t, motion.speed)
        chart.coloured(track.x, track.y, speed, 'driven', _SPEED, bounds=bounds, times=track.t)
        _draw_desired(chart, track, 'desired', INK)
    x, y = (motion.x, motion.y) if track is None else (track.x, track.y)
    chart.dots(x[:1], y[:1], 'start', colour=GREEN, symbol='circle', size=11)
    chart.dots(x[-1:], y[-1:], 'end', colour=INK, symbol='square', size=9)
    return chart


def paths_chart(runs: Sequence[ShownRun]) -> Chart:
    """Draw the paths of some runs over each other, and what they should have been."""
    chart = Chart('x [m]', ['y [m]'], is_map=True)
    for series, run in enumerate(runs):
        path: Motion | MergedTrack = run.motion if run.track is None else run.track
        chart.line(path.x, path.y, run.name, series=series, times=path.t)
    drawn: list[MergedTrack] = []
    for run in runs:
        if run.track is not None and not any(_is_same(run.track, other) for other in drawn):
            _draw_desired(
                chart, run.track, 'desired' if not drawn else f'desired of {run.name}', SOFT)
            drawn.append(run.track)
    return chart


def time_chart(runs: Sequence[ShownRun], rmse: float | None = None) -> Chart:
    """Draw speed, steering, errors and slip angles over time, of one run or of several.

    Of one run what was desired and commanded, too, and its RMSE [m].
    """
    alone = len(runs) == 1
    panels: list[tuple[str, Callable[[Chart, int, int, ShownRun], None]]] = [
        (_SPEED, _draw_speed_of_one if alone else _draw_speed)]
    if any(run.motion.command_t.size or run.motion.state_t.size for run in runs):
        panels.append(('steering [rad]', _draw_steering_of_one if alone else _draw_steering))
    if any(run.track is not None for run in runs):
        panels += [('cross-track error [m],<br>left positive', _draw_cross_track),
                   ('position error [m]', _draw_error)]
    if any(np.any(run.motion.slip_front) or np.any(run.motion.slip_rear) for run in runs):
        panels.append(('slip angle [rad]', _draw_slip_of_one if alone else _draw_slip))
    chart = Chart('time since the start [s]', [label for label, _ in panels])
    for panel, (_, draw) in enumerate(panels):
        for series, run in enumerate(runs):
            draw(chart, panel, series, run._replace(name='error') if alone else run)
    if rmse is not None:
        chart.level(rmse, 'RMSE', panel=[draw for _, draw in panels].index(_draw_error))
    return chart


def position_chart(track: MergedTrack) -> Chart:
    """Draw both coordinates over time, actual and desired."""
    chart = Chart('time since the start [s]', ['x [m]', 'y [m]'])
    for panel, (actual, desired) in enumerate((
            (track.x, track.reference_x), (track.y, track.reference_y))):
        chart.line(track.t, actual, 'actual', panel=panel)
        chart.line(track.t, desired, 'desired', panel=panel, series=1)
    return chart


def gg_chart(runs: Sequence[ShownRun]) -> Chart:
    """Draw longitudinal over lateral acceleration: how much of the grip was used.

    Shown at first is what 99.5 % of the samples need.
    """
    chart = Chart('lateral acceleration [m/s²], left positive',
                  ['longitudinal acceleration [m/s²]'], is_map=True)
    reaches = []
    for series, run in enumerate(runs):
        longitudinal, lateral = run.motion.accelerations
        chart.dots(lateral, longitudinal, run.name, series=series,
                   symbol=_SYMBOLS[series % len(_SYMBOLS)])
        # A command that starts with a step is hundreds of times what follows.
        reaches.append(np.quantile(np.abs([longitudinal, lateral]), 0.995))
    chart.show_within(1.2 * max(float(max(reaches)), 0.1))
    return chart


def tyre_charts(data: TyreData) -> dict[str, Chart]:
    """Draw `fx` and `fy`, forces against slip of each wheel; without those that never slipped."""
    drawn: dict[str, tuple[Mapping[str, TyreCurve], str, str]] = {
        'fx': (data.fx, 'longitudinal slip [-]', 'longitudinal force [N]'),
        'fy': (data.fy, 'slip angle [rad]', 'lateral force [N]')}
    charts = {}
    for key, (curves, slip, force) in drawn.items():
        if any(curve.slip.any() for curve in curves.values()):
            charts[key] = chart = Chart(slip, [force], panel_height=320)
            for series, (wheel, curve) in enumerate(curves.items()):
                chart.dots(curve.slip, curve.force, wheel.replace('_', ' '), series=series,
                           symbol=_SYMBOLS[series % len(_SYMBOLS)])
    return charts


def speed_bounds(runs: Sequence[ShownRun]) -> tuple[float, float]:
    """Least and largest speed of some runs [m/s]."""
    speeds = np.concatenate([run.motion.speed for run in runs])
    return float(speeds.min()), float(speeds.max())


def _draw_desired(chart: Chart, track: MergedTrack, name: str, colour: str) -> None:
    # Thin dots, so that the driven path is seen below them.
    chart.line(track.reference_x, track.reference_y, name, times=track.t,
               stroke=Stroke(colour, 'dot', 1.2))


def _is_same(track: MergedTrack, other: MergedTrack) -> bool:
    """Whether two references seem to be one path: at least their bounds and starts are equal."""
    bounds = [np.array([values.min() for values in columns] + [values.max() for values in columns]
                       + [values[0] for values in columns])
              for columns in ((track.reference_x, track.reference_y),
                              (other.reference_x, other.reference_y))]
    size = float(np.ptp(bounds[0]))
    return bool(np.all(np.abs(bounds[0] - bounds[1]) <= 0.01 * size + 1e-6))


def _reference_speed(track: MergedTrack) -> Array:
    if track.t.size < 2:
        return np.zeros_like(track.t)
    return np.hypot(np.gradient(track.reference_x, track.t),
                    np.gradient(track.reference_y, track.t))


def _draw_speed(chart: Chart, panel: int, series: int, run: ShownRun) -> None:
    chart.line(run.motion.t, run.motion.speed, run.name, panel=panel, series=series)


def _draw_speed_of_one(chart: Chart, panel: int, series: int, run: ShownRun) -> None:
    motion = run.motion
    chart.line(motion.command_t, motion.speed_command, 'commanded', panel=panel,
               stroke=Stroke(SOFT, 'dash'))
    if run.track is not None:
        chart.line(run.track.t, _reference_speed(run.track), 'desired', panel=panel, series=1,
                   stroke=Stroke(dash='dot'))
    chart.line(motion.t, motion.speed, 'actual', panel=panel)


def _draw_steering(chart: Chart, panel: int, series: int, run: ShownRun) -> None:
    motion = run.motion
    t, angle = (motion.command_t, motion.steering_command) if motion.command_t.size else (
        motion.state_t, motion.steering)
    chart.line(t, angle, run.name, panel=panel, series=series)


def _draw_steering_of_one(chart: Chart, panel: int, series: int, run: ShownRun) -> None:
    motion = run.motion
    chart.line(motion.command_t, motion.steering_command, 'commanded', panel=panel,
               stroke=Stroke(SOFT, 'dash' if motion.state_t.size else 'solid'))
    if motion.state_t.size:
        chart.line(motion.state_t, motion.steering, 'actual', panel=panel)


def _draw_cross_track(chart: Chart, panel: int, series: int, run: ShownRun) -> None:
    if run.track is not None:
        chart.line(*cross_track_error(run.track), run.name, panel=panel, series=series)


def _draw_error(chart: Chart, panel: int, series: int, run: ShownRun) -> None:
    if run.track is not None:
        chart.line(run.track.t, run.track.error, run.name, panel=panel, series=series)


def _draw_slip(chart: Chart, panel: int, series: int, run: ShownRun) -> None:
    chart.line(run.motion.state_t, run.motion.slip_rear, run.name, panel=panel, series=series)


def _draw_slip_of_one(chart: Chart, panel: int, series: int, run: ShownRun) -> None:
    motion = run.motion
    chart.line(motion.state_t, motion.slip_front, 'front axle', panel=panel,
               stroke=Stroke(BLUE))
    chart.line(motion.state_t, motion.slip_rear, 'rear axle', panel=panel, series=1)
