# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Single-track model with the drive force as input: the longitudinal velocity is a state.

Symbols as in single_track; p share of the front axle in the drive force F.

    m (vx' - vy r) = Fxr + Fxf cos d - Fyf sin d
    m (vy' + vx r) = Fyr + Fyf cos d + Fxf sin d
    Iz r' = a (Fyf cos d + Fxf sin d) - b Fyr
    Fxf = sat(p F, mu Fzf)     Fxr = sat((1 - p) F, mu Fzr)
    Fy = sqrt(1 - (Fx/(mu Fz))^2) Fy0(alpha)                    friction ellipse

Slip angles, loads and the low-speed threshold are those of single_track. Source: Rajamani, Vehicle
Dynamics and Control, chapters 2 and 4; single_track of this package with vx free.

Commanded by speed V, F = sat(m (V - vx)/T, F_max): a speed controller whose force is bounded, so
that vx follows V with the time constant T as far as engine and tyres allow. Commanded by force
(inputs MODE 1), F is what is given; nothing resists the motion but the tyres in bends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence
import math
from typing import Any, ClassVar

import numpy as np

from racecar.base.compiled import njit, specialise
from racecar.base.packing import Vector, vector
from racecar.base.types import AckermannCommand, WheelState
from racecar.dynamics.tyres import DEFAULT_TYRE_MODEL
from racecar.dynamics.tyres.linear import lateral_force
from racecar.dynamics.tyres.pacejka import side_curvature
from racecar.dynamics.vehicles.interface import Derivative, SPEED, STEERING_ANGLE, Travel
from racecar.dynamics.vehicles.low_speed import LOW_SPEED_THRESHOLD, with_stable_threshold
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.planar import (
    DRIVE_TIME_CONSTANT,
    fastest_eigenvalue,
    FORCE_LIMIT,
    LOAD_FRONT,
    LOAD_REAR,
    LOW_SPEED,
    MASS,
    pack_planar,
    PARAMETER_COUNT,
    planar_observe,
    PlanarSingleTrack,
    SHARE_FRONT,
    TIME_CONSTANT,
    TO_FRONT,
    TO_REAR,
    VX,
    VY,
    X,
    Y,
    YAW,
    YAW_INERTIA,
    YAW_RATE,
)
from racecar.dynamics.vehicles.rolling import AxleTyres, wheels_of_axles
from racecar.dynamics.vehicles.tyre_sets import make_tyre_set

# Inputs after speed and steering angle: MODE 0 follows the speed, 1 applies the force [N].
MODE, FORCE = 2, 3

# Packed parameters after those of planar.
(STIFFNESS_FRONT, STIFFNESS_REAR, FRICTION_X_FRONT, FRICTION_X_REAR, FRICTION_Y_FRONT,
 FRICTION_Y_REAR, SHAPE, CURVATURE_FRONT, CURVATURE_REAR, ASYMMETRY,
 SHIFT) = range(PARAMETER_COUNT, PARAMETER_COUNT + 11)


@njit
def drive_force(state: Vector, inputs: Vector, parameters: Vector) -> float:
    """Return the force of the drive [N]: as given, or that of the speed controller."""
    if inputs[MODE] == 0.0:
        force = parameters[MASS] * (inputs[SPEED] - state[VX]) / parameters[TIME_CONSTANT]
    else:
        force = inputs[FORCE]
    return min(max(force, -parameters[FORCE_LIMIT]), parameters[FORCE_LIMIT])


def axle_forces(
    state: Vector, inputs: Vector, parameters: Vector,
) -> tuple[float, float, float, float, float, float]:
    """Return Fxf, Fyf, Fxr, Fyr [N] along and across the wheels, alpha_f, alpha_r [rad].

    The global name lateral_force is bound to the tyre model.
    """
    cosine = math.cos(inputs[STEERING_ANGLE])
    sine = math.sin(inputs[STEERING_ANGLE])
    front = state[VY] + parameters[TO_FRONT] * state[YAW_RATE]
    rear = state[VY] - parameters[TO_REAR] * state[YAW_RATE]
    threshold = parameters[LOW_SPEED]
    alpha_front = math.atan2(
        front * cosine - state[VX] * sine, max(abs(state[VX] * cosine + front * sine), threshold))
    alpha_rear = math.atan2(rear, max(abs(state[VX]), threshold))
    force = drive_force(state, inputs, parameters)
    grip_front = parameters[FRICTION_X_FRONT] * parameters[LOAD_FRONT]
    grip_rear = parameters[FRICTION_X_REAR] * parameters[LOAD_REAR]
    fx_front = min(max(parameters[SHARE_FRONT] * force, -grip_front), grip_front)
    fx_rear = min(max((1.0 - parameters[SHARE_FRONT]) * force, -grip_rear), grip_rear)
    share_x_front = fx_front / grip_front
    share_x_rear = fx_rear / grip_rear
    share_y_front = math.sqrt(max(1.0 - share_x_front * share_x_front, 0.0))
    share_y_rear = math.sqrt(max(1.0 - share_x_rear * share_x_rear, 0.0))
    return (
        fx_front,
        share_y_front * lateral_force(
            alpha_front, parameters[STIFFNESS_FRONT], parameters[FRICTION_Y_FRONT],
            parameters[LOAD_FRONT], parameters[SHAPE], side_curvature(
                parameters[CURVATURE_FRONT], parameters[ASYMMETRY], parameters[SHIFT],
                alpha_front)),
        fx_rear,
        share_y_rear * lateral_force(
            alpha_rear, parameters[STIFFNESS_REAR], parameters[FRICTION_Y_REAR],
            parameters[LOAD_REAR], parameters[SHAPE], side_curvature(
                parameters[CURVATURE_REAR], parameters[ASYMMETRY], parameters[SHIFT],
                alpha_rear)),
        alpha_front,
        alpha_rear,
    )


def force_derivative(
    state: Vector, inputs: Vector, parameters: Vector,
) -> tuple[float, float, float, float, float, float]:
    """Return the time derivative of (vx, vy, r, x, y, yaw) [SI].

    The global name axle_forces is bound to the tyre model.
    """
    fx_front, fy_front, fx_rear, fy_rear, _, _ = axle_forces(
        state, inputs, parameters)
    cosine = math.cos(inputs[STEERING_ANGLE])
    sine = math.sin(inputs[STEERING_ANGLE])
    front = fy_front * cosine + fx_front * sine
    heading_cosine = math.cos(state[YAW])
    heading_sine = math.sin(state[YAW])
    return (
        (fx_rear + fx_front * cosine - fy_front * sine) / parameters[MASS]
        + state[VY] * state[YAW_RATE],
        (fy_rear + front) / parameters[MASS] - state[VX] * state[YAW_RATE],
        (parameters[TO_FRONT] * front - parameters[TO_REAR] * fy_rear)
        / parameters[YAW_INERTIA],
        state[VX] * heading_cosine - state[VY] * heading_sine,
        state[VX] * heading_sine + state[VY] * heading_cosine,
        state[YAW_RATE],
    )


def force_diagnose(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, ...]:
    """Return the fields of VehicleDiagnostics; axle_forces is bound to the tyre model."""
    fx_front, fy_front, _, fy_rear, alpha_front, alpha_rear = axle_forces(
        state, inputs, parameters)
    front = (fy_front * math.cos(inputs[STEERING_ANGLE])
             + fx_front * math.sin(inputs[STEERING_ANGLE]))
    return (
        state[X], state[Y], state[YAW], state[VX], state[VY], state[YAW_RATE],
        math.atan2(math.copysign(1.0, state[VX]) * state[VY], abs(state[VX])),
        (front + fy_rear) / parameters[MASS], alpha_front, alpha_rear, fy_front,
        fy_rear, inputs[SPEED], inputs[STEERING_ANGLE],
    )


@njit
def roll_at_speed(
    travel: Travel, before: Vector, after: Vector, parameters: Vector, commanded: float,
    duration: float,
) -> Travel:
    """Return the distance after driving on at the mean of both velocities; see VehicleModel."""
    return (travel[0] + 0.5 * duration * (before[VX] + after[VX]),)



class SingleTrackForce(PlanarSingleTrack):
    """Single-track vehicle driven by a force, or by a speed controller of bounded force."""

    name: ClassVar[str] = 'single_track_force'
    state_names = ('vx', 'vy', 'yaw_rate', 'x', 'y', 'yaw')
    input_count = 4
    travelled = staticmethod(roll_at_speed)

    def __init__(
        self, vehicle: VehicleParameters, tyre_model: str | int = DEFAULT_TYRE_MODEL,
        low_speed_threshold: float = LOW_SPEED_THRESHOLD,
        drive_time_constant: float = DRIVE_TIME_CONSTANT,
        tyre_values: Mapping[str, Any] | None = None,
    ) -> None:
        """Bind a vehicle to a tyre model (name or number).

        low_speed_threshold [m/s]: least longitudinal velocity in the slip's denominator;
        drive_time_constant [s]: of the speed controller; tyre_values: see make_tyre_set().
        Raises ParameterError if an option is unknown or not positive.
        """
        packed = pack_planar(vehicle, low_speed_threshold, drive_time_constant)
        self.vehicle = vehicle
        self.tyres = make_tyre_set(vehicle, tyre_model, tyre_values)
        self.low_speed_threshold = float(low_speed_threshold)
        tyre = self.tyres.model
        forces = self.axle_kernel = specialise(
            axle_forces, f'axle_forces_{tyre.name}', lateral_force=tyre.lateral_force)
        self.derivative: Derivative = specialise(
            force_derivative, f'force_derivative_{tyre.name}', axle_forces=forces)
        self.observe: Derivative = planar_observe
        self.diagnose: Callable[[Vector, Vector, Vector], tuple[float, ...]] = specialise(
            force_diagnose, f'force_diagnose_{tyre.name}', axle_forces=forces)
        front, rear = self.tyres.front_y, self.tyres.rear_y
        self.parameters: Any = vector([
            *packed, front.stiffness, rear.stiffness, self.tyres.front_x.friction,
            self.tyres.rear_x.friction, front.friction, rear.friction, front.shape,
            front.curvature, rear.curvature, self.tyres.sides.asymmetry_y,
            math.atan(self.tyres.sides.shift_y)])

    @classmethod
    def from_values(
        cls, vehicle: VehicleParameters, values: Mapping[str, Any],
    ) -> SingleTrackForce:
        """Build from tyre_model, low_speed_threshold, drive_time_constant and TYRE_PARAMETERS."""
        return with_stable_threshold(values['low_speed_threshold'], lambda threshold: cls(
            vehicle, values['tyre_model'], threshold,
            values.get('drive_time_constant', DRIVE_TIME_CONSTANT), values))

    def rolling_speed(self, state: Vector, inputs: Vector) -> float:
        """Return the forward velocity of the car [m/s]."""
        return float(state[VX])

    def follow(self, command: AckermannCommand, inputs: MutableSequence[float]) -> None:
        """Write inputs for which the speed controller drives."""
        super().follow(command, inputs)
        inputs[MODE] = inputs[FORCE] = 0.0

    def wheels(self, state: Vector, inputs: Vector) -> tuple[WheelState, ...]:
        """Return the wheels, each with half the forces of its axle.

        The drive acts as a force: longitudinal slip there is none.
        inputs: speed, steering angle, mode, force.
        """
        fx_front, fy_front, fx_rear, fy_rear, alpha_front, alpha_rear = (
            self.axle_kernel(vector(state), vector(inputs), self.parameters))
        return wheels_of_axles(
            self.vehicle, self.rolling_speed(state, inputs),
            AxleTyres(alpha_front, fx_front, fy_front),
            AxleTyres(alpha_rear, fx_rear, fy_rear))

    def fastest_mode(self) -> float:
        """Return the largest modulus of an eigenvalue over the admissible speeds [1/s]."""
        low, high = self.vehicle.speed_min, self.vehicle.speed_max
        speeds = {*np.linspace(low, high, 41).tolist(), 0.0, self.low_speed_threshold}
        return max(fastest_eigenvalue(
            self.derivative, (speed, 0.0, 0.0, 0.0, 0.0, 0.0), (speed, 0.0, 0.0, 0.0),
            self.parameters) for speed in speeds)
