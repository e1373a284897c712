# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Single-track model: the equations of a formulation bound to a vehicle and its tyres."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from racecar.base.columns import Array, larger, rows_of, smaller
from racecar.base.errors import ParameterError
from racecar.base.rows import field_names, flatten, Numbers
from racecar.base.types import Pose2, POSITION_LIMIT, VehicleDiagnostics, WheelState
from racecar.base.values import number_of, text_of, Values
from racecar.base.vectors import Vector, vector
from racecar.dynamics.tyres import AxleTyre, DEFAULT_TYRE_MODEL
from racecar.dynamics.tyres.lateral import LateralSlip
from racecar.dynamics.vehicles.interface import (
    Equations,
    equations_of,
    Laws,
    MadeOf,
    ModelColumns,
    NO_COMMAND,
    SPEED,
)
from racecar.dynamics.vehicles.low_speed import (
    LOW_SPEED_THRESHOLD,
    stable_thresholds,
    with_stable_threshold,
)
from racecar.dynamics.vehicles.modes import (
    jacobians,
    spectral_radii,
    straight_modes,
    straight_speeds,
)
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.rolling import AxleTyres, RollingWheels, wheels_of_axles
from racecar.dynamics.vehicles.single_track_equations import (
    FORMULATIONS,
    full_diagnose,
    full_hold,
    full_observe,
    full_rates,
    FullState,
    report_diagnose,
    report_hold,
    report_observe,
    report_rates,
    ReportState,
    SingleCar,
)
from racecar.dynamics.vehicles.tyre_sets import (
    make_tyre_set,
    TyreDirection,
    tyres_of,
    TyreSet,
)

# Of fastest_mode().
_SPEEDS = 41


def axle_tyre(tyres: TyreSet, direction: TyreDirection, load: float) -> AxleTyre:
    """Tyres of an axle in lateral slip under its load [N]; see racecar.dynamics.tyres.lateral."""
    return tyres.model.lateral_tyre(LateralSlip(
        direction.stiffness, direction.friction, load, direction.shape, direction.curvature,
        tyres.sides.asymmetry_y, tyres.sides.shift_y))


def _equations(formulation: str, car: SingleCar) -> Equations:
    name = f'{formulation}_{type(car.front).__qualname__}'
    if formulation == 'full':
        return equations_of(name, FullState(0.0, 0.0, 0.0, 0.0, 0.0), NO_COMMAND, car, Laws(
            full_hold, full_rates, full_observe, full_diagnose))
    return equations_of(name, ReportState(0.0, 0.0, 0.0, 0.0, 0.0), NO_COMMAND, car, Laws(
        report_hold, report_rates, report_observe, report_diagnose))


def single_car(
    vehicle: VehicleParameters, tyres: TyreSet, low_speed_threshold: float,
) -> SingleCar:
    """Parameters of a vehicle, of which each number may be a column."""
    return SingleCar(
        vehicle.mass, vehicle.yaw_inertia, vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle,
        low_speed_threshold, vehicle.odometry_offset,
        axle_tyre(tyres, tyres.front_y, vehicle.front_axle_load),
        axle_tyre(tyres, tyres.rear_y, vehicle.rear_axle_load))


def single_limits(vehicle: VehicleParameters, formulation: str) -> tuple[float, ...]:
    """Modulus of each state up to which the model holds."""
    fast = 2.0 * larger(vehicle.speed_max, -vehicle.speed_min)
    return (
        fast if formulation == 'full' else math.pi,
        fast / smaller(vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle),
        POSITION_LIMIT, POSITION_LIMIT, POSITION_LIMIT)


class SingleTrack(RollingWheels):
    """Single-track vehicle with the inputs speed and steering angle."""

    name: ClassVar[str] = 'single_track'
    low_speed_row: ClassVar[int] = SingleCar._fields.index('low_speed')

    def __init__(
        self, vehicle: VehicleParameters, tyre_model: str | int = DEFAULT_TYRE_MODEL,
        formulation: str = FORMULATIONS[0], low_speed_threshold: float = LOW_SPEED_THRESHOLD,
        tyre_values: Values | None = None,
    ) -> None:
        """Bind a vehicle to a tyre model (name or number) and a formulation.

        low_speed_threshold [m/s]: least longitudinal velocity in the slip's denominator;
        tyre_values: rows of TYRE_PARAMETERS, see make_tyre_set().
        Raises ParameterError if an option is unknown or the threshold is not positive.
        """
        if formulation not in FORMULATIONS:
            raise ParameterError(
                f"parameter 'formulation' is {formulation!r}, expected one of"
                f" {', '.join(FORMULATIONS)}")
        if not (math.isfinite(low_speed_threshold) and low_speed_threshold > 0.0):
            raise ParameterError(
                f"parameter 'low_speed_threshold' is {low_speed_threshold!r}, expected a positive"
                ' number [m/s]; it keeps the slip finite at standstill')
        self.tyres = make_tyre_set(vehicle, tyre_model, tyre_values)
        tyre = self.tyres.model
        self.vehicle = vehicle
        self.tyre = tyre
        self.formulation = formulation
        self.low_speed_threshold = float(low_speed_threshold)
        car = single_car(vehicle, self.tyres, self.low_speed_threshold)
        self.equations = _equations(formulation, car)
        self.parameters = vector(tuple(flatten(car)))

    def parameters_on(
        self, front: float, rear: float, made_of: MadeOf | None = None,
    ) -> Numbers:
        """Parameters on such ground; see VehicleModel."""
        vehicle, tyres = (self.vehicle, self.tyres) if made_of is None else (
            made_of.vehicle, tyres_of(made_of))
        return single_car(vehicle, tyres.on_friction(front, rear), self.low_speed_threshold)

    @classmethod
    def from_values(cls, vehicle: VehicleParameters, values: Values) -> SingleTrack:
        """Build from tyre_model, formulation, low_speed_threshold and TYRE_PARAMETERS."""
        return with_stable_threshold(vehicle, values, lambda threshold: cls(
            vehicle, str(values['tyre_model']), text_of(values, 'formulation'), threshold, values))

    @property
    def description(self) -> str:
        """Name with the options that make this instance, for messages."""
        return (f"{self.name} of vehicle '{self.vehicle.name}' ({self.formulation} formulation,"
                f' {self.tyre.name} tyres, low_speed_threshold {self.low_speed_threshold:g} m/s)')

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states, in order; all in SI units."""
        return field_names(self.equations.state)

    @property
    def state_limits(self) -> tuple[float, ...]:
        """Modulus of each state up to which the model holds, in the order of state_names."""
        return single_limits(self.vehicle, self.formulation)

    def initial_state(self, pose: Pose2) -> tuple[float, ...]:
        """State at rest with the odometry point at a pose."""
        offset = self.vehicle.odometry_offset
        return (0.0, 0.0, pose.x - offset * math.cos(pose.yaw),
                pose.y - offset * math.sin(pose.yaw), float(pose.yaw))

    def odometry(self, state: Vector, inputs: Vector) -> tuple[float, ...]:
        """x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI].

        state: 5 numbers in the order of state_names; inputs: speed, steering angle.
        """
        return self.observe(vector(state), vector(inputs), self.parameters)

    def diagnostics(self, state: Vector, inputs: Vector) -> VehicleDiagnostics:
        """What VehicleDiagnostics lists, for a state and inputs as in odometry()."""
        return VehicleDiagnostics(
            *self.diagnose(vector(state), vector(inputs), self.parameters))

    def rolling_speed(self, state: Vector, inputs: Vector) -> float:
        """Speed that is prescribed [m/s]."""
        return float(inputs[SPEED])

    def wheels(self, state: Vector, inputs: Vector) -> tuple[WheelState, ...]:
        """Wheels, each with half the force of its axle; none along the wheel.

        A prescribed speed has no drive whose force and slip could be told.
        """
        axles = self.diagnostics(state, inputs)
        return wheels_of_axles(
            self.vehicle, self.rolling_speed(state, inputs),
            AxleTyres(axles.slip_angle_front, 0.0, axles.lateral_force_front),
            AxleTyres(axles.slip_angle_rear, 0.0, axles.lateral_force_rear))

    def lateral_jacobian(self, speed: float, steering_angle: float = 0.0) -> Array:
        """d(lateral state, yaw rate)'/d(lateral state, yaw rate), 2 by 2, at rest slip.

        By central differences of the derivative; speed [m/s], steering_angle [rad].
        """
        found: Array = jacobians(
            self.equations, rows_of(tuple(self.parameters), 1),
            np.zeros((1, 1, len(self.state_names))), np.array([[(speed, steering_angle)]]))[0, 0]
        return found

    def fastest_mode(self) -> float:
        """Largest modulus of a lateral eigenvalue over the admissible speeds [1/s].

        Straight running, where the tyres are stiffest; the threshold is among the speeds.
        """
        return float(spectral_radii(
            self._modes(self.vehicle, rows_of(tuple(self.parameters), 1))).max())

    def columns(
        self, vehicle: VehicleParameters, values: Values, cars: int,
    ) -> ModelColumns:
        """What cars have that differ in their vehicles; see VehicleModel."""
        tyres = tyres_of(MadeOf(vehicle, values))
        parameters = rows_of(single_car(vehicle, tyres, self.low_speed_threshold), cars)
        stable_thresholds(number_of(values, 'low_speed_threshold'), parameters,
                          self.low_speed_row, lambda rows: self._modes(vehicle, rows))
        return ModelColumns(parameters, rows_of(single_limits(vehicle, self.formulation), cars),
                            self._modes(vehicle, parameters), vehicle.odometry_offset)

    def _modes(self, vehicle: VehicleParameters, parameters: Array) -> Array:
        low, high, threshold = vehicle.speed_min, vehicle.speed_max, parameters[self.low_speed_row]
        edges = (smaller(larger(speed, low), high) for speed in (-threshold, 0.0, threshold))
        return straight_modes(
            self.equations, parameters, straight_speeds(low, high, _SPEEDS, *edges))
