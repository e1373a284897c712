# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Loops over blocks of cars that hold their inputs: hold, integrate, check."""

from __future__ import annotations

from collections.abc import Callable
import functools
from typing import Any, NamedTuple

from racecar.base.compiled import compiled, importable
from racecar.base.rows import load, Part, store, within
from racecar.base.vectors import Flat
from racecar.dynamics.vehicles.interface import Equations
from racecar.simulation.engine import integration, Layout, Loop, motion_parts, MotionParts


class CarParts(NamedTuple):
    """Where a block has its numbers; rows: how many in all.

    inputs: what the cars are driven by; limits: of the state; good: state before the steps; valid:
    1, or 0 of a car that has diverged and stands.
    """

    rows: int
    motion: MotionParts
    inputs: Part
    parameters: Part
    limits: Part
    good: Part
    valid: Part


Advance = Callable[[Flat, int, float, int], None]
"""advance(rows, count, dt [s], steps): moves the first `count` cars of a block on."""


class CarKernel(NamedTuple):
    """Kernel of a block and where its numbers are."""

    parts: CarParts
    advance: Advance


def car_parts(equations: Equations, integrator: str, inputs: Any) -> CarParts:
    """Place the numbers of a block; inputs: example of what its cars are driven by.

    Raises ParameterError if the method is unknown.
    """
    layout = Layout()
    motion, part = motion_parts(layout, equations, integrator), layout.part
    return CarParts(
        0, motion, part(inputs), part(equations.parameters), part(equations.state),
        part(equations.state), part((0.0,)))._replace(rows=layout.rows)


def saving(parts: CarParts) -> Loop:
    """Pure function (rows, count) that keeps the states."""
    state_part, good_part = parts.motion.state, parts.good

    @importable
    def save_all(rows: Flat, count: int) -> None:
        for i in range(count):
            store(rows, good_part, i, load(rows, state_part, i))

    return save_all


def checking(parts: CarParts) -> Loop:
    """Pure function (rows, count) that puts a car whose state leaves its limits back, for good."""
    state_part, good_part, limits_part = parts.motion.state, parts.good, parts.limits
    valid_part = parts.valid

    @importable
    def check_all(rows: Flat, count: int) -> None:
        for i in range(count):
            stands = load(rows, valid_part, i)[0] != 0.0
            if not (stands and within(load(rows, state_part, i), load(rows, limits_part, i))):
                store(rows, state_part, i, load(rows, good_part, i))
                store(rows, valid_part, i, (0.0,))

    return check_all


@functools.cache
def command_kernel(equations: Equations, integrator: str) -> CarKernel:
    """Kernel of cars that follow commands. Raises ParameterError if the method is unknown."""
    parts = car_parts(equations, integrator, equations.inputs)
    save_all, check_all = saving(parts), checking(parts)
    integrate, hold = integration(equations, integrator, parts.motion), equations.hold
    held_part, inputs_part, parameters_part = parts.motion.held, parts.inputs, parts.parameters

    def advance_block(rows: Flat, count: int, dt: float, steps: int) -> None:
        save_all(rows, count)
        for i in range(count):
            store(rows, held_part, i,
                  hold(load(rows, inputs_part, i), load(rows, parameters_part, i)))
        integrate(rows, count, dt, steps)
        check_all(rows, count)

    return CarKernel(parts, compiled(advance_block, ADVANCE))


ADVANCE = '(float64[::1], int64, float64, int64)'
"""Types of the arguments of Advance."""
