# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Driving from a page: commands at the input of the mux for teleoperation, or at the pedals."""

from __future__ import annotations

import time

from racecar.base.errors import ControlModeError
from racecar.base.types import AckermannCommand
from racecar.cockpit.person_limits import angle_of, largest_speed
from racecar.driver.bridge import Pedals
from racecar.stacks.stepped.stepped_car import SteppedCar

# A page that says nothing for so long holds no key any more [s].
_SILENCE = 0.25


class Person:
    """What the page at the wheel wants; nothing while nobody holds it."""

    def __init__(self, car: SteppedCar) -> None:
        self._car = car
        self._is_held = self._by_pedals = False
        self._beat_at: float | None = None
        self._steering = 0.0

    def take(self) -> None:
        """Begin. Raises ControlModeError where no person drives."""
        if self._car.muxes is None:
            raise ControlModeError(
                'this configuration has no command mux, and so no input for a person who drives')
        self._is_held = True

    def drive(self, speed: float, steering: float) -> None:
        """Command shares of the largest speed and angle."""
        if not self._is_held:
            return
        if self._by_pedals:
            self._release_pedals()
        self._beat_at = time.monotonic()
        limits = self._car.robot.values
        self._car.person = AckermannCommand.in_single_precision(
            speed * largest_speed(limits), angle_of(limits, steering))

    def press(self, throttle: float, brake: float, steering: float) -> None:
        """Press pedals. Raises ControlModeError for a car without."""
        if not self._is_held:
            return
        if self._car.driver is None:
            raise ControlModeError('this car has no pedals: drive it by speed and steering angle')
        self._car.stop_person()
        self._beat_at = time.monotonic()
        self._by_pedals = True
        self._steering = angle_of(self._car.robot.values, steering)
        self._car.pedals = Pedals(self._steering, throttle, brake, 0)

    def watch(self) -> None:
        """Stop the car if its driver has fallen silent; to be called some times a second."""
        if self._beat_at is not None and time.monotonic() - self._beat_at > _SILENCE:
            self.halt()

    def halt(self) -> None:
        """Say once that the car is to stop, if it was driven."""
        if self._beat_at is None:
            return
        self._beat_at = None
        if self._by_pedals:
            self._release_pedals()
        else:
            self._car.stop_person()

    def release(self) -> None:
        """Stop the car if it was driven, and leave it to others."""
        self.halt()
        self._is_held = False

    def _release_pedals(self) -> None:
        self._by_pedals = False
        self._car.release_pedals(self._steering)
