# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Velocity of a point in the plane: geometry_msgs/TwistStamped."""

from __future__ import annotations

import struct

from geometry_msgs.msg import TwistStamped

from racecar.base.types import PlanarVelocity
from racecar.ros.wire import AFTER_LENGTH, MessageTemplate, read_header, reads

# The first two of the six numbers of a twist.
_TWIST = struct.Struct('<2d32x')


@reads(TwistStamped)
def read_velocity(data: bytes) -> tuple[PlanarVelocity, int, str]:
    """Velocity, stamp [ns] and frame. Raises MessageError."""
    time_ns, end, offset = read_header(data, 8)
    frame = data[AFTER_LENGTH:end - 1].decode(errors='replace')
    return PlanarVelocity(*_TWIST.unpack_from(data, offset)), time_ns, frame


def velocity_template(frame: str) -> MessageTemplate:
    """Message to be filled with stamp, x and y."""
    message = TwistStamped()
    message.header.frame_id = frame
    return MessageTemplate(message, ('header.stamp', 'twist.linear.x', 'twist.linear.y'))
