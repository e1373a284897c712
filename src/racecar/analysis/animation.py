# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A drive from above as pictures: paths, cars, their trails and the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Polygon
import numpy as np
from numpy.typing import NDArray

from racecar.analysis.figures import label_axes
from racecar.analysis.motion import Motion
from racecar.analysis.palette import colour, colour_named, hatch, SEQUENTIAL
from racecar.analysis.scene_figure import draw_scene, moving_patches, place_patches
from racecar.base.columns import Array
from racecar.base.types import NANOSECONDS
from racecar.dynamics.vehicles.parameters import Footprint
from racecar.metrics.tracking_error import MergedTrack
from racecar.scene.scene import EMPTY_SCENE, Scene

_DPI = 100  # [dots per inch]
_FONT_SIZE, _LINE = 9.0, 16.0  # [pt], [px]
_MARGIN = 0.06  # around what is shown, share of it
_LEAST_SPAN = 1.0  # [m]
# A shorter car is drawn longer, or nobody would see it: share of the view.
_LEAST_LENGTH = 0.035


class AnimatedRun(NamedTuple):
    """A run to show; track: None without a reference, footprint: of its car."""

    name: str
    motion: Motion
    track: MergedTrack | None
    footprint: Footprint


class TopView:
    """Pictures of runs at times that must ascend; each adds to the trails of the one before."""

    def __init__(
        self, runs: Sequence[AnimatedRun], width: int, height: int, *, rate: float = 1.0,
        scene: Scene = EMPTY_SCENE, start: float = 0.0,
    ) -> None:
        """Draw all that does not move.

        runs: at least one; width, height: of the pictures [px]; rate: times as fast as it was, for
        the text; start: time from which trails are drawn [s].
        """
        self._runs = runs
        self._rate = rate
        # Clock and legend above the axes, where no car can be.
        head = min(_LINE * (len(runs) + 1) + 12, height / 2) / height
        self._figure = Figure(
            figsize=(width / _DPI, height / _DPI), dpi=_DPI,
            layout=ConstrainedLayoutEngine(rect=(0.0, 0.0, 1.0, 1.0 - head)))
        self._canvas = FigureCanvasAgg(self._figure)
        self._axes = axes = self._figure.add_subplot()
        draw_scene(axes, replace(scene, moving=()))
        self._scene, self._moving = scene, moving_patches(scene, animated=True)
        for patch in self._moving:
            axes.add_patch(patch)
        self._drawn_to = [int(np.searchsorted(run.motion.t, start)) for run in runs]
        self._speeds = Normalize(*_bounds(runs))
        self._is_single = len(runs) == 1
        for series, run in enumerate(runs):
            if run.track is not None:
                axes.plot(run.track.reference_x, run.track.reference_y, ':', color='0.55',
                          linewidth=1.6, zorder=1.5,
                          label='desired' if series == 0 else '_')
        left, right, low, high = self._view()
        axes.set_aspect('equal', adjustable='datalim')
        axes.margins(0.0)
        axes.autoscale(True)
        axes.update_datalim([(left, low), (right, high)])
        axes.autoscale_view()
        label_axes(axes, 'x [m]', 'y [m]')
        self._least_length = _LEAST_LENGTH * max(right - left, high - low)
        self._cars = [Polygon(
            np.zeros((5, 2)), closed=True, facecolor=self._colour(series), edgecolor='black',
            hatch=None if self._is_single else hatch(series) * 2, linewidth=1.0, zorder=4.0,
            label=run.name, animated=True) for series, run in enumerate(runs)]
        for car in self._cars:
            axes.add_patch(car)
        self._clock = self._figure.text(
            0.02, 0.985, '', va='top', fontfamily='monospace', fontsize=_FONT_SIZE,
            linespacing=1.25, animated=True, parse_math=False)
        if self._is_single:
            self._figure.colorbar(
                ScalarMappable(self._speeds, SEQUENTIAL), ax=axes, label='speed [m/s]', aspect=35,
                shrink=0.9)
        handles, labels = axes.get_legend_handles_labels()
        self._figure.legend(
            handles, labels, loc='upper right', bbox_to_anchor=(0.99, 1.0), frameon=False,
            fontsize=_FONT_SIZE, labelspacing=0.25, borderaxespad=0.3)
        self._canvas.draw()
        self._background = self._canvas.copy_from_bbox(self._figure.bbox)

    def picture(self, time: float) -> NDArray[np.uint8]:
        """Picture at a time [s] that is not before the last, (height, width, 3)."""
        self._canvas.restore_region(self._background)
        for series, run in enumerate(self._runs):
            self._extend_trail(series, run.motion, time)
        self._background = self._canvas.copy_from_bbox(self._figure.bbox)
        place_patches(self._moving, self._scene, round(time * NANOSECONDS))
        for patch in self._moving:
            self._axes.draw_artist(patch)
        for run, car in zip(self._runs, self._cars, strict=True):
            car.set_xy(self._outline(run, time))
            self._axes.draw_artist(car)
        self._clock.set_text(self._text(time))
        self._figure.draw_artist(self._clock)
        pixels: NDArray[np.uint8] = np.asarray(self._canvas.buffer_rgba())[:, :, :3].copy()
        return pixels

    def _extend_trail(self, series: int, motion: Motion, time: float) -> None:
        first = self._drawn_to[series]
        end = int(np.searchsorted(motion.t, time, side='right'))
        if end - first < 2:
            return
        points = np.column_stack([motion.x[first:end], motion.y[first:end]])
        segments = np.stack([points[:-1], points[1:]], axis=1)
        colours = colormaps[SEQUENTIAL](self._speeds(motion.speed[first + 1:end])) \
            if self._is_single else self._colour(series)
        trail = LineCollection([*segments], colors=colours, linewidths=2.4, capstyle='round',
                               zorder=2.0)
        self._axes.add_collection(trail, autolim=False)
        self._axes.draw_artist(trail)
        trail.remove()
        self._drawn_to[series] = end - 1

    def _colour(self, series: int) -> str:
        """Of a car and its trail: one called red is red."""
        return colour_named(self._runs[series].name) or colour(series)

    def _outline(self, run: AnimatedRun, time: float) -> Array:
        """Corners of a car, its nose at the front, (5, 2) [m]."""
        motion, (front, rear, side) = run.motion, run.footprint
        scale = max(1.0, self._least_length / (front + rear))
        x, y, yaw = (float(np.interp(time, motion.t, values))
                     for values in (motion.x, motion.y, np.unwrap(motion.yaw)))
        corners = scale * np.array([
            [-rear, -side], [0.6 * front, -side], [front, 0.0], [0.6 * front, side],
            [-rear, side]])
        turn = np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])
        return np.asarray(corners @ turn + [x, y], dtype=np.float64)

    def _text(self, time: float) -> str:
        faster = '' if self._rate == 1.0 else f'  ({self._rate:g} times as fast)'
        lines = [f'{time:7.2f} s{faster}']
        for run in self._runs:
            speed = float(np.interp(time, run.motion.t, run.motion.speed))
            name = '' if self._is_single else f'  {run.name}'
            lines.append(f'{speed:7.2f} m/s{name}')
        return '\n'.join(lines)

    def _view(self) -> tuple[float, float, float, float]:
        """Least and largest x, then y, of all that is shown, with some room [m]."""
        low, high = _extent(self._runs, self._axes.dataLim.get_points())
        room = _MARGIN * float((high - low).max()) + max(
            run.footprint.front + run.footprint.rear for run in self._runs)
        middle, half = 0.5 * (low + high), np.maximum(0.5 * (high - low), 0.5 * _LEAST_SPAN) + room
        return (float(middle[0] - half[0]), float(middle[0] + half[0]),
                float(middle[1] - half[1]), float(middle[1] + half[1]))


def _extent(runs: Sequence[AnimatedRun], drawn: Array) -> tuple[Array, Array]:
    parts = [np.column_stack([run.motion.x, run.motion.y]) for run in runs]
    parts += [np.column_stack([run.track.reference_x, run.track.reference_y])
              for run in runs if run.track is not None]
    # Where nothing is drawn, this is infinite.
    points = np.concatenate([*parts, drawn[np.isfinite(drawn).all(axis=1)]])
    return points.min(axis=0), points.max(axis=0)


def _bounds(runs: Sequence[AnimatedRun]) -> tuple[float, float]:
    speeds = np.concatenate([run.motion.speed for run in runs])
    low, high = float(speeds.min()), float(speeds.max())
    return (low, high) if high - low > 1e-6 else (low, low + 1.0)
