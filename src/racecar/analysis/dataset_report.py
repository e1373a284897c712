# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps of any number of points: quantiles, maps over two parameters, the worst runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.analysis.chart import Chart
from racecar.analysis.html_page import HtmlPage
from racecar.analysis.sweep_points import Flags
from racecar.base.columns import Array
from racecar.metrics.quantities import shown, unit_for

QUANTILES = {'minimum': 0.0, '5 %': 0.05, 'median': 0.5, '95 %': 0.95, '99 %': 0.99,
             'maximum': 1.0}
"""Shares of the points that have at most so much."""

WORST = 10
"""Points of a list of the worst."""

_CELLS = 24
"""Cells of a map along a parameter with more values."""
_MOST_PAIRS = 6
_STEPS = np.linspace(0.0, 1.0, 401)


class SweptColumns(NamedTuple):
    """A sweep by its columns, read when they are asked for.

    title: of pages; names, units: of the varied parameters, a unit may be ''; metrics: their
    units by name; column: gives the values of one of either, (n,), NaN for none; lost: (n,),
    whether a car diverged or failed; such cars do not count in quantiles and maps.
    """

    title: str
    names: Sequence[str]
    units: Sequence[str]
    metrics: Mapping[str, str]
    column: Callable[[str], NDArray[np.generic]]
    lost: Flags

    def kept(self, metric: str) -> Array:
        """Values of a metric, NaN for cars that are lost."""
        return np.where(self.lost, np.nan, self.column(metric))


class QuantileRow(NamedTuple):
    """Quantiles of a metric in its SI unit, NaN where no car has it; mean: of the same cars."""

    name: str
    unit: str
    values: tuple[float, ...]
    mean: float

    def texts(self) -> tuple[list[str], str]:
        """Quantiles and mean for people, and their unit."""
        return shown([None if np.isnan(value) else value
                      for value in (*self.values, self.mean)], self.unit)


def quantile_rows(swept: SweptColumns) -> Iterator[QuantileRow]:
    """Quantiles of each metric that some car has."""
    for name, unit in swept.metrics.items():
        values = swept.kept(name)
        values = values[np.isfinite(values)]
        if values.size:
            yield QuantileRow(
                name, unit, tuple(np.quantile(values, [*QUANTILES.values()]).tolist()),
                float(values.mean()))


def worst_points(swept: SweptColumns, metric: str) -> list[int]:
    """Rows of the worst points: with the largest values of a metric, of cars that are not lost."""
    values = swept.kept(metric)
    fine = np.flatnonzero(np.isfinite(values))
    return [*map(int, fine[np.argsort(-values[fine], kind='stable')[:WORST]])]


class Cells(NamedTuple):
    """Median of a metric over two parameters: labels of the columns and rows, (rows, columns)."""

    x: list[str]
    y: list[str]
    values: Array


def cells_of(x: NDArray[np.generic], y: NDArray[np.generic], values: Array) -> Cells:
    """Median of values (n,) in the cells of two parameters (n,); NaN where there is none.

    A parameter of many values has cells of equal width.
    """
    (columns, x_labels), (rows, y_labels) = _binned(x), _binned(y)
    fine = np.isfinite(values)
    cell = (rows * len(x_labels) + columns)[fine]
    order = np.argsort(cell, kind='stable')
    found = np.full(len(x_labels) * len(y_labels), np.nan)
    kinds, starts = np.unique(cell[order], return_index=True)
    for kind, part in zip(kinds, np.split(values[fine][order], starts[1:]), strict=False):
        found[kind] = np.median(part)
    return Cells(x_labels, y_labels, found.reshape(len(y_labels), len(x_labels)))


def _binned(values: NDArray[np.generic]) -> tuple[NDArray[np.intp], list[str]]:
    """Number of the cell of each value, and the label of each cell."""
    kinds, places = np.unique(values, return_inverse=True)
    if len(kinds) <= _CELLS or kinds.dtype.kind not in 'if':
        return places, [f'{kind:.4g}' if isinstance(kind, float) else str(kind)
                        for kind in kinds.tolist()]
    edges = np.linspace(kinds[0], kinds[-1], _CELLS + 1)
    return np.clip(np.searchsorted(edges, values, side='right') - 1, 0, _CELLS - 1), [
        f'{middle:.4g}' for middle in (edges[:-1] + edges[1:]) / 2.0]


def dataset_report(
    swept: SweptColumns, metric: str, over: Sequence[str],
    rows: Sequence[tuple[str, str, str]], worst: Sequence[tuple[int, str]],
    source: Sequence[tuple[str, str]],
) -> HtmlPage:
    """Report of a dataset.

    metric: of maps; over: parameters that they are over, in pairs; rows: (name, value, unit) of
    the whole; worst: number of a point and the command that repeats it; source: rows, name and
    text, that say how it was made.
    """
    values = swept.kept(metric)
    page = HtmlPage(swept.title, f'{len(values)} points over {", ".join(swept.names)}')
    page.heading('Outcome')
    page.table(['Quantity', 'Value', 'Unit'], rows, numbers=[1])
    page.heading('Quantiles')
    page.table(['Metric', *QUANTILES, 'mean', 'Unit'], [
        [row.name, *texts, unit] for row in quantile_rows(swept) for texts, unit in [row.texts()]],
        numbers=range(1, len(QUANTILES) + 2))
    if np.isfinite(values).any():
        page.heading('Figures')
        page.charts([*_maps(swept, metric, values, over), (
            distribution_chart(metric, swept.metrics[metric], {swept.title: values}),
            f'Share of the points with at most so much {metric}')])
    if worst:
        page.heading(f'The {len(worst)} worst by {metric}, each with the command that repeats it')
        found = swept.column(metric)
        texts, unit = shown([float(found[point]) for point, _ in worst], swept.metrics[metric])
        page.table(['Point', f'{metric} [{unit}]', 'Command'], [
            [str(point + 1), text, command]
            for (point, command), text in zip(worst, texts, strict=True)],
            numbers=[1], remarks=[2])
    page.heading('Source')
    page.facts(source)
    return page


def _maps(
    swept: SweptColumns, metric: str, values: Array, over: Sequence[str],
) -> Iterator[tuple[Chart, str]]:
    labels = {name: f'{name} [{unit}]' if unit else name
              for name, unit in zip(swept.names, swept.units, strict=True)}
    factor, unit = unit_for(float(np.nanmax(values)), swept.metrics[metric])
    for first, second in itertools.islice(itertools.combinations(over, 2), _MOST_PAIRS):
        cells = cells_of(swept.column(first), swept.column(second), factor * values)
        chart = Chart(labels[first], [labels[second]], panel_height=420)
        chart.cells(cells.x, cells.y, cells.values, f'{metric} [{unit}]')
        yield chart, f'Median {metric} over {first} and {second}'


def distribution_chart(metric: str, unit: str, values: Mapping[str, Array]) -> Chart:
    """Share of the points with at most so much of a metric, by the name of each sweep."""
    largest = max(float(np.nanmax(of_one)) for of_one in values.values())
    factor, shown_unit = unit_for(largest, unit)
    chart = Chart(f'{metric} [{shown_unit}]', ['share of the points'], panel_height=320)
    for series, (name, of_one) in enumerate(values.items()):
        chart.line(factor * np.quantile(of_one[np.isfinite(of_one)], _STEPS), _STEPS, name,
                   series=series)
    return chart


_COMPARED = 'median', '95 %', '99 %', 'maximum'


class ComparedRow(NamedTuple):
    """A figure of each of several sweeps in its SI unit, None where one has none.

    largest: of all rows of the same metric.
    """

    name: str
    unit: str
    values: list[float | None]
    largest: float = 0.0

    def texts(self) -> tuple[list[str], str]:
        """The figures for people, and their unit, which is that of all rows of the metric."""
        return shown(self.values, self.unit, self.largest)


def compared_columns(swept: Sequence[SweptColumns]) -> list[ComparedRow]:
    """Points, those that were lost, and quantiles of the metrics that some sweep has."""
    rows = [ComparedRow('points', '', [len(one.lost) for one in swept]),
            ComparedRow('diverged or failed', '', [int(one.lost.sum()) for one in swept])]
    found = [{row.name: row for row in quantile_rows(one)} for one in swept]
    for metric, unit in swept[0].metrics.items():
        if any(metric in of_one for of_one in found):
            values = [of_one[metric].values if metric in of_one else None for of_one in found]
            largest = max(abs(value) for row in values if row is not None for value in row)
            rows += [ComparedRow(f'{metric}, {name}', unit, [
                None if row is None else row[[*QUANTILES].index(name)] for row in values], largest)
                for name in _COMPARED]
    return rows


def comparison_of_datasets(
    swept: Sequence[SweptColumns], rows: Sequence[ComparedRow], metric: str,
) -> HtmlPage:
    """Page that compares sweeps: a table, and the distribution of a metric in each."""
    names = [one.title for one in swept]
    page = HtmlPage(' and '.join(names), f'{len(swept)} sweeps compared')
    page.heading('Quantiles')
    page.table(['Quantity', *names, 'Unit'], [
        [row.name, *texts, unit] for row in rows for texts, unit in [row.texts()]],
        numbers=range(1, len(names) + 1))
    values = {one.title: one.kept(metric) for one in swept}
    values = {name: of_one for name, of_one in values.items() if np.isfinite(of_one).any()}
    if values:
        page.heading('Figures')
        page.charts([(distribution_chart(metric, swept[0].metrics[metric], values),
                      f'Share of the points with at most so much {metric}')])
    return page
