# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wheels without a state of their own: they roll with the car; both front ones steer alike."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.errors import ConfigurationError
from racecar.base.types import WheelCommand, Wheels, WheelState
from racecar.base.vectors import Vector
from racecar.dynamics.vehicles.interface import STEERING_ANGLE, Travel
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.point_kernels import PointKernels


class AxleTyres(NamedTuple):
    """Tyres of an axle as one: slip_angle [rad], longitudinal_force, lateral_force [N]."""

    slip_angle: float
    longitudinal_force: float
    lateral_force: float


def rolling_wheels(vehicle: VehicleParameters, speed: float) -> Wheels:
    """Rotation of wheels that roll at a forward velocity [m/s], [rad/s].

    Of a distance [m] it returns the angle [rad].
    """
    front_radius, rear_radius = vehicle.wheel_radii
    front, rear = speed / front_radius, speed / rear_radius
    return front, front, rear, rear


def wheels_of_axles(
    vehicle: VehicleParameters, speed: float, front: AxleTyres, rear: AxleTyres,
) -> tuple[WheelState, ...]:
    """Wheels of a single-track vehicle: each has half of what its axle has.

    speed [m/s]: forward velocity, at which the wheels roll; longitudinal slip it has none.
    """
    return tuple(
        WheelState(0.0, axle.slip_angle, 0.5 * axle.longitudinal_force,
                   0.5 * axle.lateral_force, 0.5 * load, rotation)
        for axle, load, rotation in zip(
            (front, front, rear, rear),
            (*(vehicle.front_axle_load,) * 2, *(vehicle.rear_axle_load,) * 2),
            rolling_wheels(vehicle, speed), strict=True))


@pure
def roll_as_commanded(
    travel: Travel, before: object, after: object, parameters: object, commanded: float,
    duration: float,
) -> Travel:
    """Distance after driving on at the commanded speed; see VehicleModel."""
    return (travel[0] + commanded,)


class RollingWheels(PointKernels):
    """What single-track models answer about wheels and inputs, which are speed and steering.

    Travel is the distance [m] over which the wheels have rolled.
    """

    vehicle: VehicleParameters
    input_count = 2
    no_travel: Travel = (0.0,)
    travelled: Callable[..., Travel] = staticmethod(roll_as_commanded)

    @property
    @abstractmethod
    def description(self) -> str:
        """Name with the options that make this instance, for messages."""

    @abstractmethod
    def rolling_speed(self, state: Vector, inputs: Vector) -> float:
        """Forward velocity at which the wheels roll [m/s]."""

    def wheel_inputs(self, command: WheelCommand) -> Sequence[float]:
        """Raise ConfigurationError: torques act on wheels that spin."""
        raise ConfigurationError(
            f'wheel commands need wheels with torques, which {self.description} has not: set'
            ' vehicle_model to double_track')

    def wheel_speeds(self, state: Vector, inputs: Vector) -> Wheels:
        """Speed of rotation of each wheel [rad/s]."""
        return rolling_wheels(self.vehicle, self.rolling_speed(state, inputs))

    def steering_angles(self, inputs: Vector) -> tuple[float, float]:
        """Steering angle of the left and right front wheel [rad]: one for both."""
        steering = float(inputs[STEERING_ANGLE])
        return steering, steering

    def wheel_rotations(self, travel: Travel) -> Wheels:
        """Angle through which each wheel has turned [rad]."""
        return rolling_wheels(self.vehicle, travel[0])
