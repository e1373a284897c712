# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What waits to be sent to one viewer."""

from __future__ import annotations

import asyncio

from racecar.cockpit.frame_queue import FrameQueue
from racecar.cockpit.frames import PICTURE


class Outbox:
    """A queue of frames for one loop; pictures only for who wants them."""

    def __init__(self) -> None:
        self._queue = FrameQueue()
        self._filled = asyncio.Event()
        self.wants_pictures = False

    def put(self, frame: bytes, key: str = '') -> None:
        """Add a frame as FrameQueue.put(); never waits."""
        if frame[0] != PICTURE or self.wants_pictures:
            self._queue.put(frame, key)
            self._filled.set()

    async def take(self) -> bytes:
        """Wait for a frame and return it."""
        while (frame := self._queue.take()) is None:
            self._filled.clear()
            await self._filled.wait()
        return frame
