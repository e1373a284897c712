# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car and the program that drives it, frame by frame."""

from __future__ import annotations

from collections.abc import Callable
import time

from racecar.base.types import NANOSECONDS, quaternion_to_yaw
from racecar.metrics.drive_sum import DriveSum
from racecar.neo.car import NeoCar
from racecar.neo.controller import Controller
from racecar.neo.server import NeoServer

# How long one wait for a program takes at most, after which the owner can look around [s].
_WAIT = 0.2


class Drive:
    """What a program has driven since its start; collisions: None where nobody counts."""

    def __init__(self) -> None:
        self.sums = DriveSum()
        self.collisions: int | None = None

    def as_dict(self) -> dict[str, object]:
        """The drive by names: metres, seconds, the time of each lap, collisions."""
        sums = self.sums
        return {'distance': sums.distance, 'duration': sums.duration, 'laps': sums.laps,
                'collisions': self.collisions}

    def text(self) -> str:
        """The drive in one line."""
        return self.sums.text(self.collisions)


class NeoSession:
    """Lets a program compute each frame, and moves the car in between.

    The time of the simulation stands still while a program computes, so that a run depends on the
    program alone.
    """

    def __init__(self, car: NeoCar, server: NeoServer, controller: Controller) -> None:
        self._car = car
        self._server = server
        self._controller = controller
        self._is_driving = False
        self._began = self._last = 0.0

    @property
    def time(self) -> float:
        """Time since the start of the program [s]."""
        return self._car.time - self._began

    def wait(self) -> bool:
        """Wait some time for a program; whether there is one."""
        if self._server.address is None:
            self._server.listen(_WAIT)
        return self._server.address is not None

    def frame(self) -> bool:
        """Let the program compute the frame at this time, and command the car as it says.

        The car of one that has just come is put to its start before. False without a program.
        """
        self._server.listen(0.0)
        if self._server.address is None:
            self._is_driving = False
            return False
        # Programs divide by it, from the first frame on.
        period = self._car.stack.simulator.period_ns / NANOSECONDS
        if not self._is_driving:
            self._car.start()
            self._controller.start()
            self._began, self._last = self._car.time, -period
        now = self.time
        delta, self._last = now - self._last, now
        self._controller.advance(now)
        # The start function is called in the same frame as the first update.
        self._is_driving = (self._is_driving or self._server.frame(period)) \
            and self._server.frame(delta)
        if self._is_driving:
            self._car.command()
        return self._is_driving

    def run(
        self, duration: float, real_time_factor: float, on_time: Callable[[float], object],
    ) -> Drive:
        """Run the program that is connected until it ends; return what it drove.

        duration: after which it is told to end [s]; real_time_factor: simulated seconds per
        second, 0 for as fast as possible; on_time is called with the time since the start [s].
        Raises DivergenceError as the simulation does.
        """
        drive, stack = Drive(), self._car.stack
        wall = time.monotonic()
        stack.answer(always=True)
        while self.frame():
            now = self.time
            pose = stack.first.robot.output.read().pose
            drive.sums.add(now, pose.x, pose.y, quaternion_to_yaw(*pose[3:]))
            on_time(now)
            stack.advance()
            stack.simulator.watch()
            stack.answer()
            if self.time >= duration:
                self._server.end_program(f'the program is told to end after {duration:g} s')
            elif real_time_factor > 0.0:
                wall = self._pause(wall, self.time / real_time_factor)
        found = stack.first.robot.collisions()
        drive.collisions = None if found is None else found.contacts
        return drive

    def _pause(self, wall: float, due: float) -> float:
        """Wait until so much time has passed since a wall time [s]; gives that time."""
        left = wall + due - time.monotonic()
        while left > 0.0 and self._server.address is not None:
            self._server.listen(left)
            left = wall + due - time.monotonic()
        # It does not catch up with what a slow program has lost.
        return wall - left if left < -_WAIT else wall
