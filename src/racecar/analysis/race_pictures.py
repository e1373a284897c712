# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures of contacts in a race, from above: outlines of the cars and where they came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.patches import Polygon
import numpy as np

from racecar.analysis.figures import label_axes, new_figure, render_figures
from racecar.analysis.scene_figure import draw_scene
from racecar.base.columns import Array
from racecar.dynamics.vehicles.parameters import Footprint
from racecar.race.events import RaceEvent
from racecar.scene.scene import rectangle_corners, Scene

# What is shown before a contact [s] and around it [m], and how often outlines stand in it [s].
_BEFORE, _AROUND, _EVERY = 1.0, 1.5, 0.2
_COLUMNS = 3


class PicturedCar(NamedTuple):
    """A car: its colour; path: time, x, y, yaw, (4, samples) [SI], NaN off the track."""

    colour: str
    path: Array
    footprint: Footprint


def contact_picture(
    events: Sequence[RaceEvent], cars: Mapping[str, PicturedCar], scene: Scene,
) -> bytes:
    """PNG with a panel for each event, at least one."""
    rows = -(-len(events) // _COLUMNS)
    figure = new_figure(4.0 * _COLUMNS, 4.3 * rows)
    for number, event in enumerate(events, start=1):
        axes = figure.add_subplot(rows, _COLUMNS, number)
        draw_scene(axes, scene)
        for name, car in cars.items():
            _draw(axes, name, car, event.time)
        axes.set_xlim(event.x - _AROUND, event.x + _AROUND)
        axes.set_ylim(event.y - _AROUND, event.y + _AROUND)
        axes.set_aspect('equal')
        label_axes(axes, 'x [m]', 'y [m]')
        axes.set_title(f'{event.time:.2f} s, {event.car}: {event.text}', fontsize=10.0)
        if number == 1:
            axes.legend(loc='upper right')
    return render_figures({'contacts': figure})['contacts']


def _draw(axes: Axes, name: str, car: PicturedCar, time: float) -> None:
    t, x, y, yaw = car.path
    shown = np.flatnonzero((t >= time - _BEFORE) & (t <= time + 1e-9) & np.isfinite(x))
    if not shown.size:
        return
    shade = car.colour
    axes.plot(x[shown], y[shown], color=shade, linewidth=1.2, zorder=3.0)
    front, rear, side = car.footprint
    ahead = 0.5 * (front - rear)
    last, step = int(shown[-1]), max(1, round(_EVERY / max(float(t[1] - t[0]), 1e-6)))
    for index in range(last, int(shown[0]) - 1, -step):
        c, s = np.cos(yaw[index]), np.sin(yaw[index])
        axes.add_patch(Polygon(
            rectangle_corners(float(x[index] + ahead * c), float(y[index] + ahead * s),
                              float(yaw[index]), front + rear, 2.0 * side),
            closed=True, facecolor=shade if index == last else 'none', edgecolor=shade,
            alpha=0.9 if index == last else 0.5, zorder=4.0,
            label=name if index == last else '_'))
