# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fixed-step explicit Runge-Kutta methods over any pure derivative.

A derivative is a function of (state, inputs, parameters) that returns the state's time derivative
as a tuple; the inputs are constant over a step. fixed_step() binds a derivative to a method.
One file, although long: each method is written for plain and for split derivatives, and the cache
of Numba notices a change only in files that hold kernels.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Any, NamedTuple

from racecar.base.compiled import inlined, njit_once, specialise
from racecar.base.elementary import settled, sine_cosine
from racecar.base.errors import ParameterError
from racecar.base.packing import Vector
from racecar.dynamics.held_steps import DORMAND_PRINCE, held_advance
from racecar.dynamics.vehicles.interface import (
    Coefficients,
    Derivative,
    ModalDerivative,
    Rates,
    SplitDerivative,
    VehicleModel,
)

Advance = Callable[[MutableSequence[float], Vector, Vector, Vector, float, int], bool]
"""advance(state, inputs, parameters, limits, dt, steps): see fixed_step()."""

((_A21,), (_A31, _A32), (_A41, _A42, _A43), (_A51, _A52, _A53, _A54),
 (_A61, _A62, _A63, _A64, _A65), (_B1, _, _B3, _B4, _B5, _B6)) = DORMAND_PRINCE


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
        state[i] = settled(state[i] + dt * k1[i])


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
        state[i] = settled(
            state[i] + sixth * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))


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
        state[i] = settled(state[i] + dt * (
            _B1 * k1[i] + _B3 * k3[i] + _B4 * k4[i] + _B5 * k5[i] + _B6 * k6[i]))


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


# The same methods for models with a SplitDerivative: the state is a tuple of five that stays in
# registers. A step counts x, y and yaw from the pose at its start, where the angles are small and
# their sines cheap, and turns the way it went by the yaw at the end. But for that, operations and
# order are those above, and so are the bits.

State5 = tuple[float, float, float, float, float]
Stage = tuple[float, float, float, float, float, float, float, float]
"""Between stages of Runge-Kutta 4: first two states and yaw at the next, five sums of rates."""


def rates(state: State5, coefficients: Coefficients) -> Rates:
    """Stand for the kernel of the model that split_step() binds."""
    raise NotImplementedError('split_step() binds this name')


def precompute(inputs: Vector, parameters: Vector) -> Coefficients:
    """Stand for the kernel of the model that model_advance() binds."""
    raise NotImplementedError('model_advance() binds this name')


def step_split(state: State5, coefficients: Coefficients, dt: float) -> State5:
    """Stand for the method that model_advance() binds."""
    raise NotImplementedError('model_advance() binds this name')


@inlined
def _plus1(s: State5, h: float, a: float, k: Rates) -> State5:
    return (s[0] + h * (a * k[0]), s[1] + h * (a * k[1]), s[2] + h * (a * k[2]),
            s[3] + h * (a * k[3]), s[4] + h * (a * k[4]))


@inlined
def _plus2(s: State5, h: float, a: float, k: Rates, b: float, m: Rates) -> State5:
    return (s[0] + h * (a * k[0] + b * m[0]), s[1] + h * (a * k[1] + b * m[1]),
            s[2] + h * (a * k[2] + b * m[2]), s[3] + h * (a * k[3] + b * m[3]),
            s[4] + h * (a * k[4] + b * m[4]))


@inlined
def _sum3(a: float, k: Rates, b: float, m: Rates, c: float, n: Rates) -> Rates:
    return (a * k[0] + b * m[0] + c * n[0], a * k[1] + b * m[1] + c * n[1],
            a * k[2] + b * m[2] + c * n[2], a * k[3] + b * m[3] + c * n[3],
            a * k[4] + b * m[4] + c * n[4])


@inlined
def _add(s: Rates, b: float, k: Rates) -> Rates:
    return (s[0] + b * k[0], s[1] + b * k[1], s[2] + b * k[2], s[3] + b * k[3], s[4] + b * k[4])


@inlined
def _at_origin(s: State5) -> State5:
    return (s[0], s[1], 0.0, 0.0, 0.0)


@inlined
def _moved(s: State5, end: State5) -> State5:
    """Return the state after a step that started from _at_origin() of s and got to `end`.

    What has decayed is 0, see settled().
    """
    sine, cosine = sine_cosine(s[4])
    return (settled(end[0]), settled(end[1]), s[2] + (end[2] * cosine - end[3] * sine),
            s[3] + (end[2] * sine + end[3] * cosine), s[4] + end[4])


def _euler_split(state: State5, coefficients: Coefficients, dt: float) -> State5:
    start = _at_origin(state)
    return _moved(state, _plus1(start, dt, 1.0, rates(start, coefficients)))


def rk4_first(state: State5, coefficients: Coefficients, dt: float) -> Stage:
    """Run the first stage; dt [s]: from the start of the step to the second."""
    k = rates(_at_origin(state), coefficients)
    return (state[0] + dt * k[0], state[1] + dt * k[1], dt * k[4], k[0], k[1], k[2], k[3], k[4])


def rk4_next(state: State5, stage: Stage, coefficients: Coefficients, dt: float) -> Stage:
    """Run the second or third stage; dt [s]: from the start of the step to the next."""
    k = rates((stage[0], stage[1], 0.0, 0.0, stage[2]), coefficients)
    return (state[0] + dt * k[0], state[1] + dt * k[1], dt * k[4], stage[3] + 2.0 * k[0],
            stage[4] + 2.0 * k[1], stage[5] + 2.0 * k[2], stage[6] + 2.0 * k[3],
            stage[7] + 2.0 * k[4])


def rk4_last(state: State5, stage: Stage, coefficients: Coefficients, dt: float) -> State5:
    """Run the fourth stage; returns the state at the end of the step of dt [s]."""
    k = rates((stage[0], stage[1], 0.0, 0.0, stage[2]), coefficients)
    sixth = dt / 6.0
    return _moved(state, (
        state[0] + sixth * (stage[3] + k[0]), state[1] + sixth * (stage[4] + k[1]),
        sixth * (stage[5] + k[2]), sixth * (stage[6] + k[3]), sixth * (stage[7] + k[4])))


def _rk4_split(state: State5, coefficients: Coefficients, dt: float) -> State5:
    half = 0.5 * dt
    stage = rk4_next(state, rk4_first(state, coefficients, half), coefficients, half)
    return rk4_last(state, rk4_next(state, stage, coefficients, dt), coefficients, dt)


def _dopri5_split(state: State5, coefficients: Coefficients, dt: float) -> State5:
    start = _at_origin(state)
    k1 = rates(start, coefficients)
    k2 = rates(_plus1(start, dt, _A21, k1), coefficients)
    k3 = rates(_plus2(start, dt, _A31, k1, _A32, k2), coefficients)
    k4 = rates(_plus1(start, dt, 1.0, _sum3(_A41, k1, _A42, k2, _A43, k3)), coefficients)
    k5 = rates(
        _plus1(start, dt, 1.0, _add(_sum3(_A51, k1, _A52, k2, _A53, k3), _A54, k4)), coefficients)
    k6 = rates(_plus1(start, dt, 1.0, _add(
        _add(_sum3(_A61, k1, _A62, k2, _A63, k3), _A64, k4), _A65, k5)), coefficients)
    return _moved(state, _plus1(start, dt, 1.0, _add(
        _add(_sum3(_B1, k1, _B3, k3, _B4, k4), _B5, k5), _B6, k6)))


def _advance_split(
    state: MutableSequence[float], inputs: Vector, parameters: Vector, limits: Vector, dt: float,
    steps: int,
) -> bool:
    coefficients = precompute(inputs, parameters)
    s = (state[0], state[1], state[2], state[3], state[4])
    for _ in range(steps):
        s = step_split(s, coefficients, dt)
    state[0], state[1], state[2], state[3], state[4] = s
    # False for NaN too.
    return (abs(s[0]) <= limits[0] and abs(s[1]) <= limits[1] and abs(s[2]) <= limits[2]
            and abs(s[3]) <= limits[3] and abs(s[4]) <= limits[4])


class Integrator(NamedTuple):
    """A method: its order and how far it is stable on the negative real axis.

    stability_limit: the step [s] times the modulus of a real, negative eigenvalue [1/s] must stay
    below it. step: function with the name `derivative` still to be bound; split_step: the same for
    models with a SplitDerivative, with the name `rates`, and the names of split_stages, the
    functions it consists of where these are of use by themselves.
    """

    name: str
    order: int
    stability_limit: float
    step: Callable[..., None]
    split_step: Callable[..., State5]
    split_stages: tuple[Callable[..., Any], ...] = ()


INTEGRATORS: dict[str, Integrator] = {
    row.name: row
    for row in (
        Integrator('euler', 1, 2.0, _euler, _euler_split),
        Integrator('rk4', 4, 2.785293563405282, _rk4, _rk4_split,
                   (rk4_first, rk4_next, rk4_last)),
        Integrator('dopri5', 5, 3.306567892634947, _dopri5, _dopri5_split),
    )
}

DEFAULT_INTEGRATOR = 'rk4'


def find_integrator(name: str) -> Integrator:
    """Return the method of a name. Raises ParameterError if there is none."""
    try:
        return INTEGRATORS[name]
    except KeyError:
        raise ParameterError(
            f"parameter 'integrator' is {name!r}, expected one of {', '.join(INTEGRATORS)}"
        ) from None


def fixed_step(function: Derivative, integrator: str = DEFAULT_INTEGRATOR) -> Advance:
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


def split_step(
    form: SplitDerivative, integrator: str = DEFAULT_INTEGRATOR,
) -> Callable[[State5, Coefficients, float], State5]:
    """Bind the rates of a model to a method: step(state, coefficients, dt), an inlined kernel.

    Raises ParameterError if the method is unknown.
    """
    return specialise(
        find_integrator(integrator).split_step, f'{integrator}_split_{form.name}', inlined,
        rates=form.rates, **split_stages(form, integrator))


def split_stages(form: SplitDerivative, integrator: str) -> dict[str, Callable[..., Any]]:
    """Bind the rates of a model to the stages of a method: inlined kernels by their names.

    Empty if the method gives none. Raises ParameterError if it is unknown.
    """
    return {
        stage.__name__: specialise(stage, f'{stage.__name__}_{form.name}', inlined,
                                   rates=form.rates)
        for stage in find_integrator(integrator).split_stages}


def model_advance(model: VehicleModel, integrator: str = DEFAULT_INTEGRATOR) -> Advance:
    """Return what fixed_step() returns for the model's derivative, faster where that is split.

    Raises ParameterError if the method is unknown.
    """
    form = model.split_derivative
    if form is None:
        return fixed_step(model.derivative, integrator)
    if isinstance(form, ModalDerivative):
        return held_advance(form, integrator)
    return specialise(
        _advance_split, f'advance_{integrator}_split_{form.name}', precompute=form.precompute,
        step_split=split_step(form, integrator))
