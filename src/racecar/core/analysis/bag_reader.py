# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Read rosbag2 bags without ROS: MCAP and sqlite3, whole or cut off by a killed recorder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
import logging
from pathlib import Path
import re
from types import TracebackType
from typing import Any, cast, IO, NamedTuple, Protocol

from mcap.exceptions import EndOfFile
from mcap.reader import make_reader
from mcap.records import Channel, Chunk, Message, Schema
from mcap.stream_reader import breakup_chunk, StreamReader
from rosbags.interfaces import Connection, MessageDefinition, MessageDefinitionFormat
from rosbags.rosbag2 import Reader
from rosbags.typesys import get_types_from_idl, get_types_from_msg, get_typestore, Stores
from rosbags.typesys.store import Typestore

from racecar.core.errors import BagError, ConfigurationError
from racecar.core.yaml_file import compose_yaml

_LOGGER = logging.getLogger(__name__)
_MAGIC = b'\x89MCAP0\r\n'
_SUFFIXES = {'.mcap': 'mcap', '.db3': 'sqlite3'}
_FORMATS = {
    'ros2msg': MessageDefinitionFormat.MSG,
    'ros2idl': MessageDefinitionFormat.IDL,
    'omgidl': MessageDefinitionFormat.IDL,
}
_NO_DEFINITION = MessageDefinition(MessageDefinitionFormat.NONE, '')
_LISTED_TOPICS = 30


class TopicSummary(NamedTuple):
    """A topic of a bag: its name, its type as nav_msgs/msg/Odometry, its message count."""

    name: str
    type_name: str
    message_count: int


class BagMessage(NamedTuple):
    """One decoded message; log_time_ns: when it was recorded [ns]."""

    topic: str
    log_time_ns: int
    message: Any


@dataclass(frozen=True)
class BagSummary:
    """What a bag holds.

    path: as given. files: its storage files in order. storage: mcap or sqlite3.
    size: of the files [bytes]. topics: sorted by name; a topic recorded with two types stands
    twice. warnings: what had to be worked around, one sentence each.
    """

    path: Path
    files: tuple[Path, ...]
    storage: str
    size: int
    topics: tuple[TopicSummary, ...]
    warnings: tuple[str, ...] = ()

    @property
    def message_count(self) -> int:
        """Number of messages on all topics."""
        return sum(topic.message_count for topic in self.topics)

    def describe_topics(self) -> str:
        """Return the topics with types and counts for a message."""
        if not self.topics:
            return 'no topics at all'
        rows = [f'{row.name} ({row.type_name}, {row.message_count})' for row in self.topics]
        more = len(rows) - _LISTED_TOPICS
        return ', '.join(rows[:_LISTED_TOPICS]) + (f' and {more} more' if more > 0 else '')


class _Stream(NamedTuple):
    """One topic with one type; the order of fields makes it the key of the summary."""

    topic: str
    type_name: str
    definition: MessageDefinition


class _Source(Protocol):
    """A storage that yields raw messages."""

    counts: dict[_Stream, int]

    def messages(self, wanted: Collection[_Stream]) -> Iterator[tuple[_Stream, int, bytes]]: ...

    def close(self) -> None: ...


class _IndexedSource:
    """A bag folder or file that is whole, through rosbags: in time order, chunk by chunk."""

    def __init__(self, path: Path) -> None:
        self._reader = Reader(path)
        self._reader.open()
        self._connections: dict[_Stream, list[Connection]] = {}
        self.counts: dict[_Stream, int] = {}
        for row in self._reader.connections:
            key = _Stream(row.topic, row.msgtype, row.msgdef)
            self._connections.setdefault(key, []).append(row)
            self.counts[key] = self.counts.get(key, 0) + row.msgcount

    def messages(self, wanted: Collection[_Stream]) -> Iterator[tuple[_Stream, int, bytes]]:
        connections = [row for key in wanted for row in self._connections.get(key, ())]
        if not connections:
            return
        for row, time_ns, data in self._reader.messages(connections):
            yield _Stream(row.topic, row.msgtype, row.msgdef), time_ns, data

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


class _SequentialSource:
    """An MCAP file without an index, read from front to back up to its last whole chunk."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.counts: dict[_Stream, int] = {}
        self.cut: str | None = None
        for key, _, _ in self._walk():
            self.counts[key] = self.counts.get(key, 0) + 1

    def messages(self, wanted: Collection[_Stream]) -> Iterator[tuple[_Stream, int, bytes]]:
        keys = set(wanted)
        return (row for row in self._walk() if row[0] in keys)

    def close(self) -> None:
        """Hold nothing open between walks."""

    def _walk(self) -> Iterator[tuple[_Stream, int, bytes]]:
        schemas: dict[int, Schema] = {}
        streams: dict[int, _Stream] = {}
        for record in self._records():
            if isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel):
                schema = schemas.get(record.schema_id)
                if schema is not None:
                    key = _Stream(record.topic, schema.name, _definition(schema))
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


class BagReader:
    """An open bag; use it in a `with` statement.

    path: a rosbag2 folder (metadata.yaml inside; one that a killed recorder left without it is
    read too) or a bare .mcap or .db3 file. Message types come from the definitions in the bag,
    else from ROS 2 Jazzy. Memory is bounded by a chunk, whatever the size of the bag.
    """

    def __init__(self, path: Path | str) -> None:
        """Open the bag and list its topics.

        Raises BagError if the path does not exist or is not a readable bag.
        """
        self.path = Path(path)
        self._stack = ExitStack()
        self._sources: list[_Source] = []
        self._warnings: list[str] = []
        try:
            self.summary = self._summary(self._open())
        except BagError:
            self.close()
            raise
        except Exception as error:  # rosbags lets errors of its storage libraries through
            self.close()
            raise BagError(f"bag '{self.path}' cannot be read: {_reason(error)}") from error
        for warning in self._warnings:
            _LOGGER.warning('%s', warning)

    def __enter__(self) -> BagReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the files; closing twice is allowed."""
        self._stack.close()

    def messages(self, topics_or_types: Iterable[str]) -> Iterator[BagMessage]:
        """Decode the messages of some topics, in the order of recording, one at a time.

        topics_or_types: topic names (with a leading slash) and type names (as
        nav_msgs/msg/Odometry, for all topics of that type); other topics are not decoded.
        Raises BagError at once if one is missing, naming it and what the bag has, and while
        iterating if the bag is damaged or a message does not fit its definition.
        """
        wanted = self._select(list(topics_or_types))
        return self._decoded(wanted)

    def _open(self) -> list[Path]:
        path = self.path
        if not path.exists():
            raise BagError(f"bag '{path}' does not exist; check the path")
        if not path.is_dir():
            if path.suffix not in _SUFFIXES:
                raise BagError(
                    f"'{path}' is not a bag, expected a folder with metadata.yaml or a .mcap or"
                    ' .db3 file')
            self._open_files([path])
            return [path]
        files = sorted(
            (file for file in path.iterdir() if file.is_file() and _is_storage(file)),
            key=_natural_order)
        if not files:
            raise BagError(
                f"folder '{path}' is not a bag: no .mcap or .db3 file in it; give the folder that"
                ' holds metadata.yaml')
        if not (path / 'metadata.yaml').exists():
            self._warnings.append(
                f"bag '{path}' has no metadata.yaml (was its recorder killed?);"
                ' read without it')
            self._open_files(files)
        elif all(file.suffix != '.mcap' or _is_indexed(file) for file in files):
            _check_metadata(path / 'metadata.yaml')
            self._add(_IndexedSource(path))
        else:
            self._open_files(files)
        return files

    def _open_files(self, files: list[Path]) -> None:
        for file in files:
            if file.stat().st_size == 0:
                raise BagError(f"bag file '{file}' is empty")
            if file.suffix != '.mcap' or _is_indexed(file):
                self._add(_IndexedSource(file))
                continue
            source = _SequentialSource(file)
            self._add(source)
            if source.cut is None:
                continue
            if not source.counts:
                raise BagError(
                    f"bag file '{file}' holds no complete chunk, nothing of it can be read:"
                    f' lost {source.cut}')
            self._warnings.append(
                f"bag file '{file}' is cut off (was its recorder killed?); read up to its"
                f' last complete chunk, lost {source.cut}')

    def _summary(self, files: list[Path]) -> BagSummary:
        counts: dict[tuple[str, str], int] = {}
        for source in self._sources:
            for key, count in source.counts.items():
                pair = (key.topic, key.type_name)
                counts[pair] = counts.get(pair, 0) + count
        return BagSummary(
            path=self.path,
            files=tuple(files),
            storage=_storage(files[0]),
            size=sum(file.stat().st_size for file in files),
            topics=tuple(TopicSummary(*pair, counts[pair]) for pair in sorted(counts)),
            warnings=tuple(self._warnings),
        )

    def _add(self, source: _Source) -> None:
        self._sources.append(source)
        self._stack.callback(source.close)

    def _select(self, names: list[str]) -> list[_Stream]:
        streams = {key for source in self._sources for key in source.counts}
        missing = [
            name for name in names
            if not any(name in (key.topic, key.type_name) for key in streams)]
        if missing:
            verb = 'is' if len(missing) == 1 else 'are'
            raise BagError(
                f"bag '{self.path}': {', '.join(missing)} {verb} missing; it has"
                f' {self.summary.describe_topics()}')
        return [key for key in streams if key.topic in names or key.type_name in names]

    def _decoded(self, wanted: list[_Stream]) -> Iterator[BagMessage]:
        decoders: dict[_Stream, Callable[[bytes], Any]] = {}
        for source in self._sources:
            raw = source.messages(wanted)
            while True:
                try:
                    row = next(raw, None)
                except Exception as error:  # see __init__
                    raise BagError(f"bag '{self.path}' is damaged: {_reason(error)}") from error
                if row is None:
                    break
                key, time_ns, data = row
                decode = decoders.get(key)
                if decode is None:
                    decode = decoders[key] = self._decoder(key)
                try:
                    message = decode(data)
                except Exception as error:  # rosbags checks few of the bytes it decodes
                    raise BagError(
                        f"bag '{self.path}': a message on {key.topic} at {time_ns} ns is not a"
                        f' valid {key.type_name}: {_reason(error)}') from error
                yield BagMessage(key.topic, time_ns, message)

    def _decoder(self, key: _Stream) -> Callable[[bytes], Any]:
        try:
            store = _typestore(key.type_name, key.definition)
        except Exception as error:  # a definition is arbitrary text
            raise BagError(
                f"bag '{self.path}': the definition of {key.type_name} in it cannot be used:"
                f' {_reason(error)}') from error
        if key.type_name not in store.types:
            raise BagError(
                f"bag '{self.path}': {key.topic} has type {key.type_name}, which is neither"
                ' defined in the bag nor a common interface of ROS 2 Jazzy; record it with'
                ' Jazzy or newer')
        return lambda data: store.deserialize_cdr(data, key.type_name)


def read_topics(
    path: Path | str, topics_or_types: Iterable[str],
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[BagMessage]:
    """Open a bag and decode the messages of some topics, in the order of recording.

    path, topics_or_types: as in BagReader and its `messages`. progress: called with the number
    of messages decoded so far and in all. Raises BagError as those do: for a missing bag or
    topic at once, for damage while iterating.
    """
    reader = BagReader(path)
    try:
        names = list(topics_or_types)
        rows = reader.messages(names)
    except BagError:
        reader.close()
        raise
    total = sum(
        row.message_count for row in reader.summary.topics
        if row.name in names or row.type_name in names)

    def generate() -> Iterator[BagMessage]:
        with reader:
            for done, row in enumerate(rows, start=1):
                yield row
                if progress is not None:
                    progress(done, total)

    return generate()


@lru_cache(maxsize=64)
def _typestore(type_name: str, definition: MessageDefinition) -> Typestore:
    if definition.format is MessageDefinitionFormat.NONE or not definition.data:
        return _jazzy_typestore()
    store = get_typestore(Stores.EMPTY)
    if definition.format is MessageDefinitionFormat.MSG:
        store.register(get_types_from_msg(definition.data, type_name))
    else:
        for text in re.split(r'^={80}\nIDL: .*\n', definition.data, flags=re.MULTILINE):
            if text.strip():
                store.register(get_types_from_idl(text))
    return store


@lru_cache(maxsize=1)
def _jazzy_typestore() -> Typestore:
    return get_typestore(Stores.ROS2_JAZZY)


def _check_metadata(path: Path) -> None:
    """Raise BagError for a file that rosbags would take very long to read."""
    try:
        compose_yaml('metadata', path)
    except ConfigurationError as error:
        raise BagError(
            f"bag '{path.parent}' cannot be read: {error}; without this file it is read from what"
            ' it holds') from error


def _is_indexed(path: Path) -> bool:
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


def _is_storage(path: Path) -> bool:
    # Whole-file compression of rosbag2 appends .zstd.
    return path.suffix in _SUFFIXES or (path.suffix == '.zstd' and path.stem.endswith(
        tuple(_SUFFIXES)))


def _storage(path: Path) -> str:
    return _SUFFIXES[path.suffix if path.suffix in _SUFFIXES else Path(path.stem).suffix]


def _natural_order(path: Path) -> list[Any]:
    """Sort key that puts name_2 before name_10."""
    return [int(part) if part.isdigit() else part for part in re.split(r'(\d+)', path.name)]


def _reason(error: Exception) -> str:
    text = ' '.join(str(error).split())
    return text if text else type(error).__name__
