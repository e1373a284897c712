# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Laser scans: sensor_msgs/LaserScan."""

from __future__ import annotations

from collections.abc import Sequence
import math
import struct

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import LaserScan as LaserScanMessage

from racecar.base.errors import MessageError
from racecar.base.readings import LaserScan
from racecar.base.types import NANOSECONDS
from racecar.ros import qos
from racecar.ros.codecs.codec import Channel, Place, SensorCodec
from racecar.ros.node import TableNode
from racecar.ros.wire import LENGTH, MessageTemplate, read_header, reads
from racecar.simulation.ports import Output

_FACTS = ('angle_min', 'angle_max', 'angle_increment', 'time_increment', 'scan_time', 'range_min',
          'range_max')

_NUMBERS = struct.Struct('<7f')
_RANGE = np.dtype('<f4')


@reads(LaserScanMessage)
def read_scan(data: bytes) -> tuple[LaserScan, int]:
    """Scan and its stamp [ns], the time of the first ray. Raises MessageError."""
    time_ns, _, offset = read_header(data, _NUMBERS.size // 7)
    numbers: Sequence[float] = _NUMBERS.unpack_from(data, offset)
    if not all(map(math.isfinite, numbers[:5])):
        raise MessageError(
            f'its angles and times are {numbers[:5]}, expected finite numbers')
    ranges, offset = _floats(data, offset + _NUMBERS.size)
    _floats(data, offset)  # Intensities: only whether they are whole.
    return LaserScan._make((*numbers, ranges, 0)), time_ns


def _floats(data: bytes, offset: int) -> tuple[NDArray[np.float32], int]:
    """Numbers of a sequence and the offset behind it."""
    count = LENGTH.unpack_from(data, offset)[0]
    offset += LENGTH.size
    end = offset + count * _RANGE.itemsize
    if len(data) < end:
        raise struct.error('the sequence is cut short')
    return np.frombuffer(data, _RANGE, count, offset), end


class LaserScanCodec(SensorCodec):
    """Ranges of a sweep, stamped with the time of its first ray, without intensities."""

    value_type = LaserScan
    message_type = LaserScanMessage
    kind = 'laser'
    profile = qos.STATE

    def encode(self, node: TableNode, output: Output, place: Place) -> _ScanChannel:
        """Create the publisher."""
        return _ScanChannel(node, place.topic(self.topic_of(output)), place.frame(output.frame))


class _ScanChannel(Channel):
    """Sends scans; the message is laid out for as many rays as the first one has."""

    def __init__(self, node: TableNode, topic: str, frame: str) -> None:
        super().__init__(node.create_publisher(LaserScanMessage, topic, qos.STATE))
        self._frame = frame
        self._template: MessageTemplate | None = None

    def publish(self, sec: int, nanosec: int, value: LaserScan) -> None:
        """Send a scan whose last ray went out at a time."""
        if self._template is None:
            message = LaserScanMessage(ranges=[0.0] * len(value.ranges))
            message.header.frame_id = self._frame
            self._template = MessageTemplate(message, ('header.stamp', *_FACTS), 'ranges')
        # Before a sweep is over no time has passed: it began at 0.
        first = divmod(max(sec * NANOSECONDS + nanosec - value.sweep_ns, 0), NANOSECONDS)
        self.publisher.publish(self._template.fill_bulk(
            value.ranges.tobytes(), *first, value.angle_min, value.angle_max,
            value.angle_increment, value.time_increment, value.scan_time, value.range_min,
            value.range_max))


CODECS = (LaserScanCodec(),)
