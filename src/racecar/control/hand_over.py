# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""At which speeds a car goes over from rolling to sliding, for tracker and dynamic law alike.

The centre of gravity of a car that rolls moves at beta = d b/L to its axis (d steering angle, b
distance to the rear axle, L wheelbase). So its course jumps with the steering, and the yaw that
belongs to the course comes after a way of b. Meanwhile a law that holds the course keeps steering,
and where errors are corrected within a much shorter way it goes from stop to stop. The tracker
corrects within a time, 1/Kp, not a way; therefore the speeds go with the length of the car.
"""

from __future__ import annotations

from racecar.dynamics.vehicles.parameters import VehicleParameters

ROLLING_TIME, SLIDING_TIME = 1.3, 0.65
"""A car that takes this long for its wheelbase is taken to roll, or to slide [s]."""


def hand_over_speeds(vehicle: VehicleParameters) -> tuple[float, float]:
    """Return up to which speed a car is taken to roll, and from which to slide [m/s]."""
    return vehicle.wheelbase / ROLLING_TIME, vehicle.wheelbase / SLIDING_TIME
