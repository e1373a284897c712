# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Counts of the encoders of two wheels: a std_msgs/Float64 each."""

from __future__ import annotations

from std_msgs.msg import Float64

from racecar.base.readings import Encoders
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Channel, Codec, Place
from racecar.ros.node import TableNode
from racecar.ros.wire import MessageTemplate
from racecar.simulation.ports import Output


class EncodersCodec(Codec):
    """Counts, on topics.ENCODERS."""

    value_type = Encoders
    message_type = Float64
    topic = topics.ENCODERS[0]
    profile = qos.STATE

    def encode(self, node: TableNode, output: Output, place: Place) -> _EncodersChannel:
        """Create both publishers."""
        return _EncodersChannel(node, place)


class _EncodersChannel(Channel):
    """Sends the count of each wheel; NaN of encoders that are switched off is not sent."""

    def __init__(self, node: TableNode, place: Place) -> None:
        self._number = MessageTemplate(Float64(), ('data',))
        self._publishers = [
            node.create_publisher(Float64, place.topic(topic), qos.STATE)
            for topic in topics.ENCODERS]
        super().__init__(*self._publishers)

    def publish(self, sec: int, nanosec: int, value: Encoders) -> None:
        """Send what is listened to; these messages have no stamp."""
        for index in self._listeners.heard():
            count = value[index]
            if count == count:
                self._publishers[index].publish(self._number.fill(count))


CODECS = (EncodersCodec(),)
