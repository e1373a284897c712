# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fixed-step explicit Runge-Kutta methods over any pure derivative.

A derivative is a function of (state, inputs, parameters) that returns the state's time derivative
as a tuple; the inputs are constant over a step. fixed_step() binds a derivative to a method.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Any, NamedTuple, TypeVar

from racecar.core.compiled import njit, specialise
from racecar.core.errors import ParameterError
from racecar.core.vehicles.interface import Derivative, Vector

Advance = Callable[[MutableSequence[float], Vector, Vector, Vector, float, int], bool]
"""advance(state, inputs, parameters, limits, dt, steps): see fixed_step()."""

_F = TypeVar('_F', bound=Callable[..., Any])

# Dormand and Prince 1980, J. Comp. Appl. Math. 6, table 2: RK5(4)7M, the order-5 solution.
_A21 = 1.0 / 5.0
_A31, _A32 = 3.0 / 40.0, 9.0 / 40.0
_A41, _A42, _A43 = 44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0
_A51, _A52, _A53, _A54 = (
    19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0)
_A61, _A62, _A63, _A64, _A65 = (
    9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0)
_B1, _B3, _B4, _B5, _B6 = (
    35.0 / 384.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0)


def derivative(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, ...]:
    """Stand for the derivative that fixed_step() binds."""
    raise NotImplementedError('fixed_step() binds this name')


def step(
    state: MutableSequence[float], stage: MutableSequence[float], inputs: Vector,
    parameters: Vector, dt: float,
) -> None:
    """Stand for the method that fixed_step() binds."""
    raise NotImplementedError('fixed_step() binds this name')


def _euler(
    state: MutableSequence[float], stage: MutableSequence[float], inputs: Vector,
    parameters: Vector, dt: float,
) -> None:
    k1 = derivative(state, inputs, parameters)
    for i in range(len(k1)):
        state[i] += dt * k1[i]


def _rk4(
    state: MutableSequence[float], stage: MutableSequence[float], inputs: Vector,
    parameters: Vector, dt: float,
) -> None:
    half = 0.5 * dt
    k1 = derivative(state, inputs, parameters)
    for i in range(len(k1)):
        stage[i] = state[i] + half * k1[i]
    k2 = derivative(stage, inputs, parameters)
    for i in range(len(k1)):
        stage[i] = state[i] + half * k2[i]
    k3 = derivative(stage, inputs, parameters)
    for i in range(len(k1)):
        stage[i] = state[i] + dt * k3[i]
    k4 = derivative(stage, inputs, parameters)
    sixth = dt / 6.0
    for i in range(len(k1)):
        state[i] += sixth * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])


def _dopri5(
    state: MutableSequence[float], stage: MutableSequence[float], inputs: Vector,
    parameters: Vector, dt: float,
) -> None:
    k1 = derivative(state, inputs, parameters)
    for i in range(len(k1)):
        stage[i] = state[i] + dt * (_A21 * k1[i])
    k2 = derivative(stage, inputs, parameters)
    for i in range(len(k1)):
        stage[i] = state[i] + dt * (_A31 * k1[i] + _A32 * k2[i])
    k3 = derivative(stage, inputs, parameters)
    for i in range(len(k1)):
        stage[i] = state[i] + dt * (_A41 * k1[i] + _A42 * k2[i] + _A43 * k3[i])
    k4 = derivative(stage, inputs, parameters)
    for i in range(len(k1)):
        stage[i] = state[i] + dt * (_A51 * k1[i] + _A52 * k2[i] + _A53 * k3[i] + _A54 * k4[i])
    k5 = derivative(stage, inputs, parameters)
    for i in range(len(k1)):
        stage[i] = state[i] + dt * (
            _A61 * k1[i] + _A62 * k2[i] + _A63 * k3[i] + _A64 * k4[i] + _A65 * k5[i])
    k6 = derivative(stage, inputs, parameters)
    for i in range(len(k1)):
        state[i] += dt * (
            _B1 * k1[i] + _B3 * k3[i] + _B4 * k4[i] + _B5 * k5[i] + _B6 * k6[i])


def _advance(
    state: MutableSequence[float], inputs: Vector, parameters: Vector, limits: Vector, dt: float,
    steps: int,
) -> bool:
    stage: Any = state[:]
    stage = stage.copy()
    for _ in range(steps):
        step(state, stage, inputs, parameters, dt)
    valid = True
    for i in range(len(state)):
        # False for NaN too.
        valid = valid and abs(state[i]) <= limits[i]
    return valid


class Integrator(NamedTuple):
    """A method: its order and how far it is stable on the negative real axis.

    stability_limit: the step [s] times the modulus of a real, negative eigenvalue [1/s] must stay
    below it. step: function with the name `derivative` still to be bound.
    """

    name: str
    order: int
    stability_limit: float
    step: Callable[..., None]


INTEGRATORS: dict[str, Integrator] = {
    row.name: row
    for row in (
        Integrator('euler', 1, 2.0, _euler),
        Integrator('rk4', 4, 2.785293563405282, _rk4),
        Integrator('dopri5', 5, 3.306567892634947, _dopri5),
    )
}


def find_integrator(name: str) -> Integrator:
    """Return the method of a name. Raises ParameterError if there is none."""
    try:
        return INTEGRATORS[name]
    except KeyError:
        raise ParameterError(
            f"parameter 'integrator' is {name!r}, expected one of {', '.join(INTEGRATORS)}"
        ) from None


def fixed_step(function: Derivative, integrator: str = 'rk4') -> Advance:
    """Bind a derivative to a method.

    Returns advance(state, inputs, parameters, limits, dt, steps) -> bool, which advances the
    state [SI], a float64 array or a list, in place by a number of steps of dt [s] and tells
    whether the modulus of each component is within its limit. Without Numba, math functions raise
    ValueError or OverflowError once the state is not finite.
    Raises ParameterError if the method is unknown.
    """
    method = find_integrator(integrator)
    name = f'{function.__module__}_{function.__qualname__}'.replace('.', '_')
    compiled = njit_once(function)
    bound = specialise(method.step, f'{method.name}_{name}', derivative=compiled)
    return specialise(_advance, f'advance_{method.name}_{name}', step=bound)


_compiled: dict[Any, Any] = {}


def njit_once(function: _F) -> _F:
    """Return a function compiled, itself if it is so already."""
    if hasattr(function, 'py_func'):
        return function
    if function not in _compiled:
        _compiled[function] = njit(function)
    kernel: _F = _compiled[function]
    return kernel
