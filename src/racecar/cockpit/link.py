# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The way between the server and the process that runs a configuration.

Frames go both ways, each behind its length, u32 little endian: with nodes through a local socket
in a folder that only this user may enter, else through the standard streams of the process.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
import asyncio
from collections.abc import Callable, Mapping, Sequence
import contextlib
from pathlib import Path
import struct
import tempfile
from typing import NamedTuple, Self

from racecar.cockpit import BRIDGE_OPTION
from racecar.cockpit.child import Child
from racecar.cockpit.frames import FrameError, json_frame, LARGEST

LENGTH = struct.Struct('<I')

# What the other side has not read yet may be so much; it is small, but who suspends the process
# must not fill the memory [B].
_MOST_WAITING = 2**20
# For the last frames of a process that has ended [s].
_LONGEST_REST = 1.0


def packed(frame: bytes) -> bytes:
    """Frame behind its length."""
    return LENGTH.pack(len(frame)) + frame


def check_length(data: bytes) -> int:
    """Length that the bytes before a frame say. Raises FrameError."""
    length: int = LENGTH.unpack(data)[0]
    if not 0 < length <= LARGEST:
        raise FrameError(f'a frame of {length} bytes, expected 1 to {LARGEST}')
    return length


class Job(NamedTuple):
    """What to run: a configuration with options of a page; words: of `racecar` for its nodes.

    presses: of the controller of a program that drives it by the protocol of RACECAR Neo, as
    read_press() reads them; None if there is no such program.
    """

    name: str
    options: Mapping[str, object]
    words: Sequence[str] = ()
    presses: Sequence[str] | None = None


class Link(ABC):
    """Starts a process and talks with it; a context manager, asynchronous."""

    def __init__(self, on_frame: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        """on_frame: gets each frame, and raises FrameError; on_end: called when it is gone."""
        self._on_frame = on_frame
        self._on_end = on_end
        self._writer: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()

    @abstractmethod
    async def start(self, job: Job) -> Child:
        """Start the process."""

    async def rest(self) -> None:  # noqa: B027
        """Wait, for a moment, for what a process has sent that has ended."""

    @property
    def is_connected(self) -> bool:
        """Whether the other side is there."""
        return self._writer is not None

    def send(self, frame: bytes) -> None:
        """Send a frame; nothing if nobody is there, or it does not read. Never waits."""
        writer = self._writer
        if writer is not None and writer.transport.get_write_buffer_size() < _MOST_WAITING:
            writer.write(packed(frame))

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take what comes until the other side goes."""
        self._writer = writer
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, FrameError,
                                 asyncio.CancelledError):
            while True:
                length = check_length(await reader.readexactly(LENGTH.size))
                self._on_frame(await reader.readexactly(length))
        self._writer = None
        writer.close()
        self._on_end()


class LinkListener(Link):
    """Waits for one process that connects to a socket."""

    def __init__(self, on_frame: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        """Take what Link takes."""
        super().__init__(on_frame, on_end)
        self._folder = tempfile.TemporaryDirectory(prefix='racecar-cockpit-')
        self.path = Path(self._folder.name) / 'link'
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_unix_server(self._on_connection, self.path)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        await super().__aexit__()
        self._folder.cleanup()

    async def start(self, job: Job) -> Child:
        """Start `racecar WORDS --bridge SOCKET`."""
        return await Child.start([*job.words, BRIDGE_OPTION, str(self.path)])

    async def _on_connection(
            self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_connected:
            writer.close()
            return
        await self.talk(reader, writer)


class Standby:
    """A process that has imported what takes long, and waits to be told what to run."""

    _MODULE = 'racecar.cockpit.engine'

    def __init__(self) -> None:
        self._child: Child | None = None
        self._changing = asyncio.Lock()
        self._is_over = False

    async def prepare(self) -> None:
        """Start one, unless one waits."""
        async with self._changing:
            if self._child is None and not self._is_over:
                self._child = await Child.start_module(self._MODULE)

    async def take(self) -> Child:
        """Give the one that waits, or a new one."""
        async with self._changing:
            child, self._child = self._child, None
            return child if child is not None and not child.has_ended \
                else await Child.start_module(self._MODULE)

    async def end(self) -> None:
        """End the one that waits, for good."""
        async with self._changing:
            self._is_over = True
            if self._child is not None:
                await self._child.end()


class PipeLink(Link):
    """The standard streams of a process that waits to be told what to run."""

    _reading: asyncio.Task[None] | None = None

    def __init__(
        self, on_frame: Callable[[bytes], None], on_end: Callable[[], None], standby: Standby,
    ) -> None:
        """standby: gives the process; the others as Link takes them."""
        super().__init__(on_frame, on_end)
        self._standby = standby

    async def start(self, job: Job) -> Child:
        """Tell a process what to run."""
        child = await self._standby.take()
        writer, reader = child.streams
        assert writer is not None
        assert reader is not None
        # It may talk only later, but hears from now on.
        self._writer = writer
        self._reading = asyncio.create_task(self.talk(reader, writer))
        self.send(json_frame('start', configuration=job.name, options=job.options,
                             presses=job.presses))
        return child

    async def rest(self) -> None:
        """Wait for its last frames."""
        if self._reading is not None:
            await asyncio.wait({self._reading}, timeout=_LONGEST_REST)

    async def __aexit__(self, *_: object) -> None:
        if self._reading is not None:
            self._reading.cancel()
        await super().__aexit__()
