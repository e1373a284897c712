# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Picture of a race line: its way between the borders, coloured by speed, and its profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.collections import LineCollection
import numpy as np

from racecar.analysis.figures import label_axes, new_figure
from racecar.analysis.palette import BLUE, ORANGE, SEQUENTIAL
from racecar.control.racelines.raceline import Raceline

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _PROFILE_HEIGHT = 9.0, 2.2


def raceline_figure(title: str, line: Raceline) -> Figure:
    """Draw a line and its borders, if their distances are known, above its speed and bends."""
    points = line.points
    room = 0.5 + (0.0 if line.widths is None else float(line.widths.max()))
    low, high = points.min(axis=0) - room, points.max(axis=0) + room
    height = float(np.clip(_WIDTH * (high - low)[1] / (high - low)[0], 3.0, 12.0))
    figure = new_figure(_WIDTH, height + 2.0 * _PROFILE_HEIGHT)
    plan, speed, bends = figure.subplots(
        3, height_ratios=(height, _PROFILE_HEIGHT, _PROFILE_HEIGHT))
    left = np.column_stack([-np.sin(line.heading), np.cos(line.heading)])
    if line.widths is not None:
        for sign, widths in zip((-1.0, 1.0), line.widths.T, strict=True):
            plan.plot(*(points + sign * widths[:, None] * left).T, color='0.4', linewidth=1.0)
    pieces = LineCollection(list(np.stack([points[:-1], points[1:]], axis=1)), cmap=SEQUENTIAL,
                            linewidths=2.5)
    pieces.set_array(line.speed[:-1])
    plan.add_collection(pieces)
    plan.plot(*points[0], 'o', color='black', markersize=6)
    figure.colorbar(pieces, ax=plan, label='speed [m/s]')
    plan.set_aspect('equal')
    plan.set_xlim(low[0], high[0])
    plan.set_ylim(low[1], high[1])
    label_axes(plan, 'x [m]', 'y [m]')
    plan.set_title(title)
    speed.plot(line.s, line.speed, color=BLUE, label='speed [m/s]')
    speed.plot(line.s, line.acceleration, color=ORANGE, label='acceleration [m/s²]')
    label_axes(speed, '', 'v [m/s], ax [m/s²]')
    speed.legend(loc='best')
    bends.plot(line.s, line.curvature, color=BLUE)
    label_axes(bends, 's [m]', 'curvature [1/m]')
    return figure
