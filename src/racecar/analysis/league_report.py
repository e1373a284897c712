# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A control league as one HTML file: tables, paths and speeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import math
from typing import NamedTuple, Protocol

import numpy as np

from racecar.analysis.chart import Chart, INK, Stroke
from racecar.analysis.html_page import HtmlPage
from racecar.control.racelines.raceline import Raceline

HEADS = ('Controller', 'Share', 'Inside', 'Lap [s]', 'Lap/bound', 'RMS [cm]', 'Max [cm]',
         'Beyond [cm]', 'Effort [rad/s]', 'Top [m/s]')
"""Of a table of cells."""


class ShownCell(NamedTuple):
    """A cell as a reader sees it: names, figures of HEADS behind the controller [SI], a lap.

    inside, runs: how many stayed inside, of how many. path: way, x, y, speed of a lap; empty
    without one. figures: lap, lap/bound, RMS, largest error, beyond, effort, top speed.
    """

    controller: str
    line: str
    role: str
    plant: str
    condition: str
    share: float
    inside: int
    runs: int
    figures: tuple[float, ...]
    path: Sequence[Sequence[float]]


class ShownCpu(Protocol):
    """Times of answers, see racecar.facade.league.CpuFigures."""

    @property
    def controller(self) -> str:
        """Its name."""

    @property
    def plant(self) -> str:
        """Its name."""

    @property
    def median(self) -> float:
        """[s]."""

    @property
    def p99(self) -> float:
        """[s]."""


def row_of(cell: ShownCell) -> list[str]:
    """Texts of HEADS."""
    lap, over, rms, largest, beyond, effort, top = cell.figures
    return [cell.controller, f'{cell.share:g}', f'{cell.inside}/{cell.runs}', _text(lap, 3),
            _text(over, 3), _text(100.0 * rms, 1), _text(100.0 * largest, 1),
            _text(100.0 * max(beyond, 0.0), 1), _text(effort, 2), _text(top, 1)]


def _text(value: float, digits: int) -> str:
    return '-' if math.isnan(value) else f'{value:.{digits}f}'


def league_page(
    title: str, cells: Sequence[ShownCell], lines: Callable[[str], Raceline],
    cpu: Sequence[ShownCpu], source: Sequence[tuple[str, str]],
) -> HtmlPage:
    """Page of cells; lines: gives a line by its name; source: rows that say how it was made."""
    page = HtmlPage(f'League {title}', 'Laps, errors and survival of controllers; inside: runs'
                    ' that completed their laps with the whole footprint on the track; beyond: how'
                    ' far a corner of it left the track; lap: median of the fastest laps')
    groups = list(dict.fromkeys((one.line, one.plant, one.condition) for one in cells))
    for line, plant, condition in groups:
        some = [one for one in cells if (one.line, one.plant, one.condition) == (
            line, plant, condition)]
        page.heading(f'{line} ({some[0].role}), {plant}, {condition}')
        laps = [one.figures[0] if one.inside == one.runs else math.nan for one in some]
        best = {(int(np.nanargmin(laps)), 3)} if not np.isnan(laps).all() else set()
        page.table(HEADS, [row_of(one) for one in some], numbers=range(1, len(HEADS)), best=best)
        charts = _charts(some, lines(line))
        if charts:
            page.charts(charts)
    if cpu:
        page.heading('Thread CPU time of an answer')
        page.table(['Controller', 'Plant', 'P50 [ms]', 'P99 [ms]'], [
            [one.controller, one.plant, f'{1e3 * one.median:.4f}', f'{1e3 * one.p99:.4f}']
            for one in cpu], numbers=[2, 3])
        page.paragraph('Measured here, with a call from Python; not part of what repeats to the'
                       ' bit.')
    page.heading('Source')
    page.facts(source)
    return page


def _charts(cells: Sequence[ShownCell], line: Raceline) -> list[tuple[Chart, str]]:
    """Path and speed of the fastest cell of each controller that stayed inside."""
    best: dict[str, ShownCell] = {}
    for one in cells:
        before = best.get(one.controller)
        if one.inside == one.runs and one.path and (
                before is None or one.figures[0] < before.figures[0]):
            best[one.controller] = one
    if not best:
        return []
    way = Chart('x [m]', ['y [m]'], is_map=True)
    speed = Chart('way along the line [m]', ['speed [m/s]'], panel_height=300)
    grey = Stroke(INK, 'solid', 1.0)
    if line.widths is not None:
        left = np.column_stack([-np.sin(line.heading), np.cos(line.heading)])
        for sign, widths in zip((-1.0, 1.0), line.widths.T, strict=True):
            x, y = (line.points + sign * widths[:, None] * left).T
            way.line(x, y, 'border', stroke=grey, times=line.s)
    for number, (name, one) in enumerate(best.items()):
        s, x, y, v = (np.array(column) for column in one.path)
        order = np.argsort(s)
        label = f'{name}, share {one.share:g}'
        way.line(x, y, label, series=number, times=s)
        speed.line(s[order], v[order], label, series=number)
    return [(way, 'Fastest lap of each controller that stayed inside'),
            (speed, 'Its speed')]
