# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The powertrain at every integration step of a double track, in one compiled loop with it."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Any, NamedTuple

from racecar.base.compiled import inlined, specialise, unbound
from racecar.base.packing import Vector
from racecar.base.tuple_kernels import Kernel, reader, writer
from racecar.base.types import Wheels
from racecar.dynamics.held_steps import step_kernel
from racecar.dynamics.integrators import find_integrator
from racecar.dynamics.powertrain.gearbox import next_shift, Shift
from racecar.dynamics.powertrain.powertrain import (
    added_inertia,
    BRAKE_DAMPING,
    BRAKE_TORQUE,
    CAR_NUMBERS,
    DAMPING,
    DRIVEN,
    next_cruise,
    NO_SHIFT,
    PedalControls,
    SHIFT_TIME,
    wheel_drive,
)
from racecar.dynamics.vehicles.double_track import DoubleTrack
from racecar.dynamics.vehicles.double_track_equations import Held, INPUT_COUNT, WHEEL
from racecar.dynamics.vehicles.double_track_held import torque_inputs
from racecar.dynamics.vehicles.double_track_wheels import TorqueDrive

NO_WHEEL: Wheels = (0.0, 0.0, 0.0, 0.0)


class Memory(NamedTuple):
    """What a powertrain remembers.

    cruise: ramped cruising speed [m/s]; turned: rotation of the wheels [rad]; shift: of the gear.
    """

    cruise: float
    turned: Wheels
    shift: Shift


START = Memory(0.0, NO_WHEEL, NO_SHIFT)
"""Memory of a car that has not driven yet."""


read_memory = write_memory = unbound
read_state = write_state = write_inputs = read_controls = read_car = unbound
hold = step_driven = unbound


@inlined
def driven_inputs(
    controls: PedalControls, car: Vector, cruise: float, drive: Wheels, forced: Wheels,
) -> tuple[float, ...]:
    """Return the inputs of the double track; drive, forced as wheel_drive() and steps() say."""
    brake, viscous = car[BRAKE_TORQUE] * controls.brake, car[BRAKE_DAMPING] * controls.brake
    damping = car[DAMPING]
    return torque_inputs(
        cruise, 0.5 * (controls.left_angle + controls.right_angle), controls.left_angle,
        controls.right_angle, drive, (brake, brake, brake, brake),
        (damping, damping, damping, damping), (viscous, viscous, viscous, viscous), forced,
        added_inertia(controls, car))


@inlined
def drive_wheels(
    controls: PedalControls, car: Vector, speeds: Wheels, memory: Memory, dt: float,
) -> tuple[Memory, Wheels, Wheels]:
    """Return the memory but for the rotation, then drive and forced of each wheel for a step.

    drive: torque [N m], or speed [rad/s] of a wheel that is forced, of which forced is 1.
    """
    ramped = next_cruise(controls, car, speeds, memory.cruise, dt)
    shift, drives = next_shift(memory.shift, controls.ratio, car[SHIFT_TIME], dt)
    drive, is_forced = wheel_drive(controls, car, speeds, ramped, drives)
    forced = 1.0 if is_forced else 0.0
    return Memory(ramped, memory.turned, shift), drive, (
        car[DRIVEN] * forced, car[DRIVEN + 1] * forced, car[DRIVEN + 2] * forced,
        car[DRIVEN + 3] * forced)


@inlined
def wheel_speeds_of(state: Any) -> Wheels:
    """Return the speeds of the wheels of a state [rad/s]."""
    return state[WHEEL], state[WHEEL + 1], state[WHEEL + 2], state[WHEEL + 3]


@inlined
def turned_on(turned: Wheels, before: Wheels, after: Wheels, dt: float) -> Wheels:
    """Return the rotation of the wheels [rad] after a step, by the mean of both speeds."""
    half = 0.5 * dt
    return (turned[0] + half * (before[0] + after[0]), turned[1] + half * (before[1] + after[1]),
            turned[2] + half * (before[2] + after[2]), turned[3] + half * (before[3] + after[3]))


def _drive(
    state: MutableSequence[float], good: MutableSequence[float], inputs: MutableSequence[float],
    parameters: Vector, limits: Vector, dt: float, steps: int, packed_controls: Vector,
    packed_car: Vector, packed_memory: MutableSequence[float],
) -> bool:
    """Advance by steps of dt; return whether the state is valid, else leave it and the memory.

    good: room for a state; packed_memory: the numbers of Memory.
    """
    start = read_state(state, 0, 0)
    write_state(good, 0, 0, start)
    controls, car = read_controls(packed_controls, 0, 0), read_car(packed_car, 0, 0)
    s, drive, forced = start, NO_WHEEL, NO_WHEEL
    memory = first = read_memory(packed_memory, 0, 0)
    held = hold(driven_inputs(controls, car, first.cruise, drive, forced), parameters)
    w = held.wheels
    for _ in range(steps):
        before = wheel_speeds_of(s)
        driven, drive, forced = drive_wheels(controls, car, before, memory, dt)
        s = step_driven(s, Held(held.body, TorqueDrive(
            drive, w.brake, w.damping, w.brake_damping, forced, w.overspeed, w.stick,
            w.rear_stick, w.per_inertia, w.rear_per_inertia)), dt)
        memory = Memory(driven.cruise, turned_on(
            driven.turned, before, wheel_speeds_of(s), dt), driven.shift)
    write_state(state, 0, 0, s)
    write_inputs(inputs, 0, 0, driven_inputs(controls, car, first.cruise, drive, forced))
    valid = True
    for i in range(len(state)):
        # False for NaN too.
        valid = valid and abs(state[i]) <= limits[i]
    if valid:
        write_memory(packed_memory, 0, 0, memory)
    else:
        write_state(state, 0, 0, start)
    return valid


def packed_readers(lanes: int = 1) -> dict[str, Kernel]:
    """Return read_controls, read_car, read_memory and write_memory."""
    return {'read_controls': reader('PedalControls', PedalControls(*(0.0,) * 9), lanes),
            'read_car': reader('car', (0.0,) * CAR_NUMBERS, lanes),
            'read_memory': reader('Memory', START, lanes),
            'write_memory': writer('Memory', START, lanes)}


def drive_kernel(model: DoubleTrack, integrator: str) -> Callable[..., bool]:
    """Bind a model and a method: see _drive(). Raises ParameterError if the method is unknown."""
    find_integrator(integrator)
    form = model.split_derivative
    name, state = form.state.__name__, form.state(*(0.0,) * len(form.state._fields))
    return specialise(
        _drive, f'drive_{integrator}_{form.name}',
        read_state=reader(name, state), write_state=writer(name, state),
        write_inputs=writer('double_inputs', (0.0,) * INPUT_COUNT), hold=form.torques.hold,
        step_driven=step_kernel(form.state, form.torques, integrator), **packed_readers())
