# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop of one car as a kernel: any law, model, tyre, method and actuators.

It calls the very functions of which tracker, laws and Simulator are made, in the same order, on
the numbers that these objects hold; so it gives their bits and leaves them as their own ticks do.
"""

from __future__ import annotations

from collections.abc import Callable
import functools
from typing import Any, NamedTuple

from racecar.base.compiled import inlined, pure, specialise, unbound, unlocked
from racecar.base.packing import Flat, Vector
from racecar.base.rows import load, Part
from racecar.base.types import CarMotion, quaternion_to_yaw
from racecar.control.linearizer import command_kernel, Linearizer
from racecar.control.own_controller import PureStep
from racecar.control.own_driver import own_command_kernel, step_name
from racecar.control.own_reference import OWN_REFERENCE_SIZE, OwnReference, placed_own_reference
from racecar.control.target import Target, TARGET_SIZE
from racecar.control.tracker_step import (
    load_parameters,
    load_state,
    placed_target,
    store_state,
    TrackerStep,
)
from racecar.dynamics.actuators import actuate, DISTANCE
from racecar.dynamics.integrators import advance_function
from racecar.dynamics.vehicles.interface import Equations, SPEED, STEERING_ANGLE
from racecar.dynamics.vehicles.point_kernels import observe_kernel

COLUMN_COUNT = 11
"""Numbers of a row of RunTable."""

class SimulatorKernels(NamedTuple):
    """Kernels of a simulator: move on by steps, see _move(), and observe."""

    move: Callable[..., bool]
    observe: Callable[..., tuple[float, ...]]


advance = advance_by = travelled = move = observe = control = command_of = unbound
tracker_step = fetch = own_command = unbound
state_part = parameters_part = Part(())


def _advance_at_once(
    state: Flat, inputs: Flat, parameters: Vector, limits: Vector, dt: float, steps: int,
    duration: float, speed: float, steering_angle: float, memory: Flat, channels: Vector,
) -> tuple[bool, float]:
    """Advance by `steps` of dt [s], a duration [s] in all, under a command that acts at once.

    Returns whether the state is valid, and the integral of the commanded speed [m].
    """
    return advance(state, inputs, parameters, limits, dt, steps), inputs[SPEED] * duration


def _advance_actuated(
    state: Flat, inputs: Flat, parameters: Vector, limits: Vector, dt: float, steps: int,
    duration: float, speed: float, steering_angle: float, memory: Flat, channels: Vector,
) -> tuple[bool, float]:
    """Do what _advance_at_once() does through actuators: their memory and channels."""
    memory[DISTANCE] = 0.0
    valid = True
    for _ in range(steps):
        inputs[SPEED], inputs[STEERING_ANGLE] = actuate(
            memory, channels, speed, steering_angle, dt)
        valid = advance(state, inputs, parameters, limits, dt, 1)
    # Of the last step, as without actuators: what is not finite stays so.
    return valid, memory[DISTANCE]


def _move(
    state: Flat, good: Flat, inputs: Flat, parameters: Vector, limits: Vector, travel: Flat,
    memory: Flat, channels: Vector, dt: float, steps: int, duration: float, speed: float,
    steering_angle: float,
) -> bool:
    """Advance by `steps` of dt [s], a duration [s] in all, under a command.

    good: is filled with state and memory before, one after the other. Returns whether the state is
    valid; if not, all is as before.
    """
    states = len(state)
    for i in range(states):
        good[i] = state[i]
    for i in range(len(memory)):
        good[states + i] = memory[i]
    valid, distance = advance_by(
        state, inputs, parameters, limits, dt, steps, duration, speed, steering_angle, memory,
        channels)
    if not valid:
        for i in range(states):
            state[i] = good[i]
        for i in range(len(memory)):
            memory[i] = good[states + i]
        return False
    after = travelled(
        travel, load(good, state_part, 0), load(state, state_part, 0),
        load(parameters, parameters_part, 0), distance, duration)
    for i in range(len(travel)):
        travel[i] = after[i]
    return True


@functools.cache
def simulator_kernels(
    equations: Equations, wheel_equations: Equations | None, travelled: Callable[..., Any],
    integrator: str, *, actuated: bool,
) -> SimulatorKernels:
    """Bind equations and travelled() of a model, and a method."""
    step = advance_function(equations, wheel_equations, integrator)
    advance_by = _advance_actuated if actuated else _advance_at_once
    name = f"{'actuated' if actuated else 'at_once'}_{integrator}_{equations.name}"
    return SimulatorKernels(
        specialise(_move, f'move_{name}_{travelled.__qualname__}', travelled=pure(travelled),
                   state_part=Part(equations.state), parameters_part=Part(equations.parameters),
                   advance_by=specialise(advance_by, name, inlined, advance=step)),
        observe_kernel(equations, wheel_equations))


def _track(
    tracker_state: Flat, tracker_parameters: Vector, law_state: Flat, law_parameters: Vector,
    x: float, y: float, yaw: float, vx: float, vy: float, yaw_rate: float, target: Target,
    dt: float, law_dt: float,
) -> tuple[float, float]:
    """Return the command of tracker and law; the car as in CarMotion.

    dt, law_dt: time since the step before of the tracker and of the law [s], 0 at the first.
    """
    after, wanted_x, wanted_y, _, _ = tracker_step(
        load_state(tracker_state, 0, 1), load_parameters(tracker_parameters, 0, 1),
        CarMotion(x, y, yaw, vx, vy, yaw_rate), target, dt)
    store_state(tracker_state, 0, 1, after)
    speed, steering = command_of(
        law_state, law_parameters, x, y, yaw, vx, vy, yaw_rate, wanted_x, wanted_y, law_dt)
    return speed, steering


def _run_loop(
    state: Flat, good: Flat, inputs: Flat, parameters: Vector, limits: Vector, travel: Flat,
    memory: Flat, channels: Vector, command: Flat, command_limits: Vector, dt: float, steps: int,
    period: float, tracker_state: Flat, tracker_parameters: Vector, law_state: Flat,
    law_parameters: Vector, references: Vector, origin_x: float, origin_y: float,
    first_step: float, first_law_step: float, stamps: Vector, count: int, drives_last: bool,
    rows: Flat,
) -> int:
    """Answer and advance `count` times, the last time only if drives_last.

    The arguments up to `period` are the fields of PackedSimulator. references: what fetch() reads
    at each tick, one after the other, of which origin_x, origin_y [m] is the origin; first_step,
    first_law_step: time since the step of the tracker and of the law before the first [s]; stamps:
    of the ticks [s]; rows: is filled with rows of RunTable. Returns the tick that diverged,
    whose state is that before it, or -1.
    """
    for tick in range(count):
        x, y, qz, qw, vx, vy, yaw_rate = observe(state, inputs, parameters)
        yaw = quaternion_to_yaw(0.0, 0.0, qz, qw)
        reference = fetch(references, tick, origin_x, origin_y)
        speed, steering = control(
            tracker_state, tracker_parameters, law_state, law_parameters, x, y, yaw, vx, vy,
            yaw_rate, reference, period if tick else first_step,
            period if tick else first_law_step)
        at = COLUMN_COUNT * tick
        rows[at], rows[at + 1], rows[at + 2], rows[at + 3] = stamps[tick], x, y, yaw
        rows[at + 4], rows[at + 5], rows[at + 6] = vx, vy, yaw_rate
        rows[at + 7], rows[at + 8] = reference.x, reference.y
        rows[at + 9], rows[at + 10] = speed, steering
        if tick == count - 1 and not drives_last:
            break
        speed = min(max(speed, command_limits[0]), command_limits[1])
        steering = min(max(steering, command_limits[2]), command_limits[3])
        command[0], command[1] = speed, steering
        if len(memory) == 0:
            inputs[SPEED], inputs[STEERING_ANGLE] = speed, steering
        if not move(
                state, good, inputs, parameters, limits, travel, memory, channels, dt, steps,
                period, speed, steering):
            return tick
    return -1


@inlined
def _fetch_target(references: Vector, tick: int, origin_x: float, origin_y: float) -> Target:
    return placed_target(references, TARGET_SIZE * tick, 1, origin_x, origin_y)


def loop_kernel(
    kernels: SimulatorKernels, law: type[Linearizer], step: TrackerStep,
) -> Callable[..., int]:
    """Bind a simulator's kernels, a law and the step of a tracker: see _run_loop()."""
    controller = f'{step.__name__}_{law.__name__}'
    return specialise(
        _run_loop, f'run_loop_{controller}_{kernels.move.__name__}_{kernels.observe.__name__}',
        unlocked, move=kernels.move, observe=kernels.observe, control=specialise(
            _track, f'track_{controller}', inlined, tracker_step=step,
            command_of=command_kernel(law)), fetch=_fetch_target)


@inlined
def _fetch_own(references: Vector, tick: int, origin_x: float, origin_y: float) -> OwnReference:
    return placed_own_reference(references, OWN_REFERENCE_SIZE * tick, origin_x, origin_y)


def _drive(
    state: Flat, parameters: Vector, _: Flat, __: Vector, x: float, y: float, yaw: float,
    vx: float, vy: float, yaw_rate: float, reference: OwnReference, dt: float, ___: float,
) -> tuple[float, float]:
    """Return the command of a controller of one's own, as a message carries it."""
    speed, steering = own_command(
        state, 0, parameters, 0, 1, CarMotion(x, y, yaw, vx, vy, yaw_rate), reference.ahead, dt)
    return speed, steering


def own_loop_kernel(
    kernels: SimulatorKernels, step: PureStep, state: type[tuple[float, ...]],
    parameters: type[tuple[float, ...]],
) -> Callable[..., int]:
    """Bind a simulator's kernels and a pure step: see _run_loop().

    state and parameters of the tracker are those of the controller, those of the law are empty.
    """
    name = step_name(step)
    return specialise(
        _run_loop, f'run_loop_{name}_{kernels.move.__name__}_{kernels.observe.__name__}',
        unlocked, move=kernels.move, observe=kernels.observe, fetch=_fetch_own,
        control=specialise(
            _drive, f'drive_{name}', inlined,
            own_command=own_command_kernel(step, state, parameters)))


def has_own(part: object, kind: type, *names: str) -> bool:
    """Whether a part has methods of its own in the place of those of a class."""
    return any(name in vars(part) or getattr(type(part), name) is not getattr(kind, name)
               for name in names)
