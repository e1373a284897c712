# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Points of a campaign: runs with faults that are drawn at random, each from its number alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
from typing import NamedTuple

import numpy as np

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.fields import Fields
from racecar.base.parameters import Parameter
from racecar.faults.plant import FAULTS
from racecar.simulation.faults import (
    check_size,
    check_together,
    Fault,
    KEYS,
    kind_of,
    KINDS,
    NO_END,
    seed_of,
    target_of,
    text_of_faults,
)
from racecar.stacks.sweep_points import Point, Points

UNIFORM, NORMAL, CHOICE = 'uniform', 'normal', 'choice'
FORMS = ('a number', f'{{{UNIFORM}: [lowest, highest]}}',
         f'{{{NORMAL}: [mean, standard deviation]}}', f'{{{CHOICE}: [values]}}')

FIRST = 'fault_'
"""Of the names of the columns of the first fault of a run."""

TOGETHER = 'together'
"""Key of faults that a run has at once."""

_DRAWN = 'onset', 'duration', 'size'
_MOST_TRIES = 1000


class Drawn(NamedTuple):
    """A number that is drawn: its distribution, two numbers or some to choose from, limits.

    A normal one is drawn until it is within the limits.
    """

    kind: str
    numbers: tuple[float, ...]
    least: float
    most: float

    @property
    def latest(self) -> float:
        """The largest number, of a normal distribution the mean."""
        return self.numbers[0] if self.kind == NORMAL else max(self.numbers)

    def draw(self, generator: np.random.Generator) -> float:
        """One of them."""
        if self.kind == CHOICE:
            return self.numbers[int(generator.integers(len(self.numbers)))]
        first, second = self.numbers
        if self.kind == UNIFORM:
            return float(generator.uniform(first, second))
        for _ in range(_MOST_TRIES):
            found = float(generator.normal(first, second))
            if self.least <= found <= self.most:
                return found
        return first


class DrawnFault(NamedTuple):
    """A fault of which numbers and target may be drawn; seed: None if it is drawn too."""

    kind: str
    targets: tuple[str, ...]
    onset: Drawn
    duration: Drawn | None
    size: Drawn | None
    seed: int | None

    def draw(self, generator: np.random.Generator) -> Fault:
        """Fault of one run."""
        target = self.targets[int(generator.integers(len(self.targets)))]
        onset, duration, size = (
            default if drawn is None else drawn.draw(generator) for drawn, default in (
                (self.onset, 0.0), (self.duration, NO_END), (self.size, 0.0)))
        seed = int(generator.integers(2**31)) if self.seed is None else self.seed
        return Fault(self.kind, target, onset, duration, size,
                     seed if KINDS[self.kind].is_random else 0)


Case = tuple[DrawnFault, ...]
"""Faults that a run has together."""


class FaultPoints(Points):
    """Runs that have the cases in turn; the numbers of a run follow from seed and number."""

    def __init__(self, cases: Sequence[Case], runs: int, seed: int) -> None:
        """Take cases, at least one."""
        super().__init__(runs, [*map(list, cases), runs, seed])
        self._cases, self._seed = tuple(cases), seed
        self._most = max(map(len, cases))

    @property
    def rows(self) -> tuple[Parameter, ...]:
        """What the values of a point are."""
        found = [
            Parameter(FAULTS, str, '', 'Faults of the run, as --fault takes them'),
            Parameter('case', int, 1, 'Number of the entry under faults', minimum=1)]
        for number in range(self._most):
            fault = FIRST if number == 0 else f'fault_{number + 1}_'
            found += [
                Parameter(f'{fault}kind', str, '', 'Kind of the fault'),
                Parameter(f'{fault}target', str, '', 'What fails'),
                Parameter(f'{fault}onset', float, 0.0, 'Start of the fault', unit='s'),
                Parameter(f'{fault}duration', float, 0.0, 'Its duration; none to the end',
                          unit='s'),
                Parameter(f'{fault}size', float, 0.0, 'How much, as the kind has it')]
        return tuple(found)

    def _stretch(self, first: int, last: int) -> tuple[Point, ...]:
        return tuple(map(self._point, range(first, last)))

    def _point(self, number: int) -> Point:
        case = number % len(self._cases)
        generator = np.random.Generator(np.random.PCG64((self._seed, number)))
        faults = [drawn.draw(generator) for drawn in self._cases[case]]
        found: list[object] = [text_of_faults(faults), case + 1]
        for fault in faults:
            found += [fault.kind, fault.target, fault.onset,
                      math.nan if fault.duration == NO_END else fault.duration,
                      fault.size if KINDS[fault.kind].size else math.nan]
        return (*found, *('', '', math.nan, math.nan, math.nan) * (self._most - len(faults)))


def cases_of(entries: object) -> tuple[Case, ...]:
    """Cases under `faults` of a file. Raises ConfigurationError naming the entry and the key."""
    if not isinstance(entries, list) or not entries:
        raise ConfigurationError(
            f'{FAULTS} is {excerpt(entries)}, expected a list of faults, such as'
            ' [{kind: friction, onset: 5.0, size: 0.3}]')
    return tuple(_case(f'fault {number}', entry) for number, entry in enumerate(entries, start=1))


def _case(where: str, entry: object) -> Case:
    if not (isinstance(entry, Mapping) and TOGETHER in entry):
        return (_drawn_fault(where, entry),)
    fields = Fields.of(where, entry)
    fields.know((TOGETHER,))
    parts = fields.value(TOGETHER)
    if not isinstance(parts, list) or not parts:
        raise fields.error(TOGETHER, parts, 'a list of faults')
    found = tuple(_drawn_fault(f'{where}, {number} of {TOGETHER}', part)
                  for number, part in enumerate(parts, start=1))
    check_together([Fault(drawn.kind, drawn.targets[0]) for drawn in found])
    return found


def _drawn_fault(where: str, entry: object) -> DrawnFault:
    fields = Fields.of(where, entry)
    fields.know(KEYS)
    kind = kind_of(fields)
    targets = _targets(fields, where, entry)
    size = None
    if kind.size:
        size = _drawn(fields, 'size', kind.least, kind.most)
        for number in size.numbers if size.kind != NORMAL else size.numbers[:1]:
            check_size(fields, kind, number)
    elif fields.has('size'):
        raise fields.error('size', fields.value('size'), 'none: this kind has no size')
    seed = seed_of(fields, kind) if fields.has('seed') else None
    return DrawnFault(
        str(fields.value('kind')), targets, _drawn(fields, 'onset', 0.0, math.inf, 0.0),
        _drawn(fields, 'duration', 1e-9, math.inf) if fields.has('duration') else None, size, seed)


def _targets(fields: Fields, where: str, entry: object) -> tuple[str, ...]:
    given = fields.value('target', None)
    kind = kind_of(fields)
    if not isinstance(given, dict):
        return (target_of(fields, kind),)
    names = given.get(CHOICE)
    if len(given) != 1 or not isinstance(names, list) or not names:
        raise fields.error('target', given, f'a name or {{{CHOICE}: [names]}}')
    assert isinstance(entry, Mapping)
    return tuple(target_of(Fields.of(where, {**entry, 'target': name}), kind) for name in names)


def _drawn(
    fields: Fields, name: str, least: float, most: float, default: float | None = None,
) -> Drawn:
    """Number or distribution of a key. Raises ConfigurationError."""
    given = fields.value(name, default)
    if not isinstance(given, dict):
        number = fields.number(name, default, max(least, -math.inf))
        return Drawn(CHOICE, (number,), least, most)
    kind, numbers = next(iter(given.items())) if len(given) == 1 else (None, None)
    count = None if kind == CHOICE else 2
    if kind not in (UNIFORM, NORMAL, CHOICE) or not _are_numbers(numbers, count):
        raise fields.error(name, given, ' or '.join(FORMS))
    assert isinstance(numbers, list)
    found = tuple(map(float, numbers))
    centre = found[:1] if kind == NORMAL else found
    if (kind == UNIFORM and found[0] > found[1]) or (kind == NORMAL and found[1] < 0.0) or not all(
            least <= number <= most for number in centre):
        raise fields.error(
            name, given, f'{" or ".join(FORMS)} with numbers in [{least:g}, {most:g}], the lower'
            ' one first, and a deviation of at least 0')
    return Drawn(str(kind), found, least, most)


def _are_numbers(values: object, count: int | None) -> bool:
    return isinstance(values, list) and bool(values) and len(values) == (count or len(values)) \
        and all(isinstance(value, int | float) and not isinstance(value, bool)
                and math.isfinite(value) for value in values)
