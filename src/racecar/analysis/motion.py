# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a car moved: pose, twist, commands and slip over time, and what follows from them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array
from racecar.base.errors import ParameterError
from racecar.base.values import Values
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.metrics.effort import CONTROL_EFFORT, control_effort, EFFORT_UNIT
from racecar.metrics.quantities import Quantity

_NOTHING = np.empty(0)


class Motion(NamedTuple):
    """Samples of a run; all times [s] count from the same instant.

    t: (n,) strictly ascending, of the odometry. x, y [m], yaw [rad]: of base_link. vx, vy [m/s],
    yaw_rate [rad/s]: in the body frame. command_t: (m,); speed_command [m/s], steering_command
    [rad] at them. state_t: (k,); steering [rad], slip_front, slip_rear [rad]: angle of the front
    wheels and slip angles of the axles, where the run has them. steering_range: of the front
    wheels [rad], as far as it is known.
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
    steering_range: tuple[float, float] = (-math.inf, math.inf)

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

    @property
    def steering_applied(self) -> Array:
        """Steering command within the range of the car, (m,) [rad]."""
        return np.clip(self.steering_command, *self.steering_range)

    def quantities(self) -> dict[str, Quantity]:
        """Figures of the drive by the names that JSON has, those of the commands among them.

        Control effort is that of the angles within the range of the car; the steering rate is the
        difference of two commands by the time between them.
        """
        speed, lateral = np.abs(self.speed), self.accelerations[1]
        found = {
            'distance': Quantity('distance', self.distance, 'm'),
            'mean_speed': Quantity(
                'mean speed', self.distance / self.duration if self.duration > 0.0 else 0.0,
                'm/s'),
            'max_speed': Quantity('maximum speed', float(speed.max()), 'm/s'),
            'max_lateral_acceleration': Quantity(
                'maximum lateral acceleration', float(np.abs(lateral).max()), 'm/s^2'),
            'lateral_acceleration_rms': Quantity(
                'lateral acceleration RMS', _rms(lateral), 'm/s^2')}
        if self.command_t.size > 1:
            steering, steps = self.steering_applied, np.diff(self.command_t)
            # Two commands of one stamp have no rate.
            rates = np.diff(steering)[steps > 0.0] / steps[steps > 0.0]
            found |= {
                CONTROL_EFFORT: Quantity(
                    'control effort', control_effort(self.command_t, steering), EFFORT_UNIT),
                'steering_rate_rms': Quantity('steering rate RMS', _rms(rates), 'rad/s')}
        return found

    def as_dict(self) -> dict[str, float | None]:
        """Figures of the drive by name, SI units."""
        return {key: quantity.value for key, quantity in self.quantities().items()}

    def as_rows(self) -> list[tuple[str, str, str]]:
        """(name, value, unit) of the same for people."""
        return [quantity.row() for quantity in self.quantities().values()]

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
                self.state_t, self.steering, self.slip_front, self.slip_rear)),
        )._replace(steering_range=self.steering_range)


def is_constant(speed: Array) -> bool:
    """Whether a speed (n,) varies by at most 1 % of itself, but for 1 % of the time each way."""
    low, high = np.quantile(speed, [0.01, 0.99])
    return bool(high - low <= 0.01 * max(abs(low), abs(high)))


def steering_range_of(values: Values | None) -> tuple[float, float]:
    """Lowest and highest angle of the front wheels [rad] by the parameters of a node.

    Infinite where they tell of no car.
    """
    if values is None or 'vehicle.steering_limit' not in values:
        return -math.inf, math.inf
    try:
        return VehicleParameters.from_values(values).steering_range
    # Whatever a file of somebody else may hold.
    except (KeyError, TypeError, ValueError, ParameterError):
        return -math.inf, math.inf


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2))) if values.size else 0.0
