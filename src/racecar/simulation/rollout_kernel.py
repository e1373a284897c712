# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Blocks of cars that follow given inputs for many ticks in one call, and what is recorded."""

from __future__ import annotations

import functools
from typing import cast, NamedTuple

from racecar.base.compiled import compiled, importable
from racecar.base.rows import count_numbers, first_row, load, Numbers, Part, store, zeros_of
from racecar.base.vectors import Flat
from racecar.dynamics.actuators import Channel, Channels, respond
from racecar.dynamics.integrators import step_function
from racecar.dynamics.vehicles.interface import Command, Equations, NO_COMMAND
from racecar.simulation.car_kernels import car_parts, CarKernel, CarParts, checking, saving
from racecar.simulation.engine import CommandLimits, integration, limited
from racecar.simulation.layout import LANES, Loop


class RolloutRows(NamedTuple):
    """Rows that a car which follows inputs has besides those of all.

    inputs: in force; limits: of commands; channels: of the actuators; outputs: what these give;
    number: that of the car in arrays of all cars; driven: ticks of this call in which the car
    stayed valid.
    """

    inputs: Numbers
    limits: CommandLimits
    channels: Channels
    outputs: Command
    number: tuple[float]
    driven: tuple[float]


_CHANNEL = zeros_of(Channel)


def rollout_rows(equations: Equations) -> RolloutRows:
    """Example of the rows of cars with these equations."""
    return RolloutRows(
        equations.inputs, zeros_of(CommandLimits), Channels(_CHANNEL, _CHANNEL), NO_COMMAND,
        (0.0,), (0.0,))


class RolloutParts(NamedTuple):
    """Where a block has the fields of RolloutRows."""

    inputs: Part[Numbers]
    limits: Part[CommandLimits]
    channels: Part[Channels]
    outputs: Part[Command]
    number: Part[tuple[float]]
    driven: Part[tuple[float]]


def rollout_parts(parts: CarParts) -> RolloutParts:
    """Where a block has the fields of RolloutRows, or of what begins with them."""
    example, first = parts.inputs.example, parts.inputs.first
    return RolloutParts(*(
        Part(getattr(example, field), first + first_row(example, field), LANES)
        for field in RolloutParts._fields))


class RolloutPlan(NamedTuple):
    """What a call of the kernel is to do.

    cars: how many; first, ticks: the first tick and how many; between: numbers from the inputs of
    a car to those of the next, 0 if they are the same; dt: step [s], steps in a tick; done: steps
    before the first tick of the run, depth: rows of each delay line; every: one of so many ticks
    is recorded, 0 for none; samples: of each car, stride: numbers of each.
    """

    cars: float
    first: float
    ticks: float
    between: float
    dt: float
    steps: float
    done: float
    depth: float
    every: float
    samples: float
    stride: float


class RolloutTick(NamedTuple):
    """A tick: steps before it, commands that delay lines hold, length of a step [s], its steps."""

    done: int
    depth: int
    dt: float
    steps: int


_PLAN = Part(zeros_of(RolloutPlan))


def taking(equations: Equations, parts: CarParts) -> Loop:
    """Pure function that reads the inputs of a tick, commands within the limits of the vehicle."""
    own = rollout_parts(parts)
    inputs_part, limits_part, number_part = own.inputs, own.limits, own.number
    one, size = Part(equations.inputs), count_numbers(equations.inputs)

    example = equations.inputs
    if not isinstance(example, Command):
        @importable
        def take_given(rows: Flat, count: int, inputs: Flat, tick: int, between: int) -> None:
            for i in range(count):
                at = int(load(rows, number_part, i)[0]) * between + tick * size
                store(rows, inputs_part, i, load(inputs, one, at))

        return take_given

    command_part = Part(example)

    @importable
    def take_commands(rows: Flat, count: int, inputs: Flat, tick: int, between: int) -> None:
        for i in range(count):
            at = int(load(rows, number_part, i)[0]) * between + tick * size
            store(rows, inputs_part, i, limited(
                load(inputs, command_part, at), load(rows, limits_part, i)))

    return take_commands


def holding(equations: Equations, parts: CarParts) -> Loop:
    """Pure function (rows, i) that holds the inputs of car i, which has no actuators."""
    hold, held_part, parameters_part = equations.hold, parts.motion.held, parts.parameters
    inputs_part = rollout_parts(parts).inputs

    @importable
    def hold_one(rows: Flat, i: int) -> None:
        store(rows, held_part, i,
              hold(load(rows, inputs_part, i), load(rows, parameters_part, i)))

    return hold_one


def driving(
    equations: Equations, integrator: str, parts: CarParts, *, actuated: bool,
    holds: bool = True,
) -> Loop:
    """Pure function (rows, lines, count, tick) that takes cars through a RolloutTick.

    lines: of actuators, see responding(); those of cars without are empty. holds: whether it holds
    inputs anew, or they have been by holding(); actuators do so in each step.
    """
    integrate, hold = integration(equations, integrator, parts.motion), equations.hold
    held_part, parameters_part = parts.motion.held, parts.parameters
    outputs_part, hold_one = rollout_parts(parts).outputs, holding(equations, parts)

    if not actuated:
        @importable
        def drive_held(rows: Flat, lines: Flat, count: int, tick: RolloutTick) -> None:
            if holds:
                for i in range(count):
                    hold_one(rows, i)
            integrate(rows, count, tick.dt, tick.steps)

        return drive_held

    respond_one = responding(parts)

    @importable
    def drive_actuated(rows: Flat, lines: Flat, count: int, tick: RolloutTick) -> None:
        for step in range(tick.done, tick.done + tick.steps):
            for i in range(count):
                respond_one(rows, lines, i, step, tick.depth)
                store(rows, held_part, i, hold(
                    load(rows, outputs_part, i), load(rows, parameters_part, i)))
            integrate(rows, count, tick.dt, 1)

    return drive_actuated


def responding(parts: CarParts) -> Loop:
    """Pure function (rows, lines, i, step, depth) that moves the actuators of car i by a step.

    lines: commands of the last `depth` steps, speeds and then steering angles, in rows of LANES;
    that of a step lies where its number modulo the depth says.
    """
    own = rollout_parts(parts)
    command_part = cast(Part[Command], own.inputs)
    channels_part, outputs_part = own.channels, own.outputs

    @importable
    def respond_one(rows: Flat, lines: Flat, i: int, step: int, depth: int) -> None:
        now = step % depth
        command = load(rows, command_part, i)
        lines[now * LANES + i] = command.speed
        lines[(depth + now) * LANES + i] = command.steering_angle
        speed, steering = load(rows, channels_part, i)
        before = load(rows, outputs_part, i)
        speed_at = now - int(speed.delay_steps)
        speed_at += depth if speed_at < 0 else 0
        steering_at = now - int(steering.delay_steps)
        steering_at += depth if steering_at < 0 else 0
        store(rows, outputs_part, i, Command(
            respond(before.speed, speed.scale * lines[speed_at * LANES + i] + speed.offset,
                    speed.gain, speed.largest_change),
            respond(before.steering_angle,
                    steering.scale * lines[(depth + steering_at) * LANES + i] + steering.offset,
                    steering.gain, steering.largest_change)))

    return respond_one


def stepping(
    equations: Equations, integrator: str, parts: CarParts, *, actuated: bool,
) -> Loop:
    """Pure function (rows, lines, i, number, tick) that takes car i alone through a step.

    number: that of the step; of the RolloutTick depth and dt count. The bits are those of
    driving().
    """
    step, hold = step_function(equations.rates, integrator), equations.hold
    state_part, parameters_part = parts.motion.state, parts.parameters
    own = rollout_parts(parts)
    inputs_part, outputs_part = own.inputs, own.outputs
    if not actuated:
        @importable
        def step_held(
            rows: Flat, lines: Flat, i: int, number: int, tick: RolloutTick,
        ) -> None:
            held = hold(load(rows, inputs_part, i), load(rows, parameters_part, i))
            store(rows, state_part, i, step(load(rows, state_part, i), held, tick.dt))

        return step_held

    respond_one = responding(parts)

    @importable
    def step_actuated(rows: Flat, lines: Flat, i: int, number: int, tick: RolloutTick) -> None:
        respond_one(rows, lines, i, number, tick.depth)
        held = hold(load(rows, outputs_part, i), load(rows, parameters_part, i))
        store(rows, state_part, i, step(load(rows, state_part, i), held, tick.dt))

    return step_actuated


def _counting(parts: CarParts) -> Loop:
    """Pure function that counts the ticks in which cars stay valid, from 0 for tick -1."""
    valid_part, driven_part = parts.valid, rollout_parts(parts).driven

    @importable
    def count_all(rows: Flat, count: int, tick: int) -> None:
        for i in range(count):
            store(rows, driven_part, i, (0.0 if tick < 0 else (
                load(rows, driven_part, i)[0] + load(rows, valid_part, i)[0]),))

    return count_all


def _recording(equations: Equations, parts: CarParts) -> Loop:
    state_part, number_part = parts.motion.state, rollout_parts(parts).number
    one = Part(equations.state)

    @importable
    def record_all(
        rows: Flat, count: int, records: Flat, sample: int, samples: int, stride: int,
    ) -> None:
        for i in range(count):
            at = (int(load(rows, number_part, i)[0]) * samples + sample) * stride
            store(records, one, at, load(rows, state_part, i))

    return record_all


@functools.cache
def rollout_kernel(equations: Equations, integrator: str, *, actuated: bool) -> CarKernel:
    """Kernel run(rows, lines, inputs, records, plan) of cars that follow inputs, all flat.

    lines: see responding(), empty unless actuated; inputs: (cars, ticks, inputs), or
    (ticks, inputs) of all cars; records: is filled with states, (cars, samples, stride); plan:
    numbers of a RolloutPlan. Raises ParameterError if the method is unknown.
    """
    parts = car_parts(equations, integrator, rollout_rows(equations))
    take_all, save_all, check_all, count_all, record_all = (
        taking(equations, parts), saving(parts), checking(parts), _counting(parts),
        _recording(equations, parts))
    drive_all = driving(equations, integrator, parts, actuated=actuated)

    def run_rollouts(rows: Flat, lines: Flat, inputs: Flat, records: Flat, plan: Flat) -> None:
        p = load(plan, _PLAN, 0)
        count, first, between, depth = int(p.cars), int(p.first), int(p.between), int(p.depth)
        steps, every, samples, stride = int(p.steps), int(p.every), int(p.samples), int(p.stride)
        if first == 0:
            count_all(rows, count, -1)
            if every > 0:
                record_all(rows, count, records, 0, samples, stride)
        for tick in range(first, first + int(p.ticks)):
            take_all(rows, count, inputs, tick, between)
            save_all(rows, count)
            drive_all(rows, lines, count,
                      RolloutTick(int(p.done) + tick * steps, depth, p.dt, steps))
            check_all(rows, count)
            count_all(rows, count, tick)
            if every > 0 and (tick + 1) % every == 0:
                record_all(rows, count, records, (tick + 1) // every, samples, stride)

    return CarKernel(parts, compiled(run_rollouts, f"({', '.join(['float64[::1]'] * 5)})"))
