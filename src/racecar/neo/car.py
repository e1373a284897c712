# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The car as programs of the course see it: fractions of speed and angle, their sensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
import math

import numpy as np
from numpy.typing import NDArray

from racecar.base.poses import unrotated
from racecar.base.readings import CameraImage, DepthImage, Imu, LaserScan
from racecar.base.types import AckermannCommand, NANOSECONDS
from racecar.dynamics.vehicles.parameters import GRAVITY
from racecar.neo.protocol import (
    DEPTH_HEIGHT,
    DEPTH_WIDTH,
    IMAGE_HEIGHT,
    IMAGE_WIDTH,
    LIDAR_SAMPLES,
)
from racecar.sensors.camera import CAMERA
from racecar.sensors.depth_camera import DEPTH_CAMERA
from racecar.stacks import find_stack
from racecar.stacks.options import StackOptions
from racecar.stacks.stepped.stepped_stack import describe_stepped, SteppedStack

FRAME_RATE = 62.5
"""Of the programs, which expect about 60 Hz: 16 ms are whole steps of the simulation [Hz]."""

FULL_SPEED = 4.0
"""Of the car of the course at fraction 1 [m/s]."""

DEFAULT_FRACTION = 0.25
"""Of the full speed, while a program asks for no other one."""

LARGEST_ANGLE = math.radians(20.0)
"""Steering angle at fraction 1 [rad]."""

_VERTICAL_FIELD = math.radians(42.5)
_FIELD_OF_VIEW = 2.0 * math.atan(math.tan(0.5 * _VERTICAL_FIELD) * IMAGE_WIDTH / IMAGE_HEIGHT)
_SPACING = 2.0 * math.pi / LIDAR_SAMPLES

# As the car of the course has them (RealSense D435, YDLIDAR X4), by the names of our sensors. The
# last ray of the lidar is straight ahead.
_SENSORS: Mapping[str, object] = {
    'sensors': ['laser', 'camera', 'depth', 'imu'],
    'laser.rays': LIDAR_SAMPLES, 'laser.angle_min': (1 - LIDAR_SAMPLES) * _SPACING,
    'laser.angle_max': 0.0, 'laser.range_min': 0.12, 'laser.range_max': 10.0,
    'camera.width': IMAGE_WIDTH, 'camera.height': IMAGE_HEIGHT,
    'camera.field_of_view': _FIELD_OF_VIEW, 'depth.width': DEPTH_WIDTH,
    'depth.height': DEPTH_HEIGHT, 'depth.field_of_view': _FIELD_OF_VIEW,
    # Gravity is taken out of the acceleration by the attitude.
    'imu.orientation_noise': 0.0, 'rate': FRAME_RATE}

CONFIGURATIONS = ('teleop_world', 'teleop')
"""What may run: the 3-D world, and the planar simulator."""


def neo_options(name: str, options: StackOptions) -> StackOptions:
    """Options with sensors and frame rate of the course; what the user set goes over them.

    Raises ConfigurationError for a configuration that is unknown.
    """
    simulator = find_stack(name).simulator
    cameras = _cameras(name, simulator, options)
    own = {key: value for key, value in options.overrides.items() if key.strip('/') != simulator}
    chosen = {key: value for node, values in options.overrides.items()
              if node.strip('/') == simulator for key, value in values.items()}
    return replace(options, overrides={**own, simulator: {**_SENSORS, **cameras, **chosen}})


def _cameras(name: str, simulator: str, options: StackOptions) -> dict[str, object]:
    """Places of both cameras: where the car has its camera, but in the middle."""
    description = next(d for d in describe_stepped(name, options) if d.executable == simulator)
    poses = description.spec.simulator.describe(description.resolve()).tree.poses()
    place = poses.get(CAMERA.frame.format(CAMERA.name))
    return {} if place is None else {
        f'{kind.name}.{axis}': getattr(place, axis)
        for kind in (CAMERA, DEPTH_CAMERA) for axis in ('x', 'z')}


class NeoCar:
    """Drives a configuration without ROS, and reads its sensors; stack: that configuration."""

    def __init__(self, stack: SteppedStack) -> None:
        """stack: of neo_options(). Raises ConfigurationError where it lacks a sensor."""
        self.stack = stack
        entity = stack.first.robot.entity
        self._laser, self._camera, self._depth, self._imu = (
            entity.output(kind).read for kind in ('laser', 'camera', 'depth', 'imu'))
        self._fraction = DEFAULT_FRACTION
        self._speed = self._angle = 0.0

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.stack.simulator.time_ns / NANOSECONDS

    def start(self) -> None:
        """Put the car back to its start, for a program that begins."""
        self.stack.reset()
        self._fraction = DEFAULT_FRACTION
        self.drive(0.0, 0.0)

    def drive(self, speed: float, angle: float) -> None:
        """Take speed and angle, from -1 to 1 each; a positive angle is to the right."""
        self._speed, self._angle = speed, angle

    def limit(self, fraction: float) -> None:
        """Take the share of the full speed that speed 1 means, from 0 to 1."""
        self._fraction = fraction

    def command(self) -> None:
        """Command the car as last told."""
        self.stack.first.navigate(AckermannCommand(
            self._speed * self._fraction * FULL_SPEED, -self._angle * LARGEST_ANGLE))

    def pixels(self) -> NDArray[np.uint8]:
        """Picture of the camera (480, 640, 3), red, green, blue. Raises RacecarError."""
        image: CameraImage = self._camera()
        return image.pixels()

    def depths(self) -> tuple[NDArray[np.float32], float]:
        """Depths (60, 80) [m] and focal length [pixels]. Raises RacecarError."""
        image: DepthImage = self._depth()
        return image.depths(), image.focal_length

    def ranges(self) -> NDArray[np.float32]:
        """Ranges (720,) clockwise from straight ahead [m]."""
        scan: LaserScan = self._laser()
        return scan.ranges[::-1]

    def acceleration(self) -> tuple[float, float, float]:
        """Of the car without gravity, to the right, up and ahead [m/s^2]."""
        imu: Imu = self._imu()
        gravity = unrotated((imu.qx, imu.qy, imu.qz, imu.qw), (0.0, 0.0, GRAVITY))
        ahead, left, up = (force - part for force, part in zip(
            (imu.ax, imu.ay, imu.az), gravity, strict=True))
        return -left, up, ahead

    def angular_velocity(self) -> tuple[float, float, float]:
        """About the axes to the right, up and ahead, by the right-hand rule [rad/s]."""
        imu: Imu = self._imu()
        return -imu.wy, imu.wz, imu.wx
