# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""DifferentialWheels as of 2002 (seed 004): whole numbers, and a unit of 0.1 rad/s."""

from __future__ import annotations

from dataclasses import replace
import math
from typing import Any

from racecar.base.errors import ParameterError
from racecar.differential.differential_wheels import DifferentialWheels, robot_of, RobotLike

SPEED_UNIT = 0.1
"""Unit of speed in those days [rad/s]."""

_GINT16 = 2**15
_GINT32 = 2**31


class DifferentialWheels2002:
    """The functions of seed 004, without their prefix differential_wheels_, and robot_step().

    Speeds are whole numbers of speed units. An encoder counts the speed times the time in seconds,
    that is 1 for each speed unit and second: 400 for 64 ms gives 25.6. It keeps the real number
    and cuts it to a whole one, towards 0, when it is read.

    robot: the one of the later interface that does it.
    """

    def __init__(self, robot: RobotLike = None, **options: Any) -> None:
        """Take what DifferentialWheels takes; a robot without a file has a unit of 0.1 rad/s.

        The encoders count once for each speed unit and second.
        """
        made = robot_of(robot)
        if robot is None:
            made = replace(made, speed_unit=SPEED_UNIT)
        self.robot = DifferentialWheels(replace(
            made, encoder_resolution=1.0 / made.speed_unit,
            encoder_noise=max(made.encoder_noise, 0.0)), **options)

    def step(self, ms: int) -> int:
        """Advance by some ms; returns 0, or -1 at the end."""
        return self.robot.step(ms)

    def set_speed(self, left: int, right: int) -> None:
        """Turn the wheels at speeds in speed units, gint16, from the next step on."""
        self.robot.setSpeed(_whole('left', left, _GINT16), _whole('right', right, _GINT16))

    def enable_encoders(self, ms: int) -> None:
        """Let both encoders be read every so many ms, guint16."""
        self.robot.enableEncoders(ms)

    def disable_encoders(self) -> None:
        """Let the encoders be read no more."""
        self.robot.disableEncoders()

    def get_left_encoder(self) -> int:
        """Return the count of the left encoder, cut to a whole number."""
        return math.trunc(self.robot.getLeftEncoder())

    def get_right_encoder(self) -> int:
        """Return the count of the right encoder, cut to a whole number."""
        return math.trunc(self.robot.getRightEncoder())

    def set_encoders(self, left: int, right: int) -> None:
        """Let the encoders count on from these numbers, gint32; no wheel turns for that."""
        self.robot.setEncoders(_whole('left', left, _GINT32), _whole('right', right, _GINT32))


def _whole(name: str, value: int, limit: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -limit <= value < limit:
        raise ParameterError(
            f'{name} is {value!r}, expected a whole number from {-limit} to {limit - 1}')
    return value
