# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many cars without a controller, side by side, each with its own vehicle and inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.base.compiled import COMPILED, kernel
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.rows import Numbers, Part
from racecar.base.types import NANOSECONDS
from racecar.base.vectors import Flat, Vector
from racecar.dynamics.integrators import find_integrator
from racecar.dynamics.stability import check_stability
from racecar.dynamics.vehicles.interface import VehicleModel
from racecar.metrics.tracking_error import Array
from racecar.simulation.car_kernels import CarKernel, CarParts
from racecar.simulation.layout import lane_rows, LANES
from racecar.simulation.ports import whole_nanoseconds

# Smaller blocks, for more cores, would not be worth it.
_LEAST_CARS = 16


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
        self._at_start: Any = None

    @property
    def all_lanes(self) -> NDArray[np.int_]:
        """Lanes of all cars."""
        return np.arange(len(self.cars))

    def begin(self) -> None:
        """Keep what a reset brings back, before the first steps."""
        if self._at_start is None:
            self._at_start = self.rows[:]
            if COMPILED:
                self._at_start = self.rows.copy()

    def restart(self, lanes: NDArray[np.int_]) -> None:
        """Bring back the rows of the start."""
        if self._at_start is not None:
            _copy_lanes(self.rows, self._at_start, lanes)

    def put(self, part: Part[Numbers], lanes: NDArray[np.int_], columns: Array) -> None:
        """Write numbers of cars, (numbers, lanes)."""
        write_lanes(self.rows, part.first, lanes, columns)

    def put_for_good(self, part: Part[Numbers], lanes: NDArray[np.int_], columns: Array) -> None:
        """Write numbers that a reset brings back, too."""
        self.begin()
        for rows in (self.rows, self._at_start):
            write_lanes(rows, part.first, lanes, columns)

    def read(self, part: Part[Numbers]) -> Array:
        """Numbers of all cars, (cars, numbers)."""
        found = np.asarray(self.rows[part.first * LANES:part.after * LANES])
        return found.reshape(-1, LANES)[:, :len(self.cars)].T


def write_lanes(rows: Any, first: int, lanes: NDArray[np.int_], columns: Array) -> None:
    """Write numbers from a row on into lanes, (numbers, lanes)."""
    if COMPILED:
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


class CarBatch:
    """Blocks of cars and what all kinds of batches do with them.

    The cars do not know of each other. A car gives the same bits as alone, whatever the others
    and however many threads; one that diverges stands where it was before, and `valid` tells.
    models: of the cars, as they were made; state_names: of the car that has most.
    """

    def __init__(
        self, models: Sequence[VehicleModel], states: Sequence[Vector] | Array,
        kernel_of: Callable[[VehicleModel], CarKernel], *, step: float, integrator: str,
        threads: int | None, together: int = 1,
    ) -> None:
        """Pack the cars; kernel_of: makes the kernel of the blocks with cars of a model's kind.

        together: so many cars in succession, which are of one kind, lie in one block.

        Raises ConfigurationError and ParameterError as Simulator does, the former too for no
        thread or too few states.
        """
        if threads is not None and threads < 1:
            raise ConfigurationError(f'threads is {threads}, expected at least 1')
        if len(states) != len(models):
            raise ConfigurationError(
                f'there are {len(states)} states, expected one for each of {len(models)} cars')
        method, step_ns = find_integrator(integrator), whole_nanoseconds('step', step)
        self._threads = threads or len(os.sched_getaffinity(0))
        self._step = step_ns / NANOSECONDS
        self.models = tuple(models)
        self._blocks: list[CarBlock] = []
        known: dict[int, tuple[VehicleModel, Array, Array]] = {}
        kinds: dict[str, list[int]] = {}
        for car, model in enumerate(models):
            if id(model) not in known:
                check_stability(model, method, step_ns, step_ns)
                known[id(model)] = model, np.array(model.parameters), np.array(model.state_limits)
            kinds.setdefault(model.equations.name, []).append(car)
        self.state_names: tuple[str, ...] = max(
            (model.state_names for model, *_ in known.values()), key=len, default=())
        for cars in kinds.values():
            size = min(LANES, max(_LEAST_CARS, -(-len(cars) // self._threads)))
            # Plain Python raises for what diverges: each car by itself there.
            size = max(size // together, 1) * together if COMPILED else together
            kernel = kernel_of(models[cars[0]])
            for own in (cars[first:first + size] for first in range(0, len(cars), size)):
                block = CarBlock(kernel, own)
                of_models = [known[id(models[car])] for car in own]
                for part, numbers in (
                        (block.parts.motion.state, [states[car] for car in own]),
                        (block.parts.parameters, [parameters for _, parameters, _ in of_models]),
                        (block.parts.limits, [limits for *_, limits in of_models]),
                        (block.parts.valid, [(1.0,)] * len(own))):
                    block.put(part, block.all_lanes, np.array(numbers, dtype=float).T)
                self._blocks.append(block)
        self._block_of, self._lane_of = np.zeros((2, len(models)), dtype=np.int_)
        for number, block in enumerate(self._blocks):
            self._block_of[block.cars] = number
            self._lane_of[block.cars] = block.all_lanes

    def __len__(self) -> int:
        return len(self.models)

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

    def advance(self, steps: int) -> None:
        """Advance all cars by so many steps."""
        self._each_block(
            lambda block: block.drive(block.rows, len(block.cars), self._step, steps))

    def reset(self, mask: ArrayLike | None = None, states: ArrayLike | None = None) -> None:
        """Let cars start anew, as they were before the first steps; the others keep each bit.

        mask: which ones, (cars,), all if None; states: where they start in place of there, of
        which those of the mask count: (cars, states), or (states,) for all. Raises ParameterError
        for another shape or for a state that is not finite.
        """
        chosen = self._chosen(mask)
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

    def _starts(
        self, states: ArrayLike, chosen: NDArray[np.bool_],
    ) -> list[tuple[CarBlock, NDArray[np.int_], Array]]:
        """Check states that are given for cars; those of each block, (states, lanes)."""
        found, widest = np.asarray(states, dtype=float), len(self.state_names)
        if found.shape not in ((widest,), (len(self), widest)):
            raise ParameterError(
                f'states have the shape {found.shape}, expected {widest} numbers for each of'
                f" {len(self)} cars, or once for all: {', '.join(self.state_names)}")
        of_cars = np.broadcast_to(found, (len(self), widest))
        starts, are_finite = [], bool(np.isfinite(of_cars[chosen]).all())
        for block, lanes in self._lanes(chosen):
            part = block.parts.motion.state
            columns = of_cars[block.cars[lanes], :part.after - part.first].T
            # NaN stands for states that a car does not have and another one does.
            wrong = lanes[:0] if are_finite else np.flatnonzero(
                ~np.isfinite(columns).all(axis=0))
            if wrong.size:
                raise ParameterError(
                    f'the state of car {block.cars[lanes[wrong[0]]]} is'
                    f' {columns[:, wrong[0]].tolist()}, expected finite numbers')
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

    def _each_block(self, run: Callable[[CarBlock], object]) -> None:
        """Run all blocks, on as many threads as there may be."""
        for block in self._blocks:
            block.begin()
        # The plain Python path holds the interpreter, so threads would not help it.
        if self._threads == 1 or not COMPILED or len(self._blocks) < 2:
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
