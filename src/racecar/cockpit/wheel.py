# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The steering wheel: one viewer drives at a time, and who falls silent lets go of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from racecar.base.errors import ControlModeError
from racecar.cockpit.lateness import Lateness

HEARTBEAT = 0.25
"""A driver that says nothing for so long does not hold a key any more [s]."""


class Wheel:
    """Who holds it. Whoever holds it without a word may be relieved by another."""

    def __init__(
        self, on_change: Callable[[], None], on_silence: Callable[[], None],
    ) -> None:
        """on_change: somebody else holds it; on_silence: the driver has let go of all keys."""
        self.holder: int | None = None
        self._on_change = on_change
        self._on_silence = on_silence
        self._timer: asyncio.TimerHandle | None = None
        self._lateness: dict[int, Lateness] = {}
        self._is_late = False

    @property
    def is_driven(self) -> bool:
        """Whether the holder has said something of late."""
        return self._timer is not None

    def take(self, viewer: int) -> None:
        """Give it to a viewer. Raises ControlModeError while another one drives."""
        if self.holder not in (None, viewer) and self.is_driven:
            raise ControlModeError(
                'another page drives; take the wheel when it has let go of its keys')
        if self.holder != viewer:
            self.holder = viewer
            self._on_change()

    def check(self, viewer: int) -> None:
        """Raise ControlModeError unless this viewer holds it."""
        if self.holder != viewer:
            who = 'nobody does' if self.holder is None else 'another page does'
            raise ControlModeError(f'this page does not hold the wheel ({who}): take it first')

    def beat(self, viewer: int, sent: float) -> bool:
        """Note that its holder drives, and tell whether a command is to be obeyed.

        sent: when, by the clock of the viewer [s]. One that was held up on its way, as in a
        network that was cut, says nothing of what the driver wants now. Raises ControlModeError
        as check(), and for the first of those that come late.
        """
        late = self._lateness.setdefault(viewer, Lateness()).of(
            sent, asyncio.get_running_loop().time())
        self.check(viewer)
        was_late, self._is_late = self._is_late, late > HEARTBEAT
        if self._is_late:
            if not was_late:
                raise ControlModeError(
                    f'commands of this page came {late:.1f} s late and are not obeyed')
            return False
        self._cancel()
        self._timer = asyncio.get_running_loop().call_later(HEARTBEAT, self._on_timer)
        return True

    def forget(self, viewer: int) -> bool:
        """Take it from a viewer that has gone; tell whether that held it."""
        self._lateness.pop(viewer, None)
        return self.release(viewer)

    def release(self, viewer: int) -> bool:
        """Take it from a viewer; tell whether that held it."""
        if self.holder != viewer:
            return False
        self.clear()
        return True

    def clear(self) -> None:
        """Let nobody hold it."""
        self._cancel()
        if self.holder is not None:
            self.holder = None
            self._on_change()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_timer(self) -> None:
        self._timer = None
        self._on_silence()
