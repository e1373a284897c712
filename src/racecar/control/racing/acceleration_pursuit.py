# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Model- and acceleration-based pursuit (MAP): pursuit whose steering comes from the tyres.

    ay = 2 v^2 sin(eta)/l,  delta = delta(v, ay)

for the point of the line an arc length d = clip(d0 + T v) ahead of the nearest one to the rear
axle; l: its distance from the rear axle, eta: its direction from the heading. delta(v, ay) is the
steering of steady cornering, of the vehicle's own tyres. With a lateral error e beyond chi d, for
the approach angle chi, the point lies farther ahead, |e|/chi, and l is d sqrt(1 + chi^2), so that
the car turns as much as at chi d, see approach. Source: Becker, Imholz, Schwarzenbach,
Ghignone, Baumann, Magno, "Model- and acceleration-based pursuit controller for high-performance
autonomous racing", ICRA 2023.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine
from racecar.base.types import CarMotion
from racecar.control.progress import Path, path_at, PROGRESS
from racecar.control.racing.approach import APPROACH_ANGLE, bounded_error, checked_approach
from racecar.control.racing.settings import (
    checked_look_ahead,
    look_ahead_at,
    LookAhead,
    rear_axle_of,
)
from racecar.control.racing.speed import speed_command, speed_parameters, SpeedParameters
from racecar.control.racing.steering_table import cornering_steering, steering_table
from racecar.dynamics.vehicles.grip_map import GripMap
from racecar.dynamics.vehicles.parameters import VehicleParameters


class State(NamedTuple):
    """Nothing to remember but the last lateral acceleration asked for [m/s^2]."""

    lateral: float


class Parameters(NamedTuple):
    """to_rear: from base_link to the rear axle, forwards [m]; look-ahead, see the top.

    approach_angle: chi [rad].
    """

    to_rear: float
    look_ahead: LookAhead
    approach_angle: float
    speed: SpeedParameters


@pure
def step(
    state: State, parameters: Parameters, car: CarMotion, path: Path, dt: float,
) -> tuple[State, float, float]:
    """Next state, speed [m/s] and steering angle [rad]."""
    p = parameters
    vx = max(car.vx, 0.0)
    ahead = look_ahead_at(p.look_ahead, vx)
    error = bounded_error(p.approach_angle, path.lateral_error, ahead)
    is_far = abs(path.lateral_error) > abs(error)
    # To a point so much farther it is as flat as for the bounded error.
    point = path_at(path, ahead * path.lateral_error / error if is_far else ahead)
    sine, cosine = sine_cosine(car.yaw)
    dx, dy = point.x - car.x - p.to_rear * cosine, point.y - car.y - p.to_rear * sine
    squared = max(dx * dx + dy * dy, 1e-4)
    curvature = 2.0 * (cosine * dy - sine * dx) / squared
    if is_far:
        # The heading is turned to it within the look-ahead nevertheless.
        curvature *= math.sqrt(squared / (ahead * ahead + error * error))
    steering = cornering_steering(path.numbers, path.table, vx, curvature)
    return State(vx * vx * curvature), speed_command(p.speed, path, car.vx), steering


class AccelerationPursuit:
    """See the top of the file."""

    follows = PROGRESS
    step = staticmethod(step)

    def __init__(
        self, vehicle: VehicleParameters, *, look_ahead: float = 0.25,
        look_ahead_time: float = 0.06, longest_look_ahead: float = 5.0,
        tyre_model: str = 'pacejka', preview: float = 0.0, speed_gain: float = 0.5,
        slip_feed_forward: float = 0.0, approach_angle: float = APPROACH_ANGLE,
        rate: float = 0.0, latency: float = 0.0,
    ) -> None:
        """Take a vehicle; look-ahead [m] and how it grows with the speed [s], see SpeedParameters.

        approach_angle: largest angle to the line [rad], see approach; rate: of answers [Hz], 0
        for each odometry; latency: until one acts [s]. Raises ParameterError for values out of
        range.
        """
        self.rate, self.latency = rate, latency
        self.point_ahead = rear_axle_of(vehicle)
        self.table = steering_table(GripMap.of(vehicle, tyre_model))
        self.state = State(0.0)
        self.parameters = Parameters(
            self.point_ahead,
            checked_look_ahead(look_ahead, look_ahead_time, longest_look_ahead),
            checked_approach(approach_angle),
            speed_parameters(vehicle, preview, speed_gain, slip_feed_forward))
