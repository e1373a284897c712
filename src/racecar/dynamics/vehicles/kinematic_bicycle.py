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

import math
from typing import ClassVar, NamedTuple

import numpy as np

from racecar.base.columns import rows_of
from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine_of_turn
from racecar.base.errors import ParameterError
from racecar.base.types import Pose2, POSITION_LIMIT, WheelState
from racecar.base.values import number_of, Values
from racecar.base.vectors import Vector, vector
from racecar.dynamics.vehicles.interface import (
    Command,
    equations_of,
    Laws,
    ModelColumns,
    NO_COMMAND,
    SPEED,
    Travel,
)
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.rolling import AxleTyres, RollingWheels, wheels_of_axles


class AxleState(NamedTuple):
    """Pose of the rear axle [m, rad], or its time derivative."""

    x: float
    y: float
    yaw: float


class KinematicCar(NamedTuple):
    """Parameters: L [m], g [-], how far odometry point and cog are ahead of the rear axle [m]."""

    wheelbase: float
    gain: float
    odometry_offset: float
    to_rear: float


class KinematicHeld(NamedTuple):
    """What inputs and parameters fix: speed [m/s], yaw rate [rad/s]."""

    speed: float
    yaw_rate: float


SPEED_GAIN = 1.0
"""Default speed over the commanded one [-]."""


@pure
def kinematic_hold(inputs: Command, car: KinematicCar) -> KinematicHeld:
    """Motion of the rear axle."""
    speed = car.gain * inputs.speed
    return KinematicHeld(speed, speed * math.tan(inputs.steering_angle) / car.wheelbase)


@pure
def kinematic_rates(state: AxleState, held: KinematicHeld) -> AxleState:
    """Time derivative of the state [SI]."""
    sine, cosine = sine_cosine_of_turn(state.yaw)
    return AxleState(held.speed * cosine, held.speed * sine, held.yaw_rate)


@pure
def axle_observed(
    state: AxleState, held: KinematicHeld, offset: float,
) -> tuple[float, float, float, float, float, float, float]:
    """x, y, qz, qw, vx, vy, yaw_rate of the point this far ahead of the rear axle [SI]."""
    return (
        state.x + offset * math.cos(state.yaw), state.y + offset * math.sin(state.yaw),
        math.sin(0.5 * state.yaw), math.cos(0.5 * state.yaw),
        held.speed, offset * held.yaw_rate, held.yaw_rate)


@pure
def kinematic_observe(
    state: AxleState, inputs: Command, car: KinematicCar,
) -> tuple[float, float, float, float, float, float, float]:
    """x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI]."""
    return axle_observed(state, kinematic_hold(inputs, car), car.odometry_offset)


@pure
def axle_diagnosed(
    state: AxleState, inputs: Command, held: KinematicHeld, to_rear: float, sideslip: float,
) -> tuple[float, ...]:
    """Fields of VehicleDiagnostics; slip angles and forces, which it has not, are zero."""
    return (
        state.x + to_rear * math.cos(state.yaw), state.y + to_rear * math.sin(state.yaw),
        state.yaw, held.speed, to_rear * held.yaw_rate, held.yaw_rate, sideslip,
        held.speed * held.yaw_rate, 0.0, 0.0, 0.0, 0.0, inputs.speed, inputs.steering_angle)


@pure
def kinematic_diagnose(
    state: AxleState, inputs: Command, car: KinematicCar, held: KinematicHeld,
) -> tuple[float, ...]:
    """Fields of VehicleDiagnostics."""
    return axle_diagnosed(
        state, inputs, held, car.to_rear,
        math.atan(car.to_rear * math.tan(inputs.steering_angle) / car.wheelbase))


@pure
def roll_at_gain(
    travel: Travel, before: object, after: object, parameters: KinematicCar, commanded: float,
    duration: float,
) -> Travel:
    """Distance after driving on at the speed of the rear axle; see VehicleModel."""
    return (travel[0] + parameters.gain * commanded,)


NO_POSE = AxleState(0.0, 0.0, 0.0)


def kinematic_car(vehicle: VehicleParameters, speed_gain: float) -> KinematicCar:
    """Parameters of a vehicle whose speed has a gain [-]."""
    return KinematicCar(
        vehicle.wheelbase, speed_gain, vehicle.odometry_offset + vehicle.cog_to_rear_axle,
        vehicle.cog_to_rear_axle)


class KinematicBicycle(RollingWheels):
    """Kinematic bicycle with the inputs speed and steering angle."""

    name: ClassVar[str] = 'kinematic_bicycle'
    state_names = AxleState._fields
    state_limits = (POSITION_LIMIT, POSITION_LIMIT, POSITION_LIMIT)
    travelled = staticmethod(roll_at_gain)

    def __init__(self, vehicle: VehicleParameters, speed_gain: float = SPEED_GAIN) -> None:
        """Raise ParameterError if the gain of the speed is not a positive number."""
        if not (math.isfinite(speed_gain) and speed_gain > 0.0):
            raise ParameterError(
                f"parameter 'speed_gain' is {speed_gain!r}, expected a positive number")
        self.vehicle = vehicle
        self.speed_gain = float(speed_gain)
        self.car = kinematic_car(vehicle, self.speed_gain)
        self.equations = equations_of(self.name, NO_POSE, NO_COMMAND, self.car, Laws(
            kinematic_hold, kinematic_rates, kinematic_observe, kinematic_diagnose))
        self.parameters = vector(self.car)

    @classmethod
    def from_values(
        cls, vehicle: VehicleParameters, values: Values,
    ) -> KinematicBicycle:
        """Build from speed_gain; others are left alone."""
        return cls(vehicle, number_of(values, 'speed_gain', SPEED_GAIN))

    @property
    def description(self) -> str:
        """Name with the options that make this instance, for messages."""
        return f"{self.name} of vehicle '{self.vehicle.name}' (speed gain {self.speed_gain:g})"

    def initial_state(self, pose: Pose2) -> tuple[float, ...]:
        """State at rest with the odometry point at a pose."""
        offset = self.car.odometry_offset
        return (pose.x - offset * math.cos(pose.yaw), pose.y - offset * math.sin(pose.yaw),
                float(pose.yaw))

    def rolling_speed(self, state: Vector, inputs: Vector) -> float:
        """Speed of the rear axle [m/s]."""
        return self.speed_gain * float(inputs[SPEED])

    def wheels(self, state: Vector, inputs: Vector) -> tuple[WheelState, ...]:
        """Wheels; slip and forces, which it has not, are zero."""
        none = AxleTyres(0.0, 0.0, 0.0)
        return wheels_of_axles(
            self.vehicle, self.rolling_speed(state, inputs), none, none)

    def fastest_mode(self) -> float:
        """Zero, as nothing decays [1/s]."""
        return 0.0

    def columns(
        self, vehicle: VehicleParameters, values: Values, cars: int,
    ) -> ModelColumns:
        """What cars have that differ in their vehicles; see VehicleModel."""
        return self._columns(kinematic_car(vehicle, self.speed_gain), (), cars)

    def _columns(self, car: KinematicCar, more: tuple[float, ...], cars: int) -> ModelColumns:
        return ModelColumns(
            rows_of((*car, *more), cars), rows_of(self.state_limits, cars),
            np.zeros((cars, 0, 0, 0)), car.odometry_offset)
