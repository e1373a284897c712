# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One picture of a search for parameters: history, importances, and the front of the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np

from racecar.analysis.figures import ShownFigure
from racecar.analysis.palette import BLUE, VERMILION
from racecar.base.columns import Array


def tuning_figure(
    title: str, objectives: Sequence[str], values: Array, best: Sequence[int],
    importances: Mapping[str, float],
) -> Figure:
    """Draw the objectives of n trials.

    values: (n, objectives), infinite for a trial that did not complete; best: numbers of the best
    ones; importances: of parameters for the first objective, no panel if there are none.
    """
    several = len(objectives) > 1
    panels = 1 + several + bool(importances)
    figure = ShownFigure(figsize=(4.4 * panels + 0.6, 4.0), layout='constrained')
    _draw_history(figure.add_subplot(1, panels, 1), objectives[0], values[:, 0])
    if several:
        _draw_front(figure.add_subplot(1, panels, 2), objectives, values, best)
    if importances:
        axes = figure.add_subplot(1, panels, panels)
        names = [*importances][::-1]
        axes.barh(names, [importances[name] for name in names], color=BLUE)
        axes.set(title=f'importance for {objectives[0]}', xlabel='share of the variance')
    figure.suptitle(title)
    return figure


def _draw_history(axes: Axes, name: str, values: Array) -> None:
    fine = np.isfinite(values)
    numbers = np.arange(len(values))
    axes.plot(numbers[fine], values[fine], '.', color=BLUE, label='trial')
    axes.plot(numbers, np.minimum.accumulate(values), color=VERMILION, label='best so far')
    if np.any(values[fine] <= 0.0) or values[fine].max() < 10.0 * values[fine].min():
        axes.set(xlabel='trial', ylabel=name)
    else:
        axes.set(xlabel='trial', ylabel=name, yscale='log')
    if not fine.all():
        bottom = axes.get_ylim()[1]
        axes.plot(numbers[~fine], np.full(int((~fine).sum()), bottom), 'x', color=VERMILION,
                  clip_on=False, label='did not complete')
    axes.legend()


def _draw_front(
    axes: Axes, objectives: Sequence[str], values: Array, best: Sequence[int],
) -> None:
    fine = np.isfinite(values).all(axis=1)
    axes.plot(values[fine, 0], values[fine, 1], '.', color=BLUE, label='trial')
    front = values[list(best)]
    axes.plot(front[:, 0], front[:, 1], 'o', color=VERMILION, fillstyle='none', label='best')
    axes.set(xlabel=objectives[0], ylabel=objectives[1])
    axes.legend()
