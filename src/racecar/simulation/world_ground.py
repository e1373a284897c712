# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction under the axles of cars in blocks of worlds, as ground_friction has it for Simulators.

Where a car comes to other ground, its parameters become those of its tyres there.
"""

from __future__ import annotations

from racecar.base.compiled import importable, pure
from racecar.base.rows import load, store
from racecar.base.vectors import Flat
from racecar.dynamics.vehicles.interface import Equations
from racecar.scene.friction_zones import zone_at, ZoneRows
from racecar.simulation.car_kernels import CarParts
from racecar.simulation.engine import integration
from racecar.simulation.ground_friction import wheel_places
from racecar.simulation.layout import LANES, Loop
from racecar.simulation.rollout_kernel import driving, holding, responding, RolloutTick
from racecar.simulation.world_rows import Ground, world_parts
from racecar.simulation.world_things import Things, WorldScenes


@pure
def _factor_at(things: Things, car: int, at: tuple[float, float]) -> float:
    """Number of the factor of friction at a place in the world of a car."""
    of_cars = things.of_cars
    found = zone_at(ZoneRows(things.zones, things.corners), int(of_cars[car, 0]),
                    int(of_cars[car, 1]), at[0], at[1])
    return float(things.zones[found, 0]) if found >= 0 else 0.0


def feeling(parts: CarParts, see: Loop, *, has_zones: bool) -> Loop:
    """Pure function (rows, things, i) that gives a car the friction of the ground where it is.

    see: see Looks.
    """
    if not has_zones:
        @importable
        def feel_nothing(rows: Flat, things: Things, i: int) -> None:
            pass

        return feel_nothing

    own, first = world_parts(parts), parts.parameters.first
    number_part, ground_part = own.number, own.ground

    @importable
    def feel(rows: Flat, things: Things, i: int) -> None:
        car, seen, spots = int(load(rows, number_part, i)[0]), see(rows, i), things.spots
        at = wheel_places(seen.x, seen.y, seen.qz, seen.qw, (
            spots[car, 0], spots[car, 1], spots[car, 2], spots[car, 3]))
        before, now = load(rows, ground_part, i), Ground(
            _factor_at(things, car, at.front_left), _factor_at(things, car, at.front_right),
            _factor_at(things, car, at.rear_left), _factor_at(things, car, at.rear_right))
        if now == before:
            return
        store(rows, ground_part, i, now)
        table, grips = things.grip_rows, things.grips
        for k in range(len(table)):
            is_rear = table[k, 1] > 0.0
            left = int(now.rear_left if is_rear else now.front_left)
            right = int(now.rear_right if is_rear else now.front_right)
            rows[(first + int(table[k, 0])) * LANES + i] = grips[car, left, right, k]

    return feel


def driving_on_ground(
    equations: Equations, integrator: str, parts: CarParts, feel: Loop, *, actuated: bool,
    has_zones: bool,
) -> Loop:
    """Pure function (rows, lines, around, count, tick) that takes cars through a RolloutTick.

    Without actuators their inputs are held. feel: see feeling(). The bits are those of driving()
    with the parameters of each step.
    """
    if not has_zones:
        drive = driving(equations, integrator, parts, actuated=actuated, holds=False)

        @importable
        def drive_anywhere(
            rows: Flat, lines: Flat, around: WorldScenes, count: int, tick: RolloutTick,
        ) -> None:
            drive(rows, lines, count, tick)

        return drive_anywhere

    integrate, hold = integration(equations, integrator, parts.motion), equations.hold
    held_part, parameters_part = parts.motion.held, parts.parameters
    outputs_part = world_parts(parts).outputs
    respond_one, hold_one = responding(parts), holding(equations, parts)

    @importable
    def drive_on_ground(
        rows: Flat, lines: Flat, around: WorldScenes, count: int, tick: RolloutTick,
    ) -> None:
        for step in range(tick.done, tick.done + tick.steps):
            for i in range(count):
                feel(rows, around.things, i)
                if actuated:
                    respond_one(rows, lines, i, step, tick.depth)
                    store(rows, held_part, i, hold(
                        load(rows, outputs_part, i), load(rows, parameters_part, i)))
                else:
                    hold_one(rows, i)
            integrate(rows, count, tick.dt, 1)

    return drive_on_ground
