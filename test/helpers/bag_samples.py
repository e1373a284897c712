# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages and bags that the tests record."""

from __future__ import annotations

from collections.abc import Callable
import math
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import get_types_from_msg, get_typestore, Stores

from racecar.bags.reader import BagMessage, BagReader
from racecar.bags.writer import BagWriter

ODOMETRY = 'nav_msgs/msg/Odometry'
ACKERMANN = 'ackermann_msgs/msg/AckermannDriveStamped'
NUMBER = 'std_msgs/msg/Float64'
COUNT = 'std_msgs/msg/UInt32'
START_NS = 1_700_000_000_000_000_001


class Messages:
    """Serialises what the tests record, with a type that ROS 2 itself does not ship."""

    def __init__(self) -> None:
        self.store = get_typestore(Stores.ROS2_JAZZY)
        self.store.register({
            **get_types_from_msg(
                'float32 steering_angle\nfloat32 steering_angle_velocity\nfloat32 speed\n'
                'float32 acceleration\nfloat32 jerk\n', 'ackermann_msgs/msg/AckermannDrive'),
            **get_types_from_msg(
                'std_msgs/Header header\nAckermannDrive drive\n', ACKERMANN),
        })

    def definition(self, type_name: str) -> str:
        return self.store.generate_msgdef(type_name, ros_version=2)[0]

    def header(self, stamp_ns: int) -> Any:
        types = self.store.types
        return types['std_msgs/msg/Header'](
            types['builtin_interfaces/msg/Time'](stamp_ns // 10**9, stamp_ns % 10**9), 'odom')

    def odometry(
        self, stamp_ns: int, x: float, y: float, yaw: float = 0.0, speed: float = 0.0,
    ) -> bytes:
        types = {name.split('/')[-1]: kind for name, kind in self.store.types.items()
                 if name.startswith('geometry_msgs/')}
        turn = types['Quaternion'](0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))
        zero = types['Vector3'](0.0, 0.0, 0.0)
        message = self.store.types[ODOMETRY](
            self.header(stamp_ns), 'base_link',
            types['PoseWithCovariance'](
                types['Pose'](types['Point'](x, y, 0.0), turn), np.zeros(36)),
            types['TwistWithCovariance'](
                types['Twist'](types['Vector3'](speed, 0.0, 0.0), zero), np.zeros(36)))
        return bytes(self.store.serialize_cdr(message, ODOMETRY))

    def path(self, stamp_ns: int) -> bytes:
        message = self.store.types['nav_msgs/msg/Path'](self.header(stamp_ns), [])
        return bytes(self.store.serialize_cdr(message, 'nav_msgs/msg/Path'))

    def number(self, value: float) -> bytes:
        message = self.store.types[NUMBER](value)
        return bytes(self.store.serialize_cdr(message, NUMBER))

    def count(self, value: int) -> bytes:
        message = self.store.types[COUNT](value)
        return bytes(self.store.serialize_cdr(message, COUNT))

    def ackermann(self, stamp_ns: int, speed: float, angle: float) -> bytes:
        drive = self.store.types['ackermann_msgs/msg/AckermannDrive'](
            angle, 0.0, speed, 0.0, 0.0)
        message = self.store.types[ACKERMANN](self.header(stamp_ns), drive)
        return bytes(self.store.serialize_cdr(message, ACKERMANN))


def messages_in(path: Path, topics: list[str], **options: Any) -> list[BagMessage]:
    """Messages on some topics of a bag; options: as for BagReader.messages()."""
    with BagReader(path) as reader:
        return list(reader.messages(topics, **options))


Row = tuple[str, str, int, bytes]  # topic, type, time [ns], data


class Definitions(Protocol):
    """What knows how types are defined."""

    def definition(self, type_name: str, /) -> str:
        """The text of a type and of those that it has."""


def write_ours(folder: Path, rows: list[Row], messages: Definitions, **options: Any) -> Path:
    with BagWriter(folder, **options) as writer:
        handles = {}
        for topic, kind, _, _ in rows:
            handles[topic] = writer.add_topic(topic, kind, messages.definition(kind))
        for topic, _, time_ns, data in rows:
            writer.write(handles[topic], time_ns, time_ns, data)
    return folder


def _write_rosbags(
    folder: Path, rows: list[Row], messages: Messages, plugin: StoragePlugin,
    mode: CompressionMode = CompressionMode.NONE,
) -> Path:
    writer = Writer(folder, version=9, storage_plugin=plugin)
    writer.set_compression(mode, CompressionFormat.ZSTD)
    with writer:
        connections = {}
        for topic, kind, _, _ in rows:
            if topic not in connections:
                connections[topic] = writer.add_connection(
                    topic, kind, typestore=messages.store)
        for topic, _, time_ns, data in rows:
            writer.write(connections[topic], time_ns, data)
    return folder


def _with_rosbags(
    plugin: StoragePlugin, mode: CompressionMode = CompressionMode.NONE,
) -> Callable[[Path, list[Row], Messages], Path]:
    return lambda folder, rows, messages: _write_rosbags(folder, rows, messages, plugin, mode)


WRITERS: dict[str, Callable[[Path, list[Row], Messages], Path]] = {
    'ours zstd': write_ours,
    'ours lz4': lambda *given: write_ours(*given, compression='lz4'),
    'ours none': lambda *given: write_ours(*given, compression='none'),
    'ours, a chunk per message': lambda *given: write_ours(*given, flush_period=0.0),
    'mcap': _with_rosbags(StoragePlugin.MCAP),
    'mcap zstd chunks': _with_rosbags(StoragePlugin.MCAP, CompressionMode.STORAGE),
    'mcap zstd messages': _with_rosbags(StoragePlugin.MCAP, CompressionMode.MESSAGE),
    'sqlite3': _with_rosbags(StoragePlugin.SQLITE3),
    'sqlite3 zstd file': _with_rosbags(StoragePlugin.SQLITE3, CompressionMode.FILE),
    'sqlite3 zstd messages': _with_rosbags(StoragePlugin.SQLITE3, CompressionMode.MESSAGE),
}
