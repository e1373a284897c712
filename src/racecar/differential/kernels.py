# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compiled loops of both planar modes over the steps of one robot and of many."""

from __future__ import annotations

from collections.abc import Callable
import functools
import sys
from typing import NamedTuple

from racecar.base.compiled import compiled, importable
from racecar.base.rows import count_numbers, load, Part, store, within, zeros_of
from racecar.base.types import WheelSpeeds
from racecar.base.vectors import Flat, Vector
from racecar.differential.kinematics import Kinematics
from racecar.differential.physics import Physics
from racecar.differential.state import Draws, NO_DRAWS, step_robot, WheelsState
from racecar.simulation.car_kernels import CarKernel, checking, lane_parts, saving
from racecar.simulation.engine import MotionParts
from racecar.simulation.layout import LANES, Layout, Loop

DRAWS = count_numbers(NO_DRAWS)
"""Random numbers of a robot in a step."""

AT_REST = zeros_of(WheelsState)
FINITE = WheelsState(*(sys.float_info.max,) * len(WheelsState._fields))
"""Largest modulus of each number of a valid state."""

PLANAR_MODES: dict[str, type[Kinematics | Physics]] = {
    'kinematics': Kinematics, 'physics': Physics}
"""Parameters of each mode in the plane, whose type chooses the step."""


class RobotParts(NamedTuple):
    """Where robots have their numbers; rows: how many in all.

    robot: parameters of the mode, see step_robot().
    """

    rows: int
    state: Part[WheelsState]
    command: Part[WheelSpeeds]
    robot: Part[Kinematics | Physics]


Advance = Callable[[Flat, int, Vector, float, int], bool]
"""advance(rows, count, draws, dt [s], steps): moves one robot on, of which `count` is 1.

draws: DRAWS numbers for each step, or none. It tells whether the state is finite.
"""

_TYPES = '(float64[::1], int64, float64[::1], float64, int64)'

DrawOf = Callable[[Flat, Vector, int, int, int], Draws]
"""Pure function (rows, draws, steps, k, i): random numbers of robot i in step k of so many."""


def robot_parts(mode: str) -> RobotParts:
    """Place the numbers of one robot; mode: of PLANAR_MODES."""
    layout = Layout(1)
    return RobotParts(
        0, layout.part(AT_REST), layout.part(WheelSpeeds(0.0, 0.0)),
        layout.part(mode_example(mode)))._replace(rows=layout.rows)


def mode_example(mode: str) -> Kinematics | Physics:
    """Parameters of a mode, all zeros."""
    numbers = PLANAR_MODES[mode]
    return zeros_of(numbers)


@importable
def no_draws(rows: Flat, draws: Vector, steps: int, k: int, i: int) -> Draws:
    """Without noise."""
    return NO_DRAWS


def robot_steps(parts: RobotParts, draw_of: DrawOf) -> Loop:
    """Pure function (rows, count, draws, dt, steps) that moves robots on, as Advance does.

    One robot stays in registers; of many, each step is done to all before the next, so that the
    loop over them vectorises.
    """
    _, state_part, command_part, robot_part = parts

    @importable
    def step_one(
        rows: Flat, i: int, state: WheelsState, drawn: Draws, dt: float,
    ) -> WheelsState:
        after: WheelsState = step_robot(
            load(rows, robot_part, i), state, load(rows, command_part, i), drawn, dt)
        return after

    @importable
    def run_one(rows: Flat, count: int, draws: Vector, dt: float, steps: int) -> None:
        state = load(rows, state_part, 0)
        for k in range(steps):
            state = step_one(rows, 0, state, draw_of(rows, draws, steps, k, 0), dt)
        store(rows, state_part, 0, state)

    @importable
    def run_all(rows: Flat, count: int, draws: Vector, dt: float, steps: int) -> None:
        for k in range(steps):
            for i in range(count):
                store(rows, state_part, i, step_one(
                    rows, i, load(rows, state_part, i), draw_of(rows, draws, steps, k, i), dt))

    return run_one if state_part.lanes == 1 else run_all


def drawing(lanes: int) -> DrawOf:
    """Pure function that finds random numbers of steps one after the other; lanes: in a row."""
    draws_part, draw_numbers = Part(NO_DRAWS, 0, lanes), DRAWS * lanes

    @importable
    def drawn(rows: Flat, draws: Vector, steps: int, k: int, i: int) -> Draws:
        found: Draws = load(draws, draws_part, k * draw_numbers + i)
        return found

    return drawn


@functools.cache
def robot_kernel(mode: str) -> Advance:
    """Kernel of one robot."""
    parts = robot_parts(mode)
    state_part = parts.state
    run, run_noisy = robot_steps(parts, no_draws), robot_steps(parts, drawing(1))

    def advance(rows: Flat, count: int, draws: Vector, dt: float, steps: int) -> bool:
        if len(draws) > 0:
            run_noisy(rows, count, draws, dt, steps)
        else:
            run(rows, count, draws, dt, steps)
        valid: bool = within(load(rows, state_part, 0), FINITE)
        return valid

    return compiled(advance, _TYPES)


@functools.cache
def block_kernel(mode: str) -> CarKernel:
    """Kernel of a block; mode: of PLANAR_MODES.

    Its arguments are those of Advance, with DRAWS rows of LANES numbers for each step. A robot
    that diverges stands where it was before the call, for good.
    """
    layout = Layout()
    state, nothing = layout.part(AT_REST), layout.part(())
    command, robot = WheelSpeeds(0.0, 0.0), mode_example(mode)
    parts = lane_parts(layout, MotionParts(state, nothing, nothing), command, robot)
    robots = RobotParts(
        parts.rows, state, Part(command, parts.inputs.first, LANES),
        Part(robot, parts.parameters.first, LANES))
    save_all, check_all = saving(parts), checking(parts)
    run, run_noisy = robot_steps(robots, no_draws), robot_steps(robots, drawing(LANES))

    def advance(rows: Flat, count: int, draws: Vector, dt: float, steps: int) -> None:
        save_all(rows, count)
        if len(draws) > 0:
            run_noisy(rows, count, draws, dt, steps)
        else:
            run(rows, count, draws, dt, steps)
        check_all(rows, count)

    return CarKernel(parts, compiled(advance, _TYPES))
