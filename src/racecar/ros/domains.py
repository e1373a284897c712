# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A ROS domain that nobody else on this machine uses."""

from __future__ import annotations

from collections.abc import Sequence
import contextlib
import errno
import fcntl
import os
from pathlib import Path
import socket
import tempfile

from racecar.base.errors import ConfigurationError

DOMAINS = range(233)

# On Linux the ports of higher ones may be taken by any program at any time.
_SAFE_DOMAINS = range(1, 102)

# Where DDS participants listen, from the port numbers of the RTPS standard.
_FIRST_PORT, _PORTS_PER_DOMAIN = 7400, 250
_MULTICAST, _FIRST_UNICAST = 0, 10


def claim_domain(stack: contextlib.ExitStack, domains: Sequence[int] = _SAFE_DOMAINS) -> int:
    """Domain that is free, and kept until the stack ends.

    Free means that no other process has claimed it, of whatever user, and no participant of any
    DDS listens in it.
    Raises ConfigurationError if there is none.
    """
    offset = os.getpid() % len(domains)
    for domain in [*domains[offset:], *domains[:offset]]:
        path = Path(tempfile.gettempdir()) / f'racecar_domain_{domain}'
        with contextlib.suppress(OSError), contextlib.ExitStack() as claim:
            file = _open(path)
            claim.callback(os.close, file)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_silent(domain):
                stack.push(claim.pop_all())
                return domain
    raise ConfigurationError(
        f'all ROS domains from {domains[0]} to {domains[-1]} are in use on this machine; end'
        ' what runs in one of them')


def _open(path: Path) -> int:
    """Open a file for a lock, for which reading suffices; it may be another user's.

    In a folder for all, Linux lets nobody open the file of another with O_CREAT.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        file = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o444)
        # Whatever the umask.
        os.fchmod(file, 0o444)
        return file


def _is_silent(domain: int) -> bool:
    for offset in (_MULTICAST, _FIRST_UNICAST):
        # Without SO_REUSEADDR the port cannot be had if anybody else has it.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as trial:
            try:
                trial.bind(('', _FIRST_PORT + _PORTS_PER_DOMAIN * domain + offset))
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    return False
    return True
