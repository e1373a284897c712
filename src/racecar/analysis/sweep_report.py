# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A sweep as one HTML file: its figures, the best points, and the RMSE over the parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from racecar.analysis.chart import Chart
from racecar.analysis.html_page import HtmlPage
from racecar.analysis.sweep_points import best_point, Flags, kinds_of
from racecar.base.columns import Array
from racecar.metrics.quantities import length_text, shown, unit_for

_SHOWN = 20
_RMSE = 'rmse'
_LISTED = {_RMSE: ('RMSE', 'm'), 'max_error': ('maximum error', 'm'),
           'cross_track_rmse': ('cross-track RMSE', 'm'), 'heading_rmse': ('heading RMSE', 'rad'),
           'speed_rmse': ('speed RMSE', 'm/s')}


class SweptPoints(NamedTuple):
    """Points of a sweep.

    names, units: of the varied parameters, a unit may be ''. points: a value of each. metrics: by
    name (n,), SI units; lost: (n,), whether a car diverged or its controller failed. is_grid:
    whether the points are all combinations of some values.
    """

    names: Sequence[str]
    units: Sequence[str]
    points: Sequence[Sequence[object]]
    metrics: Mapping[str, Array]
    lost: Flags
    is_grid: bool


def sweep_report(
    title: str, swept: SweptPoints, rows: Sequence[tuple[str, str, str]],
    warnings: Sequence[str] = (), source: Sequence[tuple[str, str]] = (),
) -> HtmlPage:
    """Report of a sweep.

    rows: (name, value, unit) of the whole; warnings: what a reader must know; source: rows, name
    and text, that say how it was made.
    """
    rmse = np.where(swept.lost, np.nan, swept.metrics[_RMSE])
    best = best_point(rmse, swept.lost)
    page = HtmlPage(title, f'Sweep of {len(swept.points)} points over {", ".join(swept.names)}')
    for text in warnings:
        page.warning(text)
    page.heading('Outcome')
    page.table(['Quantity', 'Value', 'Unit'], [[name, value, unit.partition('  ')[0]]
                                             for name, value, unit in rows], numbers=[1])
    if best is not None:
        page.heading('Figures')
        page.charts([(chart, 'RMSE over the parameters; star: the best point')
                     for chart in _charts(swept, rmse, best)])
        _add_best(page, swept, rmse)
    page.heading('Source')
    page.facts(source)
    return page


def _charts(swept: SweptPoints, rmse: Array, best: int) -> list[Chart]:
    """A map of a grid of two parameters, else a figure for each parameter."""
    names = [f'{name} [{unit}]' if unit else name
             for name, unit in zip(swept.names, swept.units, strict=True)]
    factor, unit = unit_for(float(np.nanmax(rmse)), 'm')
    label, found = f'RMSE [{unit}]', f'best: {length_text(float(rmse[best]))}'
    kinds = [kinds_of([point[axis] for point in swept.points]) for axis in range(len(names))]
    if swept.is_grid and len(names) == 2 and min(map(len, kinds)) > 1:
        cells = np.full((len(kinds[1]), len(kinds[0])), np.nan)
        for point, value in zip(swept.points, rmse, strict=True):
            cells[kinds[1].index(point[1]), kinds[0].index(point[0])] = factor * value
        chart = Chart(names[0], [names[1]], panel_height=460)
        chart.cells([*map(_text, kinds[0])], [*map(_text, kinds[1])], cells, label)
        column, row = map(_text, swept.points[best])
        chart.mark(column, row, found)
        return [chart]
    charts = []
    for axis, name in enumerate(names):
        values = [point[axis] for point in swept.points]
        x = np.array([float(value) if isinstance(value, int | float)
                      else kinds[axis].index(value) for value in values])
        chart = Chart(name, [label], panel_height=320, is_logarithmic=True)
        chart.dots(x, factor * rmse, 'point', size=6.0)
        chart.mark(float(x[best]), factor * float(rmse[best]), found)
        charts.append(chart)
    return charts


def _add_best(page: HtmlPage, swept: SweptPoints, rmse: Array) -> None:
    order = [point for point in np.argsort(rmse, kind='stable').tolist()
             if np.isfinite(rmse[point])][:_SHOWN]
    page.heading(f'The best {len(order)} of {len(swept.points)} points'
                 if len(order) < len(swept.points) else 'All points')
    heads, columns = [], []
    for key, (name, unit) in _LISTED.items():
        if key in swept.metrics:
            texts, shown_unit = shown(
                [None if np.isnan(value) else value for value in swept.metrics[key][order]], unit)
            heads.append(f'{name} [{shown_unit}]')
            columns.append(texts)
    rows = [[str(point + 1), *map(_text, swept.points[point]), *texts]
            for point, *texts in zip(order, *columns, strict=True)]
    page.table(['Point', *_short(swept.names), *heads], rows,
               numbers=range(1, 1 + len(swept.names) + len(heads)))


def _short(names: Sequence[str]) -> list[str]:
    """Names of parameters without their nodes, where that tells them apart."""
    found = [name.partition('.')[2].removeprefix('vehicle.') for name in names]
    return [short if found.count(short) == 1 else name
            for short, name in zip(found, names, strict=True)]


def _text(value: object) -> str:
    return f'{value:.4g}' if isinstance(value, float) else str(value)
