# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a replay shows: a drive in blocks of time, each of which is read by itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
import math
from typing import NamedTuple

from racecar.base.columns import Array

BLOCK = 2.0
"""Length of a block [s]."""


class TimedFrame(NamedTuple):
    """A frame for pages that belongs to a time [s] of a recording.

    key: of frames with the same one only the newest counts; empty: each counts. lasts: how long
    it is shown after a seek [s], unless a newer one replaces it.
    """

    time: float
    key: str
    frame: bytes
    lasts: float = math.inf


class Block(NamedTuple):
    """The part of a drive from index * BLOCK on.

    times: (n,), ascending [s]; values: (n, columns); frames: what else belongs to these times.
    others: blocks of the same time of robots 1, 2 and so on, without others of their own.
    """

    times: Array
    values: Array
    frames: tuple[TimedFrame, ...] = ()
    others: tuple[Block, ...] = ()

    @property
    def robots(self) -> tuple[Block, ...]:
        """Of all robots, by their numbers."""
        return (self, *self.others)


class Recording(ABC):
    """A drive that was recorded; 0 s is its first sample.

    name: for people. end: of the last sample [s]. opening: frames that describe robot and
    surroundings. latched: frames of what seldom changes, of the whole drive, in order of time.
    notes: what is missing or was worked around, a sentence each. has_pictures: of a camera.
    Blocks and pictures may be asked for by any thread, by one at a time.
    """

    name: str
    end: float
    opening: tuple[bytes, ...]
    latched: tuple[TimedFrame, ...]
    notes: tuple[str, ...]
    has_pictures = False

    @abstractmethod
    def block(self, index: int) -> Block:
        """Block; its content depends on nothing but its index."""

    def picture(self, after: float, time: float) -> bytes | None:
        """Frame of the newest picture after a time and up to another [s], if any."""
        return None

    def close(self) -> None:  # noqa: B027
        """Let go of what is open."""


def block_of(time: float) -> int:
    """Index of the block of a time [s]."""
    return int(time // BLOCK)
