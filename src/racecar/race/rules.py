# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rules of races, after those of RoboRacer (github.com/f1tenth/roboracer_rules, version 3, 2026).

What a person judges there follows numbers here, which a race file may change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from racecar.base.fields import Fields

TIME_TRIAL, QUALIFYING, HEAD_TO_HEAD, OBSTACLES = (
    'time_trial', 'qualifying', 'head_to_head', 'obstacles')
FORMATS = (TIME_TRIAL, QUALIFYING, HEAD_TO_HEAD, OBSTACLES)
"""Kinds of races."""

MOST_HEATS, MOST_LAPS, LONGEST = 100, 1000, 86400.0
"""Of a race; the longest heat in seconds."""


class Rules(NamedTuple):
    """Rules of a race.

    format: one of FORMATS. heats: of each car, or, head to head, of all. time_limit: of a heat
    after its start [s]. laps: that end a heat; a time trial has none. countdown: before the start
    [s]. hold: whether the commands of cars count only after it; else who moves before has a false
    start. touch_depth: how far a car may press into a border or obstacle, beyond that it crashes
    [m]; lasting_contact: as a crash counts, too, what lasts so long [s]. nudge_speed: cars that
    meet more slowly only touch [m/s]. restart_delay: from a crash until the car is back on the
    track [s]; setback: who ran into another car is placed so far behind it [m]. warnings: with so
    many, one for each crash into another car, a car is disqualified; crashes: with so many it
    retires, 0 for never. standing: a car that stands so long is put on the track anew [s];
    silence: one without commands for so long retires [s]; wrong_way: as standing, for one that
    goes the wrong way [s]. false_start: how long a car is held after a start that it jumped [s].
    """

    format: str
    heats: int
    time_limit: float
    laps: int
    countdown: float = 3.0
    hold: bool = True
    touch_depth: float = 0.05
    lasting_contact: float = 1.0
    nudge_speed: float = 0.3
    restart_delay: float = 5.0
    setback: float = 2.0
    warnings: int = 3
    crashes: int = 0
    standing: float = 10.0
    silence: float = 5.0
    wrong_way: float = 2.0
    false_start: float = 5.0

    @property
    def is_alone(self) -> bool:
        """Whether each car has the track for itself."""
        return self.format != HEAD_TO_HEAD


_DEFAULTS: Mapping[str, tuple[int, float, int]] = {
    TIME_TRIAL: (2, 300.0, 0), QUALIFYING: (1, 300.0, 1), HEAD_TO_HEAD: (1, 600.0, 5),
    OBSTACLES: (1, 300.0, 1)}
"""Heats, time limit [s] and laps of each format."""

_TIMES = ('countdown', 'lasting_contact', 'restart_delay', 'standing', 'silence', 'wrong_way',
          'false_start')
_SIZES = ('touch_depth', 'nudge_speed', 'setback')

KEYS = tuple(name for name in Rules._fields if name not in (
    'format', 'heats', 'time_limit', 'laps'))
"""Of the mapping `rules` of a race file."""


def read_rules(race: Fields) -> Rules:
    """Rules of a race file: format, heats, time_limit and laps, and the mapping `rules`.

    Raises ConfigurationError naming the key and what is expected.
    """
    kind = race.choice('format', FORMATS)
    heats, time_limit, laps = _DEFAULTS[kind]
    fields = race.inner('rules', needed=False)
    fields.know(KEYS)
    if kind == TIME_TRIAL and race.has('laps'):
        raise race.error('laps', race.value('laps'), 'none: time_limit ends a time trial')
    found = Rules(
        kind, race.whole('heats', heats, 1, MOST_HEATS),
        _within(race, 'time_limit', time_limit, 1.0),
        race.whole('laps', laps, 0 if kind == TIME_TRIAL else 1, MOST_LAPS))
    numbers: dict[str, Any] = {
        **{name: _within(fields, name, getattr(found, name), 0.0) for name in _TIMES},
        **{name: fields.number(name, getattr(found, name), 0.0) for name in _SIZES}}
    return found._replace(
        hold=fields.flag('hold', found.hold),
        warnings=fields.whole('warnings', found.warnings, 1, 1000),
        crashes=fields.whole('crashes', found.crashes, 0, 1000), **numbers)


def _within(fields: Fields, name: str, default: float, least: float) -> float:
    found = fields.number(name, default, least)
    if found > LONGEST:
        raise fields.error(name, found, f'at most {LONGEST:g} s')
    return found
