# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The keys of a terminal, one by one and without waiting."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import termios
from typing import Any

from racecar.base.errors import ConfigurationError, excerpt
from racecar.control.teleop.key_events import KeyAction, KeyDecoder, KeyEvent
from racecar.terminal.modes import GONE, is_in_foreground, TerminalMode

# Of the keyboard protocol of kitty: tell releases, write every key as a sequence (1 + 2 + 8), ask
# what of it is on; back again. What a terminal does not know it ignores.
_PROTOCOL_ON, _PROTOCOL_OFF = b'\x1b[>11u\x1b[?u', b'\x1b[<u'
_FOCUS_ON, _FOCUS_OFF = b'\x1b[?1004h', b'\x1b[?1004l'
# In that protocol, what the terminal's driver turns into signals otherwise.
_SIGNALS = {'ctrl+c': signal.SIGINT, 'ctrl+z': signal.SIGTSTP, 'ctrl+\\': signal.SIGQUIT}

STANDARD_INPUT = ''


class Keyboard:
    """Keys as events, from open() to close(); Ctrl-C and Ctrl-Z go on being signals."""

    def __init__(self, path: str = STANDARD_INPUT, *, asks_for_releases: bool = True) -> None:
        """path: of a terminal device. asks_for_releases: whether the terminal is asked to tell.

        Raises ConfigurationError if it is no terminal, or not one that this process may use.
        """
        self._descriptor = _open(path)
        self._decoder = KeyDecoder()
        extras = (_PROTOCOL_ON + _FOCUS_ON, _FOCUS_OFF + _PROTOCOL_OFF) if asks_for_releases else (
            b'', b'')
        former = termios.tcgetattr(self._descriptor)
        on, off = extras

        def switch_on() -> None:
            # What was typed meanwhile is for nobody.
            termios.tcsetattr(self._descriptor, termios.TCSAFLUSH, _one_by_one(former))
            os.write(self._descriptor, on)

        def switch_off() -> None:
            os.write(self._descriptor, off)
            termios.tcsetattr(self._descriptor, termios.TCSAFLUSH, former)

        self._mode = TerminalMode(self._descriptor, switch_on, switch_off)
        self._mode.enter()

    def read(self) -> list[KeyEvent]:
        """Key events since the last call."""
        self._mode.resume()
        if not self._mode.is_on:
            return []
        data = b''
        try:
            if select.select([self._descriptor], [], [], 0.0)[0]:
                data = os.read(self._descriptor, 4096)
        except GONE:
            # Nobody is at the keys.
            return [KeyEvent('', KeyAction.FOCUS_LOST)]
        events = self._decoder.feed(data)
        for event in events:
            if event.key in _SIGNALS and event.action is not KeyAction.RELEASE:
                # To the whole group, as the terminal's driver does.
                os.killpg(0, _SIGNALS[event.key])
        return [event for event in events if event.key not in _SIGNALS]

    def write(self, text: str) -> None:
        """Write on the terminal."""
        data = text.encode()
        with contextlib.suppress(*GONE):
            while data and self._mode.is_on:
                data = data[os.write(self._descriptor, data):]

    def close(self) -> None:
        """Give the terminal back as it was."""
        self._mode.leave()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _open(path: str) -> int:
    remedy = 'start it in a terminal of its own'
    try:
        name = path or os.ttyname(0)
    except OSError:
        raise ConfigurationError(
            f'the standard input is no terminal, so there are no keys: {remedy}') from None
    try:
        descriptor = os.open(name, os.O_RDWR | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigurationError(
            f'terminal {excerpt(name)} cannot be opened: {reason}; {remedy}') from error
    problem = '' if os.isatty(descriptor) else 'is no terminal'
    if not problem and not is_in_foreground(descriptor):
        problem = 'is used by another process, this one runs in the background'
    if problem:
        os.close(descriptor)
        raise ConfigurationError(f'{excerpt(name)} {problem}: {remedy}')
    return descriptor


def _one_by_one(attributes: list[Any]) -> list[Any]:
    """Attributes in which keys come one by one and are not shown."""
    read, write, control, local, in_speed, out_speed, characters = attributes
    characters = [*characters]
    characters[termios.VMIN], characters[termios.VTIME] = 0, 0
    # Ctrl-S would hold up whoever writes, and with it a simulator.
    return [read & ~termios.IXON, write, control, local & ~(termios.ICANON | termios.ECHO),
            in_speed, out_speed, characters]
