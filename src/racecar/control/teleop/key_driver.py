# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drive by keys: hold one to drive, let go to stop.

Keys and values are those of keyboard_teleop.py of the MIT RACECAR (racecar_gazebo): w, s, a, d,
0.5 m/s and 0.25 rad; any other key stops. New are reverse with steering, arrows, steps, and that a
held key drives without a gap: a terminal repeats it only after half a second, the mux waits 0.2 s.
"""

from __future__ import annotations

import math

from racecar.base.errors import ParameterError
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.types import AckermannCommand
from racecar.base.values import number_of, Values
from racecar.control.teleop.key_events import KeyAction, KeyEvent

KEY_PARAMETERS = ParameterTable([
    Parameter('speed', float, 0.5, 'Speed while a key is held', 'm/s', above=0.0, maximum=100.0),
    Parameter('steering_angle', float, 0.25, 'Steering angle while a key to the side is held',
              'rad', above=0.0, maximum=1.5),
    Parameter('speed_step', float, 0.25, 'What one press of the keys for the speed adds or takes',
              'm/s', above=0.0, maximum=100.0),
    Parameter('steering_step', float, 0.05, 'What one press of the keys for the steering angle'
              ' adds or takes', 'rad', above=0.0, maximum=1.5),
    Parameter('speed_max', float, 3.0, 'Maximum speed that the keys set', 'm/s', above=0.0,
              maximum=100.0),
    Parameter('steering_max', float, 0.4, 'Maximum steering angle that the keys set', 'rad',
              above=0.0, maximum=1.5),
    Parameter('press_time', float, 0.7, 'How long one press drives where the terminal does not'
              ' tell when a key is released: longer than the time before a held key repeats', 's',
              above=0.0, maximum=5.0),
    Parameter('repeat_time', float, 0.25, 'How long a repetition drives there: some times the'
              ' period of the repetition', 's', above=0.0, maximum=5.0),
])

# Where releases are told: repetitions come as long as the newest key is held, and a terminal that
# has gone tells nothing any more [s].
_LONGEST_SILENCE = 3.0

_AHEAD, _BACK = ('w', 'up'), ('s', 'down', 'z', 'y', 'c')
_LEFT, _RIGHT = ('a', 'left', 'z', 'y'), ('d', 'right', 'c')
_DRIVING = frozenset((*_AHEAD, *_BACK, *_LEFT, *_RIGHT))
_STEPS = {'r': (1, 0), '+': (1, 0), '=': (1, 0), 'f': (-1, 0), '-': (-1, 0), 't': (0, 1),
          'g': (0, -1)}
_STOP, _HAND_BACK = 'space', ('x', 'enter')
HELP_KEYS = ('h', '?')
VIEW_KEY = 'v'
"""For whoever shows something besides."""
# Escape may be half of a sequence that the terminal sent.
_NO_WISH = ('escape', VIEW_KEY, *HELP_KEYS)

KEY_HELP = (
    ('w  s', 'ahead, back (or the arrow keys)'),
    ('a  d', 'ahead to the left, to the right'),
    ('z  c', 'back to the left, to the right (y as z)'),
    ('r  f', 'faster, slower (or + -)'),
    ('t  g', 'steer more, less'),
    ('space', 'stop and stay, also before autonomy; x hands back'),
    ('other keys', 'stop'),
    ('h', 'this help'),
    ('Ctrl-C', 'end; Ctrl-Z suspends'),
)
"""Keys and what they do, for a help screen."""


class KeyDriver:
    """What a person at the keys wants; times are those of one steady clock [s]."""

    def __init__(self, values: Values) -> None:
        """values: of KEY_PARAMETERS. Raises ParameterError as check_keys()."""
        self.tells_releases = False
        self.tune(values)
        self._until: dict[str, float] = {}
        self._pressed_at: dict[str, float] = {}
        self._stops = False
        self._drove = False

    def tune(self, values: Values) -> None:
        """Take over other values. Raises ParameterError as check_keys()."""
        check_keys(values)
        self._values = values
        self.speed = number_of(values, 'speed')
        self.steering_angle = number_of(values, 'steering_angle')

    @property
    def is_stopping(self) -> bool:
        """Whether the car is to stand until a key says otherwise."""
        return self._stops

    def handle(self, event: KeyEvent, now: float) -> None:
        """Take over what happened to a key at a time."""
        key, action = event
        if action is KeyAction.SPEAKS_PROTOCOL:
            self.tells_releases = True
        elif action is KeyAction.FOCUS_LOST:
            self._until.clear()
        elif action is KeyAction.RELEASE:
            self._until.pop(key, None)
        elif key in _DRIVING:
            self._stops = False
            self._hold(key, now)
        elif key in _STEPS:
            self._step(*_STEPS[key])
        elif key == _STOP:
            self._until.clear()
            self._stops = True
        elif key not in _NO_WISH:
            self._until.clear()
            # As with any other key of the original, a stop is commanded once.
            self._drove = True
            self._stops = self._stops and key not in _HAND_BACK

    def command(self, now: float) -> AckermannCommand | None:
        """Command of the keys now; None to leave the car to others.

        After driving it says once that the car is to stop.
        """
        self._until = {key: until for key, until in self._until.items() if now < until}
        held = self._until.keys()
        if not held:
            says = self._drove or self._stops
            self._drove = False
            return AckermannCommand(0.0, 0.0) if says else None
        self._drove = True
        ahead, back = not held.isdisjoint(_AHEAD), not held.isdisjoint(_BACK)
        # Keys to the side drive, too: ahead, unless another one says back.
        speed = 0.0 if ahead and back else -self.speed if back else self.speed
        side = (not held.isdisjoint(_LEFT)) - (not held.isdisjoint(_RIGHT))
        return AckermannCommand(speed, side * self.steering_angle)

    def _hold(self, key: str, now: float) -> None:
        if self.tells_releases:
            for other in (key, *self._until):
                self._until[other] = now + _LONGEST_SILENCE
            return
        press, repeat = (number_of(self._values, name) for name in ('press_time', 'repeat_time'))
        repeats = now - self._pressed_at.get(key, -math.inf) < repeat
        until = now + (repeat if repeats else press)
        self._pressed_at = {key: now}
        # Only the newest of the held keys repeats.
        self._until = {key: max(until, self._until.get(key, until))}

    def _step(self, faster: int, more: int) -> None:
        values = self._values
        self.speed = _stepped(
            self.speed, faster * number_of(values, 'speed_step'), number_of(values, 'speed_max'))
        self.steering_angle = _stepped(
            self.steering_angle, more * number_of(values, 'steering_step'),
            number_of(values, 'steering_max'))


def check_keys(values: Values) -> None:
    """Raise ParameterError if speed or steering angle are beyond what the keys may set."""
    for name, most, unit in (('speed', 'speed_max', 'm/s'),
                             ('steering_angle', 'steering_max', 'rad')):
        value, limit = number_of(values, name), number_of(values, most)
        if value > limit:
            raise ParameterError(
                f"parameter '{name}' is {value:g} {unit}, expected at most {most}"
                f' ({limit:g} {unit})')


def _stepped(value: float, step: float, most: float) -> float:
    """Return the value a step further, not above most and not down to 0."""
    # Decimal places that sums of steps do not have would be shown.
    stepped = round(value + step, 6)
    return value if stepped <= 0.0 else min(stepped, most)
