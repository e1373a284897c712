# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint states: sensor_msgs/JointState."""

from __future__ import annotations

import struct

from sensor_msgs.msg import JointState

from racecar.base.errors import MessageError
from racecar.base.types import JointStates
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Codec, MessageChannel, Place
from racecar.ros.node import TableNode
from racecar.ros.wire import aligned, LENGTH, MessageTemplate, read_header, reads
from racecar.simulation.ports import Output

_MOST_JOINTS = 1000


@reads(JointState)
def read_joint_states(data: bytes) -> tuple[JointStates, int]:
    """Names, positions and velocities, if any, and the stamp [ns]. Raises MessageError."""
    time_ns, _, offset = read_header(data, LENGTH.size)
    names = []
    count = LENGTH.unpack_from(data, offset)[0]
    if count > _MOST_JOINTS:
        raise MessageError(f'it has {count} joints, expected at most {_MOST_JOINTS}')
    offset += LENGTH.size
    for _ in range(count):
        offset = aligned(offset, LENGTH.size)
        length = LENGTH.unpack_from(data, offset)[0]
        offset += LENGTH.size
        # The last byte ends the text.
        names.append(data[offset:offset + length - 1].decode(errors='replace'))
        offset += length
    positions, offset = _doubles(data, offset)
    velocities, offset = _doubles(data, offset)
    if len(positions) != count:
        raise MessageError(f'it has {len(positions)} positions for {count} joints')
    return JointStates(tuple(names), positions, velocities), time_ns


def _doubles(data: bytes, offset: int) -> tuple[tuple[float, ...], int]:
    """Numbers of a sequence and the offset behind it."""
    offset = aligned(offset, LENGTH.size)
    count = LENGTH.unpack_from(data, offset)[0]
    offset += LENGTH.size
    if not count:
        return (), offset
    if count > _MOST_JOINTS:
        raise MessageError(f'it has {count} numbers, expected at most {_MOST_JOINTS}')
    offset = aligned(offset, 8)
    return struct.unpack_from(f'<{count}d', data, offset), offset + 8 * count


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
            name=[place.joint(name) for name in names], position=[0.0] * count,
            velocity=[0.0] * count)
        return MessageChannel(
            node.create_publisher(JointState, place.topic(self.topic), self.profile),
            MessageTemplate(message, ('header.stamp', *(
                f'{quantity}.{i}' for quantity in ('position', 'velocity')
                for i in range(count)))), lambda value: value.positions + value.velocities)


CODECS = (JointStatesCodec(),)
