# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Predictive control by shooting: tries commands, predicts where they lead, takes the best.

    ./run racecar simulate kinematic_ode --controller docs/examples/shooting.py:Shooting

Each candidate is a speed and a steering angle, held for `preview` seconds, in which a kinematic
bicycle with the understeer of the vehicle shows where the car would go. The best has the least
sum of squared distances from the reference, which around its point `preview` ahead is known by
velocity and acceleration. The grid of candidates closes in on the best one in each round, so that
the controller is deterministic.
"""

import math
from typing import Any, NamedTuple

from racecar import make_vehicle_model, motion_of, predict, pure, state_at, vehicle_numbers

# Nodes of the prediction; rounds of the search; candidates on each side of the best.
NODES, ROUNDS, SIDES = 4, 8, 2
# Half the width of the first grid: speed [m/s], steering angle [rad].
SPEED_WIDTH, ANGLE_WIDTH = 0.8, 0.2


class State(NamedTuple):
    """The last command: speed [m/s], steering angle [rad]."""

    speed: float
    steering_angle: float


class Parameters(NamedTuple):
    """Numbers of the predicted vehicle, preview [s], limits of the command [m/s, rad]."""

    car: Any
    preview: float
    speed_min: float
    speed_max: float
    steering_min: float
    steering_max: float


@pure
def cost(parameters, start, reference, speed, angle):
    """Sum of squared distances [m^2] from the reference under a command."""
    dt = parameters.preview / NODES
    state, total = start, 0.0
    for node in range(1, NODES + 1):
        state = predict(parameters.car, state, speed, angle, dt, 1)
        car = motion_of(parameters.car, state, speed, angle)
        # The reference is known this much later than the car is predicted here.
        ago = parameters.preview - node * dt
        x = reference.x - ago * reference.vx + 0.5 * ago * ago * reference.ax
        y = reference.y - ago * reference.vy + 0.5 * ago * ago * reference.ay
        total += (car.x - x) ** 2 + (car.y - y) ** 2
    return total


def step(state, parameters, car, reference, dt):
    """Return the next state, speed [m/s] and steering angle [rad]: a pure function of numbers."""
    start = state_at(parameters.car, car)
    best, speed, angle = math.inf, state.speed, state.steering_angle
    speed_width, angle_width = SPEED_WIDTH, ANGLE_WIDTH
    for _ in range(ROUNDS):
        middle_speed, middle_angle = speed, angle
        for i in range(-SIDES, SIDES + 1):
            tried_speed = min(max(middle_speed + speed_width * i / SIDES, parameters.speed_min),
                              parameters.speed_max)
            for j in range(-SIDES, SIDES + 1):
                tried_angle = min(
                    max(middle_angle + angle_width * j / SIDES, parameters.steering_min),
                    parameters.steering_max)
                found = cost(parameters, start, reference, tried_speed, tried_angle)
                if found < best:
                    best, speed, angle = found, tried_speed, tried_angle
        speed_width *= 0.5
        angle_width *= 0.5
    return State(speed, angle), speed, angle


class Shooting:
    """The settings are keyword arguments; model: which equations predict the car."""

    step = staticmethod(step)

    def __init__(self, vehicle, preview=0.3, model='kinematic_understeer'):
        self.preview = preview
        self.state = State(0.0, 0.0)
        self.parameters = Parameters(
            vehicle_numbers(make_vehicle_model(model, vehicle, {})), preview, vehicle.speed_min,
            vehicle.speed_max, *vehicle.steering_range)
