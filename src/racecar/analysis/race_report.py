# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A race as one HTML file: standings, lap chart, gaps, paths, what happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from racecar.analysis.chart import Chart, INK, Stroke
from racecar.analysis.html_page import HtmlPage
from racecar.analysis.outlines import outlines
from racecar.base.columns import Array
from racecar.race.events import CONTACT, CRASH, TOUCH
from racecar.race.rules import HEAD_TO_HEAD, TIME_TRIAL
from racecar.race.standings import CarResult, HeatResult, Row
from racecar.scene.scene import Scene

# Names and symbols of what stands on the map.
_HIT = {CRASH: ('crash', 'x'), CONTACT: ('touch of cars', 'diamond-open'),
        TOUCH: ('touch', 'circle-open')}


class ShownHeat(NamedTuple):
    """A heat as a reader sees it.

    series, colours: of each car by its name: number among all, and colour, '' for that of the
    number. paths: of each car, (4, samples): time [s], x, y [m], distance along the course [m];
    NaN off the track. scene: what stood around; picture: of contacts, a PNG file; films: of each
    contact, SVG elements with their captions.
    """

    title: str
    result: HeatResult
    series: Mapping[str, int]
    colours: Mapping[str, str]
    paths: Mapping[str, Array]
    scene: Scene
    picture: bytes = b''
    films: Sequence[tuple[str, str]] = ()


def head_of(kind: str) -> tuple[str, ...]:
    """Header of the standings of a format."""
    own = {TIME_TRIAL: ('Points',), HEAD_TO_HEAD: ('Wins',)}.get(kind, ('Time [s]',))
    return ('Car', 'Place', *own, 'Laps', 'Clean laps', 'Best lap [s]', 'Touches', 'Crashes',
            'Warnings', 'Status')


def cells_of(kind: str, row: Row) -> list[str]:
    """Texts of head_of()."""
    own = {TIME_TRIAL: str(row.points), HEAD_TO_HEAD: str(row.wins)}.get(kind, _text(row.time))
    return [row.name, str(row.place), own, str(row.laps), str(row.clean_laps), _text(row.best),
            str(row.touches), str(row.crashes), str(row.warnings), row.status]


def _text(seconds: float) -> str:
    return '-' if math.isnan(seconds) else f'{seconds:.3f}'


def race_page(
    title: str, kind: str, standings: Sequence[Row], heats: Sequence[ShownHeat],
    source: Sequence[tuple[str, str]],
) -> HtmlPage:
    """Page of a race; kind: its format; source: rows that say how it was made."""
    page = HtmlPage(f'Race {title}', f'{kind.replace("_", " ").capitalize()} of'
                    f' {len(standings)} cars; clean laps: the most consecutive ones without a'
                    ' crash')
    head = head_of(kind)
    page.heading('Standings')
    page.table(head, [cells_of(kind, row) for row in standings], numbers=range(1, len(head) - 1))
    for heat in heats:
        page.heading(heat.title)
        page.table(*_heat_table(heat.result), numbers=range(1, 9))
        page.charts(_charts(heat))
        if heat.picture:
            page.picture(heat.picture, 'Contacts; outlines stand 0.2 s behind each other')
        if heat.films:
            page.drawings(heat.films)
        page.table(('Time [s]', 'Car', 'Event', 'What'), [
            (f'{event.time:.3f}', event.car, event.kind.replace('_', ' '), event.text)
            for event in heat.result.events], remarks=[3])
    page.heading('Source')
    page.facts(source)
    return page


def _heat_table(result: HeatResult) -> tuple[tuple[str, ...], list[list[str]]]:
    head = ('Car', 'Place', 'Laps', 'Best lap [s]', 'Clean laps', 'Gap [s]', 'Touches', 'Crashes',
            'Wrong ways', 'Status')
    first = result.cars[0]
    return head, [[
        car.name, str(car.place), str(len(car.laps)), _text(car.best), str(car.clean_laps),
        _text(_gap(car, first)), str(car.touches), str(car.crashes), str(car.wrong_ways),
        car.status + (', false start' if car.has_jumped else '')] for car in result.cars]


def _gap(car: CarResult, first: CarResult) -> float:
    """Behind the first at the last line that a car passed [s]."""
    line = min(len(car.lines), len(first.lines)) - 1
    return car.lines[line] - first.lines[line] if line >= 0 else math.nan


def places_by_lap(result: HeatResult) -> dict[str, list[int]]:
    """Place of each car when it passed the line for the first time, the second and so on."""
    found: dict[str, list[int]] = {car.name: [] for car in result.cars}
    for passed in _by_line(result):
        for place, (_, name) in enumerate(passed, start=1):
            found[name].append(place)
    return found


def _charts(heat: ShownHeat) -> list[tuple[Chart, str]]:
    charts = [(_map(heat), 'Paths, and where cars touched or crashed')]
    if len(heat.result.cars) > 1:
        charts.append((_lap_chart(heat), 'Lap chart; gaps at the line'))
    if any(car.laps for car in heat.result.cars):
        times = Chart('lap', ['time of the lap [s]'])
        for car in heat.result.cars:
            laps, seconds = np.arange(1, len(car.laps) + 1), [lap.time for lap in car.laps]
            _line(times, heat, car.name, laps, seconds)
            times.dots(laps, seconds, car.name, series=heat.series[car.name],
                       colour=heat.colours[car.name], size=7.0)
        charts.append((times, 'Laps'))
    if len(heat.result.cars) > 1:
        gaps = Chart('time [s]', ['behind the foremost [m]'])
        foremost = np.fmax.reduce([heat.paths[car.name][3] for car in heat.result.cars])
        for car in heat.result.cars:
            path = heat.paths[car.name]
            _line(gaps, heat, car.name, path[0], foremost - path[3])
        charts.append((gaps, 'Way behind the foremost car along the course'))
    return charts


def _line(
    chart: Chart, heat: ShownHeat, name: str, x: ArrayLike, y: ArrayLike, panel: int = 0,
) -> None:
    chart.line(x, y, name, panel=panel, series=heat.series[name],
               stroke=Stroke(heat.colours[name]))


def _lap_chart(heat: ShownHeat) -> Chart:
    chart = Chart('laps', ['place', 'gap to the first [s]'])
    chart.begin_above(0)
    fastest = [passed[0][0] for passed in _by_line(heat.result)]
    places = places_by_lap(heat.result)
    for car in heat.result.cars:
        laps = np.arange(len(car.lines))
        _line(chart, heat, car.name, laps, places[car.name])
        _line(chart, heat, car.name, laps, np.array(car.lines) - fastest[:len(car.lines)], 1)
    return chart


def _by_line(result: HeatResult) -> list[list[tuple[float, str]]]:
    """When which cars passed the line for the first time, the second and so on, in order."""
    most = max((len(car.lines) for car in result.cars), default=0)
    return [sorted((car.lines[line], car.name) for car in result.cars if len(car.lines) > line)
            for line in range(most)]


def _map(heat: ShownHeat) -> Chart:
    chart = Chart('x [m]', ['y [m]'], is_map=True)
    chart.outlines(outlines(heat.scene), 'walls')
    for car in heat.result.cars:
        time, x, y, _ = heat.paths[car.name]
        chart.line(x, y, car.name, series=heat.series[car.name], times=time,
                   stroke=Stroke(heat.colours[car.name]))
    for kind, (name, symbol) in _HIT.items():
        hits = [(event.x, event.y) for event in heat.result.events
                if event.kind == kind and math.isfinite(event.x)]
        if hits:
            x, y = np.array(hits).T
            chart.dots(x, y, name, colour=INK, size=9.0, symbol=symbol)
    return chart


def laps_of(heats: Sequence[tuple[int, HeatResult]]) -> list[list[object]]:
    """Rows heat, car, lap, begun [s], time [s], whether it is clean, times of its sectors [s]."""
    return [[number, car.name, lap_number, lap.begun, lap.time, lap.is_clean, *lap.sectors]
            for number, result in heats for car in result.cars
            for lap_number, lap in enumerate(car.laps, start=1)]
