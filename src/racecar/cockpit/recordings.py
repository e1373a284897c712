# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recordings that pages ask for: their folders and reports, and what pages may fetch of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
import contextlib
import datetime
from pathlib import Path
import time
from typing import Protocol

from racecar.base.errors import RacecarError, RunError
from racecar.base.run_file import CSV_NAME
from racecar.cockpit.access import LOOPBACK
from racecar.cockpit.child import Child
from racecar.cockpit.frames import json_frame

OFF, STARTING, ON, SAVING = 'off', 'starting', 'on', 'saving'

_ANALYSIS, _REPORT = 'analysis', 'report.html'
_CSV, _MCAP = 'csv', 'bag'


class Recorder(Protocol):
    """Records what runs, one recording at a time."""

    async def start(self, folder: Path) -> None:
        """Begin a recording in a folder that does not exist. Raises RunError."""

    async def stop(self) -> None:
        """Complete the recording; there is no folder if nothing came."""


class Recording:
    """A complete recording.

    folder: which holds a bag, a table of samples, or one of each of several cars. seconds: how
    long it was recorded. world, vehicle: names, None for what the recording itself says. cars:
    whose runs it holds, none of a single one.
    """

    def __init__(
        self, folder: Path, seconds: float, world: str | None, vehicle: str | None,
    ) -> None:
        self.folder = folder
        self.seconds = seconds
        self.world = world
        self.vehicle = vehicle
        self.cars: tuple[str, ...] = ()
        self.problem = ''
        self.is_analysed = False

    @property
    def report(self) -> Path:
        """Where its HTML report lies once it is analysed."""
        return self.folder / _ANALYSIS / _REPORT

    @property
    def bag(self) -> Path | None:
        """The MCAP file of a bag; None for a table of samples."""
        return next(iter(sorted(self.folder.glob('*.mcap'))), None)


class Recordings:
    """The recordings of a server, by number from 1 on; a context manager that ends what runs."""

    def __init__(
        self, recorder: Recorder, changed: Callable[[], object], *, folder: Path | None = None,
    ) -> None:
        """changed: called when message() has. folder: of the recordings, by default runs."""
        self._recorder = recorder
        self._changed = changed
        self._folder = folder or Path('runs')
        self._state = OFF
        self._began = 0.0
        self._now: Recording | None = None
        self._all: list[Recording] = []
        # One that begins is complete before it is ended.
        self._changing = asyncio.Lock()
        self._analyses: set[asyncio.Task[None]] = set()
        self._replays: dict[int, str] = {}
        self._served = contextlib.AsyncExitStack()

    def __len__(self) -> int:
        """Number of recordings that are complete."""
        return len(self._all)

    def message(self) -> bytes:
        """State and list as pages are told them."""
        return json_frame(
            'recordings', state=self._state,
            seconds=time.monotonic() - self._began if self._state == ON else 0.0,
            list=[self.describe(number) for number in range(1, len(self._all) + 1)])

    def describe(self, number: int) -> Mapping[str, object]:
        """A recording as pages are told it."""
        recording = self._all[number - 1]
        links = {'Report': 'report'} if recording.is_analysed else {}
        links |= {'Replay': 'replay'}
        if not recording.cars:
            links['CSV'] = _CSV
        if recording.bag is not None:
            links['Bag'] = _MCAP
        return {
            'number': number, 'name': recording.folder.name, 'seconds': recording.seconds,
            'folder': str(recording.folder), 'problem': recording.problem,
            'is_ready': recording.is_analysed or bool(recording.problem),
            'links': [{'text': text, 'address': f'/recordings/{number}/{kind}'}
                      for text, kind in links.items()]}

    async def begin(self, world: str | None = None, vehicle: str | None = None) -> None:
        """Begin to record what runs. Raises RunError if that is done already or cannot be."""
        if self._state != OFF:
            raise RunError(f'a recording is {self._state} already; end it first')
        self._say(STARTING)
        name = f'cockpit-{datetime.datetime.now():%Y%m%d-%H%M%S}'
        self._now = Recording((self._folder / name).resolve(), 0.0, world, vehicle)
        async with self._changing:
            try:
                await self._recorder.start(self._now.folder)
            except BaseException:
                self._say(OFF)
                raise
            self._began = time.monotonic()
            self._say(ON)

    async def end(self) -> None:
        """Complete the recording, and begin to make its report; nothing if none runs."""
        async with self._changing:
            if self._state != ON:
                return
            assert self._now is not None
            recording = self._now
            recording.seconds = time.monotonic() - self._began
            self._say(SAVING)
            try:
                await self._recorder.stop()
            finally:
                if recording.folder.exists():
                    await asyncio.to_thread(_note_cars, recording)
                    self._all.append(recording)
                    task = asyncio.create_task(self._analyse(recording))
                    self._analyses.add(task)
                    task.add_done_callback(self._analyses.discard)
                self._say(OFF)

    async def _analyse(self, recording: Recording) -> None:
        command = 'compare' if recording.cars else 'analyze'
        child = await Child.start(
            [command, str(recording.folder), '-o', str(recording.report.parent)])
        try:
            code = await child.wait()
            recording.is_analysed = code == 0 and recording.report.is_file()
            if not recording.is_analysed:
                recording.problem = child.error or 'there is nothing to report'
        finally:
            await child.end()
        self._changed()

    def _say(self, state: str) -> None:
        self._state = state
        self._changed()

    # What pages fetch

    def _find(self, number: int) -> Recording:
        if not 1 <= number <= len(self._all):
            raise RunError(f'there is no recording {number}')
        return self._all[number - 1]

    async def file(self, number: int, kind: str) -> tuple[Path, str]:
        """File of a recording, and its name for people; kind: report, csv or bag.

        Raises RacecarError if there is none.
        """
        recording = self._find(number)
        name = recording.folder.name
        if kind == 'report' and recording.is_analysed:
            return recording.report, f'{name}.html'
        if kind == _MCAP and recording.bag is not None:
            return recording.bag, f'{name}.mcap'
        if kind == _CSV:
            return await asyncio.to_thread(_table, recording), f'{name}.csv'
        raise RunError(f'recording {number} has no {kind}')

    async def replay(self, number: int, host: str = LOOPBACK) -> str:
        """Address of a page that replays a recording, served on a port of its own of host.

        Raises RacecarError for one that cannot be replayed.
        """
        recording = self._find(number)
        if number not in self._replays:
            # Imported here, so that the page does not wait for vehicles and readers of bags.
            from racecar.cockpit.replay.feed import ReplayFeed
            from racecar.cockpit.replay.opening import open_recording
            from racecar.cockpit.serving import served

            opened = await asyncio.to_thread(
                open_recording, recording.folder, recording.world, recording.vehicle)
            self._served.callback(opened.close)
            self._replays[number] = await self._served.enter_async_context(
                served(ReplayFeed(opened), host))
        return self._replays[number]

    async def __aenter__(self) -> Recordings:
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            await self.end()
        finally:
            for task in self._analyses:
                task.cancel()
            await asyncio.gather(*self._analyses, return_exceptions=True)
            await self._served.aclose()


def _note_cars(recording: Recording) -> None:
    from racecar.bags.runs import cars_of

    # Whoever makes the report says what cannot be read.
    with contextlib.suppress(RacecarError):
        recording.cars = cars_of(recording.folder)


def _table(recording: Recording) -> Path:
    """CSV file with the samples of a recording, made once. Raises RacecarError."""
    from racecar.analysis.run_csv import table_of
    from racecar.bags.runs import read_run

    if (recording.folder / CSV_NAME).is_file():
        return recording.folder / CSV_NAME
    path = recording.folder / _ANALYSIS / CSV_NAME
    if not path.is_file():
        run = read_run(recording.folder)
        path.parent.mkdir(exist_ok=True)
        table_of(run.motion, run.tracking).write_csv(path)
    return path
