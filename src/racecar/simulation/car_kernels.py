# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Loops over many cars that spin their own wheels, in rows of numbers: hold, integrate, check.

A block holds up to CARS cars of one model and kind of tyres. Its rows, see
racecar.base.tuple_kernels, are those of the state, of what the command fixes and of two stages.
Operations and order are those of held_steps and DrivenCar, whose functions are called here, so
that a car gives the same bits whether alone or in a block.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any

from racecar.base.compiled import specialise, unbound, unlocked
from racecar.base.tuple_kernels import Kernel, reader, writer
from racecar.dynamics.held_steps import state_kernels, step_kernel
from racecar.dynamics.integrators import find_integrator
from racecar.dynamics.vehicles.interface import HeldRates, ModalDerivative

CARS = 120
"""Cars in a block; rows of a power of two would share too few of the sets of a cache."""

Rows = MutableSequence[float]


plus = from_origin = place = rates = step = hold = unbound
read_state = write_state = read_held = write_held = read_command = read_parameters = unbound
hold_all = integrate_all = save_all = check_all = unbound


def _hold_all(inputs: Rows, parameters: Rows, held: Rows, count: int) -> None:
    """Compute what speed and steering angle fix, the first rows of the inputs."""
    for i in range(count):
        write_held(held, 0, i, hold(read_command(inputs, 0, i), read_parameters(parameters, 0, i)))


def _step_all(state: Rows, held: Rows, stages: Rows, count: int, dt: float) -> None:
    """Advance all cars by a step, one after the other."""
    for i in range(count):
        write_state(state, 0, i, step(read_state(state, 0, i), read_held(held, 0, i), dt))


def _stage_all(state: Rows, held: Rows, stages: Rows, count: int, dt: float) -> None:
    """Advance all cars by a step of Runge-Kutta 4, one stage of all cars after the other.

    Rows of stages: where the next one is, then the sum of the rates.
    """
    half = 0.5 * dt
    for i in range(count):
        start = from_origin(read_state(state, 0, i))
        k = rates(start, read_held(held, 0, i))
        write_state(stages, 0, i, plus(start, half, k))
        write_state(stages, len(k), i, k)
    for i in range(count):
        k = rates(read_state(stages, 0, i), read_held(held, 0, i))
        write_state(stages, 0, i, plus(from_origin(read_state(state, 0, i)), half, k))
        write_state(stages, len(k), i, plus(read_state(stages, len(k), i), 2.0, k))
    for i in range(count):
        k = rates(read_state(stages, 0, i), read_held(held, 0, i))
        write_state(stages, 0, i, plus(from_origin(read_state(state, 0, i)), dt, k))
        write_state(stages, len(k), i, plus(read_state(stages, len(k), i), 2.0, k))
    for i in range(count):
        k = rates(read_state(stages, 0, i), read_held(held, 0, i))
        total = plus(read_state(stages, len(k), i), 1.0, k)
        start = read_state(state, 0, i)
        write_state(state, 0, i, place(start, plus(from_origin(start), dt / 6.0, total)))


def _check_all(state: Rows, good: Rows, limits: Rows, valid: Rows, count: int) -> None:
    """Put a car whose state leaves its limits back to where it was, for good."""
    for i in range(count):
        now, most = read_state(state, 0, i), read_state(limits, 0, i)
        stands = valid[i] != 0.0
        for k in range(len(now)):
            # False for NaN too.
            stands = stands and abs(now[k]) <= most[k]
        if not stands:
            write_state(state, 0, i, read_state(good, 0, i))
            valid[i] = 0.0


def _save_all(state: Rows, good: Rows, count: int) -> None:
    for i in range(count):
        write_state(good, 0, i, read_state(state, 0, i))


def _advance_block(
    state: Rows, good: Rows, held: Rows, stages: Rows, inputs: Rows, parameters: Rows,
    limits: Rows, valid: Rows, count: int, dt: float, steps: int,
) -> None:
    """Advance `count` cars by steps of dt [s] with the speed and the steering angle they hold.

    All flat rows of CARS numbers; good: room for a state; stages: for two; limits: of the state;
    valid: 1, or 0 of a car that has diverged and stands.
    """
    save_all(state, good, count)
    hold_all(inputs, parameters, held, count)
    for _ in range(steps):
        integrate_all(state, held, stages, count, dt)
    check_all(state, good, limits, valid, count)


def state_rows(kind: Any) -> dict[str, Kernel]:
    """Return read_state and write_state of a block."""
    state = kind(*(0.0,) * len(kind._fields))
    return {'read_state': reader(kind.__name__, state, CARS),
            'write_state': writer(kind.__name__, state, CARS)}


def parameter_reader(count: int) -> Kernel:
    """Return the reader of so many parameters in a block."""
    return reader(f'parameters_{count}', (0.0,) * count, CARS)


def whole_block(kind: Any) -> dict[str, Kernel]:
    """Return save_all and check_all for a kind of state."""
    rows = state_rows(kind)
    return {'save_all': specialise(_save_all, f'save_all_{kind.__name__}', **rows),
            'check_all': specialise(_check_all, f'check_all_{kind.__name__}', **rows)}


def integration_kernel(kind: Any, form: HeldRates, held: Any, integrator: str) -> Kernel:
    """Bind a model and a method: integrate_all(state, held, stages, count, dt), by one step.

    kind: of the state; held: an example of what the form's hold returns.
    Raises ParameterError if the method is unknown.
    """
    find_integrator(integrator)
    rows = {**state_rows(kind), 'read_held': reader(form.name, held, CARS)}
    if integrator == 'rk4':
        return specialise(
            _stage_all, f'stage_all_{form.name}', rates=form.rates, **state_kernels(kind), **rows)
    return specialise(_step_all, f'step_all_{integrator}_{form.name}',
                      step=step_kernel(kind, form, integrator), **rows)


def command_kernel(
    form: ModalDerivative, held: Any, parameters: int, integrator: str,
) -> Kernel:
    """Bind a model and a method: see _advance_block().

    held: an example of what hold returns for a command; parameters: their number.
    """
    hold = specialise(
        _hold_all, f'hold_all_{form.command.name}', hold=form.command.hold,
        read_command=reader('command', (0.0, 0.0), CARS),
        read_parameters=parameter_reader(parameters),
        write_held=writer(form.command.name, held, CARS))
    return specialise(
        _advance_block, f'advance_block_{integrator}_{form.name}', unlocked, hold_all=hold,
        integrate_all=integration_kernel(form.state, form.command, held, integrator),
        **whole_block(form.state))
