# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The feed of a recording: plays, pauses, seeks; one place in time for all viewers."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
import contextlib
from functools import partial
import time

import numpy as np

from racecar.cockpit.feed import Feed, Message, Outlet
from racecar.cockpit.frames import json_frame, state_frame
from racecar.cockpit.replay.recording import (
    BLOCK,
    Block,
    block_of,
    Recording,
    TimedFrame,
)

# Of wall time [s]: between two batches, between two words about the time, between pictures.
_TICK, _TELL_PERIOD, _PICTURE_PERIOD = 1.0 / 60.0, 0.2, 0.1
# Who has not sought again for so long wants to stay [s].
_SETTLED = 0.25
# Samples before the present that plots get after a seek [s].
HISTORY = 20.0
# A computer that was asleep does not catch up [s].
_LONGEST_STEP = 0.25
# A picture that is older than this is not shown after a seek [s].
_FRESH = 1.0
_CACHED_BLOCKS = 64
_MOST_ROWS = 60000

Give = Callable[[bytes], object]
"""Takes a frame."""


class ReplayFeed(Feed):
    """Gives frames of a recording as they were recorded; begins with the first viewer."""

    takes = ('play', 'pause', 'resume', 'seek', 'rate')

    def __init__(self, recording: Recording, *, start: float = 0.0) -> None:
        """start: where to begin [s]."""
        self._recording = recording
        self._blocks: OrderedDict[int, asyncio.Future[Block]] = OrderedDict()
        # One thread: recordings are not asked by two at a time.
        self._reader = ThreadPoolExecutor(1, 'replay')
        self._outlet: Outlet | None = None
        self._time = min(max(start, 0.0), recording.end)
        self._rate = 1.0
        self._playing = False
        self._began = False
        self._sought: float | None = self._time
        self._settles_at: float | None = None
        self._changed = asyncio.Event()
        self._newcomers: set[int] = set()
        self._wants_pictures = self._owes_picture = False
        self._picture_due = 0.0
        self._sent_at = 0.0

    @property
    def is_settled(self) -> bool:
        """Whether all is shown that was asked for, but for what is played."""
        return self._sought is None and self._settles_at is None and not self._newcomers

    # Feed

    @property
    def welcome(self) -> Mapping[str, object]:
        """Mode and nothing to choose from."""
        return {'mode': 'replay', 'configurations': []}

    async def run(self, outlet: Outlet) -> None:
        """Give frames until cancelled."""
        self._outlet = outlet
        for frame in (*self._recording.opening, json_frame(
                'session', state='running', name=self._recording.name, options={}, text='')):
            outlet.publish(frame)
        try:
            before = time.monotonic()
            while True:
                now = time.monotonic()
                await self._go_on(min(now - before, _LONGEST_STEP))
                before = now
                await self._wait()
        finally:
            self._reader.shutdown(cancel_futures=True)

    def joined(self, viewer: int) -> None:
        """Show a viewer what the others see; the first one begins the replay."""
        if not self._began:
            self._began = self._playing = True
        self._newcomers.add(viewer)
        self._changed.set()

    def left(self, viewer: int) -> None:
        """Forget a viewer."""
        self._newcomers.discard(viewer)

    def want_pictures(self, wanted: bool) -> None:
        """Read pictures, or none."""
        self._wants_pictures = self._owes_picture = wanted and self._recording.has_pictures
        self._changed.set()

    async def ask(self, viewer: int, message: Message) -> None:
        """Play, pause, go somewhere else, or at another rate."""
        kind = message['type']
        if kind in ('play', 'resume'):
            if self._time >= self._recording.end:
                self._sought = 0.0
            self._playing = True
        elif kind == 'pause':
            self._playing = False
        elif kind == 'rate':
            self._rate = message['value']
        else:
            self._sought = min(max(message['time'], 0.0), self._recording.end)
        self._sent_at = 0.0
        self._changed.set()

    # Time

    async def _wait(self) -> None:
        """Wait for the next batch, or until something is to be done."""
        pause = _TICK if self._playing else None
        if self._settles_at is not None and not self._playing:
            pause = max(0.0, self._settles_at - time.monotonic())
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), pause)
        self._changed.clear()

    async def _go_on(self, step: float) -> None:
        """Show what is new after a step of wall time [s]."""
        assert self._outlet is not None
        if self._newcomers:
            await self._greet(self._newcomers.pop())
        elif self._sought is not None:
            wanted, self._sought = self._sought, None
            await self._show(wanted, 0.0, self._outlet.publish)
            # More of what was before takes longer, and nobody sees it who seeks on.
            self._settles_at = (time.monotonic() + _SETTLED if _has_history(wanted) else None)
        elif self._settles_at is not None and time.monotonic() >= self._settles_at:
            await self._show(self._time, HISTORY, self._outlet.publish)
            self._settles_at = None
        elif self._playing:
            await self._advance(step * self._rate)
        if self._owes_picture:
            self._owes_picture = False
            await self._publish_picture(self._time - _FRESH)
        self._tell()

    async def _greet(self, viewer: int) -> None:
        """Tell a viewer what is missing, and give it what is not kept for those who come later."""
        assert self._outlet is not None
        self._changed.set()
        for note in self._recording.notes:
            self._outlet.tell(viewer, json_frame('log', level='warn', node='replay', text=note))
        await self._show(self._time, HISTORY, partial(self._outlet.tell, viewer))

    async def _advance(self, step: float) -> None:
        assert self._outlet is not None
        before, index = self._time, block_of(self._time)
        # No further than the next block, if reading them takes longer than playing.
        target = min(before + step, self._recording.end,
                     float(np.nextafter((index + 2) * BLOCK, 0.0)))
        blocks = [await self._block(index)]
        if block_of(target) > index:
            blocks.append(await self._block(index + 1))
        elif (index + 1) * BLOCK <= self._recording.end:
            # It is there when it is needed.
            self._load(index + 1)
        if self._sought is not None:
            return
        self._time = target
        self._give_rows(blocks, before, target, self._outlet.publish)
        self._give_frames([
            *(row for row in self._recording.latched if before < row.time <= target),
            *(row for row in _frames_of(blocks) if before < row.time <= target)],
            self._outlet.publish)
        await self._publish_picture(before)
        if target >= self._recording.end:
            self._playing = False
            self._sent_at = 0.0

    async def _show(self, wanted: float, history: float, give: Give) -> None:
        """Show a time with the samples before it; history: how far they reach at least [s]."""
        blocks = []
        for index in range(_first_block(wanted, history), block_of(wanted) + 1):
            blocks.append(await self._block(index))
            if self._sought is not None:
                return
        self._time = wanted
        self._give_rows(blocks, -np.inf, wanted, give)
        self._give_frames([
            *(row for row in self._recording.latched if row.time <= wanted),
            *(row for row in _frames_of(blocks)
              if row.key and wanted - row.lasts <= row.time <= wanted)], give)
        self._owes_picture = self._wants_pictures

    # Blocks

    def _load(self, index: int) -> asyncio.Future[Block]:
        """Begin to read a block, unless that has begun already."""
        found = self._blocks.get(index)
        if found is None:
            found = self._blocks[index] = asyncio.get_running_loop().run_in_executor(
                self._reader, self._recording.block, index)
            while len(self._blocks) > _CACHED_BLOCKS:
                self._blocks.popitem(last=False)
        self._blocks.move_to_end(index)
        return found

    async def _block(self, index: int) -> Block:
        return await asyncio.shield(self._load(index))

    # Frames

    def _give_rows(
        self, blocks: list[Block], after: float, until: float, give: Give,
    ) -> None:
        """Give samples after a time and up to another."""
        for robot, parts in enumerate(zip(*(block.robots for block in blocks), strict=True)):
            times = np.concatenate([part.times for part in parts])
            first, last = np.searchsorted(times, (after, until), side='right')
            if last == first:
                continue
            values = np.concatenate([part.values for part in parts])
            for start in range(first, last, _MOST_ROWS):
                stop = min(last, start + _MOST_ROWS)
                give(state_frame(robot, times[start:stop], values[start:stop]))

    def _give_frames(self, frames: list[TimedFrame], give: Give) -> None:
        """Give the newest of each key, and all that have none."""
        newest = {row.key: row for row in frames}
        for row in frames:
            if not row.key or newest[row.key] is row:
                give(row.frame)

    async def _publish_picture(self, after: float) -> None:
        now = time.monotonic()
        if not self._wants_pictures or now < self._picture_due:
            return
        assert self._outlet is not None
        self._picture_due = now + _PICTURE_PERIOD
        # Also what came while none was due.
        since = min(after, self._time - _PICTURE_PERIOD * max(1.0, self._rate))
        frame = await asyncio.get_running_loop().run_in_executor(
            self._reader, self._recording.picture, since, self._time)
        if frame is not None:
            self._outlet.publish(frame)

    def _tell(self) -> None:
        """Say where the replay is, some times a second."""
        now = time.monotonic()
        if now - self._sent_at < _TELL_PERIOD:
            return
        assert self._outlet is not None
        self._sent_at = now
        self._outlet.publish(json_frame(
            'replay', begin=0.0, end=self._recording.end, time=self._time,
            playing=self._playing, rate=self._rate))
        self._outlet.publish(json_frame(
            'clock', time=self._time, factor=self._rate, wanted_factor=self._rate,
            paused=not self._playing))


def _frames_of(blocks: Iterable[Block]) -> Iterator[TimedFrame]:
    return (row for block in blocks for robot in block.robots for row in robot.frames)


def _first_block(wanted: float, history: float) -> int:
    return block_of(max(0.0, wanted - history))


def _has_history(wanted: float) -> bool:
    return _first_block(wanted, HISTORY) < block_of(wanted)
