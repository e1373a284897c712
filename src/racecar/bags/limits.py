# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bounds for what bags of strangers may ask for: sizes behind compression, and definitions.

A chunk of 30 kB can hold a gigabyte of zeros, and a line of a definition ten million objects.
Recorded bags stay far below these bounds.
"""

from __future__ import annotations

import bz2
from collections.abc import Mapping
import io
from pathlib import Path
import re
import shutil
from typing import IO, TYPE_CHECKING

import lz4.frame
from rosbags.interfaces import Nodetype
from rosbags.rosbag1 import reader as rosbag1
from rosbags.rosbag2 import storage_mcap
import zstandard

from racecar.base.errors import BagError

if TYPE_CHECKING:
    from rosbags.interfaces.typing import FieldDesc, Typesdict

# What a chunk, message or file may hold: so much in any case, and more by its packed size [B].
_SMALL_CHUNK, _SMALL_FILE = 1 << 24, 1 << 28
_LARGEST_CHUNK = 1 << 30
_RATIO = 1000
_PIECE = 1 << 20

LONGEST_DEFINITION = 200_000
"""Characters of a definition text, with those of all types in it."""
MOST_FIELDS = 5000
"""Of all types of a definition together; elements of fixed arrays of messages and texts count."""

# rosidl writes constants as plain numbers; nobody shifts further than a number has bits.
_FAR_SHIFT = re.compile(r'<<(?!\s*\d{1,2}\s*[;)|&^,])')


class TooLargeError(BagError):
    """A part of a bag that would fill the memory."""


def unpack(data: bytes, compression: str, expected: int | None = None) -> bytes:
    """What a chunk or message of a bag holds; compression: zstd, lz4, bz2 or none.

    expected: its size as the bag says [B], beyond which nothing is unpacked. Raises TooLargeError,
    and what the libraries do for damaged data.
    """
    if not compression:
        return data
    most = min(_LARGEST_CHUNK, max(_SMALL_CHUNK, _RATIO * len(data)))
    if expected is not None and expected > most:
        raise _too_large(len(data), most)
    wanted = most if expected is None else expected
    # One byte more tells that there is more.
    if compression == 'lz4':
        found: bytes = lz4.frame.LZ4FrameDecompressor().decompress(data, max_length=wanted + 1)
    elif compression == 'bz2':
        found = bz2.BZ2Decompressor().decompress(data, wanted + 1)
    elif compression == 'zstd':
        with zstandard.ZstdDecompressor().stream_reader(
                io.BytesIO(data), read_across_frames=True) as stream:
            found = _read(stream, wanted + 1)
    else:
        raise BagError(f'compression {compression!r} is unknown, expected zstd, lz4 or bz2')
    if len(found) > wanted:
        raise _too_large(len(data), wanted)
    return found


def unpack_file(path: Path, folder: Path) -> Path:
    """Unpack a file NAME.zstd to a folder; return its place there. Raises TooLargeError."""
    packed = path.stat().st_size
    most = max(_SMALL_FILE, _RATIO * packed)
    target = folder / path.stem
    with open(path, 'rb') as source, open(target, 'wb') as sink, \
            zstandard.ZstdDecompressor().stream_reader(source, read_across_frames=True) as stream:
        shutil.copyfileobj(_Bounded(stream, packed, most), sink, _PIECE)
    return target


class _Bounded:
    """A stream that raises TooLargeError beyond a number of bytes."""

    def __init__(self, stream: IO[bytes], packed: int, most: int) -> None:
        self._stream = stream
        self._packed = packed
        self._most = self._left = most

    def read(self, length: int = -1, /) -> bytes:
        found = self._stream.read(length)
        self._left -= len(found)
        if self._left < 0:
            raise _too_large(self._packed, self._most)
        return found


def _read(stream: IO[bytes], most: int) -> bytes:
    pieces = bytearray()
    while len(pieces) < most and (piece := stream.read(min(_PIECE, most - len(pieces)))):
        pieces += piece
    return bytes(pieces)


def _too_large(packed: int, most: int) -> TooLargeError:
    return TooLargeError(
        f'{packed} compressed bytes hold more than the {most} bytes that are allowed for them')


def check_definition(text: str) -> None:
    """Raise TooLargeError for a definition text that would take very long to parse."""
    if len(text) > LONGEST_DEFINITION:
        raise TooLargeError(
            f'its text has {len(text)} characters, expected at most {LONGEST_DEFINITION}')
    if _FAR_SHIFT.search(text):
        raise TooLargeError('a constant in it is shifted far, expected numbers of 64 bits')


def check_types(types: Typesdict) -> None:
    """Raise TooLargeError for types that would take very long to read, or any number of objects.

    types: by name as the parsers of rosbags return them. Messages in arrays must have fields:
    elsewhere a length alone, without data, could ask for any number of them.
    """
    fields = {name: [detail for _, detail in rows] for name, (_, rows) in types.items()}
    count = sum(map(len, fields.values()))
    arrays = [(name, node, *inner) for name, details in fields.items() for node, inner in details
              if node in (Nodetype.ARRAY, Nodetype.SEQUENCE)]
    for _, node, (kind, base), length in arrays:
        # Numbers make one array; of a sequence the length is its bound.
        if node == Nodetype.ARRAY and (kind == Nodetype.NAME or base[0] == 'string'):
            count += length
    if count > MOST_FIELDS:
        raise TooLargeError(f'it has {count} fields and elements, expected at most {MOST_FIELDS}')
    empty = _without_bytes(fields)
    for name, _, (_, element), _ in arrays:
        if element in empty:
            raise TooLargeError(f'{name} has an array of {element}, which has no fields')


def _without_bytes(fields: Mapping[str, list[FieldDesc]]) -> set[str]:
    """Types of which a message has no bytes."""
    found: set[str] = set()
    while more := {name for name, details in fields.items() if name not in found and all(
            node == Nodetype.NAME and inner in found for node, inner in details)}:
        found |= more
    return found


# rosbags unpacks chunks by these tables, as much as there is.
storage_mcap.DECOMPRESSORS.update({
    name: lambda data, size, name=name: unpack(data, name, size)  # type: ignore[misc]
    for name in ('lz4', 'zstd')})
rosbag1.decompressors.update({
    name: lambda data, name=name: unpack(data, name)  # type: ignore[misc]
    for name in ('lz4', 'bz2')})
