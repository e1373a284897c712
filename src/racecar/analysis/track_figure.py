# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Picture of a track: its map, centre line, borders and start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.transforms import Affine2D
import numpy as np

from racecar.analysis.figures import label_axes, new_figure
from racecar.analysis.palette import BLUE, GREEN, ORANGE
from racecar.scene.grid_map import OccupancyGrid
from racecar.scene.track import CentreLine

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LONG_SIDE = 9.0


def track_figure(name: str, grid: OccupancyGrid, line: CentreLine) -> Figure:
    """Draw a track; the borders are drawn where the widths put them."""
    low, high = line.points.min(axis=0), line.points.max(axis=0)
    width, height = np.maximum(high - low, 1.0) + 2.0 * line.widths.max()
    scale = _LONG_SIDE / max(width, height)
    figure = new_figure(max(scale * width, 4.0) + 1.0, max(scale * height, 3.0) + 1.0)
    axes = figure.add_subplot()
    x, y, yaw = grid.origin
    length, across = grid.size
    axes.imshow(
        grid.values != 0, cmap='Greys', vmax=3.0, origin='lower', interpolation='nearest',
        extent=(0.0, length, 0.0, across),
        transform=Affine2D().rotate(yaw).translate(x, y) + axes.transData)
    ahead = np.roll(line.points[:-1], -1, axis=0) - np.roll(line.points[:-1], 1, axis=0)
    ahead = np.concatenate([ahead, ahead[:1]]) / np.hypot(*ahead.T).mean()
    left = np.column_stack([-ahead[:, 1], ahead[:, 0]])
    for sign, side in ((-1.0, 0), (1.0, 1)):
        border = line.points + sign * line.widths[:, side:side + 1] * left
        axes.plot(*border.T, color=ORANGE, linewidth=0.8,
                  label='borders, by the widths' if side else None)
    axes.plot(*line.points.T, color=BLUE, linewidth=1.4, label='centre line')
    axes.annotate('', line.points[0] + 6.0 * (line.points[1] - line.points[0]), line.points[0],
                  arrowprops={'arrowstyle': '->', 'color': GREEN, 'linewidth': 2.0})
    axes.plot(*line.points[0], 'o', color=GREEN, markersize=7, label='start', zorder=3.0)
    axes.set_aspect('equal')
    margin = float(line.widths.max()) + 0.5
    axes.set_xlim(low[0] - margin, high[0] + margin)
    axes.set_ylim(low[1] - margin, high[1] + margin)
    label_axes(axes, 'x [m]', 'y [m]')
    axes.set_title(f'{name}: {line.length:.1f} m')
    axes.legend(loc='best')
    return figure
