# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars of any model side by side that follow given inputs, with the bits of Simulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.base.compiled import has_compiler
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.rows import first_row
from racecar.base.vectors import as_vector, Vector, vector
from racecar.dynamics.integrators import DEFAULT_INTEGRATOR
from racecar.dynamics.vehicles.interface import VehicleModel
from racecar.metrics.tracking_error import Array
from racecar.simulation.commanded_batch import CommandedBatch, CommandedOptions
from racecar.simulation.lane_batch import CarBlock
from racecar.simulation.ports import DEFAULT_STEP
from racecar.simulation.rollout_kernel import rollout_kernel, RolloutPlan
from racecar.simulation.vehicle_columns import VehicleColumns


class RolloutBatch(CommandedBatch):
    """Cars that follow speed and steering angle, or all inputs of their model.

    What Simulator does, without odometry, wheels and obstacles: commands stay within the limits of
    the vehicle, actuators act if there are any. All cars have the same step, method and actuators.
    """

    def __init__(
        self, models: Sequence[VehicleModel], states: Sequence[Vector] | Array | None = None, *,
        step: float = DEFAULT_STEP, integrator: str = DEFAULT_INTEGRATOR,
        actuators: Mapping[str, object] | None = None, by_inputs: bool = False,
        threads: int | None = None,
    ) -> None:
        """Start in these states, by default at rest with the odometry points at the origin.

        models: one for each car, or the same several times; states: (cars, states) [SI]; step
        [s]; actuators: rows of ACTUATOR_PARAMETERS, without which commands act at once; by_inputs:
        to follow all inputs of the models, as Simulator.set_inputs() takes them, in place of
        commands; threads: how many cores to use, by default all that this process may use. Raises
        ConfigurationError and ParameterError as Simulator does.
        """
        super().__init__(
            models, states, lambda equations, actuated: rollout_kernel(
                equations, integrator, actuated=actuated),
            CommandedOptions(step, integrator, actuators, by_inputs, threads))
        self._by_inputs = by_inputs
        self._mode = first_row(
            self._rollout_parts[self._blocks[0]].inputs.example, 'mode') if by_inputs else -1
        self._inputs = np.zeros((len(self), self._width))

    def command(self, speeds: ArrayLike, steering_angles: ArrayLike) -> None:
        """Apply a command to each car from now on, clamped to the vehicle's limits.

        speeds [m/s], steering_angles [rad]: (cars,). Raises ParameterError, and keeps the old
        commands, if one is not finite, and ConfigurationError if the cars follow all inputs.
        """
        if self._by_inputs:
            raise ConfigurationError(
                'the cars follow all inputs of their model, not commands: use run()')
        given = np.array(np.broadcast_arrays(speeds, steering_angles, np.empty(len(self)))[:2])
        if given.shape != (2, len(self)) or not np.isfinite(given).all():
            raise ParameterError(
                f'commands have the shape {given.shape[1:]} or are not all finite, expected'
                f' finite numbers for {len(self)} cars [m/s, rad]')
        self._inputs = given.T

    def advance(self, steps: int) -> None:
        """Advance all cars by so many steps under the inputs in force: a tick."""
        self._drive(self._inputs[:, np.newaxis], steps, 0)

    def run(self, inputs: ArrayLike, steps: int, every: int = 1) -> Array:
        """Drive by inputs that hold for a tick of so many steps each; states on the way.

        inputs: (cars, ticks, inputs), or (ticks, inputs) for all cars [SI]; every: one of so many
        ticks is kept, besides the start. Returns (cars, 1 + ticks // every, states). Raises
        ParameterError, and drives nothing, for another shape or what is not finite.
        """
        found = np.asarray(inputs, dtype=float)
        if found.ndim not in (2, 3) or found.shape[-1] != self._width or (
                found.ndim == 3 and len(found) != len(self)):
            raise ParameterError(
                f'inputs have the shape {found.shape}, expected (cars, ticks, {self._width}) for'
                f' {len(self)} cars, or (ticks, {self._width}) for all of them')
        if not np.isfinite(found).all():
            first = tuple(np.argwhere(~np.isfinite(found))[0].tolist())
            raise ParameterError(
                f'inputs{list(first)} is {found[first]}, expected a finite number')
        if self._by_inputs and not found[..., self._mode].all():
            raise ParameterError(
                f'inputs[..., {self._mode}], the mode, is 0, expected 1: the others count; give'
                ' speed and steering angle alone to follow these')
        if steps < 1 or every < 1:
            raise ParameterError(
                f'steps is {steps} and every is {every}, expected whole numbers of at least 1')
        records = self._drive(found, steps, every)
        if found.shape[-2]:
            self._inputs = np.array(np.broadcast_to(found[..., -1, :], self._inputs.shape))
        return records

    @property
    def ticks_driven(self) -> NDArray[np.int_]:
        """Ticks of the last run in which each car stayed valid, (cars,)."""
        driven = np.zeros(len(self), dtype=int)
        for block in self._blocks:
            driven[block.cars] = block.read(self._rollout_parts[block].driven)[:, 0]
        return driven

    def reset(
        self, mask: ArrayLike | None = None, states: ArrayLike | None = None,
        vehicles: VehicleColumns | None = None, channels: Array | None = None,
    ) -> None:
        """Let cars start anew, at rest under no command; see CommandedBatch.reset().

        mask: (cars,) of bool, which ones; states: (cars, states), of which those of the mask
        count, or (states,) for all; vehicles, channels: what they and their actuators are from
        now on.
        """
        super().reset(mask, states, vehicles, channels)
        self._inputs[self._chosen(mask)] = 0.0

    def _drive(self, inputs: Array, steps: int, every: int) -> Array:
        """Run all blocks; inputs: as of run(); every: 0 to record nothing."""
        shared, ticks = inputs.ndim == 2, inputs.shape[-2]
        samples = 1 + ticks // every if every else 0
        stride = len(self.state_names)
        records = np.full((len(self), samples, stride), np.nan)
        flat = as_vector(np.ascontiguousarray(inputs).ravel())
        room = as_vector(records.reshape(-1))
        plan = RolloutPlan(
            0, 0, ticks, 0 if shared else ticks * self._width, self._step, steps, self._done,
            self._depth, every, samples, stride)

        def run(block: CarBlock) -> None:
            def call(first: int, count: int) -> None:
                own = plan._replace(cars=len(block.cars), first=first, ticks=count)
                block.drive(
                    block.rows, block.lines, flat, room, vector(tuple(own)))

            if has_compiler():
                call(0, ticks)
                return
            car = int(block.cars[0])
            for tick in range(ticks or 1):
                try:
                    call(tick, min(ticks, 1))
                except (ValueError, OverflowError):
                    # Plain Python's math raises where compiled code yields NaN.
                    lane = block.all_lanes
                    block.put(block.parts.motion.state, lane, block.read(block.parts.good).T)
                    block.put(block.parts.valid, lane, np.zeros((1, 1)))
                    if every and (tick + 1) % every == 0:
                        state = block.read(block.parts.motion.state)[0]
                        records[car, (tick + 1) // every, :len(state)] = state

        self._each_block(run)
        self._done += ticks * steps
        return records
