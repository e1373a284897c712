# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""An inertial measurement unit: attitude, rotation, and specific force as accelerometers feel it.

At rest it shows the acceleration of gravity upwards. It is as exact as the acceleration that the
plant gives; a change of velocity within no time, such as a collision, is in none of its readings.
"""

from __future__ import annotations

import math

import numpy as np

from racecar.base.parameters import Parameter
from racecar.base.poses import pose_of_child, unrotated
from racecar.base.readings import Imu
from racecar.base.types import Pose3
from racecar.base.values import integer_of, number_of, Values
from racecar.dynamics.vehicles.parameters import GRAVITY
from racecar.sensors.interface import SensorKind, View

# A variance of 0 would mean that nobody knows it.
_LEAST_VARIANCE = 1e-12


def _deviation(name: str, default: float, what: str, unit: str) -> Parameter:
    return Parameter(
        name, float, default, f'Standard deviation of {what}', unit, minimum=0.0, maximum=1e3,
        read_only=True)


PARAMETERS = (
    _deviation('orientation_noise', 0.005, 'the noise of the attitude about each axis', 'rad'),
    _deviation('rotation_noise', 0.002, 'the noise of the angular velocity', 'rad/s'),
    _deviation('acceleration_noise', 0.02, 'the noise of the acceleration', 'm/s^2'),
    _deviation('rotation_bias', 0.0, 'an offset of the angular velocity that stays, by seed',
               'rad/s'),
    _deviation('acceleration_bias', 0.0, 'an offset of the acceleration that stays, by seed',
               'm/s^2'),
)


class ImuSensor:
    """The unit with its settings."""

    def __init__(self, values: Values) -> None:
        """values: rows of PARAMETERS and the seed."""
        self._orientation, rotation, acceleration, rotation_bias, acceleration_bias = (
            number_of(values, name) for name in (
                'orientation_noise', 'rotation_noise', 'acceleration_noise', 'rotation_bias',
                'acceleration_bias'))
        self._deviations = np.repeat([rotation, acceleration], 3)
        biases = np.repeat([rotation_bias, acceleration_bias], 3)
        generator = np.random.default_rng(integer_of(values, 'seed'))
        self._offsets = biases * generator.standard_normal(6)
        self._variances = (
            max(self._orientation**2, _LEAST_VARIANCE),
            max(rotation**2 + rotation_bias**2, _LEAST_VARIANCE),
            max(acceleration**2 + acceleration_bias**2, _LEAST_VARIANCE))

    def measure(self, view: View, generator: np.random.Generator) -> Imu:
        """Return the reading."""
        pose, rotation = view.pose, view.twist()[3:]
        ax, ay, az = view.acceleration()[:3]
        gx, gy, gz = unrotated(pose[3:], (0.0, 0.0, GRAVITY))
        turn = self._orientation * generator.standard_normal(3)
        angle = float(np.linalg.norm(turn))
        # About an axis of the sensor; of angle zero it does not matter which.
        x, y, z = turn * (math.sin(0.5 * angle) / angle if angle > 0.0 else 0.0)
        attitude = pose_of_child(pose, Pose3(
            0.0, 0.0, 0.0, float(x), float(y), float(z), math.cos(0.5 * angle)))[3:]
        rates = (np.array((*rotation, ax + gx, ay + gy, az + gz)) + self._offsets
                 + self._deviations * generator.standard_normal(6))
        return Imu._make((*attitude, *rates.tolist(), *self._variances))


IMU = SensorKind('imu', Imu, PARAMETERS, ImuSensor, rate=100.0, frame='base_{}_link')
