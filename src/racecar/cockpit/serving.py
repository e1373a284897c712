# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run the server of a feed until it is interrupted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
import contextlib
import errno
import signal
import socket
import sys
import threading

from racecar.base.errors import ConfigurationError, excerpt
from racecar.cockpit.access import Access, FIRST_PORT, LOOPBACK
from racecar.cockpit.feed import Feed
from racecar.cockpit.server import CockpitServer
from racecar.signals import Interruption, STOPS

_PORTS = 100
_LONGEST_END = 2.0  # [s]


def _print(text: str) -> None:
    print(text, flush=True)


def serve(
    feed: Feed, *, host: str = LOOPBACK, port: int | None = None,
    open_page: Callable[[str], object] | None = None, announce: Callable[[str], object] = _print,
) -> None:
    """Serve a feed until it ends or a signal comes.

    port: None for the first that is free from FIRST_PORT on. open_page: called with the address of
    the page in a thread of its own. announce: called with a sentence that has this address;
    prints it by default. Raises ConfigurationError for a host
    or port that cannot be had, what the feed raises, and Interruption.
    """
    with _listen(host, port) as listener:
        access = Access(host, listener.getsockname()[1])
        number = asyncio.run(_serve(feed, access, listener, open_page, announce))
    if number:
        raise Interruption(number)


@contextlib.asynccontextmanager
async def served(feed: Feed, host: str = LOOPBACK) -> AsyncIterator[str]:
    """Serve a feed meanwhile, in the loop that runs; gives the address of its page.

    Raises ConfigurationError if no port is free.
    """
    with _listen(host, None) as listener:
        access = Access(host, listener.getsockname()[1])
        server = CockpitServer(feed, access)
        async with server.running(listener, _LONGEST_END):
            running = asyncio.create_task(feed.run(server.hub))
            try:
                yield access.url
            finally:
                running.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await running


def _listen(host: str, port: int | None) -> socket.socket:
    """Socket that listens. Raises ConfigurationError."""
    Access(host, port or FIRST_PORT)
    ports = range(FIRST_PORT, FIRST_PORT + _PORTS) if port is None else (port,)
    for number in ports:
        family, kind, _, _, address = socket.getaddrinfo(
            host, number, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind)
        try:
            if sys.platform != 'win32':
                # There it would take a port from another server.
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        except OSError as error:
            listener.close()
            if error.errno == errno.EADDRINUSE and port is None:
                continue
            if error.errno == errno.EADDRNOTAVAIL:
                raise ConfigurationError(
                    f'--host {excerpt(host)} is no address of this machine: expected one like'
                    f' {LOOPBACK} or 0.0.0.0') from error
            raise ConfigurationError(
                f'--port {number} of {host} cannot be had: {error.strerror}; name another'
            ) from error
        listener.listen()
        return listener
    raise ConfigurationError(
        f'the ports from {ports[0]} to {ports[-1]} of {host} are all in use; name another by'
        ' --port')


async def _serve(
    feed: Feed, access: Access, listener: socket.socket,
    open_page: Callable[[str], object] | None, announce: Callable[[str], object],
) -> int:
    """Serve until the feed ends; return the signal that ended it, 0 for none."""
    server = CockpitServer(feed, access)
    async with server.running(listener, _LONGEST_END):
        return await _run(feed, access, server, open_page, announce)


async def _run(
    feed: Feed, access: Access, server: CockpitServer,
    open_page: Callable[[str], object] | None, announce: Callable[[str], object],
) -> int:
    announce(f'Cockpit: {access.url}')
    if access.is_open:
        print('warning: others in the network can see and drive the car if they have this address;'
              ' it is not encrypted', file=sys.stderr)
    if open_page is not None:
        # Some browsers, as those of a terminal, return when they are closed.
        threading.Thread(target=open_page, args=(access.url,), daemon=True).start()
    running = asyncio.create_task(feed.run(server.hub))
    number = 0

    def stop(given: int) -> None:
        nonlocal number
        number = given
        running.cancel()

    loop = asyncio.get_running_loop()
    for stopping in STOPS:
        try:
            loop.add_signal_handler(stopping, stop, stopping)
        except NotImplementedError:
            # The loop of Windows has none.
            signal.signal(
                stopping, lambda given, _: loop.call_soon_threadsafe(stop, given))
    try:
        await running
    except asyncio.CancelledError:
        if not number:
            raise
    return number
