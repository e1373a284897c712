# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pure pursuit with a look-ahead that grows with the speed.

    delta = atan(2 L y/l^2)

for the point of the line an arc length d = clip(d0 + T v) ahead of the nearest one to the rear
axle; l: its distance from the rear axle, y: how far it lies to the left of the car. Source:
Coulter, "Implementation of the pure pursuit path tracking algorithm", CMU-RI-TR-92-01; look-ahead
by speed as in the F1TENTH course.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine
from racecar.base.types import CarMotion
from racecar.control.progress import Path, path_at, PROGRESS
from racecar.control.racing.settings import (
    checked_look_ahead,
    look_ahead_at,
    LookAhead,
    rear_axle_of,
)
from racecar.control.racing.speed import speed_command, speed_parameters, SpeedParameters
from racecar.dynamics.vehicles.parameters import VehicleParameters


class State(NamedTuple):
    """Nothing to remember but the last look-ahead [m]."""

    look_ahead: float


class Parameters(NamedTuple):
    """wheelbase, to_rear: from base_link to the rear axle, forwards [m]; look-ahead, see top."""

    wheelbase: float
    to_rear: float
    look_ahead: LookAhead
    speed: SpeedParameters


@pure
def step(
    state: State, parameters: Parameters, car: CarMotion, path: Path, dt: float,
) -> tuple[State, float, float]:
    """Next state, speed [m/s] and steering angle [rad]."""
    p = parameters
    distance = look_ahead_at(p.look_ahead, car.vx)
    point = path_at(path, distance)
    sine, cosine = sine_cosine(car.yaw)
    dx, dy = point.x - car.x - p.to_rear * cosine, point.y - car.y - p.to_rear * sine
    left = cosine * dy - sine * dx
    steering = math.atan(2.0 * p.wheelbase * left / max(dx * dx + dy * dy, 1e-4))
    return State(distance), speed_command(p.speed, path, car.vx), steering


class PurePursuit:
    """See the top of the file."""

    follows = PROGRESS
    step = staticmethod(step)

    def __init__(
        self, vehicle: VehicleParameters, *, look_ahead: float = 0.3,
        look_ahead_time: float = 0.1, longest_look_ahead: float = 4.0, preview: float = 0.0,
        speed_gain: float = 0.5, slip_feed_forward: float = 0.0, rate: float = 0.0,
        latency: float = 0.0,
    ) -> None:
        """Take a vehicle; look-ahead [m] and how it grows with the speed [s], see SpeedParameters.

        rate: of answers [Hz], 0 for each odometry; latency: until one acts [s].
        Raises ParameterError for values out of range.
        """
        self.rate, self.latency = rate, latency
        self.point_ahead = rear_axle_of(vehicle)
        self.state = State(0.0)
        self.parameters = Parameters(
            vehicle.wheelbase, self.point_ahead,
            checked_look_ahead(look_ahead, look_ahead_time, longest_look_ahead),
            speed_parameters(vehicle, preview, speed_gain, slip_feed_forward))
