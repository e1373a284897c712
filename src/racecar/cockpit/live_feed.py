# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Feeds of what runs: frames come from a process beside the server, and requests go there.

That is racecar.cockpit.engine without ROS, else nodes with racecar.clients.cockpit_bridge: this
process knows nothing of ROS.
"""

from __future__ import annotations

from abc import abstractmethod
import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
import contextlib
import os
import sys
from typing import ClassVar

from racecar.base.errors import RacecarError, RunError
from racecar.cockpit.child import how_it_ended
from racecar.cockpit.configurations import command_words, configurations, stack_options
from racecar.cockpit.feed import Feed, Message, Outlet
from racecar.cockpit.frames import is_text, json_frame, read_json
from racecar.cockpit.link import Job, Link, LinkListener, PipeLink, Standby
from racecar.cockpit.recorders import BagRecorder, EngineRecorder
from racecar.cockpit.recordings import Recorder, Recordings
from racecar.cockpit.wheel import Wheel

IDLE, STARTING, RUNNING, PAUSED = 'idle', 'starting', 'running', 'paused'
ENDED, FAILED, LOST = 'ended', 'failed', 'lost'

# Relayed to the bridge as they are.
_RECORDED = 'record'
_RELAYED = ('reset', 'pause', 'resume', 'step', 'factor', 'set_parameter')
_DRIVING = ('drive', 'pedals', 'gear', 'indicator', 'lamp')
_BEATS = ('drive', 'pedals')


class LiveFeed(Feed):
    """What the live feeds have in common: a child that is linked, and the wheel."""

    takes: ClassVar[Collection[str]] = (
        *_RELAYED, *_DRIVING, 'take_wheel', 'release_wheel', _RECORDED)
    mode: ClassVar[str]
    recordings: Recordings

    def __init__(self) -> None:
        self._outlet: Outlet | None = None
        self._link: Link | None = None
        self._watching: asyncio.Task[None] | None = None
        # Two pages may start something at the same time.
        self._changing = asyncio.Lock()
        self._is_over = False
        self._wants_pictures = False
        self._viewers: set[int] = set()
        self._wheel = Wheel(self._tell_driver, lambda: self._send('halt'))
        self._session: dict[str, object] = {
            'state': IDLE, 'name': '', 'options': {}, 'text': 'nothing runs'}
        self._has_simulated_time = False
        # So many there were when what runs was started.
        self._recorded_before = 0
        self._recording_tasks: set[asyncio.Task[None]] = set()
        self.recordings = Recordings(self.make_recorder(), self._tell_recordings)

    def make_recorder(self) -> Recorder:
        """Make what records a run."""
        return BagRecorder(lambda: self._has_simulated_time)

    @property
    def state(self) -> str:
        """State of the session."""
        return str(self._session['state'])

    @property
    def is_running(self) -> bool:
        """Whether there is a child."""
        return self._watching is not None and not self._watching.done()

    @property
    def has_viewers(self) -> bool:
        """Whether a page shows it."""
        return bool(self._viewers)

    # Feed

    async def run(self, outlet: Outlet) -> None:
        """Relay until cancelled; what was started ends with it."""
        self._outlet = outlet
        self._tell()
        self._tell_recordings()
        try:
            async with self.recordings:
                await self.begin()
                await asyncio.Event().wait()
        finally:
            self._is_over = True
            # Somebody may be ending it, too; it is over for nobody before it is.
            async with self._changing:
                await self._end_child()

    @abstractmethod
    async def begin(self) -> None:
        """Start what runs from the beginning."""

    def on_recorded(self, fields: Mapping[str, object]) -> None:
        """Take the answer of a process that was asked to record."""

    def make_link(
        self, on_frame: Callable[[bytes], None], on_end: Callable[[], None],
    ) -> Link:
        """How to start what runs, and to talk with it; see Link."""
        return LinkListener(on_frame, on_end)

    def joined(self, viewer: int) -> None:
        """Send a new viewer who drives."""
        self._viewers.add(viewer)
        self._tell_driver()

    def left(self, viewer: int) -> None:
        """Stop the car if it drove."""
        self._viewers.discard(viewer)
        if self._wheel.forget(viewer):
            self._send('release')

    def want_pictures(self, wanted: bool) -> None:
        """Tell the bridge; it listens to the camera only for somebody."""
        if wanted != self._wants_pictures:
            self._wants_pictures = wanted
            self._send('camera', wanted=wanted)

    async def ask(self, viewer: int, message: Message) -> None:
        """Handle a request of a page. Raises RacecarError for what is refused."""
        kind = message['type']
        if self._link is None or not self._link.is_connected:
            raise RunError(f"message '{kind}': nothing runs, so there is nobody to do it")
        if kind == _RECORDED:
            # It takes longer than a driver may be silent.
            task = asyncio.create_task(self._record(viewer, message['on']))
            self._recording_tasks.add(task)
            task.add_done_callback(self._recording_tasks.discard)
            return
        if kind == 'take_wheel':
            self._wheel.take(viewer)
            self._send('take', viewer=viewer, manual=message['manual'])
        elif kind == 'release_wheel':
            # Pages also say it to be sure.
            if self._wheel.release(viewer):
                self._send('hand_back')
        else:
            if kind in _BEATS:
                if not self._wheel.beat(viewer, message['sent']):
                    return
            elif kind in _DRIVING:
                self._wheel.check(viewer)
            self._send(kind, viewer=viewer, **{
                key: value for key, value in message.items() if key not in ('type', 'sent')})

    async def _record(self, viewer: int, on: bool) -> None:
        """Begin or end a recording; answers its viewer if that fails."""
        assert self._outlet is not None
        options = self._session['options']
        world, vehicle = (options.get(name) if isinstance(options, Mapping) else None
                          for name in ('world', 'vehicle'))
        try:
            if on:
                await self.recordings.begin(
                    world if isinstance(world, str) else None,
                    vehicle if isinstance(vehicle, str) else None)
            else:
                await self.recordings.end()
        except RacecarError as error:
            self._outlet.tell(viewer, json_frame('error', text=str(error)))

    # The child

    async def start_child(self, job: Job, text: str) -> None:
        """Start a process in the place of what runs; text: about that, for people."""
        async with self._changing:
            await self._end_child()
            if self._is_over or self._outlet is None:
                return
            self._outlet.forget()
            self._has_simulated_time = False
            self._recorded_before = len(self.recordings)
            self._session = {
                'state': STARTING, 'name': job.name, 'options': dict(job.options), 'text': text}
            self._tell()
            self._watching = asyncio.create_task(self._watch(job))

    async def end_child(self, text: str) -> None:
        """End what runs, because somebody wants that."""
        async with self._changing:
            await self._end_child()
            self._say(ENDED, text)

    async def _end_child(self) -> None:
        await self.recordings.end()
        watching, self._watching = self._watching, None
        if watching is not None:
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching
        self._wheel.clear()

    async def _watch(self, job: Job) -> None:
        """Let the child live, and say how it ended."""
        try:
            await self._accompany(job)
        except OSError as error:
            self._say(FAILED, f'the process cannot be started: {error}')

    async def _accompany(self, job: Job) -> None:
        async with self.make_link(self._on_frame, self._wheel.clear) as link:
            self._link = link
            child = await link.start(job)
            try:
                code = await child.wait()
                await link.rest()
                await self.recordings.end()
                state, text = how_it_ended(code, child.error)
                self._wheel.clear()
                self._say(state, text)
            finally:
                self._link = None
                await child.end()

    def _on_frame(self, frame: bytes) -> None:
        """Relay a frame of the bridge, but for what it says to the server. Raises FrameError."""
        assert self._outlet is not None
        if is_text(frame):
            fields = read_json(frame)
            kind = fields['type']
            if kind == 'bridge':
                state = fields.get('state')
                self._on_bridge_state(
                    str(state) if state in (LOST, STARTING) else RUNNING,
                    str(fields.get('text', '')))
                return
            if kind == 'error' and isinstance(viewer := fields.get('viewer'), int):
                self._on_refusal(viewer, fields)
                return
            if kind == 'recorded':
                self.on_recorded(fields)
                return
            if kind == 'parameters' and fields.get('again'):
                self._outlet.keep(frame)
                return
            if kind == 'clock':
                self._has_simulated_time = fields.get('wanted_factor') is not None
                self._note_pause(bool(fields.get('paused')))
        self._outlet.publish(frame)

    def _on_bridge_state(self, state: str, text: str) -> None:
        self._say(state, text)
        # It may have come only now.
        self._send('camera', wanted=self._wants_pictures)

    def _on_refusal(self, viewer: int, fields: Mapping[str, object]) -> None:
        assert self._outlet is not None
        if fields.get('of') == 'take':
            self._wheel.release(viewer)
        self._outlet.tell(viewer, json_frame('error', **{
            key: value for key, value in fields.items() if key in ('text', 'node', 'name')}))

    def _note_pause(self, paused: bool) -> None:
        if self.state in (RUNNING, PAUSED) and paused != (self.state == PAUSED):
            self._say(PAUSED if paused else RUNNING, str(self._session['text']))

    def _send(self, kind: str, **fields: object) -> None:
        self._send_frame(json_frame(kind, **fields))

    def _send_frame(self, frame: bytes) -> bool:
        """Send a frame; False if there is nobody to have it."""
        if self._link is None or not self._link.is_connected:
            return False
        self._link.send(frame)
        return True

    # What pages get to know

    def _say(self, state: str, text: str) -> None:
        self._session = {**self._session, 'state': state, 'text': text}
        self._tell()

    def _tell(self) -> None:
        if self._outlet is not None:
            self._outlet.publish(json_frame(
                'session', **{**self._recorded_result(), **self._session}))

    def _recorded_result(self) -> Mapping[str, object]:
        """What an ended run has left: its last recording."""
        count = len(self.recordings)
        if self.state not in (ENDED, FAILED, LOST) or count <= self._recorded_before:
            return {}
        last = self.recordings.describe(count)
        report = f"; no report: {last['problem']}" if last['problem'] else \
            '' if last['is_ready'] else '; the report is being made'
        return {'result': {
            'text': f"{last['seconds']:.1f} s recorded{report}", 'links': last['links'],
            'files': [last['folder']]}}

    def _tell_recordings(self) -> None:
        if self._outlet is not None:
            self._outlet.publish(self.recordings.message())
        if len(self.recordings) > self._recorded_before and self.state in (ENDED, FAILED, LOST):
            self._tell()

    def _tell_driver(self) -> None:
        if self._outlet is None:
            return
        holder = self._wheel.holder
        for viewer in self._viewers:
            by = 'nobody' if holder is None else 'this page' if holder == viewer \
                else 'another page'
            self._outlet.tell(viewer, json_frame('driver', driving=holder == viewer, by=by))


class CockpitFeed(LiveFeed):
    """Starts and stops configurations, as pages ask."""

    takes = (*LiveFeed.takes, 'start', 'stop')
    mode = 'cockpit'

    def __init__(
        self, first: str | None = None, *, with_nodes: bool,
        options: Mapping[str, object] | None = None, presses: Sequence[str] | None = None,
    ) -> None:
        """first: what to start at once; with_nodes: run configurations by ROS.

        options: of the first. presses: as Job has them. Raises ConfigurationError if the first
        cannot be.
        """
        self._with_nodes = with_nodes
        self._first_options = options or {}
        self._presses = presses
        self._engine_recorder = EngineRecorder(self._send_frame)
        super().__init__()
        self._standby = Standby()
        self._is_seen = asyncio.Event()
        self._preparing: asyncio.Task[None] | None = None
        self._configurations = configurations(with_nodes=with_nodes)
        self._first = first
        if first is not None:
            self._job(first, self._first_options)

    @property
    def welcome(self) -> Mapping[str, object]:
        """The mode, and what may be started."""
        return {'mode': self.mode, 'configurations': self._configurations}

    def make_recorder(self) -> Recorder:
        """Make what records a run."""
        return super().make_recorder() if self._with_nodes else self._engine_recorder

    def on_recorded(self, fields: Mapping[str, object]) -> None:
        """Take the answer of the process that runs it, which was asked to record."""
        self._engine_recorder.hear(fields)

    def make_link(
        self, on_frame: Callable[[bytes], None], on_end: Callable[[], None],
    ) -> Link:
        """How to start what runs, and to talk with it; see Link."""
        return LinkListener(on_frame, on_end) if self._with_nodes \
            else PipeLink(on_frame, on_end, self._standby)

    async def run(self, outlet: Outlet) -> None:
        """Relay until cancelled; what was started ends with it."""
        try:
            await super().run(outlet)
        finally:
            await self._standby.end()

    async def begin(self) -> None:
        """Start what the command names; without ROS nobody sees it before the first page."""
        await self._prepare()
        if self._first is not None:
            if not self._with_nodes:
                await self._is_seen.wait()
            await self._start(self._first, self._first_options)

    def joined(self, viewer: int) -> None:
        """Send a new viewer who drives."""
        super().joined(viewer)
        self._is_seen.set()

    async def _prepare(self) -> None:
        """Have a process ready, so that the next start is a quick one."""
        if not self._with_nodes:
            with contextlib.suppress(OSError):
                await self._standby.prepare()

    def _on_bridge_state(self, state: str, text: str) -> None:
        super()._on_bridge_state(state, text)
        if state == RUNNING:
            self._preparing = asyncio.create_task(self._prepare())

    def _say(self, state: str, text: str) -> None:
        super()._say(state, text)
        if state in (FAILED, LOST):
            # In the terminal, too, for who looks there.
            print(f"racecar cockpit: {self._session['name']}: {text}", file=sys.stderr)

    async def ask(self, viewer: int, message: Message) -> None:
        """Start or stop a configuration; the rest as for a stack of somebody else's."""
        if message['type'] == 'start':
            await self._start(message['configuration'], message.get('options', {}))
        elif message['type'] == 'stop':
            if not self.is_running:
                raise RunError('nothing runs, so there is nothing to stop')
            await self.end_child('stopped')
        else:
            await super().ask(viewer, message)

    async def _start(self, name: str, options: Mapping[str, object]) -> None:
        await self.start_child(self._job(name, options), f'{name} is starting')

    def _job(self, name: str, options: Mapping[str, object]) -> Job:
        """What runs a configuration. Raises RacecarError for what does not fit together."""
        if self._with_nodes:
            return Job(name, options, command_words(name, options))
        stack_options(name, options)
        return Job(name, options, presses=self._presses)


class AttachFeed(LiveFeed):
    """Shows a stack that somebody else has started."""

    mode = 'attach'

    def __init__(self, words: Sequence[str], text: str) -> None:
        """words: arguments of `racecar` that run the bridge; text: what it shows, for people."""
        super().__init__()
        self._words = words
        self._text = text

    @property
    def welcome(self) -> Mapping[str, object]:
        """The mode, and the ROS domain that it looks at; there is nothing to start."""
        return {'mode': self.mode, 'configurations': [],
                'domain': os.environ.get('ROS_DOMAIN_ID') or '0'}

    async def begin(self) -> None:
        """Start the bridge."""
        await self.start_child(Job('', {}, self._words), self._text)
