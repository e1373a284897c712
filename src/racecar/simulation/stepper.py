# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One step of one car in one short call, for environments that decide anew at each step."""

from __future__ import annotations

from collections.abc import Callable
import functools

from racecar.base.compiled import compiled
from racecar.base.rows import count_numbers, load, Part, store
from racecar.base.types import ORIGIN, Pose2
from racecar.base.vectors import Flat, Vector, vector
from racecar.dynamics.integrators import DEFAULT_INTEGRATOR, step_function
from racecar.dynamics.vehicles.interface import Command, Equations, VehicleModel
from racecar.simulation.ports import DEFAULT_STEP


@functools.cache
def _step_kernel(equations: Equations, integrator: str) -> Callable[[Flat, float, float], None]:
    state_part = Part(equations.state)
    clock_part = Part((0.0,), state_part.after)
    parameters_part = Part(equations.parameters, clock_part.after)
    hold, step = equations.hold, step_function(equations.rates, integrator)

    def step_once(rows: Flat, speed: float, steering_angle: float) -> None:
        held = hold(Command(speed, steering_angle), load(rows, parameters_part, 0))
        store(rows, state_part, 0,
              step(load(rows, state_part, 0), held, load(rows, clock_part, 0)[0]))

    return compiled(step_once, '(float64[::1], float64, float64)', nogil=False)


class Stepper:
    """A model advanced by one step per call, with the bits of Simulator but no checks.

    step(speed, steering_angle) [m/s, rad] advances by one step. It neither clamps to the vehicle's
    limits nor looks for a divergence; `is_valid` tells afterwards.
    """

    def __init__(
        self, model: VehicleModel, *, step: float = DEFAULT_STEP,
        integrator: str = DEFAULT_INTEGRATOR, initial_pose: Pose2 = ORIGIN,
    ) -> None:
        """Start at rest with the odometry point at the initial pose [m, rad]; step [s].

        model: how the car moves; integrator: rk4, euler or dopri5.

        Raises ParameterError if the integrator is unknown.
        """
        self.model = model
        # Everything in one array: each argument more costs time in the call.
        self._packed: Flat = vector(
            [*model.initial_state(initial_pose), float(step), *model.parameters])
        self._states = count_numbers(model.equations.state)
        self.step: Callable[[float, float], None] = functools.partial(
            _step_kernel(model.equations, integrator), self._packed)

    @property
    def state(self) -> tuple[float, ...]:
        """State of the model, in the order of model.state_names [SI]."""
        return tuple(float(value) for value in self._packed[:self._states])

    @state.setter
    def state(self, values: Vector) -> None:
        """Put the car into a state."""
        for index, value in enumerate(values):
            self._packed[index] = float(value)

    @property
    def is_valid(self) -> bool:
        """Whether the state is finite and within the limits of the model."""
        return all(abs(value) <= limit for value, limit in zip(
            self.state, self.model.state_limits, strict=True))
