# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wheel states: a std_msgs/Float64 for each quantity of each wheel, as in the original."""

from __future__ import annotations

from std_msgs.msg import Float64

from racecar.base.types import WHEEL_NAMES, WheelStates
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Channel, Codec, Place
from racecar.ros.node import TableNode
from racecar.ros.wire import MessageTemplate
from racecar.simulation.ports import Output


class WheelStatesCodec(Codec):
    """Slip [-], slip angle [rad] and forces [N]: topics.WHEELS, each followed by the wheel."""

    value_type = WheelStates
    message_type = Float64
    topic = topics.WHEEL_SLIP
    profile = qos.STATE

    def encode(self, node: TableNode, output: Output, place: Place) -> _WheelChannel:
        """Create the sixteen publishers."""
        return _WheelChannel(node, place)


class _WheelChannel(Channel):
    """Sends each quantity of each wheel to those who listen to it."""

    def __init__(self, node: TableNode, place: Place) -> None:
        self._number = MessageTemplate(Float64(), ('data',))
        self._rows = [
            (node.create_publisher(Float64, place.topic(f'{topic}/{name}'), qos.STATE), wheel,
             quantity)
            for quantity, topic in enumerate(topics.WHEELS)
            for wheel, name in enumerate(WHEEL_NAMES)]
        super().__init__(*(publisher for publisher, *_ in self._rows))

    def publish(self, sec: int, nanosec: int, value: WheelStates) -> None:
        """Send what is listened to; these messages have no stamp."""
        for index in self._listeners.heard():
            publisher, wheel, quantity = self._rows[index]
            publisher.publish(self._number.fill(value[wheel][quantity]))


CODECS = (WheelStatesCodec(),)
