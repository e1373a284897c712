# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Numbers of many serialised messages of one type, read at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from rclpy.serialization import serialize_message

from racecar.base.errors import MessageError
from racecar.base.types import NANOSECONDS
from racecar.ros.wire import deserialize, FORMATS, is_length, lay_out, LENGTH, ORIGIN, PLAIN_CDR

Rows = NDArray[np.float64]

# So few messages are read faster one by one.
_FEW = 15

_SEC, _NANOSEC = 'header.stamp.sec', 'header.stamp.nanosec'


class MessageRows:
    """Reads messages that begin with a std_msgs/Header: of each a row, its stamp [ns] in front.

    One by one a message takes some microseconds. Those of one publisher have the same layout, so
    their numbers are columns of the joined bytes. Whatever else comes is read one by one.
    """

    def __init__(
        self, message_type: type, fields: Sequence[str],
        read_one: Callable[[bytes], tuple[float, ...]], zeros: Sequence[str] = (),
    ) -> None:
        """fields: dotted paths to the numbers of a row, as MessageTemplate takes them.

        read_one: returns the row of any bytes, or raises MessageError; it alone judges numbers
        that are not finite and stamps that are none. zeros: fields that must be 0 for the others
        to be the row as they are.
        """
        self._message_type = message_type
        self._fields = (*fields, *zeros)
        self._width = 1 + len(fields)
        self._read_one = read_one
        self._layout: _Layout | None = None

    def read(
        self, messages: Sequence[bytes], on_error: Callable[[MessageError], object],
    ) -> Rows:
        """Row for each message; on_error gets why one of them has none."""
        if len(messages) > _FEW:
            rows = self._read_together(messages)
            if rows is not None:
                return rows
        found = []
        for data in messages:
            try:
                found.append(self._read_one(data))
            except MessageError as error:
                on_error(error)
        return np.array(found, dtype=np.float64).reshape(-1, self._width)

    def _read_together(self, messages: Sequence[bytes]) -> Rows | None:
        """Rows; None if the messages differ, or any of them needs a closer look."""
        size = len(messages[0])
        if {*map(len, messages)} != {size}:
            return None
        joined = b''.join(messages)
        if self._layout is None or not self._layout.fits(joined, size):
            self._layout = self._find_layout(messages[0])
            if self._layout is None or not self._layout.fits(joined, size):
                return None
        sec, nanosec, numbers = self._layout.read(joined)
        if sec.min() < 0 or nanosec.max() >= NANOSECONDS or not np.isfinite(numbers).all() \
                or numbers[:, self._width - 1:].any():
            return None
        numbers = numbers[:, :self._width - 1]
        return np.column_stack([sec.astype(np.int64) * NANOSECONDS + nanosec, numbers])

    def _find_layout(self, data: bytes) -> _Layout | None:
        """Layout of a message; None if it is no plain CDR, or no whole message."""
        if data[:ORIGIN] != PLAIN_CDR:
            return None
        try:
            # First what reads any bytes.
            self._read_one(data)
            message = deserialize(data, self._message_type)
        except MessageError:
            return None
        again = bytearray(serialize_message(message))
        places: dict[str, tuple[int, str]] = {}
        end = lay_out(again, ORIGIN, message, '', '', places)
        fixed = [*range(ORIGIN), *(
            offset + byte for offset, kind in places.values() if is_length(kind)
            for byte in range(LENGTH.size))]
        # A text that is no UTF-8 was another one in the message.
        if end > len(data) or any(data[place] != again[place] for place in fixed):
            return None
        return _Layout(data, self._fields, places, fixed)


class _Layout:
    """Where the numbers lie in messages whose texts and sequences have the same lengths."""

    def __init__(self, data: bytes, fields: Sequence[str], places: dict[str, tuple[int, str]],
                 fixed: list[int]) -> None:
        """fixed: offsets of the bytes that determine the layout."""
        found = [places[field] for field in (_SEC, _NANOSEC, *fields)]
        self._size = len(data)
        self._count = len(fields)
        self._record = np.dtype({
            'names': [f'{index}' for index in range(len(found))],
            'formats': [f'<{FORMATS[kind]}' for _, kind in found],
            'offsets': [offset for offset, _ in found], 'itemsize': self._size})
        self._fixed = np.array(fixed)
        self._bytes = np.frombuffer(data, np.uint8)[self._fixed]

    def fits(self, joined: bytes, size: int) -> bool:
        """Whether all messages, each of this size, have this layout."""
        return size == self._size and bool(
            (np.frombuffer(joined, np.uint8).reshape(-1, size)[:, self._fixed]
             == self._bytes).all())

    def read(self, joined: bytes) -> tuple[NDArray[np.integer], NDArray[np.integer], Rows]:
        """Seconds (n,), nanoseconds (n,) and numbers (n, fields) of joined messages."""
        records = np.frombuffer(joined, self._record)
        numbers = np.empty((len(records), self._count))
        for index in range(self._count):
            numbers[:, index] = records[f'{index + 2}']
        return records['0'], records['1'], numbers
