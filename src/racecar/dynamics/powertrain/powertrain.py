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
from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.errors import ParameterError
from racecar.base.rows import zeros_of
from racecar.base.types import WheelCommand, Wheels
from racecar.dynamics.powertrain.car_parameters import CarParameters, CRUISE_REFERENCES
from racecar.dynamics.powertrain.cruise import ramp, wheel_speeds
from racecar.dynamics.powertrain.differential import rolling_speed, split_torque
from racecar.dynamics.powertrain.engine import (
    braking_torque,
    can_brake,
    Engine,
    torque_at,
)
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

SLIP_RATE = 500.0
"""Rate at which the limited-slip differential brings wheels together [1/s]."""

_STABLE = 0.5

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


class Drivetrain(NamedTuple):
    """Numbers of what is between the pedals and the wheels; wheels in the order of WheelTorques.

    driven: 1 for a driven wheel, else 0; radii [m]; front_ratio, rear_ratio: track over twice the
    wheelbase [-]; brake_torque [N m], brake_damping [N m s/rad]: of the brake of a wheel, one of
    them 0; damping: of its bearing [N m s/rad]; acceleration: of the ramp of the cruising speed
    [m/s^2]; reference: REAR_AXLE or WEBOTS of cruise; coupling: of the limited slip [N m s];
    shift_time [s]; inertia: of the engine at a front, at a rear wheel in a gear of ratio 1
    [kg m^2].
    """

    engine: Engine
    driven: Wheels
    radii: Wheels
    front_ratio: float
    rear_ratio: float
    brake_torque: float
    brake_damping: float
    damping: float
    acceleration: float
    reference: float
    coupling: float
    shift_time: float
    inertia: tuple[float, float]


NO_DRIVETRAIN = Drivetrain(
    zeros_of(Engine), (0.0,) * 4, (0.0,) * 4, *(0.0,) * 9, (0.0, 0.0))
"""All zeros."""


@pure
def measured_rpm(controls: PedalControls, car: Drivetrain, speeds: Wheels) -> float:
    """Speed of the engine [rev/min]; speeds of the wheels [rad/s]."""
    return engine_rpm(speeds, car.driven, controls.ratio)


@pure
def engine_output(controls: PedalControls, car: Drivetrain, speeds: Wheels) -> float:
    """Torque of the engine behind the throttle, before the gearbox [N m]."""
    if controls.mode != TORQUE:
        return 0.0
    turning = engine_turning(speeds, car.driven, controls.ratio)
    throttle = controls.throttle
    pull = throttle * torque_at(car.engine, abs(turning))
    if not can_brake(car.engine):
        return pull
    return pull + (1.0 - throttle) * braking_torque(car.engine, turning)


@pure
def added_inertia(controls: PedalControls, car: Drivetrain) -> tuple[float, float]:
    """Share of the engine in the inertia of a front and of a rear wheel [kg m^2]."""
    square = controls.ratio * controls.ratio if controls.mode == TORQUE else 0.0
    return square * car.inertia[0], square * car.inertia[1]


@pure
def measured_speed(controls: PedalControls, car: Drivetrain, speeds: Wheels) -> float:
    """Speed of the rear axle's middle that the driven wheels tell [m/s]."""
    ratios = path_ratios(controls.tangent, car.front_ratio, car.rear_ratio)
    return rolling_speed(speeds, ratios, car.radii, car.driven)


@pure
def next_cruise(
    controls: PedalControls, car: Drivetrain, speeds: Wheels, cruise: float, dt: float,
) -> float:
    """Ramped cruising speed [m/s] after dt [s]; that of the car where none governs."""
    if controls.mode == SPEED and controls.brake == 0.0:
        return ramp(cruise, controls.cruising_speed, car.acceleration * dt)
    return measured_speed(controls, car, speeds)


@pure
def wheel_drive(
    controls: PedalControls, car: Drivetrain, speeds: Wheels, cruise: float, drives: bool,
) -> tuple[Wheels, bool]:
    """Torques of the wheels [N m] and False, or speeds of the driven ones [rad/s] and True.

    speeds: of the wheels [rad/s]; cruise: ramped cruising speed [m/s]; drives: whether the engine
    does, which it does not while a gear is shifted.
    """
    ratios = path_ratios(controls.tangent, car.front_ratio, car.rear_ratio)
    if controls.mode == TORQUE:
        torque = engine_output(controls, car, speeds) * controls.ratio
        return split_torque(
            torque if drives else 0.0, speeds, ratios, car.radii, car.driven,
            car.coupling * controls.limited_slip), False
    if controls.mode == SPEED and controls.brake == 0.0:
        return wheel_speeds(
            cruise, controls.tangent, ratios, car.radii, car.driven, car.reference), True
    return (0.0, 0.0, 0.0, 0.0), controls.mode == UNDEFINED


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
        engine_front, engine_rear = (
            drives * car.engine_inertia / sum(car.driven) for drives in car.driven[1:3])
        front_ratio, rear_ratio = (
            width / (2.0 * vehicle.wheelbase) for width in vehicle.track_widths)
        self._numbers = Drivetrain(
            Engine.of(car), _four(car.driven), (front, front, rear, rear), front_ratio,
            rear_ratio, brake * car.brake_coefficient, (not brake) * car.brake_coefficient,
            car.wheels_damping_constant, car.cruise_acceleration,
            float(CRUISE_REFERENCES.index(car.cruise_reference)), 0.0, car.shift_time,
            (engine_front, engine_rear))
        self._cruise = 0.0
        self._shift = NO_SHIFT
        self.set_period(period)

    @property
    def numbers(self) -> Drivetrain:
        """What the functions of this module take as the car."""
        return self._numbers

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
        self._numbers = self._numbers._replace(coupling=self.vehicle.wheel_inertia * rate)

    def command(self, controls: PedalControls, speeds: Sequence[float]) -> WheelTorques:
        """Wheel inputs of the next period; also ramps the cruising speed.

        speeds: of the wheels [rad/s].
        """
        car, four = self._numbers, _four(speeds)
        self._cruise = next_cruise(controls, car, four, self._cruise, self._period)
        self._shift, drives = next_shift(
            self._shift, controls.ratio, car.shift_time, self._period)
        drive, forced = wheel_drive(controls, car, four, self._cruise, drives)
        return WheelTorques(
            controls.left_angle, controls.right_angle, drive,
            (car.brake_torque * controls.brake,) * 4, (car.brake_damping * controls.brake,) * 4,
            (car.damping,) * 4, car.driven if forced else (0.0, 0.0, 0.0, 0.0),
            added_inertia(controls, car))

    def wheel_command(self, torques: WheelTorques) -> WheelCommand:
        """Command of a plant that knows the inertia of its own wheels alone.

        What spins the engine is taken off its torque, as if the wheels rolled.
        """
        share = self._rolling_share(torques.inertia)
        a, b, c, d = torques.drive
        return WheelCommand(
            torques.left_angle, torques.right_angle, (share * a, share * b, share * c, share * d),
            torques.brake, torques.brake_damping, torques.damping)

    def _rolling_share(self, inertia: tuple[float, float]) -> float:
        """Share of a torque that moves car and wheels, and not the engine."""
        vehicle = self.vehicle
        own = vehicle.mass + sum(
            2.0 * vehicle.wheel_inertia / radius ** 2 for radius in vehicle.wheel_radii)
        engine = sum(2.0 * each / radius ** 2 for each, radius in zip(
            inertia, vehicle.wheel_radii, strict=True))
        return own / (own + engine)

    def rpm(self, controls: PedalControls, speeds: Sequence[float]) -> float:
        """Speed of the engine [rev/min]; NaN in speed mode, which has no engine."""
        if controls.mode == SPEED:
            return math.nan
        return measured_rpm(controls, self._numbers, _four(speeds))

    def engine_torque(self, controls: PedalControls, speeds: Sequence[float]) -> float:
        """Torque of the engine before the gearbox [N m]; 0 but in torque mode.

        That in the gear that is chosen, whether or not it is still being shifted.
        """
        return engine_output(controls, self._numbers, _four(speeds))

    def speed(self, controls: PedalControls, speeds: Sequence[float]) -> float:
        """Speed that the driven wheels tell [m/s].

        It is that of the rear axle's middle; with the cruise_reference webots the mean of the
        driven wheels, of a 4x4 the mean of its axles.
        """
        if self.car.cruise_reference == 'webots':
            radii, driven = self._numbers.radii, self.car.driven
            return sum(
                float(speed * radius) for speed, radius, drives in zip(
                    speeds, radii, driven, strict=True) if drives) / sum(driven)
        return measured_speed(controls, self._numbers, _four(speeds))


def _four(values: Sequence[float]) -> Wheels:
    a, b, c, d = map(float, values)
    return a, b, c, d
