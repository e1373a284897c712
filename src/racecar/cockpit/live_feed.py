# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Feeds of nodes that run: frames come from the bridge beside them, and requests go there.

The bridge is racecar.clients.cockpit_bridge, in another process: this one knows nothing of ROS.
"""

from __future__ import annotations

from abc import abstractmethod
import asyncio
from collections.abc import Collection, Mapping, Sequence
import contextlib
from typing import ClassVar

from racecar.base.errors import RunError
from racecar.cockpit import BRIDGE_OPTION
from racecar.cockpit.child import Child, how_it_ended
from racecar.cockpit.configurations import command_words, configurations
from racecar.cockpit.feed import Feed, Message, Outlet
from racecar.cockpit.frames import is_text, json_frame, read_json
from racecar.cockpit.link import LinkListener
from racecar.cockpit.wheel import Wheel

IDLE, STARTING, RUNNING, PAUSED = 'idle', 'starting', 'running', 'paused'
ENDED, FAILED, LOST = 'ended', 'failed', 'lost'

# Relayed to the bridge as they are.
_RELAYED = ('reset', 'pause', 'resume', 'step', 'factor', 'set_parameter')
_DRIVING = ('drive', 'pedals', 'gear', 'indicator', 'lamp')
_BEATS = ('drive', 'pedals')


class LiveFeed(Feed):
    """What the two live feeds have in common: a child with a bridge, and the wheel."""

    takes: ClassVar[Collection[str]] = (
        *_RELAYED, *_DRIVING, 'take_wheel', 'release_wheel')
    mode: ClassVar[str]

    def __init__(self) -> None:
        self._outlet: Outlet | None = None
        self._link: LinkListener | None = None
        self._watching: asyncio.Task[None] | None = None
        # Two pages may start something at the same time.
        self._changing = asyncio.Lock()
        self._is_over = False
        self._wants_pictures = False
        self._viewers: set[int] = set()
        self._wheel = Wheel(self._tell_driver, lambda: self._send('halt'))
        self._session: dict[str, object] = {
            'state': IDLE, 'name': '', 'options': {}, 'text': 'nothing runs'}

    @property
    def state(self) -> str:
        """State of the session."""
        return str(self._session['state'])

    @property
    def is_running(self) -> bool:
        """Whether there is a child."""
        return self._watching is not None and not self._watching.done()

    # Feed

    async def run(self, outlet: Outlet) -> None:
        """Relay until cancelled; what was started ends with it."""
        self._outlet = outlet
        self._tell()
        try:
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

    # The child

    async def start_child(
        self, words: Sequence[str], name: str, options: Mapping[str, object], text: str,
    ) -> None:
        """Start `racecar WORDS --bridge SOCKET` in the place of what runs."""
        async with self._changing:
            await self._end_child()
            if self._is_over or self._outlet is None:
                return
            self._outlet.forget()
            self._session = {
                'state': STARTING, 'name': name, 'options': dict(options), 'text': text}
            self._tell()
            self._watching = asyncio.create_task(self._watch(words))

    async def end_child(self, text: str) -> None:
        """End what runs, because somebody wants that."""
        async with self._changing:
            await self._end_child()
            self._say(ENDED, text)

    async def _end_child(self) -> None:
        watching, self._watching = self._watching, None
        if watching is not None:
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching
        self._wheel.clear()

    async def _watch(self, words: Sequence[str]) -> None:
        """Let the child live, and say how it ended."""
        try:
            await self._accompany(words)
        except OSError as error:
            self._say(FAILED, f'the process of the nodes cannot be started: {error}')

    async def _accompany(self, words: Sequence[str]) -> None:
        async with LinkListener(self._on_frame, self._wheel.clear) as link:
            self._link = link
            child = await Child.start([*words, BRIDGE_OPTION, str(link.path)])
            try:
                code = await child.wait()
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
                self._on_bridge_state(LOST if fields.get('state') == LOST else RUNNING,
                             str(fields.get('text', '')))
                return
            if kind == 'error' and isinstance(viewer := fields.get('viewer'), int):
                self._on_refusal(viewer, fields)
                return
            if kind == 'parameters' and fields.get('again'):
                self._outlet.keep(frame)
                return
            if kind == 'clock':
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
        if self._link is not None:
            self._link.send(json_frame(kind, **fields))

    # What pages get to know

    def _say(self, state: str, text: str) -> None:
        self._session = {**self._session, 'state': state, 'text': text}
        self._tell()

    def _tell(self) -> None:
        if self._outlet is not None:
            self._outlet.publish(json_frame('session', **self._session))

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
        self, first: str | None = None, options: Mapping[str, object] | None = None,
    ) -> None:
        """first, options: what to start at once. Raises ConfigurationError if that cannot be."""
        super().__init__()
        self._configurations = configurations()
        self._first = first
        self._options = options or {}
        if first is not None:
            command_words(first, self._options)

    @property
    def welcome(self) -> Mapping[str, object]:
        """The mode, and what may be started."""
        return {'mode': self.mode, 'configurations': self._configurations}

    async def begin(self) -> None:
        """Start what the command names."""
        if self._first is not None:
            await self._start(self._first, self._options)

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
        words = command_words(name, options)
        await self.start_child(words, name, options, f'{name} is starting')


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
        """The mode; there is nothing to start."""
        return {'mode': self.mode, 'configurations': []}

    async def begin(self) -> None:
        """Start the bridge."""
        await self.start_child(self._words, '', {}, self._text)
