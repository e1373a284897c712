# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What parameters and a command fix of a double track until the next command.

With d the steering angle and k = track/(2 L), the front angles of Ackermann have

    tan(left) = sin d/(cos d - k sin d)    tan(right) = sin d/(cos d + k sin d)

so their cosines and sines take a root and no arctangent.
"""

from __future__ import annotations

import math
from typing import Any

from racecar.base.compiled import inlined, unbound
from racecar.base.elementary import sine_cosine
from racecar.base.packing import Vector
from racecar.base.types import Wheels
from racecar.dynamics.tyres.contact import TyrePair
from racecar.dynamics.vehicles.double_track_equations import (
    Body,
    BRAKE,
    BRAKE_DAMPING,
    DAMPING,
    DRIVE,
    FORCED,
    FRONT_X,
    HALF_TRACK,
    HEIGHT,
    Held,
    INERTIA,
    LEFT_ANGLE,
    LOW_SPEED_LATERAL,
    OVERSPEED,
    RADIUS,
    REAR_HALF_TRACK,
    REAR_RADIUS,
    REAR_X,
    RIGHT_ANGLE,
    SIDES,
    STIFFNESS_BY_LOAD,
    WHEEL_INERTIA,
)
from racecar.dynamics.vehicles.double_track_wheels import SpeedDrive, STICK_RATE, TorqueDrive
from racecar.dynamics.vehicles.interface import SPEED, STEERING_ANGLE
from racecar.dynamics.vehicles.planar import (
    FORCE_LIMIT,
    LOAD_FRONT,
    LOAD_REAR,
    LOW_SPEED,
    MASS,
    SHARE_FRONT,
    TIME_CONSTANT,
    TO_FRONT,
    TO_REAR,
    YAW_INERTIA,
)

# Of the tyres, see ContactForm; hold_angles() for them; what the vehicle has besides.
prepare = hold = chassis_of = carcass_of = unbound


@inlined
def tyre_pair(parameters: Vector, first: int, load: int) -> TyrePair:
    """Return the tyres of an axle; first: FRONT_X or REAR_X, load: LOAD_FRONT or LOAD_REAR."""
    p = parameters
    return TyrePair(
        p[first], p[first + 1], p[first + 2], p[first + 3], p[first + 4], p[first + 5],
        p[first + 6], p[first + 7], p[load], p[STIFFNESS_BY_LOAD], p[SIDES], p[SIDES + 1],
        p[SIDES + 2], p[SIDES + 3], p[SIDES + 4])


def hold_angles(
    cosines: tuple[float, float, float, float], wheels: Any, parameters: Vector,
) -> Held:
    """Return what parameters and command fix; cosines: cos, sin of the left, the right angle.

    The global name prepare is bound to the tyres, chassis_of and carcass_of to what the vehicle
    has besides.
    """
    p = parameters
    height, weight = p[HEIGHT], p[LOAD_FRONT] + p[LOAD_REAR]
    return Held(Body(
        p[TO_FRONT], p[TO_REAR], p[HALF_TRACK], p[REAR_HALF_TRACK],
        cosines[0], cosines[1], cosines[2], cosines[3], p[RADIUS], p[REAR_RADIUS],
        p[LOW_SPEED], p[LOW_SPEED_LATERAL], 0.5 * p[LOAD_FRONT], 0.5 * weight,
        0.5 * height / (p[TO_FRONT] + p[TO_REAR]),
        height / (weight * p[HALF_TRACK]), height / (weight * p[REAR_HALF_TRACK]),
        1.0 / p[MASS], 1.0 / p[YAW_INERTIA], 1.0 / p[WHEEL_INERTIA],
        prepare(tyre_pair(p, FRONT_X, LOAD_FRONT)), prepare(tyre_pair(p, REAR_X, LOAD_REAR)),
        chassis_of(p), carcass_of(p),
    ), wheels)


@inlined
def ackermann_cosines(
    steering_angle: float, half_track: float, wheelbase: float,
) -> tuple[float, float, float, float]:
    """Return cosine and sine of the left, then of the right angle of ackermann_angles()."""
    sine, cosine = sine_cosine(steering_angle)
    ratio = half_track / wheelbase
    left, right = cosine - ratio * sine, cosine + ratio * sine
    per_left = 1.0 / math.sqrt(left * left + sine * sine)
    per_right = 1.0 / math.sqrt(right * right + sine * sine)
    return left * per_left, sine * per_left, right * per_right, sine * per_right


def hold_speed(inputs: Vector, parameters: Vector) -> Held:
    """Return what rates() needs of inputs of MODE 0, speed and steering angle, and parameters.

    The global name hold is bound to hold_angles() for the tyres.
    """
    p = parameters
    share = 0.5 * p[SHARE_FRONT]
    held: Held = hold(
        ackermann_cosines(inputs[STEERING_ANGLE], p[HALF_TRACK], p[TO_FRONT] + p[TO_REAR]),
        SpeedDrive(inputs[SPEED], p[MASS] / p[TIME_CONSTANT], p[FORCE_LIMIT],
                   share * p[RADIUS], (0.5 - share) * p[REAR_RADIUS]), p)
    return held


@inlined
def torque_inputs(
    speed: float, steering_angle: float, left_angle: float, right_angle: float, drive: Wheels,
    brake: Wheels, damping: Wheels, brake_damping: Wheels, forced: Wheels,
    inertia: tuple[float, float],
) -> tuple[float, ...]:
    """Return the inputs of MODE 1, in their order; speed and steering_angle have no effect."""
    return (
        speed, steering_angle, 1.0, left_angle, right_angle, drive[0], drive[1], drive[2],
        drive[3], brake[0], brake[1], brake[2], brake[3], damping[0], damping[1], damping[2],
        damping[3], brake_damping[0], brake_damping[1], brake_damping[2], brake_damping[3],
        forced[0], forced[1], forced[2], forced[3], inertia[0], inertia[1])


@inlined
def four(values: Vector, first: int) -> Wheels:
    """Return four numbers from an index on."""
    return values[first], values[first + 1], values[first + 2], values[first + 3]


def hold_torques(inputs: Vector, parameters: Vector) -> Held:
    """Return what rates() needs of inputs of MODE 1, angles and torques, and parameters.

    The global name hold is bound to hold_angles() for the tyres.
    """
    sin_left, cos_left = sine_cosine(inputs[LEFT_ANGLE])
    sin_right, cos_right = sine_cosine(inputs[RIGHT_ANGLE])
    front = parameters[WHEEL_INERTIA] + inputs[INERTIA]
    rear = parameters[WHEEL_INERTIA] + inputs[INERTIA + 1]
    held: Held = hold(
        (cos_left, sin_left, cos_right, sin_right),
        TorqueDrive(
            four(inputs, DRIVE), four(inputs, BRAKE), four(inputs, DAMPING),
            four(inputs, BRAKE_DAMPING), four(inputs, FORCED), parameters[OVERSPEED],
            front * STICK_RATE, rear * STICK_RATE, 1.0 / front, 1.0 / rear), parameters)
    return held
