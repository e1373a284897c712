# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ackermann command: ackermann_msgs/AckermannDriveStamped."""

from __future__ import annotations

import struct

from ackermann_msgs.msg import AckermannDriveStamped

from racecar.base.frames import BASE_LINK
from racecar.base.types import AckermannCommand
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Codec
from racecar.ros.message_rows import MessageRows
from racecar.ros.wire import MessageTemplate, read_header, reads

# Steering angle and speed among five numbers.
_DRIVE = struct.Struct('<f4xf8x')


@reads(AckermannDriveStamped)
def read_command(data: bytes) -> tuple[AckermannCommand, int]:
    """Command and stamp [ns]. Raises MessageError."""
    time_ns, _, offset = read_header(data, 4)
    steering_angle, speed = _DRIVE.unpack_from(data, offset)
    return AckermannCommand(speed, steering_angle), time_ns


def command_rows() -> MessageRows:
    """What makes rows of many messages: stamp [ns], speed and steering angle."""
    def read_one(data: bytes) -> tuple[float, ...]:
        command, stamp_ns = read_command(data)
        return stamp_ns, *command

    return MessageRows(AckermannDriveStamped, ('drive.speed', 'drive.steering_angle'), read_one)


def command_template(frame: str = BASE_LINK) -> MessageTemplate:
    """Message to be filled with stamp, steering angle and speed; frame: base_link of the car."""
    message = AckermannDriveStamped()
    message.header.frame_id = frame
    return MessageTemplate(message, ('header.stamp', 'drive.steering_angle', 'drive.speed'))


class AckermannCommandCodec(Codec):
    """Speed and steering angle, as the last mux gives them out."""

    value_type = AckermannCommand
    message_type = AckermannDriveStamped
    topic = topics.COMMAND
    profile = qos.COMMAND

    def decode(self, data: bytes) -> tuple[AckermannCommand, int]:
        """Command and stamp [ns]. Raises MessageError."""
        return read_command(data)


CODECS = (AckermannCommandCodec(),)
