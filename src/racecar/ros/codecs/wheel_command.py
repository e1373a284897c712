# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wheel command: racecar_interfaces/WheelCommand."""

from __future__ import annotations

import struct

from racecar.base.frames import BASE_LINK
from racecar.base.types import WheelCommand
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Codec
from racecar.ros.interfaces import WheelCommand as WheelCommandMessage
from racecar.ros.wire import MessageTemplate, read_header, reads

_WHEELS = struct.Struct('<18d')


@reads(WheelCommandMessage)
def read_wheel_command(data: bytes) -> tuple[WheelCommand, int]:
    """Command and stamp [ns]. Raises MessageError."""
    time_ns, _, offset = read_header(data, 8)
    numbers = _WHEELS.unpack_from(data, offset)
    return WheelCommand(
        numbers[0], numbers[1], numbers[2:6], numbers[6:10], numbers[10:14],
        numbers[14:]), time_ns


def wheel_command_template(frame: str = BASE_LINK) -> MessageTemplate:
    """Message to be filled with stamp and the numbers of a WheelCommand in order.

    frame: base_link of the car.
    """
    message = WheelCommandMessage()
    message.header.frame_id = frame
    return MessageTemplate(message, (
        'header.stamp', 'left_front_angle', 'right_front_angle',
        *(f'{name}.{i}' for name in (
            'drive_torque', 'brake_torque', 'brake_damping', 'bearing_damping')
          for i in range(4))))


class WheelCommandCodec(Codec):
    """Angles and torques of the wheels."""

    value_type = WheelCommand
    message_type = WheelCommandMessage
    topic = topics.WHEEL_COMMAND
    profile = qos.COMMAND

    def decode(self, data: bytes) -> tuple[WheelCommand, int]:
        """Command and stamp [ns]. Raises MessageError."""
        return read_wheel_command(data)


CODECS = (WheelCommandCodec(),)
