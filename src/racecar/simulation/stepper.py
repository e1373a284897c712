# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One step of one car in one short call, for environments that decide anew at each step."""

from __future__ import annotations

from collections.abc import Callable
import functools
from typing import Any

from racecar.base.compiled import specialise, unbound
from racecar.base.errors import ConfigurationError
from racecar.base.packing import Flat, packing, Vector, vector
from racecar.base.types import Pose2
from racecar.dynamics.integrators import DEFAULT_INTEGRATOR, split_step
from racecar.dynamics.vehicles.interface import SplitDerivative, VehicleModel
from racecar.dynamics.vehicles.single_track_equations import PARAMETER_COUNT
from racecar.simulation.simulator import DEFAULT_STEP, ORIGIN

precompute = step_split = unbound
load_state, store_state, _DT = packing(5)
load_parameters = packing(PARAMETER_COUNT).load
_PARAMETERS = _DT + 1


def _step_packed(packed: Flat, speed: float, steering_angle: float) -> None:
    coefficients = precompute(
        (speed, steering_angle), load_parameters(packed, _PARAMETERS, 1))
    store_state(packed, 0, 1, step_split(load_state(packed, 0, 1), coefficients, packed[_DT]))


class Stepper:
    """A model advanced by one step per call, with the bits of Simulator but no checks.

    step(speed, steering_angle) [m/s, rad] advances by one step. It neither clamps to the vehicle's
    limits nor looks for a divergence; `is_valid` tells afterwards.
    """

    def __init__(
        self, model: VehicleModel, *, step: float = DEFAULT_STEP,
        integrator: str = DEFAULT_INTEGRATOR, initial_pose: Pose2 = ORIGIN,
    ) -> None:
        """Start at rest with the odometry point at the initial pose; step [s].

        Raises ParameterError if the integrator is unknown, ConfigurationError if the model has no
        SplitDerivative.
        """
        form = model.split_derivative
        if not isinstance(form, SplitDerivative):
            raise ConfigurationError(
                f'{model.description} has no form for single steps; use Simulator')
        self.model = model
        # Everything in one array: each argument more costs time in the call.
        self._packed: Any = vector(
            [*model.initial_state(initial_pose), float(step), *model.parameters])
        kernel = specialise(
            _step_packed, f'step_packed_{integrator}_{form.name}', precompute=form.precompute,
            step_split=split_step(form, integrator))
        self.step: Callable[[float, float], None] = functools.partial(kernel, self._packed)

    @property
    def state(self) -> tuple[float, ...]:
        """State of the model, in the order of model.state_names [SI]."""
        return tuple(float(value) for value in self._packed[:_DT])

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
