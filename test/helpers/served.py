# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A feed on a real server, and pages without a browser."""

import asyncio
import contextlib
import json
import socket
from typing import Any

import aiohttp

from racecar.cockpit.access import Access
from racecar.cockpit.server import CockpitServer

DEADLINE = 20.0


class Page:
    """A page's WebSocket."""

    def __init__(self, socket):
        self.socket = socket
        self.welcome: dict[str, Any] = {}

    async def send(self, kind, **fields):
        await self.socket.send_str(json.dumps({'type': kind, **fields}))

    async def until(self, fits, within=DEADLINE):
        """Receive until a message fits: a dict of JSON, or bytes; return it."""
        async with asyncio.timeout(within):
            while True:
                message = await self.socket.receive()
                assert message.type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY), message
                found = message.data
                if message.type is aiohttp.WSMsgType.TEXT:
                    found = json.loads(found)
                if fits(found):
                    return found

    async def get(self, kind, within=DEADLINE, **fields):
        """Receive until a JSON message of a kind with these fields; return it."""
        return await self.until(lambda found: isinstance(found, dict) and found['type'] == kind
                                and fields.items() <= found.items(), within)


class Served:
    """A running server: its feed runs too."""

    def __init__(self, session, access, server, running):
        self.session = session
        self.running = running
        self.access = access
        self.hub = server.hub
        self.url = f'http://127.0.0.1:{access.port}'

    async def connect(self, url=None, **headers):
        url = url or self.url
        return await self.session.ws_connect(f'{url}/ws', headers={'Origin': url, **headers})

    async def page(self, url=None):
        """Open a page; url: of another server that this one leads to."""
        page = Page(await self.connect(url))
        page.welcome = await page.get('welcome')
        return page


@contextlib.asynccontextmanager
async def served(feed, host='127.0.0.1', **limits):
    """Serve a feed on loopback; host: what the server believes to listen on."""
    with socket.create_server(('127.0.0.1', 0)) as listener:
        access = Access(host, listener.getsockname()[1])
        server = CockpitServer(feed, access, **limits)
        async with server.running(listener, 0.1):
            running = asyncio.create_task(feed.run(server.hub))
            try:
                async with aiohttp.ClientSession() as session:
                    yield Served(session, access, server, running)
            finally:
                running.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await running
