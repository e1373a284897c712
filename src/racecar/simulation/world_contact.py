# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What happens where cars of one world meet each other and what stands around.

After every interval of some steps the cars of each world are looked at. Where one is in something,
the world goes back to the begin of the interval and takes its steps one by one.
"""

from __future__ import annotations

from racecar.base.compiled import importable
from racecar.base.rows import load, store
from racecar.base.vectors import Flat
from racecar.simulation.car_kernels import CarParts
from racecar.simulation.contact import NONE, STOP
from racecar.simulation.layout import Loop
from racecar.simulation.obstacles import RELEASE
from racecar.simulation.rollout_kernel import holding, RolloutTick
from racecar.simulation.world_hits import hitting
from racecar.simulation.world_looks import coming_near, looks_of, WorldKind
from racecar.simulation.world_moving import nearing
from racecar.simulation.world_rows import Meeting, World, world_parts, WorldPlan
from racecar.simulation.world_stop import stopping
from racecar.simulation.world_things import WorldScenes


def meeting(kind: WorldKind) -> Loop:
    """Pure function (rows, lines, around, tick, plan) of what contacts do after an interval.

    The interval, a RolloutTick, has been driven by all cars of the block, as if nothing were in
    the way; the plan is a WorldPlan.
    """
    if kind.policy == NONE:
        @importable
        def meet_nothing(
            rows: Flat, lines: Flat, around: WorldScenes, tick: RolloutTick, plan: WorldPlan,
        ) -> None:
            pass

        return meet_nothing

    parts, looks = kind.parts, looks_of(kind)
    place_one, in_scene, in_car = looks.place_one, looks.in_scene, looks.in_car
    own = world_parts(parts)
    release, valid_part, meeting_part, clock_part = (
        _releasing(kind), parts.valid, own.meeting, own.clock)
    resolve, come_near, is_alone = (
        _resolving(kind), coming_near(parts), _being_alone(parts))
    near_moving = nearing(parts, looks.see, moves=kind.moves)

    @importable
    def meet_all(
        rows: Flat, lines: Flat, around: WorldScenes, tick: RolloutTick, plan: WorldPlan,
    ) -> None:
        count, together = int(plan.cars), int(plan.together)
        come_near(rows, count)
        step_ns = int(plan.period_ns) // int(plan.intervals * plan.steps)
        span_ns = tick.steps * step_ns
        for first in range(0, count, together):
            # The time of a world is that of its first car; its period has been counted already.
            time_ns = int(load(rows, clock_part, first).ticks - 1.0) * int(plan.period_ns) + (
                tick.done - int(plan.done)) * step_ns
            world = World(
                first, first + together, plan.restitution, plan.friction, time_ns, step_ns)
            touched = near_moving(rows, around, world, span_ns)
            if not touched and is_alone(rows, world):
                continue
            for i in range(first, first + together):
                place_one(rows, i)
            for i in range(first, first + together):
                touched = touched or load(rows, valid_part, i)[0] > 0.0 and (
                    load(rows, meeting_part, i).stands > 0.0
                    or in_scene(rows, around, i, 0.0) or in_car(rows, i, world, 0.0))
            if touched:
                resolve(rows, lines, around, world, tick)
            for i in range(first, first + together):
                release(rows, around, i, world, time_ns + span_ns)

    return meet_all


def _being_alone(parts: CarParts) -> Loop:
    """Pure function (rows, world): whether its one car is far from all and in no contact."""
    near_part, meeting_part = world_parts(parts).near, world_parts(parts).meeting

    @importable
    def is_alone(rows: Flat, world: World) -> bool:
        i = world.first
        m = load(rows, meeting_part, i)
        return (world.after - i == 1 and load(rows, near_part, i)[0] == 0.0
                and m.stands == 0.0 and m.in_contact == 0.0)

    return is_alone


def _resolving(kind: WorldKind) -> Loop:
    """Pure function (rows, lines, around, world, tick) that takes an interval of a world anew."""
    resolve = stopping(kind) if kind.policy == STOP else hitting(kind)
    if kind.actuated:
        return resolve
    hold_one = holding(kind.equations, kind.parts)

    @importable
    def resolve_held(
        rows: Flat, lines: Flat, around: WorldScenes, world: World, tick: RolloutTick,
    ) -> None:
        resolve(rows, lines, around, world, tick)
        # Inputs are held for the whole period, which a contact may have changed.
        for i in range(world.first, world.after):
            hold_one(rows, i)

    return resolve_held


def _releasing(kind: WorldKind) -> Loop:
    """Pure function (rows, around, i, world, time_ns) that ends a contact of a car well away.

    Where something moves also that of one that stands, which it has left.
    """
    looks, own = looks_of(kind), kind.world_parts
    in_scene, in_car, meeting_part = looks.in_scene, looks.in_car, own.meeting
    in_moving, moves = looks.in_moving, kind.moves

    @importable
    def release(rows: Flat, around: WorldScenes, i: int, world: World, time_ns: int) -> None:
        m = load(rows, meeting_part, i)
        if m.in_contact > 0.0 and (moves or m.stands == 0.0) and m.inside == 0.0 and not (
                in_scene(rows, around, i, RELEASE) or in_car(rows, i, world, RELEASE)
                or in_moving(rows, around, i, RELEASE, time_ns)):
            store(rows, meeting_part, i, Meeting(
                m.stands, m.contacts, 0.0, m.hit_scene, m.hit_cars, m.impact_speed, m.impulse,
                m.inside))

    return release
