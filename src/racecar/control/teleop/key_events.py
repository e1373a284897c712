# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The bytes of a terminal as key events.

A terminal tells that a key was pressed, and presses again while it repeats. With the keyboard
protocol of kitty (https://sw.kovidgoyal.net/kitty/keyboard-protocol), which several terminals
speak, it also tells when a key was released.
"""

from __future__ import annotations

from enum import auto, Enum
import re
from typing import NamedTuple

# Longer than any sequence that means something here; what is longer is dropped.
_LONGEST_SEQUENCE = 64

_ESCAPE = 0x1b
_CSI = re.compile(rb'\x1b\[([0-?]*)([ -/]*)([@-~])')
_SS3 = re.compile(rb'\x1bO([ -~])')
# Of a sequence that has begun and may go on.
_BEGUN = re.compile(rb'\x1b(\[[0-?]*[ -/]*|O)?')

_ARROWS = {'A': 'up', 'B': 'down', 'C': 'right', 'D': 'left'}
_NAMED = {' ': 'space', '\r': 'enter', '\n': 'enter', '\t': 'tab', '\x7f': 'backspace',
          '\x1b': 'escape'}
# Bit of the modifiers beside shift and caps lock, which letters have in themselves.
_CONTROL, _ALT = 4, 2


class KeyAction(Enum):
    """What happened."""

    PRESS = auto()
    """Also a repetition, where the terminal does not tell them apart."""
    REPEAT = auto()
    RELEASE = auto()
    FOCUS_LOST = auto()
    """The window is not the active one any more: releases are not heard of from now on."""
    SPEAKS_PROTOCOL = auto()
    """The terminal answers that it tells releases."""


class KeyEvent(NamedTuple):
    """A key and what happened to it.

    key: the character in lower case, or up, down, left, right, space, enter, tab, backspace,
    escape; ctrl+c for a key with control, alt+c with alt; empty for what is not about a key.
    """

    key: str
    action: KeyAction = KeyAction.PRESS


class KeyDecoder:
    """Turns bytes into events; sequences may come in pieces, those without meaning are skipped."""

    def __init__(self) -> None:
        self._rest = b''

    def feed(self, data: bytes) -> list[KeyEvent]:
        """Return the events that are complete; without data also an escape that ends there."""
        pending, self._rest = self._rest + data, b''
        events: list[KeyEvent] = []
        while pending:
            if pending[0] != _ESCAPE:
                character, pending = _next_character(pending)
                if character is None:
                    self._rest, pending = pending, b''
                else:
                    events += _event_of(character)
                continue
            match = _CSI.match(pending) or _SS3.match(pending)
            if match is not None:
                events += _event_of_sequence(match)
                pending = pending[match.end():]
            elif _BEGUN.fullmatch(pending) and data and len(pending) < _LONGEST_SEQUENCE:
                self._rest, pending = pending, b''
            else:
                events.append(KeyEvent('escape'))
                pending = pending[1:]
        return events


def _next_character(data: bytes) -> tuple[str | None, bytes]:
    """Return the first character of UTF-8 and the rest; None if it is not whole yet."""
    first = data[0]
    length = 1 if first < 0xc0 else 2 if first < 0xe0 else 3 if first < 0xf0 else 4
    if len(data) < length and all(byte & 0xc0 == 0x80 for byte in data[1:]):
        return None, data
    try:
        return data[:length].decode(), data[length:]
    except UnicodeDecodeError:
        return '', data[1:]


def _event_of(character: str) -> list[KeyEvent]:
    if character in _NAMED:
        return [KeyEvent(_NAMED[character])]
    if character and ord(character) < 0x20:
        return [KeyEvent(f'ctrl+{chr(ord(character) + 0x40).lower()}')]
    return [KeyEvent(character.lower())] if character.isprintable() and character else []


def _event_of_sequence(match: re.Match[bytes]) -> list[KeyEvent]:
    *_, final = (part.decode() for part in match.groups())
    text = match[1].decode() if len(match.groups()) > 1 else ''
    if text.startswith('?'):
        return [KeyEvent('', KeyAction.SPEAKS_PROTOCOL)] if final == 'u' else []
    if final == 'O' and not text:
        return [KeyEvent('', KeyAction.FOCUS_LOST)]
    fields = [field.split(':') for field in text.split(';')]
    modifiers, kind = _numbers(fields[1] if len(fields) > 1 else [], (1, 1))
    if final in _ARROWS:
        name = _ARROWS[final]
    elif final == 'u':
        code, = _numbers(fields[0], (0,))
        # Beyond are the numbers of keys without a character, such as shift itself.
        if not 0 < code < 0xe000:
            return []
        character = chr(code)
        name = _NAMED.get(character, character.lower() if character.isprintable() else '')
    else:
        return []
    action = {2: KeyAction.REPEAT, 3: KeyAction.RELEASE}.get(kind, KeyAction.PRESS)
    held = modifiers - 1
    prefix = 'ctrl+' if held & _CONTROL else 'alt+' if held & _ALT else ''
    return [KeyEvent(prefix + name, action)] if name else []


def _numbers(texts: list[str], defaults: tuple[int, ...]) -> tuple[int, ...]:
    given = [*texts, *[''] * len(defaults)][:len(defaults)]
    return tuple(int(text) if text.isdecimal() and len(text) < 9 else default
                 for text, default in zip(given, defaults, strict=True))
