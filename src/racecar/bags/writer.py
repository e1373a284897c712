# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write a rosbag2 folder with MCAP storage from serialised messages, without rosbag2."""

from __future__ import annotations

from collections.abc import Callable
import contextlib
import importlib
import os
from pathlib import Path
import time

from racecar.bags.folder import make_bag_folder
from racecar.bags.mcap_file import McapFile
from racecar.bags.metadata import (
    bag_information,
    FILE_NAME,
    full_qos,
    metadata_file,
    NO_TIME,
    topic_metadata,
    TopicMetadata,
)
from racecar.base.errors import BagError

LIBRARY = 'racecar'
_CHUNK_SIZE = 1024 * 1024
# Name in the bag, and the module whose compress() does it.
_COMPRESSIONS = {
    'zstd': ('zstd', 'zstandard'), 'lz4': ('lz4', 'lz4.frame'), 'none': ('', None)}
_IDL_START = '=' * 80 + '\nIDL: '


class BagWriter:
    """A rosbag2 folder of version 9 (Jazzy): metadata.yaml and one file <name>_0.mcap.

    Every message is in the file after at most `flush_period` seconds of wall time as long as
    messages keep coming; a caller whose topics may fall silent calls `flush` from a timer. What
    was flushed survives `kill -9`, and `BagReader` opens it. metadata.yaml exists from the start
    and is replaced whole on every flush. Memory stays at one chunk (1 MiB) plus its index, about
    0.1 kB per chunk and topic: 9 MB after an hour of 30 topics. Not thread-safe.
    """

    def __init__(
        self, folder: Path | str, *, flush_period: float = 1.0, compression: str = 'zstd',
        ros_distro: str = 'jazzy',
    ) -> None:
        """Create the folder, the MCAP file and metadata.yaml.

        flush_period: longest wall time that a message waits in memory while others arrive [s].
        compression: of chunks, zstd, lz4 or none. ros_distro: stands in metadata.yaml.
        Raises BagError if the folder exists already or cannot be made.
        """
        name, compress = _compression(compression)
        self.folder = Path(folder)
        self.path = self.folder / f'{self.folder.resolve().name}_0.mcap'
        self._new_metadata = self.folder / f'{FILE_NAME}.new'
        self._added: list[Path] = []
        self._ros_distro = ros_distro
        self._topics: dict[int, TopicMetadata] = {}
        self._handles: dict[str, int] = {}
        self._schemas: dict[str, int] = {}
        self._period_ns = round(flush_period * 1e9)
        make_bag_folder(self.folder)
        try:
            self._stream = open(self.path, 'xb')  # noqa: SIM115 - close() ends it
        except OSError as error:
            raise self._write_error(error) from error
        try:
            self._file = McapFile(
                self._stream, profile='ros2', library=LIBRARY, chunk_size=_CHUNK_SIZE,
                compression=name, compress=compress)
            self._is_open = True
            self._flush_file()
        except OSError as error:
            raise self._failed(error) from error

    def __enter__(self) -> BagWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        """Whether messages are still taken: not after close() or a failure."""
        return self._is_open

    @property
    def message_count(self) -> int:
        """How many messages were written so far."""
        return sum(map(self._file.count, self._topics))

    def count(self, name: str) -> int:
        """How many messages of a topic were written so far."""
        handle = self._handles.get(name)
        return 0 if handle is None else self._file.count(handle)

    def add_file(self, name: str, text: str) -> None:
        """Put a file of the user's beside the MCAP file. Raises BagError as flush() does."""
        self._check_open()
        self._added.append(self.folder / name)
        try:
            self._added[-1].write_text(text, encoding='utf-8')
        except OSError as error:
            raise self._failed(error) from error

    def add_topic(
        self, name: str, type_name: str, definition_text: str, qos_yaml: str = '',
        type_hash: str = '',
    ) -> int:
        """Declare a topic and return the handle for `write`.

        type_name: as nav_msgs/msg/Odometry. definition_text: its .msg text followed by those of
        the types it uses, in rosbag2's form (separated by lines of 80 '='); empty if unknown.
        qos_yaml: YAML list of offered QoS profiles as in metadata.yaml; missing keys get
        defaults. type_hash: RIHS01_..., empty if unknown.
        Declaring the same topic and type again returns the same handle.
        Raises BagError if the topic has another type already or the QoS is not such a list.
        """
        self._check_open()
        handle = self._handles.get(name)
        if handle is not None:
            known = self._topics[handle].type_name
            if known != type_name:
                raise BagError(
                    f"topic '{name}' is {type_name}, but was recorded as {known} before;"
                    ' one topic has one type in a bag')
            return handle
        qos = full_qos(name, qos_yaml)
        if type_name not in self._schemas:
            encoding = 'ros2idl' if definition_text.startswith(_IDL_START) else 'ros2msg'
            self._schemas[type_name] = self._file.add_schema(
                type_name, encoding if definition_text else '', definition_text.encode())
        handle = self._file.add_channel(
            name, 'cdr', self._schemas[type_name],
            {'offered_qos_profiles': qos, 'topic_type_hash': type_hash})
        self._handles[name] = handle
        self._topics[handle] = topic_metadata(name, type_name, qos, type_hash)
        return handle

    def write(
        self, handle: int, log_time_ns: int, publish_time_ns: int, data: bytes,
    ) -> None:
        """Append one message.

        log_time_ns, publish_time_ns: when it was received and sent [ns], at least 0.
        data: the message in CDR with its encapsulation header, as rclpy serialises it.
        Raises BagError for an unknown handle, a negative time, a closed bag or a full disk.
        """
        if not self._is_open:
            self._check_open()
        if handle not in self._topics:
            raise BagError(f'handle {handle!r} is unknown, expected one that add_topic returned')
        if not 0 <= log_time_ns < NO_TIME or not 0 <= publish_time_ns < NO_TIME:
            raise BagError(
                f"topic '{self._topics[handle].name}': log time {log_time_ns} ns and publish time"
                f' {publish_time_ns} ns, expected both in [0, 2^63 - 1)')
        try:
            self._file.write(handle, log_time_ns, publish_time_ns, data)
        except OSError as error:
            raise self._failed(error) from error
        if time.monotonic_ns() >= self._flush_at_ns:
            self.flush()

    def flush(self) -> None:
        """Finish the chunk, hand it to the operating system and refresh metadata.yaml.

        Raises BagError if the bag is closed or the disk refuses.
        """
        self._check_open()
        try:
            self._flush_file()
        except OSError as error:
            raise self._failed(error) from error

    def close(self) -> None:
        """Write the index and the final metadata.yaml; twice or after a failure, do nothing.

        Raises BagError if the disk refuses.
        """
        if not self._is_open:
            return
        self._is_open = False
        try:
            with self._stream:
                self._file.flush()
                self._file.add_metadata(
                    'rosbag2', {'serialized_metadata': self._information()})
                self._file.finish()
            self._write_metadata()
        except OSError as error:
            raise self._failed(error) from error

    def discard(self) -> None:
        """Close the bag and remove its files and, if nothing else is in it, its folder.

        Does nothing after close() or a failure.
        """
        if not self._is_open:
            return
        self._is_open = False
        with contextlib.suppress(OSError):
            self._stream.close()
            for path in (self.path, self._new_metadata, self.folder / FILE_NAME, *self._added):
                path.unlink(missing_ok=True)
            self.folder.rmdir()

    def _failed(self, error: OSError) -> BagError:
        """Let go of the file: what is on the disk stays readable, what is in memory is lost."""
        self._is_open = False
        with contextlib.suppress(OSError):
            self._stream.close()
        with contextlib.suppress(OSError):
            self._new_metadata.unlink(missing_ok=True)
        return self._write_error(error)

    def _flush_file(self) -> None:
        self._file.flush()
        self._write_metadata()
        self._flush_at_ns = time.monotonic_ns() + self._period_ns

    def _write_metadata(self) -> None:
        # Replaced whole, so that whoever reads it while the recording runs sees valid YAML.
        self._new_metadata.write_text(metadata_file(self._information()), encoding='utf-8')
        os.replace(self._new_metadata, self.folder / FILE_NAME)

    def _information(self) -> str:
        topics = (
            (topic, self._file.count(handle)) for handle, topic in self._topics.items())
        return bag_information(
            self.path.name, topics, self._file.start_ns, self._file.end_ns, self._ros_distro)

    def _check_open(self) -> None:
        if not self._is_open:
            raise BagError(f"bag '{self.folder}' is closed; make another BagWriter")

    def _write_error(self, error: OSError) -> BagError:
        return BagError(f"bag '{self.folder}' cannot be written: {error.strerror or error}")


def _compression(name: str) -> tuple[str, Callable[[bytes | bytearray], bytes]]:
    """Name in the bag and the function for a chunk."""
    if name not in _COMPRESSIONS:
        raise BagError(f'compression is {name!r}, expected one of {", ".join(_COMPRESSIONS)}')
    written, module = _COMPRESSIONS[name]
    if module is None:
        return written, bytes
    try:
        compress: Callable[[bytes | bytearray], bytes] = importlib.import_module(module).compress
    except ImportError as error:
        raise BagError(
            f'compression {name} is not installed ({error}); take another one') from error
    return written, compress
