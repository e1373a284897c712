# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Things that move, where cars of worlds may meet them, as obstacles has it for Simulators."""

from __future__ import annotations

import math

import numpy as np

from racecar.base.columns import Array
from racecar.base.compiled import importable, pure, routine
from racecar.base.rows import load, store
from racecar.base.touch import Touch
from racecar.base.types import NANOSECONDS
from racecar.base.vectors import Flat
from racecar.dynamics.impulse import Body, FIXED
from racecar.scene.motions import motion_at, MotionRows, MotionState
from racecar.scene.overlaps import meets_disc, Rectangle, rectangles_overlap
from racecar.scene.surroundings import part_of, Surroundings
from racecar.scene.touching import disc_touch, rectangles_touch
from racecar.simulation.car_body import Seen
from racecar.simulation.car_kernels import CarParts
from racecar.simulation.layout import Loop
from racecar.simulation.obstacles import INSIDE, MORE_SPEED
from racecar.simulation.world_rows import World, world_parts
from racecar.simulation.world_things import Things, WorldScenes


@pure
def wider(place: Rectangle, margin: float) -> Rectangle:
    """Rectangle that reaches farther to all sides [m]."""
    return Rectangle(place.x, place.y, place.cosine, place.sine, place.length + margin,
                     place.width + margin)


@routine
def mover_at(things: Things, row: int, time_ns: int) -> MotionState:
    """Where a moving thing is at a time of its world [ns]."""
    movers = things.movers
    return motion_at(MotionRows(things.motions, things.legs), int(movers[row, 7]),
                     time_ns + int(movers[row, 0]))


@pure
def _box_at(things: Things, row: int, at: MotionState) -> Rectangle:
    return Rectangle(at.x, at.y, math.cos(at.yaw), math.sin(at.yaw), things.movers[row, 2],
                     things.movers[row, 3])


@pure
def _is_round(things: Things, row: int) -> bool:
    return bool(things.movers[row, 1] > 0.0)


@routine
def is_met(things: Things, car: int, place: Rectangle, time_ns: int) -> bool:
    """Whether a rectangle overlaps with what moves in the world of a car."""
    for row in range(int(things.of_cars[car, 2]), int(things.of_cars[car, 3])):
        at = mover_at(things, row, time_ns)
        if _is_round(things, row):
            if meets_disc(place, at.x, at.y, things.movers[row, 2]):
                return True
        elif rectangles_overlap(place, _box_at(things, row, at)):
            return True
    return False


@routine
def may_be_met(things: Things, car: int, seen: Seen, reach: float, when: tuple[int, int]) -> bool:
    """Whether a car may have met what moves; see Obstacles.may_meet().

    reach: of the car about base_link [m]; when: time now, and for how long before [ns].
    """
    time_ns, span_ns = when
    pace = math.hypot(seen.vx, seen.vy) + reach * abs(seen.yaw_rate) + MORE_SPEED
    for row in range(int(things.of_cars[car, 2]), int(things.of_cars[car, 3])):
        at = mover_at(things, row, time_ns)
        way = reach + things.movers[row, 5] + span_ns / NANOSECONDS * (
            pace + things.movers[row, 6])
        if math.hypot(at.x - seen.x, at.y - seen.y) < way:
            return True
    return False


def meeting_things(parts: CarParts, *, moves: bool) -> Loop:
    """Pure function (rows, around, i, margin, time_ns): whether a car is in what moves."""
    if not moves:
        @importable
        def in_nothing(
            rows: Flat, around: WorldScenes, i: int, margin: float, time_ns: int,
        ) -> bool:
            return False

        return in_nothing

    own = world_parts(parts)
    number_part, outline_part = own.number, own.outline

    @importable
    def in_moving(rows: Flat, around: WorldScenes, i: int, margin: float, time_ns: int) -> bool:
        return is_met(around.things, int(load(rows, number_part, i)[0]),
                      wider(load(rows, outline_part, i), margin), time_ns)

    return in_moving


def noting_passing(parts: CarParts, in_moving: Loop, *, moves: bool) -> Loop:
    """Pure function (rows, around, i, time_ns) that notes whether a car may leave what moves.

    That is where it is deeper than INSIDE, before a step.
    """
    if not moves:
        @importable
        def note_nothing(rows: Flat, around: WorldScenes, i: int, time_ns: int) -> None:
            pass

        return note_nothing

    passing_part = world_parts(parts).passing

    @importable
    def note_passing(rows: Flat, around: WorldScenes, i: int, time_ns: int) -> None:
        store(rows, passing_part, i, (
            1.0 if in_moving(rows, around, i, -INSIDE, time_ns) else 0.0,))

    return note_passing


def nearing(parts: CarParts, see: Loop, *, moves: bool) -> Loop:
    """Pure function (rows, around, world, span_ns): whether a car may have met what moves.

    That is after an interval of so many ns of the World; see: see Looks.
    """
    if not moves:
        @importable
        def near_nothing(rows: Flat, around: WorldScenes, world: World, span_ns: int) -> bool:
            return False

        return near_nothing

    own = world_parts(parts)
    number_part, body_part = own.number, own.body

    @importable
    def near_moving(rows: Flat, around: WorldScenes, world: World, span_ns: int) -> bool:
        found = False
        for i in range(world.first, world.after):
            body = load(rows, body_part, i)
            reach = math.hypot(body.length + abs(body.ahead), body.width)
            found = found or may_be_met(
                around.things, int(load(rows, number_part, i)[0]), see(rows, i), reach,
                (world.time_ns + span_ns, span_ns))
        return found

    return near_moving


@pure
def _write_box(rows: Array, row: int, box: Rectangle, height: float) -> None:
    """Write a box as the function box_rows has it."""
    rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3] = box.x, box.y, box.cosine, box.sine
    rows[row, 4], rows[row, 5], rows[row, 6] = box.length, box.width, height


@routine
def put_rows(source: Array, rows: Array) -> None:
    """Write an array to the begin of another, (n, numbers).

    A slice says what is wrong with shapes, for which seconds of text functions are compiled.
    """
    for row in range(source.shape[0]):
        for column in range(source.shape[1]):
            rows[row, column] = source[row, column]


@routine
def with_moving(around: WorldScenes, scene: int, car: int, time_ns: int) -> Surroundings:
    """The scene of a car as number 0, with what moves where it is; for touches alone."""
    fixed, things = around.fixed, around.things
    first, after = int(things.of_cars[car, 2]), int(things.of_cars[car, 3])
    boxes, feet = part_of(fixed.boxes, fixed, scene, 2), part_of(fixed.feet, fixed, scene, 4)
    box, foot = len(boxes), len(feet)
    more_boxes = np.empty((box + after - first, boxes.shape[1]))
    more_feet = np.empty((foot + after - first, feet.shape[1]))
    put_rows(boxes, more_boxes)
    put_rows(feet, more_feet)
    for row in range(first, after):
        at, height = mover_at(things, row, time_ns), things.movers[row, 4]
        if _is_round(things, row):
            more_feet[foot, 0], more_feet[foot, 1] = at.x, at.y
            more_feet[foot, 2], more_feet[foot, 3] = things.movers[row, 2], height
            foot += 1
        else:
            _write_box(more_boxes, box, _box_at(things, row, at), height)
            box += 1
    table = np.empty((1, fixed.table.shape[1]))
    for column in range(table.shape[1]):
        table[0, column] = fixed.table[scene, column]
    table[0, 2], table[0, 3], table[0, 4], table[0, 5] = 0.0, box, 0.0, foot
    return Surroundings(fixed.walls, more_boxes, fixed.cones, more_feet, fixed.room, table)


@routine
def touched_body(
    things: Things, car: int, place: Rectangle, depth: float, time_ns: int,
) -> Body:
    """What a rectangle is in by at least a depth [m]: a moving thing, else what is fixed."""
    body = FIXED
    for row in range(int(things.of_cars[car, 2]), int(things.of_cars[car, 3])):
        at = mover_at(things, row, time_ns)
        touch: Touch
        if _is_round(things, row):
            touch = disc_touch(place, at.x, at.y, things.movers[row, 2])
        else:
            touch = rectangles_touch(place, _box_at(things, row, at))
        if touch.depth >= depth:
            body = Body(at.x, at.y, 1.0, 0.0, at.vx, at.vy, at.yaw_rate, 0.0, 0.0, 0.0, 0.0, 0.0,
                        0.0, 0.0)
    return body


@routine
def see_moving(
    things: Things, car: int, time_ns: int, boxes: Array, cones: Array, used: tuple[int, int],
) -> tuple[int, int]:
    """Add what moves in the world of a car to rows of boxes and of cones; how many these are then.

    used: rows before; all as the functions box_rows and cone_rows have them.
    """
    box, cone = used
    for row in range(int(things.of_cars[car, 2]), int(things.of_cars[car, 3])):
        at, height = mover_at(things, row, time_ns), things.movers[row, 4]
        if _is_round(things, row):
            cones[cone, 0], cones[cone, 1], cones[cone, 2] = at.x, at.y, things.movers[row, 2]
            cones[cone, 3], cones[cone, 4] = math.inf, height
            cone += 1
        else:
            _write_box(boxes, box, _box_at(things, row, at), height)
            box += 1
    return box, cone
