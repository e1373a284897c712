# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runge-Kutta methods for models with HeldRates: the state is a NamedTuple of any length.

The methods of racecar.dynamics.integrators, whose coefficients and orders these are. A
step counts x, y and yaw from the pose at its start and turns the way it went by the yaw there, as
nothing depends on where a vehicle is. One car stays in registers; the stages by themselves serve
loops that run one stage of many cars after the other.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Any

from racecar.base.compiled import inlined, specialise, unbound
from racecar.base.elementary import sine_cosine
from racecar.base.packing import Vector
from racecar.base.tuple_kernels import at_origin, moving, reader, summing, writer
from racecar.dynamics.vehicles.interface import HeldRates, ModalDerivative

# Dormand and Prince 1980, J. Comp. Appl. Math. 6, table 2: RK5(4)7M, the order-5 solution.
DORMAND_PRINCE = (
    (1.0 / 5.0,),
    (3.0 / 40.0, 9.0 / 40.0),
    (44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0),
    (19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0),
    (9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0),
    (35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0))
_A2, _A3, _A4, _A5, _A6, _B = DORMAND_PRINCE


# Of tuple_kernels, for the state; place() for it; of the model.
plus = from_origin = moved = read_state = write_state = place = rates = unbound
# Of both modes of a model.
is_commanded = hold_command = step_command = hold_torques = step_torques = unbound


def _place(start: Any, end: Any) -> Any:
    """Return the state after a step that started from_origin() and got to `end`."""
    sine, cosine = sine_cosine(start.yaw)
    return moved(start, end, sine, cosine)


def _euler(state: Any, held: Any, dt: float) -> Any:
    start = from_origin(state)
    return place(state, plus(start, dt, rates(start, held)))


def _rk4(state: Any, held: Any, dt: float) -> Any:
    start = from_origin(state)
    point = start
    half = 0.5 * dt
    k = rates(start, held)
    total = k
    # One copy of the rates in the machine code instead of three compiles in half the time.
    for stage in range(1, 4):
        point = plus(start, dt if stage == 3 else half, k)
        k = rates(point, held)
        total = plus(total, 1.0 if stage == 3 else 2.0, k)
    return place(state, plus(start, dt / 6.0, total))


def _dopri5(state: Any, held: Any, dt: float) -> Any:
    start = from_origin(state)
    k1 = rates(start, held)
    k2 = rates(plus(start, dt * _A2[0], k1), held)
    k3 = rates(plus(plus(start, dt * _A3[0], k1), dt * _A3[1], k2), held)
    k4 = rates(plus(plus(plus(start, dt * _A4[0], k1), dt * _A4[1], k2), dt * _A4[2], k3), held)
    k5 = rates(plus(plus(plus(plus(
        start, dt * _A5[0], k1), dt * _A5[1], k2), dt * _A5[2], k3), dt * _A5[3], k4), held)
    k6 = rates(plus(plus(plus(plus(plus(
        start, dt * _A6[0], k1), dt * _A6[1], k2), dt * _A6[2], k3), dt * _A6[3], k4),
        dt * _A6[4], k5), held)
    return place(state, plus(plus(plus(plus(plus(
        start, dt * _B[0], k1), dt * _B[2], k3), dt * _B[3], k4), dt * _B[4], k5),
        dt * _B[5], k6))


def _advance_held(
    state: MutableSequence[float], inputs: Vector, parameters: Vector, limits: Vector, dt: float,
    steps: int,
) -> bool:
    s = read_state(state, 0, 0)
    if is_commanded(inputs):
        held = hold_command(inputs, parameters)
        for _ in range(steps):
            s = step_command(s, held, dt)
    else:
        held_torques = hold_torques(inputs, parameters)
        for _ in range(steps):
            s = step_torques(s, held_torques, dt)
    write_state(state, 0, 0, s)
    valid = True
    for i in range(len(state)):
        # False for NaN too.
        valid = valid and abs(state[i]) <= limits[i]
    return valid


_METHODS: dict[str, Callable[..., Any]] = {'euler': _euler, 'rk4': _rk4, 'dopri5': _dopri5}


def state_kernels(kind: type) -> dict[str, Callable[..., Any]]:
    """Return the kernels of a state by the names that methods and loops have for them."""
    moved = moving(kind)
    return {
        'plus': summing(kind), 'from_origin': at_origin(kind),
        'place': specialise(_place, f'place_{kind.__name__}', inlined, moved=moved)}


def step_kernel(kind: type, form: HeldRates, integrator: str) -> Callable[[Any, Any, float], Any]:
    """Bind the rates of a model to a method: step(state, held, dt), an inlined kernel.

    kind: of the state; integrator: one of INTEGRATORS.
    """
    return specialise(
        _METHODS[integrator], f'{integrator}_held_{form.name}', inlined, rates=form.rates,
        **state_kernels(kind))


def held_advance(form: ModalDerivative, integrator: str) -> Callable[..., bool]:
    """Return what fixed_step() returns for the derivative of a model in two modes."""
    example = form.state(*(0.0,) * len(form.state._fields))
    name = form.state.__name__
    return specialise(
        _advance_held, f'advance_{integrator}_held_{form.name}',
        read_state=reader(name, example), write_state=writer(name, example),
        is_commanded=form.is_commanded,
        hold_command=form.command.hold, step_command=step_kernel(
            form.state, form.command, integrator),
        hold_torques=form.torques.hold, step_torques=step_kernel(
            form.state, form.torques, integrator))
