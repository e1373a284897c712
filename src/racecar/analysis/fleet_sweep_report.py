# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A sweep of several cars: a figure of each car over the parameters, as picture and as page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.figure import Figure
import numpy as np

from racecar.analysis.chart import Chart
from racecar.analysis.figures import label_axes, new_figure
from racecar.analysis.html_page import HtmlPage
from racecar.analysis.palette import colour, colour_named
from racecar.analysis.sweep_points import kinds_of
from racecar.base.columns import Array
from racecar.metrics.quantities import Quantity, shown

_MOST_ROWS = 200
_SYMBOLS = ('circle', 'diamond', 'square', 'cross')
_MARKERS = 'oDsXv^'
_LISTED = ('collisions', 'laps', 'best_lap', 'lap_progress', 'distance', 'mean_speed')


class SweptCars(NamedTuple):
    """Points of a sweep of several cars.

    names, units: of the varied parameters, a unit may be ''. points: a value of each. cars: names;
    figures: of each point, by car and name. metric: which of them pictures show.
    """

    names: Sequence[str]
    units: Sequence[str]
    points: Sequence[Sequence[object]]
    cars: Sequence[str]
    figures: Sequence[Mapping[str, Mapping[str, Quantity]]]
    metric: str

    @property
    def label(self) -> str:
        """Name and unit of the metric."""
        quantity = next(iter(self.figures[0].values()))[self.metric]
        return f'{quantity.name} [{quantity.unit}]' if quantity.unit else quantity.name

    def axes(self) -> list[tuple[str, Array, list[str]]]:
        """Of each parameter its label, where its values lie, and their names if they are none."""
        found = []
        for axis, (name, unit) in enumerate(zip(self.names, self.units, strict=True)):
            values = [point[axis] for point in self.points]
            label = f'{name} [{unit}]' if unit else name
            if all(isinstance(value, int | float) and not isinstance(value, bool)
                   for value in values):
                found.append((label, np.array(values, dtype=np.float64), list[str]()))
            else:
                kinds = kinds_of(values)
                found.append((label, np.array([float(kinds.index(value)) for value in values]),
                              [*map(str, kinds)]))
        return found

    def values_of(self, car: str) -> Array:
        """The metric of a car at all points, NaN where it has none."""
        return np.array([np.nan if (value := one[car][self.metric].value) is None else value
                         for one in self.figures])


def fleet_sweep_figure(title: str, swept: SweptCars) -> Figure:
    """Draw the metric of each car over each parameter."""
    axes = swept.axes()
    figure = new_figure(max(6.0, 4.2 * len(axes)), 4.4)
    panels = np.atleast_1d(figure.subplots(1, len(axes), sharey=True))
    for panel, (label, x, kinds) in zip(panels, axes, strict=True):
        order = np.argsort(x, kind='stable')
        for series, car in enumerate(swept.cars):
            panel.plot(
                x[order], swept.values_of(car)[order],
                linestyle='solid' if len(axes) == 1 else 'none',
                marker=_MARKERS[series % len(_MARKERS)], markersize=5.5, label=car,
                color=colour_named(car) or colour(series))
        if kinds:
            panel.set_xticks(range(len(kinds)), kinds)
        label_axes(panel, label, swept.label if panel is panels[0] else '')
    panels[0].legend(loc='lower left', bbox_to_anchor=(0.0, 1.0), ncols=5, frameon=False)
    figure.suptitle(title, parse_math=False)
    return figure


def fleet_sweep_report(
    title: str, swept: SweptCars, warnings: Sequence[str] = (),
    source: Sequence[tuple[str, str]] = (),
) -> HtmlPage:
    """Page with the metric of each car over the parameters, and figures of all points.

    warnings: what a reader must know; source: rows, name and text, of how it was made.
    """
    page = HtmlPage(title, f'Sweep of {len(swept.points)} points over {", ".join(swept.names)},'
                           f' each a run of {", ".join(swept.cars)} in one world')
    for text in warnings:
        page.warning(text)
    page.heading('Figures')
    charts = []
    for label, x, kinds in swept.axes():
        chart = Chart(label if not kinds else f"{label}: {', '.join(kinds)} from 0",
                      [swept.label], panel_height=340)
        for series, car in enumerate(swept.cars):
            chart.dots(x, swept.values_of(car), car, series=series, colour=colour_named(car),
                       symbol=_SYMBOLS[series % len(_SYMBOLS)], size=7.0)
        charts.append((chart, 'Each car over the parameter'))
    page.charts(charts)
    listed = min(len(swept.points), _MOST_ROWS)
    page.heading('All points' if listed == len(swept.points) else f'The first {listed} points')
    heads, columns = [], []
    known = swept.figures[0][swept.cars[0]]
    for car in swept.cars:
        for key in _LISTED:
            if key in known:
                texts, unit = shown(
                    [one[car][key].value for one in swept.figures[:listed]], known[key].unit)
                heads.append(f'{car}: {known[key].name}' + (f' [{unit}]' if unit else ''))
                columns.append(texts)
    rows = [[str(number + 1), *map(_text, point), *texts] for number, (point, *texts) in enumerate(
        zip(swept.points[:listed], *columns, strict=True))]
    page.table(['Point', *swept.names, *heads], rows,
               numbers=range(1, 1 + len(swept.names) + len(heads)))
    page.heading('Source')
    page.facts(source)
    return page


def _text(value: object) -> str:
    return f'{value:.4g}' if isinstance(value, float) else str(value)
