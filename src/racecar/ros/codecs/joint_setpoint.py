# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Set-point of a joint: std_msgs/Float64, each joint has a topic of its own, as in ros_control."""

from __future__ import annotations

import struct

from std_msgs.msg import Float64

from racecar.base.types import JointSetpoint
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Codec
from racecar.ros.wire import MessageTemplate, ORIGIN, reads
from racecar.simulation.ports import Input, Output

_NUMBER = struct.Struct('<d')


@reads(Float64)
def read_setpoint(data: bytes) -> tuple[JointSetpoint, int]:
    """Set-point, and 0 as the stamp, for it has none. Raises MessageError."""
    return JointSetpoint(*_NUMBER.unpack_from(data, ORIGIN)), 0


def setpoint_template() -> MessageTemplate:
    """Message to be filled with the set-point."""
    return MessageTemplate(Float64(), ('data',))


class JointSetpointCodec(Codec):
    """Rotation [rad/s] or angle [rad] for the controller of a joint."""

    value_type = JointSetpoint
    message_type = Float64
    topic = topics.JOINT_COMMANDS
    profile = qos.COMMAND

    def topic_of(self, port: Input | Output) -> str:
        """Topic of the controller that the port is named like."""
        return topics.joint_command(port.name)

    def decode(self, data: bytes) -> tuple[JointSetpoint, int]:
        """Set-point and stamp, 0. Raises MessageError."""
        return read_setpoint(data)


CODECS = (JointSetpointCodec(),)
