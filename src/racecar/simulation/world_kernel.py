# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernel of a block of worlds: a control period of all its cars, contacts, laps, readings."""

from __future__ import annotations

import functools

from racecar.base.compiled import compiled, importable
from racecar.base.rows import lent, load, Part, span, store, zeros_of
from racecar.base.types import NANOSECONDS, quaternion_to_yaw
from racecar.base.vectors import Flat
from racecar.metrics.lap_progress import (
    Courses,
    lap_reading,
    LapReading,
    line_of,
    NO_LAP_READING,
)
from racecar.metrics.laps import LAP_PART, LAP_SIZE, lap_step, Sample
from racecar.scene.surroundings import Surroundings
from racecar.simulation.car_body import outline_of
from racecar.simulation.car_kernels import CarKernel, CarParts, checking, saving
from racecar.simulation.layout import LANES, Loop
from racecar.simulation.rollout_kernel import holding, RolloutTick, taking
from racecar.simulation.world_contact import meeting
from racecar.simulation.world_ground import driving_on_ground, feeling
from racecar.simulation.world_looks import looks_of, world_parts_of, WorldKind
from racecar.simulation.world_rows import (
    CarReading,
    CarShape,
    Clock,
    Meeting,
    NO_READING,
    NO_SHAPE,
    world_parts,
    WorldPlan,
)
from racecar.simulation.world_things import PlainScenes, Things, WorldScenes

_PLAN, _READING = Part(zeros_of(WorldPlan)), Part(NO_READING)
_READING_SIZE = _READING.after
_SHAPE = Part(NO_SHAPE)
_SHAPE_SIZE = _SHAPE.after


def _beginning(parts: CarParts) -> Loop:
    """Pure function (rows, count) that begins a period: who stands may go on."""
    own = world_parts(parts)
    clock_part, meeting_part = own.clock, own.meeting

    @importable
    def begin_all(rows: Flat, count: int) -> None:
        for i in range(count):
            clock, m = load(rows, clock_part, i), load(rows, meeting_part, i)
            store(rows, clock_part, i, Clock(clock.ticks + 1.0, 1.0))
            store(rows, meeting_part, i, Meeting(
                0.0, m.contacts, m.in_contact, 0.0, 0.0, m.impact_speed, 0.0, 0.0))

    return begin_all


def _keeping(parts: CarParts, *, actuated: bool) -> Loop:
    """Pure function (rows, count) that keeps the outputs of the actuators."""
    own = world_parts(parts)
    outputs_part, before_part = own.outputs, own.before

    @importable
    def keep_all(rows: Flat, count: int) -> None:
        if actuated:
            for i in range(count):
                store(rows, before_part, i, load(rows, outputs_part, i))

    return keep_all


def _timing(parts: CarParts) -> Loop:
    """Pure function (rows, laps, courses, i, sample, yaw) that times the laps of a sample."""
    own = world_parts(parts)
    number_part, where_part, clock_part = own.number, own.where, own.clock

    @importable
    def time_one(
        rows: Flat, laps: Flat, courses: Courses, i: int, sample: Sample, yaw: float,
    ) -> LapReading:
        course = int(load(rows, where_part, i)[1])
        if course < 0:
            return NO_LAP_READING
        line, at = line_of(courses, course), LAP_SIZE * int(load(rows, number_part, i)[0])
        state = load(laps, LAP_PART, at)
        if load(rows, clock_part, i).fresh > 0.0:
            state = lap_step(line, state, sample)
            store(laps, LAP_PART, at, state)
        return lap_reading(line, state, yaw)

    return time_one


def _reading(parts: CarParts, see: Loop, *, actuated: bool) -> Loop:
    """Pure function (rows, laps, courses, outputs, plan) that writes what is read of all cars."""
    own = world_parts(parts)
    state_part, valid_part = parts.motion.state, parts.valid
    number_part, clock_part, meeting_part = own.number, own.clock, own.meeting
    body_part, where_part = own.body, own.where
    in_force, one = own.outputs if actuated else own.inputs, Part(parts.motion.state.example)
    time_one = _timing(parts)

    @importable
    def read_all(
        rows: Flat, laps: Flat, courses: Courses, outputs: tuple[Flat, Flat, Flat],
        plan: WorldPlan,
    ) -> None:
        states, readings, shapes = outputs
        stride = int(plan.stride)
        for i in range(int(plan.cars)):
            number, clock = int(load(rows, number_part, i)[0]), load(rows, clock_part, i)
            # Of who has not moved since everything stands there.
            if clock.fresh == 0.0:
                continue
            seen, command = see(rows, i), load(rows, in_force, i)
            time = clock.ticks * plan.period_ns / NANOSECONDS
            yaw, m = quaternion_to_yaw(0.0, 0.0, seen.qz, seen.qw), load(rows, meeting_part, i)
            lap = time_one(rows, laps, courses, i, Sample(time, seen.x, seen.y), yaw)
            store(rows, clock_part, i, Clock(clock.ticks, 0.0))
            store(states, one, number * stride, load(rows, state_part, i))
            store(readings, _READING, number * _READING_SIZE, CarReading(
                seen.x, seen.y, yaw, seen.vx, seen.vy, seen.yaw_rate, command.speed,
                command.steering_angle, load(rows, valid_part, i)[0], time, m.contacts,
                m.in_contact, m.hit_scene, m.hit_cars, m.impact_speed, m.impulse, lap))
            store(shapes, _SHAPE, number * _SHAPE_SIZE, CarShape(
                seen.x, seen.y, seen.qz, seen.qw, outline_of(seen, load(rows, body_part, i)),
                load(rows, where_part, i)[0], clock.ticks))

    return read_all


@functools.cache
def world_kernel(kind: WorldKind, types: tuple[object, ...]) -> CarKernel:
    """Kernel run(rows, given, outputs, around, courses, plan) of blocks of worlds.

    The blocks lie in rows and lines one after the other; in plain Python there is one of them.
    types: of these arguments; given: lines, see racecar.simulation.rollout_kernel.responding(),
    inputs of all cars, and LapState of all cars; outputs: states, CarReading and CarShape of all
    cars, filled in for those of the block; around: fields of Surroundings, and of Things; courses:
    fields of Courses; plan: numbers of a WorldPlan. All but around are flat. Raises ParameterError
    if the method is unknown.
    """
    equations, integrator, actuated = kind[:3]
    parts, see = world_parts_of(equations, integrator), looks_of(kind).see
    take_all, save_all, check_all = taking(equations, parts), saving(parts), checking(parts)
    begin_all, keep_all = _beginning(parts), _keeping(parts, actuated=actuated)
    has_zones = kind.has_zones
    drive_all = driving_on_ground(
        equations, integrator, parts, feeling(parts, see, has_zones=has_zones),
        actuated=actuated, has_zones=has_zones)
    hold_one = holding(equations, parts)
    meet_all = meeting(kind)
    read_all = _reading(parts, see, actuated=actuated)

    size = parts.rows * LANES

    @importable
    def run_block(
        rows: Flat, given: tuple[Flat, Flat, Flat], outputs: tuple[Flat, Flat, Flat],
        around: WorldScenes, courses: Courses, p: WorldPlan,
    ) -> None:
        lines, inputs, laps = given
        count, depth, steps = int(p.cars), int(p.depth), int(p.steps)
        if p.ticks > 0.0:
            take_all(rows, count, inputs, 0, int(p.size))
            begin_all(rows, count)
            if not (actuated or has_zones):
                for i in range(count):
                    hold_one(rows, i)
            for interval in range(int(p.intervals)):
                tick = RolloutTick(int(p.done) + interval * steps, depth, p.dt, steps)
                save_all(rows, count)
                keep_all(rows, count)
                drive_all(rows, lines, around, count, tick)
                check_all(rows, count)
                meet_all(rows, lines, around, tick, p)
                # Steps that were taken anew may have diverged.
                check_all(rows, count)
        read_all(rows, laps, courses, outputs, p)

    def run_worlds(
        rows: Flat, given: tuple[Flat, Flat, Flat], outputs: tuple[Flat, Flat, Flat],
        around: PlainScenes, courses: tuple[Flat, ...], plan: Flat,
    ) -> None:
        p = load(plan, _PLAN, 0)
        fixed, things = lent(around)
        around_all, courses_all = (
            WorldScenes(Surroundings(*fixed), Things(*things)), Courses(*lent(courses)))
        (lines, inputs, laps), written = lent(given), lent(outputs)
        each, left, line_size = int(p.each), int(p.cars), 2 * int(p.depth) * LANES
        block = int(p.first)
        while left > 0:
            count = min(left, each)
            run_block(
                span(rows, block * size, (block + 1) * size),
                (span(lines, block * line_size, (block + 1) * line_size), inputs, laps), written,
                around_all, courses_all, WorldPlan(
                    float(count), p.first, p.each, p.together, p.ticks, p.size, p.dt, p.intervals,
                    p.steps, p.done, p.depth, p.stride, p.period_ns, p.restitution, p.friction))
            block, left = block + 1, left - count

    return CarKernel(parts, compiled(run_worlds, types))
