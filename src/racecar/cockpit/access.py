# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who may talk to the server: the check of Host, Origin and token of a request.

A page of another site can make a browser send requests to a server on loopback, also under a name
of its own that it lets point there. So the Host must be one of ours, and whoever opens the
WebSocket must come from our page. A server that is open to a network also wants a token, which
its URL has, and which a cookie repeats.
"""

from __future__ import annotations

from collections.abc import Mapping
import hmac
import importlib.util
import ipaddress
import secrets
import socket

from racecar.base.errors import ConfigurationError, excerpt

LOOPBACK = '127.0.0.1'
FIRST_PORT = 8080
"""Where a free port is looked for."""
TOKEN = 'token'
"""Of the query of the URL."""

_LOOPBACK_NAMES = ('localhost', '127.0.0.1', '[::1]')
_TOKEN_BYTES = 16


class Access:
    """The rules of one server."""

    def __init__(self, host: str, port: int, token: str | None = None) -> None:
        """host, port: on which it listens; token: None to make one where a network can reach it.

        Raises ConfigurationError for a host that this machine does not have.
        """
        self.host = host
        self.port = port
        self.is_open = not _is_loopback(host)
        self.token = (token or secrets.token_urlsafe(_TOKEN_BYTES)) if self.is_open else ''
        self.cookie = f'racecar_cockpit_{port}'

    @property
    def url(self) -> str:
        """Address of the page for people, with the token if it needs one."""
        name = socket.gethostname() if _is_unspecified(self.host) else self.host
        if ':' in name:
            name = f'[{name}]'
        query = f'?{TOKEN}={self.token}' if self.is_open else ''
        return f'http://{name}:{self.port}/{query}'

    def fault(
        self, headers: Mapping[str, str], given: str, *, needs_origin: bool = False,
    ) -> str:
        """Reason for which a request is refused; empty if it is accepted.

        given: token of query or cookie; needs_origin: of the WebSocket, which browsers say where
        it comes from.
        """
        host = headers.get('Host', '')
        if not self._is_ours(host):
            # Without the token, which is for those who have it.
            return (f'Host {excerpt(host)} is not this server, expected its name and'
                    f' port {self.port}: take the address that `racecar cockpit` printed')
        origin = headers.get('Origin')
        if origin is None:
            if needs_origin:
                return 'no Origin: only the page of this server may open its WebSocket'
        elif origin != f'http://{host}':
            return f'Origin {excerpt(origin)} is not this server, expected http://{host}'
        if self.is_open and not hmac.compare_digest(
                given.encode(errors='replace'), self.token.encode()):
            return 'no token, or another one: take the address that `racecar cockpit` printed'
        return ''

    def _is_ours(self, host: str) -> bool:
        name, _, port = host.rpartition(':')
        if port != str(self.port):
            return False
        if name in _LOOPBACK_NAMES or name == self.host:
            return True
        # Names could be anybody's; the token tells who knows the address.
        return self.is_open and name != ''


def check_server() -> None:
    """Raise ConfigurationError where the library of the server is not installed."""
    if importlib.util.find_spec('aiohttp') is None:
        raise ConfigurationError(
            'the Python package aiohttp, which serves the page, is not installed:'
            ' pip install aiohttp')


def _is_unspecified(host: str) -> bool:
    """Whether a host stands for all addresses of the machine, as 0.0.0.0 and :: do."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:  # a name
        return False


def _is_loopback(host: str) -> bool:
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(
            f'--host {excerpt(host)} is no address of this machine: {error}; expected one like'
            f' {LOOPBACK} or 0.0.0.0') from error
    return all(ipaddress.ip_address(str(address)).is_loopback for address in found)
