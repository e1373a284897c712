# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kinematic bicycle: the rear axle rolls along the heading, wheels never slip.

    x' = g V cos yaw      y' = g V sin yaw      yaw' = g V tan(d)/L

x, y of the rear axle; V speed, d steering angle, L wheelbase, g speed gain. The gain is 1; the
original servo chain turned the wheels at half the commanded speed, gain 0.5.
Source: Rajamani, Vehicle Dynamics and Control, section 2.2, referred to the rear axle.
Limits: no slip at all, so it holds where V^2 tan(d)/L is small against the grip.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import math
from typing import Any, ClassVar

from racecar.base.compiled import njit
from racecar.base.errors import ParameterError
from racecar.base.packing import Vector, vector
from racecar.base.types import Pose2, WheelState
from racecar.dynamics.vehicles.interface import (
    Derivative,
    POSITION_LIMIT,
    SPEED,
    STEERING_ANGLE,
    Travel,
)
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.rolling import AxleTyres, RollingWheels, wheels_of_axles

X, Y, YAW = range(3)
WHEELBASE, GAIN, ODOMETRY_OFFSET, TO_REAR = range(4)

SPEED_GAIN = 1.0
"""Default speed over the commanded one [-]."""


@njit
def kinematic_derivative(
    state: Vector, inputs: Vector, parameters: Vector,
) -> tuple[float, float, float]:
    """Return the time derivative of (x, y, yaw) of the rear axle [SI]."""
    speed = parameters[GAIN] * inputs[SPEED]
    return (
        speed * math.cos(state[YAW]),
        speed * math.sin(state[YAW]),
        speed * math.tan(inputs[STEERING_ANGLE]) / parameters[WHEELBASE],
    )


@njit
def kinematic_observe(
    state: Vector, inputs: Vector, parameters: Vector,
) -> tuple[float, float, float, float, float, float, float]:
    """Return x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI]."""
    offset = parameters[ODOMETRY_OFFSET]
    speed = parameters[GAIN] * inputs[SPEED]
    yaw_rate = speed * math.tan(inputs[STEERING_ANGLE]) / parameters[WHEELBASE]
    return (
        state[X] + offset * math.cos(state[YAW]),
        state[Y] + offset * math.sin(state[YAW]),
        math.sin(0.5 * state[YAW]),
        math.cos(0.5 * state[YAW]),
        speed,
        offset * yaw_rate,
        yaw_rate,
    )


@njit
def kinematic_diagnose(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, ...]:
    """Return the fields of VehicleDiagnostics; slip and forces, which it has not, are zero."""
    to_rear = parameters[TO_REAR]
    speed = parameters[GAIN] * inputs[SPEED]
    yaw_rate = speed * math.tan(inputs[STEERING_ANGLE]) / parameters[WHEELBASE]
    return (
        state[X] + to_rear * math.cos(state[YAW]), state[Y] + to_rear * math.sin(state[YAW]),
        state[YAW], speed, to_rear * yaw_rate, yaw_rate,
        math.atan(to_rear * math.tan(inputs[STEERING_ANGLE]) / parameters[WHEELBASE]),
        speed * yaw_rate, 0.0, 0.0, 0.0, 0.0, inputs[SPEED], inputs[STEERING_ANGLE],
    )


@njit
def roll_at_gain(
    travel: Travel, before: Vector, after: Vector, parameters: Vector, commanded: float,
    duration: float,
) -> Travel:
    """Return the distance after driving on at the speed of the rear axle; see VehicleModel."""
    return (travel[0] + parameters[GAIN] * commanded,)



class KinematicBicycle(RollingWheels):
    """Kinematic bicycle with the inputs speed and steering angle."""

    name: ClassVar[str] = 'kinematic_bicycle'
    state_names = ('x', 'y', 'yaw')
    state_limits = (POSITION_LIMIT, POSITION_LIMIT, POSITION_LIMIT)
    derivative: Derivative = staticmethod(kinematic_derivative)
    observe: Derivative = staticmethod(kinematic_observe)
    diagnose: Callable[[Vector, Vector, Vector], tuple[float, ...]] = staticmethod(
        kinematic_diagnose)
    travelled = staticmethod(roll_at_gain)

    def __init__(self, vehicle: VehicleParameters, speed_gain: float = SPEED_GAIN) -> None:
        """Raise ParameterError if the gain of the speed is not a positive number."""
        if not (math.isfinite(speed_gain) and speed_gain > 0.0):
            raise ParameterError(
                f"parameter 'speed_gain' is {speed_gain!r}, expected a positive number")
        self.vehicle = vehicle
        self.speed_gain = float(speed_gain)
        packed = [0.0] * 4
        packed[WHEELBASE] = vehicle.wheelbase
        packed[GAIN] = self.speed_gain
        packed[ODOMETRY_OFFSET] = vehicle.odometry_offset + vehicle.cog_to_rear_axle
        packed[TO_REAR] = vehicle.cog_to_rear_axle
        self.parameters: Any = vector(packed)

    @classmethod
    def from_values(
        cls, vehicle: VehicleParameters, values: Mapping[str, Any],
    ) -> KinematicBicycle:
        """Build from speed_gain; others are left alone."""
        return cls(vehicle, values.get('speed_gain', SPEED_GAIN))

    @property
    def description(self) -> str:
        """Name with the options that make this instance, for messages."""
        return f"{self.name} of vehicle '{self.vehicle.name}' (speed gain {self.speed_gain:g})"

    def initial_state(self, pose: Pose2) -> tuple[float, ...]:
        """Return the state at rest with the odometry point at a pose."""
        offset = self.parameters[ODOMETRY_OFFSET]
        return (pose.x - offset * math.cos(pose.yaw), pose.y - offset * math.sin(pose.yaw),
                float(pose.yaw))

    def rolling_speed(self, state: Vector, inputs: Vector) -> float:
        """Return the speed of the rear axle [m/s]."""
        return self.speed_gain * float(inputs[SPEED])

    def wheels(self, state: Vector, inputs: Vector) -> tuple[WheelState, ...]:
        """Return the wheels; slip and forces, which it has not, are zero."""
        none = AxleTyres(0.0, 0.0, 0.0)
        return wheels_of_axles(
            self.vehicle, self.rolling_speed(state, inputs), none, none)

    def fastest_mode(self) -> float:
        """Return 0: nothing decays [1/s]."""
        return 0.0
