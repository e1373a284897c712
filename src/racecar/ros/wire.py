# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Numbers in and out of serialised messages, without building message objects.

rclpy spends most of a control tick on Python objects for nested messages. The messages of the
loop have a fixed layout, so their numbers are read from and written to the CDR bytes directly.
Bytes of another encapsulation than plain little-endian CDR go through rclpy.
"""

from __future__ import annotations

from collections.abc import Sequence
import struct
from typing import Any

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry as OdometryMessage
from rclpy.serialization import deserialize_message, serialize_message

from racecar.core.types import (
    AckermannCommand,
    NANOSECONDS,
    Odometry,
    PlanarVelocity,
    quaternion_to_yaw,
    WheelCommand,
    yaw_to_quaternion,
)
from racecar.ros.interfaces import WheelCommand as WheelCommandMessage

_PLAIN_CDR = b'\x00\x01\x00\x00'
_STAMP_AND_LENGTH = struct.Struct('<iII')
_LENGTH = struct.Struct('<I')
_DRIVE = struct.Struct('<3f')
_TWO = struct.Struct('<2d')
_POSE = struct.Struct('<7d')
_TWIST = struct.Struct('<6d')
_WHEELS = struct.Struct('<18d')
# Alignment counts from behind the encapsulation header.
_ORIGIN = 4
_AFTER_LENGTH = _ORIGIN + _STAMP_AND_LENGTH.size
_COVARIANCE_SIZE = 36 * 8

_FORMATS = {'double': 'd', 'float': 'f', 'int32': 'i', 'uint32': 'I'}
_SIZES = {'boolean': 1, 'octet': 1, 'int8': 1, 'uint8': 1, 'int16': 2, 'uint16': 2, 'int32': 4,
          'uint32': 4, 'float': 4, 'int64': 8, 'uint64': 8, 'double': 8}


def _aligned(offset: int, size: int) -> int:
    return offset + (_ORIGIN - offset) % size


def plain(data: bytes, message_type: type) -> bytes:
    """Return the message as plain CDR, whatever encapsulation it came in."""
    if data[:4] == _PLAIN_CDR:
        return data
    return bytes(serialize_message(deserialize_message(data, message_type)))


def _read_header(data: bytes) -> tuple[int, int]:
    """Return stamp [ns] and the offset behind the frame id of a std_msgs/Header at the start."""
    sec, nanosec, length = _STAMP_AND_LENGTH.unpack_from(data, _ORIGIN)
    return sec * NANOSECONDS + nanosec, _AFTER_LENGTH + length


def read_odometry(data: bytes) -> Odometry:
    """Return the planar part of a serialised nav_msgs/Odometry."""
    data = plain(data, OdometryMessage)
    time_ns, offset = _read_header(data)
    offset = _aligned(offset, 4)
    offset += 4 + _LENGTH.unpack_from(data, offset)[0]
    offset = _aligned(offset, 8)
    x, y, _, qx, qy, qz, qw = _POSE.unpack_from(data, offset)
    vx, vy, _, _, _, yaw_rate = _TWIST.unpack_from(
        data, offset + _POSE.size + _COVARIANCE_SIZE)
    if qx != 0.0 or qy != 0.0:
        qz, qw = yaw_to_quaternion(quaternion_to_yaw(qx, qy, qz, qw))
    return Odometry(time_ns, x, y, qz, qw, vx, vy, yaw_rate)


def read_command(data: bytes) -> tuple[AckermannCommand, int]:
    """Return command and stamp [ns] of a serialised ackermann_msgs/AckermannDriveStamped."""
    data = plain(data, AckermannDriveStamped)
    time_ns, offset = _read_header(data)
    steering_angle, _, speed = _DRIVE.unpack_from(data, _aligned(offset, 4))
    return AckermannCommand(speed, steering_angle), time_ns


def read_wheel_command(data: bytes) -> tuple[WheelCommand, int]:
    """Return command and stamp [ns] of a serialised racecar_interfaces/WheelCommand."""
    data = plain(data, WheelCommandMessage)
    time_ns, offset = _read_header(data)
    numbers = _WHEELS.unpack_from(data, _aligned(offset, 8))
    return WheelCommand(
        numbers[0], numbers[1], numbers[2:6], numbers[6:10], numbers[10:14],
        numbers[14:]), time_ns


def read_velocity(data: bytes) -> tuple[PlanarVelocity, int, str]:
    """Return velocity, stamp [ns] and frame of a serialised geometry_msgs/TwistStamped."""
    data = plain(data, TwistStamped)
    time_ns, offset = _read_header(data)
    frame = data[_AFTER_LENGTH:offset - 1].decode(errors='replace')
    return PlanarVelocity(*_TWO.unpack_from(data, _aligned(offset, 8))), time_ns, frame


class MessageTemplate:
    """A serialised message whose named numbers are written over in place.

    Everything else, strings and sequence lengths above all, stays as it was in the message. The
    padding is zero and ends with the last field: rclpy leaves in it, and appends, what the memory
    held. That differs from run to run, and readers of bags may refuse it.
    """

    def __init__(self, message: Any, fields: Sequence[str]) -> None:
        """Find where the fields lie in the bytes.

        fields: dotted paths to numbers, with indices for sequence elements, in the order in which
        fill() takes the values; `header.stamp` stands for its sec and nanosec.
        Raises ValueError if a field is no number of a fixed place.
        """
        paths = [path for field in fields for path in (
            (f'{field}.sec', f'{field}.nanosec') if field.endswith(('stamp', 'clock'))
            else (field,))]
        places = []
        for position, path in enumerate(paths):
            owner, name, kind = _locate(message, path)
            before = _get(owner, name)
            # A pattern that no other field holds, found again in the bytes.
            pattern = bytes([0x10 + position, 0x5A, 0xA5, 0x3C, 0x21, 0x43, 0x65, 0x3F])
            pattern = pattern[-struct.calcsize(kind):] if kind == 'd' else (
                bytes([0x10 + position, 0x5A, 0xA5, 0x3C]))
            _set(owner, name, struct.unpack(f'<{kind}', pattern)[0])
            data = bytes(serialize_message(message))
            _set(owner, name, before)
            if data.count(pattern) != 1 or data[:4] != _PLAIN_CDR:
                raise ValueError(f'{path} has no fixed place in {type(message).__name__}')
            places.append((data.index(pattern), kind))
        self._data = bytearray(serialize_message(message))
        del self._data[_clear_padding(self._data, _ORIGIN, message, ''):]
        self._runs = _adjacent(places)

    def fill(self, *values: float) -> bytes:
        """Return the message with these values in the order of the fields."""
        for layout, offset, first, last in self._runs:
            layout.pack_into(self._data, offset, *values[first:last])
        return bytes(self._data)


def _locate(message: Any, path: str) -> tuple[Any, str, str]:
    """Return the owner of a field, its name, and its struct format."""
    *parents, name = path.split('.')
    owner = message
    for parent in parents:
        owner = _get(owner, parent)
    if name.isdigit():
        return owner, name, 'd'
    kind = type(owner).get_fields_and_field_types()[name]
    if kind not in _FORMATS:
        raise ValueError(f'{path} is {kind}, expected one of {", ".join(_FORMATS)}')
    return owner, name, _FORMATS[kind]


def _get(owner: Any, name: str) -> Any:
    return owner[int(name)] if name.isdigit() else getattr(owner, name)


def _set(owner: Any, name: str, value: float) -> None:
    if name.isdigit():
        owner[int(name)] = value
    else:
        setattr(owner, name, value)


def _clear_padding(data: bytearray, offset: int, value: Any, kind: str) -> int:
    """Write zeros where CDR skips bytes for alignment; return the offset behind the value.

    kind: as in get_fields_and_field_types(); anything that is no built-in kind is a message.
    """
    if kind in _SIZES:
        start = _aligned(offset, _SIZES[kind])
        data[offset:start] = bytes(start - offset)
        return start + _SIZES[kind]
    if kind.startswith('string'):
        return _clear_padding(data, offset, None, 'uint32') + len(value.encode()) + 1
    if kind.startswith('sequence<'):
        offset = _clear_padding(data, offset, None, 'uint32')
        kind = kind[len('sequence<'):-1].partition(',')[0]
    elif kind.endswith(']'):
        kind = kind.partition('[')[0]
    else:
        for name, field_kind in value.get_fields_and_field_types().items():
            offset = _clear_padding(data, offset, getattr(value, name), field_kind)
        return offset
    for element in value:
        offset = _clear_padding(data, offset, element, kind)
    return offset


def _adjacent(places: list[tuple[int, str]]) -> list[tuple[struct.Struct, int, int, int]]:
    """Join fields that follow each other in bytes and order into one pack each."""
    runs: list[tuple[str, int, int, int]] = []
    for index, (offset, kind) in enumerate(places):
        if runs:
            kinds, start, first, last = runs[-1]
            if start + struct.calcsize(f'<{kinds}') == offset:
                runs[-1] = (kinds + kind, start, first, last + 1)
                continue
        runs.append((kind, offset, index, index + 1))
    return [(struct.Struct(f'<{kinds}'), start, first, last)
            for kinds, start, first, last in runs]
