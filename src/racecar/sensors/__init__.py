# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sensors, one per file; a new one adds its row to SENSOR_KINDS."""

from __future__ import annotations

from racecar.sensors.camera import CAMERA
from racecar.sensors.depth_camera import DEPTH_CAMERA
from racecar.sensors.imu import IMU
from racecar.sensors.interface import Sensor, SensorKind, View
from racecar.sensors.laser import LASER

__all__ = ['SENSOR_KINDS', 'Sensor', 'SensorKind', 'View']

_ALL: tuple[SensorKind, ...] = (LASER, CAMERA, DEPTH_CAMERA, IMU)

SENSOR_KINDS: dict[str, SensorKind] = {kind.name: kind for kind in _ALL}
