# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One run of a batch: what its threads share, and the metrics of all cars in the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
import contextlib
from dataclasses import astuple, replace
import math
import threading
from typing import NamedTuple

import numpy as np

from racecar.base.errors import ConfigurationError, DivergenceError, RunError
from racecar.base.types import NANOSECONDS
from racecar.base.vectors import vector
from racecar.metrics.effort import control_effort
from racecar.metrics.laps import lap_times, LapBatch, LapTimes
from racecar.metrics.path_batch import PathBatch, PathColumns, PathWindows
from racecar.metrics.run_table import COLUMNS, RunTable
from racecar.metrics.tracking_error import Array, Metrics
from racecar.simulation.batch_result import BatchResult, Noise
from racecar.simulation.block import Block, BlockRun, tick_times
from racecar.simulation.closed_loop import Loop, tick_count
from racecar.simulation.layout import pieces

CHUNK = 128
"""Ticks of a block that one call of a kernel runs."""

# Columns of a run: the first of BatchResult, in their order.
_SAMPLES, _DIVERGED_AT = 4, 6

# Rows of Block.scores.
_SCORES = 5


class RunOptions(NamedTuple):
    """Arguments of BatchSimulation.run(); every: its record_every."""

    duration: float
    skip: float = 0.0
    every: int = 0
    with_path: bool = False
    effort_within: Array | None = None
    on_progress: Callable[[float], object] | None = None
    laps: int = 0


class BatchRun:
    """Runs blocks, and loops by themselves, in any order and by several threads."""

    def __init__(
        self, blocks: Sequence[Block], others: Sequence[Loop], tracked_ahead: Array,
        noise: Noise | None, options: RunOptions,
    ) -> None:
        """Take all that is to run."""
        cars, duration, skip, every = len(tracked_ahead), *options[:3]
        periods = {block.kind.period_ns for block in blocks}
        periods |= {loop.simulator.period_ns for loop in others}
        self._ticks = {period: tick_count(duration, period) for period in periods}
        self._times = {period: tick_times(period, count) for period, count in self._ticks.items()}
        self._tracked_ahead = tracked_ahead
        self._noise = noise
        self._skip, self._every = skip, every
        samples = max((count // every + 1 for count in self._ticks.values()), default=0) \
            if every else 0
        self._records = np.full((cars, samples, len(COLUMNS)), np.nan) if samples else None
        self._columns = np.full((_DIVERGED_AT + 1, cars), np.nan)
        # Of cars side by side: Block.scores, and the period [ns].
        self._scores = np.full((_SCORES + 1, cars), np.nan)
        with_path = options.with_path
        self._path = PathColumns(*np.full((4, cars), np.nan)) if with_path else None
        self._most_laps = options.laps
        self._laps: list[LapTimes | None] = [None] * cars if with_path or options.laps else []
        self._windows = {period: PathWindows(times, skip) for period, times in self._times.items()
                         } if with_path else {}
        self._collisions = np.full(cars, np.nan)
        self._steering = options.effort_within
        self._effort = None if self._steering is None else np.full(cars, np.nan)
        self._failures: dict[int, str] = {}
        self._total = sum(block.count * self._ticks[block.kind.period_ns] for block in blocks) \
            + sum(self._ticks[loop.simulator.period_ns] for loop in others)
        self._done = 0
        self._on_progress = options.on_progress
        # One thread at a time counts and reports, so that the share reported never falls.
        self._counting = threading.Lock()
        # What is not compiled may be a user's code, which need not bear threads.
        self._in_turn = threading.Lock()
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Let all that runs end at its next chunk with CancelledError; there is no result then."""
        self._stopped.set()

    def _check_stopped(self) -> None:
        if self._stopped.is_set():
            raise CancelledError('the batch was stopped')

    def result(self) -> BatchResult:
        """Return the metrics of all cars, after all have run."""
        for period, times in self._times.items():
            of_period = self._scores[_SCORES] == period
            self._columns[:, of_period] = _columns(
                np.asarray(times), self._skip, self._scores[:_SCORES, of_period])
        for car in self._failures:
            self._columns[:, car] = np.nan
            if self._effort is not None:
                self._effort[car] = np.nan
            self._columns[_SAMPLES, car] = 0.0
            if self._records is not None:
                self._records[car] = np.nan
            if self._laps:
                self._laps[car] = None
            for column in self._path or ():
                column[car] = np.nan
        rmse, ise, total_squared, largest, counted, span, diverged_at = self._columns
        return BatchResult(
            rmse, ise, total_squared, largest, counted, span, diverged_at, self._tracked_ahead,
            self._records, self._path, self._laps,
            None if np.isnan(self._collisions).all() else self._collisions, self._effort,
            dict(sorted(self._failures.items())))

    def run_block(self, block: Block, reported: int = 0) -> None:
        """Run the cars of a block; reported: the tick up to which progress has been reported."""
        period = block.kind.period_ns
        ticks, times, count = self._ticks[period], self._times[period], block.count
        every = self._every if self._effort is None else 1
        samples = ticks // every + 1 if every else 0
        recorded = vector([math.nan] * (count * samples * len(COLUMNS)))
        paths = PathBatch(self._windows[period], count, CHUNK) if self._path is not None else None
        laps = LapBatch(block.courses) if self._laps else None
        whole = BlockRun(
            times, self._skip, every, recorded,
            None if self._noise is None else astuple(self._noise), paths, laps)
        most = min(CHUNK, block.most_ticks)
        for first, chunk in pieces(ticks + 1, most, block.changes):
            self._check_stopped()
            try:
                block.run(whole, first, chunk)
            except RunError as error:
                if not block.kind.control.is_foreign:
                    raise
                self._run_failed(block, str(error), max(first, reported))
                return
            if first >= reported:
                self._advance(count * min(chunk, ticks - first))
            if self._is_over(block, laps):
                self._advance(count * max(ticks - max(first + chunk, reported), 0))
                break
        for car, rows in zip(
                block.cars, np.reshape(recorded, (count, samples, len(COLUMNS))), strict=True):
            self._note_rows(car, rows, every)
        self._note_figures(block, paths, laps)

    def _note_figures(
        self, block: Block, paths: PathBatch | None, laps: LapBatch | None,
    ) -> None:
        """Take the figures of a block that was run."""
        self._scores[:_SCORES, block.cars] = block.scores
        self._scores[_SCORES, block.cars] = block.kind.period_ns
        if self._path is not None and paths is not None:
            for column, found in zip(self._path, paths.result(), strict=True):
                column[block.cars] = found
        if laps is not None:
            for lane, car in enumerate(block.cars):
                self._laps[car] = laps.result(lane)
        self._failures |= block.failures()

    def _is_over(self, block: Block, laps: LapBatch | None) -> bool:
        """Whether all cars of a block have completed the laps that are wanted."""
        return self._most_laps > 0 and laps is not None and block.has_completed(
            laps, self._most_laps)

    def _run_failed(self, block: Block, message: str, reported: int) -> None:
        """Note the failure of a car; of several run each anew, to find out whose it is."""
        if block.count > 1:
            for single in block.singles():
                self.run_block(single, reported)
            return
        self._failures[block.cars[0]] = message
        self._advance(self._ticks[block.kind.period_ns] - reported)

    def run_other(self, car: int, loop: Loop) -> None:
        """Run a loop by itself, which compiled ones do at a time, others in turns."""
        ticks = self._ticks[loop.simulator.period_ns]
        try:
            with contextlib.nullcontext() if loop.is_compilable else self._in_turn:
                metrics = self._run_alone(car, loop, ticks)
        except RunError as error:
            self._failures[car], metrics = str(error), None
        collisions = loop.simulator.collisions
        if collisions is not None:
            self._collisions[car] = collisions.contacts
        if metrics is None:
            self._columns[_SAMPLES, car] = 0.0
        else:
            self._columns[:_DIVERGED_AT, car] = (
                metrics.rmse, metrics.ise, metrics.sum_squared_error, metrics.max_error,
                metrics.samples, metrics.duration)
            if self._path is not None and metrics.path is not None:
                self._path.put(car, metrics.path)
            if self._laps:
                self._laps[car] = metrics.laps
        self._advance(ticks)

    def _run_alone(self, car: int, loop: Loop, ticks: int) -> Metrics | None:
        """Run a loop by itself; return its metrics, None without a sample."""
        parts: list[Array] = []

        def keep(rows: Array) -> None:
            self._check_stopped()
            parts.append(rows)

        self._check_stopped()
        try:
            loop.run(ticks, keep)
        except DivergenceError:
            self._columns[_DIVERGED_AT, car] = loop.simulator.time_ns / NANOSECONDS
        table = RunTable(np.concatenate(parts), loop.tracker.tracked_ahead)
        self._note_rows(car, table.rows)
        try:
            metrics = table.metrics(self._skip, with_path=self._path is not None)
        except ConfigurationError:
            return None
        if not self._laps:
            return metrics
        track = table.track()
        return replace(metrics, laps=lap_times(
            loop.tracker.course(), track.t, track.x, track.y))

    def _note_rows(self, car: int, rows: Array, every: int = 1) -> None:
        """Take what is wanted from the rows of a car, each of so many ticks."""
        if self._records is not None:
            kept = rows[::self._every // every]
            self._records[car, :len(kept)] = kept
        if self._effort is None or self._steering is None:
            return
        times, steering = (
            rows[:, COLUMNS.index(name)] for name in ('time', 'steering_command'))
        counts = times >= self._skip
        if counts.any():
            self._effort[car] = control_effort(
                times[counts], np.clip(steering[counts], *self._steering[car]))

    def _advance(self, amount: int) -> None:
        with self._counting:
            self._done += amount
            if self._on_progress is not None:
                self._on_progress(self._done / self._total)


def _columns(times: Array, skip: float, scores: Array) -> Array:
    """Columns of a run from Block.scores; times: of the ticks [s]."""
    diverged, counted, total, ise, largest = scores
    first = min(int(np.searchsorted(times, skip)), len(times) - 1)
    last = first + np.maximum(counted.astype(int) - 1, 0)
    nothing = np.where(counted > 0.0, 1.0, np.nan)
    return np.array([
        np.sqrt(total / np.maximum(counted, 1.0)) * nothing, ise * nothing, total * nothing,
        np.sqrt(largest) * nothing, counted, (times[last] - times[first]) * nothing,
        np.where(diverged >= 0.0, times[diverged.astype(int)], np.nan)])
