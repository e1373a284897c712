# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A search for parameters as one HTML file: history, front of the best, importances, values."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
import itertools
from typing import NamedTuple

import numpy as np

from racecar.analysis.chart import Chart
from racecar.analysis.html_page import HtmlPage
from racecar.analysis.sweep_points import Flags
from racecar.base.columns import Array
from racecar.metrics.quantities import shown, unit_for

_WIDE = 10.0
"""Ratio of the largest to the least value from which an axis is logarithmic."""
_MOST_PAIRS, _MOST_VALUES = 3, 12


class Tuned(NamedTuple):
    """n trials of a search.

    objectives: their units by name; values: (n, objectives) [SI], infinite for a trial that was
    lost, of the cases that it drove for one that was pruned; states: 'complete', 'pruned' or
    'lost'; best: numbers of the best ones; parameters: values by name, None where a trial does not
    have one; logarithmic: names of those of which equal ratios count alike; importances: of
    parameters by objective and name, empty where they are not known.
    """

    title: str
    objectives: Mapping[str, str]
    values: Array
    states: Sequence[str]
    best: Sequence[int]
    parameters: Mapping[str, Sequence[object]]
    logarithmic: Collection[str]
    importances: Mapping[str, Mapping[str, float]]

    @property
    def complete(self) -> Flags:
        """Whether a trial drove all cases, (n,)."""
        return np.array([state == 'complete' for state in self.states])

    @property
    def pruned(self) -> Flags:
        """Whether a trial was given up as it could not become one of the best, (n,)."""
        return np.array([state == 'pruned' for state in self.states])

    def shown(self, objective: int) -> tuple[Array, str]:
        """Values of an objective as people see them, NaN for those that were lost, and a label."""
        name = [*self.objectives][objective]
        values = np.where(np.isfinite(self.values[:, objective]), self.values[:, objective],
                          np.nan)
        # The best are what people look at.
        factor, unit = unit_for(float(np.median(values[self.complete])), self.objectives[name])
        return factor * values, f'{name} [{unit}]'

    def best_so_far(self, objective: int) -> Array:
        """Least value of an objective up to each trial as people see it, NaN before the first."""
        values = np.where(self.complete, self.shown(objective)[0], np.inf)
        least = np.minimum.accumulate(values)
        return np.where(np.isfinite(least), least, np.nan)

    def is_wide(self, objective: int) -> bool:
        """Whether the values of an objective are better seen on a logarithmic axis."""
        values = self.shown(objective)[0]
        values = values[np.isfinite(values)]
        return bool(values.min() > 0.0 and values.max() > _WIDE * values.min())

    def near_front(self, first: int, second: int) -> Flags:
        """Whether a complete trial is as near to the best as these are to each other, (n,)."""
        near = self.complete
        for objective in (first, second):
            values = self.shown(objective)[0]
            front = values[[*self.best]]
            near &= np.nan_to_num(values, nan=np.inf) <= 2.0 * front.max() - front.min()
        return near

    def short(self, names: Sequence[str]) -> list[str]:
        """Names of parameters without their nodes, where that tells them apart."""
        found = {name: name.rpartition('.')[2] for name in self.parameters}
        ends = [*found.values()]
        return [found[name] if ends.count(found[name]) == 1 else name for name in names]


def tuning_report(
    tuned: Tuned, rows: Sequence[tuple[str, str, str]], listed: Sequence[int],
    commands: Sequence[str] = (), source: Sequence[tuple[str, str]] = (),
) -> HtmlPage:
    """Report of a search.

    rows: (name, value, unit) of the whole; listed: some of the best; commands: that drive these;
    source: rows, name and text, that say how it was made.
    """
    page = HtmlPage(tuned.title, f'Search over {", ".join(tuned.parameters)} for the least'
                                 f' {" and ".join(tuned.objectives)}')
    page.heading('Outcome')
    page.table(['Quantity', 'Value'], [
        [name, value] for name, value, _ in rows if name != 'best'], numbers=[1])
    _add_best(page, tuned, listed, commands)
    page.heading('History')
    page.charts([*_histories(tuned)])
    fronts = [*_fronts(tuned)]
    if fronts:
        page.heading('Trade-offs')
        page.charts(fronts)
    if any(tuned.importances.values()):
        page.heading('Importance')
        page.charts([(_importance(tuned), 'Share of each parameter in the variance among the good'
                                          ' trials (PED-ANOVA)')])
    page.heading('Values')
    page.charts([*_values(tuned)])
    if source:
        page.heading('Source')
        page.facts(source)
    return page


def _add_best(
    page: HtmlPage, tuned: Tuned, listed: Sequence[int], commands: Sequence[str],
) -> None:
    count = len(tuned.best)
    page.heading('The best' if count == 1 else f'The best: to {count} trials none is better in all'
                 + (f', {len(listed)} of them' if len(listed) < count else ''))
    heads, columns = [], []
    for index, (name, unit) in enumerate(tuned.objectives.items()):
        texts, shown_unit = shown(tuned.values[[*listed], index].tolist(), unit)
        heads.append(f'{name} [{shown_unit}]' if shown_unit else name)
        columns.append(texts)
    for name, values in tuned.parameters.items():
        heads.append(tuned.short([name])[0])
        columns.append([_text(values[trial]) for trial in listed])
    page.table(['Trial', *heads], [
        [str(trial), *texts] for trial, *texts in zip(listed, *columns, strict=True)],
        numbers=range(1, 1 + len(heads)))
    if commands:
        page.table(['Trial', 'Command that drives it'], [
            [str(trial), command] for trial, command in zip(listed, commands, strict=False)],
            remarks=[1])


def _histories(tuned: Tuned) -> Iterator[tuple[Chart, str]]:
    numbers = np.arange(len(tuned.values))
    for index, name in enumerate(tuned.objectives):
        values, label = tuned.shown(index)
        chart = Chart('trial', [label], panel_height=320, is_logarithmic=tuned.is_wide(index))
        for text, flags, series in (
                ('trial', tuned.complete, 0), ('pruned', tuned.pruned, 1)):
            if flags.any():
                chart.dots(numbers[flags], values[flags], text, series=series, size=6.0)
        chart.line(numbers, tuned.best_so_far(index), 'best so far', series=2)
        yield chart, f'{name} of each trial'


def _fronts(tuned: Tuned) -> Iterator[tuple[Chart, str]]:
    best = list(tuned.best)
    for first, second in itertools.islice(
            itertools.combinations(range(len(tuned.objectives)), 2), _MOST_PAIRS):
        (x, x_label), (y, y_label) = tuned.shown(first), tuned.shown(second)
        chart, near = Chart(x_label, [y_label], panel_height=380), tuned.near_front(first, second)
        chart.dots(x[near], y[near], 'trial', size=6.0)
        chart.dots(x[best], y[best], 'best', series=1, symbol='diamond', size=10.0)
        yield chart, 'The best, to which no trial is better in all, and the trials near them'


def _importance(tuned: Tuned) -> Chart:
    chart = Chart('', ['share'], panel_height=320)
    for series, (name, shares) in enumerate(tuned.importances.items()):
        if shares:
            chart.bars(tuned.short([*shares]), [*shares.values()], name, series=series)
    return chart


def _values(tuned: Tuned) -> Iterator[tuple[Chart, str]]:
    """The first objective over each parameter."""
    values, label = tuned.shown(0)
    first = tuned.best[0]
    for name, given in itertools.islice(tuned.parameters.items(), _MOST_VALUES):
        has = np.array([value is not None for value in given]) & tuned.complete
        numeric = all(isinstance(value, int | float) and not isinstance(value, bool)
                      for value in given if value is not None)
        kinds = [*dict.fromkeys(map(_text, given))]
        x = np.array([value if numeric and isinstance(value, int | float)
                      else kinds.index(_text(value)) for value in given], dtype=float)
        if not numeric:
            has = tuned.complete
        chart = Chart(name, [label], panel_height=320, is_logarithmic=tuned.is_wide(0),
                      is_x_logarithmic=name in tuned.logarithmic)
        if not numeric:
            chart.name_x(kinds)
        chart.dots(x[has], values[has], 'trial', size=6.0)
        if has[first]:
            chart.mark(float(x[first]), float(values[first]), 'best')
        yield chart, f'{[*tuned.objectives][0]} over {tuned.short([name])[0]}'


def _text(value: object) -> str:
    """A value for people; of a file.py:Class the class."""
    return '-' if value is None else f'{value:.6g}' if isinstance(value, float) \
        else str(value).rpartition(':')[2]
