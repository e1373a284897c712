# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a page may send: a table of messages with their fields, and the check of what comes."""

from __future__ import annotations

from dataclasses import replace
import json
from typing import NamedTuple

from racecar.base.errors import excerpt, MessageError, ParameterError
from racecar.base.parameters import Parameter, suggestion
from racecar.catalogue.simulators.shared import REAL_TIME_FACTOR
from racecar.cockpit.feed import Message

LONGEST = 64 * 1024
"""Of a message [B]."""

_MOST_STEPS = 1000
# Of ROS parameters; no other field has larger ones.
_INTEGERS = range(-2**63, 2**63)


class _Row(NamedTuple):
    """Fields that are checked as parameters, and others of any kind, by name."""

    fields: tuple[Parameter, ...] = ()
    free: tuple[str, ...] = ()


def _share(name: str, minimum: float, text: str) -> Parameter:
    return Parameter(name, float, None, text, minimum=minimum, maximum=1.0)


_STEERING = _share('steering', -1.0, 'Share of the maximum steering angle, left positive')
_SENT = Parameter('sent', float, None, 'When it is sent, by the clock of the page', 's',
                  minimum=0.0, maximum=1e12)

PAGE_MESSAGES = {
    'start': _Row((Parameter('configuration', str, None, 'Name of a configuration'),),
                  free=('options',)),
    'stop': _Row(),
    'reset': _Row(),
    'pause': _Row(),
    'resume': _Row(),
    'record': _Row((Parameter('on', bool, None, 'Whether to record from now on'),)),
    'step': _Row((Parameter('count', int, 1, 'Steps to go on', minimum=1, maximum=_MOST_STEPS),)),
    'factor': _Row((replace(REAL_TIME_FACTOR, name='value', default=None),)),
    'set_parameter': _Row((Parameter('node', str, None, 'Full name of a node'),
                           Parameter('name', str, None, 'Name of a parameter')), free=('value',)),
    'take_wheel': _Row((Parameter('manual', bool, False, 'Whether the tracker is switched off'
                                  ' until release_wheel'),)),
    'release_wheel': _Row(),
    'drive': _Row((_share('speed', -1.0, 'Share of the maximum speed, forwards positive'),
                   _STEERING, _SENT)),
    'pedals': _Row((_share('throttle', 0.0, 'Share of full throttle'),
                    _share('brake', 0.0, 'Share of full brake'), _STEERING, _SENT)),
    'gear': _Row((Parameter('value', int, None, 'Gear: -1 reverse, 0 neutral, 1 and up',
                            minimum=-1, maximum=100),)),
    'indicator': _Row((Parameter('value', str, None, 'Indicator',
                                 choices=('off', 'left', 'right', 'hazard')),)),
    'lamp': _Row((Parameter('name', str, None, 'Lamps that have a switch',
                            choices=('dipped_beams', 'antifog_lights')),
                  Parameter('on', bool, None, 'Whether they are lit'))),
    'camera': _Row((Parameter('wanted', bool, None, 'Whether pictures are wanted'),)),
    'play': _Row(),
    'seek': _Row((Parameter('time', float, None, 'Time of the recording', 's', minimum=0.0),)),
    'rate': _Row((Parameter('value', float, None, 'Recorded seconds per second', above=0.0,
                            maximum=1000.0),)),
}


def read_page_message(text: str) -> Message:
    """Parse a message of a page, with numbers in the types of the table.

    Raises MessageError in one line that names what is wrong and what was expected.
    """
    try:
        # Half a surrogate pair can be escaped, but be written nowhere.
        text.encode()
        content = json.loads(text, parse_constant=_refuse_constant, parse_int=_integer)
        json.dumps(content, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise MessageError(f'the message {excerpt(text)} is no JSON: {error}') from error
    kind = content.get('type') if isinstance(content, dict) else None
    if not isinstance(kind, str):
        raise MessageError(f'the message {excerpt(content)} has no type, expected an object with'
                           ' one')
    row = PAGE_MESSAGES.get(kind)
    if row is None:
        raise MessageError(f'message {excerpt(kind)} is unknown, expected one of'
                           f" {', '.join(PAGE_MESSAGES)}{suggestion(kind, PAGE_MESSAGES)}")
    known = {'type', *(field.name for field in row.fields), *row.free}
    for name in content:
        if name not in known:
            raise MessageError(f"message '{kind}' has the field {excerpt(name)}, expected only"
                               f" {', '.join(sorted(known))}")
    found: dict[str, object] = {'type': kind}
    for field in row.fields:
        try:
            found[field.name] = field.validate(content.get(field.name, field.default))
        except ParameterError as error:
            raise MessageError(f"message '{kind}': {error}".replace('parameter', 'field', 1)
                               ) from error
    found.update({name: content[name] for name in row.free if name in content})
    return found


def _integer(digits: str) -> int:
    number = int(digits)
    if number not in _INTEGERS:
        raise ValueError(f'{excerpt(digits)} is beyond the integers of 64 bits')
    return number


def _refuse_constant(name: str) -> float:
    raise ValueError(f'{name} is no number of JSON')
