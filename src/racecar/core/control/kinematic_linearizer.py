# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kinematic feedback linearization of the rear-axle bicycle (report section 5.2)."""

from __future__ import annotations

from typing import Any

from racecar.core.compiled import inlined
from racecar.core.elementary import arctangent, sine_cosine
from racecar.core.parameters import Parameter, ParameterTable
from racecar.core.types import AckermannCommand, Odometry, PlanarVelocity
from racecar.core.vehicles.parameters import VehicleParameters

KINEMATIC_LINEARIZER_PARAMETERS = ParameterTable([
    Parameter('epsilon', float, 0.1,
              'Distance of the point P ahead of the rear axle; equals PL_distance of the tracker',
              'm', above=0.0, maximum=10.0),
    Parameter('minimum_speed', float, 0.01,
              'Below this commanded speed the last steering is held, because the law is'
              ' singular at standstill', 'm/s', above=0.0, maximum=1.0),
])


@inlined
def kinematic_law(
        vx: float, vy: float, yaw: float, epsilon: float, wheelbase: float,
        held_steering: float, minimum_speed: float) -> tuple[float, float]:
    """Return rear-axle speed [m/s] and steering angle [rad] that move P at (vx, vy) [m/s] in map.

    V = vx cos(yaw) + vy sin(yaw), w = (vy cos(yaw) - vx sin(yaw)) / epsilon,
    delta = atan(wheelbase w / V); below minimum_speed [m/s] delta = held_steering [rad].
    """
    sine, cosine = sine_cosine(yaw)
    speed = vx * cosine + vy * sine
    slow = abs(speed) < minimum_speed
    yaw_rate = (vy * cosine - vx * sine) / epsilon
    # Selections rather than branches let a loop over vehicles vectorise.
    steering = arctangent(wheelbase * yaw_rate / (1.0 if slow else speed))
    return speed, held_steering if slow else steering


class KinematicLinearizer:
    """The law with the vehicle's limits and the steering angle that it holds at standstill."""

    def __init__(self, values: dict[str, Any], vehicle: VehicleParameters) -> None:
        """Take resolved KINEMATIC_LINEARIZER_PARAMETERS values and the vehicle."""
        self._epsilon: float = values['epsilon']
        self._minimum_speed: float = values['minimum_speed']
        self._vehicle = vehicle
        self._steering = 0.0

    def command(self, odometry: Odometry, velocity: PlanarVelocity) -> AckermannCommand:
        """Return the command for the wanted velocity of P, within the vehicle's limits."""
        vehicle = self._vehicle
        speed, steering = kinematic_law(
            velocity.x, velocity.y, odometry.yaw, self._epsilon, vehicle.wheelbase,
            self._steering, self._minimum_speed)
        self._steering = max(-vehicle.steering_limit, min(vehicle.steering_limit, steering))
        speed = max(vehicle.speed_min, min(vehicle.speed_max, speed))
        return AckermannCommand.in_single_precision(speed, self._steering)
