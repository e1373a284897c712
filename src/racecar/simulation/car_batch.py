# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many cars without a controller, side by side, each with its own vehicle and inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from racecar.base.columns import Array
from racecar.base.compiled import has_compiler
from racecar.base.errors import ConfigurationError
from racecar.base.types import NANOSECONDS
from racecar.base.vectors import Vector
from racecar.dynamics.integrators import find_integrator
from racecar.dynamics.stability import check_stability
from racecar.dynamics.vehicles.interface import VehicleModel
from racecar.simulation.car_kernels import CarKernel
from racecar.simulation.lane_batch import LaneBatch
from racecar.simulation.layout import LANES
from racecar.simulation.ports import whole_nanoseconds

# Smaller blocks, for more cores, would not be worth it.
_LEAST_CARS = 16


class CarBatch(LaneBatch):
    """Cars of any models, each with its own vehicle; models: of the cars, as they were made."""

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
        super().__init__(
            len(models), max((model.state_names for model in models), key=len, default=()),
            threads)
        if len(states) != len(models):
            raise ConfigurationError(
                f'there are {len(states)} states, expected one for each of {len(models)} cars')
        method, step_ns = find_integrator(integrator), whole_nanoseconds('step', step)
        self._step = step_ns / NANOSECONDS
        self.models = tuple(models)
        known: dict[int, tuple[Array, Array]] = {}
        kinds: dict[str, list[int]] = {}
        for car, model in enumerate(models):
            if id(model) not in known:
                check_stability(model, method, step_ns, step_ns)
                known[id(model)] = np.array(model.parameters), np.array(model.state_limits)
            kinds.setdefault(model.equations.name, []).append(car)
        for cars in kinds.values():
            size = min(LANES, max(_LEAST_CARS, -(-len(cars) // self._threads)))
            # Plain Python raises for what diverges: each car by itself there.
            size = max(size // together, 1) * together if has_compiler() else together
            kernel = kernel_of(models[cars[0]])
            for own in (cars[first:first + size] for first in range(0, len(cars), size)):
                parameters, limits = zip(*(known[id(models[car])] for car in own), strict=True)
                self._pack(kernel, own, np.array([states[car] for car in own], dtype=float),
                           np.array(parameters), np.array(limits))

    def advance(self, steps: int) -> None:
        """Advance all cars by so many steps."""
        self._each_block(
            lambda block: block.drive(block.rows, len(block.cars), self._step, steps))
