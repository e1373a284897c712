# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Priority multiplexer of commands after ackermann_cmd_mux of the MIT RACECAR.

The source that holds the mux is forwarded; a source of strictly higher priority takes it over; a
holder that falls silent loses it. Unlike the original, the moment it falls vacant is reported,
so that the car can be told to stop, and a holder that falls silent is followed by the highest
source that still speaks.
"""

from __future__ import annotations

from dataclasses import dataclass

from racecar.core.types import NANOSECONDS

IDLE = 'idle'
"""What a mux that nobody holds says."""

LONGEST_TIMEOUT = 3600.0
"""A source that is silent for longer than this has fallen silent in any case [s]."""


@dataclass(frozen=True)
class Source:
    """One source of commands: name shown as the holder, timeout [s], priority (higher wins).

    forwarded: names of the inputs whose commands are forwarded while it holds the mux; holds: of
    those whose commands hold it without being forwarded.
    """

    name: str
    forwarded: tuple[str, ...]
    timeout: float
    priority: int
    holds: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of all its inputs."""
        return (*self.forwarded, *self.holds)

    @property
    def timeout_ns(self) -> int:
        """Timeout [ns]."""
        return round(self.timeout * NANOSECONDS)


class CommandMux:
    """Decides which source is forwarded; times are integer nanoseconds of one clock."""

    def __init__(self, sources: tuple[Source, ...]) -> None:
        self._priorities = {source.name: source.priority for source in sources}
        self._timeouts = {source.name: source.timeout_ns for source in sources}
        self._holder: str | None = None
        # When each source that still speaks falls silent, also of those that do not hold the mux.
        self._expiries: dict[str, int] = {}
        # None of them does so earlier than this.
        self._first_expiry = 0

    @property
    def active(self) -> str:
        """Name of the source that holds the mux, or `idle`."""
        return self._holder or IDLE

    @property
    def expires_at(self) -> int | None:
        """When the holder loses the mux unless it speaks again [ns]; None while idle."""
        return None if self._holder is None else self._expiries[self._holder]

    def receive(self, name: str, stamp_ns: int) -> bool:
        """Note a command stamped so and return whether it is to be forwarded."""
        expiry = self._expiries[name] = stamp_ns + self._timeouts[name]
        self._first_expiry = min(self._first_expiry, expiry)
        priority = self._priorities[name]
        for other in self._expiries:
            if self._priorities[other] > priority:
                return False
        self._holder = name
        return True

    def expire(self, now_ns: int) -> bool:
        """Drop sources that have been silent too long; True if the mux falls vacant by it.

        A holder that falls silent is followed by the highest source that still speaks.
        """
        if now_ns < self._first_expiry:
            return False
        self._expiries = {
            name: expiry for name, expiry in self._expiries.items() if now_ns < expiry}
        self._first_expiry = min(self._expiries.values(), default=now_ns)
        if self._holder is None or self._holder in self._expiries:
            return False
        self._holder = max(
            self._expiries, key=self._priorities.__getitem__, default=None)
        return self._holder is None
