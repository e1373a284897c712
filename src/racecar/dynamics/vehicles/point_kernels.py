# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Equations asked at one point: compiled functions of flat state, inputs and parameters."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
import functools
from typing import cast, Self, TypeVar

from racecar.base.compiled import compiled, importable, pure
from racecar.base.elementary import sine_cosine
from racecar.base.rows import (
    at_origin,
    first_row,
    flatten,
    load,
    Numbers,
    Part,
    pose_of,
    with_pose,
)
from racecar.base.vectors import Flat, Vector, vector
from racecar.dynamics.vehicles.interface import Derivative, Equations, MadeOf
from racecar.dynamics.vehicles.tyre_sets import TyreSet

R = TypeVar('R')
N = TypeVar('N', bound=Numbers)


def point_kernel(
    equations: Equations, wheel_equations: Equations | None, function: Callable[..., R],
) -> Callable[[Vector, Vector, Vector], R]:
    """Compiled function of flat (state, inputs, parameters) that gives what a pure one gives.

    function: of state, inputs, parameters and what hold() gives for both; the others as
    VehicleModel has them.
    """
    return cast(Callable[[Vector, Vector, Vector], R],
                _point_kernel(equations, wheel_equations, function))


@functools.cache
def _point_kernel(
    equations: Equations, wheel_equations: Equations | None, function: Callable[..., object],
) -> Callable[[Vector, Vector, Vector], object]:
    state_part, parameters_part = Part(equations.state), Part(equations.parameters)
    command_part, hold = Part(equations.inputs), equations.hold

    def at_command(state: Vector, inputs: Vector, parameters: Vector) -> object:
        car, command = load(parameters, parameters_part, 0), load(inputs, command_part, 0)
        return function(load(state, state_part, 0), command, car, hold(command, car))

    if wheel_equations is None:
        return compiled(at_command, _VECTORS)
    inputs_part, hold_wheels = Part(wheel_equations.inputs), wheel_equations.hold
    mode = first_row(wheel_equations.inputs, 'mode')

    def at_either(state: Vector, inputs: Vector, parameters: Vector) -> object:
        car, point = load(parameters, parameters_part, 0), load(state, state_part, 0)
        if inputs[mode] == 0.0:
            command = load(inputs, command_part, 0)
            return function(point, command, car, hold(command, car))
        given = load(inputs, inputs_part, 0)
        return function(point, given, car, hold_wheels(given, car))

    return compiled(at_either, _VECTORS)


_VECTORS = '(float64[::1], float64[::1], float64[::1])'


@functools.cache
def derivative_kernel(equations: Equations, wheel_equations: Equations | None) -> Derivative:
    """Compiled time derivative of the state in the world."""
    rates = equations.rates

    @importable
    def slope(
        state: Numbers, inputs: Numbers, parameters: Numbers, held: Numbers,
    ) -> tuple[float, ...]:
        return turned(rates(at_origin(state), held), state)

    return point_kernel(equations, wheel_equations, slope)


@pure
def turned(rates: N, state: Numbers) -> N:
    """Rates of a state at_origin() for the state itself."""
    ahead, left, turning = pose_of(rates)
    sine, cosine = sine_cosine(pose_of(state)[2])
    return with_pose(rates, ahead * cosine - left * sine, ahead * sine + left * cosine, turning)


@functools.cache
def observe_kernel(equations: Equations, wheel_equations: Equations | None) -> Derivative:
    """Compiled pose and twist of the odometry point."""
    observe = equations.observe

    @importable
    def observed(
        state: Numbers, inputs: Numbers, parameters: Numbers, held: Numbers,
    ) -> tuple[float, ...]:
        return observe(state, inputs, parameters)

    return point_kernel(equations, wheel_equations, observed)


class PointKernels:
    """Compiled functions of a VehicleModel with equations, made when they are asked for."""

    equations: Equations
    wheel_equations: Equations | None = None
    parameters: Flat
    tyres: TyreSet

    def on_friction(self, front: float, rear: float) -> Self:
        """Return the model where the friction of the tyres of the axles is times these factors.

        One without tyres is the same on any ground.
        """
        car = self.parameters_on(front, rear)
        return self if car is None else self.with_tyres(self.tyres.on_friction(front, rear), car)

    def parameters_on(
        self, front: float, rear: float, made_of: MadeOf | None = None,
    ) -> Numbers | None:
        """None: a model without tyres has no such parameters; see VehicleModel."""
        return None

    def with_tyres(self, tyres: TyreSet, car: Numbers) -> Self:
        """Return the model with other tyres; car: parameters that these give."""
        made = copy(self)
        vars(made).update(tyres=tyres, parameters=vector(tuple(flatten(car))))
        return made

    @property
    def derivative(self) -> Derivative:
        """Time derivative of the state."""
        return derivative_kernel(self.equations, self.wheel_equations)

    @property
    def observe(self) -> Derivative:
        """Pose and twist of the odometry point."""
        return observe_kernel(self.equations, self.wheel_equations)

    @property
    def diagnose(self) -> Derivative:
        """The fields of VehicleDiagnostics."""
        return point_kernel(self.equations, self.wheel_equations, self.equations.diagnose)
