# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What all policies of contact ask of the cars of a world: where they are, and what is in the way.

Each is a pure function of rows, the lane i of a car and more, made for one kind of cars.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

from racecar.base.compiled import importable, pure
from racecar.base.rows import first_row, load, Part, store
from racecar.base.vectors import Flat
from racecar.dynamics.vehicles.interface import Equations
from racecar.scene.overlaps import Rectangle, rectangles_overlap
from racecar.scene.surroundings import is_taken
from racecar.scene.touching import clearance
from racecar.simulation.car_body import outline_of, Seen
from racecar.simulation.car_kernels import car_parts, CarParts
from racecar.simulation.contact import STOP
from racecar.simulation.layout import LANES, Loop
from racecar.simulation.obstacles import INSIDE
from racecar.simulation.rollout_kernel import RolloutTick, stepping
from racecar.simulation.world_ground import feeling
from racecar.simulation.world_moving import meeting_things, noting_passing, wider
from racecar.simulation.world_rows import (
    Look,
    Meeting,
    World,
    world_parts,
    world_rows,
    WorldParts,
)
from racecar.simulation.world_things import WorldScenes

# Against rounding, where cars are not looked at because nothing is near [m].
_SLACK = 1e-6


class WorldKind(NamedTuple):
    """What decides about the kernel of worlds.

    policy: of contacts, one of POLICIES; has_zones: whether cars with tyres drive over friction
    zones; moves: whether something moves in some world.
    """

    equations: Equations
    integrator: str
    actuated: bool
    policy: str
    has_zones: bool = False
    moves: bool = False

    @property
    def parts(self) -> CarParts:
        """Where a block has its numbers. Raises ParameterError for an unknown method."""
        return world_parts_of(self.equations, self.integrator)

    @property
    def world_parts(self) -> WorldParts:
        """Where it has those of worlds."""
        return world_parts(self.parts)


@pure
def hit_once(meeting: Meeting, speed: float, by_scene: bool, stands: float) -> Meeting:
    """Meeting after a contact of a car that has come with a speed [m/s]."""
    is_new = meeting.in_contact == 0.0
    return Meeting(
        stands, meeting.contacts + (1.0 if is_new else 0.0), 1.0,
        1.0 if by_scene else meeting.hit_scene, meeting.hit_cars if by_scene else 1.0,
        speed if is_new else meeting.impact_speed, meeting.impulse, meeting.inside)


class Looks(NamedTuple):
    """Functions that all policies need.

    see(rows, i): Seen of a car. place_one(rows, i): note where it is. in_scene(rows, around, i,
    margin): whether it is in something that stands around. in_moving(rows, around, i, margin,
    time_ns): whether it is in something that moves. note_passing(rows, around, i, time_ns): note
    whether it may leave that in the next step. in_car(rows, i, world, margin): whether
    it is in another car. undo(rows, i): put it back to the begin of the interval. step_one(rows,
    lines, around, i, number, tick): take it through a step.
    """

    see: Loop
    place_one: Loop
    in_scene: Loop
    in_moving: Loop
    note_passing: Loop
    in_car: Loop
    undo: Loop
    step_one: Loop


@functools.cache
def world_parts_of(equations: Equations, integrator: str) -> CarParts:
    """Where blocks of worlds have their numbers. Raises ParameterError for an unknown method."""
    return car_parts(equations, integrator, world_rows(equations))


@functools.cache
def looks_of(kind: WorldKind) -> Looks:
    """Functions for a kind of cars."""
    parts = kind.parts
    see, in_moving = _seeing(kind, parts), meeting_things(parts, moves=kind.moves)
    return Looks(
        see, _placing(parts, see), _meeting_scene(parts), in_moving,
        noting_passing(parts, in_moving, moves=kind.moves),
        _meeting_cars(parts), _undoing(parts, actuated=kind.actuated), _stepping(kind, see))


def _stepping(kind: WorldKind, see: Loop) -> Loop:
    step = stepping(kind.equations, kind.integrator, kind.parts, actuated=kind.actuated)
    feel = feeling(kind.parts, see, has_zones=kind.has_zones)

    @importable
    def step_one(
        rows: Flat, lines: Flat, around: WorldScenes, i: int, number: int, tick: RolloutTick,
    ) -> None:
        feel(rows, around.things, i)
        step(rows, lines, i, number, tick)

    return step_one


def _seeing(kind: WorldKind, parts: CarParts) -> Loop:
    own, observe = world_parts(parts), kind.equations.observe
    state_part, parameters_part = parts.motion.state, parts.parameters
    in_force = own.outputs if kind.actuated else own.inputs

    @importable
    def see(rows: Flat, i: int) -> Seen:
        x, y, qz, qw, vx, vy, yaw_rate = observe(
            load(rows, state_part, i), load(rows, in_force, i), load(rows, parameters_part, i))
        return Seen(x, y, qz, qw, vx, vy, yaw_rate)

    return see


def _placing(parts: CarParts, see: Loop) -> Loop:
    own = world_parts(parts)
    outline_part, body_part = own.outline, own.body

    @importable
    def place_one(rows: Flat, i: int) -> None:
        store(rows, outline_part, i, outline_of(see(rows, i), load(rows, body_part, i)))

    return place_one


def _position_part(parts: CarParts) -> Part[tuple[float, float]]:
    """Where x and y of the states are, which stand one after the other."""
    state = parts.motion.state
    return Part((0.0, 0.0), state.first + first_row(state.example, 'x'), LANES)


def _meeting_scene(parts: CarParts) -> Loop:
    own = world_parts(parts)
    outline_part, where_part, look_part = own.outline, own.where, own.look
    body_part, position_part = own.body, _position_part(parts)

    @importable
    def in_scene(rows: Flat, around: WorldScenes, i: int, margin: float) -> bool:
        x, y = load(rows, position_part, i)
        look = load(rows, look_part, i)
        # A margin to all sides reaches at most so far at the corners.
        need = 2.0 * max(margin, 0.0) + _SLACK
        if _gone(x - look.x, y - look.y) + need < look.free:
            return False
        scene, place = int(load(rows, where_part, i)[0]), load(rows, outline_part, i)
        body = load(rows, body_part, i)
        free = clearance(around.fixed, scene, Rectangle(
            x, y, place.cosine, place.sine,
            place.length + abs(body.ahead + body.base), place.width))
        store(rows, look_part, i, Look(x, y, free))
        return not need < free and is_taken(around.fixed, scene, wider(place, margin))

    return in_scene


@pure
def _gone(dx: float, dy: float) -> float:
    """How far a car has come since it was looked at [m]: till then it needs not be asked again."""
    return math.sqrt(dx * dx + dy * dy)


def coming_near(parts: CarParts) -> Loop:
    """Pure function (rows, count) that notes which cars in_scene() would have to look at.

    Without branches, as nearly all are far from everything nearly always.
    """
    own = world_parts(parts)
    look_part, near_part, position_part = own.look, own.near, _position_part(parts)

    @importable
    def come_near(rows: Flat, count: int) -> None:
        for i in range(count):
            x, y = load(rows, position_part, i)
            look = load(rows, look_part, i)
            is_far = _gone(x - look.x, y - look.y) + _SLACK < look.free
            store(rows, near_part, i, (0.0 if is_far else 1.0,))

    return come_near


def _meeting_cars(parts: CarParts) -> Loop:
    outline_part = world_parts(parts).outline

    @importable
    def in_car(rows: Flat, i: int, world: World, margin: float) -> bool:
        place, found = wider(load(rows, outline_part, i), margin), False
        for j in range(world.first, world.after):
            if j != i and rectangles_overlap(place, load(rows, outline_part, j)):
                found = True
        return found

    return in_car


def _undoing(parts: CarParts, *, actuated: bool) -> Loop:
    own = world_parts(parts)
    state_part, good_part = parts.motion.state, parts.good
    outputs_part, before_part = own.outputs, own.before

    @importable
    def undo(rows: Flat, i: int) -> None:
        store(rows, state_part, i, load(rows, good_part, i))
        if actuated:
            store(rows, outputs_part, i, load(rows, before_part, i))

    return undo


@functools.cache
def finding_inside(kind: WorldKind) -> Loop:
    """Pure function (rows, around, world) that puts a world back to the begin of the interval.

    It notes who is so deep in something that it was put there, who has diverged and so stands,
    and how fast each car is.
    """
    parts, looks = kind.parts, looks_of(kind)
    undo, place_one, see, in_scene, in_car = (
        looks.undo, looks.place_one, looks.see, looks.in_scene, looks.in_car)
    meeting_part, valid_part, speed_part = (
        world_parts(parts).meeting, parts.valid, world_parts(parts).approach)
    # Cars that hit each other are pushed apart.
    asks_cars = kind.policy == STOP

    @importable
    def find_inside(rows: Flat, around: WorldScenes, world: World) -> None:
        for i in range(world.first, world.after):
            undo(rows, i)
            place_one(rows, i)
        for i in range(world.first, world.after):
            m, seen = load(rows, meeting_part, i), see(rows, i)
            inside = in_scene(rows, around, i, -INSIDE) or (
                asks_cars and in_car(rows, i, world, -INSIDE))
            stands = m.stands if load(rows, valid_part, i)[0] > 0.0 else 1.0
            store(rows, speed_part, i, (math.sqrt(seen.vx * seen.vx + seen.vy * seen.vy),))
            store(rows, meeting_part, i, Meeting(
                stands, m.contacts, m.in_contact, m.hit_scene, m.hit_cars, m.impact_speed,
                m.impulse, 1.0 if inside else 0.0))

    return find_inside
