# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures of worlds from above, for render_mode='rgb_array' and videos."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
import numpy as np
from numpy.typing import NDArray

from racecar.analysis.palette import colour
from racecar.analysis.scene_figure import circle_about, draw_scene, outline_of_thing
from racecar.dynamics.vehicles.parameters import Footprint
from racecar.gym.racing import Racing
from racecar.scene.scene import Colour, Scene

Picture = NDArray[np.uint8]
Array = NDArray[np.float64]

_LONGER_SIDE, _DPI = 640, 100  # [px], [dots per inch]
_MARGIN = 2.5  # around the line [m]
# A shorter car is drawn longer, or nobody would see it: share of the view.
_LEAST_LENGTH = 0.03
# Of outlines of moving things and friction zones [px].
_LINE = 1.5
_ZONE: Colour = (0.4, 0.65, 0.85)


class Mark(NamedTuple):
    """What a user draws: points (n, 2) [m], colour in 0 to 1, size [px]; joined: by a line."""

    points: Array
    colour: tuple[float, float, float]
    size: float
    joined: bool


class TrackPicture:
    """A track from above, drawn once, and cars on it."""

    def __init__(self, scene: Scene, line: Array, cars: int, footprint: Footprint) -> None:
        """line: points that are to be seen, (n, 2) [m]; cars: how many there are."""
        low, high = line.min(axis=0) - _MARGIN, line.max(axis=0) + _MARGIN
        across = high - low
        # Even numbers of pixels, as encoders of videos ask for.
        width, height = (2 * round(0.5 * float(size)) for size in np.maximum(
            _LONGER_SIDE * across / across.max(), 160.0))
        figure = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI)
        self._canvas = FigureCanvasAgg(figure)
        self._axes = axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        draw_scene(axes, scene)
        axes.plot(*line.T, ':', color='0.6', linewidth=1.0)
        axes.set_aspect('equal', adjustable='datalim')
        axes.set_xlim(low[0], high[0])
        axes.set_ylim(low[1], high[1])
        front, rear, side = footprint
        self._corners = max(1.0, _LEAST_LENGTH * float(across.max()) / (front + rear)) * np.array([
            [-rear, -side], [0.6 * front, -side], [front, 0.0], [0.6 * front, side],
            [-rear, side]])
        self._cars = [Polygon(
            np.zeros((5, 2)), closed=True, facecolor=colour(k), edgecolor='black', linewidth=0.8,
            zorder=4.0, animated=True) for k in range(cars)]
        for car in self._cars:
            axes.add_patch(car)
        self._text = axes.text(
            0.01, 0.99, '', transform=axes.transAxes, va='top', fontsize=9.0,
            fontfamily='monospace', animated=True, zorder=5.0)
        self._canvas.draw()
        self._background = self._canvas.copy_from_bbox(figure.bbox)

    def picture(
        self, poses: Sequence[Sequence[float]], text: str, marks: Sequence[Mark] = (),
    ) -> Picture:
        """Picture with cars at poses x, y [m], yaw [rad], the first on top: (height, width, 3)."""
        self._canvas.restore_region(self._background)
        for mark in marks:
            line, = self._axes.plot(
                *mark.points.T, '-' if mark.joined else 'o', color=mark.colour,
                linewidth=mark.size, markersize=mark.size, markeredgewidth=0.0, animated=True)
            self._axes.draw_artist(line)
            line.remove()
        for car, (x, y, yaw) in reversed(list(zip(self._cars, poses, strict=True))):
            turn = np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])
            car.set_xy(self._corners @ turn + [x, y])
            self._axes.draw_artist(car)
        self._text.set_text(text)
        self._axes.draw_artist(self._text)
        return np.asarray(self._canvas.buffer_rgba())[:, :, :3].copy()


class Pictures:
    """Pictures of the worlds of an environment; nothing is drawn before the first."""

    def __init__(self, racing: Racing) -> None:
        self._racing = racing
        self._tracks: dict[int, TrackPicture] = {}

    def picture(self, world: int = 0) -> Picture:
        """Picture of a world now, (height, width, 3)."""
        racing = self._racing
        number = int(racing.batch.scene_of[world])
        track = racing.options.tracks[number]
        if number not in self._tracks:
            self._tracks[number] = TrackPicture(
                replace(track.scene, moving=()), track.course.points, racing.cars,
                racing.options.vehicle.footprint)
        readings = racing.batch.readings
        time, speed, driven = (
            float(readings[name][world, 0]) for name in ('time', 'vx', 'driven'))
        return self._tracks[number].picture(
            readings.cars[world, :, :3].tolist(),
            f'{time:6.2f} s  {speed:5.2f} m/s  {driven:7.2f} m', [
                *(_ring(circle_about(x, y, radius), _ZONE)
                  for x, y, radius, _ in racing.batch.drawn_zones(world).tolist()),
                *(_ring(outline_of_thing(thing, at), thing.colour) for thing, at in zip(
                    track.scene.moving, racing.batch.moving_at(world), strict=True))])


def _ring(points: Sequence[tuple[float, float]], colour: Colour) -> Mark:
    """Closed line through points."""
    return Mark(np.array([*points, points[0]]), colour, _LINE, joined=True)
