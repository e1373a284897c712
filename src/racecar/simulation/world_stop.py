# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contacts that stop a car where it was until its next command, as those of a Simulator do."""

from __future__ import annotations

import math

from racecar.base.compiled import importable
from racecar.base.rows import load, store, with_pose, zeros_like
from racecar.base.types import quaternion_to_yaw
from racecar.base.vectors import Flat
from racecar.dynamics.vehicles.interface import Command
from racecar.simulation.layout import Loop
from racecar.simulation.rollout_kernel import responding, RolloutTick
from racecar.simulation.world_looks import (
    finding_inside,
    hit_once,
    looks_of,
    WorldKind,
)
from racecar.simulation.world_rows import Meeting, World, world_parts
from racecar.simulation.world_things import WorldScenes

# Of Meeting.stands: since before, and since the last step.
_STANDS, _STOPS = 1.0, 2.0


def stopping(kind: WorldKind) -> Loop:
    """Pure function (rows, lines, around, world, tick) of an interval in which a car is stopped.

    All steps of the RolloutTick are taken anew by the cars of the World, one by one.
    """
    looks, own = looks_of(kind), kind.world_parts
    state_part = kind.parts.motion.state
    find_inside, step_one, place_one = finding_inside(kind), looks.step_one, looks.place_one
    stop_blocked, stand, respond_one = _blocking(kind), _standing(kind), responding(kind.parts)
    meeting_part, back_part, actuated = own.meeting, own.back, kind.actuated
    undo, note_passing, moves = looks.undo, looks.note_passing, kind.moves

    @importable
    def stop(
        rows: Flat, lines: Flat, around: WorldScenes, world: World, tick: RolloutTick,
    ) -> None:
        # Of one that is alone and stands nothing can come any more, unless it moves.
        is_over = not moves and world.after - world.first == 1 and load(
            rows, meeting_part, world.first).stands > 0.0
        if is_over:
            undo(rows, world.first)
        else:
            find_inside(rows, around, world)
        for number in range(tick.done, tick.done + tick.steps):
            time_ns = world.time_ns + (number - tick.done) * world.step_ns
            for i in range(world.first, world.after):
                # Of one that stands only the actuators move on.
                if load(rows, meeting_part, i).stands > 0.0:
                    if actuated:
                        respond_one(rows, lines, i, number, tick.depth)
                    continue
                note_passing(rows, around, i, time_ns)
                store(rows, back_part, i, load(rows, state_part, i))
                step_one(rows, lines, around, i, number, tick)
                place_one(rows, i)
            # One that is put back may be in the way of another.
            while not is_over and stop_blocked(rows, around, world, time_ns + world.step_ns):
                pass
        for i in range(world.first, world.after):
            if load(rows, meeting_part, i).stands > 0.0:
                stand(rows, i)

    return stop


def _blocking(kind: WorldKind) -> Loop:
    """Pure function (rows, around, world, time_ns) that stops who is in something.

    Returns whether anybody was. One that stands in what moves has a contact with it.
    """
    parts, looks = kind.parts, looks_of(kind)
    own, in_scene, in_car = world_parts(parts), looks.in_scene, looks.in_car
    meeting_part, approach_part = own.meeting, own.approach
    put_back, meet_moving = _putting_back(kind), _meeting_moving(kind)

    @importable
    def stop_blocked(rows: Flat, around: WorldScenes, world: World, time_ns: int) -> bool:
        found = False
        for i in range(world.first, world.after):
            m, speed = load(rows, meeting_part, i), load(rows, approach_part, i)[0]
            stands, is_free = m.stands == _STANDS, m.inside > 0.0
            by_scene = not stands and not is_free and in_scene(rows, around, i, 0.0)
            # Of two that meet each is found: none is put back before all have been looked at.
            by_car = not is_free and in_car(rows, i, world, 0.0)
            after = _STANDS if stands else _STOPS
            if meet_moving(rows, around, i, stands, time_ns):
                speed = 0.0 if stands else speed
                by_scene = True
            found = found or (not stands and (by_scene or by_car))
            if by_scene:
                m = hit_once(m, speed, True, after)
            if by_car:
                m = hit_once(m, speed, False, after)
            store(rows, meeting_part, i, m)
        for i in range(world.first, world.after):
            if load(rows, meeting_part, i).stands == _STOPS:
                put_back(rows, i)
        return found

    return stop_blocked


def _meeting_moving(kind: WorldKind) -> Loop:
    """Pure function (rows, around, i, stands, time_ns): whether what moves stops or hits a car."""
    passing_part, in_moving, moves = (
        kind.world_parts.passing, looks_of(kind).in_moving, kind.moves)

    @importable
    def meet_moving(
        rows: Flat, around: WorldScenes, i: int, stands: bool, time_ns: int,
    ) -> bool:
        return moves and (stands or load(rows, passing_part, i)[0] == 0.0) and in_moving(
            rows, around, i, 0.0, time_ns)

    return meet_moving


def _putting_back(kind: WorldKind) -> Loop:
    """Pure function (rows, i) that lets a car rest where its base_link was before the step."""
    parts, looks = kind.parts, looks_of(kind)
    own, see, place_one, state_part = (
        world_parts(parts), looks.see, looks.place_one, parts.motion.state)
    body_part, back_part, meeting_part = own.body, own.back, own.meeting

    @importable
    def put_back(rows: Flat, i: int) -> None:
        store(rows, state_part, i, load(rows, back_part, i))
        seen, body, m = see(rows, i), load(rows, body_part, i), load(rows, meeting_part, i)
        yaw = quaternion_to_yaw(0.0, 0.0, seen.qz, seen.qw)
        store(rows, state_part, i, with_pose(
            zeros_like(load(rows, state_part, i)), seen.x - body.base * math.cos(yaw),
            seen.y - body.base * math.sin(yaw), yaw))
        place_one(rows, i)
        store(rows, meeting_part, i, Meeting(
            _STANDS, m.contacts, m.in_contact, m.hit_scene, m.hit_cars, m.impact_speed, m.impulse,
            m.inside))

    return put_back


def _standing(kind: WorldKind) -> Loop:
    """Pure function (rows, i) that takes the speed from a car."""
    own = kind.world_parts
    in_force = own.outputs if kind.actuated else own.inputs

    @importable
    def stand(rows: Flat, i: int) -> None:
        store(rows, in_force, i, Command(0.0, load(rows, in_force, i).steering_angle))

    return stand
