# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Priority multiplexer of commands after ackermann_cmd_mux of the MIT RACECAR.

The source that holds the mux is forwarded; a source of strictly higher priority takes it over; a
holder that falls silent loses it. Unlike the original, the moment it falls vacant is reported,
so that the car can be told to stop, and a holder that falls silent is followed by the highest
source that still speaks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from racecar.base.last_stamp import LastStamp
from racecar.base.types import AckermannCommand, NANOSECONDS

IDLE = 'idle'
"""What a mux that nobody holds says."""

LONGEST_TIMEOUT = 3600.0
"""A source that is silent for longer than this has fallen silent in any case [s]."""

ACKERMANN, TWIST = 'ackermann', 'twist'
"""Types of the commands of a source: speed and steering angle, or speed and yaw rate."""

PRIORITY, NEWEST, HELD = 'priority', 'newest', 'held'
"""Ways to choose among sources that speak: the highest one, or the one that spoke last; HELD: the
one that spoke last, however long ago, as in simulators that hold their last command."""


@dataclass(frozen=True)
class Source:
    """One source of commands: name shown as the holder, timeout [s], priority (higher wins).

    forwarded: names of the inputs whose commands are forwarded while it holds the mux; holds: of
    those whose commands hold it without being forwarded; yields: of those whose commands say that
    the source has nothing to command, and let it go at once. type: ACKERMANN or TWIST, of its
    commands. full_scale: speed [m/s] and steering angle [rad] that a command of 1 stands for; None
    for commands in these units.
    """

    name: str
    forwarded: tuple[str, ...]
    timeout: float
    priority: int
    holds: tuple[str, ...] = ()
    yields: tuple[str, ...] = ()
    type: str = ACKERMANN
    full_scale: AckermannCommand | None = None

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of all its inputs."""
        return (*self.forwarded, *self.holds, *self.yields)

    @property
    def timeout_ns(self) -> int:
        """Timeout [ns]."""
        return round(self.timeout * NANOSECONDS)


RACE_INPUT = 'race'
"""Input of the referee of a race, who may hold a car over all other sources."""


def with_referee(sources: tuple[Source, ...]) -> tuple[Source, ...]:
    """Sources with the referee above them; a person may be who races."""
    highest = max((source.priority for source in sources), default=0)
    return (Source('Race', (RACE_INPUT,), 0.2, highest + 1), *sources)


class CommandMux:
    """Decides which source is forwarded; times are integer nanoseconds of one clock."""

    def __init__(self, sources: tuple[Source, ...], arbitration: str = PRIORITY) -> None:
        """arbitration: PRIORITY, NEWEST or HELD."""
        self._newest_governs = arbitration in (NEWEST, HELD)
        self.holds_last = arbitration == HELD
        self._priorities = {source.name: source.priority for source in sources}
        self._timeouts = {source.name: source.timeout_ns for source in sources}
        self._holder: str | None = None
        # The newest command of each source that still speaks, whether it holds the mux or not.
        self._heard: dict[str, LastStamp] = {}

    @property
    def active(self) -> str:
        """Name of the source that holds the mux, or `idle`."""
        return self._holder or IDLE

    @property
    def expires_at(self) -> int | None:
        """When the holder loses the mux unless it speaks again [ns]; None while idle or never."""
        if self._holder is None or self.holds_last:
            return None
        return self._heard[self._holder].stamp_ns + self._timeouts[self._holder]

    def receive(self, name: str, stamp_ns: int) -> bool:
        """Note a command stamped so and return whether it is to be forwarded."""
        self._heard[name] = LastStamp(stamp_ns)
        priority = self._priorities[name]
        if not self._newest_governs and any(
                self._priorities[other] > priority for other in self._heard):
            return False
        self._holder = name
        return True

    def release(self, name: str) -> None:
        """Let a source go that has nothing to command; who still speaks follows."""
        self._heard.pop(name, None)
        if self._holder == name:
            self._follow()

    def expire(self, now_ns: int) -> bool:
        """Drop sources that have been silent too long; True if the mux falls vacant by it.

        A holder that falls silent is followed by the highest source that still speaks.
        """
        if self.holds_last:
            return False
        silent = [name for name, heard in self._heard.items()
                  if heard.age_ns(now_ns) >= self._timeouts[name]]
        for name in silent:
            del self._heard[name]
        if self._holder is None or self._holder in self._heard:
            return False
        self._follow()
        return self._holder is None

    def _follow(self) -> None:
        self._holder = max(self._heard, key=self._priorities.__getitem__, default=None)


class _Word(NamedTuple):
    stamp_ns: int
    act: Callable[[], object]


class Moment:
    """What is said of one moment in lockstep, kept until all who are awaited have spoken.

    A source that may yield, as a safety node, decides whether the others are forwarded: of
    messages that come in any order, its own has to count first.
    """

    def __init__(self, order: Sequence[str]) -> None:
        """order: names of who is awaited, in the order in which they count."""
        self._order = order
        self._words: dict[str, _Word] = {}

    def note(self, name: str, stamp_ns: int, act: Callable[[], object]) -> bool:
        """Keep what to do for one of them at a stamp; do all of it once all have spoken.

        Returns whether that was now.
        """
        self._words[name] = _Word(stamp_ns, act)
        words = [self._words.get(other) for other in self._order]
        acts = [word.act for word in words if word is not None and word.stamp_ns == stamp_ns]
        if len(acts) < len(self._order):
            return False
        self._words.clear()
        for do in acts:
            do()
        return True
