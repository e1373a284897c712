# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs that were repeated with other noise and starts, side by side: tables and an HTML report."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple

import numpy as np

from racecar.analysis.chart import Chart
from racecar.analysis.html_page import HtmlPage
from racecar.analysis.html_report import MEANINGS
from racecar.base.columns import Array
from racecar.metrics.quantities import Quantity, unit_for
from racecar.metrics.spread import CONFIDENCE, Spread, spread
from racecar.metrics.tracking_error import Metrics

_RMSE = 'RMSE'
_LEFT_OUT = ('ISE', 'sum of squared errors', 'samples', 'duration')
CSV_HEADER = ('quantity', 'unit', 'run', 'count', 'mean', 'standard_deviation', 'low', 'high',
              'difference', 'difference_low', 'difference_high')
_METHOD = (
    'Each run was simulated again so many times with noise and starts drawn by one seed.'
    ' Repetition k of every run has the same offset of the start and, where the odometry has'
    ' the same rate, the same noise, so that runs are compared in pairs. After the mean stands'
    ' the standard deviation, and in brackets the interval in which the mean lies with'
    f" {CONFIDENCE:.0%} confidence, by Student's t distribution. A difference is the mean over"
    ' the pairs, the run minus the first one, with its interval: one that does not contain 0'
    ' tells two runs apart. Repetitions that diverged or failed are left out, and so are their'
    ' pairs.')


class RepeatedRun(NamedTuple):
    """A run, its metrics in each repetition, None where it has none, and how many were lost."""

    name: str
    metrics: Sequence[Metrics | None]
    lost: int


class RepeatedQuantity(NamedTuple):
    """A figure of several repeated runs: the spread of each, and of its difference to the first.

    values: (runs, repetitions), NaN where there is none; unit: SI.
    """

    name: str
    unit: str
    values: Array

    @property
    def spreads(self) -> list[Spread]:
        """Spread of each run."""
        return [spread(row) for row in self.values]

    @property
    def differences(self) -> list[Spread]:
        """Spread of each run but the first minus the first, pair by pair."""
        return [spread(row - self.values[0]) for row in self.values[1:]]

    def texts(self) -> tuple[list[str], str]:
        """Cells of a table for people, the spreads and then the differences, and their unit."""
        spreads, differences = self.spreads, self.differences
        means = [abs(found.mean) for found in spreads if not math.isnan(found.mean)]
        factor, unit = unit_for(max(means, default=0.0), self.unit)

        def cell(found: Spread, deviation: str = '') -> str:
            if math.isnan(found.mean):
                return '-'
            mean, low, high = (f'{factor * number:.3g}'
                               for number in (found.mean, found.low, found.high))
            return f'{mean}{deviation} [{low}, {high}]'

        return [*(cell(found, f' ± {factor * found.deviation:.2g}') for found in spreads),
                *map(cell, differences)], unit


def repeated_quantities(runs: Sequence[RepeatedRun]) -> list[RepeatedQuantity]:
    """Every figure that all runs have, in the order of a report."""
    tables = [[{} if metrics is None else {
        quantity.name: quantity for quantity in metrics.quantities().values()}
        for metrics in run.metrics] for run in runs]
    units = {name: quantity.unit for run in tables for table in run
             for name, quantity in table.items()}
    return [RepeatedQuantity(name, units[name], np.array([
        [_value(table.get(name)) for table in run] for run in tables]))
        for name in MEANINGS if name in units and name not in _LEFT_OUT]


def columns_of(runs: Sequence[RepeatedRun]) -> list[str]:
    """Heads of the cells of RepeatedQuantity.texts()."""
    return [*(run.name for run in runs),
            *(f'{run.name} − {runs[0].name}' for run in runs[1:])]


def csv_rows(
    runs: Sequence[RepeatedRun], quantities: Sequence[RepeatedQuantity],
) -> list[list[object]]:
    """Rows of CSV_HEADER, SI units; None for what there is not."""
    rows: list[list[object]] = []
    for quantity in quantities:
        differences: list[Spread | None] = [None, *quantity.differences]
        for run, found, difference in zip(runs, quantity.spreads, differences, strict=True):
            numbers = (*found[1:], *((math.nan,) * 3 if difference is None else (
                difference.mean, difference.low, difference.high)))
            rows.append([quantity.name, quantity.unit, run.name, found.samples,
                         *(None if math.isnan(number) else number for number in numbers)])
    return rows


def repetition_report(
    runs: Sequence[RepeatedRun], how: Sequence[tuple[str, str]],
) -> HtmlPage:
    """Page that compares repeated runs; how: rows, name and text, on how they were repeated."""
    quantities = repeated_quantities(runs)
    count = len(runs[0].metrics)
    page = HtmlPage(' and '.join(run.name for run in runs) if len(runs) == 2 else
                    f'{len(runs)} runs compared', f'Comparison over {count} repetitions of each')
    for run in runs:
        if run.lost:
            page.warning(f'{run.name}: {run.lost} of {count} repetitions diverged or failed; they'
                         ' are left out')
    page.heading('Metrics')
    texts = [(quantity.name, *quantity.texts()) for quantity in quantities]
    heads = columns_of(runs)
    page.table(
        ['Quantity', *heads, 'Unit'], [[name, *cells, unit] for name, cells, unit in texts],
        numbers=range(1, len(heads) + 1))
    page.heading('Figures')
    found = next((quantity for quantity in quantities if quantity.name == _RMSE), None)
    if found is not None and np.isfinite(found.values).any():
        factor, unit = unit_for(float(np.nanmax(found.values)), found.unit)
        chart = Chart('repetition', [f'RMSE [{unit}]'], panel_height=320)
        numbers = np.arange(1, count + 1)
        for series, (run, row) in enumerate(zip(runs, found.values, strict=True)):
            chart.dots(numbers, factor * row, run.name, series=series, size=9.0,
                       symbol=('circle', 'diamond', 'square', 'cross')[series % 4])
        page.charts([(chart, 'RMSE of each repetition: dots above each other are a pair')])
    page.heading('Source')
    page.facts(how)
    page.heading('How it was computed')
    page.paragraph(_METHOD)
    return page


def _value(quantity: Quantity | None) -> float:
    return math.nan if quantity is None or quantity.value is None else quantity.value
