# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Limits for connections to the server: their number, their silence, and messages on each.

Without them, who opens sockets and sends nothing takes all files that the process may open.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from typing import NamedTuple

from aiohttp import web

if sys.platform != 'win32':
    import resource

MOST_CONNECTIONS = 512
"""At a time; fewer where the process may open few files."""
LONGEST_SILENCE = 10.0
"""From the connection to the end of the head of its first request [s]."""

# Connections that wait to be accepted, which happens at once.
_BACKLOG = 64


class ConnectionLimiter:
    """Accepts connections for a server; those beyond the limits are closed at once."""

    def __init__(self, server: web.Server, most: int, longest_silence: float) -> None:
        """longest_silence: from a connection to the end of its first request's head [s]."""
        self._most = most
        if sys.platform != 'win32':
            # The process needs other files, too.
            self._most = min(most, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
        self._longest_silence = longest_silence
        self._server = server
        self._silent: dict[asyncio.BaseProtocol, _Silent] = {}

    async def listen(self, listener: socket.socket) -> asyncio.Server:
        """Listen; the caller closes what is returned."""
        return await asyncio.get_running_loop().create_server(
            lambda: _NewConnection(self), sock=listener, backlog=_BACKLOG)

    def accept(self, transport: asyncio.Transport) -> None:
        """Hand a connection to the server, or close it."""
        if len(self._server.connections) >= self._most:
            transport.abort()
            return
        if len(self._silent) > 2 * self._most:
            # Most of them are closed already.
            closed = [key for key, row in self._silent.items() if row.transport.is_closing()]
            for handler in closed:
                self.note_request(handler)
        handler = self._server()
        transport.set_protocol(handler)
        handler.connection_made(transport)
        self._silent[handler] = _Silent(transport, asyncio.get_running_loop().call_later(
            self._longest_silence, self._close, handler))

    def note_request(self, handler: asyncio.BaseProtocol) -> None:
        """Take note that a request came on a connection: it may stay."""
        row = self._silent.pop(handler, None)
        if row is not None:
            row.timer.cancel()

    def _close(self, handler: asyncio.BaseProtocol) -> None:
        self._silent.pop(handler).transport.abort()


class _Silent(NamedTuple):
    """A connection without a request yet, and the timer that closes it."""

    transport: asyncio.Transport
    timer: asyncio.TimerHandle


class _NewConnection(asyncio.Protocol):
    """A connection that no handler has yet."""

    def __init__(self, limiter: ConnectionLimiter) -> None:
        self._limiter = limiter

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._limiter.accept(transport)


class RateLimiter:
    """Token bucket: limits the mean rate of messages, and how many may come at once."""

    def __init__(self, rate: float, burst: int) -> None:
        """Rate [1/s]; burst: messages at once after a pause."""
        self._rate = rate
        self._burst = burst
        self._tokens = float(burst)
        self._updated_at = time.monotonic()

    def allows(self) -> bool:
        """Count a message; return whether it is within the limits."""
        now = time.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._updated_at) * self._rate)
        self._updated_at = now
        if self._tokens < 1.0:
            return False
        self._tokens -= 1.0
        return True
