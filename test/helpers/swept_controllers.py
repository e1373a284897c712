# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Controllers for sweeps, in a module: each is compiled once for all tests of a process."""

import math
from typing import Any, NamedTuple


class State(NamedTuple):
    integral: float


class Parameters(NamedTuple):
    gain: float
    speed: float


def step(state, parameters, car, reference, dt):
    left = math.cos(car.yaw) * (reference.y - car.y) - math.sin(car.yaw) * (reference.x - car.x)
    integral = state.integral + left * dt
    return State(integral), parameters.speed, parameters.gain * left + 0.1 * integral


class Compiled:
    step = staticmethod(step)

    def __init__(self, vehicle, gain=0.8, speed: float = 1, preview=0.3):
        self.preview = preview
        self.state, self.parameters = State(0.0), Parameters(gain, speed)


class Plain:
    def __init__(self, vehicle, gain=0.8, speed: float = 1, preview=0.3):
        if gain < 0.0:
            raise ValueError('a negative gain')
        self.gain, self.speed, self.preview = gain, speed, preview

    def command(self, odometry, reference):
        left = math.cos(odometry.yaw) * (reference.y - odometry.y) - math.sin(odometry.yaw) * (
            reference.x - odometry.x)
        return self.speed, left / self.gain if odometry.x < 0.5 else left * (1.0 / self.gain)


class Uncompilable(Compiled):
    step = staticmethod(lambda state, parameters, car, reference, dt: (
        state, float(str(parameters.speed)), 0.0))


class NotFinite(Compiled):
    step = staticmethod(lambda state, parameters, car, reference, dt: (
        state, parameters.speed, math.nan if car.x > parameters.gain else 0.0))


class Needs:
    last: Any = None

    def __init__(self, vehicle, gain, *, path=None, **more):
        self.gain, self.path, self.more = gain, path, more
        Needs.last = self

    def command(self, odometry, reference):
        return self.gain, 0.0
