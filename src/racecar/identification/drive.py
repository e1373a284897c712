# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a log holds: channels as they were recorded, and a drive on one grid of time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Quantity(NamedTuple):
    """One quantity that a log can hold: SI unit, whether it must be there, meaning."""

    unit: str
    required: bool
    meaning: str


QUANTITIES: dict[str, Quantity] = {
    't': Quantity('s', True, 'time'),
    'steering_command': Quantity('rad', True, 'commanded steering angle, positive to the left'),
    'wheel_speed': Quantity('m/s', True, 'speed of the wheels, as odometry has it'),
    'x': Quantity('m', True, 'position of the rear axle'),
    'y': Quantity('m', True, 'position of the rear axle'),
    'yaw': Quantity('rad', True, 'heading, counter-clockwise'),
    'speed_command': Quantity('m/s', False, 'commanded speed'),
    'vx': Quantity('m/s', False, 'velocity of the rear axle, forward'),
    'vy': Quantity('m/s', False, 'velocity of the rear axle, to the left'),
    'yaw_rate': Quantity('rad/s', False, 'gyroscope, counter-clockwise'),
    'ax': Quantity('m/s^2', False, 'accelerometer, forward'),
    'ay': Quantity('m/s^2', False, 'accelerometer, to the left'),
    'valid': Quantity('-', False, '0 where the row is not to be used'),
}
"""What is read from a log; anything else in it is left alone."""


class Channel(NamedTuple):
    """Samples of one quantity: times [s], values in the SI unit of QUANTITIES."""

    t: Array
    values: Array


@dataclass(frozen=True)
class RawLog:
    """A log as recorded: name, channels by quantity, where it is from (for reports)."""

    name: str
    channels: Mapping[str, Channel]
    source: str

    def has(self, *names: str) -> bool:
        """Whether all these quantities are there."""
        return all(name in self.channels for name in names)


class StateNoise(NamedTuple):
    """Standard deviations: of x and y [m], vx and vy [m/s], yaw [rad], yaw rate [rad/s]."""

    position: float
    velocity: float
    heading: float
    yaw_rate: float


@dataclass(frozen=True)
class Drive:
    """A checked and smoothed drive: arrays of n samples, `period` [s] apart.

    x, y, yaw, vx, vy, yaw_rate of the rear axle [SI], with the help of the accelerometer where it
    is of help; path_x, path_y [m]: the position by localisation alone; steering: commanded [rad];
    steering_switches: the same at the times of the log, from the first sample on, where it
    changes. speed_command, ax, ay: NaN where the log has none. wheel_speed [m/s]; wheel_smooth:
    the same with less noise, wheel_way: integral of that [m]. valid: where windows may lie. notes:
    what was found and corrected, one sentence each. noise: what that of the log leaves in it.
    """

    name: str
    source: str
    period: float
    steering: Array
    steering_switches: Channel
    speed_command: Array
    wheel_speed: Array
    wheel_smooth: Array
    wheel_way: Array
    x: Array
    y: Array
    yaw: Array
    vx: Array
    vy: Array
    yaw_rate: Array
    path_x: Array
    path_y: Array
    ax: Array
    ay: Array
    valid: Flags
    noise: StateNoise
    notes: tuple[str, ...] = field(default=())

    @property
    def t(self) -> Array:
        """Times of the samples [s], from 0."""
        return np.arange(self.x.size, dtype=np.float64) * self.period

    @property
    def duration(self) -> float:
        """From the first to the last sample [s]."""
        return (self.x.size - 1) * self.period
