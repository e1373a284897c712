# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Time: rosgraph_msgs/Clock."""

from __future__ import annotations

import struct

from rosgraph_msgs.msg import Clock

from racecar.ros.wire import check_stamp, MessageTemplate, ORIGIN, reads

_STAMP = struct.Struct('<iI')


@reads(Clock)
def read_clock(data: bytes) -> int:
    """Time [ns]. Raises MessageError."""
    return check_stamp(*_STAMP.unpack_from(data, ORIGIN))


def clock_template() -> MessageTemplate:
    """Message to be filled with sec and nanosec."""
    return MessageTemplate(Clock(), ('clock',))
