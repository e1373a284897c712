# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The powertrain at every integration step of a double track, in one compiled loop with it."""

from __future__ import annotations

from collections.abc import Callable
import functools
from typing import cast, NamedTuple

from racecar.base.compiled import compiled, pure
from racecar.base.rows import load, Numbers, Part, store, within, zeros_of
from racecar.base.types import Wheels
from racecar.base.vectors import Flat
from racecar.dynamics.integrators import step_function
from racecar.dynamics.powertrain.gearbox import next_shift, Shift
from racecar.dynamics.powertrain.powertrain import (
    added_inertia,
    Drivetrain,
    next_cruise,
    NO_DRIVETRAIN,
    NO_SHIFT,
    PedalControls,
    wheel_drive,
)
from racecar.dynamics.vehicles.double_track_equations import (
    Held,
    NO_INPUTS,
    NO_WHEEL,
    State,
    WheelInputs,
)
from racecar.dynamics.vehicles.double_track_wheels import TorqueDrive
from racecar.dynamics.vehicles.interface import Equations


class Memory(NamedTuple):
    """What a powertrain remembers.

    cruise: ramped cruising speed [m/s]; turned: rotation of the wheels [rad]; shift: of the gear.
    """

    cruise: float
    turned: Wheels
    shift: Shift


START = Memory(0.0, NO_WHEEL, NO_SHIFT)
"""Memory of a car that has not driven yet."""


@pure
def driven_inputs(
    controls: PedalControls, car: Drivetrain, cruise: float, drive: Wheels, forced: Wheels,
) -> WheelInputs:
    """Inputs of the double track.

    drive: torque [N m] of each wheel, or speed [rad/s] of one that is forced, whose forced is 1.
    """
    brake, viscous = car.brake_torque * controls.brake, car.brake_damping * controls.brake
    damping = car.damping
    return WheelInputs(
        cruise, 0.5 * (controls.left_angle + controls.right_angle), 1.0, controls.left_angle,
        controls.right_angle, drive, (brake, brake, brake, brake),
        (damping, damping, damping, damping), (viscous, viscous, viscous, viscous), forced,
        added_inertia(controls, car))


@pure
def drive_wheels(
    controls: PedalControls, car: Drivetrain, speeds: Wheels, memory: Memory, dt: float,
) -> tuple[Memory, Wheels, Wheels]:
    """Memory but for the rotation, then drive and forced of each wheel for a step.

    drive: torque [N m], or speed [rad/s] of a wheel that is forced, of which forced is 1.
    """
    ramped = next_cruise(controls, car, speeds, memory.cruise, dt)
    shift, drives = next_shift(memory.shift, controls.ratio, car.shift_time, dt)
    drive, is_forced = wheel_drive(controls, car, speeds, ramped, drives)
    forced = 1.0 if is_forced else 0.0
    a, b, c, d = car.driven
    return Memory(ramped, memory.turned, shift), drive, (
        a * forced, b * forced, c * forced, d * forced)


@pure
def wheel_speeds_of(state: State) -> Wheels:
    """Speeds of the wheels of a state [rad/s]."""
    return (state.wheel_speed_front_left, state.wheel_speed_front_right,
            state.wheel_speed_rear_left, state.wheel_speed_rear_right)


@pure
def turned_on(turned: Wheels, before: Wheels, after: Wheels, dt: float) -> Wheels:
    """Rotation of the wheels [rad] after a step, by the mean of both speeds."""
    half = 0.5 * dt
    return (turned[0] + half * (before[0] + after[0]), turned[1] + half * (before[1] + after[1]),
            turned[2] + half * (before[2] + after[2]), turned[3] + half * (before[3] + after[3]))


@pure
def turned_wheels(
    held: Held[TorqueDrive], drive: Wheels, forced: Wheels,
) -> Held[TorqueDrive]:
    """What is held with other torques; drive, forced as in driven_inputs()."""
    w = held.wheels
    return Held(held.body, TorqueDrive(
        drive, w.brake, w.damping, w.brake_damping, forced, w.overspeed, w.stick, w.rear_stick,
        w.per_inertia, w.rear_per_inertia))


NO_CONTROLS = zeros_of(PedalControls)


class Driving(NamedTuple):
    """What a car is driven by: its pedals, and what is between them and the wheels."""

    controls: PedalControls
    car: Drivetrain


class Fixed(NamedTuple):
    """What stays of a car: parameters and limits of the state, dt: of a step [s]."""

    parameters: Numbers
    limits: State
    dt: float


_DRIVING, _MEMORY = Part(Driving(NO_CONTROLS, NO_DRIVETRAIN)), Part(START)
_INPUTS = Part(NO_INPUTS)


@functools.cache
def drive_kernel(
    equations: Equations, integrator: str,
) -> Callable[[Flat, Flat, Flat, Flat, Flat, int], bool]:
    """Compiled drive() of a double track and a method.

    equations: of a car driven by its wheels. Raises ParameterError if the method is unknown.
    """
    example = cast(State, equations.state)
    state_part, fixed_part = Part(example), Part(Fixed(equations.parameters, example, 0.0))
    hold = cast(Callable[..., Held[TorqueDrive]], equations.hold)
    step = cast(Callable[..., State], step_function(equations.rates, integrator))

    def drive(
        state: Flat, inputs: Flat, fixed: Flat, driving: Flat, memory_: Flat, steps: int,
    ) -> bool:
        """Advance by steps; whether the state is valid: if not, it and the memory stay.

        fixed, driving, memory_: numbers of Fixed, Driving and Memory.
        """
        now, (car_parameters, limits, dt) = load(state, state_part, 0), load(fixed, fixed_part, 0)
        controls, car = load(driving, _DRIVING, 0)
        torques, forced = NO_WHEEL, NO_WHEEL
        memory = first = load(memory_, _MEMORY, 0)
        held = hold(driven_inputs(controls, car, first.cruise, torques, forced),
                    car_parameters)
        for _ in range(steps):
            before = wheel_speeds_of(now)
            driven, torques, forced = drive_wheels(controls, car, before, memory, dt)
            now = step(now, turned_wheels(held, torques, forced), dt)
            memory = Memory(driven.cruise, turned_on(
                driven.turned, before, wheel_speeds_of(now), dt), driven.shift)
        store(inputs, _INPUTS, 0, driven_inputs(controls, car, first.cruise, torques, forced))
        if not within(now, limits):
            return False
        store(state, state_part, 0, now)
        store(memory_, _MEMORY, 0, memory)
        return True

    return compiled(drive, f"({', '.join(['float64[::1]'] * 5)}, int64)")
