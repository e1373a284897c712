# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wanted speeds of two wheels: the velocities of a sensor_msgs/JointState."""

from __future__ import annotations

from sensor_msgs.msg import JointState

from racecar.base.errors import MessageError
from racecar.base.types import TWO_WHEEL_JOINTS, WheelSpeeds
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Codec
from racecar.ros.wire import check_stamp, deserialize


def read_wheel_speeds(data: bytes) -> tuple[WheelSpeeds, int]:
    """Speeds and stamp [ns]; the joints may come in any order. Raises MessageError."""
    message = deserialize(data, JointState)
    stamp = message.header.stamp
    names = list(message.name)
    if sorted(names) != sorted(TWO_WHEEL_JOINTS) or len(message.velocity) != len(names):
        shown = ', '.join(names[:4])[:80]
        raise MessageError(
            f"it has {len(message.velocity)} velocities for the joints '{shown}', expected one"
            f" for each of {', '.join(TWO_WHEEL_JOINTS)}")
    velocities = dict(zip(names, message.velocity, strict=True))
    return (WheelSpeeds(*(velocities[name] for name in TWO_WHEEL_JOINTS)),
            check_stamp(stamp.sec, stamp.nanosec))


class WheelSpeedsCodec(Codec):
    """Speeds of both wheels."""

    value_type = WheelSpeeds
    message_type = JointState
    topic = topics.WHEEL_SPEEDS
    profile = qos.COMMAND

    def decode(self, data: bytes) -> tuple[WheelSpeeds, int]:
        """Speeds and stamp [ns]. Raises MessageError."""
        return read_wheel_speeds(data)


CODECS = (WheelSpeedsCodec(),)
