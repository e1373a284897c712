# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The HTTP server of the cockpit: the page, meshes, and a WebSocket for each viewer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
import contextlib
import logging
from pathlib import Path
import socket as sockets

from aiohttp import web, WSCloseCode, WSMsgType
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler

from racecar.base.errors import MessageError, RacecarError, RunError
from racecar.base.share import version
from racecar.cockpit.access import Access, TOKEN
from racecar.cockpit.connection_limits import (
    ConnectionLimiter,
    LONGEST_SILENCE,
    MOST_CONNECTIONS,
    RateLimiter,
)
from racecar.cockpit.feed import Feed
from racecar.cockpit.frames import is_text, json_frame
from racecar.cockpit.hub import Hub
from racecar.cockpit.outbox import Outbox
from racecar.cockpit.page_files import CONTENT_TYPES, INDEX, page_file, POLICY, REPORT_POLICY
from racecar.cockpit.page_messages import LONGEST, read_page_message
from racecar.cockpit.showroom import Showroom

_PING_PERIOD = 10.0  # [s]
_KEEP_ALIVE = 15.0  # of a connection that asks for nothing more [s]

MOST_VIEWERS = 256
# Messages of a page: some for each picture of the screen while somebody drags and drives [1/s].
_MESSAGES, _BURST = 200.0, 1000
# So many of them are handled before others get their turn. Fewer than the rate brings back while
# they have it, and who sends without end would never be cut off.
_AT_ONCE = _BURST
# How long all pages may take to close [s].
_LONGEST_CLOSE = 0.5

_HEADERS = {
    'Content-Security-Policy': POLICY, 'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-cache',
    'Cross-Origin-Resource-Policy': 'same-origin'}


def _is_own_fault(record: logging.LogRecord) -> bool:
    """Whether the server failed: for what is no HTTP, the answer is enough."""
    return record.exc_info is None or not isinstance(record.exc_info[1], HttpProcessingError)


class CockpitServer:
    """Serves one feed."""

    def __init__(
        self, feed: Feed, access: Access, *, most_connections: int = MOST_CONNECTIONS,
        longest_silence: float = LONGEST_SILENCE,
    ) -> None:
        """Prepare it; nothing listens yet. longest_silence: as for ConnectionLimiter [s]."""
        self._most_connections = most_connections
        self._longest_silence = longest_silence
        self._limiter: ConnectionLimiter | None = None
        self._feed = feed
        self._access = access
        self.hub = Hub()
        self._showroom = Showroom()
        self._pages: set[web.WebSocketResponse] = set()
        self._application = web.Application(middlewares=[self._check])
        self._application.add_routes([
            web.get('/', self._on_index), web.get('/static/{name}', self._on_static),
            web.get('/mesh/{key}', self._on_mesh), web.get('/report', self._on_report),
            web.get('/vehicle/{name}', self._on_vehicle),
            web.get('/picture/{kind}/{name}', self._on_picture),
            web.get(r'/recordings/{number:\d{1,6}}/{kind:report|csv|bag|replay}',
                    self._on_recording),
            web.get('/ws', self._on_page)])
        self._application.on_shutdown.append(self._close_pages)

    @contextlib.asynccontextmanager
    async def running(
        self, listener: sockets.socket, shutdown_timeout: float,
    ) -> AsyncIterator[None]:
        """Serve meanwhile; shutdown_timeout: how long pages may take to go [s]."""
        logger = logging.getLogger(__name__)
        logger.addFilter(_is_own_fault)
        runner = web.AppRunner(
            self._application, access_log=None, logger=logger, keepalive_timeout=_KEEP_ALIVE,
            shutdown_timeout=shutdown_timeout)
        await runner.setup()
        assert runner.server is not None
        self._limiter = ConnectionLimiter(
            runner.server, self._most_connections, self._longest_silence)
        listening = await self._limiter.listen(listener)
        try:
            yield
        finally:
            listening.close()
            await runner.cleanup()

    @web.middleware
    async def _check(
        self, request: web.Request, handler: Handler,
    ) -> web.StreamResponse:
        assert self._limiter is not None
        self._limiter.note_request(request.protocol)
        access = self._access
        given = request.query.get(TOKEN) or request.cookies.get(access.cookie, '')
        fault = access.fault(request.headers, given, needs_origin=request.path == '/ws')
        if fault:
            return web.Response(status=403, text=f'{fault}\n', headers=_HEADERS)
        try:
            response: web.StreamResponse = await handler(request)
        except web.HTTPException as error:
            error.headers.update(_HEADERS)
            raise
        if not response.prepared:
            for name, value in _HEADERS.items():
                response.headers.setdefault(name, value)
            if access.is_open:
                response.set_cookie(access.cookie, given, httponly=True, samesite='Strict')
        return response

    async def _on_index(self, _: web.Request) -> web.StreamResponse:
        return self._file(INDEX)

    async def _on_static(self, request: web.Request) -> web.StreamResponse:
        return self._file(request.match_info['name'])

    def _file(self, name: str) -> web.StreamResponse:
        path = page_file(name)
        if path is None:
            raise web.HTTPNotFound(text='no such file\n')
        return web.FileResponse(
            path, headers={'Content-Type': CONTENT_TYPES[path.suffix]})

    async def _on_mesh(self, request: web.Request) -> web.StreamResponse:
        key = request.match_info['key']
        body = self.hub.meshes.get(key) or self._showroom.mesh(key)
        if body is None:
            raise web.HTTPNotFound(text='no such mesh\n')
        return web.Response(body=body, content_type='application/octet-stream')

    async def _on_vehicle(self, request: web.Request) -> web.StreamResponse:
        body = await self._showroom.vehicle(request.match_info['name'])
        if body is None:
            raise web.HTTPNotFound(text='no such vehicle\n')
        return web.Response(body=body, content_type='application/json')

    async def _on_picture(self, request: web.Request) -> web.StreamResponse:
        body = await self._showroom.picture(
            request.match_info['kind'], request.match_info['name'])
        if body is None:
            raise web.HTTPNotFound(text='no such picture\n')
        return web.Response(body=body, content_type='image/png',
                            headers={'Cache-Control': 'max-age=3600'})

    async def _on_report(self, _: web.Request) -> web.StreamResponse:
        path = self._feed.report
        if path is None or not path.is_file():
            raise web.HTTPNotFound(text='no report\n')
        return _report(path)

    async def _on_recording(self, request: web.Request) -> web.StreamResponse:
        recordings, kind = self._feed.recordings, request.match_info['kind']
        number = int(request.match_info['number'])
        try:
            if recordings is None:
                raise RunError('nothing is recorded here')
            if kind == 'replay':
                raise web.HTTPFound(await recordings.replay(number, self._access.host))
            path, name = await recordings.file(number, kind)
        except RacecarError as error:
            raise web.HTTPNotFound(text=f'{error}\n') from error
        if kind == 'report':
            return _report(path)
        return web.FileResponse(path, headers={
            'Content-Type': 'text/csv; charset=utf-8' if kind == 'csv'
            else 'application/octet-stream',
            'Content-Disposition': f'attachment; filename="{name}"'})

    # Pages

    async def _on_page(self, request: web.Request) -> web.StreamResponse:
        if self.hub.viewers >= MOST_VIEWERS:
            raise web.HTTPServiceUnavailable(
                text=f'{MOST_VIEWERS} pages are open, close one of them\n')
        # Pings of a page count as what it says.
        socket = web.WebSocketResponse(
            heartbeat=_PING_PERIOD, compress=False, max_msg_size=LONGEST, autoping=False)
        await socket.prepare(request)
        self._pages.add(socket)
        viewer, box = self.hub.enter(json_frame(
            'welcome', version=version(), viewers=self.hub.viewers + 1, **self._feed.welcome))
        self._feed.joined(viewer)
        sender = asyncio.create_task(_send(socket, box))
        try:
            await self._receive(request, socket, viewer)
        finally:
            sender.cancel()
            self._pages.discard(socket)
            self.hub.leave(viewer)
            self._feed.left(viewer)
            self._feed.want_pictures(self.hub.wants_pictures)
        return socket

    async def _receive(
            self, request: web.Request, socket: web.WebSocketResponse, viewer: int) -> None:
        """Take the messages of a page until it leaves or sends too many."""
        limiter = RateLimiter(_MESSAGES, _BURST)
        count = 0
        async for message in socket:
            if not limiter.allows():
                # No page does that; it is not to keep the others from being served.
                _cut(request)
                break
            # Nor is what it has sent at once. (In each turn of the loop more is read: older
            # aiohttp keeps any number of empty messages, so it must not take many turns.)
            count += 1
            if count % _AT_ONCE == 0:
                await asyncio.sleep(0)
            if message.type is WSMsgType.PING:
                await socket.pong(message.data)
            elif message.type is WSMsgType.TEXT:
                await self._on_message(viewer, message.data)
            elif message.type is WSMsgType.BINARY:
                self._refuse(viewer, MessageError('a binary message, expected JSON text'))

    async def _on_message(self, viewer: int, text: str) -> None:
        try:
            message = read_page_message(text)
            kind = message['type']
            if kind == 'camera':
                self.hub.let_see(viewer, message['wanted'])
                self._feed.want_pictures(self.hub.wants_pictures)
            elif kind in self._feed.takes:
                await self._feed.ask(viewer, message)
            else:
                mode = self._feed.welcome.get('mode')
                raise MessageError(f"message '{kind}' is not for the mode {mode}, expected one of"
                                   f" {', '.join(sorted(self._feed.takes))}")
        except RacecarError as error:
            self._refuse(viewer, error)

    def _refuse(self, viewer: int, error: RacecarError) -> None:
        self.hub.tell(viewer, json_frame('error', text=str(error)))

    async def _close_pages(self, _: web.Application) -> None:
        # All at once, and those that do not read are not waited for.
        closing = [asyncio.create_task(socket.close(
            code=WSCloseCode.GOING_AWAY, message=b'the cockpit has ended'))
            for socket in self._pages]
        if closing:
            for task in (await asyncio.wait(closing, timeout=_LONGEST_CLOSE))[1]:
                task.cancel()


def _report(path: Path) -> web.FileResponse:
    return web.FileResponse(path, headers={
        'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': REPORT_POLICY})


async def _send(socket: web.WebSocketResponse, box: Outbox) -> None:
    """Send a page what its outbox holds, until it leaves."""
    with contextlib.suppress(ConnectionError):
        while True:
            frame = await box.take()
            if is_text(frame):
                await socket.send_str(frame.decode())
            else:
                await socket.send_bytes(frame)


def _cut(request: web.Request) -> None:
    """End a connection without waiting for its other end."""
    if request.transport is not None:
        request.transport.abort()
