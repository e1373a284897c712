# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps of several cars in one world: what `racecar sweep --cars` and sweep(cars=...) run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
import csv
from dataclasses import dataclass
import math
import os
from pathlib import Path
import time
from typing import NamedTuple, TYPE_CHECKING

from racecar.base.errors import ConfigurationError, excerpt, RacecarError, RunError
from racecar.base.extras import require
from racecar.base.notebook import numbers_table, page_part, value_text, warnings_list
from racecar.base.parameters import suggestion
from racecar.facade.chunks import Cores, Lost
from racecar.facade.cluster import Cluster
from racecar.facade.display import drawing
from racecar.facade.fleet_simulation import FleetSimulation
from racecar.facade.run import data_frame
from racecar.metrics.quantities import Quantity, shown
from racecar.stacks.fleet_sweep import FleetSweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    import pandas

    from racecar.analysis.fleet_sweep_report import SweptCars

_SHOWN = 10
"""Points that a notebook shows."""

FAULT = 'fault'
"""Column of a car: why it stood still, as a divergence."""


class FleetOutcome(NamedTuple):
    """What the cars did at a point: figures by car and name, and why some stood still."""

    figures: Mapping[str, Mapping[str, Quantity]]
    faults: Mapping[str, str]


class FleetChunk(NamedTuple):
    """Outcomes of some points.

    first: number of the first; seconds: what they took; unmade: why points cannot be run, by their
    numbers, whose outcomes have no figures.
    """

    first: int
    outcomes: tuple[FleetOutcome, ...]
    seconds: float
    unmade: Mapping[int, str]

    @property
    def points(self) -> int:
        """How many there are."""
        return len(self.outcomes)

    @property
    def said(self) -> tuple[str, ...]:
        """What to tell once: nothing."""
        return ()


class FleetSweepTask(NamedTuple):
    """The points of a sweep of several cars as a task."""

    sweep: FleetSweep

    @property
    def files(self) -> Mapping[str, str]:
        """Files that the cars are made of, with their hashes."""
        return self.sweep.run_file('').files

    @property
    def is_heavy(self) -> bool:
        """Yes: each point is a run of its own."""
        return True

    def run(self, first: int, count: int, threads: int) -> FleetChunk:
        """Run some points; never raises for what is wrong with single ones."""
        begin, outcomes = time.perf_counter(), []
        unmade: dict[int, str] = {}
        for number in range(first, first + count):
            try:
                outcomes.append(_outcome(self.sweep, number))
            except RacecarError as error:
                unmade[number] = f'{self.sweep.name_of(number)}: {error}'
                outcomes.append(FleetOutcome({}, dict.fromkeys(self.sweep.cars, str(error))))
        return FleetChunk(first, tuple(outcomes), time.perf_counter() - begin, unmade)


def _outcome(sweep: FleetSweep, number: int) -> FleetOutcome:
    """Run one point, as `racecar simulate --cars` does."""
    run = FleetSimulation(sweep.configuration, sweep.options_at(number)).run(
        sweep.duration, skip=sweep.skip)
    return FleetOutcome(
        {name: one.quantities() for name, one in run.cars.items()},
        {name: '; '.join(one.warnings) for name, one in run.cars.items()})


@dataclass(frozen=True, eq=False, repr=False)
class FleetSweepResult:
    """What the cars of a sweep did, each point a run of all of them in one world.

    name: for titles. outcomes: of the points in their order. warnings: of cars that stood still.
    """

    name: str
    sweep: FleetSweep
    outcomes: Sequence[FleetOutcome]
    warnings: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the varied parameters, as node.parameter or car/node.parameter."""
        return self.sweep.names

    @property
    def cars(self) -> tuple[str, ...]:
        """Names of the cars."""
        return self.sweep.cars

    def __len__(self) -> int:
        """Number of points."""
        return len(self.outcomes)

    def columns(self) -> dict[str, list[object]]:
        """Parameters of all points by name, and figures of each car as `red.best_lap`, SI units.

        None where a car has no such figure; `red.fault`: why it stood still, or ''.
        """
        found: dict[str, list[object]] = {
            name: list(values) for name, values in zip(
                self.names, zip(*self.sweep.points, strict=True), strict=True)}
        for car in self.cars:
            for key in self.outcomes[0].figures[car]:
                found[f'{car}.{key}'] = [one.figures[car][key].value for one in self.outcomes]
            found[f'{car}.{FAULT}'] = [one.faults[car] for one in self.outcomes]
        return found

    def to_pandas(self) -> pandas.DataFrame:
        """The columns as a DataFrame. Raises ConfigurationError where pandas is not installed."""
        return data_frame(self.columns())

    def best(self, metric: str) -> int:
        """Number of the point with the least value of a metric, counted from 0.

        metric: a name among columns(), as 'red.best_lap'. Raises ConfigurationError for one that
        is no metric, RunError if no point has a value.
        """
        columns = self.columns()
        known = [name for name in columns
                 if name not in self.names and not name.endswith(f'.{FAULT}')]
        if metric not in known:
            raise ConfigurationError(
                f"metric is {excerpt(metric)}, expected one of {', '.join(known)}"
                f'{suggestion(str(metric), known)}')
        car, _, key = metric.partition('.')
        figures = [one.figures[car][key].value for one in self.outcomes]
        values = [math.inf if value is None or math.isnan(value) else value for value in figures]
        best = min(range(len(values)), key=values.__getitem__)
        if values[best] == math.inf:
            raise RunError(f'no point of {len(self)} has a {metric}')
        return best

    def plot(self, metric: str | None = None) -> Figure:
        """Draw a figure of each car over the parameters.

        metric: its name as of FleetRun.metrics(), by default best_lap where there are laps, else
        mean_speed. Raises ConfigurationError for one that there is not, and where matplotlib is
        not installed.
        """
        require('plot()', 'matplotlib')
        from racecar.analysis.fleet_sweep_report import fleet_sweep_figure

        return fleet_sweep_figure(self._title, self._swept(metric))

    def report(
        self, path: str | os.PathLike[str], source: Sequence[tuple[str, str]] = (),
        metric: str | None = None,
    ) -> Path:
        """Write a report with figures that can be zoomed as one HTML file; its path.

        source: rows, name and text, of how it was made; metric: as of plot(). Raises
        ConfigurationError if it cannot be written.
        """
        require('report()', 'matplotlib')
        from racecar.analysis.fleet_sweep_report import fleet_sweep_report

        file = Path(path)
        fleet_sweep_report(self._title, self._swept(metric), self.warnings, source).write(file)
        return file

    def write_csv(self, path: str | os.PathLike[str]) -> None:
        """Write one line per point, SI units; no value is an empty cell.

        path: of the file, which is replaced. Raises ConfigurationError if it cannot be written.
        """
        columns = self.columns()
        try:
            with open(path, 'w', newline='', encoding='utf-8') as stream:
                writer = csv.writer(stream)
                writer.writerow(columns)
                writer.writerows(zip(*columns.values(), strict=True))
        except OSError as error:
            raise ConfigurationError(
                f"table '{path}' cannot be written: {error.strerror}") from error

    def as_rows(self) -> list[tuple[str, str, str]]:
        """Figures of the sweep for people: (name, value, unit)."""
        rows = [('points', str(len(self)), ''), ('cars', ', '.join(self.cars), '')]
        for car in self.cars:
            values = [one.figures[car] for one in self.outcomes]
            laps = [(figures['best_lap'].value, number) for number, figures in enumerate(values)
                    if 'best_lap' in figures and figures['best_lap'].value is not None]
            if laps:
                least, number = min(laps)
                (text,), unit = shown([least], 's')
                rows.append((f'{car}: best lap', text, f'{unit}  {self.sweep.describe(number)}'))
            hits = sum(bool(figures['collisions'].value) for figures in values
                       if 'collisions' in figures)
            rows.append((f'{car}: points with collisions', str(hits), ''))
            still = sum(bool(one.faults[car]) for one in self.outcomes)
            if still:
                rows.append((f'{car}: points where it stood still', str(still), ''))
        return rows

    def __repr__(self) -> str:
        """Say how many points and which cars there are."""
        return (f"<FleetSweepResult {self.name}: {len(self)} points of {', '.join(self.names)},"
                f" cars {', '.join(self.cars)}>")

    def _repr_html_(self) -> str:
        """The first points and the plot for a notebook."""
        swept = self._swept(None)
        texts = [shown(swept.values_of(car)[:_SHOWN].tolist(), '')[0] for car in self.cars]
        rows = [[*map(value_text, point), *of_cars] for point, *of_cars in zip(
            self.sweep.points[:_SHOWN], *texts, strict=True)]
        return page_part(
            self.name, numbers_table(
                (*self.names, *(f'{car}: {swept.label}' for car in self.cars)), rows,
                numbers=range(len(self.names) + len(self.cars))) + warnings_list(self.warnings),
            drawing(self.plot, f'{swept.label} over the parameters of {self.name}'))

    @property
    def _title(self) -> str:
        return f'{self.name}, {self.sweep.duration:g} s'

    def _swept(self, metric: str | None) -> SweptCars:
        from racecar.analysis.fleet_sweep_report import SweptCars

        known = self.outcomes[0].figures[self.cars[0]]
        if metric is None:
            has_laps = any(figures.get('best_lap', Quantity('', None)).value is not None
                           for one in self.outcomes for figures in one.figures.values())
            metric = 'best_lap' if has_laps else 'mean_speed'
        if metric not in known:
            raise ConfigurationError(
                f"metric is {excerpt(metric)}, expected one of {', '.join(known)}"
                f'{suggestion(metric, known)}')
        return SweptCars(self.names, self.sweep.units, self.sweep.points, self.cars,
                         [one.figures for one in self.outcomes], metric)


class FleetSweepRun:
    """A sweep of several cars, ready to run once."""

    def __init__(self, name: str, sweep: FleetSweep, cores: Cores | Cluster) -> None:
        """name: for titles; cores: what runs the points."""
        self._name, self._sweep, self._cores = name, sweep, cores

    @property
    def simulated(self) -> float:
        """Simulated time of all points [s]."""
        return len(self._sweep.points) * self._sweep.duration

    def run(self, on_progress: Callable[[float], object] | None = None) -> FleetSweepResult:
        """Run all points; on_progress gets the simulated time that is done [s].

        Raises RacecarError naming the point that cannot be run, RunError for one that is lost.
        """
        sweep, count = self._sweep, len(self._sweep.points)
        found: dict[int, FleetOutcome] = {}
        for chunk in self._cores.run(FleetSweepTask(sweep), [(0, count)]):
            if isinstance(chunk, Lost):
                raise RunError(f'{sweep.name_of(chunk.first)}: {chunk.why}')
            for message in chunk.unmade.values():
                raise ConfigurationError(message)
            found |= dict(enumerate(chunk.outcomes, chunk.first))
            if on_progress is not None:
                on_progress(len(found) * sweep.duration)
        return result_of_cars(self._name, sweep, [found[number] for number in range(count)])


def cautions_of(sweep: FleetSweep) -> tuple[str, ...]:
    """What to know before a sweep runs; raises RacecarError if its first point cannot."""
    return FleetSimulation(sweep.configuration, sweep.options_at(0)).cautions


def result_of_cars(
    name: str, sweep: FleetSweep, outcomes: Sequence[FleetOutcome],
) -> FleetSweepResult:
    """Result of the outcomes of all points; name: for titles. None for figures that one lacks."""
    known = {car: {key: figure._replace(value=None) for one in outcomes
                   for key, figure in one.figures.get(car, {}).items()} for car in sweep.cars}
    whole = [one._replace(figures={
        car: {**known[car], **one.figures.get(car, {})} for car in sweep.cars})
        for one in outcomes]
    return FleetSweepResult(name, sweep, whole, tuple(_warnings(sweep, whole)))


def _warnings(sweep: FleetSweep, outcomes: Sequence[FleetOutcome]) -> Iterator[str]:
    for car in sweep.cars:
        still = [number for number, one in enumerate(outcomes) if one.faults[car]]
        if still:
            yield (f'{car} at {len(still)} of {len(outcomes)} points, the first'
                   f' ({sweep.describe(still[0])}): {outcomes[still[0]].faults[car]}')
