# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kinematic bicycle that turns the less, the faster it drives: with an understeer gradient.

    x' = V cos yaw      y' = V sin yaw      yaw' = V tan(d)/(L + K V^2)

x, y of the rear axle; V speed, d steering angle, L wheelbase, K understeer gradient
[rad s^2/m]: the steady turn of a single track with linear tyres, taken up at once and without
sideslip. With the delay, lag and gain of actuators.* it is the least model that is worth fitting
to a real car. Source: Rajamani, Vehicle Dynamics and Control, section 3.3.
Limits: no slip angle and no friction limit, so it holds below about half the grip.
"""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import numpy as np

from racecar.base.columns import larger
from racecar.base.compiled import pure
from racecar.base.errors import ParameterError
from racecar.base.values import number_of, Values
from racecar.base.vectors import vector
from racecar.dynamics.vehicles.interface import (
    Command,
    equations_of,
    Laws,
    ModelColumns,
    NO_COMMAND,
)
from racecar.dynamics.vehicles.kinematic_bicycle import (
    axle_diagnosed,
    axle_observed,
    AxleState,
    kinematic_car,
    kinematic_rates,
    KinematicBicycle,
    KinematicHeld,
    NO_POSE,
)
from racecar.dynamics.vehicles.parameters import VehicleParameters


class UndersteerCar(NamedTuple):
    """Parameters of KinematicCar, and K [rad s^2/m]."""

    wheelbase: float
    gain: float
    odometry_offset: float
    to_rear: float
    gradient: float


@pure
def understeer_yaw_rate(inputs: Command, car: UndersteerCar) -> float:
    """V tan(d)/(L + K V^2) [rad/s]."""
    speed = inputs.speed
    return speed * math.tan(inputs.steering_angle) / (
        car.wheelbase + car.gradient * speed * speed)


@pure
def understeer_hold(inputs: Command, car: UndersteerCar) -> KinematicHeld:
    """Motion of the rear axle."""
    return KinematicHeld(inputs.speed, understeer_yaw_rate(inputs, car))


@pure
def understeer_observe(
    state: AxleState, inputs: Command, car: UndersteerCar,
) -> tuple[float, float, float, float, float, float, float]:
    """x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI]."""
    return axle_observed(state, understeer_hold(inputs, car), car.odometry_offset)


@pure
def understeer_diagnose(
    state: AxleState, inputs: Command, car: UndersteerCar, held: KinematicHeld,
) -> tuple[float, ...]:
    """Fields of VehicleDiagnostics."""
    stands = held.speed == 0.0
    slope = car.to_rear * held.yaw_rate / (1.0 if stands else held.speed)
    return axle_diagnosed(
        state, inputs, held, car.to_rear, 0.0 if stands else math.atan(slope))


def _turns(vehicle: VehicleParameters, gradient: float) -> bool:
    """Whether it, or all whose columns it has, turns steadily at its highest speed."""
    fastest = larger(vehicle.speed_max, -vehicle.speed_min)
    return bool(np.all(vehicle.wheelbase + gradient * fastest * fastest > 0.0))


class KinematicUndersteer(KinematicBicycle):
    """Kinematic bicycle with an understeer gradient and the inputs speed and steering angle."""

    name: ClassVar[str] = 'kinematic_understeer'

    def __init__(self, vehicle: VehicleParameters, understeer_gradient: float = 0.0) -> None:
        """understeer_gradient: K [rad s^2/m]; 0: that of the vehicle's tyres.

        Raises ParameterError if the car would have no steady turn at its highest speed.
        """
        super().__init__(vehicle)
        gradient = float(understeer_gradient or vehicle.understeer_gradient)
        if not _turns(vehicle, gradient):
            fastest = max(vehicle.speed_max, -vehicle.speed_min)
            raise ParameterError(
                f"parameter 'understeer_gradient' is {gradient:g} rad s^2/m, expected more than"
                f' {-vehicle.wheelbase / fastest**2:.3g}: an oversteering car has no steady turn'
                f' at {fastest:g} m/s')
        self.understeer_gradient = gradient
        car = UndersteerCar(*self.car, gradient)
        self.equations = equations_of(self.name, NO_POSE, NO_COMMAND, car, Laws(
            understeer_hold, kinematic_rates, understeer_observe, understeer_diagnose))
        self.parameters = vector(car)

    @classmethod
    def from_values(
        cls, vehicle: VehicleParameters, values: Values,
    ) -> KinematicUndersteer:
        """Build from understeer_gradient; others are left alone."""
        return cls(vehicle, number_of(values, 'understeer_gradient', 0.0))

    def columns(
        self, vehicle: VehicleParameters, values: Values, cars: int,
    ) -> ModelColumns:
        """What cars have that differ in their vehicles; see VehicleModel."""
        gradient = number_of(values, 'understeer_gradient', 0.0) or vehicle.understeer_gradient
        if not _turns(vehicle, gradient):
            raise ValueError('some of the cars have no steady turn')
        return self._columns(kinematic_car(vehicle, self.speed_gain), (gradient,), cars)

    @property
    def description(self) -> str:
        """Name with the options that make this instance, for messages."""
        return (f"{self.name} of vehicle '{self.vehicle.name}' (understeer gradient"
                f' {self.understeer_gradient:.4g} rad s^2/m)')
