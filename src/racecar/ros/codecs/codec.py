# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a codec is: it turns a value of core into messages of one topic or several, and back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

from rclpy.qos import QoSProfile

from racecar.base.frames import MAP, ODOM
from racecar.ros import topics
from racecar.ros.listeners import Listeners
from racecar.ros.node import TableNode
from racecar.ros.observed_publisher import ObservedPublisher
from racecar.ros.wire import MessageTemplate
from racecar.simulation.ports import Input, Output


class Place(NamedTuple):
    """Where a robot's topics and frames are: its namespace and the prefix of its frames.

    odometry_frame: in which its pose is, without the prefix; the map has none.
    """

    namespace: str = ''
    frame_prefix: str = ''
    odometry_frame: str = ODOM

    def topic(self, name: str) -> str:
        """Relative topic name."""
        return f'{self.namespace}/{name}' if self.namespace else name

    def frame(self, name: str) -> str:
        """Name of a frame of the robot."""
        return f'{self.frame_prefix}{name}' if name else ''

    @property
    def odometry(self) -> str:
        """Full name of the frame in which the pose of the robot is."""
        return MAP if self.odometry_frame == MAP else self.frame(self.odometry_frame)

    def joint(self, name: str) -> str:
        """Name of a joint of the robot."""
        return self.topic(name)


class Channel(ABC):
    """An output that is bound to its topics.

    publisher: the one whose subscriptions a simulator in lockstep waits for.
    """

    def __init__(self, publisher: ObservedPublisher, *others: ObservedPublisher) -> None:
        self.publisher = publisher
        self._listeners = Listeners(publisher, *others)

    @property
    def is_heard(self) -> bool:
        """Whether anybody listens to any of them, so that the value is worth computing."""
        return bool(self._listeners.heard())

    @abstractmethod
    def publish(self, sec: int, nanosec: int, value: Any) -> None:
        """Send a value with a stamp, which some messages do not have."""


class MessageChannel(Channel):
    """Publishes each value as one message with the numbers filled in."""

    def __init__(
        self, publisher: ObservedPublisher, template: MessageTemplate,
        numbers: Callable[[Any], Sequence[float]],
    ) -> None:
        """numbers: of a value, in the order of the template's fields after the stamp."""
        super().__init__(publisher)
        self._template = template
        self._numbers = numbers

    def publish(self, sec: int, nanosec: int, value: Any) -> None:
        """Send a value with a stamp."""
        self.publisher.publish(self._template.fill(sec, nanosec, *self._numbers(value)))


class Codec:
    """Between one value type of core and its message; the base of all codecs.

    value_type: of the value. message_type: of the message. topic: its relative name. profile: of
    publishers and subscriptions. A codec has encode(), decode(), or both.
    """

    value_type: ClassVar[type]
    message_type: ClassVar[type]
    topic: ClassVar[str]
    profile: ClassVar[QoSProfile]

    def topic_of(self, port: Input | Output) -> str:
        """Relative name of the topic of a port, the first of several; here that of the codec."""
        return self.topic

    def encode(self, node: TableNode, output: Output, place: Place) -> Channel:
        """Create the publishers of an output on a node."""
        raise NotImplementedError(f'{type(self).__name__} does not encode')

    def decode(self, data: bytes) -> tuple[object, int]:
        """Value and stamp [ns] of a serialised message. Raises MessageError."""
        raise NotImplementedError(f'{type(self).__name__} does not decode')


class SensorCodec(Codec):
    """Codec of the readings of a kind of sensor, of which a robot may have several.

    kind: its name. The output that is called like it has its topics; others have theirs below
    their own names, as racecar.ros.topics.sensor_topics() says.
    """

    kind: ClassVar[str]

    def topic_of(self, port: Input | Output) -> str:
        """Relative name of the first topic of a port."""
        return self.topics_of(port)[0]

    def topics_of(self, port: Input | Output) -> tuple[str, ...]:
        """Relative names of all topics of a port."""
        return topics.sensor_topics(port.name, self.kind)
