# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a race leaves for people and programs: tables, events, a page with pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import importlib.util
import json
import math
from pathlib import Path

import numpy as np

from racecar.analysis.outlines import outlines
from racecar.analysis.palette import colour, colour_named
from racecar.analysis.race_films import contact_film, film_caption, FilmedCar
from racecar.analysis.race_report import laps_of, race_page, ShownHeat
from racecar.analysis.tables import write_csv
from racecar.base.columns import Array
from racecar.base.environment import present_environment
from racecar.facade.race_run import Heat, RaceResult, TRACE
from racecar.metrics.laps import LapRule
from racecar.race.events import CONTACT, CRASH, RaceEvent, WARNING
from racecar.race.rules import HEAD_TO_HEAD
from racecar.race.standings import CarResult, Row

REPORT, STANDINGS, EVENTS, LAPS, RESULTS, TRACES = (
    'report.html', 'standings.csv', 'events.csv', 'laps.csv', 'results.json', 'traces.npz')
"""Files of the folder of a race."""

_OPTION = '--output'
# Contacts of which a page has pictures.
_MOST_PICTURES = 12


def write_results(result: RaceResult, folder: Path, title: str, command: str) -> None:
    """Write tables, traces and page into a folder that is there.

    Raises ConfigurationError for what cannot be written.
    """
    heats = [(heat.number, heat.result) for heat in result.heats]
    write_csv(folder / STANDINGS, Row._fields, [_cells(row) for row in result.standings], _OPTION)
    write_csv(folder / EVENTS, ('heat', *RaceEvent._fields), [
        (number, *_cells(event)) for number, found in heats for event in found.events], _OPTION)
    sectors = [f'sector_{number}' for number in range(1, LapRule().sectors + 1)]
    write_csv(folder / LAPS, ('heat', 'car', 'lap', 'begun', 'time', 'is_clean', *sectors),
              laps_of(heats), _OPTION)
    (folder / RESULTS).write_text(
        json.dumps(summary(result), indent=1, allow_nan=False) + '\n', encoding='utf-8')
    np.savez_compressed(folder / TRACES, **{  # type: ignore[arg-type]
        f'heat{heat.number}_{result.plan.cars[car].name}': trace for heat in result.heats
        for car, trace in zip(heat.cars, heat.traces, strict=True)})
    race_page(title, result.plan.rules.format, result.standings,
              [_shown(result, heat) for heat in result.heats], [
                  ('Command', command), ('World', result.plan.world),
                  ('Digest', result.digest),
                  *((car.name, f'{car.vehicle.name}, {car.driver}') for car in result.plan.cars),
                  *((f'Rule {name}', str(value))
                    for name, value in result.plan.rules._asdict().items()),
                  *present_environment().items()]).write(folder / REPORT)


def summary(result: RaceResult) -> dict[str, object]:
    """What programs read of a race: digest, standings, and the cars of each heat."""
    return {
        'format': result.plan.rules.format, 'digest': result.digest,
        'standings': [_mapping(Row._fields, row) for row in result.standings],
        'heats': [{
            'number': heat.number, 'duration': heat.result.duration,
            'cars': [{
                **_mapping(CarResult._fields, car),
                'laps': [_mapping(type(lap)._fields, lap) for lap in car.laps],
                'best': _cell(car.best), 'clean_laps': car.clean_laps,
            } for car in heat.result.cars]} for heat in result.heats]}


def _mapping(names: Sequence[str], values: Sequence[object]) -> dict[str, object]:
    return dict(zip(names, map(_cell, values), strict=True))


def _cells(row: Sequence[object]) -> list[object]:
    return [*map(_cell, row)]


def _cell(value: object) -> object:
    """A value for a table, None for a number that there is not."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _shown(result: RaceResult, heat: Heat) -> ShownHeat:
    plan, scene = result.plan, result.plan.scene()
    cars = {plan.cars[car].name: car for car in heat.cars}
    colours = {name: colour_named(name) if (found := plan.cars[car].colour) is None else
               '#' + ''.join(f'{round(255.0 * part):02x}' for part in found)
               for name, car in cars.items()}
    paths = {name: _path(trace) for name, trace in zip(cars, heat.traces, strict=True)}
    title = f'Heat {heat.number}'
    if plan.rules.format != HEAD_TO_HEAD:
        title += f', {", ".join(cars)}'
    events = [*_contacts(heat.result.events)][:_MOST_PICTURES]
    painted = {name: colours[name] or colour(car) for name, car in cars.items()}
    walls = outlines(scene) if events else []
    films = [(contact_film(event, {name: FilmedCar(
        painted[name], paths[name][:4], plan.cars[car].vehicle.footprint)
        for name, car in cars.items()}, walls), film_caption(event)) for event in events]
    picture = b''
    if events and importlib.util.find_spec('matplotlib') is not None:
        from racecar.analysis.race_pictures import contact_picture, PicturedCar

        picture = contact_picture(events, {name: PicturedCar(
            painted[name], paths[name][:4], plan.cars[car].vehicle.footprint)
            for name, car in cars.items()}, scene)
    return ShownHeat(title, heat.result, cars, colours, {
        name: path[[0, 1, 2, 4]] for name, path in paths.items()}, scene, picture, films)


def _contacts(events: Sequence[RaceEvent]) -> Iterator[RaceEvent]:
    """Crashes and contacts of cars with a place; who is to blame for one says it all."""
    warned = {(event.time, event.car) for event in events if event.kind == WARNING}
    for event in events:
        if math.isfinite(event.x) and (event.kind in (CONTACT, WARNING) or (
                event.kind == CRASH and (event.time, event.car) not in warned)):
            yield event


def _path(trace: Array) -> Array:
    """Time, x, y, yaw and distance of a trace; NaN for where it was off the track."""
    found = trace[:, [TRACE.index(name) for name in ('time', 'x', 'y', 'yaw', 'distance')]].T
    off = trace[:, TRACE.index('on_track')] == 0.0
    found[1:4, off] = math.nan
    return found
