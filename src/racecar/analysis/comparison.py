# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs side by side: their metrics as a table, their figures over each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from racecar.analysis.chart import Chart
from racecar.analysis.html_page import HtmlPage
from racecar.analysis.html_report import (
    ACCELERATION_METHOD,
    GG_CAPTION,
    how_made,
    MEANINGS,
    step_times,
    TIME_CAPTION,
)
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
from racecar.metrics.quantities import Quantity, shown, unit_for
from racecar.metrics.settling import Settling
from racecar.metrics.tracking_error import Metrics

# Less is better; of the other quantities none is better than another.
_ERRORS = ('RMSE', 'RMSE before settling', 'RMSE when settled', 'maximum error when settled',
           'settling time', 'ISE', 'sum of squared errors', 'maximum error', 'cross-track RMSE',
           'maximum cross-track error', 'heading RMSE', 'speed RMSE', 'collisions')
_BARS = ('rmse', 'settled_rmse', 'cross_track_rmse', 'max_cross_track_error')
_LISTED = 60
_UNSETTLED = Settling()
_NOTHING: Mapping[str, Quantity] = {}


class ComparedRun(NamedTuple):
    """A run, its metrics (None without a reference), where it is from and how it was made.

    skip: seconds that were left out at its start. settling: of the whole run. further: figures of
    a run without a reference: its laps, its collisions.
    """

    shown: ShownRun
    metrics: Metrics | None
    source: str
    warnings: tuple[str, ...] = ()
    file: RunFile | None = None
    skip: float = 0.0
    settling: Settling = _UNSETTLED
    further: Mapping[str, Quantity] = _NOTHING

    def quantities(self) -> dict[str, Quantity]:
        """Every figure by the name that JSON has."""
        tracking = {} if self.metrics is None else {
            **self.metrics.quantities(), **self.settling.quantities()}
        return {**tracking, **self.further, **self.shown.motion.quantities(),
                **step_times(self.file)}

    def as_dict(self) -> dict[str, float | int | str | None]:
        """Quantities by name in SI units, and where the run is from."""
        return {'name': self.shown.name, 'source': self.source, 'skip': self.skip,
                **{key: quantity.value for key, quantity in self.quantities().items()}}


class ComparedQuantity(NamedTuple):
    """A figure of several runs: its name, its value in each, None where it has none, SI unit."""

    name: str
    values: list[float | None]
    unit: str

    def texts(self) -> tuple[list[str], str]:
        """Values for people, '-' for None, and their unit, one for all."""
        return shown(self.values, self.unit)

    @property
    def best(self) -> list[int]:
        """Which runs have the least value of an error, unless all are equal."""
        known = {run: value for run, value in enumerate(self.values) if value is not None}
        if self.name not in _ERRORS or len(set(known.values())) < 2:
            return []
        return [run for run, value in known.items() if value == min(known.values())]


def compared_quantities(runs: Sequence[ComparedRun]) -> list[ComparedQuantity]:
    """Every figure that one of the runs has, in the order of a report."""
    tables = [{quantity.name: quantity for quantity in run.quantities().values()}
              for run in runs]
    units = {name: quantity.unit for table in tables for name, quantity in table.items()}
    return [ComparedQuantity(
        name, [table[name].value if name in table else None for table in tables], units[name])
        for name in MEANINGS if name in units]


def comparison_report(runs: Sequence[ComparedRun]) -> HtmlPage:
    """Page that compares runs."""
    shown_runs = [run.shown for run in runs]
    page = HtmlPage(' and '.join(run.name for run in shown_runs) if len(runs) == 2 else
                    f'{len(runs)} runs compared', f'Comparison of {len(runs)} runs')
    for run in runs:
        for text in run.warnings:
            page.warning(f'{run.shown.name}: {text}')
    page.heading('Metrics')
    compared = compared_quantities(runs)
    rows = [(row.name, *row.texts()) for row in compared]
    page.table(
        ['Quantity', *(run.name for run in shown_runs), 'Unit', 'Meaning'],
        [[name, *values, unit, MEANINGS[name]] for name, values, unit in rows],
        numbers=range(1, len(runs) + 1), remarks=[len(runs) + 2],
        best=[(number, run + 1) for number, row in enumerate(compared) for run in row.best])
    page.heading('Figures')
    page.charts([(paths_chart(shown_runs), 'Paths'),
                 (gg_chart(shown_runs), GG_CAPTION)])
    page.charts([(time_chart(shown_runs), TIME_CAPTION)], over_time=True)
    if any(run.metrics is not None for run in runs):
        page.charts([(_bars(runs), 'Errors')])
    bounds = speed_bounds(shown_runs)
    page.charts([
        (path_chart(run, bounds), f'{run.name}: path, coloured by speed') for run in shown_runs])
    _add_differences(page, runs)
    page.heading('Source')
    made = [dict(how_made(run.file)) if run.file is not None else {} for run in runs]
    names = dict.fromkeys(name for table in made for name in table)
    page.table(['', *(run.name for run in shown_runs)], [
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


def _bars(runs: Sequence[ComparedRun]) -> Chart:
    tables = [(series, run, run.quantities()) for series, run in enumerate(runs)
              if run.metrics is not None]
    keys = [key for key in _BARS if any(key in table for _, _, table in tables)]
    names = {key: table[key].name for _, _, table in tables for key in keys if key in table}
    nothing = Quantity('', 0.0)
    rows = [[table.get(key, nothing).value or 0.0 for key in keys] for _, _, table in tables]
    factor, unit = unit_for(max(map(max, rows)), 'm')
    chart = Chart('', [f'error [{unit}]'], panel_height=260)
    for (series, run, _), values in zip(tables, rows, strict=True):
        chart.bars([names[key] for key in keys], [factor * value for value in values],
                   run.shown.name, series=series, colour=run.shown.stroke.colour)
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
