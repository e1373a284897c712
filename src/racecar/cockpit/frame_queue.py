# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Frames that wait to be sent: bounded, whatever becomes of the reader."""

from __future__ import annotations

from collections import deque

from racecar.cockpit.frames import PICTURE, SCAN, STATE

# About a second of batches; of other messages that do not replace each other.
_MOST_STATES = 64
_MOST_OTHERS = 256


class FrameQueue:
    """Frames in the order in which they are to go.

    Of those with the same key the newest replaces the others. State of each robot comes in order
    and loses its oldest frames; of scans and pictures only the newest of each robot is kept.
    """

    def __init__(self) -> None:
        self._keyed: dict[str, bytes] = {}
        self._others: deque[bytes] = deque(maxlen=_MOST_OTHERS)
        self._states: dict[int, deque[bytes]] = {}
        self._newest: dict[bytes, bytes] = {}

    def put(self, frame: bytes, key: str = '') -> None:
        """Add a frame. key: of one that describes something; `robot N` of robot N."""
        if key:
            # The newest also comes last.
            self._keyed.pop(key, None)
            self._keyed[key] = frame
            kind, _, number = key.partition(' ')
            if kind == 'robot':
                # What waits may have other columns.
                self._states.pop(int(number), None)
        elif frame[0] == STATE:
            self._states.setdefault(frame[1], deque(maxlen=_MOST_STATES)).append(frame)
        elif frame[0] in (SCAN, PICTURE):
            self._newest[frame[:2]] = frame
        else:
            self._others.append(frame)

    def take(self) -> bytes | None:
        """Next frame; None if there is none."""
        if self._keyed:
            return self._keyed.pop(next(iter(self._keyed)))
        if self._others:
            return self._others.popleft()
        if self._states:
            robot = next(iter(self._states))
            # The robots in turn.
            waiting = self._states.pop(robot)
            frame = waiting.popleft()
            if waiting:
                self._states[robot] = waiting
            return frame
        if self._newest:
            return self._newest.pop(next(iter(self._newest)))
        return None
