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
(`mode` of the inputs 1), F is what is given; nothing resists the motion but the tyres in bends.
"""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

from racecar.base.compiled import by_type, pure
from racecar.base.elementary import sine_cosine_of_turn
from racecar.base.rows import flatten, Numbers
from racecar.base.types import WheelState
from racecar.base.values import number_of, Values
from racecar.base.vectors import Vector, vector
from racecar.dynamics.tyres import AxleTyre, DEFAULT_TYRE_MODEL
from racecar.dynamics.tyres.lateral import axle_force
from racecar.dynamics.vehicles.interface import (
    Command,
    equations_of,
    Laws,
    MadeOf,
    NO_COMMAND,
    Travel,
)
from racecar.dynamics.vehicles.low_speed import LOW_SPEED_THRESHOLD, with_stable_threshold
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.planar import (
    DRIVE_TIME_CONSTANT,
    observed,
    planar_car,
    PlanarCar,
    PlanarSingleTrack,
    PlanarState,
)
from racecar.dynamics.vehicles.point_kernels import point_kernel
from racecar.dynamics.vehicles.rolling import AxleTyres, wheels_of_axles
from racecar.dynamics.vehicles.single_track import axle_tyre
from racecar.dynamics.vehicles.tyre_sets import make_tyre_set, tyres_of, TyreSet


class ForceInputs(NamedTuple):
    """All inputs: mode 0 follows the speed [m/s], 1 applies the force [N]."""

    speed: float
    steering_angle: float
    mode: float
    force: float


class ForceCar(NamedTuple):
    """Parameters: friction mu_x Fz of each axle [N], tyres of racecar.dynamics.tyres.lateral."""

    planar: PlanarCar
    grip_front: float
    grip_rear: float
    front: AxleTyre
    rear: AxleTyre


class SpeedDrive(NamedTuple):
    """The speed controller follows a speed [m/s]."""

    speed: float


class ForceDrive(NamedTuple):
    """The drive gives a force [N]."""

    force: float


class ForceHeld(NamedTuple):
    """What inputs and parameters fix until the next command; sine, cosine: of the steering."""

    sine: float
    cosine: float
    drive: SpeedDrive | ForceDrive
    car: ForceCar


class SingleForces(NamedTuple):
    """Forces of the axles along and across their wheels [N], slip angles [rad]."""

    front_x: float
    front_y: float
    rear_x: float
    rear_y: float
    alpha_front: float
    alpha_rear: float


@by_type
def wanted_force(drive: object, vx: float, car: PlanarCar) -> float:
    """Force that the drive is to give at a forward velocity [m/s], without its limit [N]."""
    raise NotImplementedError


@wanted_force.register(SpeedDrive)
def _controlled_force(drive: SpeedDrive, vx: float, car: PlanarCar) -> float:
    return car.mass * (drive.speed - vx) / car.time_constant


@wanted_force.register(ForceDrive)
def _given_force(drive: ForceDrive, vx: float, car: PlanarCar) -> float:
    return drive.force


@pure
def _held(
    steering_angle: float, drive: SpeedDrive | ForceDrive, car: ForceCar,
) -> ForceHeld:
    return ForceHeld(math.sin(steering_angle), math.cos(steering_angle), drive, car)


@pure
def hold_speed(inputs: Command, car: ForceCar) -> ForceHeld:
    """What the equations need of speed and steering angle."""
    return _held(inputs.steering_angle, SpeedDrive(inputs.speed), car)


@pure
def hold_force(inputs: ForceInputs, car: ForceCar) -> ForceHeld:
    """What the equations need of force and steering angle."""
    return _held(inputs.steering_angle, ForceDrive(inputs.force), car)


@pure
def axle_forces(state: PlanarState, held: ForceHeld) -> SingleForces:
    """Forces and slip angles of the axles."""
    car, p = held.car, held.car.planar
    front = state.vy + p.to_front * state.yaw_rate
    rear = state.vy - p.to_rear * state.yaw_rate
    alpha_front = math.atan2(
        front * held.cosine - state.vx * held.sine,
        max(abs(state.vx * held.cosine + front * held.sine), p.low_speed))
    alpha_rear = math.atan2(rear, max(abs(state.vx), p.low_speed))
    force = min(max(wanted_force(held.drive, state.vx, p), -p.force_limit), p.force_limit)
    front_x = min(max(p.share_front * force, -car.grip_front), car.grip_front)
    rear_x = min(max((1.0 - p.share_front) * force, -car.grip_rear), car.grip_rear)
    share_x_front = front_x / car.grip_front
    share_x_rear = rear_x / car.grip_rear
    share_y_front = math.sqrt(max(1.0 - share_x_front * share_x_front, 0.0))
    share_y_rear = math.sqrt(max(1.0 - share_x_rear * share_x_rear, 0.0))
    return SingleForces(
        front_x, share_y_front * axle_force(car.front, alpha_front),
        rear_x, share_y_rear * axle_force(car.rear, alpha_rear), alpha_front, alpha_rear)


@pure
def force_rates(state: PlanarState, held: ForceHeld) -> PlanarState:
    """Time derivative of the state [SI]."""
    f, p = axle_forces(state, held), held.car.planar
    front = f.front_y * held.cosine + f.front_x * held.sine
    sine, cosine = sine_cosine_of_turn(state.yaw)
    return PlanarState(
        (f.rear_x + f.front_x * held.cosine - f.front_y * held.sine) / p.mass
        + state.vy * state.yaw_rate,
        (f.rear_y + front) / p.mass - state.vx * state.yaw_rate,
        (p.to_front * front - p.to_rear * f.rear_y) / p.yaw_inertia,
        state.vx * cosine - state.vy * sine,
        state.vx * sine + state.vy * cosine,
        state.yaw_rate)


@pure
def force_observe(
    state: PlanarState, inputs: Command | ForceInputs, car: ForceCar,
) -> tuple[float, float, float, float, float, float, float]:
    """x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI]."""
    return observed(state, car.planar.odometry_offset)


@pure
def force_diagnose(
    state: PlanarState, inputs: Command | ForceInputs, car: ForceCar, held: ForceHeld,
) -> tuple[float, ...]:
    """Fields of VehicleDiagnostics."""
    f = axle_forces(state, held)
    front = f.front_y * held.cosine + f.front_x * held.sine
    return (
        state.x, state.y, state.yaw, state.vx, state.vy, state.yaw_rate,
        math.atan2(math.copysign(1.0, state.vx) * state.vy, abs(state.vx)),
        (front + f.rear_y) / car.planar.mass, f.alpha_front, f.alpha_rear, f.front_y,
        f.rear_y, inputs.speed, inputs.steering_angle)


@pure
def _axles(
    state: PlanarState, inputs: Command | ForceInputs, car: ForceCar, held: ForceHeld,
) -> SingleForces:
    return axle_forces(state, held)


@pure
def roll_at_speed(
    travel: Travel, before: PlanarState, after: PlanarState, parameters: ForceCar,
    commanded: float, duration: float,
) -> Travel:
    """Distance after driving on at the mean of both velocities; see VehicleModel."""
    return (travel[0] + 0.5 * duration * (before.vx + after.vx),)


_NO_STATE = PlanarState(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
_NO_INPUTS = ForceInputs(0.0, 0.0, 0.0, 0.0)


def force_car(planar: PlanarCar, tyres: TyreSet) -> ForceCar:
    """Parameters of a car with tyres."""
    return ForceCar(
        planar, tyres.front_x.friction * planar.load_front,
        tyres.rear_x.friction * planar.load_rear,
        axle_tyre(tyres, tyres.front_y, planar.load_front),
        axle_tyre(tyres, tyres.rear_y, planar.load_rear))


class SingleTrackForce(PlanarSingleTrack):
    """Single-track vehicle driven by a force, or by a speed controller of bounded force."""

    name: ClassVar[str] = 'single_track_force'
    low_speed_row: ClassVar[int] = PlanarCar._fields.index('low_speed')
    input_count = len(ForceInputs._fields)
    travelled = staticmethod(roll_at_speed)

    def __init__(
        self, vehicle: VehicleParameters, tyre_model: str | int = DEFAULT_TYRE_MODEL,
        low_speed_threshold: float = LOW_SPEED_THRESHOLD,
        drive_time_constant: float = DRIVE_TIME_CONSTANT,
        tyre_values: Values | None = None,
    ) -> None:
        """Bind a vehicle to a tyre model (name or number).

        low_speed_threshold [m/s]: least longitudinal velocity in the slip's denominator;
        drive_time_constant [s]: of the speed controller; tyre_values: see make_tyre_set().
        Raises ParameterError if an option is unknown or not positive.
        """
        planar = self._planar = planar_car(vehicle, low_speed_threshold, drive_time_constant)
        self.vehicle = vehicle
        self.tyres = make_tyre_set(vehicle, tyre_model, tyre_values)
        self.low_speed_threshold = float(low_speed_threshold)
        car = force_car(planar, self.tyres)
        kind = type(car.front).__qualname__
        self.equations = equations_of(
            f'force_speed_{kind}', _NO_STATE, NO_COMMAND, car,
            Laws(hold_speed, force_rates, force_observe, force_diagnose))
        self.wheel_equations = equations_of(
            f'force_given_{kind}', _NO_STATE, _NO_INPUTS, car,
            Laws(hold_force, force_rates, force_observe, force_diagnose))
        self.parameters = vector(tuple(flatten(car)))

    @classmethod
    def from_values(
        cls, vehicle: VehicleParameters, values: Values,
    ) -> SingleTrackForce:
        """Build from tyre_model, low_speed_threshold, drive_time_constant and TYRE_PARAMETERS."""
        return with_stable_threshold(vehicle, values, lambda threshold: cls(
            vehicle, str(values['tyre_model']), threshold,
            number_of(values, 'drive_time_constant', DRIVE_TIME_CONSTANT), values))

    def parameters_on(
        self, front: float, rear: float, made_of: MadeOf | None = None,
    ) -> Numbers:
        """Parameters on such ground; see VehicleModel."""
        if made_of is None:
            return force_car(self._planar, self.tyres.on_friction(front, rear))
        vehicle, values = made_of
        return self.car_of(vehicle, tyres_of(made_of).on_friction(front, rear), values)

    def car_of(
        self, vehicle: VehicleParameters, tyres: TyreSet, values: Values,
    ) -> ForceCar:
        """Parameters of a vehicle, of which each number may be a column."""
        return force_car(planar_car(
            vehicle, self.low_speed_threshold,
            number_of(values, 'drive_time_constant', DRIVE_TIME_CONSTANT)), tyres)

    def rolling_speed(self, state: Vector, inputs: Vector) -> float:
        """Forward velocity of the car [m/s]."""
        return float(state[_NO_STATE._fields.index('vx')])

    def wheels(self, state: Vector, inputs: Vector) -> tuple[WheelState, ...]:
        """Wheels, each with half the forces of its axle.

        The drive acts as a force: longitudinal slip there is none.
        inputs: speed, steering angle, mode, force.
        """
        f = point_kernel(self.equations, self.wheel_equations, _axles)(
            vector(state), vector(inputs), self.parameters)
        return wheels_of_axles(
            self.vehicle, self.rolling_speed(state, inputs),
            AxleTyres(f.alpha_front, f.front_x, f.front_y),
            AxleTyres(f.alpha_rear, f.rear_x, f.rear_y))
