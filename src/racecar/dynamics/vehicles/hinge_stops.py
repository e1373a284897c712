# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the hinges of the front wheels stop, and how far the car steers until then.

The steering limits of a vehicle are those of a virtual wheel in the middle of the axle, the wheel
at the inside of a turn is steered further.
"""

from __future__ import annotations

import math

from racecar.dynamics.vehicles.ackermann import inner_angle
from racecar.dynamics.vehicles.parameters import VehicleParameters

HINGE_STOP = 1.0
"""Stop of the hinges of the original car [rad]."""


def half_kingpin_track(vehicle: VehicleParameters) -> float:
    """Half the distance between the hinges, at the inner faces of the wheels [m]."""
    return 0.5 * (vehicle.track_width - vehicle.wheel_width)


def hinge_stop(vehicle: VehicleParameters, limit: float) -> float:
    """Where the hinges stop on the side of a steering limit; both [rad], positive.

    The inner wheel gets where its car can steer, but no further than those of the original car,
    unless both wheels must.
    """
    inner = inner_angle(limit, 0.5 * vehicle.track_widths[0], vehicle.wheelbase)
    return max(limit, min(inner, HINGE_STOP))


def reachable_angle(vehicle: VehicleParameters, limit: float) -> float:
    """Largest angle of the virtual wheel, up to a limit, at which no hinge stops.

    Both [rad], positive.
    """
    half, wheelbase = half_kingpin_track(vehicle), vehicle.wheelbase
    if inner_angle(limit, half, wheelbase) <= HINGE_STOP:
        return limit
    stop = max(limit, HINGE_STOP)
    return math.atan2(math.sin(stop), math.cos(stop) + half / wheelbase * math.sin(stop))


def hinge_stops(vehicle: VehicleParameters) -> tuple[float, float]:
    """Lowest and highest angle of either hinge [rad], left positive."""
    lowest, highest = vehicle.steering_range
    return -hinge_stop(vehicle, -lowest), hinge_stop(vehicle, highest)


def reachable_steering(vehicle: VehicleParameters) -> tuple[float, float]:
    """Lowest and highest angle of the virtual wheel [rad] at which no hinge stops."""
    lowest, highest = vehicle.steering_range
    return -reachable_angle(vehicle, -lowest), reachable_angle(vehicle, highest)
