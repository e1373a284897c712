# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many closed loops at once: each car with its own vehicle, tyre, trajectory, gains and noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
import itertools
import math
import os

import numpy as np

from racecar.base.columns import Array
from racecar.base.compiled import has_compiler
from racecar.base.errors import ConfigurationError
from racecar.base.random_numbers import WORD
from racecar.base.vectors import vector
from racecar.metrics.path_batch import warm_up_path_metrics
from racecar.simulation.batch_result import BatchResult, Noise
from racecar.simulation.batch_run import BatchRun, RunOptions
from racecar.simulation.block import Block, BlockRun, Fleet, Kind
from racecar.simulation.closed_loop import Loop
from racecar.simulation.layout import LANES


class BatchSimulation:
    """Closed loops of any kind and number, run side by side by compiled kernels on all cores.

    The cars do not know of each other. A car gives the same bits as alone, whatever the others
    and however many threads. Cars and differential-drive robots whose loop has a lane run side by
    side, each kind in blocks of its own; others run one by one, several times slower, and those
    that do not run compiled in turns, as threads do not help Python.
    """

    def __init__(
        self, loops: Iterable[Loop] = (), *, fleets: Iterable[Fleet] = (),
        noise: Noise | None = None,
        generator: np.random.Generator | None = None, threads: int | None = None,
        block_size: int = LANES,
    ) -> None:
        """Pack the loops; their objects are not kept, so they may be made one by one.

        fleets: more cars, numbered by themselves; those of all together are 0, 1, 2 and so on.
        noise: of all cars, for each by a key of its own that `generator` draws.
        threads: how many cores to use, by default all that this process may use. block_size: cars
        that one thread takes at a time, up to LANES; fewer spread a small batch over the cores.
        Raises ConfigurationError if noise lacks a generator, and for a loop that does not run side
        by side with others if noise is asked for or it shares a part with another such loop; also
        for noise of a motion that the model of a car has no state for.
        """
        if (noise is None) != (generator is None):
            raise ConfigurationError('noise needs a generator, and a generator needs noise')
        if threads is not None and threads < 1:
            raise ConfigurationError(f'threads is {threads}, expected at least 1')
        if not 1 <= block_size <= LANES:
            raise ConfigurationError(f'block_size is {block_size}, expected 1 to {LANES}')
        self._threads = threads or len(os.sched_getaffinity(0))
        self._noise = noise
        self._block_size = block_size
        self._blocks: list[Block] = []
        self._others: list[tuple[int, Loop]] = []
        self._open: dict[Kind, Block] = {}
        # Parts of cars that run one by one, which their runs change.
        self._taken: set[int] = set()
        tracked_ahead: dict[int, float] = {}
        alone = (Fleet(loop, (car,)) for car, loop in enumerate(loops))
        for fleet in itertools.chain(alone, fleets):
            tracked_ahead |= dict.fromkeys(fleet.cars, fleet.loop.tracker.tracked_ahead)
            kind = fleet.kind
            if kind is None:
                self._add_other(fleet.cars[0], fleet.loop)
            else:
                self._add_to_blocks(fleet, kind)
        self._count = len(tracked_ahead)
        # What compiles, threads could only do one after the other.
        keys = None if generator is None else generator.integers(0, WORD, size=(self._count, 2))
        for block in self._blocks:
            if keys is not None and noise is not None:
                block.check_noise(noise)
                block.draw_by(keys[block.cars])
            block.seal()
            block.run(BlockRun(vector(1)), 0, 0)
        for car, loop in self._others:
            if keys is not None and noise is not None:
                loop.disturb(noise, (int(keys[car, 0]), int(keys[car, 1])))
            loop.warm_up()
        warm_up_path_metrics()
        self._tracked_ahead = np.array([tracked_ahead[car] for car in range(self._count)])
        self._done = False

    def _add_to_blocks(self, fleet: Fleet, kind: Kind) -> None:
        """Take in cars that run side by side."""
        done = 0
        while done < len(fleet.cars):
            block = self._open.get(kind)
            if block is None or block.count == self._block_size:
                block = self._open[kind] = Block(kind)
                self._blocks.append(block)
            room = self._block_size - block.count
            block.add(fleet.part(done, room))
            done += room

    def _add_other(self, car: int, loop: Loop) -> None:
        """Take in a car that runs by itself."""
        if self._noise is not None and not loop.disturb(self._noise, (0, 0)):
            why = 'such cars do not run side by side' if loop.lane is not None \
                else 'it does not run compiled'
            raise ConfigurationError(
                f'noise is not available for {loop.simulator.description} with'
                f' {_driver(loop)}: {why}; leave out the noise')
        if not self._taken.isdisjoint(map(id, _parts(loop))):
            raise ConfigurationError(
                f'loop {car} shares its tracker, linearizer or simulator with another;'
                f' {loop.simulator.description} with {_driver(loop)} does not run side by side:'
                ' make new parts for each loop')
        self._others.append((car, loop))
        self._taken.update(map(id, _parts(loop)))

    def __len__(self) -> int:
        return self._count

    def run(
        self, duration: float, *, skip: float = 0.0, record_every: int = 0,
        with_path: bool = False, effort_within: Array | None = None,
        on_progress: Callable[[float], object] | None = None, laps: int = 0,
    ) -> BatchResult:
        """Run all cars for a duration [s] and return their metrics.

        skip: time at the start that the metrics leave out [s]; record_every: record one of so many
        ticks, none by default; with_path: whether the metrics against the path are wanted, which
        take somewhat longer than all else; effort_within: lowest and highest steering angle (n, 2)
        [rad], if the control effort of the commands within them is wanted, for which all ticks of
        a block are recorded; on_progress is called with the share done, 0 to 1; laps: how many are
        wanted of each car: they are timed as with with_path, and cars that run side by side may
        end before the duration, once each car of their block has completed so many, or diverged.
        Raises ConfigurationError if it is called twice or an argument is out of range. Ctrl-C ends
        it within a chunk of some hundred ticks.
        """
        if self._done:
            raise ConfigurationError('a batch runs once; make a new one to run again')
        if not (math.isfinite(duration) and duration > 0.0
                and min(skip, record_every, laps) >= 0.0):
            raise ConfigurationError(
                f'duration {duration!r} s, skip {skip!r} s, record_every {record_every!r}, laps'
                f' {laps!r}: expected a positive duration, the others at least 0')
        if laps and with_path:
            raise ConfigurationError(
                'with_path goes with runs of the whole duration: leave out laps')
        self._done = True
        run = BatchRun(
            self._blocks, [loop for _, loop in self._others], self._tracked_ahead, self._noise,
            RunOptions(duration, skip, record_every, with_path, effort_within, on_progress,
                       laps))
        # The plain Python path holds the interpreter, so threads would not help it.
        with ThreadPoolExecutor(self._threads if has_compiler() else 1) as pool:
            jobs: list[Future[None]] = []
            try:
                jobs.extend(pool.submit(run.run_block, block) for block in self._blocks)
                jobs.extend(pool.submit(run.run_other, *other) for other in self._others)
                # To wait for one after the other would wake this thread at each.
                for job in wait(jobs, return_when=FIRST_EXCEPTION).done:
                    job.result()
            except BaseException:
                # Ctrl-C, too: to leave the pool is to wait for what runs.
                run.stop()
                raise
            finally:
                for job in jobs:
                    job.cancel()
        return run.result()


def _parts(loop: Loop) -> list[object]:
    """Return what a run of the loop changes."""
    parts = (loop.tracker, loop.linearizer, loop.simulator)
    return [part for part in parts if part is not None]


def _driver(loop: Loop) -> str:
    return 'a custom controller' if loop.linearizer is None \
        else type(loop.linearizer).__name__
