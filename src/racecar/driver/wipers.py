# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Windscreen wipers: an arm that sweeps up and down at the speed of its mode."""

from __future__ import annotations

from racecar.base.types import NANOSECONDS
from racecar.driver.controls import WiperMode

SWEEP = 1.6
"""Angle of a sweep [rad]; assumed, the motors' limits differ by car."""

SPEEDS = {WiperMode.DOWN: 2.0, WiperMode.SLOW: 2.0, WiperMode.NORMAL: 2.0, WiperMode.FAST: 4.0}
"""Speed of the arm [rad/s], as in the later library."""

SLOW_PERIOD = 4
"""In the mode SLOW a sweep starts only in every fourth second of the simulated time."""


class Wipers:
    """Position of the wipers; parked at 0."""

    def __init__(self) -> None:
        """Start parked."""
        self._angle = 0.0
        self._direction = 0.0

    @property
    def angle(self) -> float:
        """Angle of the arm from where it parks [rad]."""
        return self._angle

    def advance(self, mode: WiperMode, time_ns: int, dt: float) -> None:
        """Move on by dt [s], shorter than a sweep, from a simulated time [ns]."""
        if self._direction == 0.0:
            due = mode in (WiperMode.NORMAL, WiperMode.FAST) or (
                mode == WiperMode.SLOW and time_ns // NANOSECONDS % SLOW_PERIOD == 0)
            if not due:
                return
            self._direction = 1.0
        self._angle += self._direction * SPEEDS[mode] * dt
        if self._angle >= SWEEP:
            self._angle = 2.0 * SWEEP - self._angle
            self._direction = -1.0
        if self._angle <= 0.0:
            self._angle = 0.0
            self._direction = 0.0
