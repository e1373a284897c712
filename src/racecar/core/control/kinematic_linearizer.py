# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kinematic feedback linearization of the rear-axle bicycle (report section 5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from racecar.core.compiled import inlined
from racecar.core.control.linearizer import STANDSTILL_PARAMETERS
from racecar.core.elementary import arctangent, sine_cosine
from racecar.core.parameters import Parameter, ParameterTable
from racecar.core.types import AckermannCommand, Odometry, PlanarVelocity
from racecar.core.vehicles.parameters import VehicleParameters

KINEMATIC_LINEARIZER_PARAMETERS = ParameterTable([
    Parameter('epsilon', float, 0.1,
              'Distance of the point P ahead of the rear axle; equals PL_distance of the tracker',
              'm', above=0.0, maximum=10.0),
    *STANDSTILL_PARAMETERS,
    Parameter('reverse', bool, True,
              'Drive backwards when the wanted velocity points behind the car, with P behind the'
              ' rear axle; false: turn round, as in the report'),
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


@inlined
def kinematic_command(
        vx: float, vy: float, yaw: float, epsilon: float, wheelbase: float,
        held_steering: float, minimum_speed: float, fade_speed: float, reverse: bool,
        steering_limit: float, speed_min: float, speed_max: float,
) -> tuple[float, float, float]:
    """Return speed [m/s], steering [rad] and the steering to hold next [rad], within the limits.

    reverse: whether a velocity that points behind the car is driven backwards; P then lies
    epsilon behind the axle, where the motion is stable. Otherwise P stays ahead and the car turns
    round. From fade_speed [m/s] down to minimum_speed the law gives way to held_steering, the last
    one from above fade_speed, so nothing jumps where the speed passes through zero.
    """
    sine, cosine = sine_cosine(yaw)
    backwards = reverse and vx * cosine + vy * sine < 0.0
    speed, wanted = kinematic_law(
        vx, vy, yaw, -epsilon if backwards else epsilon, wheelbase, held_steering, minimum_speed)
    wanted = max(-steering_limit, min(steering_limit, wanted))
    fades = abs(speed) < max(fade_speed, minimum_speed)
    share = max(0.0, abs(speed) - minimum_speed) / max(1e-9, fade_speed - minimum_speed)
    steering = held_steering + share * share * (wanted - held_steering) if fades else wanted
    return (
        max(speed_min, min(speed_max, speed)), steering, held_steering if fades else wanted)


class KinematicLinearizer:
    """The law with the vehicle's limits and the steering angle that it holds at standstill."""

    def __init__(self, values: Mapping[str, Any], vehicle: VehicleParameters) -> None:
        """Take resolved KINEMATIC_LINEARIZER_PARAMETERS values and the vehicle."""
        self._vehicle = vehicle
        self._held_steering = 0.0
        self.tune(values)

    def tune(self, values: Mapping[str, Any]) -> None:
        """Take over other KINEMATIC_LINEARIZER_PARAMETERS values; the steering stays held."""
        vehicle = self._vehicle
        self._epsilon: float = values['epsilon']
        self._standstill = (float(values['minimum_speed']), float(values['fade_speed']))
        self._reverses = bool(values['reverse'])
        self._limits = (vehicle.steering_limit, vehicle.speed_min, vehicle.speed_max)

    @property
    def tracked_ahead(self) -> float:
        """The law is exact for base_link, 0 m ahead of itself."""
        return 0.0

    @property
    def reverses(self) -> bool:
        """Whether a velocity that points behind the car is driven backwards."""
        return self._reverses

    def command(self, odometry: Odometry, velocity: PlanarVelocity) -> AckermannCommand:
        """Return the command for the wanted velocity of P, within the vehicle's limits."""
        speed, steering, self._held_steering = kinematic_command(
            velocity.x, velocity.y, odometry.yaw, self._epsilon, self._vehicle.wheelbase,
            self._held_steering, *self._standstill, self._reverses, *self._limits)
        return AckermannCommand.in_single_precision(speed, steering)
