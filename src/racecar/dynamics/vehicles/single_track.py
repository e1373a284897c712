# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Single-track model: the equations of a formulation bound to a vehicle and its tyres."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any, ClassVar

import numpy as np

from racecar.base.errors import ParameterError
from racecar.base.rows import flatten, zeroed
from racecar.base.types import Pose2, VehicleDiagnostics, WheelState
from racecar.base.vectors import Vector, vector
from racecar.dynamics.tyres import DEFAULT_TYRE_MODEL
from racecar.dynamics.tyres.lateral import LateralSlip
from racecar.dynamics.vehicles.interface import Equations, NO_COMMAND, POSITION_LIMIT, SPEED
from racecar.dynamics.vehicles.low_speed import LOW_SPEED_THRESHOLD, with_stable_threshold
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
from racecar.dynamics.vehicles.tyre_sets import make_tyre_set, TyreDirection, TyreSet


def axle_tyre(tyres: TyreSet, direction: TyreDirection, load: float) -> Any:
    """Tyres of an axle in lateral slip under its load [N]; see racecar.dynamics.tyres.lateral."""
    return tyres.model.lateral_tyre(LateralSlip(
        direction.stiffness, direction.friction, load, direction.shape, direction.curvature,
        tyres.sides.asymmetry_y, tyres.sides.shift_y))


_FUNCTIONS: dict[str, tuple[Any, Any, Any, Any, Any]] = {
    'full': (FullState, full_hold, full_rates, full_observe, full_diagnose),
    'report': (ReportState, report_hold, report_rates, report_observe, report_diagnose),
}


def _equations(formulation: str, car: SingleCar) -> Equations:
    state, hold, rates, observe, diagnose = _FUNCTIONS[formulation]
    return Equations(
        f'{formulation}_{type(car.front).__qualname__}', state._make((0.0,) * len(state._fields)),
        NO_COMMAND, zeroed(car), zeroed(hold(NO_COMMAND, car)), hold, rates, observe, diagnose)


class SingleTrack(RollingWheels):
    """Single-track vehicle with the inputs speed and steering angle."""

    name: ClassVar[str] = 'single_track'

    def __init__(
        self, vehicle: VehicleParameters, tyre_model: str | int = DEFAULT_TYRE_MODEL,
        formulation: str = FORMULATIONS[0], low_speed_threshold: float = LOW_SPEED_THRESHOLD,
        tyre_values: Mapping[str, Any] | None = None,
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
        car = SingleCar(
            vehicle.mass, vehicle.yaw_inertia, vehicle.cog_to_front_axle,
            vehicle.cog_to_rear_axle, self.low_speed_threshold, vehicle.odometry_offset,
            axle_tyre(self.tyres, self.tyres.front_y, vehicle.front_axle_load),
            axle_tyre(self.tyres, self.tyres.rear_y, vehicle.rear_axle_load))
        self.equations = _equations(formulation, car)
        self.parameters: Any = vector(tuple(flatten(car)))

    @classmethod
    def from_values(cls, vehicle: VehicleParameters, values: Mapping[str, Any]) -> SingleTrack:
        """Build from tyre_model, formulation, low_speed_threshold and TYRE_PARAMETERS."""
        return with_stable_threshold(values['low_speed_threshold'], lambda threshold: cls(
            vehicle, values['tyre_model'], values['formulation'], threshold, values))

    @property
    def description(self) -> str:
        """Name with the options that make this instance, for messages."""
        return (f"{self.name} of vehicle '{self.vehicle.name}' ({self.formulation} formulation,"
                f' {self.tyre.name} tyres, low_speed_threshold {self.low_speed_threshold:g} m/s)')

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states, in order; all in SI units."""
        names: tuple[str, ...] = self.equations.state._fields
        return names

    @property
    def state_limits(self) -> tuple[float, ...]:
        """Modulus of each state up to which the model holds, in the order of state_names."""
        vehicle = self.vehicle
        fast = 2.0 * max(vehicle.speed_max, -vehicle.speed_min)
        return (
            fast if self.formulation == 'full' else math.pi,
            fast / min(vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle),
            POSITION_LIMIT, POSITION_LIMIT, POSITION_LIMIT)

    def initial_state(self, pose: Pose2) -> tuple[float, ...]:
        """Return the state at rest with the odometry point at a pose."""
        offset = self.vehicle.odometry_offset
        return (0.0, 0.0, pose.x - offset * math.cos(pose.yaw),
                pose.y - offset * math.sin(pose.yaw), float(pose.yaw))

    def odometry(self, state: Vector, inputs: Vector) -> tuple[float, ...]:
        """Return x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI].

        state: 5 numbers in the order of state_names; inputs: speed, steering angle.
        """
        return self.observe(vector(state), vector(inputs), self.parameters)

    def diagnostics(self, state: Vector, inputs: Vector) -> VehicleDiagnostics:
        """Return what VehicleDiagnostics lists, for a state and inputs as in odometry()."""
        return VehicleDiagnostics(
            *self.diagnose(vector(state), vector(inputs), self.parameters))

    def rolling_speed(self, state: Vector, inputs: Vector) -> float:
        """Return the speed that is prescribed [m/s]."""
        return float(inputs[SPEED])

    def wheels(self, state: Vector, inputs: Vector) -> tuple[WheelState, ...]:
        """Return the wheels, each with half the force of its axle; none along the wheel.

        A prescribed speed has no drive whose force and slip could be told.
        """
        axles = self.diagnostics(state, inputs)
        return wheels_of_axles(
            self.vehicle, self.rolling_speed(state, inputs),
            AxleTyres(axles.slip_angle_front, 0.0, axles.lateral_force_front),
            AxleTyres(axles.slip_angle_rear, 0.0, axles.lateral_force_rear))

    def lateral_jacobian(self, speed: float, steering_angle: float = 0.0) -> np.ndarray:
        """Return d(lateral state, yaw rate)'/d(lateral state, yaw rate), 2 by 2, at rest slip.

        By central differences of the derivative; speed [m/s], steering_angle [rad].
        """
        inputs = vector((speed, steering_angle))
        width = 1e-7
        columns = []
        for index in range(2):
            ahead, behind = [0.0] * 5, [0.0] * 5
            ahead[index], behind[index] = width, -width
            columns.append([
                (high - low) / (2.0 * width) for high, low in zip(
                    self.derivative(vector(ahead), inputs, self.parameters)[:2],
                    self.derivative(vector(behind), inputs, self.parameters)[:2], strict=True)])
        return np.array(columns).T

    def fastest_mode(self) -> float:
        """Return the largest modulus of a lateral eigenvalue over the admissible speeds [1/s].

        Straight running, where the tyres are stiffest; the threshold is among the speeds.
        """
        low, high = self.vehicle.speed_min, self.vehicle.speed_max
        edges = (-self.low_speed_threshold, 0.0, self.low_speed_threshold)
        speeds = {*np.linspace(low, high, 41).tolist(), *(min(max(v, low), high) for v in edges)}
        return max(
            float(np.abs(np.linalg.eigvals(self.lateral_jacobian(speed))).max())
            for speed in speeds)
