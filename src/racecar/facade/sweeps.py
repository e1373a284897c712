# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many simulations over values of parameters: what `racecar sweep` and sweep() run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
import csv
from dataclasses import dataclass
from functools import cached_property
import math
import os
from pathlib import Path
from typing import Any, NamedTuple, overload, TYPE_CHECKING, TypedDict, Unpack
import warnings as python_warnings

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt, RunError
from racecar.base.extras import require
from racecar.base.notebook import numbers_table, page_part, value_text, warnings_list
from racecar.base.parameters import suggestion
from racecar.base.yaml_file import naming_file
from racecar.control.custom_controller import CONTROLLER, ControllerClass
from racecar.dynamics.vehicles.parameters import VEHICLE
from racecar.facade.arguments import (
    controller_of,
    plain,
    Settings,
    suggesting_names,
    Text,
    text_of,
    with_vehicle,
)
from racecar.facade.chunks import Cores, Lost
from racecar.facade.cluster import Cluster, open_cores
from racecar.facade.display import drawing
from racecar.facade.fleet_sweeps import cautions_of, FleetSweepResult, FleetSweepRun
from racecar.facade.run import data_frame
from racecar.facade.simulation import (
    Cars,
    cars_of,
    configuration_of,
    OnProgress,
    progress_bar,
)
from racecar.facade.sweep_parts import (
    batch_of,
    joined,
    Part,
    result_of,
    SweepTask,
    TRACKING,
)
from racecar.facade.vehicle import Vehicle
from racecar.metrics.effort import CONTROL_EFFORT
from racecar.metrics.quantities import length_text, Quantity, shown
from racecar.metrics.tracking_error import Array, Metrics
from racecar.simulation.batch_result import BatchResult
from racecar.stacks.fleet_sweep import CARS, make_fleet_sweep
from racecar.stacks.options import SET_ARGUMENT
from racecar.stacks.sweep import make_sweep, read_sweep, Sweep, WHAT

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    import pandas

MOST_JOBS = 1024
"""Cores that a sweep may be told to use."""

_SHOWN = 10
"""Points that a notebook shows, the best ones."""


class SweepPoint(NamedTuple):
    """One point of a sweep: its number, its parameters by name, and the metrics of its car."""

    point: int
    parameters: Mapping[str, Any]
    metrics: Metrics


@dataclass(frozen=True, eq=False, repr=False)
class SweepResult:
    """What the cars of a sweep did.

    name: for titles. names, units: of the varied parameters, a unit may be ''. points: one tuple
    of values each. result: metrics of all cars as arrays. warnings: of points that diverged, whose
    controller failed, or whose car cannot follow the reference.
    """

    name: str
    sweep: Sweep
    result: BatchResult
    warnings: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the varied parameters, as node.parameter."""
        return self.sweep.names

    def __len__(self) -> int:
        """Number of points."""
        return len(self.sweep.points)

    @property
    def has_diverged(self) -> NDArray[np.bool_]:
        """Whether the car of each point diverged, (n,)."""
        return ~np.isnan(self.result.diverged_at)

    def columns(self) -> dict[str, list[Any]]:
        """Parameters and metrics of all points by name, SI units.

        Metrics are NaN where no sample counts, laps too where the path is not closed,
        `collisions` None for a car that is in no world; `diverged_at` is the time of a divergence
        [s], NaN without one; `failure`, where a custom controller drives, what it said, or ''.
        """
        result = self.result
        found: dict[str, list[Any]] = {
            name: list(values) for name, values in zip(
                self.names, zip(*self.sweep.points, strict=True), strict=True)}
        found |= {name: getattr(result, name).tolist() for name in TRACKING}
        found['samples'] = [int(count) for count in result.samples]
        if result.path is not None:
            found |= {name: values.tolist() for name, values in result.path.columns().items()}
        laps = [None if one is None else one.as_dict() for one in result.laps]
        for name in next(filter(None, laps), {}):
            found[name] = [math.nan if one is None or one.get(name) is None else one[name]
                           for one in laps]
        if result.collisions is not None:
            found['collisions'] = [result.metrics(car).collisions for car in range(len(self))]
        if result.control_effort is not None:
            found[CONTROL_EFFORT] = result.control_effort.tolist()
        found['diverged_at'] = result.diverged_at.tolist()
        if self.sweep.controller is not None:
            found['failure'] = [result.failures.get(car, '') for car in range(len(self))]
        return found

    @cached_property
    def rows(self) -> NDArray[np.void]:
        """The columns as a structured array, (n,): `result.rows['rmse']`, `result.rows[0]`."""
        columns = {name: _as_array(values) for name, values in self.columns().items()}
        rows = np.empty(len(self), [(name, values.dtype) for name, values in columns.items()])
        for name, values in columns.items():
            rows[name] = values
        return rows

    def to_pandas(self) -> pandas.DataFrame:
        """The columns as a DataFrame. Raises ConfigurationError where pandas is not installed."""
        return data_frame(self.columns())

    @property
    def ranked(self) -> Array:
        """RMSE of each point (n,) [m]; infinite for one that diverged or has none."""
        rmse = self.result.rmse
        return np.where(self.has_diverged | np.isnan(rmse), np.inf, rmse)

    def best(self, metric: str = 'rmse') -> SweepPoint:
        """The point with the least value of a metric, among the cars that did not diverge.

        metric: a name among columns(). Raises ConfigurationError for one that is no metric,
        RunError if no car has a value.
        """
        columns = self.columns()
        known = [name for name in columns if name not in (*self.names, 'failure', 'diverged_at')]
        if metric not in known:
            raise ConfigurationError(
                f"metric is {excerpt(metric)}, expected one of {', '.join(known)}"
                f'{suggestion(str(metric), known)}')
        values = np.array([np.nan if value is None else value for value in columns[metric]],
                          dtype=float)
        values[self.has_diverged | np.isnan(values)] = np.inf
        best = int(np.argmin(values))
        if not np.isfinite(values[best]):
            raise RunError(
                f'no car of {len(self)} has a {metric}: all diverged or failed; `warnings` says'
                ' why')
        return self.point(best)

    def point(self, number: int) -> SweepPoint:
        """Parameters and metrics of the point of a number, counted from 0."""
        return SweepPoint(
            number, dict(zip(self.names, self.sweep.points[number], strict=True)),
            self.result.metrics(number))

    def plot(self) -> Figure:
        """Draw the RMSE over the parameters: lines, a map for a grid of two, or a panel each.

        A notebook shows the figure, `.savefig('sweep.png')` writes it. Raises ConfigurationError
        where matplotlib is not installed.
        """
        require('plot()', 'matplotlib')
        from racecar.analysis.sweep_figure import sweep_figure

        sweep = self.sweep
        return sweep_figure(
            f'{self.name}, {sweep.duration:g} s', sweep.names, sweep.points, self.result.rmse,
            self.has_diverged, units=sweep.units, is_grid=sweep.is_grid,
            failed=list(self.result.failures))

    def report(
        self, path: str | os.PathLike[str], source: Sequence[tuple[str, str]] = (),
    ) -> Path:
        """Write a report with figures that can be zoomed as one HTML file; its path.

        source: rows, name and text, that say how it was made. Raises ConfigurationError if it
        cannot be written.
        """
        from racecar.analysis.sweep_report import sweep_report, SweptPoints

        lost = self.has_diverged
        lost[list(self.result.failures)] = True
        metrics = {name: getattr(self.result, name) for name in TRACKING}
        if self.result.path is not None:
            metrics |= self.result.path.columns()
        file, sweep = Path(path), self.sweep
        sweep_report(
            f'{self.name}, {sweep.duration:g} s', SweptPoints(
                sweep.names, sweep.units, sweep.points, metrics, lost, sweep.is_grid),
            self.as_rows(), self.warnings, source).write(file)
        return file

    def write_csv(self, path: str | os.PathLike[str]) -> None:
        """Write one line per point, SI units; no value is an empty cell.

        path: of the file, which is replaced. Raises ConfigurationError if it cannot be written.
        """
        columns = self.columns()
        metrics = [columns[name] for name in columns if name not in self.names]
        try:
            with open(path, 'w', newline='', encoding='utf-8') as stream:
                writer = csv.writer(stream)
                writer.writerow(columns)
                for point, *values in zip(self.sweep.points, *metrics, strict=True):
                    writer.writerow((*point, *('' if value != value else value
                                               for value in values)))
        except OSError as error:
            raise ConfigurationError(
                f"table '{path}' cannot be written: {error.strerror}") from error

    def as_rows(self) -> list[tuple[str, str, str]]:
        """Figures of the sweep for people: (name, value, unit)."""
        ranked, result = self.ranked, self.result
        fine = np.sort(ranked[np.isfinite(ranked)])
        rows = [('cars', str(len(self)), ''), ('diverged', str(int(self.has_diverged.sum())), '')]
        if result.failures:
            rows.append(('failed', str(len(result.failures)), ''))
        if result.collisions is not None:
            rows.append(('collided', str(int(np.sum(result.collisions > 0.0))), ''))
        if fine.size:
            best = int(np.argmin(ranked))
            figures = (('best', fine[0]), ('median', np.median(fine)), ('worst', fine[-1]))
            rows += [Quantity(f'{which} RMSE', float(value), 'm').row()
                     for which, value in figures]
            name, value, unit = rows[-3]
            rows[-3] = name, value, f'{unit}  {self.sweep.describe(best)}'
            against_path = result.metrics(best).path
            if against_path is not None:
                rows += [(f'{name} of the best', value, unit)
                         for name, value, unit in against_path.as_rows()]
        return rows

    def __repr__(self) -> str:
        """Say how many points there are, and which is the best."""
        ranked = self.ranked
        best = int(np.argmin(ranked))
        found = f'; best RMSE {length_text(float(ranked[best]))} at {self.sweep.describe(best)}' \
            if np.isfinite(ranked[best]) else ''
        return (f"<SweepResult {self.name}: {len(self)} points of {', '.join(self.names)},"
                f' {int(self.has_diverged.sum())} diverged{found}>')

    def _repr_html_(self) -> str:
        """The best points and the plot for a notebook."""
        order = np.argsort(self.ranked, kind='stable')[:_SHOWN]
        columns, heads = [], []
        for name, values in (('RMSE', self.result.rmse), ('maximum error', self.result.max_error)):
            texts, unit = shown(values[order].tolist(), 'm')
            columns.append(texts)
            heads.append(f'{name} [{unit}]')
        rows = [[*(value_text(value) for value in self.sweep.points[point]), *texts]
                for point, *texts in zip(order, *columns, strict=True)]
        title = self.name if len(self) <= _SHOWN else \
            f'{self.name}: the best {_SHOWN} of {len(self)} points'
        return page_part(
            title,
            numbers_table((*self.names, *heads), rows,
                          numbers=range(len(self.names) + 2)) + warnings_list(self.warnings),
            drawing(self.plot, f'RMSE over the parameters of {self.name}'))


class SweepRun:
    """The cars of a sweep, ready to run once on some cores."""

    def __init__(
        self, name: str, sweep: Sweep, jobs: int | None = None,
        announce: Callable[[str], object] = lambda _: None,
        cluster: Cores | Cluster | None = None,
    ) -> None:
        """Build and compile all loops, unless a cluster does.

        name: for titles; jobs: cores, by default all; announce: is told how a controller of the
        user's own runs; cluster: runs the points in the place of the cores of this process. Raises
        RacecarError, naming the point, for what cannot be built.
        """
        self._name, self._sweep = name, sweep.part(0, len(sweep.points))
        self._announce = announce
        self._cluster = cluster if isinstance(cluster, Cluster) else None
        self._batch = None if self._cluster is not None else batch_of(
            self._sweep, jobs or len(os.sched_getaffinity(0)), announce)

    @property
    def simulated(self) -> float:
        """Simulated time of all cars [s]."""
        return len(self._sweep.points) * self._sweep.duration

    def run(self, on_progress: OnProgress | None = None) -> SweepResult:
        """Run all cars; on_progress gets the simulated time that is done [s].

        Cars that diverge are in the warnings of the result, as are custom controllers
        that fail at some points. Raises RunError if they fail at all points, and for points that
        a cluster has lost.
        """
        sweep = self._sweep

        def report(share: float) -> None:
            if on_progress is not None:
                on_progress(share * self.simulated)

        result = self._batch.run(
            sweep.duration, skip=sweep.skip, with_path=True, effort_within=sweep.effort_within,
            on_progress=report) \
            if self._batch is not None else self._gathered(report)
        return SweepResult(self._name, sweep, result, tuple(_warnings(sweep, result)))

    def _gathered(self, report: Callable[[float], object]) -> BatchResult:
        """Metrics of all points from the workers of the cluster."""
        assert self._cluster is not None
        count, parts = len(self._sweep.points), list[Part]()
        for found in self._cluster.run(
                SweepTask(self._sweep, with_laps=True), [(0, count)]):
            if isinstance(found, Lost):
                raise RunError(f'{self._sweep.name_of(found.first)}: {found.why}')
            for message in found.unmade.values():
                raise ConfigurationError(message)
            parts.append(found)
            report(sum(part.points for part in parts) / count)
        whole = joined(sorted(parts, key=lambda part: part.first))
        for text in whole.said:
            self._announce(text)
        self._sweep.outrun.update(whole.outrun)
        return result_of(whole)


def _warnings(sweep: Sweep, result: BatchResult) -> Iterator[str]:
    count = len(sweep.points)
    for point, message in list(result.failures.items())[:1]:
        text = (f'the controller fails at {len(result.failures)} of {count} points, the first'
                f' ({sweep.describe(point)}): {message}')
        if len(result.failures) == count:
            raise RunError(text)
        yield text
    for point, message in sorted(sweep.outrun.items())[:1]:
        yield (f'at {len(sweep.outrun)} of {count} points the car cannot follow the reference, the'
               f' first ({sweep.describe(point)}): {message}')
    diverged = ~np.isnan(result.diverged_at)
    if diverged.any():
        first = int(np.argmax(diverged))
        yield (f'{int(diverged.sum())} of {count} cars diverged, the first'
               f' ({sweep.describe(first)}) at {result.diverged_at[first]:.2f} s; their metrics'
               ' end there')


class SweepOptions(TypedDict, total=False):
    """Arguments of sweep() that mean the same for one car and for several."""

    grid: Mapping[str, Sequence[object] | NDArray[np.generic]] | None
    sample: Mapping[str, Mapping[str, Sequence[float] | NDArray[np.generic]]] | None
    count: int | None
    seed: int | None
    noise: Mapping[str, float] | None
    vehicle: Text | Vehicle | None
    trajectory: str | int | None
    waypoints: Text | None
    tyre_model: str | None
    world: Text | None
    params_file: Text | None
    set: Settings | None
    controller: Text | Callable[..., object] | None
    faults: str | None
    law: str | None
    flying_start: bool | None
    duration: float | None
    skip: float | None
    jobs: int | None
    scheduler: str | None
    progress: bool


@overload
def sweep(
    configuration: str = ..., file: Text | Mapping[str, object] | None = ..., *,
    cars: None = None, **options: Unpack[SweepOptions],
) -> SweepResult: ...


@overload
def sweep(
    configuration: str = ..., file: Text | Mapping[str, object] | None = ..., *,
    cars: Cars, **options: Unpack[SweepOptions],
) -> FleetSweepResult: ...


@suggesting_names
def sweep(
    configuration: str = 'kinematic_ode',
    file: Text | Mapping[str, object] | None = None, *,
    cars: Cars | None = None,
    grid: Mapping[str, Sequence[object] | NDArray[np.generic]] | None = None,
    sample: Mapping[str, Mapping[str, Sequence[float] | NDArray[np.generic]]] | None = None,
    count: int | None = None,
    seed: int | None = None,
    noise: Mapping[str, float] | None = None,
    vehicle: Text | Vehicle | None = None,
    trajectory: str | int | None = None,
    waypoints: Text | None = None,
    tyre_model: str | None = None,
    world: Text | None = None,
    params_file: Text | None = None,
    set: Settings | None = None,
    controller: Text | Callable[..., object] | None = None,
    faults: str | None = None,
    law: str | None = None,
    flying_start: bool | None = None,
    duration: float | None = None,
    skip: float | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: bool = False,
) -> SweepResult | FleetSweepResult:
    """Simulate a grid or a random sample of parameters on all cores, as `racecar sweep` does.

    - configuration: as of simulate().
    - file: sweep file, or a dictionary like one; the arguments below go over it.
    - cars: several cars in one world, as of simulate(); parameters of one are car/node.parameter,
      as 'red/gap_follower.speed', and there is neither noise nor what belongs to a reference.
    - grid: values by node.parameter, of which all combinations are simulated:
      {'trajectory_tracker.Kp': [2.0, 5.0, 10.0]}.
    - sample: distributions by node.parameter, from which points are drawn: {'vehicle.mass':
      {'normal': [5.7, 0.2]}}, or {'uniform': [lowest, highest]}.
    - count: number of points of a sample.
    - seed: of the sample and of the noise.
    - noise: standard deviations of white noise, by the fields of Noise.
    - vehicle: as of simulate(), like trajectory, waypoints, tyre_model, world, params_file, set,
      controller and law.
    - trajectory: shape of the reference.
    - waypoints: waypoints to follow in place of a trajectory.
    - tyre_model: linear, fiala, fiala_unsaturated or pacejka.
    - world: what stands around the car.
    - params_file: ROS parameter file that goes over those in config/.
    - set: values of any other parameters.
    - controller: in place of tracker and law; its settings are controller.NAME.
    - faults: what fails in all runs, as of simulate().
    - law: kinematic or dynamic, for a vehicle model.
    - flying_start: as of simulate().
    - duration: simulated time of each point [s]; default: 80.
    - skip: time at the start that metrics leave out [s]; default: 0.
    - jobs: cores to use; default: all.
    - scheduler: address of a Dask scheduler whose workers run the points, or 'local' for worker
      processes on this machine.
    - progress: whether to show a bar on stderr.

    Returns parameters and metrics of all points; with cars a FleetSweepResult, with the figures of
    each car. Raises RacecarError with a line that says which
    value is wrong, what was expected, and what to do. Cars that diverge, and controllers that fail
    at some points, are Python warnings.
    """
    request = request_of(configuration, file, {
        'cars': [*cars_of(cars)] or None, 'law': law, 'vehicle': vehicle, 'set': set,
        'controller': controller, 'grid': grid, 'sample': sample, 'count': count, 'seed': seed,
        'noise': noise,
        'trajectory': text_of('trajectory', trajectory),
        'waypoints': text_of('waypoints', waypoints), 'tyre_model': tyre_model,
        'world': text_of('world', world), 'params_file': text_of('params_file', params_file),
        'faults': text_of('faults', faults),
        'flying_start': flying_start, 'duration': duration, 'skip': skip})
    if request.content.get(CARS) is not None:
        return _sweep_of_cars(configuration, request, jobs, scheduler, shown=progress)
    with naming_file(WHAT, request.path):
        points = make_sweep(request.name, request.content, request.controller)
    check_jobs(jobs)
    title = configuration if request.path is None else Path(request.path).stem
    with open_cores(scheduler, jobs) as cores:
        made = SweepRun(title, points, jobs, cluster=cores)
        with progress_bar(made.simulated, shown=progress) as on_progress:
            result = made.run(on_progress)
    for text in result.warnings:
        python_warnings.warn(text, stacklevel=3)
    return result


def _sweep_of_cars(
    configuration: str, request: Request, jobs: int | None, scheduler: str | None, *, shown: bool,
) -> FleetSweepResult:
    with naming_file(WHAT, request.path):
        points = make_fleet_sweep(request.name, request.content)
    check_jobs(jobs)
    title = configuration if request.path is None else Path(request.path).stem
    cautions = cautions_of(points)
    with open_cores(scheduler, jobs) as cores:
        made = FleetSweepRun(title, points, cores)
        with progress_bar(made.simulated, shown=shown) as on_progress:
            result = made.run(on_progress)
    for text in (*cautions, *result.warnings):
        python_warnings.warn(text, stacklevel=4)
    return result


class Request(NamedTuple):
    """What arguments ask for: a configuration, and what a file would hold; path: of the file."""

    name: str
    content: dict[str, Any]
    controller: ControllerClass | None
    path: str | os.PathLike[str] | None


def request_of(
    configuration: str, file: Text | Mapping[str, object] | None, given: Mapping[str, Any],
) -> Request:
    """Arguments of sweep() or tune() over a file; given: those that are not None count.

    Raises ConfigurationError.
    """
    law, vehicle, settings, controller = (
        given[name] for name in ('law', VEHICLE, SET_ARGUMENT, CONTROLLER))
    name, of_configuration = configuration_of(configuration, law)
    path = file if isinstance(file, str | os.PathLike) else None
    if isinstance(file, Mapping):
        # What no file can hold.
        vehicle = file.get(VEHICLE) if vehicle is None else vehicle
        controller = file.get(CONTROLLER) if controller is None else controller
        file = {key: value for key, value in file.items() if key not in (VEHICLE, CONTROLLER)}
    content: dict[str, Any] = dict(_content(file))
    source, of_all = with_vehicle(vehicle, settings)
    chosen = controller_of(controller)
    content |= {key: plain(value) for key, value in {
        **given, VEHICLE: source, CONTROLLER: None if chosen is None else chosen.where,
    }.items() if value is not None and key not in ('law', SET_ARGUMENT)}
    together = {**of_configuration, **(content.get(SET_ARGUMENT) or {}), **plain(of_all)}
    if together:
        content[SET_ARGUMENT] = together
    return Request(name, content, chosen, path)


def check_jobs(jobs: int | None) -> None:
    """Raise ConfigurationError for a number of cores that cannot be."""
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int)
                             or not 1 <= jobs <= MOST_JOBS):
        raise ConfigurationError(
            f'jobs is {excerpt(jobs)}, expected a whole number from 1 to {MOST_JOBS}; leave it out'
            ' to use all cores')


def _content(file: Text | Mapping[str, object] | None) -> Mapping[str, object]:
    if file is None:
        return {}
    if isinstance(file, Mapping):
        found = plain(file)
        assert isinstance(found, dict)
        return found
    if not isinstance(file, str | os.PathLike):
        raise ConfigurationError(
            f'sweep file is {excerpt(file)}, expected a path or a dictionary')
    return read_sweep(Path(os.path.expanduser(os.fspath(file))))


def _as_array(values: Sequence[object]) -> NDArray[np.generic]:
    """A column of one type: numbers as such, anything else as objects."""
    for kind in (bool, int, float):
        allowed = (int, float) if kind is float else (kind,)
        if all(type(value) in allowed for value in values):
            return np.array(values, dtype=kind)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
