# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures of the camera as JPEG, drawn together by a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
import threading
import time

from rclpy.node import Node
from rclpy.subscription import Subscription
from sensor_msgs.msg import Image

from racecar.base.types import NANOSECONDS
from racecar.cockpit.camera_picture import picture_of
from racecar.ros import qos
from racecar.ros.raw_subscription import THROTTLE
from racecar.ros.wire import deserialize

_PERIOD = 0.1  # [s]


class Pictures:
    """Listens to the camera only while somebody wants its pictures: to draw them is expensive."""

    def __init__(self, node: Node, topic: str, send: Callable[[bytes], object]) -> None:
        """send: gets frames, from another thread."""
        self._node = node
        self._topic = topic
        self._send = send
        self._subscription: Subscription | None = None
        self._newest: bytes | None = None
        self._due = 0.0
        self._filled = threading.Condition()
        self._thread: threading.Thread | None = None

    def listen_to(self, topic: str) -> None:
        """Show the pictures of another topic from now on."""
        if topic != self._topic:
            is_wanted = self._subscription is not None
            self.want(False)
            self._topic = topic
            self.want(is_wanted)

    def want(self, wanted: bool) -> None:
        """Listen from now on, or not."""
        if wanted and self._subscription is None:
            self._subscription = self._node.create_subscription(
                Image, self._topic, self._on_image, qos.VIEW_SUBSCRIPTION, raw=True)
        elif not wanted and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None

    def _on_image(self, data: bytes) -> None:
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + _PERIOD
        with self._filled:
            self._newest = data
            self._filled.notify()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name='pictures', daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._filled:
                while self._newest is None:
                    self._filled.wait()
                data, self._newest = self._newest, None
            try:
                self._send(encoded(data))
            except Exception as error:  # of the codec too: the next picture may be whole
                self._node.get_logger().warning(
                    f'a picture on {self._topic} is not shown: {error}',
                    throttle_duration_sec=THROTTLE)


def encoded(data: bytes, robot: int = 0) -> bytes:
    """Frame of a serialised sensor_msgs/Image. Raises MessageError."""
    message = deserialize(data, Image)
    stamp = message.header.stamp
    return picture_of(message, stamp.sec + stamp.nanosec / NANOSECONDS, robot)
