# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ackermann steering: angles of the front wheels and the paths of all four, without scrub.

With L wheelbase, t track, d angle of the virtual middle wheel (positive left) and k = t/(2 L):

    tan(left) = tan d/(1 - k tan d)    tan(right) = tan d/(1 + k tan d)
    cot d = (cot left + cot right)/2

and the length of each wheel's path over that of the middle of the rear axle

    rear 1 -+ (t_rear/(2 L)) tan d     front sqrt((1 -+ k tan d)^2 + tan^2 d)     left -, right +

Seed 000 section 2.1; seed 001 loses a bracket. The form without cotangents holds at d = 0 too.
"""

from __future__ import annotations

import math

from racecar.base.compiled import pure
from racecar.base.errors import ParameterError
from racecar.dynamics.vehicles.ackermann import ackermann_angles
from racecar.dynamics.vehicles.parameters import VehicleParameters


def steering_angles(vehicle: VehicleParameters, steering_angle: float) -> tuple[float, float]:
    """Angles of the left and right front wheel [rad]; steering_angle within its limit.

    Raises ParameterError if the turn's centre would lie between the wheels.
    """
    tangent = math.tan(steering_angle)
    widest = max(vehicle.track_widths) / (2.0 * vehicle.wheelbase)
    if abs(widest * tangent) >= 1.0:
        raise ParameterError(
            f'steering_angle is {steering_angle!r} rad, expected less than'
            f' {math.atan(1.0 / widest):.6g} rad to either side: the car would turn about a'
            ' point between its wheels')
    left, right = ackermann_angles(steering_angle, 0.5 * vehicle.track_width, vehicle.wheelbase)
    return float(left), float(right)


def wheel_steering_range(vehicle: VehicleParameters) -> tuple[float, float]:
    """Lowest and highest angle of a front wheel [rad], left positive.

    They are those of the inner wheel at the limits of steering. Raises ParameterError as
    steering_angles() does.
    """
    lowest, highest = vehicle.steering_range
    return steering_angles(vehicle, lowest)[1], steering_angles(vehicle, highest)[0]


@pure
def path_ratios(
    tangent: float, front_ratio: float, rear_ratio: float,
) -> tuple[float, float, float, float]:
    """Path of each wheel over that of the middle of the rear axle.

    Order left front, right front, left rear, right rear; tangent: tan d, positive left; ratios:
    track/(2 wheelbase) of each axle.
    """
    left = 1.0 - front_ratio * tangent
    right = 1.0 + front_ratio * tangent
    square = tangent * tangent
    return (math.sqrt(left * left + square), math.sqrt(right * right + square),
            1.0 - rear_ratio * tangent, 1.0 + rear_ratio * tangent)
