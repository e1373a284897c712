# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Read bags without ROS: rosbag2 (MCAP, sqlite3), also cut off by a killed recorder, and ROS 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import lru_cache
import logging
import os
from pathlib import Path
import re
import struct
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Self

from racecar.bags.limits import TooLargeError, unpack_file
from racecar.bags.message_definitions import defined_types
from racecar.bags.metadata import check_metadata, FILE_NAME
from racecar.bags.sources import (
    IndexedSource,
    is_indexed,
    ROS1_SUFFIX,
    SequentialSource,
    Source,
    Stream,
    Window,
)
from racecar.bags.summary import BagSummary, TopicSummary
from racecar.base.errors import BagError, excerpt, MessageError

_LOGGER = logging.getLogger(__name__)
# Every message has more behind it [B].
_CDR_HEADER = 4
_SUFFIXES = {'.mcap': 'mcap', '.db3': 'sqlite3'}
_STORAGES = {**_SUFFIXES, ROS1_SUFFIX: 'rosbag (ROS 1)'}

_RECOVER = ('`mcap recover` of an .mcap file and `.recover` of sqlite3 of a .db3 file may save'
            ' some of it')

_REINDEX = '`rosbag reindex` of ROS 1 may save some of it'

UNUSABLE = (AttributeError, LookupError, MemoryError, MessageError, OverflowError, struct.error,
            TypeError, ValueError)
"""What decoded messages give rise to whose definition in the bag has other fields.

AttributeError for one that is missing; TypeError and ValueError for text or arrays in the place of
numbers; LookupError for arrays that are too short; struct.error for what is no number in a frame;
OverflowError for numbers that are no indices; MemoryError for sizes that nobody can have;
MessageError for what contradicts itself. (What rosbags raises while it reads is a BagError.)
"""


class BagMessage(NamedTuple):
    """One decoded message; log_time_ns: when it was recorded [ns].

    message: an object with the fields of its definition in the bag.
    """

    topic: str
    log_time_ns: int
    message: Any


class BagReader:
    """An open bag; use it in a `with` statement.

    path: a rosbag2 folder (metadata.yaml inside; one that a killed recorder left without it is
    read too), a bare .mcap or .db3 file, or a .bag file of ROS 1. Message types come from the
    definitions in the bag, else from ROS 2 Jazzy. Memory is bounded by a chunk, whatever the size
    of the bag.
    """

    def __init__(self, path: Path | str) -> None:
        """Open the bag and list its topics.

        Raises BagError if the path does not exist or is not a readable bag.
        """
        self.path = Path(path)
        self._stack = ExitStack()
        self._sources: list[Source] = []
        self._warnings: list[str] = []
        try:
            self.summary = self._summary(self._open())
        except TooLargeError as error:
            self.close()
            raise BagError(f"bag '{self.path}' cannot be read: {error}") from error
        except BagError:
            self.close()
            raise
        except Exception as error:  # rosbags lets errors of its storage libraries through
            self.close()
            raise BagError(
                f"bag '{self.path}' cannot be read: {_reason(error)}; {self._remedy()}"
            ) from error
        for warning in self._warnings:
            _warn_once(warning)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the files; closing twice is allowed."""
        self._stack.close()

    @property
    def span_ns(self) -> tuple[int, int]:
        """When the first and the last message were recorded [ns]; (0, 0) if there are none."""
        spans = [source.span_ns for source in self._sources]
        times = [time_ns for span in spans if span is not None for time_ns in span]
        return (min(times), max(times)) if times else (0, 0)

    def messages(
        self, topics_or_types: Iterable[str],
        progress: Callable[[int, int], None] | None = None, *,
        start_ns: int | None = None, stop_ns: int | None = None,
    ) -> Iterator[BagMessage]:
        """Decode the messages of some topics, in the order of recording, one at a time.

        topics_or_types: topic names (with a leading slash) and type names (as
        nav_msgs/msg/Odometry, for all topics of that type); other topics are not decoded.
        progress: called with the number of messages that were used so far and of all.
        start_ns, stop_ns: only those that were recorded from the one time on and before the other
        [ns]; other chunks of the bag are not read.
        Raises BagError at once if one is missing, naming it and what the bag has, and while
        iterating if the bag is damaged or a message does not fit its definition.
        """
        wanted = self._select(list(topics_or_types))
        rows = self._decoded(wanted, Window(start_ns, stop_ns))
        return rows if progress is None else self._reported(rows, wanted, progress)

    def hand_out(
        self, takers: Mapping[str, Sequence[Callable[[BagMessage], object]]],
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Give each message of some topics to the takers of its topic, in the order of recording.

        progress: as for messages(). Raises BagError as messages() and its iterator do, and for a
        message that a taker cannot use because the bag defines the type otherwise.
        """
        for row in self.messages(takers, progress):
            try:
                for take in takers[row.topic]:
                    take(row)
            except UNUSABLE as error:
                raise BagError(
                    f"bag '{self.path}': a message on {row.topic} at {row.log_time_ns} ns cannot"
                    f' be used: {_reason(error)}; leave this topic out or record it anew'
                ) from error

    def _reported(
        self, rows: Iterator[BagMessage], wanted: list[Stream],
        progress: Callable[[int, int], None],
    ) -> Iterator[BagMessage]:
        total = sum(source.counts.get(key, 0) for source in self._sources for key in wanted)
        for done, row in enumerate(rows, start=1):
            yield row
            progress(done, total)

    def _open(self) -> list[Path]:
        path = self.path
        if not path.exists():
            raise BagError(f"bag '{path}' does not exist; check the path")
        if not path.is_dir():
            # Of a pipe nothing would ever come.
            if path.suffix not in _STORAGES or not path.is_file():
                raise BagError(
                    f"'{path}' is not a bag, expected a folder with metadata.yaml or a .mcap,"
                    ' .db3 or .bag file')
            self._open_files([path])
            return [path]
        files = sorted(
            (file for file in path.iterdir() if file.is_file() and _is_storage(file)),
            key=_natural_order)
        if not files:
            raise BagError(
                f"folder '{path}' is not a bag: no .mcap or .db3 file in it; give the folder that"
                ' holds metadata.yaml')
        if not (path / FILE_NAME).exists():
            self._warnings.append(
                f"bag '{path}' has no metadata.yaml (was its recorder killed?);"
                ' read without it')
            self._open_files(files)
        elif any(file.suffix == '.zstd' for file in files) or not all(
                file.suffix != '.mcap' or is_indexed(file) for file in files):
            self._open_files(files)
        else:
            check_metadata(path)
            source = IndexedSource(path)
            self._add(source)
            if source.packs_messages:
                self._sources = [IndexedSource(file, packed=True) for file in files]
                for packed in self._sources:
                    self._stack.callback(packed.close)
        return files

    def _open_files(self, files: list[Path]) -> None:
        for file in files:
            if file.stat().st_size == 0:
                raise BagError(f"bag file '{file}' is empty")
            if file.suffix == '.zstd':
                file = self._unpacked(file)
            if file.suffix != '.mcap' or is_indexed(file):
                self._add(IndexedSource(file))
                continue
            source = SequentialSource(file)
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

    def _unpacked(self, file: Path) -> Path:
        folder = self._stack.enter_context(TemporaryDirectory(prefix='racecar-bag-'))
        return unpack_file(file, Path(folder))

    def _remedy(self) -> str:
        # Path.exists() raises for a path that is too long.
        if os.path.exists(self.path / FILE_NAME):
            return f'without {FILE_NAME} it is read from what its files hold'
        return _REINDEX if self.path.suffix == ROS1_SUFFIX else _RECOVER

    def _summary(self, files: list[Path]) -> BagSummary:
        counts: dict[tuple[str, str], int] = {}
        for source in self._sources:
            for key, count in source.counts.items():
                pair = (key.topic, key.type_name)
                counts[pair] = counts.get(pair, 0) + count
        return BagSummary(
            path=self.path,
            files=tuple(files),
            storage=_STORAGES.get(files[0].suffix) or _STORAGES[Path(files[0].stem).suffix],
            size=sum(file.stat().st_size for file in files),
            topics=tuple(TopicSummary(*pair, counts[pair]) for pair in sorted(counts)),
            warnings=tuple(self._warnings),
        )

    def _add(self, source: Source) -> None:
        self._sources.append(source)
        self._stack.callback(source.close)

    def _select(self, names: list[str]) -> list[Stream]:
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

    def _decoded(self, wanted: list[Stream], window: Window) -> Iterator[BagMessage]:
        decoders: dict[Stream, Callable[[bytes], object]] = {}
        empty: dict[str, int] = {}
        for source in self._sources:
            raw = source.messages(wanted, window)
            while True:
                try:
                    row = next(raw, None)
                except Exception as error:  # see __init__
                    raise BagError(
                        f"bag '{self.path}' is damaged: {_reason(error)}; {_RECOVER}") from error
                if row is None:
                    break
                key, time_ns, data = row
                if len(data) <= (0 if key.is_ros1 else _CDR_HEADER):
                    empty[key.topic] = empty.get(key.topic, 0) + 1
                    continue
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
        for topic, count in empty.items():
            _warn_once(f"bag '{self.path}': left out {count} empty message{'s' * (count > 1)} on"
                       f' {topic}, without any data')

    def _decoder(self, key: Stream) -> Callable[[bytes], object]:
        try:
            store = defined_types(key.type_name, key.definition)
        except Exception as error:  # a definition is arbitrary text
            raise BagError(
                f"bag '{self.path}': the definition of {key.type_name} in it cannot be used:"
                f' {_reason(error)}') from error
        if key.type_name not in store.types:
            raise BagError(
                f"bag '{self.path}': {key.topic} has type {key.type_name}, which is neither"
                ' defined in the bag nor a common interface of ROS 2 Jazzy; record it with'
                ' Jazzy or newer')
        decode = store.deserialize_ros1 if key.is_ros1 else store.deserialize_cdr
        return lambda data: decode(data, key.type_name)


def _is_storage(path: Path) -> bool:
    # Whole-file compression of rosbag2 appends .zstd.
    return path.suffix in _SUFFIXES or (path.suffix == '.zstd' and path.stem.endswith(
        tuple(_SUFFIXES)))


def _natural_order(path: Path) -> list[int | str]:
    """Sort key that puts name_2 before name_10."""
    return [int(part) if part.isdigit() else part for part in re.split(r'(\d+)', path.name)]


@lru_cache(maxsize=256)
def _warn_once(text: str) -> None:
    """Log a warning, but not again each time that a command opens the same bag."""
    _LOGGER.warning('%s', text)


def _reason(error: Exception) -> str:
    text = ' '.join(str(error).split())
    return excerpt(text)[1:-1] if text else type(error).__name__
