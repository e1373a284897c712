# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Values of a mapping in a file that a user wrote, by their types; errors name the place.

What a parameter table has resolved is read by racecar.base.values.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
import math
from typing import TypeGuard

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest

_NEEDED = object()


class Fields:
    """A mapping of a file.

    Each reader raises ConfigurationError naming the place, the key, the value and what is
    expected: for a value of another type or out of its limits, and for a missing one that has no
    default.
    """

    def __init__(self, where: str, values: Mapping[str, object]) -> None:
        """where: how messages call the mapping, '' for a whole file, which its reader names."""
        self._where = f'{where}: ' if where else ''
        self._values = values

    @classmethod
    def of(cls, where: str, value: object) -> Fields:
        """Mapping of this value. Raises ConfigurationError if it is none."""
        if not isinstance(value, dict):
            raise ConfigurationError(
                f'{where} is {excerpt(value)}, expected a mapping of names to values')
        return cls(where, value)

    def error(self, name: str, value: object, expected: str) -> ConfigurationError:
        """Error of a value, for raising."""
        return ConfigurationError(
            f'{self._where}{name} is {excerpt(value)}, expected {expected}')

    def know(self, names: Collection[str]) -> None:
        """Raise ConfigurationError for a key that is none of these."""
        for key in self._values:
            if key not in names:
                raise ConfigurationError(
                    f'{self._where}{excerpt(key)} is unknown; {suggest(key, names)}')

    def has(self, name: str) -> bool:
        """Whether there is a value."""
        return name in self._values

    def value(self, name: str, default: object = _NEEDED) -> object:
        """Any value. Raises ConfigurationError if it is missing and there is no default."""
        if name in self._values:
            return self._values[name]
        if default is _NEEDED:
            raise ConfigurationError(f'{self._where}{name} is missing')
        return default

    def number(
        self, name: str, default: float | None = None, least: float = -math.inf,
    ) -> float:
        """A finite number of at least so much, or the default as it is."""
        if default is not None and not self.has(name):
            return default
        found = self.value(name)
        if not _is_number(found) or found < least:
            raise self.error(name, found, 'a number' + (
                '' if least == -math.inf else f' of at least {least:g}'))
        return float(found)

    def whole(
        self, name: str, default: object = _NEEDED, least: int = 0, most: int | None = None,
    ) -> int:
        """A whole number from least to most; most: None for no limit."""
        found = self.value(name, default)
        if not _is_whole(found, least) or (most is not None and found > most):
            raise self.error(name, found, f'a whole number of at least {least}' if most is None
                             else f'a whole number from {least} to {most}')
        return found

    def whole_numbers(self, name: str, least: int = 0) -> tuple[int, ...]:
        """A list of whole numbers of at least so much, with at least one."""
        found = self.value(name)
        if not isinstance(found, list) or not found or not all(
                _is_whole(item, least) for item in found):
            raise self.error(name, found, f'a list of whole numbers of at least {least}')
        return tuple(found)

    def text(self, name: str, default: object = _NEEDED) -> str:
        """A text."""
        found = self.value(name, default)
        if not isinstance(found, str):
            raise self.error(name, found, 'a text')
        return found

    def flag(self, name: str, default: bool) -> bool:
        """True or false."""
        found = self.value(name, default)
        if not isinstance(found, bool):
            raise self.error(name, found, 'true or false')
        return found

    def choice(self, name: str, known: Sequence[str], default: object = _NEEDED) -> str:
        """One of some texts."""
        found = self.value(name, default)
        if found not in known:
            raise self.error(name, found, f"one of {', '.join(known)}")
        return str(found)

    def numbers(
        self, name: str, count: int | None, default: Sequence[float] | None = None,
    ) -> tuple[float, ...]:
        """So many finite numbers; count: None for any number of them, but not none."""
        found = self.value(name, _NEEDED if default is None else list(default))
        return self._numbers(name, found, count)

    def points(self, name: str) -> tuple[tuple[float, float], ...]:
        """At least one pair of numbers."""
        found = self.value(name)
        if not isinstance(found, list) or not found:
            raise self.error(name, found, 'a list of points, as [[1.0, 2.0], [3.0, 0.5]]')
        pairs = (self._numbers(name, item, 2) for item in found)
        return tuple((x, y) for x, y in pairs)

    def texts(self, name: str, default: Sequence[str] = ()) -> tuple[str, ...]:
        """A list of texts, or one text."""
        found = self.value(name, list(default))
        items = [found] if isinstance(found, str) else found
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise self.error(name, found, 'a list of texts')
        return tuple(items)

    def mapping(self, name: str) -> Mapping[str, object]:
        """A mapping, empty if it is not there or has no value."""
        found = self.value(name, None)
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise self.error(name, found, 'a mapping of names to values')
        return found

    def inner(self, name: str, *, needed: bool = True) -> Fields:
        """Fields of a mapping; needed: that must be there, else it may be missing or empty."""
        if needed:
            self.value(name)
        return Fields(f'{self._where}{name}', self.mapping(name))

    def _numbers(self, name: str, found: object, count: int | None) -> tuple[float, ...]:
        if not isinstance(found, list) or not found or len(found) != (
                count or len(found)) or not all(map(_is_number, found)):
            so_many = '' if count is None else f'{count} '
            raise self.error(name, found, f'a list of {so_many}numbers')
        return tuple(float(item) for item in found)


def _is_whole(value: object, least: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
