# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Velocity of a robot in its own frame: geometry_msgs/TwistStamped, or Twist without a stamp."""

from __future__ import annotations

import struct

from geometry_msgs.msg import Twist, TwistStamped

from racecar.base.frames import BASE_LINK
from racecar.base.types import BodyTwist
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Codec
from racecar.ros.wire import MessageTemplate, ORIGIN, read_header, reads

# The first and the last of the six numbers of a twist.
_TWIST = struct.Struct('<d32xd')


@reads(TwistStamped)
def read_stamped_twist(data: bytes) -> tuple[BodyTwist, int]:
    """Twist and its stamp [ns]. Raises MessageError."""
    time_ns, _, offset = read_header(data, 8)
    return BodyTwist(*_TWIST.unpack_from(data, offset)), time_ns


@reads(Twist)
def read_twist(data: bytes) -> tuple[BodyTwist, int]:
    """Twist, and 0 as the stamp, for it has none. Raises MessageError."""
    return BodyTwist(*_TWIST.unpack_from(data, ORIGIN)), 0


def twist_template(frame: str = BASE_LINK) -> MessageTemplate:
    """Message to be filled with stamp, speed and yaw rate; frame: base_link of the car."""
    message = TwistStamped()
    message.header.frame_id = frame
    return MessageTemplate(message, ('header.stamp', 'twist.linear.x', 'twist.angular.z'))


class BodyTwistCodec(Codec):
    """Speed and yaw rate with a stamp, as Nav2 sends them."""

    value_type = BodyTwist
    message_type = TwistStamped
    topic = topics.TWIST_COMMAND
    profile = qos.COMMAND

    def decode(self, data: bytes) -> tuple[BodyTwist, int]:
        """Twist and stamp [ns]. Raises MessageError."""
        return read_stamped_twist(data)


class PlainTwistCodec(Codec):
    """Speed and yaw rate without a stamp, in the place of BodyTwistCodec."""

    value_type = BodyTwist
    message_type = Twist
    topic = topics.TWIST_COMMAND
    profile = qos.COMMAND

    def decode(self, data: bytes) -> tuple[BodyTwist, int]:
        """Twist and stamp, 0. Raises MessageError."""
        return read_twist(data)


CODECS = (BodyTwistCodec(),)
