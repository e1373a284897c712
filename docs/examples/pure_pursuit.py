# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pure pursuit: steer for a point of the reference that lies some time ahead.

    ./run racecar simulate kinematic_ode --controller docs/examples/pure_pursuit.py:PurePursuit

The circle through rear axle and point, tangent to the car, has the curvature 2 y / d^2 with y the
offset of the point to the left and d its distance (Coulter 1992, CMU-RI-TR-92-01).
"""

import math
from typing import NamedTuple

from racecar import AckermannCommand


class PurePursuit:
    """In plain Python."""

    preview = 0.4

    def __init__(self, vehicle):
        self.wheelbase = vehicle.wheelbase

    def command(self, odometry, reference):
        dx, dy = reference.x - odometry.x, reference.y - odometry.y
        left = math.cos(odometry.yaw) * dy - math.sin(odometry.yaw) * dx
        distance = math.hypot(dx, dy)
        curvature = 2.0 * left / max(distance, 0.05) ** 2
        # Covers the distance in the time of the preview.
        return AckermannCommand(distance / self.preview, math.atan(self.wheelbase * curvature))


class State(NamedTuple):
    """Nothing to remember, but a state has at least one number."""

    unused: float


class Parameters(NamedTuple):
    """Wheelbase [m] and preview [s]."""

    wheelbase: float
    preview: float


def step(state, parameters, car, reference, dt):
    """Do the same as a pure function, which Numba compiles."""
    dx, dy = reference.x - car.x, reference.y - car.y
    left = math.cos(car.yaw) * dy - math.sin(car.yaw) * dx
    distance = math.hypot(dx, dy)
    curvature = 2.0 * left / max(distance, 0.05) ** 2
    return state, distance / parameters.preview, math.atan(parameters.wheelbase * curvature)


class CompiledPurePursuit:
    """At full speed."""

    preview = 0.4
    step = staticmethod(step)

    def __init__(self, vehicle):
        self.state = State(0.0)
        self.parameters = Parameters(vehicle.wheelbase, self.preview)
