# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Interactive figures of runs: paths, quantities over time, g-g diagram, tyre forces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from racecar.analysis.chart import Chart, INK, SOFT, Stroke
from racecar.analysis.cross_track import cross_track_error
from racecar.analysis.motion import is_constant, Motion
from racecar.analysis.outlines import outlines
from racecar.analysis.palette import colour_named, GREEN
from racecar.analysis.tyre_data import TyreCurve, TyreData
from racecar.base.columns import Array
from racecar.metrics.quantities import unit_for
from racecar.metrics.settling import settling
from racecar.metrics.tracking_error import MergedTrack
from racecar.scene.scene import EMPTY_SCENE, Scene

_SPEED = 'speed [m/s]'
_ROOM = 1.3
"""Of what is shown around the largest of it."""
_SYMBOLS = ('circle', 'diamond', 'square', 'cross')


class ShownRun(NamedTuple):
    """A run as the figures show it; track: None without a reference, scene: what stood around."""

    name: str
    motion: Motion
    track: MergedTrack | None
    tyre_data: TyreData | None = None
    scene: Scene = EMPTY_SCENE

    @property
    def stroke(self) -> Stroke:
        """Of its lines among those of other runs: a car called red is red."""
        return Stroke(colour_named(self.name))


def path_chart(run: ShownRun, bounds: tuple[float, float] | None = None) -> Chart:
    """Draw a path from above in its scene, coloured by speed; bounds: of the colours [m/s]."""
    chart = Chart('x [m]', ['y [m]'], is_map=True)
    chart.outlines(outlines(run.scene), 'walls')
    path: Motion | MergedTrack = run.motion if run.track is None else run.track
    speed = np.interp(path.t, run.motion.t, run.motion.speed)
    if is_constant(speed if bounds is None else np.array(bounds)):
        chart.line(path.x, path.y, f'driven at {speed.mean():.3g} m/s', times=path.t)
    else:
        chart.coloured(path.x, path.y, speed, 'driven', _SPEED, bounds=bounds, times=path.t)
    if run.track is not None:
        _draw_desired(chart, run.track, 'desired', INK)
    chart.dots(path.x[:1], path.y[:1], 'start', colour=GREEN, symbol='circle', size=11)
    chart.dots(path.x[-1:], path.y[-1:], 'end', colour=INK, symbol='square', size=9)
    return chart


def paths_chart(runs: Sequence[ShownRun]) -> Chart:
    """Draw the paths of some runs over each other, and what they should have been."""
    chart = Chart('x [m]', ['y [m]'], is_map=True)
    chart.outlines(outlines(runs[0].scene), 'walls')
    for series, run in enumerate(runs):
        path: Motion | MergedTrack = run.motion if run.track is None else run.track
        chart.line(path.x, path.y, run.name, series=series, stroke=run.stroke, times=path.t)
    drawn: list[MergedTrack] = []
    for run in runs:
        if run.track is not None and not any(_is_same(run.track, other) for other in drawn):
            _draw_desired(
                chart, run.track, 'desired' if not drawn else f'desired of {run.name}', SOFT)
            drawn.append(run.track)
    return chart


def time_chart(runs: Sequence[ShownRun], rmse: float | None = None) -> Chart:
    """Draw speed, steering, errors and slip angles over time, of one run or of several.

    Of one run what was desired and commanded, too, and its RMSE [m]. Where the runs settle, the
    errors are shown as far as settled ones reach.
    """
    alone = len(runs) == 1
    panels: list[_Panel] = [_Panel(_SPEED, _draw_speed_of_one if alone else _draw_speed)]
    if any(run.motion.command_t.size or run.motion.state_t.size for run in runs):
        panels.append(_Panel(
            'steering [deg]', _draw_steering_of_one if alone else _draw_steering))
    reach, factor, unit = _errors_shown(runs)
    if any(run.track is not None for run in runs):
        panels += [
            _Panel(f'cross-track error [{unit}],<br>left positive',
                   partial(_draw_cross_track, factor), (-reach, reach)),
            _Panel(f'position error [{unit}]', partial(_draw_error, factor), (0.0, reach))]
    if any(np.any(run.motion.slip_front) or np.any(run.motion.slip_rear) for run in runs):
        panels.append(_Panel('slip angle [deg]', _draw_slip_of_one if alone else _draw_slip))
    chart = Chart('time since the start [s]', [panel.label for panel in panels],
                  own_legends=alone)
    for number, panel in enumerate(panels):
        chart.show_panel_within(number, *panel.bounds)
        for series, run in enumerate(runs):
            panel.draw(chart, number, series, run._replace(name='error') if alone else run)
    if rmse is not None:
        chart.level(factor * rmse, 'RMSE', panel=[panel.label for panel in panels].index(
            f'position error [{unit}]'))
    return chart


class _Panel(NamedTuple):
    """Label of an axis, what draws a run there, and what is shown of it at first."""

    label: str
    draw: Callable[[Chart, int, int, ShownRun], None]
    bounds: tuple[float, float] = (-np.inf, np.inf)


def _errors_shown(runs: Sequence[ShownRun]) -> tuple[float, float, str]:
    """How far errors are shown in their unit, infinite for all; factor and name of this unit."""
    tracks = [run.track for run in runs if run.track is not None]
    largest = max((float(track.error.max()) for track in tracks), default=0.0)
    reaches = [settling(track).settled_max_error for track in tracks]
    known = [reach for reach in reaches if reach is not None]
    reach = _ROOM * max(known) if known and len(known) == len(tracks) else np.inf
    factor, unit = unit_for(min(reach, largest), 'm')
    return reach * factor if 0.0 < reach < largest else np.inf, factor, unit


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
        chart.dots(lateral, longitudinal, run.name, series=series, colour=run.stroke.colour,
                   symbol=_SYMBOLS[series % len(_SYMBOLS)])
        # A command that starts with a step is hundreds of times what follows.
        reaches.append(np.quantile(np.abs([longitudinal, lateral]), 0.995))
    chart.show_within(1.2 * max(float(max(reaches)), 0.1))
    return chart


def tyre_charts(data: TyreData) -> dict[str, Chart]:
    """Draw `fx` and `fy`, forces against slip of each wheel; without those that never slipped."""
    drawn: dict[str, tuple[Mapping[str, TyreCurve], str, str]] = {
        'fx': (data.fx, 'longitudinal slip [-]', 'longitudinal force [N]'),
        'fy': (data.fy_in_degrees, 'slip angle [deg]', 'lateral force [N]')}
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
    chart.line(run.motion.t, run.motion.speed, run.name, panel=panel, series=series,
               stroke=run.stroke)


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
    t, angle = (motion.command_t, motion.steering_applied) if motion.command_t.size else (
        motion.state_t, motion.steering)
    chart.line(t, np.degrees(angle), run.name, panel=panel, series=series, stroke=run.stroke)


def _draw_steering_of_one(chart: Chart, panel: int, series: int, run: ShownRun) -> None:
    motion = run.motion
    applied, raw = np.degrees(motion.steering_applied), np.degrees(motion.steering_command)
    if motion.state_t.size:
        chart.line(motion.state_t, np.degrees(motion.steering), 'of the wheels', panel=panel)
    if raw.size:
        chart.line(motion.command_t, applied, 'commanded', panel=panel, series=1,
                   stroke=Stroke(dash='dash' if motion.state_t.size else 'solid'))
    if not np.array_equal(raw, applied):
        chart.line(motion.command_t, raw, 'commanded beyond what the car can', panel=panel,
                   stroke=Stroke(SOFT, 'dot', 1.2))
        reach = _ROOM * float(np.max(np.abs(applied)))
        chart.show_panel_within(panel, -reach, reach)


def _draw_cross_track(
    factor: float, chart: Chart, panel: int, series: int, run: ShownRun,
) -> None:
    if run.track is not None:
        t, error = cross_track_error(run.track)
        chart.line(t, factor * error, run.name, panel=panel, series=series,
                   stroke=run.stroke)


def _draw_error(factor: float, chart: Chart, panel: int, series: int, run: ShownRun) -> None:
    if run.track is not None:
        chart.line(run.track.t, factor * run.track.error, run.name, panel=panel, series=series,
                   stroke=run.stroke)


def _draw_slip(chart: Chart, panel: int, series: int, run: ShownRun) -> None:
    chart.line(run.motion.state_t, np.degrees(run.motion.slip_rear), run.name, panel=panel,
               series=series, stroke=run.stroke)


def _draw_slip_of_one(chart: Chart, panel: int, series: int, run: ShownRun) -> None:
    motion = run.motion
    chart.line(motion.state_t, np.degrees(motion.slip_front), 'front axle', panel=panel, series=2)
    chart.line(motion.state_t, np.degrees(motion.slip_rear), 'rear axle', panel=panel, series=4)
