# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Figures of a tracking run: path, x(t), y(t), the error, and the forces of the tyres."""

from __future__ import annotations

from collections.abc import Mapping
import io
import math
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
import numpy as np

from racecar.analysis.motion import Motion
from racecar.analysis.palette import BLUE, GREEN, ORANGE, SEQUENTIAL, VERMILION
from racecar.analysis.tyre_data import TyreCurve, TyreData
from racecar.base.columns import Array
from racecar.base.errors import ConfigurationError
from racecar.base.types import WHEEL_NAMES
from racecar.metrics.quantities import length_text, unit_for
from racecar.metrics.tracking_error import MergedTrack, Metrics

RESOLUTION = 130  # [dots per inch]
_ACTUAL, _DESIRED, _ERROR = BLUE, ORANGE, VERMILION
_DOTS = 70  # along the longer side of a path


def draw_figures(name: str, track: MergedTrack, metrics: Metrics) -> dict[str, Figure]:
    """Draw all figures of a run; the keys are file names without suffix, in reading order."""
    return {
        'path': path_figure(name, track, metrics),
        'x': coordinate_figure(name, track, metrics, 'x'),
        'y': coordinate_figure(name, track, metrics, 'y'),
        'error': error_figure(name, track, metrics),
    }


def draw_tyre_figures(name: str, data: TyreData) -> dict[str, Figure]:
    """Draw `fx` and `fy`, forces against slip, each wheel its panel.

    A figure whose slip is zero throughout is left out: so it is for a model without that slip.
    """
    drawn = {
        'fx': (data.fx, 'Fx against longitudinal slip', 'longitudinal slip [-]', 'Fx [N]'),
        'fy': (data.fy_in_degrees, 'Fy against slip angle', 'slip angle [deg]', 'Fy [N]'),
    }
    return {
        key: tyre_figure(f'{name}: {title}', curves, slip, force)
        for key, (curves, title, slip, force) in drawn.items()
        if any(curve.slip.any() for curve in curves.values())}


def render_figures(figures: Mapping[str, Figure]) -> dict[str, bytes]:
    """Each figure as the bytes of a PNG file."""
    return {key: _png(figure) for key, figure in figures.items()}


def write_figures(pictures: Mapping[str, bytes], folder: Path | str) -> list[Path]:
    """Write each picture of `render_figures` as <key>.png and return the paths.

    Raises ConfigurationError if the folder cannot be made or written.
    """
    paths = [Path(folder) / f'{key}.png' for key in pictures]
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for path, data in zip(paths, pictures.values(), strict=True):
            path.write_bytes(data)
    except OSError as error:
        raise ConfigurationError(
            f"figures cannot be written to '{folder}': {error.strerror}; give another folder"
        ) from error
    return paths


def path_figure(name: str, track: MergedTrack, metrics: Metrics) -> Figure:
    """Draw the actual and the desired path with equal axes, start and end marked."""
    width = float(np.ptp(np.concatenate([track.x, track.reference_x])))
    height = float(np.ptp(np.concatenate([track.y, track.reference_y])))
    figure = new_figure(7.5, 4.0 if height < 0.45 * width else 6.5)
    axes = figure.add_subplot()
    axes.plot(track.x, track.y, color=_ACTUAL, linewidth=1.6, label='actual')
    dots = _spaced(track.reference_x, track.reference_y, max(width, height) / _DOTS)
    axes.scatter(*dots, color=_DESIRED, s=12, linewidths=0, label='desired', zorder=2.5)
    axes.plot(track.x[0], track.y[0], 'o', color=GREEN, markersize=9, label='start',
              zorder=3.0)
    axes.plot(track.x[-1], track.y[-1], 's', color='black', markersize=7, label='end',
              zorder=3.0)
    # A run along an axis still gets room across it.
    axes.set_aspect('equal', adjustable='datalim')
    axes.margins(0.06)
    label_axes(axes, 'x [m]', 'y [m]')
    _finish(figure, axes, f'{name}: path', metrics)
    return figure


def drive_figure(name: str, motion: Motion) -> Figure:
    """Draw the path of a run without a reference, start and end marked, and its speed below."""
    figure = new_figure(7.5, 7.0)
    path, below = figure.subplots(2, 1, height_ratios=[2.6, 1.0])
    path.plot(motion.x, motion.y, color=_ACTUAL, linewidth=1.6, label='actual')
    path.plot(motion.x[0], motion.y[0], 'o', color=GREEN, markersize=9, label='start', zorder=3.0)
    path.plot(motion.x[-1], motion.y[-1], 's', color='black', markersize=7, label='end',
              zorder=3.0)
    path.set_aspect('equal', adjustable='datalim')
    path.margins(0.06)
    label_axes(path, 'x [m]', 'y [m]')
    _put_legend(path)
    below.plot(motion.t, motion.speed, color=_ACTUAL, linewidth=1.4)
    label_axes(below, 'time since the start [s]', 'speed [m/s]')
    figure.suptitle(f'{name}: {motion.distance:.4g} m in {motion.duration:.4g} s',
                    parse_math=False)
    return figure


def coordinate_figure(
    name: str, track: MergedTrack, metrics: Metrics, coordinate: str,
) -> Figure:
    """Draw a coordinate (`x` or `y`) over time, actual and desired, its error below."""
    actual, desired, error = {
        'x': (track.x, track.reference_x, track.error_x),
        'y': (track.y, track.reference_y, track.error_y),
    }[coordinate]
    figure = new_figure(8.5, 5.6)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[2.2, 1.0])
    upper.plot(track.t, actual, color=_ACTUAL, linewidth=1.6, label='actual')
    upper.plot(track.t, desired, color=_DESIRED, linestyle=':', linewidth=2.2, label='desired')
    label_axes(upper, '', f'{coordinate} [m]')
    lower.axhline(0.0, color='0.4', linewidth=0.8)
    factor, unit = unit_for(float(np.max(np.abs(error))), 'm')
    lower.plot(track.t, factor * error, color=_ERROR, linewidth=1.2)
    label_axes(lower, 'time since the start [s]', f'error in {coordinate} [{unit}]')
    figure.align_ylabels()
    _finish(figure, upper, f'{name}: {coordinate}(t)', metrics)
    return figure


def error_figure(name: str, track: MergedTrack, metrics: Metrics) -> Figure:
    """Draw the distance from the desired position over time, with its RMS and maximum."""
    figure = new_figure(8.5, 4.0)
    axes = figure.add_subplot()
    worst = int(np.argmax(track.error))
    factor, unit = unit_for(float(track.error[worst]), 'm')
    error = factor * track.error
    axes.plot(track.t, error, color=_ERROR, linewidth=1.2, label='error')
    axes.axhline(factor * metrics.rmse, color='black', linestyle='--', linewidth=1.1,
                 label=f'RMSE {length_text(metrics.rmse)}')
    axes.plot(track.t[worst], error[worst], 'v', color='black', markersize=7,
              label=f'maximum {length_text(metrics.max_error)}')
    axes.set_ylim(bottom=0.0)
    label_axes(axes, 'time since the start [s]', f'position error [{unit}]')
    _finish(figure, axes, f'{name}: position error', metrics)
    return figure


def tyre_figure(
    title: str, curves: Mapping[str, TyreCurve], slip: str, force: str,
) -> Figure:
    """Draw force against slip by wheel, at the place of the wheel on a car that heads upwards.

    curves: by wheel, at least one; slip, force: labels with units. The colour tells the time.
    """
    figure = new_figure(8.5, 7.0)
    panels = figure.subplots(2, 2, sharex=True, sharey=True)
    last = max(float(curve.t[-1]) for curve in curves.values())
    first = min(float(curve.t[0]) for curve in curves.values())
    for wheel, axes in zip(WHEEL_NAMES, panels.flat, strict=True):
        axes.axhline(0.0, color='0.4', linewidth=0.8)
        axes.axvline(0.0, color='0.4', linewidth=0.8)
        label_axes(axes, slip if 'rear' in wheel else '', force if 'left' in wheel else '')
        axes.set_title(wheel.replace('_', ' '), fontsize='medium')
        curve = curves.get(wheel)
        if curve is None:
            axes.text(0.5, 0.6, 'not recorded', transform=axes.transAxes, ha='center')
            continue
        dots = axes.scatter(
            curve.slip, curve.force, c=curve.t, s=5, linewidths=0, cmap=SEQUENTIAL, vmin=first,
            vmax=last, zorder=2.5)
    figure.colorbar(dots, ax=panels, label='time since the start [s]', aspect=40)
    figure.suptitle(title, parse_math=False)
    return figure


def overview_figure(
    title: str, track: MergedTrack, metrics: Metrics, tyre_data: TyreData | None = None,
) -> Figure:
    """Draw path, x(t) and y(t) on one sheet, and with tyre_data Fx and Fy against slip below."""
    figure = new_figure(10.0, 4.0 if tyre_data is None else 7.0)
    grid = figure.add_gridspec(2 if tyre_data is None else 4, 2)
    path = figure.add_subplot(grid[:2, 0])
    path.plot(track.x, track.y, color=_ACTUAL, linewidth=1.4, label='actual')
    longer = max(float(np.ptp(track.reference_x)), float(np.ptp(track.reference_y)))
    path.scatter(*_spaced(track.reference_x, track.reference_y, longer / _DOTS), color=_DESIRED,
                 s=8, linewidths=0, label='desired', zorder=2.5)
    path.set_aspect('equal', adjustable='datalim')
    label_axes(path, 'x [m]', 'y [m]')
    for row, (name, actual, desired) in enumerate((
            ('x', track.x, track.reference_x), ('y', track.y, track.reference_y))):
        axes = figure.add_subplot(grid[row, 1])
        axes.plot(track.t, actual, color=_ACTUAL, linewidth=1.4)
        axes.plot(track.t, desired, color=_DESIRED, linestyle=':', linewidth=2.0)
        label_axes(axes, 'time [s]' if row else '', f'{name} [m]')
    if tyre_data is not None:
        for column, (curves, slip, force) in enumerate((
                (tyre_data.fx, 'longitudinal slip [-]', 'Fx [N]'),
                (tyre_data.fy_in_degrees, 'slip angle [deg]', 'Fy [N]'))):
            axes = figure.add_subplot(grid[2:, column])
            for colour, (wheel, curve) in zip(
                    (BLUE, ORANGE, GREEN, VERMILION), curves.items(), strict=False):
                axes.scatter(curve.slip, curve.force, s=6, linewidths=0, color=colour,
                             label=wheel.replace('_', ' '))
            label_axes(axes, slip, force)
            axes.legend(frameon=False, fontsize='small', markerscale=2.0)
    _finish(figure, path, title, metrics)
    return figure


def _spaced(x: Array, y: Array, spacing: float) -> tuple[list[float], list[float]]:
    """Points of a path that keep a distance from each other.

    A dotted line would close to a continuous one after a few laps and hide the actual path.
    """
    if spacing <= 0.0:
        return [float(x[0])], [float(y[0])]
    kept: dict[tuple[int, int], list[tuple[float, float]]] = {}
    xs, ys = [], []
    for point in zip(x.tolist(), y.tolist(), strict=True):
        column, row = int(point[0] // spacing), int(point[1] // spacing)
        if not any(
            math.dist(point, other) < spacing
            for near in range(column - 1, column + 2)
            for beside in range(row - 1, row + 2)
            for other in kept.get((near, beside), ())
        ):
            kept.setdefault((column, row), []).append(point)
            xs.append(point[0])
            ys.append(point[1])
    return xs, ys


class ShownFigure(Figure):
    """A figure that a notebook shows, whether or not pyplot is in use there."""

    def _repr_png_(self) -> bytes:
        return _png(self)


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of a size [inch] that makes room for its labels by itself."""
    figure = ShownFigure(
        figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
    FigureCanvasAgg(figure)
    return figure


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=RESOLUTION, format='png')
    return buffer.getvalue()


def label_axes(axes: Axes, x: str, y: str) -> None:
    """Label both axes and give them a quiet grid."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color='0.9')
    axes.set_axisbelow(True)
    for side in ('top', 'right'):
        axes.spines[side].set_visible(False)
    axes.ticklabel_format(useOffset=False)


def _finish(figure: Figure, axes: Axes, title: str, metrics: Metrics) -> None:
    _put_legend(axes)
    # A name may hold a dollar sign.
    figure.suptitle(f'{title}, RMSE {length_text(metrics.rmse)}', parse_math=False)


def _put_legend(axes: Axes) -> None:
    # Above the axes, where no curve can run below it; the layout makes room for it.
    axes.legend(
        loc='lower center', bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False, scatterpoints=5,
        scatteryoffsets=[0.5])
