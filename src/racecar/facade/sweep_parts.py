# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps in parts: what the cars of some points did."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
import time
from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array
from racecar.base.errors import RacecarError
from racecar.base.types import NANOSECONDS
from racecar.base.values import number_of
from racecar.control.custom_driver import how_it_runs
from racecar.metrics.effort import CONTROL_EFFORT
from racecar.metrics.laps import lap_columns, LAP_UNITS, LapTimes
from racecar.metrics.path_batch import PathColumns
from racecar.metrics.run_table import COLUMNS
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.batch_result import BatchResult
from racecar.simulation.block import Fleet
from racecar.simulation.closed_loop import tick_count
from racecar.simulation.layout import LANES
from racecar.stacks.campaign import END_UNITS
from racecar.stacks.sweep import Sweep

TRACKING = ('rmse', 'ise', 'sum_squared_error', 'max_error', 'samples', 'duration')
"""Metrics of a car that are fields of BatchResult."""

METRICS = (*TRACKING, *PathColumns._fields, *LAP_UNITS, 'tracked_ahead', 'collisions',
           CONTROL_EFFORT, 'diverged_at')
"""What a part has of each point."""

UNITS = {
    'rmse': 'm', 'ise': 'm^2 s', 'sum_squared_error': 'm^2', 'max_error': 'm', 'samples': '',
    'duration': 's', 'cross_track_rmse': 'm', 'max_cross_track_error': 'm', 'heading_rmse': 'rad',
    'speed_rmse': 'm/s', **LAP_UNITS, 'tracked_ahead': 'm', 'collisions': '',
    'diverged_at': 's'}
"""Columns of a row beside point, parameters, failure and warning, and their units."""


class Part(NamedTuple):
    """What the cars of some points of a sweep did.

    first: number of the first. metrics: by name, (n,) in SI units, NaN for what there is not.
    failures: of custom controllers, unmade: of points that contradict themselves, outrun: of
    references that cars cannot follow, messages by the number of the point. seconds: what it took;
    said: how a custom controller runs; laps: of each car one by one, empty if nobody asked.
    """

    first: int
    metrics: Mapping[str, Array]
    failures: Mapping[int, str]
    unmade: Mapping[int, str]
    outrun: Mapping[int, str]
    seconds: float = 0.0
    said: tuple[str, ...] = ()
    laps: tuple[LapTimes | None, ...] = ()

    @property
    def points(self) -> int:
        """How many there are."""
        return len(self.metrics['rmse'])


def units_of(sweep: Sweep) -> Mapping[str, str]:
    """UNITS, and those of what only a campaign has."""
    return {**UNITS, **(END_UNITS if sweep.survived else {})}


def batch_of(
    sweep: Sweep, threads: int, announce: Callable[[str], object] | None = None,
) -> BatchSimulation:
    """Cars of all points of a sweep, or of a part with the noise that they have in the whole.

    announce: is told how a custom controller runs. Raises RacecarError, naming the point, for what
    cannot be built.
    """
    generator = None
    if sweep.noise is not None:
        bits = np.random.PCG64((sweep.seed, 1))
        # Each car draws two words of 32 bits.
        generator = np.random.Generator(bits.advance(sweep.first))
    return BatchSimulation(
        fleets=_fleets(sweep, announce), noise=sweep.noise, generator=generator, threads=threads,
        block_size=min(LANES, -(-len(sweep.points) // threads)))


def _fleets(sweep: Sweep, announce: Callable[[str], object] | None) -> Iterator[Fleet]:
    """Build the cars of all points; say once how a custom controller runs."""
    controller = sweep.controller
    if controller is None:
        return sweep.fleets()
    said: set[str] = set()

    def tell(why_plain: str) -> None:
        if announce is not None and why_plain not in said:
            said.add(why_plain)
            announce(how_it_runs(controller.where, why_plain))

    return sweep.custom_fleets(tell)


def run_part(
    sweep: Sweep, first: int, count: int, threads: int = 1, *, with_laps: bool = False,
) -> Part:
    """Run some points of a sweep; those that cannot be built do not keep the others from it."""
    begin = time.perf_counter()
    said: list[str] = []
    part = sweep.part(first, count)
    try:
        result = batch_of(part, threads, said.append).run(
            part.duration, skip=part.skip, record_every=_last_tick(part) if part.survived else 0,
            with_path=True, effort_within=part.effort_within)
    except RacecarError as error:
        if count == 1:
            nothing = {name: np.full(1, np.nan)
                       for name in (*METRICS, *(END_UNITS if sweep.survived else ()))}
            nothing['samples'] = np.zeros(1)
            return Part(first, nothing, {}, {first: str(error)}, {})
        half = count // 2
        return joined([run_part(sweep, first, half, threads, with_laps=with_laps),
                       run_part(sweep, first + half, count - half, threads, with_laps=with_laps)])
    assert result.path is not None
    found = vars(result) | result.path.columns() | lap_columns(result.laps, count)
    for name in ('collisions', CONTROL_EFFORT):
        if found[name] is None:
            found[name] = np.full(count, np.nan)
    failures, outrun = ({first + point: text for point, text in messages.items()}
                        for messages in (result.failures, part.outrun))
    metrics = {name: found[name] for name in METRICS}
    if part.survived:
        metrics |= _at_the_end(result)
    return Part(first, metrics, failures, {}, outrun,
                time.perf_counter() - begin, tuple(said),
                tuple(result.laps) if with_laps else ())


def _last_tick(sweep: Sweep) -> int:
    """Number of the last tick of the cars of a sweep, which have one rate."""
    rate = number_of(sweep.base[sweep.stack.simulator], 'rate')
    return tick_count(sweep.duration, round(NANOSECONDS / rate))


def _at_the_end(result: BatchResult) -> dict[str, Array]:
    """Metrics of END_UNITS, NaN for cars that diverged; of the last row of each."""
    assert result.records is not None
    rows = dict(zip(COLUMNS, result.records[:, -1].T, strict=True))
    ahead = result.tracked_ahead
    return {
        'final_error': np.hypot(
            rows['x'] + ahead * np.cos(rows['yaw']) - rows['x_reference'],
            rows['y'] + ahead * np.sin(rows['yaw']) - rows['y_reference']),
        'final_speed': np.hypot(rows['vx'], rows['vy'])}


class SweepTask(NamedTuple):
    """The points of a sweep as a task; with_laps: whether the parts have the laps one by one."""

    sweep: Sweep
    with_laps: bool = False

    @property
    def files(self) -> Mapping[str, str]:
        """Files that the cars are made of, with their hashes."""
        return self.sweep.run_file('').files

    @property
    def is_heavy(self) -> bool:
        """No: cars run side by side."""
        return False

    def run(self, first: int, count: int, threads: int) -> Part:
        """Run some points; never raises for what is wrong with single ones."""
        return run_part(self.sweep, first, count, threads, with_laps=self.with_laps)


def joined(parts: Sequence[Part]) -> Part:
    """Parts in the order of their points, which leave none out, as one."""
    failures, unmade, outrun = (
        {point: text for messages in of_kind for point, text in messages.items()}
        for of_kind in zip(*((part.failures, part.unmade, part.outrun) for part in parts),
                           strict=True))
    return Part(
        parts[0].first,
        {name: np.concatenate([part.metrics[name] for part in parts])
         for name in parts[0].metrics},
        failures, unmade, outrun, sum(part.seconds for part in parts),
        tuple(dict.fromkeys(text for part in parts for text in part.said)),
        tuple(lap for part in parts for lap in part.laps or [None] * part.points)
        if any(part.laps for part in parts) else ())


def result_of(part: Part) -> BatchResult:
    """The metrics of a part as of a batch."""
    metrics = part.metrics
    collisions, effort = (
        None if np.isnan(metrics[name]).all() else metrics[name]
        for name in ('collisions', CONTROL_EFFORT))
    rmse, ise, total, largest, samples, span = (metrics[name] for name in TRACKING)
    return BatchResult(
        rmse, ise, total, largest, samples, span, metrics['diverged_at'],
        metrics['tracked_ahead'],
        path=PathColumns(*(metrics[name] for name in PathColumns._fields)), laps=part.laps,
        collisions=collisions, control_effort=effort, failures=part.failures)
