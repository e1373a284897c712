# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""From pedals, gear and steering wheel to the torques of the wheels.

    torque mode     throttle * engine(n) * gear ratio, through the differential; 0 in neutral;
                    with engine braking less (1 - throttle) * braking(n) * gear ratio; nothing
                    while a gear is shifted
    speed mode      driven wheels are forced to turn at the cruising speed, which is ramped;
                    while the brake is on they are free, and the ramp starts anew from the speed
                    that they then have
    undefined       driven wheels are held
    brake, each wheel    viscous: damping brake * coefficient; coulomb: torque brake * coefficient
                         (racecar.dynamics.vehicles.double_track: neither turns a wheel back)

The inertia of an engine in gear, ratio^2 J, is shared out among the driven wheels, as if they
turned alike; it counts during a shift too, and not in the other modes. Sources: seeds 000 and 001,
section 2.1; inertia: Gillespie, Fundamentals of Vehicle Dynamics, equation 2-9. By default there
are no engine braking, no inertia and no shift time; there is no idle and no clutch.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
import math
from typing import Any, NamedTuple

from racecar.base.compiled import inlined
from racecar.base.errors import ParameterError
from racecar.base.packing import Vector, vector
from racecar.base.types import WheelCommand, Wheels
from racecar.dynamics.powertrain.car_parameters import CarParameters, CRUISE_REFERENCES
from racecar.dynamics.powertrain.cruise import ramp, wheel_speeds
from racecar.dynamics.powertrain.differential import rolling_speed, split_torque
from racecar.dynamics.powertrain.engine import braking_torque, torque_at
from racecar.dynamics.powertrain.gearbox import engine_rpm, engine_turning, next_shift, Shift
from racecar.dynamics.powertrain.steering import path_ratios, wheel_steering_range
from racecar.dynamics.vehicles.parameters import VehicleParameters


class ControlMode(IntEnum):
    """Who governs the wheels: nobody yet (they are held), cruise control, or the throttle."""

    UNDEFINED = -1
    SPEED = 0
    TORQUE = 1


# For kernels, which hold the mode among other numbers.
UNDEFINED, SPEED, TORQUE = map(float, ControlMode)

# Packed car.
(ENGINE, DRIVEN, RADII, FRONT_RATIO, REAR_RATIO, BRAKE_TORQUE, BRAKE_DAMPING, DAMPING,
 ACCELERATION, REFERENCE, COUPLING, BRAKING, PER_MIN_RPM, SHIFT_TIME, ADDED_INERTIA,
 CAR_NUMBERS) = (0, 10, 14, 18, 19, 20, 21, 22, 23, 24, 25, 26, 29, 30, 31, 33)

# Packed controls; angles and their tangent are positive to the left.
(MODE, THROTTLE, BRAKE, RATIO, CRUISE, TANGENT, LEFT, RIGHT, LIMITED_SLIP) = range(9)

SLIP_RATE = 500.0
"""Rate at which the limited-slip differential brings wheels together [1/s]."""

_STABLE = 0.5

# Speed below which engine braking falls at the latest [rev/min].
_LEAST_MIN_RPM = 100.0

NO_SHIFT = Shift(0.0, 0.0)
"""Of a car at its start, in neutral."""


class WheelTorques(NamedTuple):
    """What the powertrain does to the wheels: left front, right front, left rear, right rear.

    left_angle, right_angle: of the front wheels [rad, left positive]; drive: torques [N m], or of
    a forced wheel its speed [rad/s]; brake: torques that the brakes can hold [N m];
    brake_damping: of viscous brakes, and damping: of the bearings [N m s/rad]; forced: 1 for a
    wheel whose speed is given; inertia: what the engine adds to a front and a rear wheel [kg m^2].
    """

    left_angle: float
    right_angle: float
    drive: Wheels
    brake: Wheels
    brake_damping: Wheels
    damping: Wheels
    forced: Wheels
    inertia: tuple[float, float]


class PedalControls(NamedTuple):
    """Controls of the car as the powertrain takes them, in SI units.

    mode: UNDEFINED, SPEED or TORQUE; throttle, brake: 0 to 1; ratio: of the engaged gear, 0 in
    neutral; cruising_speed [m/s]; tangent: tan of the virtual middle wheel's angle;
    left_angle, right_angle [rad]; limited_slip: 1 if the differential has it, else 0.
    """

    mode: float
    throttle: float
    brake: float
    ratio: float
    cruising_speed: float
    tangent: float
    left_angle: float
    right_angle: float
    limited_slip: float


@inlined
def _four(values: Vector, first: int) -> Wheels:
    return values[first], values[first + 1], values[first + 2], values[first + 3]


@inlined
def measured_rpm(controls: Vector, car: Vector, speeds: Wheels) -> float:
    """Return the speed of the engine [rev/min]; speeds of the wheels [rad/s]."""
    return engine_rpm(speeds, _four(car, DRIVEN), controls[RATIO])


@inlined
def engine_output(controls: Vector, car: Vector, speeds: Wheels) -> float:
    """Return the torque of the engine behind the throttle, before the gearbox [N m]."""
    if controls[MODE] != TORQUE:
        return 0.0
    turning = engine_turning(speeds, _four(car, DRIVEN), controls[RATIO])
    throttle = controls[THROTTLE]
    pull = throttle * torque_at(
        car[ENGINE], abs(turning), car[ENGINE + 1], car[ENGINE + 2], car[ENGINE + 3],
        car[ENGINE + 4], car[ENGINE + 5], car[ENGINE + 6], car[ENGINE + 7], car[ENGINE + 8],
        car[ENGINE + 9])
    if car[BRAKING] + car[BRAKING + 1] + car[BRAKING + 2] == 0.0:
        return pull
    return pull + (1.0 - throttle) * braking_torque(
        turning, car[BRAKING], car[BRAKING + 1], car[BRAKING + 2], car[PER_MIN_RPM])


@inlined
def added_inertia(controls: Vector, car: Vector) -> tuple[float, float]:
    """Share of the engine in the inertia of a front and of a rear wheel [kg m^2]."""
    square = controls[RATIO] * controls[RATIO] if controls[MODE] == TORQUE else 0.0
    return square * car[ADDED_INERTIA], square * car[ADDED_INERTIA + 1]


@inlined
def measured_speed(controls: Vector, car: Vector, speeds: Wheels) -> float:
    """Return the speed of the rear axle's middle that the driven wheels tell [m/s]."""
    ratios = path_ratios(controls[TANGENT], car[FRONT_RATIO], car[REAR_RATIO])
    return rolling_speed(speeds, ratios, _four(car, RADII), _four(car, DRIVEN))


@inlined
def next_cruise(
    controls: Vector, car: Vector, speeds: Wheels, cruise: float, dt: float,
) -> float:
    """Return the ramped cruising speed [m/s] after dt [s]; that of the car where none governs."""
    if controls[MODE] == SPEED and controls[BRAKE] == 0.0:
        return ramp(cruise, controls[CRUISE], car[ACCELERATION] * dt)
    return measured_speed(controls, car, speeds)


@inlined
def wheel_drive(
    controls: Vector, car: Vector, speeds: Wheels, cruise: float, drives: bool,
) -> tuple[Wheels, bool]:
    """Return torques of the wheels [N m] and False, or speeds of the driven ones and True.

    speeds: of the wheels [rad/s]; cruise: ramped cruising speed [m/s]; drives: whether the engine
    does, which it does not while a gear is shifted.
    """
    driven = _four(car, DRIVEN)
    radii = _four(car, RADII)
    ratios = path_ratios(controls[TANGENT], car[FRONT_RATIO], car[REAR_RATIO])
    if controls[MODE] == TORQUE:
        torque = engine_output(controls, car, speeds) * controls[RATIO]
        return split_torque(
            torque if drives else 0.0, speeds, ratios, radii, driven,
            car[COUPLING] * controls[LIMITED_SLIP]), False
    if controls[MODE] == SPEED and controls[BRAKE] == 0.0:
        return wheel_speeds(
            cruise, controls[TANGENT], ratios, radii, driven, car[REFERENCE]), True
    return (0.0, 0.0, 0.0, 0.0), controls[MODE] == UNDEFINED


class Powertrain:
    """Engine, gearbox, differential, brakes and cruise control of one car.

    Without state but for the ramp of the cruising speed and the gear that is being shifted.
    """

    def __init__(self, car: CarParameters, vehicle: VehicleParameters, period: float) -> None:
        """period: time between two calls of command() [s].

        Raises ParameterError if the steering limit puts the turn's centre between the wheels, or
        the axles that drive the car differ between car and vehicle.
        """
        self.car = car
        self.vehicle = vehicle
        wheel_steering_range(vehicle)
        expected = {'traction': 'front', 'propulsion': 'rear', '4x4': 'all'}[car.type]
        if vehicle.driven_axle != expected:
            raise ParameterError(
                f"parameter 'vehicle.driven_axle' is {vehicle.driven_axle!r}, expected"
                f" {expected!r}, as 'car.type' is {car.type!r}")
        front, rear = vehicle.wheel_radii
        brake = car.brake_model == 'coulomb'
        self.packed: Any = vector([
            float(car.engine_kind), car.engine_max_torque, car.engine_max_power,
            car.engine_min_rpm, car.engine_max_rpm, *car.engine_function_coefficients,
            car.hybrid_power_split_ratio, car.hybrid_power_split_rpm,
            *map(float, car.driven), front, front, rear, rear,
            *(width / (2.0 * vehicle.wheelbase) for width in vehicle.track_widths),
            brake * car.brake_coefficient, (not brake) * car.brake_coefficient,
            car.wheels_damping_constant, car.cruise_acceleration,
            float(CRUISE_REFERENCES.index(car.cruise_reference)),
            0.0, *car.engine_braking_coefficients,
            1.0 / max(car.engine_min_rpm, _LEAST_MIN_RPM), car.shift_time,
            *(drives * car.engine_inertia / sum(car.driven) for drives in car.driven[1:3])])
        self._cruise = 0.0
        self._shift = NO_SHIFT
        self.set_period(period)

    @property
    def cruise(self) -> float:
        """Ramped cruising speed [m/s]."""
        return self._cruise

    def start_ramp(self, speed: float) -> None:
        """Let the cruising speed begin anew at a speed [m/s]."""
        self._cruise = speed

    def set_period(self, period: float) -> None:
        """Let what command() returns next hold for a period [s]; 0 for none."""
        self._period = period
        # The torque is held for the period; a faster coupling would overshoot.
        rate = SLIP_RATE if period * SLIP_RATE <= _STABLE else _STABLE / period
        self.packed[COUPLING] = self.vehicle.wheel_inertia * rate

    def command(self, controls: PedalControls, speeds: Sequence[float]) -> WheelTorques:
        """Wheel inputs of the next period; also ramps the cruising speed.

        speeds: of the wheels [rad/s].
        """
        packed, four = self._packed(controls, speeds)
        car = self.packed
        self._cruise = next_cruise(packed, car, four, self._cruise, self._period)
        self._shift, drives = next_shift(
            self._shift, controls.ratio, car[SHIFT_TIME], self._period)
        drive, forced = wheel_drive(packed, car, four, self._cruise, drives)
        return WheelTorques(
            controls.left_angle, controls.right_angle, drive,
            (float(car[BRAKE_TORQUE] * controls.brake),) * 4,
            (float(car[BRAKE_DAMPING] * controls.brake),) * 4, (float(car[DAMPING]),) * 4,
            _four(car, DRIVEN) if forced else (0.0, 0.0, 0.0, 0.0), added_inertia(packed, car))

    def wheel_command(self, torques: WheelTorques) -> WheelCommand:
        """Return the command of a plant that knows the inertia of its own wheels alone.

        What spins the engine is taken off its torque, as if the wheels rolled.
        """
        share = self._rolling_share(torques.inertia)
        a, b, c, d = torques.drive
        return WheelCommand(
            torques.left_angle, torques.right_angle, (share * a, share * b, share * c, share * d),
            torques.brake, torques.brake_damping, torques.damping)

    def _rolling_share(self, inertia: tuple[float, float]) -> float:
        """Return the share of a torque that moves car and wheels, and not the engine."""
        vehicle = self.vehicle
        own = vehicle.mass + sum(
            2.0 * vehicle.wheel_inertia / radius ** 2 for radius in vehicle.wheel_radii)
        engine = sum(2.0 * each / radius ** 2 for each, radius in zip(
            inertia, vehicle.wheel_radii, strict=True))
        return own / (own + engine)

    def rpm(self, controls: PedalControls, speeds: Sequence[float]) -> float:
        """Return the speed of the engine [rev/min]; NaN in speed mode, which has no engine."""
        if controls.mode == SPEED:
            return math.nan
        packed, four = self._packed(controls, speeds)
        return float(measured_rpm(packed, self.packed, four))

    def engine_torque(self, controls: PedalControls, speeds: Sequence[float]) -> float:
        """Return the torque of the engine before the gearbox [N m]; 0 but in torque mode.

        That in the gear that is chosen, whether or not it is still being shifted.
        """
        packed, four = self._packed(controls, speeds)
        return float(engine_output(packed, self.packed, four))

    def speed(self, controls: PedalControls, speeds: Sequence[float]) -> float:
        """Return the speed that the driven wheels tell [m/s].

        It is that of the rear axle's middle; with the cruise_reference webots the mean of the
        driven wheels, of a 4x4 the mean of its axles.
        """
        if self.car.cruise_reference == 'webots':
            radii, driven = self.packed[RADII:RADII + 4], self.car.driven
            return sum(
                float(speed * radius) for speed, radius, drives in zip(
                    speeds, radii, driven, strict=True) if drives) / sum(driven)
        packed, four = self._packed(controls, speeds)
        return float(measured_speed(packed, self.packed, four))

    @staticmethod
    def _packed(controls: PedalControls, speeds: Sequence[float]) -> tuple[Any, Wheels]:
        a, b, c, d = (float(speed) for speed in speeds)
        return vector(controls), (a, b, c, d)
