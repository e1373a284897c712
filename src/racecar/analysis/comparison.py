# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs side by side: their metrics as a table, their figures over each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from racecar.analysis.chart import Chart
from racecar.analysis.html_page import HtmlPage
from racecar.analysis.html_report import ACCELERATION_METHOD, GG_CAPTION, how_made, MEANINGS
from racecar.analysis.run_charts import (
    gg_chart,
    path_chart,
    paths_chart,
    ShownRun,
    speed_bounds,
    time_chart,
)
from racecar.base.environment import differences
from racecar.base.run_file import parameter_differences, RunFile
from racecar.metrics.tracking_error import Metrics

# Less is better; of the other quantities none is better than another.
_ERRORS = ('RMSE', 'ISE', 'sum of squared errors', 'maximum error', 'cross-track RMSE',
           'maximum cross-track error', 'heading RMSE', 'speed RMSE', 'collisions')
_BARS = ('RMSE', 'maximum error', 'cross-track RMSE', 'maximum cross-track error')
_LISTED = 60


class ComparedRun(NamedTuple):
    """A run, its metrics (None without a reference), where it is from and how it was made.

    skip: seconds that were left out at its start.
    """

    shown: ShownRun
    metrics: Metrics | None
    source: str
    warnings: tuple[str, ...] = ()
    file: RunFile | None = None
    skip: float = 0.0

    def rows(self) -> dict[str, tuple[str, str]]:
        """Value and unit of each quantity by name, for people."""
        tracking = () if self.metrics is None else self.metrics.as_rows()
        return {name: (value, unit)
                for name, value, unit in (*tracking, *self.shown.motion.as_rows())}

    def as_dict(self) -> dict[str, float | int | str | None]:
        """Quantities by name in SI units, and where the run is from."""
        tracking = {} if self.metrics is None else self.metrics.as_dict()
        return {'name': self.shown.name, 'source': self.source, 'skip': self.skip, **tracking,
                **self.shown.motion.as_dict()}


def comparison_rows(runs: Sequence[ComparedRun]) -> list[tuple[str, list[str], str]]:
    """Name, value in each run ('-' where it has none) and unit of every quantity."""
    tables = [run.rows() for run in runs]
    units = {name: unit for table in tables for name, (_, unit) in table.items()}
    order = [name for name in MEANINGS if name in units]
    return [(name, [table[name][0] if name in table else '-' for table in tables], units[name])
            for name in order]


def comparison_report(runs: Sequence[ComparedRun]) -> HtmlPage:
    """Page that compares runs."""
    shown = [run.shown for run in runs]
    page = HtmlPage(' and '.join(run.name for run in shown) if len(runs) == 2 else
                    f'{len(runs)} runs compared', f'Comparison of {len(runs)} runs')
    for run in runs:
        for text in run.warnings:
            page.warning(f'{run.shown.name}: {text}')
    page.heading('Metrics')
    rows = comparison_rows(runs)
    best = [(number, column) for number, (name, values, _) in enumerate(rows)
            for column in _best(name, values)]
    page.table(
        ['Quantity', *(run.name for run in shown), 'Unit', 'Meaning'],
        [[name, *values, unit, MEANINGS[name]] for name, values, unit in rows],
        numbers=range(1, len(runs) + 1), remarks=[len(runs) + 2],
        best=[(number, column + 1) for number, column in best])
    page.heading('Figures')
    page.charts([(paths_chart(shown), 'Paths'),
                 (gg_chart(shown), GG_CAPTION)])
    page.charts([(time_chart(shown), 'Speed, steering and errors over time')], over_time=True)
    if any(run.metrics is not None for run in runs):
        page.charts([(_bars(runs), 'Errors')])
    bounds = speed_bounds(shown)
    page.charts([
        (path_chart(run, bounds), f'{run.name}: path, coloured by speed') for run in shown])
    _add_differences(page, runs)
    page.heading('Source')
    made = [dict(how_made(run.file)) if run.file is not None else {} for run in runs]
    names = dict.fromkeys(name for table in made for name in table)
    page.table(['', *(run.name for run in shown)], [
        ['File', *(run.source for run in runs)],
        ['Left out at the start', *(f'{run.skip:g} s' for run in runs)],
        *([name, *(table.get(name, '') for table in made)] for name in names)])
    for run in runs:
        if run.file is not None:
            page.details(f'Everything that was set in {run.shown.name}: run.yaml',
                         run.file.to_yaml())
    page.heading('How it was computed')
    page.paragraph(
        f'Times count from the first odometry of each run. {ACCELERATION_METHOD} The best of each'
        ' error is set in bold.')
    return page


def _best(name: str, values: Sequence[str]) -> list[int]:
    """Columns of the least value of an error, unless all are equal."""
    if name not in _ERRORS or len(set(values)) == 1:
        return []
    numbers = {column: float(value) for column, value in enumerate(values) if value != '-'}
    least = min(numbers.values(), default=0.0)
    return [column for column, number in numbers.items() if number == least]


def _bars(runs: Sequence[ComparedRun]) -> Chart:
    chart = Chart('', ['error [m]'], panel_height=260)
    for series, run in enumerate(runs):
        if run.metrics is not None:
            rows = run.rows()
            chart.bars(_BARS, [float(rows[name][0]) for name in _BARS], run.shown.name,
                       series=series)
    return chart


def _add_differences(page: HtmlPage, runs: Sequence[ComparedRun]) -> None:
    """Add the differences in settings and environment of runs that have a run.yaml."""
    files = {run.shown.name: run.file for run in runs}
    known = [file for file in files.values() if file is not None]
    if len(known) < 2:
        return
    page.heading('What was different')
    rows = parameter_differences(files)
    if rows:
        page.table(['Parameter', *files],
                   [[name, *values] for name, values in rows[:_LISTED]])
        if len(rows) > _LISTED:
            page.paragraph(f'and {len(rows) - _LISTED} more.')
    else:
        page.paragraph('All parameters are equal.')
    first = next(name for name, file in files.items() if file is not None)
    for name, file in files.items():
        if file is not None and name != first:
            changes = differences(known[0].environment, file.environment)
            if changes:
                page.table(['Made with', first, name], changes)
