# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Numbers in and out of serialised messages, without building message objects.

rclpy spends most of a control tick on Python objects for nested messages. The messages of the
loop have a fixed layout, so their numbers are read from and written to the CDR bytes directly.
Bytes of another encapsulation than plain little-endian CDR go through rclpy.

Anybody may publish anything: what is bound by reads() returns a value or raises MessageError. The
readers of the single messages are in racecar.ros.codecs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import functools
import math
import struct
from typing import Any, TypeVar

from rclpy.serialization import deserialize_message, serialize_message

from racecar.base.errors import MessageError
from racecar.base.types import NANOSECONDS

Value = TypeVar('Value')

PLAIN_CDR = b'\x00\x01\x00\x00'
"""How the bytes of little-endian CDR begin."""
_STAMP_AND_LENGTH = struct.Struct('<iII')
LENGTH = struct.Struct('<I')
"""Length of a text or a sequence, before its elements."""
ORIGIN = 4
"""Where the body begins, from which alignment counts: behind the encapsulation header."""
AFTER_LENGTH = ORIGIN + _STAMP_AND_LENGTH.size
"""Where the text of the frame begins in a message that begins with a header."""

FORMATS = {'double': 'd', 'float': 'f', 'int32': 'i', 'uint32': 'I', 'int64': 'q', 'uint64': 'Q',
           'int16': 'h', 'uint16': 'H', 'int8': 'b', 'uint8': 'B', 'octet': 'B', 'boolean': '?'}
"""Characters of the module struct by the kinds of numbers of a message."""


def aligned(offset: int, size: int) -> int:
    """Where a number of so many bytes lies at an offset or after it."""
    return offset + (ORIGIN - offset) % size


def deserialize(data: bytes, message_type: type) -> Any:
    """Message that rclpy makes of the bytes, in any encapsulation it knows."""
    # The middleware reads the encapsulation before it looks at the length.
    if len(data) >= ORIGIN:
        try:
            return deserialize_message(data, message_type)
        except RuntimeError:
            # RMWError, by which rclpy says that it cannot, is one; its text names no reason.
            pass
    raise _not_whole(data, message_type)


def check_stamp(sec: int, nanosec: int) -> int:
    """Stamp [ns]; raise MessageError if it is none that a node can publish again."""
    if sec < 0 or nanosec >= NANOSECONDS:
        raise MessageError(
            f'its time is {sec} s and {nanosec} ns, expected at least 0 s and less than'
            f' {NANOSECONDS} ns')
    return sec * NANOSECONDS + nanosec


def _not_whole(data: bytes, message_type: type) -> MessageError:
    package = message_type.__module__.partition('.')[0]
    return MessageError(
        f'its {len(data)} bytes, which begin with {data[:ORIGIN].hex(" ") or "nothing"}, are no'
        f' whole {package}/{message_type.__name__}')


def reads(message_type: type) -> Callable[
        [Callable[[bytes], Value]], Callable[[bytes], Value]]:
    """Let a function that reads plain CDR read any bytes: a value, or MessageError."""
    def bind(read: Callable[[bytes], Value]) -> Callable[[bytes], Value]:
        @functools.wraps(read)
        def decode(data: bytes) -> Value:
            try:
                if data[:4] == PLAIN_CDR:
                    return read(data)
                return read(bytes(serialize_message(deserialize(data, message_type))))
            except struct.error:
                raise _not_whole(data, message_type) from None
        return decode
    return bind


def with_stamp(data: bytes, time_ns: int) -> bytes:
    """Bytes of a message that begins with a header, plain CDR, with another stamp [ns]."""
    if data[:ORIGIN] != PLAIN_CDR:
        return data
    length = LENGTH.unpack_from(data, AFTER_LENGTH - LENGTH.size)[0]
    return PLAIN_CDR + _STAMP_AND_LENGTH.pack(
        *divmod(time_ns, NANOSECONDS), length) + data[AFTER_LENGTH:]


def read_header(data: bytes, size: int) -> tuple[int, int, int]:
    """Read the std_msgs/Header at the start.

    Returns stamp [ns], offset behind the frame id, and that of the field of this size after it.
    """
    sec, nanosec, length = _STAMP_AND_LENGTH.unpack_from(data, ORIGIN)
    if sec < 0 or nanosec >= NANOSECONDS:
        # Asked here too: this is read thousands of times a second, and a call costs a tenth of it.
        check_stamp(sec, nanosec)
    end = AFTER_LENGTH + length
    return sec * NANOSECONDS + nanosec, end, end + (ORIGIN - end) % size


class MessageTemplate:
    """A serialised message whose named numbers are written over in place.

    Everything else, strings and sequence lengths above all, stays as it was in the message. The
    padding is zero and ends with the last field: rclpy leaves in it, and appends, what the memory
    held. That differs from run to run, and readers of bags may refuse it.
    """

    def __init__(self, message: object, fields: Sequence[str], bulk: str = '') -> None:
        """Find where the fields lie in the bytes.

        fields: dotted paths to numbers, with indices for sequence elements, in the order in which
        fill() takes the values; `header.stamp` stands for its sec and nanosec. bulk: path to a
        sequence of numbers, not empty, that fill_bulk() writes as a whole.
        Raises ValueError if a field is no number of the message.
        """
        self._data = bytearray(serialize_message(message))
        if self._data[:ORIGIN] != PLAIN_CDR:
            raise ValueError('rclpy does not write little-endian CDR on this machine')
        places: dict[str, tuple[int, str]] = {}
        del self._data[lay_out(self._data, ORIGIN, message, '', '', places):]
        wanted = []
        for field in fields:
            for path in ((f'{field}.sec', f'{field}.nanosec')
                         if field.endswith(('stamp', 'clock')) else (field,)):
                offset, kind = places.get(path, (0, f'not in {type(message).__name__}'))
                if kind not in FORMATS:
                    raise ValueError(
                        f'{path} is {kind}, expected one of {", ".join(FORMATS)}')
                wanted.append((offset, FORMATS[kind]))
        self._runs = _adjacent(wanted)
        self._bulk = places[f'{bulk}.0'][0] if bulk else 0

    def fill(self, *values: float) -> bytes:
        """Message with these values in the order of the fields.

        A finite number beyond those of a float becomes infinite, as where rclpy converts it.
        """
        for layout, offset, first, last in self._runs:
            try:
                layout.pack_into(self._data, offset, *values[first:last])
            except OverflowError:
                layout.pack_into(self._data, offset, *map(
                    _converted, layout.format[1:], values[first:last]))
        return bytes(self._data)

    def fill_bulk(self, numbers: bytes, *values: float) -> bytes:
        """Do what fill() does, with all numbers of the bulk, as they lie in the message."""
        self._data[self._bulk:self._bulk + len(numbers)] = numbers
        return self.fill(*values)


def _converted(kind: str, value: float) -> float:
    """Value as a field of this character of the module struct can hold it."""
    try:
        # Only with a byte order the size is checked.
        struct.pack(f'<{kind}', value)
    except OverflowError:
        return math.copysign(math.inf, value)
    return value


def is_length(kind: str) -> bool:
    """Whether a field of this kind begins with its length."""
    return kind.startswith(('string', 'sequence<'))


def lay_out(data: bytearray, offset: int, value: Any, kind: str, path: str,
            places: dict[str, tuple[int, str]]) -> int:
    """Note offset and kind of each field, and write zeros where CDR skips bytes for alignment.

    kind: of the value, as in get_fields_and_field_types(); anything that is no built-in kind is a
    message. path: of the value. Returns the offset behind the value.
    """
    def begin(size: int) -> int:
        start = aligned(offset, size)
        data[offset:start] = bytes(start - offset)
        places[path] = start, kind
        return start

    if kind in FORMATS:
        size = struct.calcsize(f'<{FORMATS[kind]}')
        return begin(size) + size
    if kind.startswith('string'):
        return begin(LENGTH.size) + LENGTH.size + len(value.encode()) + 1
    if kind.startswith('sequence<'):
        offset = begin(LENGTH.size) + LENGTH.size
        element = kind[len('sequence<'):-1].partition(',')[0]
    elif kind.endswith(']'):
        element = kind.partition('[')[0]
    else:
        for name, field_kind in value.get_fields_and_field_types().items():
            offset = lay_out(data, offset, getattr(value, name), field_kind,
                             f'{path}.{name}' if path else name, places)
        return offset
    for index, item in enumerate(value):
        offset = lay_out(data, offset, item, element, f'{path}.{index}', places)
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
