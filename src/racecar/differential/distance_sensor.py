# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Distance sensor of a differential-drive robot, as its controllers read it.

Seed 002 says of sensors that their rays form a cone and that they are sensitive to colours. The
methods, the table of values and the factor of reflection are those of Webots' DistanceSensor.
"""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import NamedTuple

import numpy as np

from racecar.base.errors import ParameterError
from racecar.base.poses import pose_of_child
from racecar.base.types import Pose3, Twist3
from racecar.scene.scene import EMPTY_SCENE, Objects, Scene
from racecar.sensors.beams import Beams

MAX_VALUE = 1023.0
"""Value of what touches the sensor; 0 is that of its range."""

# Width of the cone [rad], its rays, and the standard deviation of a value over it at the range.
_APERTURE, _RAYS, _NOISE = 0.4, 5, 0.01
_NO_TWIST = Twist3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

GENERIC, INFRA_RED = 'generic', 'infra-red'
SENSOR_TYPES = GENERIC, INFRA_RED
"""Kinds of distance sensors: those that measure distance alone, as sonars, and those that measure
the light that comes back, which is less from a surface with less red in it."""

# Share of the light that comes back from a surface without red, and from red in addition.
_REFLECTED, _REFLECTED_BY_RED = 0.2, 0.8


class Surroundings(NamedTuple):
    """What a robot has around it; pose: gives that of the robot; objects: what else there is."""

    scene: Scene
    pose: Callable[[], Pose3]
    objects: Callable[[], Objects]


class DistanceSensor:
    """One sensor; its value falls from 1023 at no distance to 0 at its range."""

    def __init__(
        self, place: Pose3, reach: float, around: Surroundings, generator: np.random.Generator,
        check_period: Callable[[int], int], sensor_type: str = GENERIC,
    ) -> None:
        """place: on the robot; reach: [m]; sensor_type: one of SENSOR_TYPES.

        check_period: returns a sampling period [ms] or raises ParameterError.
        """
        scene, self._pose, self._objects = around
        self._place = place
        self._reach = reach
        self._beams = Beams.spread(-0.5 * _APERTURE, 0.5 * _APERTURE, _RAYS, reach, 0.0)
        self._scene = scene
        self._parts = scene.by_colour() if sensor_type == INFRA_RED else {}
        self._generator = generator
        self._check_period = check_period
        self._period = 0
        self._value = math.nan

    def enable(self, samplingPeriod: int) -> None:
        """Measure every so many ms, first after the next of them."""
        self._period = self._check_period(samplingPeriod)
        if self._period == 0:
            raise ParameterError('sampling period is 0 ms, expected at least 1; disable() ends it')

    def disable(self) -> None:
        """Measure no more; the value stays."""
        self._period = 0

    def getSamplingPeriod(self) -> int:
        """Return the time between two values [ms], 0 while it is disabled."""
        return self._period

    def getMaxValue(self) -> float:
        """Return the value of what touches the sensor."""
        return MAX_VALUE

    def getMinValue(self) -> float:
        """Return the value where nothing is within the range."""
        return 0.0

    def getValue(self) -> float:
        """Return the newest value, 0 to 1023; NaN before the first."""
        return self._value

    def sample(self, time_ms: int) -> None:
        """Measure if a value is due at a time [ms]; the robot calls this after each step."""
        if self._period and time_ms % self._period == 0:
            self._value = self._measure()

    def distance(self) -> float:
        """Return how far it is to the nearest thing in the cone [m], infinity for none."""
        return self._nearest(self._scene, self._objects())

    def _nearest(self, scene: Scene, objects: Objects) -> float:
        ways = self._beams.distances(
            scene, objects, pose_of_child(self._pose(), self._place), lambda: _NO_TWIST)
        return float(np.min(ways[:self._beams.count]))

    def _apparent_distance(self) -> float:
        """Distance at which what is seen would give the same value if it were white [m]."""
        if not self._parts:
            return self.distance()
        objects = self._objects()
        found = {
            colour: self._nearest(part, Objects(
                [cone for cone in objects.cones if cone.colour == colour],
                [box for box in objects.boxes if box.colour == colour],
                [post for post in objects.cylinders if post.colour == colour]))
            for colour, part in (
                dict.fromkeys((*(cone.colour for cone in objects.cones),
                               *(box.colour for box in objects.boxes),
                               *(post.colour for post in objects.cylinders)),
                              EMPTY_SCENE) | self._parts).items()}
        # min() takes the first of equal ones: the ground, which each part has.
        colour = min((self._scene.ground.colour, *found), key=found.__getitem__)
        return found[colour] / (_REFLECTED + _REFLECTED_BY_RED * colour[0])

    def _measure(self) -> float:
        way = self._apparent_distance()
        if not way < self._reach:
            return 0.0
        share = way / self._reach
        value = MAX_VALUE * (1.0 - share)
        value *= 1.0 + _NOISE * share * float(self._generator.standard_normal())
        return min(max(value, 0.0), MAX_VALUE)
