# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A process that a feed believes to have started."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from served import DEADLINE

from racecar.cockpit.frames import json_frame, read_json
from racecar.cockpit.link import check_length, LENGTH, packed


class FakeChild:
    """In the place of a process; the test plays its bridge."""

    started: ClassVar[asyncio.Queue[FakeChild]]
    """Those that were started; a test gives a new queue."""

    def __init__(self, words):
        self.words = words
        self.code = asyncio.get_running_loop().create_future()
        self.error = ''
        self.was_ended = False
        FakeChild.started.put_nowait(self)

    @classmethod
    async def start(cls, words):
        return cls(words)

    @classmethod
    async def start_module(cls, module):
        return cls([module])

    async def wait(self):
        return await asyncio.shield(self.code)

    async def end(self):
        self.was_ended = True

    async def connect(self):
        """Be its bridge."""
        self.reader, self.writer = await asyncio.open_unix_connection(self.words[-1])
        self.say('bridge', state='running', text='it runs')

    def say(self, kind, **fields):
        self.writer.write(packed(json_frame(kind, **fields)))

    async def hear(self):
        """Return what the server says next."""
        async with asyncio.timeout(DEADLINE):
            length = check_length(await self.reader.readexactly(LENGTH.size))
            return read_json(await self.reader.readexactly(length))

    async def hear_of(self, kind):
        while (found := await self.hear())['type'] != kind:
            pass
        return found
