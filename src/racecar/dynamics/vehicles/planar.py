# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What models of a body that is free in the plane share: vx, vy, r, x, y, yaw and a drive.

single_track_force and double_track; their states and packed parameters begin alike.
"""

from __future__ import annotations

from abc import abstractmethod
import math
from typing import ClassVar, NamedTuple

from racecar.base.columns import Array, larger, rows_of, smaller
from racecar.base.compiled import pure
from racecar.base.errors import ParameterError
from racecar.base.rows import Numbers
from racecar.base.types import Pose2, POSITION_LIMIT, VehicleDiagnostics
from racecar.base.values import number_of, Values
from racecar.base.vectors import Flat, Vector, vector
from racecar.dynamics.vehicles.interface import MadeOf, ModelColumns
from racecar.dynamics.vehicles.low_speed import stable_thresholds
from racecar.dynamics.vehicles.modes import (
    spectral_radii,
    straight_modes,
    straight_speeds,
)
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.rolling import RollingWheels
from racecar.dynamics.vehicles.tyre_sets import tyres_of, TyreSet


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


# Of fastest_mode().
_SPEEDS = 41

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
    """Modulus of each of the six states up to which the models hold."""
    fast = 10.0 * larger(vehicle.speed_max, -vehicle.speed_min)
    return (fast, fast, fast / smaller(vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle),
            POSITION_LIMIT, POSITION_LIMIT, POSITION_LIMIT)


def planar_start(vehicle: VehicleParameters, pose: Pose2) -> tuple[float, ...]:
    """Six states at rest with the odometry point at a pose."""
    offset = vehicle.odometry_offset
    return (0.0, 0.0, 0.0, pose.x - offset * math.cos(pose.yaw),
            pose.y - offset * math.sin(pose.yaw), float(pose.yaw))


class PlanarSingleTrack(RollingWheels):
    """What single-track models with these six states have in common."""

    name: ClassVar[str]
    low_speed_row: ClassVar[int]
    tyres: TyreSet
    low_speed_threshold: float
    parameters: Flat
    state_names = PlanarState._fields

    @abstractmethod
    def car_of(self, vehicle: VehicleParameters, tyres: TyreSet, values: Values) -> Numbers:
        """Parameters of a vehicle, of which each number may be a column; values: resolved."""

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
        """State at rest with the odometry point at a pose."""
        return planar_start(self.vehicle, pose)

    def diagnostics(self, state: Vector, inputs: Vector) -> VehicleDiagnostics:
        """What VehicleDiagnostics lists, for a state and the model's inputs [SI]."""
        return VehicleDiagnostics(*self.diagnose(vector(state), vector(inputs), self.parameters))

    def fastest_mode(self) -> float:
        """Largest modulus of an eigenvalue over the admissible speeds [1/s]."""
        return float(spectral_radii(
            self._modes(self.vehicle, rows_of(tuple(self.parameters), 1))).max())

    def columns(
        self, vehicle: VehicleParameters, values: Values, cars: int,
    ) -> ModelColumns:
        """What cars have that differ in their vehicles; see VehicleModel."""
        tyres = tyres_of(MadeOf(vehicle, values))
        parameters = rows_of(self.car_of(vehicle, tyres, values), cars)
        stable_thresholds(number_of(values, 'low_speed_threshold'), parameters, self.low_speed_row,
                          lambda rows: self._modes(vehicle, rows))
        return ModelColumns(parameters, rows_of(planar_limits(vehicle), cars),
                            self._modes(vehicle, parameters), vehicle.odometry_offset)

    def _modes(self, vehicle: VehicleParameters, parameters: Array) -> Array:
        return straight_modes(self.equations, parameters, straight_speeds(
            vehicle.speed_min, vehicle.speed_max, _SPEEDS, 0.0, parameters[self.low_speed_row]))


@pure
def observed(
    state: PlanarState, offset: float,
) -> tuple[float, float, float, float, float, float, float]:
    """x, y, qz, qw, vx, vy, yaw_rate of the point this far ahead of the cog [SI]."""
    return (
        state.x + offset * math.cos(state.yaw), state.y + offset * math.sin(state.yaw),
        math.sin(0.5 * state.yaw), math.cos(0.5 * state.yaw),
        state.vx, state.vy + offset * state.yaw_rate, state.yaw_rate)
