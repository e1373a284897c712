# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What models of a body that is free in the plane share: vx, vy, r, x, y, yaw and a drive.

single_track_force and double_track; their states and packed parameters begin alike.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from racecar.base.compiled import pure
from racecar.base.errors import ParameterError
from racecar.base.types import Pose2, VehicleDiagnostics
from racecar.base.vectors import Vector, vector
from racecar.dynamics.vehicles.interface import Derivative, POSITION_LIMIT
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.rolling import RollingWheels
from racecar.dynamics.vehicles.tyre_sets import TyreSet


class PlanarState(NamedTuple):
    """Velocity of the centre of gravity in the body [m/s, rad/s], its pose [m, rad]; or rates."""

    vx: float
    vy: float
    yaw_rate: float
    x: float
    y: float
    yaw: float


class PlanarCar(NamedTuple):
    """Parameters that the models share [SI].

    load: of an axle; share_front: of the front axle in the drive; force_limit: of the drive;
    time_constant: of the speed controller.
    """

    mass: float
    yaw_inertia: float
    to_front: float
    to_rear: float
    load_front: float
    load_rear: float
    low_speed: float
    odometry_offset: float
    share_front: float
    force_limit: float
    time_constant: float


DRIVE_TIME_CONSTANT = 0.05
"""Default time constant of the speed controller [s]."""


def planar_car(
    vehicle: VehicleParameters, low_speed_threshold: float, drive_time_constant: float,
) -> PlanarCar:
    """Parameters that the models share.

    Raises ParameterError if one of both options is not positive.
    """
    for name, value in (('low_speed_threshold', low_speed_threshold),
                        ('drive_time_constant', drive_time_constant)):
        if not (math.isfinite(value) and value > 0.0):
            raise ParameterError(f"parameter '{name}' is {value!r}, expected a positive number")
    return PlanarCar(
        vehicle.mass, vehicle.yaw_inertia, vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle,
        vehicle.front_axle_load, vehicle.rear_axle_load, float(low_speed_threshold),
        vehicle.odometry_offset, vehicle.front_drive_share, vehicle.drive_force_limit,
        float(drive_time_constant))


def planar_limits(vehicle: VehicleParameters) -> tuple[float, ...]:
    """Return the modulus of each of the six states up to which the models hold."""
    fast = 10.0 * max(vehicle.speed_max, -vehicle.speed_min)
    return (fast, fast, fast / min(vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle),
            POSITION_LIMIT, POSITION_LIMIT, POSITION_LIMIT)


def planar_start(vehicle: VehicleParameters, pose: Pose2) -> tuple[float, ...]:
    """Return the six states at rest with the odometry point at a pose."""
    offset = vehicle.odometry_offset
    return (0.0, 0.0, 0.0, pose.x - offset * math.cos(pose.yaw),
            pose.y - offset * math.sin(pose.yaw), float(pose.yaw))


class PlanarSingleTrack(RollingWheels):
    """What single-track models with these six states have in common."""

    name: ClassVar[str]
    tyres: TyreSet
    low_speed_threshold: float
    parameters: Any
    state_names = PlanarState._fields

    @property
    def description(self) -> str:
        """Name with the options that make this instance, for messages."""
        return (f"{self.name} of vehicle '{self.vehicle.name}' ({self.tyres.model.name} tyres,"
                f' low_speed_threshold {self.low_speed_threshold:g} m/s)')

    @property
    def state_limits(self) -> tuple[float, ...]:
        """Modulus of each state up to which the model holds, in the order of state_names."""
        return planar_limits(self.vehicle)

    def initial_state(self, pose: Pose2) -> tuple[float, ...]:
        """Return the state at rest with the odometry point at a pose."""
        return planar_start(self.vehicle, pose)

    def diagnostics(self, state: Vector, inputs: Vector) -> VehicleDiagnostics:
        """Return what VehicleDiagnostics lists, for a state and the model's inputs [SI]."""
        return VehicleDiagnostics(*self.diagnose(vector(state), vector(inputs), self.parameters))


@pure
def observed(
    state: Any, offset: float,
) -> tuple[float, float, float, float, float, float, float]:
    """x, y, qz, qw, vx, vy, yaw_rate of the point this far ahead of the cog [SI]."""
    return (
        state.x + offset * math.cos(state.yaw), state.y + offset * math.sin(state.yaw),
        math.sin(0.5 * state.yaw), math.cos(0.5 * state.yaw),
        state.vx, state.vy + offset * state.yaw_rate, state.yaw_rate)


@pure
def planar_observe(
    state: Any, inputs: Any, car: Any,
) -> tuple[float, float, float, float, float, float, float]:
    """x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI]; car: has a PlanarCar."""
    return observed(state, car.planar.odometry_offset)


def fastest_eigenvalue(
    derivative: Derivative, state: Sequence[float], inputs: Sequence[float], parameters: Vector,
) -> float:
    """Return the largest modulus of an eigenvalue of the Jacobian at a state [1/s].

    By central differences; state and inputs: plain numbers [SI].
    """
    width = 1e-7
    columns = []
    for index in range(len(state)):
        ahead, behind = list(state), list(state)
        ahead[index] += width
        behind[index] -= width
        columns.append([
            (high - low) / (2.0 * width) for high, low in zip(
                derivative(vector(ahead), vector(inputs), parameters),
                derivative(vector(behind), vector(inputs), parameters), strict=True)])
    matrix = np.array(columns).T
    if not np.isfinite(matrix).all():
        return math.inf
    return float(np.abs(np.linalg.eigvals(matrix)).max())
