# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wheel command: racecar_interfaces/WheelCommand."""

from __future__ import annotations

from racecar.core.types import WheelCommand
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Codec
from racecar.ros.interfaces import WheelCommand as WheelCommandMessage
from racecar.ros.wire import read_wheel_command


class WheelCommandCodec(Codec):
    """Angles and torques of the wheels."""

    value_type = WheelCommand
    message_type = WheelCommandMessage
    topic = topics.WHEEL_COMMAND
    profile = qos.COMMAND

    def decode(self, data: bytes) -> tuple[WheelCommand, int]:
        """Return command and stamp [ns]. Raises MessageError."""
        return read_wheel_command(data)
