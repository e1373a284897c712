# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contacts as hits of rigid bodies, by racecar.dynamics.impulse.

The bodies of cars are those of racecar.simulation.car_body. Where the speed is an input and no
state the speed after a hit is in force until the next command, behind actuators until these have
changed it. racecar.simulation.car_hits does the same for the cars of Simulators.
"""

from __future__ import annotations

import functools

from racecar.base.compiled import importable
from racecar.base.rows import field_names, first_row, load, Part, store
from racecar.base.touch import Touch
from racecar.base.vectors import Flat
from racecar.dynamics.impulse import Body, collide, FIXED, Surface
from racecar.dynamics.vehicles.interface import Command
from racecar.scene.surroundings import Surroundings
from racecar.scene.touching import rectangles_touch, scene_touch
from racecar.simulation.car_body import asked_speed, body_with_slip, body_without_slip, Seen
from racecar.simulation.contact import ROUNDS, way_out, ways_apart
from racecar.simulation.layout import LANES, Loop
from racecar.simulation.rollout_kernel import RolloutTick
from racecar.simulation.world_looks import (
    finding_inside,
    hit_once,
    looks_of,
    WorldKind,
)
from racecar.simulation.world_moving import touched_body, with_moving
from racecar.simulation.world_rows import Meeting, World, world_parts
from racecar.simulation.world_things import WorldScenes


def hitting(kind: WorldKind) -> Loop:
    """Pure function (rows, lines, around, world, tick) of an interval in which cars hit something.

    All steps of the RolloutTick are taken anew by the cars of the World, one by one.
    """
    parts, looks = kind.parts, looks_of(kind)
    own, state_part = world_parts(parts), parts.motion.state
    find_inside, step_one, place_one = finding_inside(kind), looks.step_one, looks.place_one
    meet_cars, meet_scene = _meeting_cars(kind), _meeting_scene(kind)
    meeting_part, back_part, note_passing = own.meeting, own.back, looks.note_passing

    @importable
    def hit(
        rows: Flat, lines: Flat, around: WorldScenes, world: World, tick: RolloutTick,
    ) -> None:
        find_inside(rows, around, world)
        for number in range(tick.done, tick.done + tick.steps):
            time_ns = world.time_ns + (number - tick.done) * world.step_ns
            for i in range(world.first, world.after):
                note_passing(rows, around, i, time_ns)
                if load(rows, meeting_part, i).stands > 0.0:
                    continue
                store(rows, back_part, i, load(rows, state_part, i))
                step_one(rows, lines, around, i, number, tick)
                place_one(rows, i)
            going = True
            for _ in range(ROUNDS):
                if going:
                    going = meet_cars(rows, world)
                    going = meet_scene(
                        rows, around, world, time_ns + world.step_ns) or going

    return hit


@functools.cache
def _moving(kind: WorldKind) -> Loop:
    """Pure function (rows, i, dx, dy) that moves a car [m]."""
    state = kind.parts.motion.state
    at = Part((0.0, 0.0), state.first + first_row(state.example, 'x'), LANES)
    place_one = looks_of(kind).place_one

    @importable
    def move(rows: Flat, i: int, dx: float, dy: float) -> None:
        x, y = load(rows, at, i)
        store(rows, at, i, (x + dx, y + dy))
        place_one(rows, i)

    return move


@functools.cache
def _counting(kind: WorldKind) -> Loop:
    """Pure function (rows, i, by_scene, impulse) that counts a contact of a car."""
    own = kind.world_parts
    meeting_part, approach_part = own.meeting, own.approach

    @importable
    def count_hit(rows: Flat, i: int, by_scene: bool, impulse: float) -> None:
        m = load(rows, meeting_part, i)
        m = hit_once(m, load(rows, approach_part, i)[0], by_scene, m.stands)
        store(rows, meeting_part, i, Meeting(
            m.stands, m.contacts, m.in_contact, m.hit_scene, m.hit_cars, m.impact_speed,
            m.impulse + impulse, m.inside))

    return count_hit


def _meeting_cars(kind: WorldKind) -> Loop:
    """Pure function (rows, world) that lets cars hit each other; whether any did."""
    own = kind.world_parts
    outline_part = own.outline
    body_of, push, move, count_hit = (
        _bodies(kind), _pushing(kind), _moving(kind), _counting(kind))

    @importable
    def meet_cars(rows: Flat, world: World) -> bool:
        found = False
        for i in range(world.first, world.after):
            for j in range(i + 1, world.after):
                touch = rectangles_touch(
                    load(rows, outline_part, i), load(rows, outline_part, j))
                if touch.depth <= 0.0:
                    continue
                found = True
                one, other = body_of(rows, i), body_of(rows, j)
                hit = collide(one, other, touch, Surface(world.restitution, world.friction))
                push(rows, i, hit.first)
                push(rows, j, hit.second)
                back, ahead = ways_apart(one, other, touch.depth)
                move(rows, i, -back * touch.nx, -back * touch.ny)
                move(rows, j, ahead * touch.nx, ahead * touch.ny)
                count_hit(rows, i, False, hit.impulse)
                count_hit(rows, j, False, hit.impulse)
        return found

    return meet_cars


def _meeting_scene(kind: WorldKind) -> Loop:
    """Pure function (rows, around, world, time_ns) that lets cars hit what is in their way.

    Returns whether any did.
    """
    if kind.moves:
        return _meeting_all(kind)
    parts, looks = kind.parts, looks_of(kind)
    own, in_scene = world_parts(parts), looks.in_scene
    outline_part, where_part, meeting_part = own.outline, own.where, own.meeting
    body_of, push, count_hit = _bodies(kind), _pushing(kind), _counting(kind)
    leave = _leaving(kind)

    @importable
    def meet_scene(rows: Flat, around: WorldScenes, world: World, time_ns: int) -> bool:
        found = False
        for i in range(world.first, world.after):
            m = load(rows, meeting_part, i)
            if m.stands > 0.0 or m.inside > 0.0 or not in_scene(rows, around, i, 0.0):
                continue
            found = True
            scene = int(load(rows, where_part, i)[0])
            touch = scene_touch(around.fixed, scene, load(rows, outline_part, i))
            hit = collide(
                body_of(rows, i), FIXED, touch, Surface(world.restitution, world.friction))
            push(rows, i, hit.first)
            leave(rows, around.fixed, scene, i, touch)
            count_hit(rows, i, True, hit.impulse)
        return found

    return meet_scene


def _meeting_all(kind: WorldKind) -> Loop:
    """_meeting_scene() where something moves."""
    parts, looks = kind.parts, looks_of(kind)
    own, in_scene, in_moving = world_parts(parts), looks.in_scene, looks.in_moving
    outline_part, where_part, meeting_part = own.outline, own.where, own.meeting
    number_part, passing_part = own.number, own.passing
    body_of, push, count_hit = _bodies(kind), _pushing(kind), _counting(kind)
    leave = _leaving(kind)

    @importable
    def meet_any(rows: Flat, around: WorldScenes, world: World, time_ns: int) -> bool:
        found = False
        for i in range(world.first, world.after):
            m = load(rows, meeting_part, i)
            if m.stands > 0.0 or not (
                    (m.inside == 0.0 and in_scene(rows, around, i, 0.0))
                    or (load(rows, passing_part, i)[0] == 0.0
                        and in_moving(rows, around, i, 0.0, time_ns))):
                continue
            found = True
            car, place = int(load(rows, number_part, i)[0]), load(rows, outline_part, i)
            all_around = with_moving(around, int(load(rows, where_part, i)[0]), car, time_ns)
            touch = scene_touch(all_around, 0, place)
            hit = collide(
                body_of(rows, i), touched_body(around.things, car, place, touch.depth, time_ns),
                touch, Surface(world.restitution, world.friction))
            push(rows, i, hit.first)
            leave(rows, all_around, 0, i, touch)
            count_hit(rows, i, True, hit.impulse)
        return found

    return meet_any


def _leaving(kind: WorldKind) -> Loop:
    """Pure function (rows, around, scene, i, touch) that moves a car out of what it is in.

    Along the normal as far as is needed; where that does not help, to where it was before.
    """
    parts = kind.parts
    own, state = world_parts(parts), parts.motion.state
    outline_part, back_part = own.outline, own.back
    at = first_row(state.example, 'x')
    pose_part = Part((0.0, 0.0, 0.0), state.first + at, LANES)
    before_part = Part((0.0, 0.0, 0.0), back_part.first + at, LANES)
    move, place_one = _moving(kind), looks_of(kind).place_one

    @importable
    def leave(rows: Flat, around: Surroundings, scene: int, i: int, touch: Touch) -> None:
        way = way_out(around, scene, load(rows, outline_part, i), touch)
        if way < 0.0:
            store(rows, pose_part, i, load(rows, before_part, i))
            place_one(rows, i)
        else:
            move(rows, i, -way * touch.nx, -way * touch.ny)

    return leave


@functools.cache
def _bodies(kind: WorldKind) -> Loop:
    """Pure function (rows, i) that gives the Body of a car; of one that stands a fixed one."""
    parts, looks = kind.parts, looks_of(kind)
    own, see = world_parts(parts), looks.see
    body_part, meeting_part = own.body, own.meeting
    fields = field_names(kind.equations.state)
    if 'yaw_rate' not in fields:
        return _bodies_without_slip(kind)
    slides = 1.0 if 'vy' in fields else 0.0

    @importable
    def body_of(rows: Flat, i: int) -> Body:
        free = 0.0 if load(rows, meeting_part, i).stands > 0.0 else 1.0
        return body_with_slip(see(rows, i), load(rows, body_part, i), slides, free)

    return body_of


def _bodies_without_slip(kind: WorldKind) -> Loop:
    parts = kind.parts
    own, observe = world_parts(parts), kind.equations.observe
    state_part, parameters_part, in_force = (
        parts.motion.state, parts.parameters, own.outputs if kind.actuated else own.inputs)
    body_part, meeting_part = own.body, own.meeting

    @importable
    def body_on_path(rows: Flat, i: int) -> Body:
        command = load(rows, in_force, i)
        x, y, qz, qw, vx, vy, yaw_rate = observe(
            load(rows, state_part, i), Command(asked_speed(command.speed), command.steering_angle),
            load(rows, parameters_part, i))
        free = 0.0 if load(rows, meeting_part, i).stands > 0.0 else 1.0
        return body_without_slip(
            Seen(x, y, qz, qw, vx, vy, yaw_rate), load(rows, body_part, i), command.speed, free)

    return body_on_path


@functools.cache
def _pushing(kind: WorldKind) -> Loop:
    """Pure function (rows, i, body) that gives a car the motion of a Body."""
    parts = kind.parts
    own, state = world_parts(parts), parts.motion.state
    in_force, meeting_part = own.outputs if kind.actuated else own.inputs, own.meeting
    fields = field_names(kind.equations.state)

    def row(name: str) -> Part[tuple[float]]:
        # Of what the state does not have any row will do.
        at = first_row(state.example, name) if name in fields else 0
        return Part((0.0,), state.first + at, LANES)

    along_part, across_part, turn_part = row('vx'), row('vy'), row('yaw_rate')
    has_along, has_across, has_turn = (name in fields for name in ('vx', 'vy', 'yaw_rate'))
    gain_of = _gaining(kind)

    @importable
    def push(rows: Flat, i: int, body: Body) -> None:
        if load(rows, meeting_part, i).stands > 0.0:
            return
        if has_along:
            store(rows, along_part, i, (body.vx,))
        else:
            store(rows, in_force, i, Command(
                body.vx / gain_of(rows, i), load(rows, in_force, i).steering_angle))
        if has_across:
            store(rows, across_part, i, (body.vy,))
        if has_turn:
            store(rows, turn_part, i, (body.yaw_rate,))

    return push


def _gaining(kind: WorldKind) -> Loop:
    """Pure function (rows, i) that gives the speed of a car over the one in force."""
    parts = kind.parts
    state_part, parameters_part, observe = (
        parts.motion.state, parts.parameters, kind.equations.observe)

    @importable
    def gain_of(rows: Flat, i: int) -> float:
        return observe(load(rows, state_part, i), Command(1.0, 0.0),
                       load(rows, parameters_part, i))[4]

    return gain_of
