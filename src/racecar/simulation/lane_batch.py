# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars or robots without a controller in packed rows: blocks of them, and resets of some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
import os

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.base.columns import Array
from racecar.base.compiled import has_compiler, kernel
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.places import copy_places, write_places
from racecar.base.rows import Numbers, Part
from racecar.base.vectors import Flat, vector
from racecar.simulation.car_kernels import CarKernel, CarParts
from racecar.simulation.layout import lane_rows, LANES


class CarBlock:
    """Up to LANES cars of one kind in packed rows.

    cars: which ones of the batch; drive: the kernel; lines: of actuators, see rollout_kernel().
    """

    def __init__(self, kernel: CarKernel, cars: Sequence[int]) -> None:
        """Begin with zeros."""
        self.parts, self.drive = kernel
        self.cars = np.array(cars)
        self.rows = lane_rows(self.parts.rows)
        self.lines: Flat = lane_rows(0)
        # The rows that a reset brings back: those before the first steps.
        self._at_start: Flat | None = None

    @property
    def all_lanes(self) -> NDArray[np.int_]:
        """Lanes of all cars."""
        return np.arange(len(self.cars))

    def begin(self) -> None:
        """Keep what a reset brings back, before the first steps."""
        if self._at_start is None:
            self._at_start = vector(self.rows)

    def restart(self, lanes: NDArray[np.int_]) -> None:
        """Bring back the rows of the start."""
        if self._at_start is not None:
            _copy_lanes(self.rows, self._at_start, lanes)

    def move_to(self, rows: Flat, at_start: Flat, lines: Flat) -> None:
        """Lie in these arrays from now on, each as long as the one of before."""
        rows[:], lines[:] = self.rows, self.lines
        at_start[:] = self.rows if self._at_start is None else self._at_start
        self.rows, self._at_start, self.lines = rows, at_start, lines

    def put(self, part: Part[Numbers], lanes: NDArray[np.int_], columns: Array) -> None:
        """Write numbers of cars, (numbers, lanes)."""
        write_lanes(self.rows, part.first, lanes, columns)

    def put_for_good(self, part: Part[Numbers], lanes: NDArray[np.int_], columns: Array) -> None:
        """Write numbers that a reset brings back, too."""
        self.begin()
        write_lanes(self.rows, part.first, lanes, columns)
        if self._at_start is not None:
            write_lanes(self._at_start, part.first, lanes, columns)

    def read(self, part: Part[Numbers]) -> Array:
        """Numbers of all cars, (cars, numbers)."""
        found = np.asarray(self.rows[part.first * LANES:part.after * LANES])
        return found.reshape(-1, LANES)[:, :len(self.cars)].T


def write_lanes(rows: Flat, first: int, lanes: NDArray[np.int_], columns: Array) -> None:
    """Write numbers from a row on into lanes, (numbers, lanes)."""
    if isinstance(rows, np.ndarray):
        _write_lanes(rows, first, lanes, np.ascontiguousarray(columns, dtype=np.float64))
        return
    for row, numbers in enumerate(columns.tolist(), first):
        for lane, number in zip(lanes.tolist(), numbers, strict=True):
            rows[row * LANES + lane] = number


# Compiled, as resets of single cars cost more than driving them where NumPy indexes.
@kernel
def _write_lanes(rows: Flat, first: int, lanes: NDArray[np.int_], columns: Array) -> None:
    for row in range(len(columns)):
        for k in range(len(lanes)):
            rows[(first + row) * LANES + lanes[k]] = columns[row, k]


@kernel
def _copy_lanes(rows: Flat, source: Flat, lanes: NDArray[np.int_]) -> None:
    for first in range(0, len(rows), LANES):
        for k in range(len(lanes)):
            rows[first + lanes[k]] = source[first + lanes[k]]


class JoinedBlocks:
    """Blocks of one kind whose numbers lie one after the other, so that one call reaches all.

    rows, lines: of all blocks, size, line_size: numbers of a block in each of them.
    """

    def __init__(self, blocks: Sequence[CarBlock], cars: int) -> None:
        """Move the numbers of the blocks; cars: in all of them."""
        self.size, self.line_size = len(blocks[0].rows), len(blocks[0].lines)
        self.rows, self._at_start, self.lines = (
            lane_rows(len(blocks) * size // LANES)
            for size in (self.size, self.size, self.line_size))
        self._places = np.zeros(cars, dtype=np.int_)
        for number, block in enumerate(blocks):
            at, line = number * self.size, number * self.line_size
            block.move_to(self.rows[at:at + self.size], self._at_start[at:at + self.size],
                          self.lines[line:line + self.line_size])
            self._places[block.cars] = at + block.all_lanes

    def restart(self, cars: NDArray[np.int_]) -> None:
        """Bring back the rows of the start of some cars."""
        copy_places(self.rows, self._at_start, self._places[cars], (self.size, LANES))

    def put(self, part: Part[Numbers], cars: NDArray[np.int_], numbers: Array) -> None:
        """Write numbers of some cars, (cars, numbers)."""
        write_places(
            self.rows, self._places[cars] + part.first * LANES, np.ascontiguousarray(numbers),
            LANES)


def _not_finite(car: int, state: Sequence[float]) -> ParameterError:
    return ParameterError(f'the state of car {car} is {state}, expected finite numbers')


class LaneBatch:
    """Blocks of cars and what all kinds of batches do with them.

    The cars do not know of each other. A car gives the same bits as alone, whatever the others
    and however many threads; one that diverges stands where it was before, and `valid` tells.
    state_names: of the car that has most.
    """

    def __init__(
        self, count: int, state_names: tuple[str, ...], threads: int | None,
    ) -> None:
        """Have no blocks yet, see _pack(). Raises ConfigurationError for no thread."""
        if threads is not None and threads < 1:
            raise ConfigurationError(f'threads is {threads}, expected at least 1')
        self._count = count
        self._threads = threads or len(os.sched_getaffinity(0))
        self.state_names = state_names
        self._blocks: list[CarBlock] = []
        self._block_of, self._lane_of = np.zeros((2, count), dtype=np.int_)
        self._joined: JoinedBlocks | None = None

    def _pack(
        self, kernel: CarKernel, cars: Sequence[int], states: Array, parameters: Array,
        limits: Array,
    ) -> None:
        """Add a block of cars; numbers: (cars, numbers) each."""
        block = CarBlock(kernel, cars)
        for part, numbers in (
                (block.parts.motion.state, states), (block.parts.parameters, parameters),
                (block.parts.limits, limits), (block.parts.valid, np.ones((len(cars), 1)))):
            block.put(part, block.all_lanes, numbers.T)
        self._block_of[block.cars], self._lane_of[block.cars] = len(self._blocks), block.all_lanes
        self._blocks.append(block)

    def __len__(self) -> int:
        return self._count

    @property
    def states(self) -> Array:
        """States of all cars in the order of state_names [SI], (cars, states).

        NaN for states that a car does not have and another one does.
        """
        return self._read(lambda parts: parts.motion.state)

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Whether each car has stayed within the limits of its model, (cars,)."""
        found: NDArray[np.bool_] = self._read(lambda parts: parts.valid)[:, 0] != 0.0
        return found

    def reset(self, mask: ArrayLike | None = None, states: ArrayLike | None = None) -> None:
        """Let cars start anew, as they were before the first steps; the others keep each bit.

        mask: which ones, (cars,), all if None; states: where they start in place of there, of
        which those of the mask count: (cars, states), or (states,) for all. Raises ParameterError
        for another shape or for a state that is not finite.
        """
        chosen = self._chosen(mask)
        if self._joined is not None:
            cars = np.flatnonzero(chosen)
            found = None if states is None else self._states_of(states)[cars]
            if found is not None and not np.isfinite(found).all():
                wrong = int(np.argmin(np.isfinite(found).all(axis=1)))
                raise _not_finite(int(cars[wrong]), found[wrong].tolist())
            self._joined.restart(cars)
            if found is not None:
                self._joined.put(self._blocks[0].parts.motion.state, cars, found)
            return
        starts = [] if states is None else self._starts(states, chosen)
        for block, lanes in self._lanes(chosen):
            block.restart(lanes)
        for block, lanes, columns in starts:
            block.put(block.parts.motion.state, lanes, columns)

    def _chosen(self, mask: ArrayLike | None) -> NDArray[np.bool_]:
        if mask is None:
            return np.ones(len(self), dtype=bool)
        found = np.asarray(mask)
        if found.shape != (len(self),) or found.dtype != bool:
            raise ParameterError(
                f'mask has the shape {found.shape} and the type {found.dtype}, expected a truth'
                f' value for each of {len(self)} cars')
        return found

    def _states_of(self, states: ArrayLike) -> Array:
        """States of all cars, (cars, states), of those that are given."""
        found, widest = np.asarray(states, dtype=float), len(self.state_names)
        if found.shape not in ((widest,), (len(self), widest)):
            raise ParameterError(
                f'states have the shape {found.shape}, expected {widest} numbers for each of'
                f" {len(self)} cars, or once for all: {', '.join(self.state_names)}")
        return np.broadcast_to(found, (len(self), widest))

    def _starts(
        self, states: ArrayLike, chosen: NDArray[np.bool_],
    ) -> list[tuple[CarBlock, NDArray[np.int_], Array]]:
        """Check states that are given for cars; those of each block, (states, lanes)."""
        of_cars = self._states_of(states)
        starts, are_finite = [], bool(np.isfinite(of_cars[chosen]).all())
        for block, lanes in self._lanes(chosen):
            part = block.parts.motion.state
            columns = of_cars[block.cars[lanes], :part.after - part.first].T
            # NaN stands for states that a car does not have and another one does.
            wrong = lanes[:0] if are_finite else np.flatnonzero(
                ~np.isfinite(columns).all(axis=0))
            if wrong.size:
                raise _not_finite(
                    int(block.cars[lanes[wrong[0]]]), columns[:, wrong[0]].tolist())
            starts.append((block, lanes, columns))
        return starts

    def _lanes(
        self, chosen: NDArray[np.bool_],
    ) -> list[tuple[CarBlock, NDArray[np.int_]]]:
        """Blocks with cars that are chosen, (cars,), and their lanes."""
        cars = np.flatnonzero(chosen)
        cars = cars[np.argsort(self._block_of[cars], kind='stable')]
        numbers, lanes = self._block_of[cars], self._lane_of[cars]
        ends = np.searchsorted(numbers, np.arange(len(self._blocks) + 1)).tolist()
        return [(block, lanes[first:last]) for block, first, last in zip(
            self._blocks, ends[:-1], ends[1:], strict=True) if last > first]

    def _join(self) -> None:
        """Let the blocks, which are of one kind, be reached by one call; not in plain Python."""
        if has_compiler():
            self._joined = JoinedBlocks(self._blocks, len(self))

    def _each_block(self, run: Callable[[CarBlock], object]) -> None:
        """Run all blocks, on as many threads as there may be."""
        for block in self._blocks:
            block.begin()
        # The plain Python path holds the interpreter, so threads would not help it.
        if self._threads == 1 or not has_compiler() or len(self._blocks) < 2:
            for block in self._blocks:
                run(block)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            for _ in pool.map(run, self._blocks):
                pass

    def _write_inputs(self, first: int, values: Array) -> None:
        """Write rows of the inputs from the row `first` on; values: (rows, cars)."""
        for block in self._blocks:
            own = values[:, block.cars]
            at = block.parts.inputs.first + first
            write_lanes(block.rows, at, block.all_lanes, own)

    def _read(self, part_of: Callable[[CarParts], Part[Numbers]]) -> Array:
        """Numbers of a part of all cars: (cars, numbers)."""
        parts = [part_of(block.parts) for block in self._blocks]
        widest = max((part.after - part.first for part in parts), default=0)
        found = np.full((len(self), widest), np.nan)
        for block, part in zip(self._blocks, parts, strict=True):
            found[block.cars, :part.after - part.first] = block.read(part)
        return found
