# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a process beside the server sends to the pages, through the server of the cockpit."""

from __future__ import annotations

from typing import Protocol

from racecar.cockpit.frames import json_frame


class Way(Protocol):
    """The way to the server."""

    def send(self, frame: bytes, key: str = '') -> None:
        """Send a frame; key: as FrameQueue.put(). For any thread."""


class Pages:
    """All pages of the cockpit; any thread may send."""

    def __init__(self, link: Way) -> None:
        self._link = link

    def send(self, frame: bytes, key: str = '') -> None:
        """Send a frame; key: as FrameQueue.put()."""
        self._link.send(frame, key)

    def log(self, level: str, text: str, node: str = 'cockpit') -> None:
        """Add a line to the log; level: debug, info, warn, error or fatal."""
        self.send(json_frame('log', level=level, node=node, text=text))

    def report_state(self, state: str, text: str) -> None:
        """Report that the robot is `starting`, `running` or `lost`, with a sentence about it."""
        self.send(json_frame('bridge', state=state, text=text), 'bridge')
