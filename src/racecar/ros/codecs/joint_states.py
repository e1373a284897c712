# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint states: sensor_msgs/JointState."""

from __future__ import annotations

from collections.abc import Sequence

from sensor_msgs.msg import JointState

from racecar.core.ports import Output
from racecar.core.types import JointStates
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Codec, MessageChannel, Place
from racecar.ros.node import TableNode
from racecar.ros.wire import MessageTemplate


class JointStatesCodec(Codec):
    """Positions and velocities; the names are those of the first value."""

    value_type = JointStates
    message_type = JointState
    topic = topics.JOINT_STATES
    profile = qos.STATE

    def encode(self, node: TableNode, output: Output, place: Place) -> MessageChannel:
        """Create the publisher."""
        names = output.read().names
        count = len(names)
        message = JointState(
            name=[f'{place.frame_prefix}{name}' for name in names], position=[0.0] * count,
            velocity=[0.0] * count)
        return MessageChannel(
            node.create_publisher(JointState, place.topic(self.topic), self.profile),
            MessageTemplate(message, ('header.stamp', *(
                f'{quantity}.{i}' for quantity in ('position', 'velocity')
                for i in range(count)))), _numbers)


def _numbers(value: JointStates) -> Sequence[float]:
    return value.positions + value.velocities
