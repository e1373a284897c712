# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Results of heats, and the final standings of a race by its format."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple

from racecar.race.events import DISQUALIFIED, FINISHED, RaceEvent
from racecar.race.rules import HEAD_TO_HEAD, OBSTACLES, QUALIFYING, TIME_TRIAL


class LapOfRace(NamedTuple):
    """A complete lap: when it began, its time, those of its sectors [s].

    is_clean: whether the car neither crashed in it nor was put anywhere.
    """

    begun: float
    time: float
    sectors: tuple[float, ...]
    is_clean: bool


class CarResult(NamedTuple):
    """A car in a heat.

    place: from 1. lines: when it passed the line, first at the begin of its first lap; finished:
    when, NaN if it did not [s]. distance: along the course [m], NaN if it never moved.
    """

    name: str
    place: int
    status: str
    laps: tuple[LapOfRace, ...]
    lines: tuple[float, ...]
    finished: float
    distance: float
    touches: int
    crashes: int
    warnings: int
    wrong_ways: int
    has_jumped: bool

    @property
    def best(self) -> float:
        """Time of the fastest lap [s], NaN without one."""
        return min((lap.time for lap in self.laps), default=math.nan)

    @property
    def clean_laps(self) -> int:
        """The most consecutive laps without a crash."""
        longest = length = 0
        for lap in self.laps:
            length = length + 1 if lap.is_clean else 0
            longest = max(longest, length)
        return longest


class HeatResult(NamedTuple):
    """A heat: how long it took [s], what happened, and the cars, the first one first."""

    duration: float
    events: tuple[RaceEvent, ...]
    cars: tuple[CarResult, ...]


class Row(NamedTuple):
    """A car in the final standings.

    points: of a time trial; wins: of heats head to head; best: lap [s]; time: of the laps that
    the race asks for [s]; NaN for what there is not. clean_laps: most consecutive ones in a heat.
    """

    place: int
    name: str
    status: str
    points: int
    wins: int
    laps: int
    clean_laps: int
    best: float
    time: float
    distance: float
    touches: int
    crashes: int
    warnings: int


def final_standings(
    kind: str, names: Sequence[str], heats: Sequence[HeatResult],
) -> list[Row]:
    """Standings of a race of a format, the first car first; ties share nothing but the order.

    A time trial gives points as RoboRacer does: for each car that is slower at its fastest lap one
    point, and one for each car with fewer consecutive laps without a crash; a tie is won by more
    of these laps, then by the faster lap. Head to head more heats that were won count, then laps
    and distance; qualifying and obstacles: who finished, then fewer crashes, then the time.
    """
    of_all = {name: [car for heat in heats for car in heat.cars if car.name == name]
              for name in names}
    rows = [_row(kind, name, cars) for name, cars in of_all.items()]
    if kind == TIME_TRIAL:
        rows = [row._replace(points=sum(_faster(row.best, other.best) for other in rows)
                             + sum(row.clean_laps > other.clean_laps for other in rows))
                for row in rows]
    if kind == HEAD_TO_HEAD:
        rows = [row._replace(wins=sum(
            heat.cars[0].name == row.name and heat.cars[0].status != DISQUALIFIED
            for heat in heats)) for row in rows]
    rows.sort(key=lambda row: _key(kind, row))
    return [row._replace(place=place) for place, row in enumerate(rows, start=1)]


def _row(kind: str, name: str, cars: Sequence[CarResult]) -> Row:
    finished = [car for car in cars if car.status == FINISHED]
    # Of a qualifying the last lap counts, which ends it.
    times = [sum(lap.time for lap in (car.laps[-1:] if kind == QUALIFYING else car.laps))
             for car in finished]
    status = next((car.status for car in cars if car.status == DISQUALIFIED),
                  (finished or cars)[-1].status if cars else '')
    return Row(
        0, name, status, 0, 0, sum(len(car.laps) for car in cars),
        max((car.clean_laps for car in cars), default=0), _least(car.best for car in cars),
        _least(times), sum(car.distance for car in cars if math.isfinite(car.distance)),
        *(sum(counts) for counts in (
            [car.touches for car in cars], [car.crashes for car in cars],
            [car.warnings for car in cars])))


def _least(numbers: object) -> float:
    found = [number for number in numbers if not math.isnan(number)]  # type: ignore[attr-defined]
    return min(found, default=math.nan)


def _faster(time: float, other: float) -> bool:
    return not math.isnan(time) and (math.isnan(other) or time < other)


def _late(time: float) -> float:
    return math.inf if math.isnan(time) else time


def _key(kind: str, row: Row) -> tuple[float, ...]:
    out = float(row.status == DISQUALIFIED)
    if kind == TIME_TRIAL:
        return out, -row.points, -row.clean_laps, _late(row.best)
    if kind in (QUALIFYING, OBSTACLES):
        return out, float(row.status != FINISHED), row.crashes, _late(row.time), -row.distance
    return out, -row.wins, -row.laps, -row.distance
