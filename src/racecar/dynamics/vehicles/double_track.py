# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Double-track model: the equations bound to a vehicle and its tyres."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import ClassVar, Self

import numpy as np

from racecar.base.columns import Array, larger, rows_of, squared
from racecar.base.compiled import pure
from racecar.base.errors import ParameterError
from racecar.base.rows import flatten
from racecar.base.types import (
    Pose2,
    VehicleDiagnostics,
    WheelCommand,
    Wheels,
    WheelState,
)
from racecar.base.values import number_of, Values
from racecar.base.vectors import Vector, vector
from racecar.dynamics.tyres import WheelTyre
from racecar.dynamics.tyres.contact import TyrePair
from racecar.dynamics.vehicles.ackermann import ackermann_angles, middle_tangent
from racecar.dynamics.vehicles.double_track_chassis import carcass_of, chassis_of, no_state
from racecar.dynamics.vehicles.double_track_equations import (
    ACCELERATION_LIMIT,
    BRAKE,
    double_diagnose,
    double_observe,
    double_rates,
    DoubleCar,
    DRIVE_RATE_LIMIT,
    each_wheel,
    INPUT_COUNT,
    LEFT_ANGLE,
    MODE,
    NO_INPUTS,
    RIGHT_ANGLE,
    SLIP_RATE_LIMIT,
    State,
    WHEEL,
    WHEELS,
)
from racecar.dynamics.vehicles.double_track_held import hold_speed, hold_torques
from racecar.dynamics.vehicles.double_track_wheels import OVERSPEED_FACTOR, STICK_RATE
from racecar.dynamics.vehicles.interface import (
    equations_of,
    Laws,
    MadeOf,
    ModelColumns,
    NO_COMMAND,
    STEERING_ANGLE,
    Travel,
)
from racecar.dynamics.vehicles.low_speed import LOW_SPEED_THRESHOLD
from racecar.dynamics.vehicles.modes import spectral_radii, straight_modes, straight_speeds
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.planar import (
    DRIVE_TIME_CONSTANT,
    planar_car,
    planar_limits,
    planar_start,
)
from racecar.dynamics.vehicles.point_kernels import point_kernel, PointKernels
from racecar.dynamics.vehicles.tyre_sets import (
    make_tyre_set,
    TyreDirection,
    tyres_of,
    TyreSet,
)

# Of fastest_mode().
_SPEEDS = 21

DEFAULT_TYRE_MODEL = 'fiala'
"""Tyres of a double track that is given none."""


def wheel_command_fault(command: WheelCommand, inertia: float) -> str:
    """What is wrong with a command and what was expected; empty if nothing is.

    inertia: of a wheel [kg m^2]. The bounds are those up to which steps of a millisecond can
    follow such a wheel. Brakes have none: however strong, they hold a wheel at STICK_RATE.
    """
    drive, damping = ACCELERATION_LIMIT * inertia, STICK_RATE * inertia
    if command.fault:
        return command.fault
    if max(map(abs, command.drive)) > drive:
        return (f'drive {command.drive}, expected torques within [{-drive:g}, {drive:g}] N m'
                f' for wheels of {inertia:g} kg m^2')
    if max(command.damping) > damping:
        return (f'damping {command.damping}, expected numbers within [0, {damping:g}]'
                f' N m s/rad for wheels of {inertia:g} kg m^2; use the brake to hold a wheel')
    return ''


def least_drive_time_constant(
    vehicle: VehicleParameters, rate_limit: float = DRIVE_RATE_LIMIT,
) -> float:
    """Time constant of the speed controller [s] for which a wheel is not too light.

    With less, the controller would turn a free wheel at a rate beyond rate_limit [1/s].
    """
    driven = 4.0 if vehicle.driven_axle == 'all' else 2.0
    return squared(larger(*vehicle.wheel_radii)) * vehicle.mass / (
        driven * vehicle.wheel_inertia * rate_limit)


@pure
def rotate_wheels(
    travel: Travel, before: State, after: State, parameters: DoubleCar, commanded: float,
    duration: float,
) -> Travel:
    """Rotation of each wheel [rad], by the mean of both speeds; see VehicleModel."""
    half = 0.5 * duration
    return (
        travel[0] + half * (before.wheel_speed_front_left + after.wheel_speed_front_left),
        travel[1] + half * (before.wheel_speed_front_right + after.wheel_speed_front_right),
        travel[2] + half * (before.wheel_speed_rear_left + after.wheel_speed_rear_left),
        travel[3] + half * (before.wheel_speed_rear_right + after.wheel_speed_rear_right))


def double_car(
    vehicle: VehicleParameters, tyres: TyreSet, low_speed_threshold: float,
    drive_time_constant: float,
) -> DoubleCar:
    """Parameters of a vehicle, of which each number may be a column.

    Raises ParameterError if one of both options is not positive.
    """
    planar = planar_car(vehicle, low_speed_threshold, drive_time_constant)
    stiffest = 0.5 * larger(tyres.front_x.stiffness, tyres.rear_x.stiffness)
    largest = larger(*vehicle.wheel_radii)
    to_front, to_rear = vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle
    lateral_threshold = larger(
        low_speed_threshold,
        ((tyres.front_y.stiffness + tyres.rear_y.stiffness) / vehicle.mass
         + (squared(to_front) * tyres.front_y.stiffness
            + squared(to_rear) * tyres.rear_y.stiffness)
         / vehicle.yaw_inertia) / SLIP_RATE_LIMIT)
    prepare, by_load = tyres.contact_tyre(), float(tyres.model.stiffness_by_load)

    def tyre(x: TyreDirection, y: TyreDirection, load: float) -> WheelTyre:
        return prepare(TyrePair(*x, *y, load, by_load, *tyres.sides))

    (front_track, rear_track), (front_radius, rear_radius) = (
        vehicle.track_widths, vehicle.wheel_radii)
    return DoubleCar(
        planar._replace(
            low_speed=larger(low_speed_threshold, squared(largest) * stiffest
                             / (vehicle.wheel_inertia * SLIP_RATE_LIMIT)),
            time_constant=larger(planar.time_constant, least_drive_time_constant(vehicle))),
        0.5 * front_track, 0.5 * rear_track, vehicle.cog_height,
        front_radius, rear_radius, vehicle.wheel_inertia, lateral_threshold,
        OVERSPEED_FACTOR * larger(vehicle.speed_max, -vehicle.speed_min) / largest,
        tyre(tyres.front_x, tyres.front_y, vehicle.front_axle_load),
        tyre(tyres.rear_x, tyres.rear_y, vehicle.rear_axle_load),
        chassis_of(vehicle, low_speed_threshold), carcass_of(vehicle, tyres))


def _options_of(values: Values) -> tuple[float, float]:
    """Least velocity in the slip's denominator [m/s], time constant of the speed control [s]."""
    return (number_of(values, 'low_speed_threshold') or LOW_SPEED_THRESHOLD,
            number_of(values, 'drive_time_constant', DRIVE_TIME_CONSTANT))


class DoubleTrack(PointKernels):
    """Four-wheel vehicle commanded by speed and steering angle, or by wheel torques.

    Of a vehicle with a relaxation length it has four states more, as double_track_chassis says.
    """

    name: ClassVar[str] = 'double_track'
    input_count = INPUT_COUNT
    no_travel: Travel = (0.0,) * 4
    travelled = staticmethod(rotate_wheels)

    def __init__(
        self, vehicle: VehicleParameters, tyre_model: str | int = DEFAULT_TYRE_MODEL,
        low_speed_threshold: float = LOW_SPEED_THRESHOLD,
        drive_time_constant: float = DRIVE_TIME_CONSTANT,
        tyre_values: Values | None = None,
    ) -> None:
        """Bind a vehicle to a tyre model (name or number).

        low_speed_threshold [m/s]: least velocity in the slip's denominator, raised where the
        wheels need it; drive_time_constant [s]: of the speed controller, likewise; tyre_values:
        see make_tyre_set(). Raises ParameterError if an option is unknown or not positive.
        """
        self.vehicle = vehicle
        self._options = float(low_speed_threshold), drive_time_constant
        self.tyres = make_tyre_set(vehicle, tyre_model, tyre_values)
        car = self.car = double_car(
            vehicle, self.tyres, *self._options)
        self.low_speed_threshold = car.planar.low_speed
        state = no_state(car.carcass)
        kind = '_'.join(type(part).__qualname__ for part in (state, car.chassis, car.front))
        self.equations = equations_of(
            f'double_speed_{kind}', state, NO_COMMAND, car,
            Laws(hold_speed, double_rates, double_observe, double_diagnose))
        self.wheel_equations = equations_of(
            f'double_torques_{kind}', state, NO_INPUTS, car,
            Laws(hold_torques, double_rates, double_observe, double_diagnose))
        self.state_names: tuple[str, ...] = state._fields
        self._lagging = (0.0,) * (len(state) - WHEEL - len(WHEELS))
        self.parameters = vector(tuple(flatten(car)))

    def on_friction(self, front: float, rear: float) -> Self:
        """Return the model where the friction of the tyres of the axles is times these factors."""
        car = self.parameters_on(front, rear)
        made = self.with_tyres(self.tyres.on_friction(front, rear), car)
        made.car = car
        return made

    def parameters_on(
        self, front: float, rear: float, made_of: MadeOf | None = None,
    ) -> DoubleCar:
        """Parameters on such ground; see VehicleModel."""
        if made_of is None:
            return double_car(
                self.vehicle, self.tyres.on_friction(front, rear), *self._options)
        vehicle, values = made_of
        return double_car(
            vehicle, tyres_of(made_of).on_friction(front, rear), *_options_of(values))

    @classmethod
    def from_values(cls, vehicle: VehicleParameters, values: Values) -> DoubleTrack:
        """Build from tyre_model, low_speed_threshold, drive_time_constant and TYRE_PARAMETERS."""
        return cls(vehicle, str(values['tyre_model']), *_options_of(values), values)

    @property
    def description(self) -> str:
        """Name with the options that make this instance, for messages."""
        length = self.vehicle.relaxation_length
        lag = f', relaxation length {length:g} m' if length else ''
        return (f"{self.name} of vehicle '{self.vehicle.name}' ({self.tyres.model.name} tyres,"
                f' slip regularised below {self.low_speed_threshold:.3g} m/s{lag})')

    @property
    def state_limits(self) -> tuple[float, ...]:
        """Modulus of each state up to which the model holds, in the order of state_names."""
        return self._limits(self.vehicle)

    def initial_state(self, pose: Pose2) -> tuple[float, ...]:
        """State at rest with the odometry point at a pose."""
        return (*planar_start(self.vehicle, pose), 0.0, 0.0, 0.0, 0.0, *self._lagging)

    def torque_inputs(
        self, steering_angle: float, drive: Sequence[float], brake: Sequence[float] = (0.0,) * 4,
        damping: Sequence[float] = (0.0,) * 4, *, angles: tuple[float, float] | None = None,
        brake_damping: Sequence[float] = (0.0,) * 4, forced: Sequence[float] = (0.0,) * 4,
        inertia: tuple[float, float] = (0.0, 0.0),
    ) -> list[float]:
        """Inputs for wheel torques, in the order of WHEELS.

        steering_angle [rad]; drive: torques, positive forwards [N m]; brake: capacities, at least
        0 [N m]; damping: at least 0 [N m s]; angles: of the left and right front wheel [rad],
        those of Ackermann if None; brake_damping: of viscous brakes, at least 0 [N m s]; forced:
        1 for a wheel whose number in drive is the speed at which it has to turn [rad/s];
        inertia: what the engine adds to that of a front and of a rear wheel, at least 0 [kg m^2].
        Raises ParameterError for what is not finite or negative.
        """
        if angles is None:
            angles = self._ackermann(steering_angle)
        inputs = [0.0, steering_angle, 1.0, *angles, *drive, *brake, *damping, *brake_damping,
                  *forced, *inertia]
        if (len(inputs) != INPUT_COUNT or not all(map(math.isfinite, inputs))
                or min(inputs[BRAKE:]) < 0.0):
            raise ParameterError(
                f'wheel torques are drive {list(drive)}, brake {list(brake)}, damping'
                f' {list(damping)}, brake_damping {list(brake_damping)}, forced {list(forced)},'
                f' angles {list(angles)}, inertia {list(inertia)}, expected four finite numbers'
                ' each [N m, N m, N m s, N m s, -] and twice two [rad, kg m^2]; brake, damping,'
                ' brake_damping, forced and inertia not negative')
        return [float(value) for value in inputs]

    def diagnostics(self, state: Vector, inputs: Vector) -> VehicleDiagnostics:
        """What VehicleDiagnostics lists; inputs: input_count numbers."""
        return VehicleDiagnostics(*self.diagnose(vector(state), vector(inputs), self.parameters))

    def wheel_inputs(self, command: WheelCommand) -> Sequence[float]:
        """Inputs for a command; its steering angles are clamped to the limits.

        Raises ParameterError for what wheel_command_fault() tells of.
        """
        fault = wheel_command_fault(command, self.vehicle.wheel_inertia)
        if fault:
            raise ParameterError(f'wheel command has {fault}')
        lowest, highest = map(self._ackermann, self.vehicle.steering_range)
        left, right = (min(max(angle, low), high) for angle, low, high in zip(
            (command.left_angle, command.right_angle), lowest, highest, strict=True))
        return self.torque_inputs(
            math.atan(middle_tangent(left, right)), command.drive, command.brake, command.damping,
            angles=(left, right), brake_damping=command.brake_damping)

    def wheel_speeds(self, state: Vector, inputs: Vector) -> Wheels:
        """Speed of rotation of each wheel [rad/s], a state of its own."""
        first, second, third, fourth = state[WHEEL:WHEEL + len(WHEELS)]
        return float(first), float(second), float(third), float(fourth)

    def steering_angles(self, inputs: Vector) -> tuple[float, float]:
        """Steering angle of the left and right front wheel [rad]."""
        if inputs[MODE] == 0.0:
            return self._ackermann(float(inputs[STEERING_ANGLE]))
        return float(inputs[LEFT_ANGLE]), float(inputs[RIGHT_ANGLE])

    def wheel_rotations(self, travel: Travel) -> Wheels:
        """Angle through which each wheel has turned [rad]: its travel."""
        first, second, third, fourth = travel
        return first, second, third, fourth

    def wheels(self, state: Vector, inputs: Vector) -> tuple[WheelState, ...]:
        """Wheels in the order of WHEELS; inputs: input_count numbers."""
        limit = self.tyres.sides.slip_limit
        f = point_kernel(self.equations, self.wheel_equations, each_wheel)(
            vector(state), vector(inputs), self.parameters)
        return tuple(
            WheelState(min(max(slip.along, -limit), limit), math.atan(slip.across), along, across,
                       load, float(speed))
            for slip, along, across, load, speed in zip(
                *f, self.wheel_speeds(state, inputs), strict=True))

    def fastest_mode(self) -> float:
        """Largest modulus of an eigenvalue over the admissible speeds [1/s]."""
        return float(spectral_radii(self._modes(self.vehicle, self.car, 1)).max())

    def columns(
        self, vehicle: VehicleParameters, values: Values, cars: int,
    ) -> ModelColumns:
        """What cars have that differ in their vehicles; see VehicleModel."""
        car = double_car(
            vehicle, tyres_of(MadeOf(vehicle, values)), *_options_of(values))
        return ModelColumns(rows_of(car, cars), rows_of(self._limits(vehicle), cars),
                            self._modes(vehicle, car, cars), vehicle.odometry_offset)

    def _limits(self, vehicle: VehicleParameters) -> tuple[float, ...]:
        return (*planar_limits(vehicle), *(1e5,) * (len(self.state_names) - WHEEL))

    def _modes(self, vehicle: VehicleParameters, car: DoubleCar, cars: int) -> Array:
        speeds = straight_speeds(
            vehicle.speed_min, vehicle.speed_max, _SPEEDS, 0.0, car.planar.low_speed,
            car.low_speed_lateral)
        return straight_modes(
            self.equations, rows_of(car, cars), np.broadcast_to(speeds, (cars, speeds.shape[1])),
            vehicle.wheel_radii)

    def _ackermann(self, steering_angle: float) -> tuple[float, float]:
        vehicle = self.vehicle
        left, right = ackermann_angles(
            steering_angle, 0.5 * vehicle.track_width, vehicle.wheelbase)
        return float(left), float(right)
