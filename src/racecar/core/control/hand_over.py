# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""At which speeds a car goes over from rolling to sliding, for tracker and dynamic law alike.

Of a car that rolls, the centre of gravity moves at beta = d b/L to the axis (d steering angle, b
from it to the rear axle, L wheelbase): its course jumps with the steering, and only when the car
has gone on by b has it the yaw that belongs to the course. A law that holds the course asks for
steering on and on meanwhile; at its stop that does not end where the error is corrected within a
shorter way than that. The tracker corrects within a time, 1/Kp, and so the speeds go with the
length of the car.
"""

from __future__ import annotations

from racecar.core.vehicles.parameters import VehicleParameters

ROLLING_TIME, SLIDING_TIME = 1.3, 0.65
"""A car that takes this long for its wheelbase is taken to roll, or to slide [s]."""


def hand_over_speeds(vehicle: VehicleParameters) -> tuple[float, float]:
    """Return up to which speed a car is taken to roll, and from which to slide [m/s]."""
    return vehicle.wheelbase / ROLLING_TIME, vehicle.wheelbase / SLIDING_TIME
