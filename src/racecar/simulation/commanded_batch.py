# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars side by side with inputs, actuators and resets: what rollouts and worlds have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.base.columns import rows_of
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.rows import count_numbers, first_row, zeros_of
from racecar.base.types import ORIGIN
from racecar.base.vectors import Vector
from racecar.dynamics.actuators import Actuators, Channel, Channels
from racecar.dynamics.integrators import DEFAULT_INTEGRATOR, find_integrator
from racecar.dynamics.vehicles.interface import Equations, VehicleModel
from racecar.metrics.tracking_error import Array
from racecar.simulation.car_batch import CarBatch
from racecar.simulation.car_kernels import CarKernel
from racecar.simulation.lane_batch import CarBlock, write_lanes
from racecar.simulation.layout import lane_rows
from racecar.simulation.model_lanes import command_limits
from racecar.simulation.ports import DEFAULT_STEP
from racecar.simulation.rollout_kernel import rollout_parts, RolloutParts
from racecar.simulation.vehicle_columns import AxleFactors, vehicle_columns, VehicleColumns

_CHANNELS = Channels(zeros_of(Channel), zeros_of(Channel))
_DELAYS = [first_row(_CHANNELS, channel, 'delay_steps') for channel in Channels._fields]


class CommandedOptions(NamedTuple):
    """What all cars of a batch have in common.

    step [s]; integrator: method; actuators: rows of ACTUATOR_PARAMETERS, without which commands
    act at once; by_inputs: to follow all inputs of the models in place of commands; threads: how
    many cores to use, by default all that this process may use; together: so many cars in
    succession lie in one block; undone: steps that the kernel may take a second time.
    """

    step: float = DEFAULT_STEP
    integrator: str = DEFAULT_INTEGRATOR
    actuators: Mapping[str, object] | None = None
    by_inputs: bool = False
    threads: int | None = None
    together: int = 1
    undone: int = 0


class CommandedBatch(CarBatch):
    """Cars whose kernel has the rows of RolloutRows, or such that begin with them."""

    def __init__(
        self, models: Sequence[VehicleModel], states: Sequence[Vector] | Array | None,
        kernel_of: Callable[[Equations, bool], CarKernel], options: CommandedOptions,
    ) -> None:
        """Start in these states, by default at rest with the odometry points at the origin.

        kernel_of: makes the kernel of blocks by equations and whether there are actuators. Raises
        ConfigurationError and ParameterError as Simulator does.
        """
        def equations_of(model: VehicleModel) -> Equations:
            chosen = model.wheel_equations if options.by_inputs else model.equations
            if chosen is None:
                raise ConfigurationError(
                    f'{model.description} has no inputs but speed and steering angle: give these')
            return chosen

        made = Actuators.from_values(options.actuators or {}, options.step)
        if options.by_inputs and made is not None:
            raise ConfigurationError(
                'inputs are set past the actuators; switch off actuators.* to do so')
        super().__init__(
            models, [model.initial_state(ORIGIN) for model in models] if states is None
            else states,
            lambda model: kernel_of(equations_of(model), made is not None),
            step=options.step, integrator=options.integrator, threads=options.threads,
            together=options.together)
        self._is_actuated, self._method = made is not None, find_integrator(options.integrator)
        self._depth = 0 if made is None else 1 + options.undone + int(max(
            channel.delay_steps for channel in made.channels))
        self._done, self._undone = 0, options.undone
        limits = {key: command_limits(model.vehicle)
                  for key, model in {id(model): model for model in models}.items()}
        # Found once: a look-up costs more than a reset of a car.
        self._rollout_parts: dict[CarBlock, RolloutParts] = {
            block: rollout_parts(block.parts) for block in self._blocks}
        for block, own in self._rollout_parts.items():
            lanes, block.lines = block.all_lanes, lane_rows(2 * self._depth)
            block.put(own.limits, lanes, np.array(
                [limits[id(models[car])] for car in block.cars]).T)
            block.put(own.channels, lanes, rows_of(
                () if made is None else made.channels, len(lanes)))
            block.put(own.number, lanes, block.cars[np.newaxis])
        widths = {count_numbers(own.inputs.example) for own in self._rollout_parts.values()}
        self._width = max(widths, default=0)
        if len(widths) > 1:
            raise ConfigurationError('the models have different inputs, expected one kind')

    def reset(
        self, mask: ArrayLike | None = None, states: ArrayLike | None = None,
        vehicles: VehicleColumns | None = None, channels: Array | None = None,
    ) -> None:
        """Let cars start anew, at rest under no command; the others keep each bit.

        mask, states: as of LaneBatch.reset(); vehicles: what the cars of the mask are from now on,
        see vary(), of which their columns count; channels: of their actuators from now on, numbers
        of a Channels in columns, (numbers, cars). Raises ParameterError as LaneBatch.reset() does,
        and for a car that cannot be or a delay longer than that of all cars before.
        """
        chosen = self._chosen(mask)
        if channels is not None:
            self._check_channels(channels, chosen)
        if vehicles is not None:
            if len(vehicles.are_possible) != len(self):
                raise ParameterError(
                    f'vehicles are {len(vehicles.are_possible)}, expected one for each of'
                    f' {len(self)} cars')
            wrong = np.flatnonzero(chosen & ~vehicles.are_possible)
            if wrong.size:
                raise ParameterError(
                    f'car {wrong[0]} cannot be with the parameters that it is to have; make its'
                    ' model by itself to learn why')
        super().reset(chosen, states)
        for block, lanes in self._lanes(chosen) if self._depth or vehicles is not None else ():
            write_lanes(block.lines, 0, lanes, np.zeros((2 * self._depth, len(lanes))))
            if channels is not None:
                block.put_for_good(self._rollout_parts[block].channels, lanes,
                                   channels[:, block.cars[lanes]])
            if vehicles is not None:
                for part, columns in (
                        (block.parts.parameters, vehicles.parameters),
                        (block.parts.limits, vehicles.limits),
                        (self._rollout_parts[block].limits, vehicles.command_limits)):
                    block.put_for_good(part, lanes, columns[:, block.cars[lanes]])

    def _check_channels(self, channels: Array, chosen: NDArray[np.bool_]) -> None:
        size = count_numbers(_CHANNELS)
        if channels.shape != (size, len(self)):
            raise ParameterError(
                f'channels have the shape {channels.shape}, expected {(size, len(self))}')
        longest = self._depth - 1 - self._undone
        delays = channels[_DELAYS][:, chosen]
        if not self._is_actuated or (delays > longest).any():
            raise ParameterError(
                f'a delay is {delays.max(initial=0.0):g} steps, expected at most'
                f' {max(longest, 0)}: those of the actuators that the batch is made with')

    def vary(
        self, values: Mapping[str, object], columns: Mapping[str, Array],
    ) -> VehicleColumns:
        """Numbers of cars that differ from the model of the first one in some parameters.

        values: resolved, those of which the model is made; columns: by some names of
        VEHICLE_COLUMNS, (cars,), each number one that its parameter may have. Raises TypeError or
        ValueError where the cars do not differ in numbers alone.
        """
        return self._varied(values, columns, None)

    def _varied(
        self, values: Mapping[str, object], columns: Mapping[str, Array],
        friction: AxleFactors | None,
    ) -> VehicleColumns:
        """vary(); friction: of zones, see vehicle_columns()."""
        model = self.models[0]
        if any(other.equations.name != model.equations.name for other in self.models):
            raise TypeError('the cars have different equations')
        vehicle = model.vehicle.columns(columns)
        found = vehicle_columns(
            model, vehicle, values, len(self), self._method.stability_limit / self._step, friction)
        return found._replace(
            are_possible=found.are_possible & model.vehicle.are_possible(columns))
