# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One picture of a search for parameters: history, importances, and the front of the best."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np

from racecar.analysis.figures import ShownFigure
from racecar.analysis.palette import BLUE, ORANGE, VERMILION
from racecar.analysis.tuning_report import Tuned


def tuning_figure(tuned: Tuned) -> Figure:
    """Draw the objectives of all trials; no importances if there are none."""
    first, *others = tuned.objectives
    importances = tuned.importances[first]
    panels = 1 + bool(others) + bool(importances)
    figure = ShownFigure(figsize=(4.4 * panels + 0.6, 4.0), layout='constrained')
    _draw_history(figure.add_subplot(1, panels, 1), tuned)
    if others:
        _draw_front(figure.add_subplot(1, panels, 2), tuned)
    if importances:
        axes = figure.add_subplot(1, panels, panels)
        names = [*importances][::-1]
        axes.barh(tuned.short(names), [importances[name] for name in names], color=BLUE)
        axes.set(title=f'importance for {first}', xlabel='share of the variance')
    figure.suptitle(tuned.title)
    return figure


def _draw_history(axes: Axes, tuned: Tuned) -> None:
    shown, label = tuned.shown(0)
    numbers, complete, pruned = np.arange(len(shown)), tuned.complete, tuned.pruned
    lost = ~(complete | pruned)
    axes.plot(numbers[complete], shown[complete], '.', color=BLUE, label='trial')
    if pruned.any():
        axes.plot(numbers[pruned], shown[pruned], '.', color=ORANGE, alpha=0.6, label='pruned')
    axes.plot(numbers, tuned.best_so_far(0), color=VERMILION, label='best so far')
    axes.set(xlabel='trial', ylabel=label, yscale='log' if tuned.is_wide(0) else 'linear')
    if lost.any():
        top = axes.get_ylim()[1]
        axes.plot(numbers[lost], np.full(int(lost.sum()), top), 'x', color=VERMILION,
                  clip_on=False, label='diverged or failed')
    axes.legend()


def _draw_front(axes: Axes, tuned: Tuned) -> None:
    (x, x_label), (y, y_label) = tuned.shown(0), tuned.shown(1)
    front = list(tuned.best)
    axes.plot(x[tuned.complete], y[tuned.complete], '.', color=BLUE, label='trial')
    axes.plot(x[front], y[front], 'o', color=VERMILION, fillstyle='none', label='best')
    axes.set(xlabel=x_label, ylabel=y_label,
             xscale='log' if tuned.is_wide(0) else 'linear',
             yscale='log' if tuned.is_wide(1) else 'linear')
    axes.legend()
