# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is expected at the end of a drive with nodes, and whether it came so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import math
from typing import NamedTuple

from racecar.base.fields import Fields
from racecar.metrics.survival import Limits, limits_of

MEASURES: Mapping[str, str] = {
    'rmse': 'm', 'max_error': 'm', 'cross_track_rmse': 'm', 'max_cross_track_error': 'm',
    'heading_rmse': 'rad', 'speed_rmse': 'm/s', 'final_error': 'm', 'final_speed': 'm/s',
    'top_speed': 'm/s', 'distance': 'm', 'laps': '', 'best_lap': 's', 'collisions': ''}
"""Numbers of which something may be expected, and their units."""

OF_REFERENCE = frozenset((
    'rmse', 'max_error', 'cross_track_rmse', 'max_cross_track_error', 'heading_rmse', 'speed_rmse',
    'final_error'))
"""Those that need a reference."""

COLLISIONS = 'collisions'

FINAL_POSITION, ENDED, TOPICS = 'final_position', 'ended', 'topics'
KEYS = (*MEASURES, FINAL_POSITION, ENDED, TOPICS)
"""All keys of `expected`."""


class Place(NamedTuple):
    """A point [m] and how far from it is near enough [m]."""

    x: float
    y: float
    within: float


class Traffic(NamedTuple):
    """Messages of a topic, and the time from the last one, or the start, to the end [s]."""

    messages: int
    silence: float


class ExpectedTraffic(NamedTuple):
    """Limits of a Traffic."""

    messages: Limits
    silence: Limits


class Expected(NamedTuple):
    """What is expected at the end.

    limits: of MEASURES. place: where the car is, None for anywhere. ended: nodes that are gone by
    then, all others are to be alive. topics: by relative or full name.
    """

    limits: Mapping[str, Limits]
    place: Place | None = None
    ended: tuple[str, ...] = ()
    topics: Mapping[str, ExpectedTraffic] = {}

    def may_end(self, full_name: str) -> bool:
        """Whether a node of this full name is to be gone at the end."""
        return any(_is_called(full_name, known) for known in self.ended)


class Observed(NamedTuple):
    """How a drive ended.

    measures: of MEASURES, NaN for what is not known. position: of base_link in map [m].
    gone: full names of nodes that were not alive any more, with the reason. topics: by the names
    that Expected has. failure: what broke the drive off, '' for nothing.
    """

    measures: Mapping[str, float]
    position: tuple[float, float] = (math.nan, math.nan)
    gone: Mapping[str, str] = {}
    topics: Mapping[str, Traffic] = {}
    failure: str = ''


class Finding(NamedTuple):
    """One expectation: its name, what was found, what was expected, and whether it holds."""

    name: str
    found: str
    expected: str
    holds: bool

    @property
    def text(self) -> str:
        """All of it in one line."""
        return f'{self.name}: {self.found}, expected {self.expected}'


def expected_of(fields: Fields) -> Expected:
    """What the mapping `expected` of a file says. Raises ConfigurationError."""
    fields.know(KEYS)
    return Expected(
        {name: limits_of(fields, name) for name in MEASURES if fields.has(name)},
        _place(fields.inner(FINAL_POSITION)) if fields.has(FINAL_POSITION) else None,
        tuple(name.strip('/') for name in fields.texts(ENDED)), {
            str(topic): _traffic(fields.inner(TOPICS), str(topic))
            for topic in fields.mapping(TOPICS)})


def _place(fields: Fields) -> Place:
    fields.know(Place._fields)
    return Place(fields.number('x'), fields.number('y'), fields.number('within', None, 0.0))


def _traffic(topics: Fields, topic: str) -> ExpectedTraffic:
    fields = topics.inner(topic)
    fields.know(ExpectedTraffic._fields)
    if not any(map(fields.has, ExpectedTraffic._fields)):
        raise topics.error(
            topic, topics.value(topic),
            'messages: or silence: [s] with limits, such as {messages: {least: 1}}')
    return ExpectedTraffic(*(
        limits_of(fields, name) if fields.has(name) else Limits()
        for name in ExpectedTraffic._fields))


def findings(expected: Expected, observed: Observed) -> Iterator[Finding]:
    """Each expectation with what came of it, the one that is always there first."""
    yield _drive(expected, observed)
    for name, limits in expected.limits.items():
        unit = MEASURES[name]
        yield Finding(name, _number(observed.measures.get(name, math.nan), unit, name),
                      limits.text(unit), limits.hold(observed.measures.get(name, math.nan)))
    if expected.place is not None:
        yield _at_the_place(expected.place, observed.position)
    for topic, wanted in expected.topics.items():
        came = observed.topics.get(topic, Traffic(0, math.nan))
        for name, value, limits, unit in zip(
                Traffic._fields, came, wanted, ('', 's'), strict=True):
            if limits != Limits():
                yield Finding(f'{name} on {topic}', _number(value, unit), limits.text(unit),
                              limits.hold(value))


def _drive(expected: Expected, observed: Observed) -> Finding:
    """Whether it went on to the end, with all nodes that were to be alive."""
    text = 'the end, with all nodes'
    if expected.ended:
        text += f" but {' and '.join(expected.ended)}"
    if observed.failure:
        return Finding('drive', observed.failure, text, False)
    gone = {name: why for name, why in observed.gone.items()
            if not expected.may_end(name)}
    alive = [known for known in expected.ended
             if not any(_is_called(name, known) for name in observed.gone)]
    parts = [*(f'{name} {why}' for name, why in gone.items()),
             *(f'{name} is alive' for name in alive)]
    return Finding('drive', '; '.join(parts) or 'the end', text, not parts)


def _is_called(full_name: str, name: str) -> bool:
    return name in (full_name, full_name.rpartition('/')[2])


def _at_the_place(place: Place, position: tuple[float, float]) -> Finding:
    x, y = position
    away = math.hypot(x - place.x, y - place.y)
    return Finding(
        FINAL_POSITION, f'{away:.4g} m away, at x {x:.4g} m, y {y:.4g} m',
        f'at most {place.within:g} m from x {place.x:g} m, y {place.y:g} m', away <= place.within)


def _number(value: float, unit: str, name: str = '') -> str:
    if math.isnan(value):
        return 'nothing to run into: choose a world' if name == COLLISIONS else 'not known'
    return f'{value:.6g} {unit}'.rstrip()
