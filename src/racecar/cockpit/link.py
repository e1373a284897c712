# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The local socket between the server and the process that runs the nodes.

Frames go both ways, each behind its length, u32 little endian. The socket lies in a folder that
only this user may enter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
import contextlib
from pathlib import Path
import struct
import tempfile

from racecar.cockpit.frames import FrameError, LARGEST

LENGTH = struct.Struct('<I')

# What the other side has not read yet may be so much; it is small, but who suspends the process
# must not fill the memory [B].
_MOST_WAITING = 2**20


def packed(frame: bytes) -> bytes:
    """Frame behind its length."""
    return LENGTH.pack(len(frame)) + frame


def check_length(data: bytes) -> int:
    """Length that the bytes before a frame say. Raises FrameError."""
    length: int = LENGTH.unpack(data)[0]
    if not 0 < length <= LARGEST:
        raise FrameError(f'a frame of {length} bytes, expected 1 to {LARGEST}')
    return length


class LinkListener:
    """Waits for one process that connects; a context manager, asynchronous."""

    def __init__(self, on_frame: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        """on_frame: gets each frame, and raises FrameError; on_end: called when it is gone."""
        self._on_frame = on_frame
        self._on_end = on_end
        self._folder = tempfile.TemporaryDirectory(prefix='racecar-cockpit-')
        self.path = Path(self._folder.name) / 'link'
        self._server: asyncio.Server | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> LinkListener:
        self._server = await asyncio.start_unix_server(self._on_connection, self.path)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        if self._writer is not None:
            self._writer.close()
        self._folder.cleanup()

    @property
    def is_connected(self) -> bool:
        """Whether the other side is there."""
        return self._writer is not None

    def send(self, frame: bytes) -> None:
        """Send a frame; nothing if nobody is there, or it does not read. Never waits."""
        writer = self._writer
        if writer is not None and writer.transport.get_write_buffer_size() < _MOST_WAITING:
            writer.write(packed(frame))

    async def _on_connection(
            self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._writer is not None:
            writer.close()
            return
        self._writer = writer
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, FrameError,
                                 asyncio.CancelledError):
            while True:
                length = check_length(await reader.readexactly(LENGTH.size))
                self._on_frame(await reader.readexactly(length))
        self._writer = None
        writer.close()
        self._on_end()
