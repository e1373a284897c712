# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The game controller that programs ask: what is pressed when, by a script."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest
from racecar.neo.protocol import Button, is_fraction, Side

TRIGGERS = ('LT', 'RT')
JOYSTICKS = (('LX', 'LY'), ('RX', 'RY'))
"""Axes by their side: x to the right, y ahead."""

_NAMES = (*Button.__members__, *TRIGGERS, *JOYSTICKS[0], *JOYSTICKS[1])


class Press(NamedTuple):
    """A button, trigger or axis that is held from a time until another one [s].

    value: of a trigger, from 0 to 1, or an axis, from -1 to 1; 1 of a button.
    """

    name: str
    value: float = 1.0
    start: float = 0.0
    end: float = math.inf


def read_press(text: str) -> Press:
    """Read NAME[=VALUE][@START[-END]], such as A@1-1.5 or RT=0.5.

    Raises ConfigurationError for an unknown name, a value that the part cannot have, and times
    that are none or in the wrong order.
    """
    part, at, times = text.partition('@')
    name, equals, value = part.partition('=')
    name = name.strip().upper()
    if name not in _NAMES:
        raise ConfigurationError(f'{excerpt(text)} names {excerpt(name)}; {suggest(name, _NAMES)}')
    start, dash, end = times.partition('-')
    try:
        press = Press(
            name, float(value) if equals else 1.0, float(start) if at else 0.0,
            float(end) if dash else math.inf)
    except ValueError:
        raise ConfigurationError(
            f'{excerpt(text)}, expected NAME[=VALUE][@START[-END]] with numbers, such as A@1-1.5'
            ' or RT=0.5') from None
    least = 1.0 if name in Button.__members__ else 0.0 if name in TRIGGERS else -1.0
    if not is_fraction(press.value) or press.value < least:
        wanted = 'no value' if least == 1.0 else f'a value from {least:g} to 1'
        raise ConfigurationError(f'{excerpt(text)} has {press.value:g}, expected {wanted}')
    if not 0.0 <= press.start < press.end:
        raise ConfigurationError(
            f'{excerpt(text)} begins at {press.start:g} s and ends at {press.end:g} s, expected an'
            ' end after the start, and both from 0 on')
    return press


class Controller:
    """What a program finds in each of its frames."""

    def __init__(self, presses: Sequence[Press] = ()) -> None:
        """presses: of which the last one counts where several hold the same."""
        self._presses = tuple(presses)
        self._before: dict[str, float] = {}
        self._now: dict[str, float] = {}

    def start(self) -> None:
        """Begin anew: nothing has been held."""
        self._before, self._now = {}, {}

    def advance(self, time: float) -> None:
        """Go on to the frame at a time since the start of the program [s]."""
        self._before = self._now
        self._now = {press.name: press.value for press in self._presses
                     if press.start <= time < press.end}

    def is_down(self, button: Button) -> bool:
        """Whether a button is held."""
        return button.name in self._now

    def was_pressed(self, button: Button) -> bool:
        """Whether it is held since this frame."""
        return button.name in self._now and button.name not in self._before

    def was_released(self, button: Button) -> bool:
        """Whether it was held until this frame."""
        return button.name in self._before and button.name not in self._now

    def trigger(self, side: Side) -> float:
        """How far a trigger is pressed, from 0 to 1."""
        return self._now.get(TRIGGERS[side], 0.0)

    def joystick(self, side: Side) -> tuple[float, float]:
        """X and y of a joystick, each from -1 to 1."""
        x, y = JOYSTICKS[side]
        return self._now.get(x, 0.0), self._now.get(y, 0.0)
