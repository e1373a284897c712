# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steering angle of steady cornering over speed and lateral acceleration, for compiled code."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import pure
from racecar.base.vectors import Vector
from racecar.dynamics.vehicles.grip_map import GripMap
from racecar.dynamics.vehicles.parameters import VehicleParameters

HEAD = 4


def steering_table(grip: GripMap) -> NDArray[np.float64]:
    """Rows and columns, lowest speed [m/s] and step of speeds, limits [m/s^2], angles [rad]."""
    rows, columns = grip.steering.shape
    return np.concatenate([
        [rows, columns, grip.speeds[0], grip.speeds[1] - grip.speeds[0]], grip.lateral,
        grip.steering.ravel()])


def sideslip_slope(vehicle: VehicleParameters) -> float:
    """What squared speed takes from steady sideslip over curvature, a m/(L Cr) [s^2/m].

    At the centre of gravity vy/(v kappa) is b - slope v^2. Linear tyres; Rajamani, Vehicle
    Dynamics and Control, 2nd ed., (3.10).
    """
    return vehicle.cog_to_front_axle * vehicle.mass / (
        vehicle.wheelbase * vehicle.rear_cornering_stiffness)


@pure
def steady_steering(numbers: Vector, at: int, speed: float, lateral: float) -> float:
    """Steering angle for a speed [m/s] and a lateral acceleration [m/s^2], as GripMap.steer().

    at: where the table begins.
    """
    rows, columns = int(numbers[at]), int(numbers[at + 1])
    # NaN as an integer is below all of the table in compiled code.
    place = min(max((speed - numbers[at + 2]) / numbers[at + 3], 0.0), rows - 1.0)
    row = min(max(int(place), 0), rows - 2)
    part = place - row
    limits = at + HEAD
    limit = (1.0 - part) * numbers[limits + row] + part * numbers[limits + row + 1]
    share = min(abs(lateral) / limit, 1.0)
    # The shares of the table are roots of even steps.
    column = min(max(int(share * share * (columns - 1)), 0), columns - 2)
    low, high = math.sqrt(column / (columns - 1)), math.sqrt((column + 1) / (columns - 1))
    across = (share - low) / (high - low)
    first = limits + rows + row * columns + column
    second = first + columns
    angle = ((1.0 - part) * ((1.0 - across) * numbers[first] + across * numbers[first + 1])
             + part * ((1.0 - across) * numbers[second] + across * numbers[second + 1]))
    return angle if lateral >= 0.0 else -angle


@pure
def cornering_steering(numbers: Vector, at: int, speed: float, curvature: float) -> float:
    """Steering angle [rad] of steady cornering at a speed [m/s] with a curvature [1/m].

    Below the lowest speed of the table it is that of the lowest one, where the angle hardly
    depends on the speed; so a car at rest already steers as the bend asks.
    """
    slow = max(speed, numbers[at + 2])
    return steady_steering(numbers, at, slow, slow * slow * curvature)
