# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What stands between a driver and a car that is commanded by messages: a pure state machine.

It decides, for each odometry, whether the driver commands a speed, the wheels or nothing. Wheel
commands pass by the command mux, so that they are given only while the driver holds it; pedals
that fall silent are released.
"""

from __future__ import annotations

import copy
from typing import NamedTuple

from racecar.base.last_stamp import LastStamp
from racecar.base.types import AckermannCommand, NANOSECONDS, Odometry, WheelCommand, Wheels
from racecar.control.command_mux import IDLE
from racecar.driver.controls import Controls
from racecar.dynamics.powertrain.car_parameters import CarParameters
from racecar.dynamics.powertrain.powertrain import ControlMode, Powertrain
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.rolling import rolling_wheels

# Longer gaps between two messages of odometry are no time to speed up in [s].
_LONGEST_PERIOD = 0.1


class Pedals(NamedTuple):
    """What continuous driving needs.

    steering_angle [rad, left positive]; throttle, brake [0 to 1]; gear (-1 reverse, 0 neutral).
    """

    steering_angle: float
    throttle: float
    brake: float
    gear: int


class WheelReadings(NamedTuple):
    """What is known of the wheels.

    time_ns: stamp [ns]; rotations [rad] and speeds [rad/s] of each one; steering_angles: steering
    angles of the left and right front wheel [rad].
    """

    time_ns: int
    rotations: Wheels
    speeds: Wheels
    steering_angles: tuple[float, float]


class Answer(NamedTuple):
    """What the driver wants at an odometry: drive, or wheels with drive to hold the mux."""

    drive: AckermannCommand
    wheels: WheelCommand | None = None


class DriverBridge:
    """One driver and one car; times are simulated ones [ns], timeouts in seconds.

    odometry, wheels: the newest that were heard, to be set; mux_holder: who holds the mux, None
    until one was heard; answered_ns: time of the odometry that was answered last.
    """

    def __init__(self, car: CarParameters, vehicle: VehicleParameters, mux_source: str) -> None:
        """mux_source: name of the driver in the mux. Raises ParameterError as Powertrain does."""
        self.controls = Controls(car, vehicle)
        self.powertrain = Powertrain(car, vehicle, _LONGEST_PERIOD)
        self.odometry: Odometry | None = None
        self.wheels: WheelReadings | None = None
        self._vehicle = vehicle
        self._mux_source = mux_source
        self.mux_holder: str | None = None
        self._mux_asked: LastStamp | None = None
        self.answered_ns: int | None = None
        self._pressed: LastStamp | None = None

    def forget_times(self) -> None:
        """Forget what was heard, as time went back; pressed pedals come to their timeout."""
        self.odometry = self.wheels = self.answered_ns = None
        if self._pressed is not None:
            self._pressed = LastStamp(0)

    # Pedals

    def press(self, pedals: Pedals, stamp_ns: int) -> None:
        """Take over all pedals, or none: raises ParameterError for what is out of range."""
        pressed = copy.copy(self.controls)
        pressed.set_steering_angle(pedals.steering_angle)
        pressed.set_gear(pedals.gear)
        pressed.set_brake_intensity(pedals.brake)
        pressed.set_throttle(pedals.throttle)
        self.controls = pressed
        self._pressed = LastStamp(stamp_ns)

    def release_silent_pedals(self, now_ns: int, timeout: float) -> bool:
        """Release the throttle and brake fully once the pedals are older than the timeout [s].

        Returns whether that was done now.
        """
        if self._pressed is None or self._pressed.age_ns(now_ns) <= timeout * NANOSECONDS:
            return False
        self._pressed = None
        if self.controls.mode != ControlMode.TORQUE:
            # Somebody has set a cruising speed since.
            return False
        self.controls.set_throttle(0.0)
        self.controls.set_brake_intensity(1.0)
        return True

    # Mux

    @property
    def is_overruled(self) -> bool:
        """Whether somebody else holds the mux while the driver drives."""
        return self.controls.mode != ControlMode.UNDEFINED and self.mux_holder not in (
            None, IDLE, self._mux_source)

    def ask_mux(self, now_ns: int) -> None:
        """Take note that the mux is to be held from a time [ns] on, which it will answer."""
        if self._mux_asked is None:
            self._mux_asked = LastStamp(now_ns)

    def hear_mux(self, holder: str) -> None:
        """Take note that the mux says who holds it."""
        self.mux_holder = holder
        self._mux_asked = None

    def is_mux_silent(self, now_ns: int, timeout: float) -> bool:
        """Whether the mux, held by the driver, was asked longer ago than the timeout [s] in vain.

        A mux that nobody asks may be silent: under cruise control it hears plain commands.
        """
        return (self.mux_holder == self._mux_source and self._mux_asked is not None
                and self._mux_asked.age_ns(now_ns) > timeout * NANOSECONDS)

    def may_command_wheels(self, now_ns: int, timeout: float, *, has_mux: bool) -> bool:
        """Whether the driver holds the mux at a time [ns], or there has never been one.

        The mux repeats that the driver holds it whenever it hears so. One that does not answer for
        the timeout [s] may have died, and teleoperation and safety could not reach the car any
        more: a driver who had a mux does not command the wheels then.
        has_mux: whether a mux listens now.
        """
        if self.mux_holder is None:
            return not has_mux
        return self.mux_holder == self._mux_source and not self.is_mux_silent(now_ns, timeout)

    # What the car does

    @property
    def is_paired(self) -> bool:
        """Whether the wheels are known at the time of the odometry or later."""
        return (self.odometry is not None and self.wheels is not None
                and self.wheels.time_ns >= self.odometry.time_ns)

    def answer(self, odometry: Odometry, wheels_timeout: float) -> Answer | None:
        """Command of the driver; None before the first throttle or cruising speed.

        wheels_timeout: age [s] from which on the speeds of the wheels are taken for unknown, as
        they are if their stamps are of another clock.
        """
        time_ns = odometry.time_ns
        controls, powertrain = self.controls, self.powertrain
        # A tick that is announced again is answered again, without speeding up any further.
        before_ns = time_ns if self.answered_ns is None else self.answered_ns
        if self.answered_ns is None or self.is_overruled:
            # The ramp begins at the speed that the car has, or that others leave behind.
            powertrain.start_ramp(odometry.vx)
        self.answered_ns = time_ns
        powertrain.set_period(min(max(time_ns - before_ns, 0) / NANOSECONDS, _LONGEST_PERIOD))
        torques = powertrain.command(
            controls.pedals(), self._wheel_speeds(odometry, wheels_timeout))
        if controls.mode == ControlMode.UNDEFINED:
            return None
        if controls.mode == ControlMode.SPEED and controls.brake_intensity == 0.0:
            return Answer(AckermannCommand(powertrain.cruise, controls.steering_angle))
        return Answer(AckermannCommand(odometry.vx, controls.steering_angle),
                      powertrain.wheel_command(torques))

    def _wheel_speeds(self, odometry: Odometry, timeout: float) -> Wheels:
        if self.wheels is not None \
                and abs(odometry.time_ns - self.wheels.time_ns) <= timeout * NANOSECONDS:
            return self.wheels.speeds
        # As if they rolled.
        return rolling_wheels(self._vehicle, odometry.vx)
