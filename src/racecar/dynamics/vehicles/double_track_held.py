# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What parameters and a command fix of a double track until the next command.

With d the steering angle and k = track/(2 L), the front angles of Ackermann have

    tan(left) = sin d/(cos d - k sin d)    tan(right) = sin d/(cos d + k sin d)

so their cosines and sines take a root and no arctangent.
"""

from __future__ import annotations

import math
from typing import TypeVar

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine
from racecar.base.types import Wheels
from racecar.dynamics.vehicles.double_track_equations import Body, DoubleCar, Held, WheelInputs
from racecar.dynamics.vehicles.double_track_wheels import SpeedDrive, STICK_RATE, TorqueDrive
from racecar.dynamics.vehicles.interface import Command

D = TypeVar('D', bound=SpeedDrive | TorqueDrive)


@pure
def hold_angles(
    cosines: Wheels, wheels: D, car: DoubleCar,
) -> Held[D]:
    """What parameters and command fix; cosines: cos, sin of the left, the right angle."""
    c, p = car, car.planar
    weight = p.load_front + p.load_rear
    return Held(Body(
        p.to_front, p.to_rear, c.half_track, c.rear_half_track,
        cosines[0], cosines[1], cosines[2], cosines[3], c.radius, c.rear_radius,
        p.low_speed, c.low_speed_lateral, 0.5 * p.load_front, 0.5 * weight,
        0.5 * c.height / (p.to_front + p.to_rear),
        c.height / (weight * c.half_track), c.height / (weight * c.rear_half_track),
        1.0 / p.mass, 1.0 / p.yaw_inertia, 1.0 / c.wheel_inertia,
        c.front, c.rear, c.chassis, c.carcass), wheels)


@pure
def ackermann_cosines(
    steering_angle: float, half_track: float, wheelbase: float,
) -> Wheels:
    """Cosine and sine of the left, then of the right angle of ackermann_angles()."""
    sine, cosine = sine_cosine(steering_angle)
    ratio = half_track / wheelbase
    left, right = cosine - ratio * sine, cosine + ratio * sine
    per_left = 1.0 / math.sqrt(left * left + sine * sine)
    per_right = 1.0 / math.sqrt(right * right + sine * sine)
    return left * per_left, sine * per_left, right * per_right, sine * per_right


@pure
def hold_speed(inputs: Command, car: DoubleCar) -> Held[SpeedDrive]:
    """What the rates need of speed and steering angle, and of the parameters."""
    p = car.planar
    share = 0.5 * p.share_front
    return hold_angles(
        ackermann_cosines(inputs.steering_angle, car.half_track, p.to_front + p.to_rear),
        SpeedDrive(inputs.speed, p.mass / p.time_constant, p.force_limit,
                   share * car.radius, (0.5 - share) * car.rear_radius), car)


@pure
def hold_torques(inputs: WheelInputs, car: DoubleCar) -> Held[TorqueDrive]:
    """What the rates need of angles and torques of the wheels, and of the parameters."""
    sin_left, cos_left = sine_cosine(inputs.left_angle)
    sin_right, cos_right = sine_cosine(inputs.right_angle)
    front = car.wheel_inertia + inputs.inertia[0]
    rear = car.wheel_inertia + inputs.inertia[1]
    return hold_angles(
        (cos_left, sin_left, cos_right, sin_right),
        TorqueDrive(
            inputs.drive, inputs.brake, inputs.damping, inputs.brake_damping, inputs.forced,
            car.overspeed, front * STICK_RATE, rear * STICK_RATE, 1.0 / front, 1.0 / rear), car)
