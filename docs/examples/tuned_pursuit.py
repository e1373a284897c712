# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pure pursuit with settings of its own, which a sweep tunes.

    ./run racecar sweep kinematic_ode docs/examples/tuned_pursuit_sweep.yaml

It steers for the point of the reference that lies `preview` ahead in time, along the circle
through rear axle and point (Coulter 1992, CMU-RI-TR-92-01), and drives as fast as the reference
does there, faster by `gain` times the distance by which it is behind.
"""

import math
from typing import NamedTuple


class State(NamedTuple):
    """What the controller remembers: the speed that it commanded last [m/s]."""

    speed: float


class Parameters(NamedTuple):
    """Wheelbase [m], preview [s], gain [1/s] and the largest acceleration [m/s^2]."""

    wheelbase: float
    preview: float
    gain: float
    acceleration: float


def step(state, parameters, car, reference, dt):
    """Return the next state, speed [m/s] and steering angle [rad]: a pure function of numbers."""
    dx, dy = reference.x - car.x, reference.y - car.y
    ahead = math.cos(car.yaw) * dx + math.sin(car.yaw) * dy
    left = math.cos(car.yaw) * dy - math.sin(car.yaw) * dx
    wanted = math.hypot(reference.vx, reference.vy)
    wanted += parameters.gain * (ahead - parameters.preview * wanted)
    change = parameters.acceleration * dt
    speed = min(max(wanted, state.speed - change), state.speed + change)
    curvature = 2.0 * left / max(dx * dx + dy * dy, 0.05 ** 2)
    return State(speed), speed, math.atan(parameters.wheelbase * curvature)


class TunedPursuit:
    """The settings are keyword arguments; preview [s] also says how far ahead to look."""

    step = staticmethod(step)

    def __init__(self, vehicle, preview=0.4, gain=2.0, acceleration=5.0):
        self.preview = preview
        self.state = State(0.0)
        self.parameters = Parameters(vehicle.wheelbase, preview, gain, acceleration)
