# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many closed loops at once: each car with its own vehicle, tyre, trajectory, gains and noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
import contextlib
from dataclasses import astuple, dataclass, field, fields
import itertools
import math
import os
import threading
from typing import Any

import numpy as np

from racecar.core.analysis.metrics import Array, Metrics
from racecar.core.analysis.path_batch import (
    PathBatch,
    PathColumns,
    PathWindows,
    warm_up_path_metrics,
)
from racecar.core.analysis.run_table import COLUMNS, RunTable
from racecar.core.compiled import COMPILED
from racecar.core.errors import ConfigurationError, DivergenceError, RunError
from racecar.core.packing import vector
from racecar.core.simulation import batch_kernels as rows
from racecar.core.simulation.batch_kernels import (
    LANES,
    NOISE_CHANNELS,
)
from racecar.core.simulation.block import Block, Kind, kind_of, tick_times
from racecar.core.simulation.closed_loop import Loop, tick_count
from racecar.core.types import NANOSECONDS

CHUNK = 64
"""Ticks of a block that one call of a kernel runs."""

# Columns of a run: the first of BatchResult, in their order.
_SAMPLES, _DIVERGED_AT = 4, 6

@dataclass(frozen=True)
class Noise:
    """Standard deviations of white noise, drawn anew at each tick.

    Measured: x, y [m], yaw [rad], vx, vy [m/s], yaw_rate [rad/s], added to the odometry that the
    control laws see. Of the motion: lateral, added to the lateral state (vy or beta), and turning,
    added to the yaw rate, per square root of a second [m/s/sqrt(s) or rad/sqrt(s), rad/s/sqrt(s)].
    """

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    yaw_rate: float = 0.0
    lateral: float = 0.0
    turning: float = 0.0

    def __post_init__(self) -> None:
        for row in fields(self):
            value = getattr(self, row.name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ConfigurationError(
                    f"noise '{row.name}' is {value!r}, expected a number of at least 0")


@dataclass(frozen=True, eq=False)
class BatchResult:
    """Metrics of n cars, SI units as in Metrics, each (n,); NaN where no sample counts.

    diverged_at: time up to which a car that diverged was simulated [s], NaN for the others, whose
    metrics cover the whole run. tracked_ahead: as in RunTable [m]. records:
    (n, samples, len(COLUMNS)), NaN after a divergence, or None where nothing was recorded. path:
    errors against the path of the reference, of the time before a divergence too; None if they
    were not asked for. collisions: contacts of cars that drive in a world, NaN for others; None if
    there are none in a world. failures: of cars whose controller of one's own failed, by number,
    what it says; their metrics are NaN.
    """

    rmse: Array
    ise: Array
    sum_squared_error: Array
    max_error: Array
    samples: Array
    duration: Array
    diverged_at: Array
    tracked_ahead: Array
    records: Array | None = None
    path: PathColumns | None = None
    collisions: Array | None = None
    failures: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rmse)

    def metrics(self, car: int) -> Metrics:
        """Return the metrics of one car, of the time before it diverged if it did."""
        return Metrics(
            float(self.rmse[car]), float(self.ise[car]), float(self.sum_squared_error[car]),
            float(self.max_error[car]), int(self.samples[car]), float(self.duration[car]),
            None if self.path is None else self.path.metrics(car), self._collisions_of(car))

    def _collisions_of(self, car: int) -> int | None:
        counted = None if self.collisions is None else self.collisions[car]
        return None if counted is None or np.isnan(counted) else int(counted)

    def table(self, car: int) -> RunTable:
        """Return the recorded rows of one car. Raises ConfigurationError if there are none."""
        if self.records is None:
            raise ConfigurationError('nothing was recorded; run with record_every of at least 1')
        recorded = self.records[car]
        return RunTable(
            recorded[~np.isnan(recorded[:, 0])], float(self.tracked_ahead[car]))


class BatchSimulation:
    """Closed loops of any kind and number, run side by side by compiled kernels on all cores.

    The cars do not know of each other. A car gives the same bits as alone, whatever the others
    and however many threads. Cars whose model has a SplitDerivative, with actuators or without,
    run side by side, each kind in blocks of its own; others run one by one, several times slower,
    and those that do not run compiled in turns, as threads do not help Python.
    """

    def __init__(
        self, loops: Iterable[Loop], *, noise: Noise | None = None,
        generator: np.random.Generator | None = None, threads: int | None = None,
        block_size: int = LANES,
    ) -> None:
        """Pack the loops; their objects are not kept, so they may be made one by one.

        noise: of all cars, drawn for each from a stream of its own that `generator` seeds.
        threads: how many cores to use, by default all that this process may use. block_size: cars
        that one thread takes at a time, up to LANES; fewer spread a small batch over the cores.
        Raises ConfigurationError if noise lacks a generator, and for a loop that does not run side
        by side with others if noise is asked for or it shares a part with another such loop.
        """
        if (noise is None) != (generator is None):
            raise ConfigurationError('noise needs a generator, and a generator needs noise')
        if threads is not None and threads < 1:
            raise ConfigurationError(f'threads is {threads}, expected at least 1')
        if not 1 <= block_size <= LANES:
            raise ConfigurationError(f'block_size is {block_size}, expected 1 to {LANES}')
        self._threads = threads or len(os.sched_getaffinity(0))
        self._blocks: list[Block] = []
        self._others: list[tuple[int, Loop]] = []
        open_blocks: dict[Kind, Block] = {}
        # Parts of cars that run one by one, which their runs change.
        taken: set[int] = set()
        self._count = 0
        tracked_ahead: list[float] = []
        for loop in loops:
            kind = kind_of(loop)
            tracked_ahead.append(loop.tracker.tracked_ahead)
            if kind is not None:
                block = open_blocks.get(kind)
                if block is None or block.count == block_size:
                    block = open_blocks[kind] = Block(kind)
                    self._blocks.append(block)
                block.add(self._count, loop)
            elif noise is not None:
                raise ConfigurationError(
                    f'noise is not available for {loop.simulator.description} with'
                    f' {_driver(loop)}: such cars do not run side by side')
            elif not taken.isdisjoint(map(id, _parts(loop))):
                raise ConfigurationError(
                    f'loop {self._count} shares its tracker, linearizer or simulator with another;'
                    f' {loop.simulator.description} with {_driver(loop)} does not run side'
                    ' by side: make new parts for each loop')
            else:
                self._others.append((self._count, loop))
                taken.update(map(id, _parts(loop)))
            self._count += 1
        # What compiles, threads could only do one after the other.
        for block in self._blocks:
            block.seal()
            block.run(vector(1), 0, 0, 0)
        warm_up_path_metrics()
        self._tracked_ahead = np.array(tracked_ahead)
        self._noise = noise
        self._seeds: Any = [] if generator is None else generator.integers(
            0, 2**63, size=(self._count, 2), dtype=np.uint64)
        self._done = False

    def __len__(self) -> int:
        return self._count

    def run(
        self, duration: float, *, skip: float = 0.0, record_every: int = 0,
        with_path: bool = False, on_progress: Callable[[float], object] | None = None,
    ) -> BatchResult:
        """Run all cars for a duration [s] and return their metrics.

        skip: time at the start that the metrics leave out [s]; record_every: record one of so many
        ticks, none by default; with_path: whether the metrics against the path are wanted, which
        take somewhat longer than all else; on_progress is called with the share done, 0 to 1.
        Raises ConfigurationError if it is called twice or an argument is out of range.
        """
        if self._done:
            raise ConfigurationError('a batch runs once; make a new one to run again')
        if not (math.isfinite(duration) and duration > 0.0 and skip >= 0.0 and record_every >= 0):
            raise ConfigurationError(
                f'duration {duration!r} s, skip {skip!r} s, record_every {record_every!r}:'
                ' expected a positive duration, the others at least 0')
        self._done = True
        periods = {block.kind.period_ns for block in self._blocks}
        periods |= {loop.simulator.period_ns for _, loop in self._others}
        ticks = {period: tick_count(duration, period) for period in periods}
        times = {period: tick_times(period, count) for period, count in ticks.items()}
        samples = max((count // record_every + 1 for count in ticks.values()), default=0) \
            if record_every else 0
        records = np.full((self._count, samples, len(COLUMNS)), np.nan) if samples else None
        columns = np.full((_DIVERGED_AT + 1, self._count), np.nan)
        path = PathColumns(*np.full((4, self._count), np.nan)) if with_path else None
        collisions = np.full(self._count, np.nan)
        windows = {period: PathWindows(stamps, skip) for period, stamps in times.items()} \
            if with_path else {}
        total = sum(block.count * ticks[block.kind.period_ns] for block in self._blocks) + sum(
            ticks[loop.simulator.period_ns] for _, loop in self._others)
        done = 0
        # One thread at a time counts and tells, so that the share told never falls.
        counting = threading.Lock()
        # What is not compiled may be a user's code, which need not bear threads.
        in_turn = threading.Lock()
        failures: dict[int, str] = {}

        def advance(amount: int) -> None:
            nonlocal done
            with counting:
                done += amount
                if on_progress is not None:
                    on_progress(done / total)

        def run_block(block: Block) -> None:
            period = block.kind.period_ns
            paths = PathBatch(windows[period], block.count, CHUNK) if with_path else None
            columns[:, block.cars] = self._run_block(
                block, times[period], ticks[period], skip, record_every, records, paths, advance)
            if path is not None and paths is not None:
                for column, found in zip(path, paths.result(), strict=True):
                    column[block.cars] = found

        def run_other(numbered: tuple[int, Loop]) -> None:
            car, loop = numbered
            period = loop.simulator.period_ns
            try:
                with contextlib.nullcontext() if loop.is_compilable else in_turn:
                    metrics, columns[_DIVERGED_AT, car] = _run_other(
                        car, loop, ticks[period], skip, record_every, records,
                        with_path=with_path)
            except RunError as error:
                failures[car], metrics = str(error), None
            if loop.simulator.collisions is not None:
                collisions[car] = loop.simulator.collisions.contacts
            if metrics is None:
                columns[_SAMPLES, car] = 0.0
            else:
                columns[:_DIVERGED_AT, car] = (
                    metrics.rmse, metrics.ise, metrics.sum_squared_error, metrics.max_error,
                    metrics.samples, metrics.duration)
                if path is not None and metrics.path is not None:
                    path.put(car, metrics.path)
            advance(ticks[period])

        # The plain Python path holds the interpreter, so threads would not help it.
        with ThreadPoolExecutor(self._threads if COMPILED else 1) as pool:
            for _ in itertools.chain(
                    pool.map(run_block, self._blocks), pool.map(run_other, self._others)):
                pass
        rmse, ise, total_squared, largest, counted, span, diverged_at = columns
        return BatchResult(
            rmse, ise, total_squared, largest, counted, span, diverged_at, self._tracked_ahead,
            records, path, None if np.isnan(collisions).all() else collisions,
            dict(sorted(failures.items())))

    def _run_block(
        self, block: Block, times: Any, ticks: int, skip: float, every: int,
        records: Array | None, paths: PathBatch | None, advance: Callable[[int], None],
    ) -> Array:
        count = block.count
        samples = ticks // every + 1 if every else 0
        recorded = vector(count * samples * len(COLUMNS))
        recorded[:] = vector([math.nan] * len(recorded))
        streams = [np.random.Generator(np.random.SFC64(self._seeds[car])) for car in block.cars] \
            if self._noise is not None else []
        deviations = vector(astuple(self._noise)) if self._noise is not None else None
        for first in range(0, ticks + 1, CHUNK):
            chunk = min(CHUNK, ticks + 1 - first)
            noise = None
            if streams:
                drawn = np.empty((chunk, count, NOISE_CHANNELS))
                for lane, stream in enumerate(streams):
                    drawn[:, lane] = stream.standard_normal((chunk, NOISE_CHANNELS))
                noise = drawn.ravel() if COMPILED else drawn.ravel().tolist()
            block.run(times, first, chunk, ticks, skip=skip, records=recorded, every=every,
                      samples=samples, noise=noise, deviations=deviations, paths=paths)
            advance(count * min(chunk, ticks - first))
        if records is not None:
            records[block.cars, :samples] = np.reshape(recorded, (count, samples, len(COLUMNS)))
        period = block.kind.period_ns / NANOSECONDS
        counted = block.row(rows.SAMPLES)
        nothing = np.where(counted > 0.0, 1.0, np.nan)
        total = block.row(rows.SUM_SQUARED)
        diverged = block.row(rows.DIVERGED)
        return np.array([
            np.sqrt(total / np.maximum(counted, 1.0)) * nothing, block.row(rows.ISE) * nothing,
            total * nothing, np.sqrt(block.row(rows.MAX_SQUARED)) * nothing, counted,
            np.maximum(counted - 1.0, 0.0) * period * nothing,
            np.where(diverged >= 0.0, diverged * period, np.nan)])


def _parts(loop: Loop) -> list[object]:
    """Return what a run of the loop changes."""
    parts = (loop.tracker, loop.linearizer, loop.simulator)
    return [part for part in parts if part is not None]


def _driver(loop: Loop) -> str:
    return "a controller of one's own" if loop.linearizer is None \
        else type(loop.linearizer).__name__


def _run_other(
    car: int, loop: Loop, ticks: int, skip: float, every: int, records: Array | None, *,
    with_path: bool,
) -> tuple[Metrics | None, float]:
    """Run a loop by itself; return its metrics, None without a sample, and diverged_at [s]."""
    parts: list[Array] = []
    diverged_at = math.nan
    try:
        loop.run(ticks, parts.append)
    except DivergenceError:
        diverged_at = loop.simulator.time_ns / NANOSECONDS
    table = RunTable(np.concatenate(parts), loop.tracker.tracked_ahead)
    if records is not None:
        kept = table.rows[::every]
        records[car, :len(kept)] = kept
    try:
        return table.metrics(skip, with_path=with_path), diverged_at
    except ConfigurationError:
        return None, diverged_at
