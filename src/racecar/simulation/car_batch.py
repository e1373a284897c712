# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many cars with wheels that spin, side by side, each with its own vehicle and command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
import os

import numpy as np
from numpy.typing import ArrayLike

from racecar.base.compiled import COMPILED
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.rows import Part
from racecar.base.types import NANOSECONDS, Pose2
from racecar.base.vectors import Vector
from racecar.dynamics.integrators import DEFAULT_INTEGRATOR, find_integrator
from racecar.dynamics.stability import check_stability
from racecar.dynamics.vehicles.double_track import DoubleTrack
from racecar.simulation.car_kernels import CarKernel, CarParts, command_kernel
from racecar.simulation.engine import lane_rows, LANES
from racecar.simulation.metrics.tracking_error import Array
from racecar.simulation.ports import whole_nanoseconds
from racecar.simulation.simulator import DEFAULT_STEP, ORIGIN


class _Block:
    """Up to LANES cars of one kind in packed rows."""

    def __init__(self, kernel: CarKernel) -> None:
        self.cars: list[int] = []
        self.parts, self.kernel = kernel
        self.rows = lane_rows(self.parts.rows)

    def put(self, part: Part, lane: int, numbers: Sequence[float]) -> None:
        for row, number in enumerate(numbers, part.first):
            self.rows[row * LANES + lane] = float(number)

    def advance(self, dt: float, steps: int) -> None:
        self.kernel(self.rows, len(self.cars), dt, steps)


class CarBatch:
    """Blocks of cars and what all kinds of batches do with them.

    The cars do not know of each other. A car gives the same bits as alone, whatever the others
    and however many threads; one that diverges stands where it was before, and `valid` tells.
    """

    def __init__(
        self, models: Sequence[DoubleTrack], states: Sequence[Vector],
        kernel_of: Callable[[DoubleTrack], CarKernel], *, step: float, integrator: str,
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
            name = model.equations.name
            block = open_blocks.get(name)
            if block is None or len(block.cars) == LANES:
                block = open_blocks[name] = _Block(kernel_of(model))
                self._blocks.append(block)
            lane = len(block.cars)
            block.cars.append(car)
            parts = block.parts
            for part, numbers in ((parts.motion.state, state), (parts.limits, model.state_limits),
                                  (parts.parameters, model.parameters), (parts.valid, (1.0,))):
                block.put(part, lane, numbers)

    def __len__(self) -> int:
        return self._count

    @property
    def states(self) -> Array:
        """States of all cars in the order of DoubleTrack.state_names [SI], (cars, states).

        NaN for states that a car does not have and another one does.
        """
        return self._read(lambda parts: parts.motion.state)

    @property
    def valid(self) -> Array:
        """Whether each car has stayed within the limits of its model, (cars,)."""
        found: Array = self._read(lambda parts: parts.valid)[:, 0] != 0.0
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
            for row, numbers in enumerate(own, block.parts.inputs.first + first):
                block.rows[row * LANES:row * LANES + len(block.cars)] = (
                    numbers if COMPILED else numbers.tolist())

    def _read(self, part_of: Callable[[CarParts], Part]) -> Array:
        """Numbers of a part of all cars: (cars, numbers)."""
        parts = [part_of(block.parts) for block in self._blocks]
        widest = max((part.after - part.first for part in parts), default=0)
        found = np.full((self._count, widest), np.nan)
        for block, part in zip(self._blocks, parts, strict=True):
            own = np.asarray(block.rows[part.first * LANES:part.after * LANES])
            found[block.cars, :part.after - part.first] = own.reshape(
                -1, LANES)[:, :len(block.cars)].T
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

        super().__init__(
            models, [model.initial_state(pose) for model, pose in zip(models, poses, strict=True)],
            lambda model: command_kernel(model.equations, integrator), step=step,
            integrator=integrator, threads=threads)
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
