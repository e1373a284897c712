# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joysticks: sensor_msgs/Joy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sensor_msgs.msg import Joy

from racecar.ros.wire import deserialize


class JoystickReading(NamedTuple):
    """Axes from -1 to 1, 1 is left or up, and buttons, 1 is pressed."""

    axes: Sequence[float]
    buttons: Sequence[int]


def read_joy(data: bytes) -> JoystickReading:
    """Axes and buttons. Raises MessageError."""
    message: Joy = deserialize(data, Joy)
    return JoystickReading(tuple(message.axes), tuple(message.buttons))
