# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The whole loop of tracker, linearizer and simulator in one process, tick by tick."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from racecar.core.analysis.run_table import COLUMNS, RunTable
from racecar.core.compiled import COMPILED
from racecar.core.control.linearizer import Linearizer
from racecar.core.control.tracker import TrajectoryTracker
from racecar.core.errors import DivergenceError
from racecar.core.simulation import batch_kernels as rows
from racecar.core.simulation.batch import CHUNK
from racecar.core.simulation.batch_kernels import LANES
from racecar.core.simulation.block import Block, ClosedLoop, flat, kind_of, tick_count, tick_times
from racecar.core.simulation.simulator import Simulator
from racecar.core.types import AckermannCommand


def run_closed_loop(
        tracker: TrajectoryTracker, linearizer: Linearizer, simulator: Simulator,
        duration: float, on_tick: Callable[[int], object] | None = None) -> RunTable:
    """Run for the duration [s] from the simulator's present state.

    on_tick is called with the number of the tick, for a progress bar. The sequence per tick is
    that of the nodes in lockstep, so both give the same bits; where the compiled loop covers the
    three parts it runs instead, with the same bits again, and leaves them in the same state.
    Raises DivergenceError, also if compiled loop and simulator disagree on one.
    """
    loop = ClosedLoop(tracker, linearizer, simulator)
    ticks = tick_count(duration, simulator.period_ns)
    if COMPILED and loop.is_compilable:
        return _run_compiled(loop, ticks, on_tick)
    table = np.empty((ticks + 1, len(COLUMNS)))
    done = 0

    def on_row(row: tuple[float, ...]) -> None:
        nonlocal done
        table[done] = row
        if on_tick is not None:
            on_tick(done)
        done += 1

    loop.run(ticks, on_row)
    return RunTable(table, tracker.tracked_ahead)


def _run_compiled(
        loop: ClosedLoop, ticks: int, on_tick: Callable[[int], object] | None) -> RunTable:
    block = Block(kind_of(loop.simulator))
    block.add(0, loop)
    block.seal()
    times = tick_times(loop.simulator.period_ns, ticks)
    table = flat((ticks + 1) * len(COLUMNS))
    for first in range(0, ticks + 1, CHUNK):
        chunk = min(CHUNK, ticks + 1 - first)
        before = block.state.copy()
        block.run(times, first, chunk, ticks, records=table, every=1, samples=ticks + 1)
        diverged = int(block.row(rows.DIVERGED)[0])
        if diverged >= 0:
            # The laws went on to the end of the chunk; they must be where the parts would be.
            block.state[:] = before
            block.run(times, first, diverged - first + 1, diverged, records=table, every=1,
                      samples=ticks + 1)
            _restore(loop, block, diverged)
            answer = dict(zip(COLUMNS, table[diverged * len(COLUMNS):], strict=False))
            loop.simulator.set_command(AckermannCommand(
                float(answer['speed_command']), float(answer['steering_command'])))
            # Meets the same divergence and raises the error that describes it.
            loop.simulator.tick()
            raise DivergenceError(
                f'the compiled loop of {loop.simulator.model.description} diverged in tick'
                f' {diverged}, but the same tick of the simulator did not: they disagree, so there'
                ' is no result; please report this with the command that led to it')
        if on_tick is not None:
            for tick in range(first, first + chunk):
                on_tick(tick)
    _restore(loop, block, ticks)
    return RunTable(table.reshape(-1, len(COLUMNS)))


def _restore(loop: ClosedLoop, block: Block, ticks: int) -> None:
    """Leave the parts as `ticks` ticks of theirs would."""
    row = [float(value) for value in block.state[::LANES]]
    tracker, linearizer, simulator = loop
    simulator._state[:] = row[:5]
    simulator._steps = ticks * simulator.steps_per_tick
    simulator._travel = (row[rows.DISTANCE],)
    simulator._apply(type(simulator.command)(row[rows.SPEED_IN], row[rows.STEERING_IN]))
    tracker._start_ns = 0
    tracker._last_ns = ticks * simulator.period_ns
    tracker._origin = (row[rows.ORIGIN_X], row[rows.ORIGIN_Y])
    tracker._last_error = (row[rows.LAST_X], row[rows.LAST_Y])
    tracker._integral = (row[rows.INTEGRAL_X], row[rows.INTEGRAL_Y])
    tracker._derivative = (row[rows.DERIVATIVE_X], row[rows.DERIVATIVE_Y])
    linearizer._held_steering = row[rows.HELD_STEERING]
