# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the raw messages of a bag come from: a whole bag by its index, a cut file chunk by chunk.

rosbags reads whole bags and refuses an MCAP file that a killed recorder left without its end; such
files, and those without an index, are walked record by record with the mcap package.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import cast, IO, NamedTuple, Protocol

from mcap.exceptions import EndOfFile
from mcap.reader import make_reader
from mcap.records import Channel, Chunk, Message, Schema
from mcap.stream_reader import breakup_chunk, StreamReader
from rosbags.interfaces import Connection, MessageDefinition, MessageDefinitionFormat
from rosbags.rosbag2 import Reader

from racecar.core.errors import BagError

_MAGIC = b'\x89MCAP0\r\n'
_FORMATS = {
    'ros2msg': MessageDefinitionFormat.MSG,
    'ros2idl': MessageDefinitionFormat.IDL,
    'omgidl': MessageDefinitionFormat.IDL,
}
_NO_DEFINITION = MessageDefinition(MessageDefinitionFormat.NONE, '')


class Stream(NamedTuple):
    """One topic with one type; the order of fields makes it the key of the summary."""

    topic: str
    type_name: str
    definition: MessageDefinition


class Source(Protocol):
    """A storage that yields raw messages."""

    counts: dict[Stream, int]

    def messages(self, wanted: Collection[Stream]) -> Iterator[tuple[Stream, int, bytes]]: ...

    def close(self) -> None: ...


class IndexedSource:
    """A bag folder or file that is whole, through rosbags: in time order, chunk by chunk."""

    def __init__(self, path: Path) -> None:
        self._reader = Reader(path)
        self._reader.open()
        self._connections: dict[Stream, list[Connection]] = {}
        self.counts: dict[Stream, int] = {}
        for row in self._reader.connections:
            key = Stream(row.topic, row.msgtype, row.msgdef)
            self._connections.setdefault(key, []).append(row)
            self.counts[key] = self.counts.get(key, 0) + row.msgcount

    def messages(self, wanted: Collection[Stream]) -> Iterator[tuple[Stream, int, bytes]]:
        connections = [row for key in wanted for row in self._connections.get(key, ())]
        if not connections:
            return
        for row, time_ns, data in self._reader.messages(connections):
            yield Stream(row.topic, row.msgtype, row.msgdef), time_ns, data

    def close(self) -> None:
        if self._reader.is_open:
            self._reader.close()


class _ExactReads:
    """A file that gives all the bytes asked for or raises EndOfFile, and counts them."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        self._stream = stream
        self._size = size
        self.position = 0

    def read(self, length: int) -> bytes:
        if length > self._size - self.position:
            raise EndOfFile(f'{length} bytes expected, {self._size - self.position} left')
        self.position += length
        return self._stream.read(length)


class SequentialSource:
    """An MCAP file without an index, read from front to back up to its last whole chunk."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.counts: dict[Stream, int] = {}
        self.cut: str | None = None
        for key, _, _ in self._walk():
            self.counts[key] = self.counts.get(key, 0) + 1

    def messages(self, wanted: Collection[Stream]) -> Iterator[tuple[Stream, int, bytes]]:
        keys = set(wanted)
        return (row for row in self._walk() if row[0] in keys)

    def close(self) -> None:
        """Hold nothing open between walks."""

    def _walk(self) -> Iterator[tuple[Stream, int, bytes]]:
        schemas: dict[int, Schema] = {}
        streams: dict[int, Stream] = {}
        for record in self._records():
            if isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel):
                schema = schemas.get(record.schema_id)
                if schema is not None:
                    key = Stream(record.topic, schema.name, _definition(schema))
                    streams[record.id] = key
                    self.counts.setdefault(key, 0)
            elif isinstance(record, Message) and record.channel_id in streams:
                yield streams[record.channel_id], record.log_time, record.data

    def _records(self) -> Iterator[object]:
        size = self._path.stat().st_size
        whole = 0
        with open(self._path, 'rb') as stream:
            counted = _ExactReads(stream, size)
            reader = StreamReader(
                cast('IO[bytes]', counted), emit_chunks=True, record_size_limit=None)
            records = iter(reader.records)
            while True:
                try:
                    record = next(records, None)
                    if record is None:
                        return
                    # A whole chunk or nothing: its checksum is tested before any message.
                    parts = (
                        breakup_chunk(record, validate_crc=True) if isinstance(record, Chunk)
                        else [record])
                except Exception as error:  # whatever a library does with arbitrary bytes
                    reason = 'it ends there' if isinstance(error, EndOfFile) else repr(error)
                    self.cut = f'{size - whole} of {size} bytes after byte {whole}: {reason}'
                    return
                whole = counted.position
                yield from parts


def _definition(schema: Schema) -> MessageDefinition:
    kind = _FORMATS.get(schema.encoding)
    if kind is None:
        return _NO_DEFINITION
    return MessageDefinition(kind, schema.data.decode('utf-8', 'replace'))


def is_indexed(path: Path) -> bool:
    """Whether an MCAP file ends as it should and lists its chunks and topics."""
    with open(path, 'rb') as stream:
        if stream.read(len(_MAGIC)) != _MAGIC:
            raise BagError(f"bag file '{path}' is not MCAP: it does not start as such files do")
        stream.seek(0, 2)
        if stream.tell() < 2 * len(_MAGIC):
            return False
        stream.seek(-len(_MAGIC), 2)
        if stream.read() != _MAGIC:
            return False
        stream.seek(0)
        try:
            summary = make_reader(stream).get_summary()
        except Exception:  # a damaged index; the file may still be read from its front
            return False
    return summary is not None and bool(
        summary.chunk_indexes and summary.channels and summary.schemas)
