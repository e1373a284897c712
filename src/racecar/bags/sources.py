# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the raw messages of a bag come from: a whole bag by its index, a cut file chunk by chunk.

rosbags reads whole bags and refuses an MCAP file that a killed recorder left without its end; such
files, and those without an index, are walked record by record with the mcap package.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast, IO, NamedTuple, Protocol

from mcap.exceptions import EndOfFile
from mcap.reader import make_reader
from mcap.records import Channel, Chunk, Message, Schema
from mcap.stream_reader import breakup_chunk, StreamReader
from rosbags.interfaces import Connection, MessageDefinition, MessageDefinitionFormat
from rosbags.rosbag1 import Reader as Ros1Reader
from rosbags.rosbag2 import Reader

from racecar.bags.limits import unpack
from racecar.base.errors import BagError, excerpt

ROS1_SUFFIX = '.bag'

_MAGIC = b'\x89MCAP0\r\n'
_FORMATS = {
    'ros2msg': MessageDefinitionFormat.MSG,
    'ros2idl': MessageDefinitionFormat.IDL,
    'omgidl': MessageDefinitionFormat.IDL,
}
_NO_DEFINITION = MessageDefinition(MessageDefinitionFormat.NONE, '')


class Stream(NamedTuple):
    """One topic with one type; the order of fields makes it the key of the summary.

    is_ros1: whether its messages are serialised as ROS 1 does it, not as CDR.
    """

    topic: str
    type_name: str
    definition: MessageDefinition
    is_ros1: bool = False


class Window(NamedTuple):
    """Times of recording from start_ns on and before stop_ns; None: no bound."""

    start_ns: int | None = None
    stop_ns: int | None = None

    def meets(self, first_ns: int, last_ns: int) -> bool:
        """Whether any time from the first to the last is in it."""
        return (self.start_ns is None or last_ns >= self.start_ns) and (
            self.stop_ns is None or first_ns < self.stop_ns)


ALL_TIMES = Window()


class Source(Protocol):
    """A storage that yields raw messages."""

    counts: dict[Stream, int]

    @property
    def span_ns(self) -> tuple[int, int] | None:
        """Times of the first and the last message [ns]; None if there are none."""

    def messages(
        self, wanted: Collection[Stream], window: Window = ALL_TIMES,
    ) -> Iterator[tuple[Stream, int, bytes]]: ...

    def close(self) -> None: ...


class IndexedSource:
    """A bag folder or file that is whole, through rosbags: in time order, chunk by chunk.

    Also a .bag file of ROS 1.
    """

    def __init__(self, path: Path, *, packed: bool = False) -> None:
        """packed: whether each message is compressed, of which the file itself does not tell."""
        self._is_ros1 = path.suffix == ROS1_SUFFIX
        self._reader = Ros1Reader(path) if self._is_ros1 else Reader(path)
        self._reader.open()
        self._is_open = True
        self._packed = packed
        self._connections: dict[Stream, list[Connection]] = {}
        self.counts: dict[Stream, int] = {}
        for row in self._reader.connections:
            key = self._stream(row)
            self._connections.setdefault(key, []).append(row)
            self.counts[key] = self.counts.get(key, 0) + row.msgcount

    @property
    def packs_messages(self) -> bool:
        """Whether the metadata of the bag say that each message is compressed by itself."""
        return isinstance(self._reader, Reader) and self._reader.compression_mode == 'message'

    @property
    def span_ns(self) -> tuple[int, int] | None:
        if not any(self.counts.values()):
            return None
        # rosbags counts to the first nanosecond after the last message.
        return self._reader.start_time, self._reader.end_time - 1

    def messages(
        self, wanted: Collection[Stream], window: Window = ALL_TIMES,
    ) -> Iterator[tuple[Stream, int, bytes]]:
        connections = [row for key in wanted for row in self._connections.get(key, ())]
        if not connections:
            return
        for row, time_ns, data in self._reader.messages(connections, *window):
            yield self._stream(row), time_ns, (
                unpack(data, 'zstd') if self._packed else data)

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._reader.close()

    def _stream(self, row: Connection) -> Stream:
        return Stream(row.topic, row.msgtype, row.msgdef, self._is_ros1)


class _ExactReads:
    """A file that gives all the bytes asked for or raises EndOfFile, and counts them."""

    def __init__(self, stream: IO[bytes], size: int, position: int) -> None:
        self._stream = stream
        self._size = size
        self.position = position

    def read(self, length: int) -> bytes:
        if length > self._size - self.position:
            raise EndOfFile(f'{length} bytes expected, {self._size - self.position} left')
        self.position += length
        return self._stream.read(length)


# Messages that lie in no chunk are taken together up to this [B].
_PIECE = 1 << 20


class _Piece(NamedTuple):
    """A part of a file that holds messages: where it begins and ends, and their times [ns]."""

    start: int
    stop: int
    first_ns: int
    last_ns: int

    def join(self, other: _Piece) -> _Piece | None:
        """Both as one; None if that would be large."""
        if other.stop - self.start > _PIECE:
            return None
        return _Piece(self.start, other.stop, min(self.first_ns, other.first_ns),
                      max(self.last_ns, other.last_ns))


class SequentialSource:
    """An MCAP file without an index, read from front to back up to its last whole chunk.

    The first walk notes where the chunks are, so that a window of time is found at once.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._streams: dict[int, Stream] = {}
        self._schemas: dict[int, Schema] = {}
        self._pieces: list[_Piece] = []
        self.counts: dict[Stream, int] = {}
        self.cut: str | None = None
        for start, stop, parts in self._records():
            times = []
            for key, time_ns, _ in self._messages_of(parts):
                self.counts[key] += 1
                times.append(time_ns)
            if times:
                self._note(_Piece(start, stop, min(times), max(times)), len(parts) > 1)

    @property
    def span_ns(self) -> tuple[int, int] | None:
        if not self._pieces:
            return None
        return (min(piece.first_ns for piece in self._pieces),
                max(piece.last_ns for piece in self._pieces))

    def messages(
        self, wanted: Collection[Stream], window: Window = ALL_TIMES,
    ) -> Iterator[tuple[Stream, int, bytes]]:
        keys = set(wanted)
        for piece in self._pieces:
            if not window.meets(piece.first_ns, piece.last_ns):
                continue
            for start, _, parts in self._records(piece.start):
                if start >= piece.stop:
                    break
                for row in self._messages_of(parts):
                    if row[0] in keys and window.meets(row[1], row[1]):
                        yield row

    def close(self) -> None:
        """Hold nothing open between walks."""

    def _note(self, piece: _Piece, is_chunk: bool) -> None:
        joined = self._pieces[-1].join(piece) if self._pieces and not is_chunk else None
        if joined is None:
            self._pieces.append(piece)
        else:
            self._pieces[-1] = joined

    def _messages_of(self, parts: Iterable[object]) -> Iterator[tuple[Stream, int, bytes]]:
        for record in parts:
            if isinstance(record, Schema):
                self._schemas[record.id] = record
            elif isinstance(record, Channel):
                schema = self._schemas.get(record.schema_id)
                if schema is not None:
                    key = Stream(record.topic, schema.name, _definition(schema))
                    self._streams[record.id] = key
                    self.counts.setdefault(key, 0)
            elif isinstance(record, Message) and record.channel_id in self._streams:
                yield self._streams[record.channel_id], record.log_time, record.data

    def _records(self, start: int = 0) -> Iterator[tuple[int, int, Sequence[object]]]:
        """Yield the records from an offset on: where each begins and ends, and what is in it."""
        size = self._path.stat().st_size
        whole = start
        with open(self._path, 'rb') as stream:
            stream.seek(start)
            counted = _ExactReads(stream, size, start)
            reader = StreamReader(
                cast('IO[bytes]', counted), skip_magic=start > 0, emit_chunks=True,
                record_size_limit=None)
            records = iter(reader.records)
            while True:
                try:
                    record = next(records, None)
                    if record is None:
                        return
                    # A whole chunk or nothing: its checksum is tested before any message.
                    parts = (
                        breakup_chunk(_unpacked(record), validate_crc=True)
                        if isinstance(record, Chunk)
                        else [record])
                except Exception as error:  # whatever a library does with arbitrary bytes
                    reason = 'it ends there' if isinstance(error, EndOfFile) else excerpt(
                        f'{type(error).__name__}, {error}')
                    self.cut = f'{size - whole} of {size} bytes after byte {whole}: {reason}'
                    return
                before, whole = whole or len(_MAGIC), counted.position
                yield before, whole, parts


def _unpacked(chunk: Chunk) -> Chunk:
    return replace(chunk, compression='', data=unpack(
        chunk.data, chunk.compression, chunk.uncompressed_size))


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
