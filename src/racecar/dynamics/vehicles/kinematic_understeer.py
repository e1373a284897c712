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

from collections.abc import Callable, Mapping
import math
from typing import Any, ClassVar

from racecar.base.compiled import inlined, njit
from racecar.base.errors import ParameterError
from racecar.base.packing import Vector, vector
from racecar.dynamics.vehicles.interface import Derivative, SPEED, STEERING_ANGLE
from racecar.dynamics.vehicles.kinematic_bicycle import KinematicBicycle, X, Y, YAW
from racecar.dynamics.vehicles.parameters import VehicleParameters

# The first four as KinematicBicycle packs them.
WHEELBASE, _GAIN, ODOMETRY_OFFSET, TO_REAR, GRADIENT = range(5)


@inlined
def understeer_yaw_rate(inputs: Vector, parameters: Vector) -> float:
    """Return V tan(d)/(L + K V^2) [rad/s]."""
    speed = inputs[SPEED]
    return speed * math.tan(inputs[STEERING_ANGLE]) / (
        parameters[WHEELBASE] + parameters[GRADIENT] * speed * speed)


@njit
def understeer_derivative(
    state: Vector, inputs: Vector, parameters: Vector,
) -> tuple[float, float, float]:
    """Return the time derivative of (x, y, yaw) of the rear axle [SI]."""
    speed = inputs[SPEED]
    return (speed * math.cos(state[YAW]), speed * math.sin(state[YAW]),
            understeer_yaw_rate(inputs, parameters))


@njit
def understeer_observe(
    state: Vector, inputs: Vector, parameters: Vector,
) -> tuple[float, float, float, float, float, float, float]:
    """Return x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI]."""
    offset = parameters[ODOMETRY_OFFSET]
    yaw_rate = understeer_yaw_rate(inputs, parameters)
    return (
        state[X] + offset * math.cos(state[YAW]), state[Y] + offset * math.sin(state[YAW]),
        math.sin(0.5 * state[YAW]), math.cos(0.5 * state[YAW]), inputs[SPEED],
        offset * yaw_rate, yaw_rate)


@njit
def understeer_diagnose(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, ...]:
    """Return the fields of VehicleDiagnostics; slip and forces, which it has not, are zero."""
    to_rear = parameters[TO_REAR]
    speed = inputs[SPEED]
    yaw_rate = understeer_yaw_rate(inputs, parameters)
    sideslip = math.atan(to_rear * yaw_rate / speed) if speed != 0.0 else 0.0
    return (
        state[X] + to_rear * math.cos(state[YAW]), state[Y] + to_rear * math.sin(state[YAW]),
        state[YAW], speed, to_rear * yaw_rate, yaw_rate, sideslip, speed * yaw_rate,
        0.0, 0.0, 0.0, 0.0, inputs[SPEED], inputs[STEERING_ANGLE])


class KinematicUndersteer(KinematicBicycle):
    """Kinematic bicycle with an understeer gradient and the inputs speed and steering angle."""

    name: ClassVar[str] = 'kinematic_understeer'
    derivative: Derivative = staticmethod(understeer_derivative)
    observe: Derivative = staticmethod(understeer_observe)
    diagnose: Callable[[Vector, Vector, Vector], tuple[float, ...]] = staticmethod(
        understeer_diagnose)

    def __init__(self, vehicle: VehicleParameters, understeer_gradient: float = 0.0) -> None:
        """understeer_gradient: K [rad s^2/m]; 0: that of the vehicle's tyres.

        Raises ParameterError if the car would have no steady turn at its highest speed.
        """
        super().__init__(vehicle)
        gradient = float(understeer_gradient or vehicle.understeer_gradient)
        fastest = max(vehicle.speed_max, -vehicle.speed_min)
        if not vehicle.wheelbase + gradient * fastest * fastest > 0.0:
            raise ParameterError(
                f"parameter 'understeer_gradient' is {gradient:g} rad s^2/m, expected more than"
                f' {-vehicle.wheelbase / fastest**2:.3g}: an oversteering car has no steady turn'
                f' at {fastest:g} m/s')
        self.understeer_gradient = gradient
        self.parameters: Any = vector([*self.parameters, gradient])

    @classmethod
    def from_values(
        cls, vehicle: VehicleParameters, values: Mapping[str, Any],
    ) -> KinematicUndersteer:
        """Build from understeer_gradient; others are left alone."""
        return cls(vehicle, values.get('understeer_gradient', 0.0))

    @property
    def description(self) -> str:
        """Name with the options that make this instance, for messages."""
        return (f"{self.name} of vehicle '{self.vehicle.name}' (understeer gradient"
                f' {self.understeer_gradient:.4g} rad s^2/m)')
