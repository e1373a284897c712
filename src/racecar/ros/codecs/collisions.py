# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Collisions: std_msgs/UInt32, how many there were, and std_msgs/Bool, whether one goes on."""

from __future__ import annotations

from std_msgs.msg import Bool, UInt32

from racecar.base.readings import Collisions
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Channel, Codec, Place
from racecar.ros.node import TableNode
from racecar.simulation.ports import Output


class CollisionsCodec(Codec):
    """Both are latched and sent when they change; each collision is reported in the log, too."""

    value_type = Collisions
    message_type = UInt32
    topic = topics.COLLISIONS
    profile = qos.LATCHED

    def encode(self, node: TableNode, output: Output, place: Place) -> _CollisionsChannel:
        """Create the publishers."""
        return _CollisionsChannel(node, place)


class _CollisionsChannel(Channel):
    """Sends what has changed."""

    # Also the log is to tell.
    is_heard = True

    def __init__(self, node: TableNode, place: Place) -> None:
        self._node = node
        self._robot = f"{place.namespace or 'the car'}"
        super().__init__(node.create_publisher(
            UInt32, place.topic(topics.COLLISIONS), qos.LATCHED))
        self._in_contact = node.create_publisher(
            Bool, place.topic(topics.IN_COLLISION), qos.LATCHED)
        self._sent: tuple[int, bool] | None = None

    def publish(self, sec: int, nanosec: int, value: Collisions) -> None:
        """Send a value; these messages have no stamp."""
        news = value.contacts, value.in_contact
        if news == self._sent:
            return
        count, in_contact = (0, False) if self._sent is None else self._sent
        if value.contacts > count:
            self._node.get_logger().warning(value.sentence(self._robot))
        if self._sent is None or value.contacts != count:
            self.publisher.publish(UInt32(data=value.contacts))
        if self._sent is None or value.in_contact != in_contact:
            self._in_contact.publish(Bool(data=value.in_contact))
        self._sent = news


CODECS = (CollisionsCodec(),)
