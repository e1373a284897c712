# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What happens where cars of one world meet each other and what stands around.

After every interval of some steps the cars of each world are looked at. Where one is in something,
the world goes back to the begin of the interval and takes its steps one by one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import importable, pure
from racecar.base.rows import load, store, with_pose, zeros_like
from racecar.base.types import quaternion_to_yaw
from racecar.base.vectors import Flat
from racecar.dynamics.vehicles.interface import Command, Equations
from racecar.scene.overlaps import Rectangle, rectangles_overlap
from racecar.scene.surroundings import is_taken, Surroundings
from racecar.simulation.car_body import CarBody
from racecar.simulation.car_kernels import CarParts
from racecar.simulation.layout import Loop
from racecar.simulation.obstacles import INSIDE, RELEASE
from racecar.simulation.rollout_kernel import RolloutTick
from racecar.simulation.world_rows import Meeting, world_parts, WorldPlan

NONE, STOP, IMPULSE = 'none', 'stop', 'impulse'
POLICIES = (NONE, STOP, IMPULSE)


class Seen(NamedTuple):
    """Pose and twist of base_link as observe() gives them."""

    x: float
    y: float
    qz: float
    qw: float
    vx: float
    vy: float
    yaw_rate: float


@pure
def outline_of(seen: Seen, body: CarBody) -> Rectangle:
    """Rectangle that a car covers."""
    qz, qw = seen.qz, seen.qw
    cosine, sine = qw * qw - qz * qz, 2.0 * qz * qw
    return Rectangle(
        seen.x + body.ahead * cosine, seen.y + body.ahead * sine, cosine, sine, body.length,
        body.width)


@pure
def wider(place: Rectangle, margin: float) -> Rectangle:
    """Rectangle that reaches farther to all sides [m]."""
    return Rectangle(place.x, place.y, place.cosine, place.sine, place.length + margin,
                     place.width + margin)


def observing(equations: Equations, parts: CarParts, *, actuated: bool) -> Loop:
    """Pure function (rows, i) that gives Seen of a car."""
    own, observe = world_parts(parts), equations.observe
    state_part, parameters_part = parts.motion.state, parts.parameters
    in_force = own.outputs if actuated else own.inputs

    @importable
    def see(rows: Flat, i: int) -> Seen:
        x, y, qz, qw, vx, vy, yaw_rate = observe(
            load(rows, state_part, i), load(rows, in_force, i), load(rows, parameters_part, i))
        return Seen(x, y, qz, qw, vx, vy, yaw_rate)

    return see


class Steps(NamedTuple):
    """What contacts do to cars: pure functions of (rows, ..., i), see where they are made."""

    see: Loop
    step_one: Loop


def _placing(parts: CarParts, see: Loop) -> Loop:
    """Pure function (rows, i) that notes where a car is."""
    own = world_parts(parts)
    outline_part, body_part = own.outline, own.body

    @importable
    def place_one(rows: Flat, i: int) -> None:
        store(rows, outline_part, i, outline_of(see(rows, i), load(rows, body_part, i)))

    return place_one


def _meeting_scene(parts: CarParts) -> Loop:
    """Pure function (rows, around, i, margin) whether a car is in something that stands around."""
    own = world_parts(parts)
    outline_part, where_part = own.outline, own.where

    @importable
    def is_in_scene(rows: Flat, around: Surroundings, i: int, margin: float) -> bool:
        return is_taken(around, int(load(rows, where_part, i)[0]),
                        wider(load(rows, outline_part, i), margin))

    return is_in_scene


def _meeting_cars(parts: CarParts) -> Loop:
    """Pure function (rows, i, first, together, margin) whether a car is in another of its world.

    margin: of this car alone; the others are of those from lane `first` on.
    """
    outline_part = world_parts(parts).outline

    @importable
    def is_in_car(rows: Flat, i: int, first: int, together: int, margin: float) -> bool:
        place, found = wider(load(rows, outline_part, i), margin), False
        for j in range(first, first + together):
            if j != i and rectangles_overlap(place, load(rows, outline_part, j)):
                found = True
        return found

    return is_in_car


def _undoing(parts: CarParts, *, actuated: bool) -> Loop:
    """Pure function (rows, i) that puts a car back to where it was before the interval."""
    own = world_parts(parts)
    state_part, good_part = parts.motion.state, parts.good
    outputs_part, before_part = own.outputs, own.before

    @importable
    def undo(rows: Flat, i: int) -> None:
        store(rows, state_part, i, load(rows, good_part, i))
        if actuated:
            store(rows, outputs_part, i, load(rows, before_part, i))

    return undo


def _releasing(parts: CarParts, in_scene: Loop, in_car: Loop) -> Loop:
    """Pure function (rows, around, i, first, together) that ends a contact of a car well away."""
    meeting_part = world_parts(parts).meeting

    @importable
    def release(rows: Flat, around: Surroundings, i: int, first: int, together: int) -> None:
        meeting = load(rows, meeting_part, i)
        if meeting.in_contact > 0.0 and not (
                in_scene(rows, around, i, RELEASE) or in_car(rows, i, first, together, RELEASE)):
            store(rows, meeting_part, i, Meeting(
                meeting.stands, meeting.contacts, 0.0, meeting.hit_scene, meeting.hit_cars,
                meeting.impact_speed, meeting.impulse, meeting.inside))

    return release


@pure
def _hit(meeting: Meeting, speed: float, by_scene: bool, stands: float) -> Meeting:
    """Meeting after a contact of a car that has come with a speed [m/s]."""
    is_new = meeting.in_contact == 0.0
    return Meeting(
        stands, meeting.contacts + (1.0 if is_new else 0.0), 1.0,
        1.0 if by_scene else meeting.hit_scene, meeting.hit_cars if by_scene else 1.0,
        speed if is_new else meeting.impact_speed, meeting.impulse, meeting.inside)


def _resting(equations: Equations, parts: CarParts, see: Loop) -> Loop:
    """Pure function (rows, i) that lets a car rest where its base_link is."""
    own = world_parts(parts)
    state_part, body_part = parts.motion.state, own.body
    example = equations.state

    @importable
    def rest(rows: Flat, i: int) -> None:
        seen, body = see(rows, i), load(rows, body_part, i)
        yaw = quaternion_to_yaw(0.0, 0.0, seen.qz, seen.qw)
        store(rows, state_part, i, with_pose(
            zeros_like(load(rows, state_part, i)), seen.x - body.base * math.cos(yaw),
            seen.y - body.base * math.sin(yaw), yaw))

    return rest


def _standing(parts: CarParts, *, actuated: bool) -> Loop:
    """Pure function (rows, i) that takes the speed from a car that stands."""
    own = world_parts(parts)
    in_force = own.outputs if actuated else own.inputs

    @importable
    def stand(rows: Flat, i: int) -> None:
        store(rows, in_force, i, Command(0.0, load(rows, in_force, i).steering_angle))

    return stand


def _stopping(equations: Equations, parts: CarParts, steps: Steps, *, actuated: bool) -> Loop:
    """Pure function that takes the cars of a world through an interval in which one is stopped.

    (rows, lines, around, first, together, tick): cars from lane `first` on; see meeting().
    """
    own = world_parts(parts)
    see, step_one = steps
    place_one, in_scene, in_car = (
        _placing(parts, see), _meeting_scene(parts), _meeting_cars(parts))
    undo, rest, stand = (
        _undoing(parts, actuated=actuated), _resting(equations, parts, see),
        _standing(parts, actuated=actuated))
    meeting_part, state_part, back_part = own.meeting, parts.motion.state, own.back
    valid_part = parts.valid

    @importable
    def find_inside(rows: Flat, around: Surroundings, first: int, together: int) -> None:
        """Note who is so deep in something that it was put there, and with which speed it comes.

        Until the end of the interval the speed stands where the impulse does, which nobody uses.
        """
        for i in range(first, first + together):
            undo(rows, i)
            place_one(rows, i)
        for i in range(first, first + together):
            m, seen = load(rows, meeting_part, i), see(rows, i)
            # What has diverged is left where it is.
            stands = m.stands if load(rows, valid_part, i)[0] > 0.0 else 1.0
            inside = in_scene(rows, around, i, -INSIDE) or in_car(
                rows, i, first, together, -INSIDE)
            store(rows, meeting_part, i, Meeting(
                stands, m.contacts, m.in_contact, m.hit_scene, m.hit_cars, m.impact_speed,
                math.hypot(seen.vx, seen.vy), 1.0 if inside else 0.0))

    @importable
    def stop_blocked(rows: Flat, around: Surroundings, first: int, together: int) -> bool:
        """Put back, and stop, who is in something now; whether there was anybody."""
        found = False
        for i in range(first, first + together):
            m = load(rows, meeting_part, i)
            if m.inside > 0.0:
                continue
            stood = m.stands == 1.0
            by_scene = not stood and in_scene(rows, around, i, 0.0)
            # Of two that meet each is found: none is put back before all have been looked at.
            by_car = in_car(rows, i, first, together, 0.0)
            found = found or (not stood and (by_scene or by_car))
            stands = 1.0 if stood else 2.0
            if by_scene:
                m = _hit(m, m.impulse, True, stands)
            if by_car:
                m = _hit(m, m.impulse, False, stands)
            store(rows, meeting_part, i, m)
        for i in range(first, first + together):
            m = load(rows, meeting_part, i)
            if m.stands == 2.0:
                store(rows, state_part, i, load(rows, back_part, i))
                rest(rows, i)
                place_one(rows, i)
                store(rows, meeting_part, i, Meeting(
                    1.0, m.contacts, m.in_contact, m.hit_scene, m.hit_cars, m.impact_speed,
                    m.impulse, m.inside))
        return found

    @importable
    def stop(
        rows: Flat, lines: Flat, around: Surroundings, first: int, together: int,
        tick: RolloutTick, plan: WorldPlan,
    ) -> None:
        find_inside(rows, around, first, together)
        for number in range(tick.done, tick.done + tick.steps):
            for i in range(first, first + together):
                # Of one that stands only the actuators move on.
                state = load(rows, state_part, i)
                store(rows, back_part, i, state)
                step_one(rows, lines, i, number, tick)
                if load(rows, meeting_part, i).stands > 0.0:
                    store(rows, state_part, i, state)
                else:
                    place_one(rows, i)
            # One that is put back may be in the way of another.
            going = stop_blocked(rows, around, first, together)
            while going:
                going = stop_blocked(rows, around, first, together)
        for i in range(first, first + together):
            m = load(rows, meeting_part, i)
            if m.stands > 0.0:
                stand(rows, i)
            store(rows, meeting_part, i, Meeting(
                m.stands, m.contacts, m.in_contact, m.hit_scene, m.hit_cars, m.impact_speed, 0.0,
                0.0))

    return stop


def meeting(
    equations: Equations, parts: CarParts, steps: Steps, policy: str, *, actuated: bool,
) -> Loop:
    """Pure function (rows, lines, around, tick, plan) of what contacts do after an interval.

    The interval, a RolloutTick, has been driven by all cars of the block, as if nothing were in
    the way; the plan is a WorldPlan.
    """
    if policy == NONE:
        @importable
        def meet_nothing(
            rows: Flat, lines: Flat, around: Surroundings, tick: RolloutTick, plan: WorldPlan,
        ) -> None:
            pass

        return meet_nothing

    own = world_parts(parts)
    place_one, in_scene, in_car = (
        _placing(parts, steps.see), _meeting_scene(parts), _meeting_cars(parts))
    release, valid_part, meeting_part = (
        _releasing(parts, in_scene, in_car), parts.valid, own.meeting)
    resolve = _stopping(equations, parts, steps, actuated=actuated)

    @importable
    def meet_all(
        rows: Flat, lines: Flat, around: Surroundings, tick: RolloutTick, plan: WorldPlan,
    ) -> None:
        count, together = int(plan.cars), int(plan.together)
        for i in range(count):
            place_one(rows, i)
        for first in range(0, count, together):
            touched = False
            for i in range(first, first + together):
                touched = touched or load(rows, valid_part, i)[0] > 0.0 and (
                    load(rows, meeting_part, i).stands > 0.0
                    or in_scene(rows, around, i, 0.0)
                    or in_car(rows, i, first, together, 0.0))
            if touched:
                resolve(rows, lines, around, first, together, tick, plan)
            for i in range(first, first + together):
                if load(rows, meeting_part, i).stands == 0.0:
                    release(rows, around, i, first, together)

    return meet_all
