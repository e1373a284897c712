# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Columns of the state of a robot, as frames and plots have them."""

from __future__ import annotations

POSE = ('x', 'y', 'z', 'qx', 'qy', 'qz', 'qw')
MOTION = ('speed', 'yaw_rate')
COMMAND = ('command_speed', 'command_steering')
STEERING = 'steering'
REFERENCE = ('reference_x', 'reference_y', 'reference_speed')
ERRORS = ('error', 'longitudinal_error', 'lateral_error')
DRIVER = ('gear', 'rpm', 'throttle', 'brake')

_JOINT = 'joint:'

_UNITS = {
    'x': 'm', 'y': 'm', 'z': 'm', 'speed': 'm/s', 'yaw_rate': 'rad/s', 'command_speed': 'm/s',
    'command_steering': 'rad', STEERING: 'rad', 'reference_x': 'm', 'reference_y': 'm',
    'reference_speed': 'm/s', 'error': 'm', 'longitudinal_error': 'm', 'lateral_error': 'm',
    'rpm': '1/min'}


def joint_column(name: str) -> str:
    """Column of the position of a joint."""
    return f'{_JOINT}{name}'


def columns(joints: tuple[str, ...], *, driver: bool) -> tuple[str, ...]:
    """All columns; joints: names of those that move; driver: whether a driver drives."""
    return (*POSE, *MOTION, *COMMAND, STEERING, *REFERENCE, *ERRORS,
            *map(joint_column, joints), *(DRIVER if driver else ()))


def units(names: tuple[str, ...]) -> dict[str, str]:
    """SI units of columns; of joints those of angles. Shares have none."""
    return {name: 'rad' if name.startswith(_JOINT) else _UNITS[name]
            for name in names if name.startswith(_JOINT) or name in _UNITS}
