# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compiled loops of both planar modes over the steps of one robot and of many."""

from __future__ import annotations

from collections.abc import Callable
import functools
import math
from typing import Any

from racecar.base.compiled import njit, specialise, unbound
from racecar.base.packing import Flat, packing, Vector
from racecar.differential.kinematics import kinematic_step, Kinematics
from racecar.differential.physics import Physics, physics_step
from racecar.differential.state import Chance, WheelsState

LANES = 120
"""Robots in a block, as many as cars: see racecar.simulation.engine."""

CHANCES = len(Chance._fields)
"""Random numbers of a robot in a step."""

load_state, store_state, _STATES = packing(WheelsState)
load_chance = packing(Chance).load

step_robot = load_robot = unbound


def _advance(
    state: Flat, robot: Vector, left: float, right: float, chances: Vector, dt: float, steps: int,
) -> bool:
    """Advance one robot; chances: CHANCES for each step, or none. Tell whether all is finite."""
    s = load_state(state, 0, 1)
    r = load_robot(robot, 0, 1)
    if len(chances):
        for i in range(steps):
            s = step_robot(s, r, left, right, load_chance(chances, CHANCES * i, 1), dt)
    else:
        none = Chance(0.0, 0.0, 0.0, 0.0)
        for _ in range(steps):
            s = step_robot(s, r, left, right, none, dt)
    store_state(state, 0, 1, s)
    valid = True
    for i in range(_STATES):
        valid = valid and math.isfinite(state[i])
    return valid


def _advance_block(
    state: Flat, robots: Vector, commands: Vector, chances: Vector, dt: float, steps: int,
    count: int,
) -> None:
    """Advance up to LANES robots in rows of LANES numbers; chances: CHANCES rows a step."""
    if len(chances):
        for step in range(steps):
            first = step * CHANCES * LANES
            for i in range(count):
                store_state(state, i, LANES, step_robot(
                    load_state(state, i, LANES), load_robot(robots, i, LANES), commands[i],
                    commands[LANES + i], load_chance(chances, first + i, LANES), dt))
    else:
        for _ in range(steps):
            for i in range(count):
                store_state(state, i, LANES, step_robot(
                    load_state(state, i, LANES), load_robot(robots, i, LANES), commands[i],
                    commands[LANES + i], Chance(0.0, 0.0, 0.0, 0.0), dt))


@functools.cache
def advance_kernel(kind: type) -> Callable[..., bool]:
    """Return advance(state, robot, left, right, chances, dt, steps) of a mode.

    kind: Kinematics or Physics, of whose numbers robot is made; left, right: commands [rad/s].
    """
    return specialise(
        _advance, f'advance_{kind.__name__}', njit, step_robot=_STEPS[kind],
        load_robot=packing(kind).load)


@functools.cache
def block_kernel(kind: type) -> Callable[..., None]:
    """Return advance(state, robots, commands, chances, dt, steps, count) for a block of robots."""
    return specialise(
        _advance_block, f'advance_block_{kind.__name__}', njit, step_robot=_STEPS[kind],
        load_robot=packing(kind).load)


_STEPS: dict[type, Any] = {Kinematics: kinematic_step, Physics: physics_step}
