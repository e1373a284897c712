# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The powertrain at every integration step of a double track, in one compiled loop with it."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence

from racecar.core.compiled import inlined, specialise, unbound
from racecar.core.packing import Vector
from racecar.core.powertrain.powertrain import (
    BRAKE_DAMPING,
    BRAKE_TORQUE,
    CAR_NUMBERS,
    DAMPING,
    DRIVEN,
    next_cruise,
    PedalControls,
    wheel_drive,
)
from racecar.core.simulation.held_steps import step_kernel
from racecar.core.simulation.integrators import find_integrator
from racecar.core.tuple_kernels import Kernel, reader, writer
from racecar.core.types import Wheels
from racecar.core.vehicles.double_track import DoubleTrack
from racecar.core.vehicles.double_track_equations import (
    DoubleState,
    Held,
    INPUT_COUNT,
    WHEEL,
)
from racecar.core.vehicles.double_track_held import torque_inputs
from racecar.core.vehicles.double_track_wheels import TorqueDrive

NO_WHEEL: Wheels = (0.0, 0.0, 0.0, 0.0)


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
        (damping, damping, damping, damping), (viscous, viscous, viscous, viscous), forced)


@inlined
def drive_wheels(
    controls: PedalControls, car: Vector, speeds: Wheels, cruise: float, dt: float,
) -> tuple[float, Wheels, Wheels]:
    """Return the ramped cruising speed [m/s], then drive and forced of each wheel for a step.

    drive: torque [N m], or speed [rad/s] of a wheel that is forced, of which forced is 1.
    """
    ramped = next_cruise(controls, car, speeds, cruise, dt)
    drive, is_forced = wheel_drive(controls, car, speeds, ramped)
    forced = 1.0 if is_forced else 0.0
    return ramped, drive, (car[DRIVEN] * forced, car[DRIVEN + 1] * forced,
                           car[DRIVEN + 2] * forced, car[DRIVEN + 3] * forced)


@inlined
def turned_on(turned: Wheels, before: Wheels, after: Wheels, dt: float) -> Wheels:
    """Return the rotation of the wheels [rad] after a step, by the mean of both speeds."""
    half = 0.5 * dt
    return (turned[0] + half * (before[0] + after[0]), turned[1] + half * (before[1] + after[1]),
            turned[2] + half * (before[2] + after[2]), turned[3] + half * (before[3] + after[3]))


def _drive(
    state: MutableSequence[float], good: MutableSequence[float], inputs: MutableSequence[float],
    parameters: Vector, limits: Vector, dt: float, steps: int, packed_controls: Vector,
    packed_car: Vector, memory: MutableSequence[float],
) -> bool:
    """Advance by steps of dt; return whether the state is valid, else leave it and the memory.

    good: room for a state; memory: ramped cruising speed, then rotation of each wheel.
    """
    start = read_state(state, 0, 0)
    write_state(good, 0, 0, start)
    controls, car = read_controls(packed_controls, 0, 0), read_car(packed_car, 0, 0)
    s, cruise, drive, forced = start, memory[0], NO_WHEEL, NO_WHEEL
    turned = (memory[1], memory[2], memory[3], memory[4])
    held = hold(driven_inputs(controls, car, cruise, drive, forced), parameters)
    w = held.wheels
    for _ in range(steps):
        before = s[WHEEL:]
        cruise, drive, forced = drive_wheels(controls, car, before, cruise, dt)
        s = step_driven(s, Held(held.body, TorqueDrive(
            drive, w.brake, w.damping, w.brake_damping, forced, w.overspeed, w.stick)), dt)
        turned = turned_on(turned, before, s[WHEEL:], dt)
    write_state(state, 0, 0, s)
    write_inputs(inputs, 0, 0, driven_inputs(controls, car, memory[0], drive, forced))
    valid = True
    for i in range(len(state)):
        # False for NaN too.
        valid = valid and abs(state[i]) <= limits[i]
    if valid:
        memory[0] = cruise
        for i in range(4):
            memory[1 + i] = turned[i]
    else:
        write_state(state, 0, 0, start)
    return valid


def packed_readers(lanes: int = 1) -> dict[str, Kernel]:
    """Return read_controls and read_car."""
    return {'read_controls': reader('PedalControls', PedalControls(*(0.0,) * 9), lanes),
            'read_car': reader('car', (0.0,) * CAR_NUMBERS, lanes)}


def drive_kernel(model: DoubleTrack, integrator: str) -> Callable[..., bool]:
    """Bind a model and a method: see _drive(). Raises ParameterError if the method is unknown."""
    find_integrator(integrator)
    form = model.split_derivative
    name = DoubleState.__name__
    state = DoubleState(*(0.0,) * len(DoubleState._fields))
    return specialise(
        _drive, f'drive_{integrator}_{form.name}',
        read_state=reader(name, state), write_state=writer(name, state),
        write_inputs=writer('double_inputs', (0.0,) * INPUT_COUNT), hold=form.torques.hold,
        step_driven=step_kernel(form.state, form.torques, integrator), **packed_readers())
