# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a car moved: pose, twist, commands and slip over time, and what follows from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array

_NOTHING = np.empty(0)


class Motion(NamedTuple):
    """Samples of a run; all times [s] count from the same instant.

    t: (n,) strictly ascending, of the odometry. x, y [m], yaw [rad]: of base_link. vx, vy [m/s],
    yaw_rate [rad/s]: in the body frame. command_t: (m,); speed_command [m/s], steering_command
    [rad] at them. state_t: (k,); steering [rad], slip_front, slip_rear [rad]: angle of the front
    wheels and slip angles of the axles, where the run has them.
    """

    t: Array
    x: Array
    y: Array
    yaw: Array
    vx: Array
    vy: Array
    yaw_rate: Array
    command_t: Array = _NOTHING
    speed_command: Array = _NOTHING
    steering_command: Array = _NOTHING
    state_t: Array = _NOTHING
    steering: Array = _NOTHING
    slip_front: Array = _NOTHING
    slip_rear: Array = _NOTHING

    @property
    def speed(self) -> Array:
        """Speed of base_link, negative backwards, (n,) [m/s]."""
        return np.where(self.vx < 0.0, -1.0, 1.0) * np.hypot(self.vx, self.vy)

    @property
    def accelerations(self) -> tuple[Array, Array]:
        """Longitudinal and lateral acceleration of base_link, (n,) [m/s^2].

        In the body frame, from the differences of the twist: d(vx)/dt - vy r, d(vy)/dt + vx r.
        """
        if self.t.size < 2:
            return np.zeros_like(self.t), np.zeros_like(self.t)
        return (np.gradient(self.vx, self.t) - self.vy * self.yaw_rate,
                np.gradient(self.vy, self.t) + self.vx * self.yaw_rate)

    @property
    def distance(self) -> float:
        """Length of the path [m]."""
        return float(np.hypot(np.diff(self.x), np.diff(self.y)).sum())

    @property
    def duration(self) -> float:
        """From the first to the last sample [s]."""
        return float(self.t[-1] - self.t[0])

    def as_dict(self) -> dict[str, float]:
        """Figures of the drive by name, SI units."""
        speed = np.abs(self.speed)
        return {
            'distance': self.distance,
            'mean_speed': self.distance / self.duration if self.duration > 0.0 else 0.0,
            'max_speed': float(speed.max()),
            'max_lateral_acceleration': float(np.abs(self.accelerations[1]).max()),
        }

    def as_rows(self) -> list[tuple[str, str, str]]:
        """(name, value, unit) of the same for people."""
        names = (('distance', 'm'), ('mean speed', 'm/s'), ('maximum speed', 'm/s'),
                 ('maximum lateral acceleration', 'm/s^2'))
        return [(name, f'{value:.4g}', unit)
                for (name, unit), value in zip(names, self.as_dict().values(), strict=True)]

    def without_start(self, skip: float) -> Motion:
        """Samples from `skip` seconds after the first one on; at least the last."""
        start = min(self.t[0] + skip, self.t[-1])
        kept, commanded, known = (
            times >= start for times in (self.t, self.command_t, self.state_t))
        return Motion(
            *(column[kept] for column in (
                self.t, self.x, self.y, self.yaw, self.vx, self.vy, self.yaw_rate)),
            *(column[commanded] for column in (
                self.command_t, self.speed_command, self.steering_command)),
            *(column[known] for column in (
                self.state_t, self.steering, self.slip_front, self.slip_rear)))
