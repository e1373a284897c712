# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Camera pictures: sensor_msgs/Image, and sensor_msgs/CameraInfo beside it."""

from __future__ import annotations

from array import array
import threading
from typing import Any, ClassVar

from rclpy.exceptions import InvalidHandle
from sensor_msgs.msg import CameraInfo, Image

from racecar.base.errors import RenderingError
from racecar.base.readings import CameraImage
from racecar.ros import qos
from racecar.ros.codecs.codec import Channel, Place, SensorCodec
from racecar.ros.node import TableNode
from racecar.ros.wire import LENGTH, MessageTemplate
from racecar.simulation.ports import Output

_MODEL = 'plumb_bob'

# What is given with each picture: its stamp and its values.
_Reading = tuple[int, int, Any]


class CameraImageCodec(SensorCodec):
    """Pictures in the encoding of the original, and what the lens is like.

    encoding: of the message; pixel_bytes: how many bytes a pixel has in it.
    """

    value_type: ClassVar[type] = CameraImage
    message_type = Image
    kind = 'camera'
    profile = qos.IMAGE
    encoding: ClassVar[str] = 'bgr8'
    pixel_bytes: ClassVar[int] = 3

    @staticmethod
    def data(value: Any) -> bytes:
        """Bytes of a picture, drawn now. Raises RenderingError."""
        pixels: bytes = value.pixels()[:, :, ::-1].tobytes()
        return pixels

    def encode(self, node: TableNode, output: Output, place: Place) -> _CameraChannel:
        """Create both publishers."""
        image, info = map(place.topic, self.topics_of(output))
        return _CameraChannel(node, self, (image, info), place.frame(output.frame))


class _CameraChannel(Channel):
    """Sends pictures; those of a simulation in real time from a thread, the newest first.

    In lockstep, and as fast as possible, the simulation waits for each picture. In real time it
    never does: a picture that is not begun when the next one is taken is left out.
    """

    def __init__(
        self, node: TableNode, codec: CameraImageCodec, names: tuple[str, str], frame: str,
    ) -> None:
        """names: of the topics of pictures and lens, relative to the node's namespace."""
        image, info = names
        self._node = node
        self._codec = codec
        self._info = node.create_publisher(CameraInfo, info, qos.IMAGE)
        super().__init__(node.create_publisher(Image, image, qos.IMAGE), self._info)
        self._frame = frame
        self._templates: tuple[MessageTemplate, MessageTemplate] | None = None
        self._newest: _Reading | None = None
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_broken = False

    @property
    def is_heard(self) -> bool:
        """Whether anybody listens to either, and pictures can be drawn."""
        return super().is_heard and not self._is_broken

    def publish(self, sec: int, nanosec: int, value: Any) -> None:
        """Send a picture, at once or when it is drawn."""
        if self._node.values['lockstep'] or self._node.values['real_time_factor'] == 0.0:
            self._send((sec, nanosec, value))
            return
        with self._changed:
            self._newest = sec, nanosec, value
            self._changed.notify()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name='camera', daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while not self._is_broken:
            with self._changed:
                while self._newest is None:
                    self._changed.wait()
                reading, self._newest = self._newest, None
            try:
                self._send(reading)
            except InvalidHandle:
                # The node is gone.
                return

    def _send(self, reading: _Reading) -> None:
        sec, nanosec, value = reading
        image, info = self._templates or self._laid_out(value)
        heard = self._listeners.heard()
        if 0 in heard:
            try:
                data = self._codec.data(value)
            except RenderingError as error:
                self._is_broken = True
                self._node.get_logger().error(f'no more pictures: {error}')
                return
            # The template has one byte of data.
            head = image.fill(sec, nanosec)[:-1 - LENGTH.size]
            self.publisher.publish(b''.join((head, LENGTH.pack(len(data)), data)))
        if 1 in heard:
            self._info.publish(info.fill(sec, nanosec))

    def _laid_out(self, value: Any) -> tuple[MessageTemplate, MessageTemplate]:
        image = Image(
            height=value.height, width=value.width, encoding=self._codec.encoding,
            step=self._codec.pixel_bytes * value.width, data=array('B', [0]))
        focal, x, y = value.focal_length, value.centre_x, value.centre_y
        info = CameraInfo(
            height=value.height, width=value.width, distortion_model=_MODEL, d=[0.0] * 5,
            k=[focal, 0.0, x, 0.0, focal, y, 0.0, 0.0, 1.0],
            r=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            p=[focal, 0.0, x, 0.0, 0.0, focal, y, 0.0, 0.0, 0.0, 1.0, 0.0])
        image.header.frame_id = info.header.frame_id = self._frame
        self._templates = (MessageTemplate(image, ('header.stamp',)),
                           MessageTemplate(info, ('header.stamp',)))
        return self._templates


CODECS = (CameraImageCodec(),)
