# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The last samples of a robot, for pages that are opened during or after a run."""

from __future__ import annotations

from collections import deque

import numpy as np

from racecar.cockpit.frames import read_states, state_frame

MOST_ROWS = 24_000
"""As many as a page keeps."""


class RecentStates:
    """Frames of state of one robot and one run, the oldest dropped beyond MOST_ROWS."""

    def __init__(self) -> None:
        self._frames: deque[bytes] = deque()
        self._rows = 0
        self._columns = 0
        self._last = -np.inf

    def add(self, frame: bytes) -> None:
        """Add a frame; one that steps back in time or has other columns begins anew.

        Raises FrameError.
        """
        _, times, values = read_states(frame)
        rows, columns = values.shape
        if not rows:
            return
        if times[0] < self._last or columns != self._columns:
            self._frames.clear()
            self._rows, self._columns = 0, columns
        self._frames.append(frame)
        self._rows += rows
        self._last = times[-1]
        while self._rows > MOST_ROWS and len(self._frames) > 1:
            self._rows -= len(read_states(self._frames.popleft()).times)

    def __len__(self) -> int:
        return self._rows

    @property
    def frame(self) -> bytes:
        """All of them as one frame; there must be some."""
        read = [read_states(frame) for frame in self._frames]
        return state_frame(read[0].robot, np.concatenate([one.times for one in read]),
                           np.concatenate([one.values for one in read]))
