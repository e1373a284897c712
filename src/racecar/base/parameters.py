# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters as data: declared once in a table that nodes, files, simulation and docs share."""

from __future__ import annotations

from array import array
from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    KeysView,
    Sequence,
)
from dataclasses import dataclass
import itertools
import math
import numbers
from typing import cast, TypeGuard

from racecar.base.errors import excerpt, MissingParameterError, ParameterError
from racecar.base.original_names import counterpart
from racecar.base.values import Value, Values

USE_SIM_TIME = 'use_sim_time'
"""What every node has besides its table."""

# Names that are compared cost the product of their lengths.
_LONGEST_NAME = 100
# So many are all named to somebody whose name is like none of them, and so many of more.
_FEW_NAMES, _NEAREST = 12, 3

# In the text of a table for people.
_SHOWN_NAMES = 5

_TYPE_NAMES = {
    bool: 'a boolean', int: 'an integer', float: 'a number', str: 'a string', list: 'a list',
    object: 'a value',
}


@dataclass(frozen=True)
class Parameter:
    """One row of a parameter table.

    name: dotted. type: bool, int, float, str or list, or object for any value; item: type of a
    list's elements, str or float.
    default: None makes the parameter mandatory. unit: SI symbol, empty where there is none.
    minimum, maximum: inclusive bounds; `above` is an exclusive lower bound; nonzero: whether 0 is
    refused between them; also: values beyond them that are allowed too, as 0 for none. A boolean
    may be given as 0 or 1, too.
    choices: the allowed values; read_only: fixed once the node has started; example: a value for
    who gave none of a mandatory one.
    """

    name: str
    type: type
    default: Value
    description: str
    unit: str = ''
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    choices: tuple[Value, ...] = ()
    read_only: bool = False
    item: Callable[..., object] = str
    nonzero: bool = False
    also: tuple[float, ...] = ()
    example: str = ''

    @property
    def range(self) -> str:
        """What is allowed, for messages and tables, e.g. `[0, 10]`; empty if anything is."""
        if self.choices:
            return ', '.join(str(choice) for choice in self.choices)
        if self.minimum is None and self.maximum is None and self.above is None:
            return ''
        if self.above is not None:
            lower = f'({self.above:g}'
        else:
            lower = '(-inf' if self.minimum is None else f'[{self.minimum:g}'
        upper = 'inf)' if self.maximum is None else f'{self.maximum:g}]'
        found = f'{lower}, {upper}{" without 0" if self.nonzero else ""}'
        return ' or '.join((found, *(f'{value:g}' for value in self.also)))

    def validate(self, value: object) -> Value:
        """Value in the declared type.

        Raises ParameterError if it has another type, is not finite, or is out of range.
        """
        converted = self._convert(value)
        if converted is None:
            raise self._error(value)
        if self.choices and converted not in self.choices:
            raise self._error(value)
        if isinstance(converted, int | float) and not isinstance(converted, bool):
            inside = converted in self.also or (
                (self.minimum is None or converted >= self.minimum)
                and (self.maximum is None or converted <= self.maximum)
                and (self.above is None or converted > self.above)
                and not (self.nonzero and converted == 0)
            )
            if not inside:
                raise self._error(value)
        return converted

    def _convert(self, value: object) -> Value:
        if self.type is float:
            return float(value) if _is_number(value) else None
        if self.type is int:
            if isinstance(value, bool) or not isinstance(value, numbers.Integral):
                return None
            return int(value)
        if self.type is bool and isinstance(value, numbers.Integral) and value in (0, 1):
            return bool(value)
        if self.type is str and isinstance(value, int) and not isinstance(value, bool):
            # YAML reads a bare 3 as a number where a name or number selects.
            return str(value)
        if self.type is list:
            # The middleware gives lists of numbers as arrays.
            items = [*value] if isinstance(value, Sequence | array) and not isinstance(
                value, str) else None
            if items is None or self.item is str:
                return items if items is None else [str(item) for item in items]
            numbers_given = all(map(_is_number, items))
            return [float(item) for item in items] if numbers_given else None
        return cast(Value, value) if isinstance(value, self.type) else None

    @property
    def expected(self) -> str:
        """Type, range and unit, for messages, e.g. `a number in [0, 10] [m]`."""
        unit = f' [{self.unit}]' if self.unit else ''
        if self.choices:
            return f'one of {self.range}{unit}'
        kind = _TYPE_NAMES[self.type]
        if self.type is list and self.item is float:
            kind += ' of finite numbers'
        return f'{kind}{f" in {self.range}" if self.range else ""}{unit}'

    def _error(self, value: object) -> ParameterError:
        given = 'has no value' if value is None else f'is {excerpt(value)}'
        return ParameterError(
            f"parameter '{self.name}' {given}, expected {self.expected}:"
            f' {self.description}'
            + (suggestion(value, map(str, self.choices)) if isinstance(value, str) else ''))


def _is_number(value: object) -> TypeGuard[float]:
    if type(value) is float:
        # Most are: an abstract class takes ten times as long to ask.
        return math.isfinite(value)
    try:
        return (not isinstance(value, bool) and isinstance(value, numbers.Real)
                and math.isfinite(value))
    except OverflowError:  # an integer beyond the largest number
        return False


MoreRows = Callable[[Values, 'ParameterTable'], Iterable[Parameter]]
"""Gives the further rows that raw values ask for, of a table without them; raises ParameterError
for values that ask for none that can be."""


class ParameterTable:
    """An ordered set of parameters with unique names.

    extensions: what gives further rows that depend on values; see expanded().
    """

    def __init__(
        self, rows: Iterable[Parameter], extensions: Iterable[MoreRows] = (),
    ) -> None:
        """Raise ValueError if a name stands twice."""
        self.extensions = tuple(extensions)
        self._rows: dict[str, Parameter] = {}
        for row in rows:
            if row.name in self._rows:
                raise ValueError(f'parameter {row.name!r} is declared twice')
            self._rows[row.name] = row

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self._rows.values())

    def __repr__(self) -> str:
        """Number of parameters and the first names."""
        names = ', '.join(itertools.islice(self._rows, _SHOWN_NAMES))
        return (f'<ParameterTable: {len(self._rows)} parameters, {names}'
                f"{', ...' if len(self._rows) > _SHOWN_NAMES else ''}>")

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    @property
    def names(self) -> KeysView[str]:
        """The dotted names in order."""
        return self._rows.keys()

    def __getitem__(self, name: str) -> Parameter:
        try:
            return self._rows[name]
        except KeyError:
            raise ParameterError(self._unknown(name)) from None

    def default(self, name: str) -> Value:
        """Default of a parameter, None if it is mandatory."""
        return self[name].default

    def __add__(self, other: ParameterTable) -> ParameterTable:
        return ParameterTable([*self, *other], [*self.extensions, *other.extensions])

    def expanded(self, values: Values) -> ParameterTable:
        """Table with all rows that raw values ask for, which depends on values no more.

        Raises ParameterError as MoreRows.
        """
        if not self.extensions:
            return self
        return ParameterTable(
            [*self, *(row for more in self.extensions for row in more(values, self))])

    def resolve(self, overrides: Values) -> dict[str, Value]:
        """Value of every parameter, of expanded() too: the override, else the default.

        Raises ParameterError naming the first unknown, missing, ill-typed or out-of-range key.
        """
        if self.extensions:
            return self.expanded(overrides).resolve(overrides)
        for name in overrides:
            if name not in self:
                raise ParameterError(self._unknown(name))
        values: dict[str, Value] = {}
        for row in self:
            value = overrides.get(row.name, row.default)
            if value is None and row.name not in overrides:
                raise MissingParameterError(
                    f"parameter '{row.name}' is missing and has no default, expected"
                    f' {row.expected}: {row.description}. Give it in a parameter file or on the'
                    ' command line', row.name)
            values[row.name] = row.validate(value)
        return values

    def _unknown(self, name: str) -> str:
        return f'parameter {excerpt(name)} is unknown here; {suggest(name, self._rows)}'


def suggest(name: str, known: Iterable[str]) -> str:
    """Name used here for an original's name, else the nearest names, or all if they are few."""
    names = list(dict.fromkeys(known))
    found = counterpart(name, names) or suggest_near(name, names)
    if found:
        return found
    if len(names) <= _FEW_NAMES:
        return f"known: {', '.join(map(_shown, names))}"
    given = name[:_LONGEST_NAME].casefold()
    nearest = sorted(names, key=lambda row: -_likeness(given, row.casefold()))[:_NEAREST]
    return f"the most alike of {len(names)} names: {', '.join(map(_shown, nearest))}"


def suggestion(name: str, known: Iterable[str]) -> str:
    """First suggestion of suggest() as the end of a sentence; '' if no name is near."""
    names = list(known)
    near = counterpart(name, names) or suggest_near(name, names)
    return f'; {near}' if near else ''


def suggest_near(name: str, known: Iterable[str]) -> str:
    """Nearest names, or '' if none is near.

    Near is what is spelled nearly alike, whatever the case, and what contains the name. Of names
    with dots or slashes in the same place only the last parts are compared; the dashes before
    options do not count.
    """
    given = name[:_LONGEST_NAME].casefold().lstrip('-').rstrip('./')
    # Of two or three letters one may be another.
    least = {1: 1.0, 2: 0.5, 3: 0.6}.get(len(given), 0.7)
    rated = []
    for row in dict.fromkeys(known):
        other = row.casefold().lstrip('-')
        likeness = _likeness(given, other)
        if likeness >= least or (len(given) > 2 and given in other):
            rated.append((_parts(other)[0] != _parts(given)[0], -likeness, row))
    near = [row for *_, row in sorted(rated)[:_NEAREST]]
    return f"did you mean {' or '.join(map(_shown, near))}?" if near else ''


def _shown(name: str) -> str:
    """Name, of which some come from files, in one line and not too long."""
    return excerpt(name[:_LONGEST_NAME])[1:-1]


def _likeness(one: str, other: str) -> float:
    """How many letters two names have in common in this order, from 0 to 1 for all."""
    from difflib import SequenceMatcher

    (place, end), (other_place, other_end) = map(_parts, (one, other))
    likeness = SequenceMatcher(None, other_end, end).ratio()
    if place != other_place:
        likeness = max(likeness, SequenceMatcher(None, other, one).ratio())
    return likeness


def _parts(name: str) -> tuple[str, str]:
    """Split a name after its last dot or slash."""
    cut = max(name.rfind('.'), name.rfind('/')) + 1
    return name[:cut], name[cut:]


CAR_SECTION = 'driver_bridge'
"""Node below whose name a vehicle's file has the rows of engine, gears and brakes."""

DIAGNOSTICS_RATE = Parameter(
    'diagnostics_rate', float, 1.0, 'Rate at which the node tells on /diagnostics how it is, by'
    ' wall time; 0: never', 'Hz', minimum=0.0, maximum=2.0, read_only=True)
"""A row of every node."""
