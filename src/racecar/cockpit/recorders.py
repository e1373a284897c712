# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What records a run: the bag recorder beside nodes, or the process that runs it without ROS."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
import json
import os
from pathlib import Path

from racecar.base.errors import RunError
from racecar.catalogue import node_names
from racecar.cockpit.child import Child
from racecar.cockpit.frames import json_frame

_LOOK_PERIOD = 0.05  # [s]
# For an answer of the process that runs it [s].
_PATIENCE = 10.0


class BagRecorder:
    """The bag recorder of this suite, which hears all topics of the ROS domain."""

    def __init__(self, has_simulated_time: Callable[[], bool]) -> None:
        """has_simulated_time: whether somebody makes the time, so that the bag is to have that."""
        self._has_simulated_time = has_simulated_time
        self._child: Child | None = None

    async def start(self, folder: Path) -> None:
        """Start the node, and wait until it records. Raises RunError if it cannot."""
        simulated = str(self._has_simulated_time()).lower()
        self._child = child = await Child.start_node([
            node_names.BAG_RECORDER, '--ros-args', '-p', f'folder:={json.dumps(str(folder))}',
            '-p', f'use_sim_time:={simulated}', '-r', f'__node:=_cockpit_recorder_{os.getpid()}'])
        ended = asyncio.ensure_future(child.wait())
        try:
            while not folder.exists():
                if ended.done():
                    raise RunError(f'nothing is recorded: {child.error}')
                await asyncio.sleep(_LOOK_PERIOD)
        except BaseException:
            await self.stop()
            raise
        finally:
            ended.cancel()

    async def stop(self) -> None:
        """Let the node close the bag, and end."""
        child, self._child = self._child, None
        if child is not None:
            await child.end()


class EngineRecorder:
    """Lets the process that runs a configuration write the table of its samples."""

    def __init__(self, send: Callable[[bytes], bool]) -> None:
        """send: gives that process a frame; whether there is one."""
        self._send = send
        self._answer: asyncio.Future[str] | None = None

    async def start(self, folder: Path) -> None:
        """Begin a table. Raises RunError if that cannot be."""
        if not await self._ask(json_frame('record', folder=str(folder))):
            raise RunError('nothing runs that could be recorded')

    async def stop(self) -> None:
        """Complete the table; a process that has ended has done so itself."""
        await self._ask(json_frame('end_recording'))

    async def _ask(self, frame: bytes) -> bool:
        """Wait for an answer, False if there is nobody to give it. Raises RunError for a no."""
        if not self._send(frame):
            return False
        self._answer = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(_PATIENCE):
                problem = await self._answer
        except TimeoutError:
            problem = f'the run has not answered for {_PATIENCE:g} s'
        if problem:
            raise RunError(f'nothing is recorded: {problem}')
        return True

    def hear(self, fields: Mapping[str, object]) -> None:
        """Take the answer of that process: what went wrong, or nothing."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(str(fields.get('problem', '')))
