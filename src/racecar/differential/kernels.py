# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compiled loops of both planar modes over the steps of one robot and of many."""

from __future__ import annotations

from collections.abc import Callable
import functools
import sys
from typing import NamedTuple

from racecar.base.compiled import compiled, importable
from racecar.base.rows import count_numbers, load, Part, store, within
from racecar.base.types import WheelSpeeds
from racecar.base.vectors import Flat, Vector
from racecar.differential.kinematics import Kinematics
from racecar.differential.physics import Physics
from racecar.differential.state import Chance, NO_CHANCE, step_robot, WheelsState
from racecar.simulation.engine import Layout

CHANCES = count_numbers(NO_CHANCE)
"""Random numbers of a robot in a step."""

_AT_REST = WheelsState(*(0.0,) * len(WheelsState._fields))
_FINITE = WheelsState(*(sys.float_info.max,) * len(WheelsState._fields))


PLANAR_MODES: dict[str, type[Kinematics | Physics]] = {
    'kinematics': Kinematics, 'physics': Physics}
"""Parameters of each mode in the plane, whose type chooses the step."""


class RobotParts(NamedTuple):
    """Where robots have their numbers; rows: how many in all.

    robot: parameters of the mode, see step_robot().
    """

    rows: int
    state: Part
    command: Part
    robot: Part


Advance = Callable[[Flat, int, Vector, float, int], bool]
"""advance(rows, count, chances, dt [s], steps): moves the first `count` robots on.

chances: CHANCES rows for each step, or none. It tells whether all states are finite.
"""


def robot_parts(mode: str, lanes: int) -> RobotParts:
    """Place the numbers of robots; mode: of PLANAR_MODES; lanes: robots in a block."""
    layout, numbers = Layout(lanes), PLANAR_MODES[mode]
    return RobotParts(
        0, layout.part(_AT_REST), layout.part(WheelSpeeds(0.0, 0.0)),
        layout.part(numbers(*(0.0,) * len(numbers._fields))))._replace(rows=layout.rows)


@functools.cache
def robot_kernel(mode: str, lanes: int) -> Advance:
    """Kernel of a mode; lanes: robots in a block.

    One robot stays in registers; of many, each step is done to all before the next, so that the
    loop over them vectorises.
    """
    _, state_part, command_part, robot_part = robot_parts(mode, lanes)
    chance_part, chance_numbers = Part(NO_CHANCE, 0, lanes), CHANCES * lanes

    @importable
    def step_one(rows: Flat, i: int, state: WheelsState, chance: Chance, dt: float) -> WheelsState:
        after: WheelsState = step_robot(
            load(rows, robot_part, i), state, load(rows, command_part, i), chance, dt)
        return after

    @importable
    def run_one(rows: Flat, count: int, chances: Vector, dt: float, steps: int) -> None:
        state = load(rows, state_part, 0)
        if len(chances) > 0:
            for k in range(steps):
                state = step_one(
                    rows, 0, state, load(chances, chance_part, k * chance_numbers), dt)
        else:
            for _ in range(steps):
                state = step_one(rows, 0, state, NO_CHANCE, dt)
        store(rows, state_part, 0, state)

    @importable
    def run_all(rows: Flat, count: int, chances: Vector, dt: float, steps: int) -> None:
        if len(chances) > 0:
            for k in range(steps):
                for i in range(count):
                    store(rows, state_part, i, step_one(
                        rows, i, load(rows, state_part, i),
                        load(chances, chance_part, k * chance_numbers + i), dt))
        else:
            for _ in range(steps):
                for i in range(count):
                    store(rows, state_part, i, step_one(
                        rows, i, load(rows, state_part, i), NO_CHANCE, dt))

    run = run_one if lanes == 1 else run_all

    def advance(rows: Flat, count: int, chances: Vector, dt: float, steps: int) -> bool:
        run(rows, count, chances, dt, steps)
        valid = True
        for i in range(count):
            valid = valid and within(load(rows, state_part, i), _FINITE)
        return valid

    return compiled(advance, '(float64[::1], int64, float64[::1], float64, int64)')
