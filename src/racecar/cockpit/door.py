# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who gets into the server: so many connections, and only those that soon ask for something.

Otherwise who opens sockets and says nothing takes all files that the process may open.
"""

from __future__ import annotations

import asyncio
import resource
import socket
import time
from typing import NamedTuple

from aiohttp import web

MOST_CONNECTIONS = 512
"""At a time; fewer where the process may open few files."""
LONGEST_SILENCE = 10.0
"""From the connection to the end of the head of its first request [s]."""

# Connections that wait to be let in; all of them are at once.
_BACKLOG = 64


class Door:
    """Lets connections in to the server of a runner; what is too much is closed at once."""

    def __init__(self, server: web.Server, most: int, longest_silence: float) -> None:
        """longest_silence: of those that are in and have asked for nothing yet [s]."""
        # The process needs other files, too.
        self._most = min(most, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
        self._longest_silence = longest_silence
        self._server = server
        self._silent: dict[asyncio.BaseProtocol, _Silent] = {}

    async def open(self, listener: socket.socket) -> asyncio.Server:
        """Listen; the caller closes what is returned."""
        return await asyncio.get_running_loop().create_server(
            lambda: _Newcomer(self), sock=listener, backlog=_BACKLOG)

    def admit(self, transport: asyncio.Transport) -> None:
        """Hand a connection to the server, or close it."""
        if len(self._server.connections) >= self._most:
            transport.abort()
            return
        if len(self._silent) > 2 * self._most:
            # Most of them have gone again.
            for gone in [one for one, row in self._silent.items() if row.transport.is_closing()]:
                self.asked(gone)
        handler = self._server()
        transport.set_protocol(handler)
        handler.connection_made(transport)
        self._silent[handler] = _Silent(transport, asyncio.get_running_loop().call_later(
            self._longest_silence, self._show_out, handler))

    def asked(self, handler: asyncio.BaseProtocol) -> None:
        """Take note that a connection has asked for something."""
        row = self._silent.pop(handler, None)
        if row is not None:
            row.timer.cancel()

    def _show_out(self, handler: asyncio.BaseProtocol) -> None:
        self._silent.pop(handler).transport.abort()


class _Silent(NamedTuple):
    """A connection that has asked for nothing yet, and the end of its time."""

    transport: asyncio.Transport
    timer: asyncio.TimerHandle


class _Newcomer(asyncio.Protocol):
    """A connection that nobody serves yet."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._door.admit(transport)


class Allowance:
    """How often somebody may speak: on the average, and at once."""

    def __init__(self, rate: float, burst: int) -> None:
        """Rate [1/s]; burst: after a pause."""
        self._rate = rate
        self._burst = burst
        self._left = float(burst)
        self._then = time.monotonic()

    def spend(self) -> bool:
        """Speak once; tells whether that was allowed."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._then) * self._rate)
        self._then = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
