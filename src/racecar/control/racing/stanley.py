# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Stanley's law of the front axle, with the steering of the bend and yaw damping.

    delta = delta(v, v^2 kappa) - (theta - theta_ss) - atan(k e/(v0 + v)) - kd (r - v kappa)
    theta_ss = -(L - a m v^2/(L Cr)) kappa

with lateral error e of the front axle, to the left, heading error theta and curvature kappa of the
line there, and the steering of steady cornering of the vehicle's own tyres. In steady cornering
the front axle moves along the line, so the heading of the car differs from that of the line by
theta_ss, see Rajamani, Vehicle Dynamics and Control, 2nd ed., (3.10). Source: Hoffmann, Tomlin,
Montemerlo, Thrun, "Autonomous automobile trajectory tracking for off-road driving", ACC 2007.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.types import CarMotion
from racecar.control.progress import Path, PROGRESS
from racecar.control.racing.settings import check_not_negative, check_positive
from racecar.control.racing.speed import speed_command, speed_parameters, SpeedParameters
from racecar.control.racing.steering_table import (
    cornering_steering,
    sideslip_slope,
    steering_table,
)
from racecar.dynamics.vehicles.grip_map import GripMap
from racecar.dynamics.vehicles.parameters import VehicleParameters


class State(NamedTuple):
    """Nothing to remember but the last steering angle [rad]."""

    steering: float


class Parameters(NamedTuple):
    """gain: k [1/s]; softening: v0 [m/s]; damping: kd [s]; steady cornering: heading error.

    Heading error at the front axle over curvature is slope v^2 - wheelbase [m].
    """

    gain: float
    softening: float
    damping: float
    wheelbase: float
    slope: float
    speed: SpeedParameters


@pure
def step(
    state: State, parameters: Parameters, car: CarMotion, path: Path, dt: float,
) -> tuple[State, float, float]:
    """Next state, speed [m/s] and steering angle [rad]."""
    p = parameters
    vx = max(car.vx, 0.0)
    steady = -(p.wheelbase - p.slope * vx * vx) * path.curvature
    steering = (
        cornering_steering(path.numbers, path.table, vx, path.curvature)
        - (path.heading_error - steady)
        - math.atan(p.gain * path.lateral_error / (p.softening + vx))
        - p.damping * (car.yaw_rate - vx * path.curvature))
    return State(steering), speed_command(p.speed, path, car.vx), steering


class Stanley:
    """See the top of the file."""

    follows = PROGRESS
    step = staticmethod(step)

    def __init__(
        self, vehicle: VehicleParameters, *, gain: float = 4.0, softening: float = 1.0,
        damping: float = 0.02, tyre_model: str = 'pacejka', preview: float = 0.0,
        speed_gain: float = 0.5, slip_feed_forward: float = 0.0, rate: float = 0.0,
        latency: float = 0.0,
    ) -> None:
        """Take a vehicle, gains, and what SpeedParameters has.

        gain [1/s]; softening [m/s]; damping [s]; rate: of answers [Hz], 0 for each odometry;
        latency: until one acts [s]. Raises ParameterError for values out of range.
        """
        check_positive(softening=softening)
        check_not_negative(gain=gain, damping=damping)
        self.rate, self.latency = rate, latency
        self.point_ahead = vehicle.cog_to_front_axle - vehicle.odometry_offset
        self.table = steering_table(GripMap.of(vehicle, tyre_model))
        self.state = State(0.0)
        self.parameters = Parameters(
            float(gain), float(softening), float(damping), vehicle.wheelbase,
            sideslip_slope(vehicle),
            speed_parameters(vehicle, preview, speed_gain, slip_feed_forward))
