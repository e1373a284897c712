# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many cars with wheels that spin, side by side, each with its own vehicle and command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
import os
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from racecar.base.compiled import COMPILED
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.packing import Vector, vector
from racecar.base.tuple_kernels import count_numbers, Kernel
from racecar.base.types import NANOSECONDS, Pose2
from racecar.dynamics.integrators import DEFAULT_INTEGRATOR, find_integrator
from racecar.dynamics.stability import check_stability
from racecar.dynamics.vehicles.double_track import DoubleTrack
from racecar.simulation.car_kernels import CARS, command_kernel
from racecar.simulation.metrics.tracking_error import Array
from racecar.simulation.ports import whole_nanoseconds
from racecar.simulation.simulator import DEFAULT_STEP, ORIGIN

# Numbers in a line of the cache.
_LINE = 8


class BlockKernel(NamedTuple):
    """A kernel like command_kernel() gives, and how many rows it holds and takes as inputs."""

    advance: Kernel
    held_rows: int
    input_rows: int


class _Block:
    """Up to CARS cars of one kind in packed rows."""

    def __init__(self, kernel: BlockKernel, states: int, parameters: int) -> None:
        self.cars: list[int] = []
        self.kernel = kernel
        self.state, self.good, self.limits = (rows(states) for _ in range(3))
        self.stages, self.held = rows(2 * states), rows(kernel.held_rows)
        self.inputs, self.parameters, self.valid = (
            rows(kernel.input_rows), rows(parameters), rows(1))

    def advance(self, dt: float, steps: int) -> None:
        self.kernel.advance(
            self.state, self.good, self.held, self.stages, self.inputs, self.parameters,
            self.limits, self.valid, len(self.cars), dt, steps)


class CarBatch:
    """Blocks of cars and what all kinds of batches do with them.

    The cars do not know of each other. A car gives the same bits as alone, whatever the others
    and however many threads; one that diverges stands where it was before, and `valid` tells.
    """

    def __init__(
        self, models: Sequence[DoubleTrack], states: Sequence[Vector],
        kernel_of: Callable[[DoubleTrack], BlockKernel], *, step: float, integrator: str,
        threads: int | None,
    ) -> None:
        """Pack the cars; kernel_of: makes the kernel of the blocks with cars of a model's kind.

        Raises ConfigurationError and ParameterError as Simulator does, the former too for no
        thread.
        """
        if threads is not None and threads < 1:
            raise ConfigurationError(f'threads is {threads}, expected at least 1')
        method, step_ns = find_integrator(integrator), whole_nanoseconds('step', step)
        self._threads = threads or len(os.sched_getaffinity(0))
        self._step = step_ns / NANOSECONDS
        self._count = len(models)
        self._blocks: list[_Block] = []
        open_blocks: dict[str, _Block] = {}
        checked: dict[int, None] = {}
        for car, (model, state) in enumerate(zip(models, states, strict=True)):
            if id(model) not in checked:
                check_stability(model, method, step_ns, step_ns)
                checked[id(model)] = None
            name = model.split_derivative.name
            block = open_blocks.get(name)
            if block is None or len(block.cars) == CARS:
                kernel = block.kernel if block is not None else kernel_of(model)
                block = open_blocks[name] = _Block(kernel, len(state), len(model.parameters))
                self._blocks.append(block)
            lane = len(block.cars)
            block.cars.append(car)
            for room, numbers in ((block.state, state), (block.limits, model.state_limits),
                                  (block.parameters, model.parameters), (block.valid, (1.0,))):
                for row, number in enumerate(numbers):
                    room[row * CARS + lane] = float(number)
        for block in open_blocks.values():
            # Compiles, which threads could only do one after the other.
            block.advance(self._step, 0)

    def __len__(self) -> int:
        return self._count

    @property
    def states(self) -> Array:
        """States of all cars in the order of DoubleTrack.state_names [SI], (cars, states).

        NaN for states that a car does not have and another one does.
        """
        return self._read('state')

    @property
    def valid(self) -> Array:
        """Whether each car has stayed within the limits of its model, (cars,)."""
        found: Array = self._read('valid')[:, 0] != 0.0
        return found

    def advance(self, steps: int) -> None:
        """Advance all cars by so many steps."""
        def run(block: _Block) -> None:
            block.advance(self._step, steps)

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
            for row, numbers in enumerate(own, first):
                block.inputs[row * CARS:row * CARS + len(block.cars)] = (
                    numbers if COMPILED else numbers.tolist())

    def _read(self, name: str, first: int = 0, count: int | None = None) -> Array:
        """Return rows of a kind from the row `first` on, all if count is None: (cars, rows)."""
        packed = [np.asarray(getattr(block, name)).reshape(-1, CARS) for block in self._blocks]
        packed = [rows[first:None if count is None else first + count] for rows in packed]
        found = np.full((self._count, max(map(len, packed), default=0)), np.nan)
        for block, own in zip(self._blocks, packed, strict=True):
            found[block.cars, :len(own)] = own[:, :len(block.cars)].T
        return found


class DoubleTrackBatch(CarBatch):
    """Double tracks that follow speed and steering angle, with the bits of Simulator."""

    def __init__(
        self, models: Sequence[DoubleTrack], poses: Sequence[Pose2] | None = None, *,
        step: float = DEFAULT_STEP, integrator: str = DEFAULT_INTEGRATOR,
        threads: int | None = None,
    ) -> None:
        """Start at rest with the odometry points at the poses, the origin if None.

        models: one for each car, or the same several times; step [s]; threads: how many cores to
        use, by default all that this process may use. Raises ConfigurationError and
        ParameterError as Simulator does.
        """
        poses = poses or [ORIGIN] * len(models)
        if len(poses) != len(models):
            raise ConfigurationError(
                f'there are {len(poses)} poses, expected one for each of {len(models)} cars')

        def kernel_of(model: DoubleTrack) -> BlockKernel:
            form = model.split_derivative
            held = form.command.hold(vector((0.0, 0.0)), model.parameters)
            return BlockKernel(
                command_kernel(form, held, len(model.parameters), integrator),
                count_numbers(held), 2)

        super().__init__(
            models, [model.initial_state(pose) for model, pose in zip(models, poses, strict=True)],
            kernel_of, step=step, integrator=integrator, threads=threads)
        limits = [(model.vehicle.speed_min, model.vehicle.speed_max, *model.vehicle.steering_range)
                  for model in models]
        self._speed_min, self._speed_max, self._steering_min, self._steering_max = np.array(
            limits, dtype=float).reshape(-1, 4).T

    def command(self, speeds: ArrayLike, steering_angles: ArrayLike) -> None:
        """Apply a command to each car from now on, clamped to the vehicle's limits.

        speeds [m/s], steering_angles [rad]: (cars,). Raises ParameterError, and keeps the old
        commands, if one is not finite.
        """
        given = np.array(np.broadcast_arrays(speeds, steering_angles, np.empty(self._count))[:2])
        if given.shape != (2, self._count) or not np.isfinite(given).all():
            raise ParameterError(
                f'commands have the shape {given.shape[1:]} or are not all finite, expected'
                f' finite numbers for {self._count} cars [m/s, rad]')
        self._write_inputs(0, np.array([
            np.minimum(np.maximum(given[0], self._speed_min), self._speed_max),
            np.minimum(np.maximum(given[1], self._steering_min), self._steering_max)]))


def rows(count: int) -> Any:
    """Return so many rows of CARS zeros, flat."""
    if not COMPILED:
        return [0.0] * (count * CARS)
    room = np.zeros(count * CARS + _LINE)
    # Vectors that start within a line of the cache would take two accesses each.
    first = -room.__array_interface__['data'][0] % 64 // 8
    return room[first:first + count * CARS]
