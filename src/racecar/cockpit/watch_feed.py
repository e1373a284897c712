# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The feed of a command that shows its own run: it begins with the first page and has an end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
import contextlib
from pathlib import Path
from typing import NamedTuple

from racecar.base.errors import RacecarError
from racecar.cockpit.feed import Outlet
from racecar.cockpit.link import Job
from racecar.cockpit.live_feed import AttachFeed, CockpitFeed, ENDED, LOST
from racecar.cockpit.serving import served

# Between two looks whether the pages are there [s].
_PERIOD = 0.05
# A page that is loaded anew is away for less than that [s].
_RELOADING = 3.0


class RunResult(NamedTuple):
    """The end of a run: its state, a sentence, and the paths of HTML report and recording."""

    state: str
    text: str
    report: Path | None = None
    recording: Path | None = None


class WatchFeed(AttachFeed):
    """Shows the run of another process, the command, and at its end the result."""

    mode = 'watch'

    def __init__(
        self, words: Sequence[str], text: str, name: str, *,
        on_first_page: Callable[[bool], object],
        result: Callable[[], Awaitable[RunResult | None]],
        on_result_shown: Callable[[bool], object], longest_wait: float,
    ) -> None:
        """words, text: as for AttachFeed; name: of what runs, for people.

        on_first_page: called once, with whether a page shows the run, at the latest after
        longest_wait [s]. result: waits for the result; None once the command has ended.
        on_result_shown: called with whether any page shows it; if none does, the feed ends.
        """
        super().__init__(words, text)
        self._name = name
        self._on_first_page = on_first_page
        self._result = result
        self._on_result_shown = on_result_shown
        self._longest_wait = longest_wait
        self._no_browser = asyncio.Event()
        self._results = contextlib.AsyncExitStack()
        self._next: CockpitFeed | None = None

    @property
    def welcome(self) -> Mapping[str, object]:
        """The mode, and what runs."""
        return {**super().welcome, 'name': self._name}

    async def begin(self) -> None:
        """Start the bridge."""
        await self.start_child(Job(self._name, {}, self._words), self._text)

    def expect_no_page(self) -> None:
        """Do not wait for a page: no browser could be opened."""
        self._no_browser.set()

    async def run(self, outlet: Outlet) -> None:
        """Relay until the command or, after the result, the last page has gone.

        That of the cockpit for the next run, which the result leads to, counts as well.
        """
        tasks = {asyncio.create_task(super().run(outlet)),
                 asyncio.create_task(self._follow_command())}
        try:
            async with self._results:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow_command(self) -> None:
        first = asyncio.ensure_future(self._result())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._longest_wait):
                while not (self._is_seen or self._no_browser.is_set() or first.done()):
                    await asyncio.sleep(_PERIOD)
        self._on_first_page(self._is_seen)
        found = await first
        await self._show(found or RunResult(LOST, 'the command that ran it was killed'))
        self._on_result_shown(self.has_viewers)
        async with self._changing:
            await self._end_child()
        gone = asyncio.create_task(self._until_gone())
        ended = asyncio.ensure_future(self._result())
        await asyncio.wait({gone, ended}, return_when=asyncio.FIRST_COMPLETED)
        gone.cancel()
        ended.cancel()

    @property
    def _is_seen(self) -> bool:
        """Whether there are a page and, unless it has failed, the bridge."""
        return self.has_viewers and (
            not self.is_running or self._link is not None and self._link.is_connected)

    async def _until_gone(self) -> None:
        patience = _PERIOD
        while patience > 0.0:
            is_open = self.has_viewers or self._next is not None and self._next.has_viewers
            patience = _RELOADING if is_open else patience - _PERIOD
            await asyncio.sleep(_PERIOD)

    async def _show(self, result: RunResult) -> None:
        links = []
        if result.report is not None:
            self.report = result.report
            links.append({'text': 'Report', 'address': '/report'})
        if result.recording is not None and self.has_viewers:
            # Imported here, so that the page does not wait for vehicles and readers of bags.
            from racecar.cockpit.replay.feed import ReplayFeed
            from racecar.cockpit.replay.opening import open_recording

            with contextlib.suppress(RacecarError):
                recording = await asyncio.to_thread(open_recording, result.recording)
                self._results.callback(recording.close)
                links.append({'text': 'Replay', 'address': await self._results.enter_async_context(
                    served(ReplayFeed(recording)))})
        if self.has_viewers:
            self._next = CockpitFeed(with_nodes=False)
            with contextlib.suppress(RacecarError):
                links.append({
                    'text': 'Start another',
                    'address': await self._results.enter_async_context(served(self._next))})
        self._session['result'] = {
            'text': result.text, 'links': links,
            'files': [str(path) for path in (result.report, result.recording) if path is not None]}
        self._say(result.state, result.text)

    def _on_bridge_state(self, state: str, text: str) -> None:
        if 'result' in self._session:
            return
        if state == LOST:
            # The command runs, so nothing is lost: it evaluates a drive, or prepares the next.
            state, text = ENDED, 'the drive has ended, or somebody has paused it'
        super()._on_bridge_state(state, text)
