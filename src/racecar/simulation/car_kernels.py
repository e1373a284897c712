# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where blocks of cars without a controller have their numbers, and what all their loops do."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from racecar.base.compiled import importable
from racecar.base.rows import load, Numbers, Part, store, within
from racecar.base.vectors import Flat
from racecar.dynamics.vehicles.interface import Equations
from racecar.simulation.engine import motion_parts, MotionParts
from racecar.simulation.layout import Layout, Loop


class CarParts(NamedTuple):
    """Where a block has its numbers; rows: how many in all.

    inputs: what the cars are driven by; limits: of the state; good: state before the steps; valid:
    1, or 0 of a car that has diverged and stands.
    """

    rows: int
    motion: MotionParts
    inputs: Part[Numbers]
    parameters: Part[Numbers]
    limits: Part[tuple[float, ...]]
    good: Part[tuple[float, ...]]
    valid: Part[tuple[float]]


ADVANCE = '(float64[::1], int64, float64, int64)'
"""Types of advance(rows, count, dt [s], steps), which moves the first `count` cars of a block."""


class CarKernel(NamedTuple):
    """Kernel of a block, ADVANCE or what a batch calls in its place, and where its numbers are."""

    parts: CarParts
    advance: Callable[..., None]


def car_parts(equations: Equations, integrator: str, inputs: Numbers) -> CarParts:
    """Place the numbers of a block; inputs: example of what its cars are driven by.

    Raises ParameterError if the method is unknown.
    """
    layout = Layout()
    return lane_parts(
        layout, motion_parts(layout, equations, integrator), inputs, equations.parameters)


def lane_parts(
    layout: Layout, motion: MotionParts, inputs: Numbers, parameters: Numbers,
) -> CarParts:
    """Place what a block has besides its motion; inputs, parameters: examples."""
    part, state = layout.part, motion.state.example
    return CarParts(
        0, motion, part(inputs), part(parameters), part(state), part(state), part((0.0,)),
    )._replace(rows=layout.rows)


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
