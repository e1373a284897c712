# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Single-track model: the equations of a formulation bound to a vehicle and its tyres."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import math
from typing import Any, ClassVar

import numpy as np

from racecar.base.compiled import inlined, specialise
from racecar.base.elementary import arctangent, sine_cosine, sine_cosine_of_turn
from racecar.base.errors import ParameterError
from racecar.base.packing import Vector, vector
from racecar.base.types import Pose2, VehicleDiagnostics, WheelState
from racecar.dynamics.tyres import DEFAULT_TYRE_MODEL, TyreForm, TyreModel
from racecar.dynamics.tyres.linear import lateral_force
from racecar.dynamics.vehicles.interface import (
    Coefficients,
    Derivative,
    POSITION_LIMIT,
    Rates,
    SPEED,
    SplitDerivative,
)
from racecar.dynamics.vehicles.low_speed import LOW_SPEED_THRESHOLD, with_stable_threshold
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.rolling import AxleTyres, RollingWheels, wheels_of_axles
from racecar.dynamics.vehicles.single_track_equations import (
    ASYMMETRY,
    axle_lateral_forces,
    CURVATURE_FRONT,
    CURVATURE_REAR,
    FORCE_FRONT,
    FORCE_REAR,
    FORMULATIONS,
    FRICTION_FRONT,
    FRICTION_REAR,
    full_coefficients,
    full_diagnose,
    full_observe,
    full_rates,
    LATERAL,
    LOAD_FRONT,
    LOAD_REAR,
    LOW_SPEED,
    MASS,
    ODOMETRY_OFFSET,
    PARAMETER_COUNT,
    report_coefficients,
    report_diagnose,
    report_observe,
    report_rates,
    SHAPE,
    SHIFT_ANGLE,
    SHIFT_TANGENT,
    STIFFNESS_FRONT,
    STIFFNESS_REAR,
    TANGENT_FRONT,
    TANGENT_REAR,
    TO_FRONT,
    TO_REAR,
    YAW_INERTIA,
    YAW_RATE,
)
from racecar.dynamics.vehicles.tyre_sets import make_tyre_set


def precompute(inputs: Vector, parameters: Vector) -> Coefficients:
    """Stand for the function of the formulation that SingleTrack binds."""
    raise NotImplementedError('SingleTrack binds this name')


def rates(state: Vector, coefficients: Coefficients) -> Rates:
    """Stand for the function of formulation and tyre that SingleTrack binds."""
    raise NotImplementedError('SingleTrack binds this name')


def _derivative(state: Vector, inputs: Vector, parameters: Vector) -> Rates:
    """Return the time derivative of the state [SI]."""
    return rates(state, precompute(inputs, parameters))


def _of_angle(
    slip_angle: float, tangent_scale: float, cornering_stiffness: float, friction: float,
    load: float, shape: float, curvature: float,
) -> float:
    """Return the force [N] of a tyre model without TyreForm."""
    return lateral_force(slip_angle, cornering_stiffness, friction, load, shape, curvature)


def _of_tangent(
    t: float, cornering_stiffness: float, friction: float, load: float, shape: float,
    curvature: float,
) -> float:
    """Return the force [N] of a tyre model without TyreForm."""
    return lateral_force(arctangent(t), cornering_stiffness, friction, load, shape, curvature)


def _one(cornering_stiffness: float, friction: float, load: float) -> float:
    return 1.0


_KERNELS: dict[str, tuple[Any, Any, Any, Any, str]] = {
    'full': (full_coefficients, full_rates, full_observe, full_diagnose, 'of_tangent'),
    'report': (report_coefficients, report_rates, report_observe, report_diagnose, 'of_angle'),
}


def _tyre_form(tyre: TyreModel) -> TyreForm:
    if tyre.form is not None:
        return tyre.form
    force = tyre.lateral_force
    return TyreForm(
        _one, _one,
        specialise(_of_tangent, f'of_tangent_{tyre.name}', inlined, lateral_force=force),
        specialise(_of_angle, f'of_angle_{tyre.name}', inlined, lateral_force=force))


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
        precompute, rates, observe, diagnose, slip = _KERNELS[formulation]
        form = _tyre_form(tyre)
        kind = f'{formulation}_{tyre.name}'
        forces = {slip: getattr(form, slip)}
        self.split_derivative: SplitDerivative | None = SplitDerivative(
            kind, precompute, specialise(
                rates, f'rates_within_step_{kind}', inlined, heading=sine_cosine_of_turn,
                **forces))
        self.derivative: Derivative = specialise(
            _derivative, f'derivative_{kind}', precompute=precompute, rates=specialise(
                rates, f'rates_{kind}', inlined, heading=sine_cosine, **forces))
        self.observe: Derivative = observe
        self.diagnose: Callable[[Vector, Vector, Vector], tuple[float, ...]] = specialise(
            diagnose, f'{diagnose.__name__}_{tyre.name}', axle_lateral_forces=specialise(
                axle_lateral_forces, f'axle_lateral_forces_{tyre.name}',
                lateral_force=tyre.lateral_force))
        packed = [0.0] * PARAMETER_COUNT
        packed[MASS] = vehicle.mass
        packed[YAW_INERTIA] = vehicle.yaw_inertia
        packed[TO_FRONT] = vehicle.cog_to_front_axle
        packed[TO_REAR] = vehicle.cog_to_rear_axle
        packed[STIFFNESS_FRONT] = self.tyres.front_y.stiffness
        packed[STIFFNESS_REAR] = self.tyres.rear_y.stiffness
        packed[FRICTION_FRONT] = self.tyres.front_y.friction
        packed[FRICTION_REAR] = self.tyres.rear_y.friction
        packed[SHAPE] = self.tyres.front_y.shape
        packed[CURVATURE_FRONT] = self.tyres.front_y.curvature
        packed[CURVATURE_REAR] = self.tyres.rear_y.curvature
        packed[ASYMMETRY] = self.tyres.sides.asymmetry_y
        packed[SHIFT_TANGENT] = self.tyres.sides.shift_y
        packed[SHIFT_ANGLE] = math.atan(self.tyres.sides.shift_y)
        packed[LOAD_FRONT] = vehicle.front_axle_load
        packed[LOAD_REAR] = vehicle.rear_axle_load
        packed[LOW_SPEED] = self.low_speed_threshold
        packed[ODOMETRY_OFFSET] = vehicle.odometry_offset
        front = packed[STIFFNESS_FRONT], packed[FRICTION_FRONT], packed[LOAD_FRONT]
        rear = packed[STIFFNESS_REAR], packed[FRICTION_REAR], packed[LOAD_REAR]
        packed[TANGENT_FRONT], packed[TANGENT_REAR] = (
            form.tangent_scale(*front), form.tangent_scale(*rear))
        packed[FORCE_FRONT], packed[FORCE_REAR] = (
            form.force_scale(*front), form.force_scale(*rear))
        self.parameters: Any = vector(packed)

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
        return ('vy' if self.formulation == 'full' else 'beta', 'yaw_rate', 'x', 'y', 'yaw')

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
        for index in (LATERAL, YAW_RATE):
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
