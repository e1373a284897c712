# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ackermann command: ackermann_msgs/AckermannDriveStamped."""

from __future__ import annotations

from ackermann_msgs.msg import AckermannDriveStamped

from racecar.core.types import AckermannCommand
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Codec
from racecar.ros.wire import read_command


class AckermannCommandCodec(Codec):
    """Speed and steering angle, as the last mux gives them out."""

    value_type = AckermannCommand
    message_type = AckermannDriveStamped
    topic = topics.COMMAND
    profile = qos.COMMAND

    def decode(self, data: bytes) -> tuple[AckermannCommand, int]:
        """Return command and stamp [ns]. Raises MessageError."""
        return read_command(data)
