# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One picture of a sweep: the RMSE over the varied parameters."""

from __future__ import annotations

from collections.abc import Sequence
import math

from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
import numpy as np

from racecar.analysis.figures import ShownFigure
from racecar.analysis.palette import BLUE, ORANGE, SEQUENTIAL, VERMILION
from racecar.analysis.sweep_points import best_point, Flags, kinds_of
from racecar.base.columns import Array
from racecar.metrics.quantities import length_text

_MOST_PANELS = 9
_MOST_LABELS = 12
_POINT, _LOST = BLUE, VERMILION


def sweep_figure(
    title: str, names: Sequence[str], points: Sequence[Sequence[object]], rmse: Array,
    diverged: Flags, *, units: Sequence[str], is_grid: bool, failed: Sequence[int] = (),
) -> Figure:
    """Draw the RMSE (n,) [m] over the parameters of n points: lines, a map, or one panel each.

    names, units: of the parameters; a unit may be ''. diverged: (n,), whether the car diverged;
    failed: numbers of the points whose controller did; such points are crosses.
    """
    lost = diverged.copy()
    lost[list(failed)] = True
    best = best_point(rmse, lost)
    cross = 'diverged or failed' if failed else 'diverged'
    labels = [_label(name, unit) for name, unit in zip(names, units, strict=True)]
    shown = min(len(names), _MOST_PANELS)
    if is_grid and len(names) == 2 and min(
            len({point[axis] for point in points}) for axis in (0, 1)) > 1:
        figure = ShownFigure(figsize=(7.5, 5.6), layout='constrained')
        axes = figure.add_subplot()
        image = _draw_map(axes, labels, points, np.where(lost, np.nan, rmse), best)
        figure.colorbar(image, ax=axes, label=f'RMSE [m]; cross: {cross}')
    else:
        columns = 2 if shown == 4 else min(shown, 3)
        lines = math.ceil(shown / columns)
        figure = ShownFigure(
            figsize=(max(7.0, 4.2 * columns), max(4.4, 3.6 * lines)), layout='constrained')
        for number in range(shown):
            axes = figure.add_subplot(lines, columns, number + 1)
            _draw_panel(axes, labels[number], [point[number] for point in points], rmse, lost,
                        cross, joined=is_grid and len(names) == 1, best=best)
        if lost.any() or best is not None:
            figure.axes[0].legend(loc='best')
    count = int(np.sum(diverged))
    figure.suptitle(f'{title}: {len(points)} cars, {count} diverged' + (
        f', {len(failed)} failed' if failed else ''))
    return figure


def _draw_best(axes: Axes, x: float, y: float, size: float, rmse: float) -> None:
    axes.plot(x, y, '*', markersize=size, color=ORANGE, markeredgecolor='black',
              markeredgewidth=0.8, zorder=4.0, linestyle='',
              label=f'best: {length_text(float(rmse))}')


def _positions(axes: Axes, values: Sequence[object], *, along_x: bool = True) -> Array:
    """Where values lie on an axis; those that are no numbers one by one, with labels."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return np.array(values, dtype=float)
    kinds = list(dict.fromkeys(str(value) for value in values))
    ticks = range(len(kinds))
    if along_x:
        axes.set_xticks(ticks, kinds, rotation=20 if len(kinds) > 3 else 0)
    else:
        axes.set_yticks(ticks, kinds)
    return np.array([kinds.index(str(value)) for value in values], dtype=float)


def _label(name: str, unit: str) -> str:
    """Dotted name on two lines: the node above the parameter and its unit."""
    node, _, parameter = name.partition('.')
    return f'{node}\n{parameter} [{unit}]' if unit else f'{node}\n{parameter}'


def _draw_panel(
    axes: Axes, label: str, values: Sequence[object], rmse: Array, lost: Flags, cross: str, *,
    joined: bool, best: int | None,
) -> None:
    x = _positions(axes, values)
    fine = ~lost & np.isfinite(rmse)
    order = np.argsort(x[fine], kind='stable')
    many = len(x) > 400
    axes.plot(x[fine][order], rmse[fine][order], '-o' if joined else 'o', color=_POINT,
              markersize=2.0 if many else 4.5, alpha=0.5 if many else 1.0)
    axes.set_yscale('log')
    if lost.any():
        # Diverged cars have no RMSE to compare: they stand along the upper edge.
        axes.plot(x[lost], np.full(int(lost.sum()), 0.97), 'x', color=_LOST,
                  transform=axes.get_xaxis_transform(), markersize=5.0, label=cross)
    axes.set_xlabel(label)
    axes.set_ylabel('RMSE [m]')
    axes.grid(alpha=0.3, which='both')
    if best is not None:
        _draw_best(axes, x[best], rmse[best], 14, rmse[best])


def _draw_map(
    axes: Axes, labels: Sequence[str], points: Sequence[Sequence[object]], rmse: Array,
    best: int | None,
) -> QuadMesh:
    kinds = [kinds_of([point[axis] for point in points]) for axis in (0, 1)]
    cells = np.full((len(kinds[1]), len(kinds[0])), np.nan)
    for point, value in zip(points, rmse, strict=True):
        cells[kinds[1].index(point[1]), kinds[0].index(point[0])] = value
    axes.set_facecolor('0.85')
    finite = cells[np.isfinite(cells) & (cells > 0.0)]
    scale = LogNorm(finite.min(), finite.max()) \
        if finite.size and finite.max() > 5.0 * finite.min() else None
    image = axes.pcolormesh(cells, norm=scale, cmap=f'{SEQUENTIAL}_r')
    for row, column in np.argwhere(~np.isfinite(cells)):
        axes.plot(column + 0.5, row + 0.5, 'x', color=_LOST)
    for axis, (place, values) in enumerate(
            ((axes.set_xticks, kinds[0]), (axes.set_yticks, kinds[1]))):
        stride = math.ceil(len(values) / _MOST_LABELS)
        place([i + 0.5 for i in range(0, len(values), stride)], [
            f'{value:.4g}' if isinstance(value, float) else str(value)
            for value in values[::stride]])
        (axes.set_xlabel if axis == 0 else axes.set_ylabel)(labels[axis])
    if best is not None:
        column, row = (kinds[axis].index(points[best][axis]) for axis in (0, 1))
        _draw_best(axes, column + 0.5, row + 0.5, 17, rmse[best])
        axes.legend(loc='lower left', bbox_to_anchor=(0.0, 1.0), frameon=False)
    return image
