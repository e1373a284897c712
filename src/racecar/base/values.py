# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Values by name, as files, command lines and parameter tables give them, read by their types.

The readers are for what a parameter table has resolved: another type is a mistake of the program
and raises TypeError, as does a column of numbers, see racecar.base.columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeVar

Value: TypeAlias = 'None | bool | float | str | Sequence[Value] | Mapping[str, Value]'
"""What YAML and JSON can hold."""

Values: TypeAlias = Mapping[str, object]
"""Values by name."""

T = TypeVar('T')


def number_of(values: Values, name: str, default: float | None = None) -> float:
    """Number of a name. Raises KeyError without value and default, TypeError for another type."""
    value = _value(values, name, default)
    if isinstance(value, int | float):
        return float(value)
    raise _another_type(name, value, 'a number')


def integer_of(values: Values, name: str, default: int | None = None) -> int:
    """Integer of a name. Raises KeyError without value and default, TypeError as number_of()."""
    return _of_type(values, name, default, int)


def flag_of(values: Values, name: str, default: bool | None = None) -> bool:
    """Boolean of a name. Raises KeyError without value and default, TypeError as number_of()."""
    return _of_type(values, name, default, bool)


def text_of(values: Values, name: str, default: str | None = None) -> str:
    """Text of a name. Raises KeyError without value and default, TypeError as number_of()."""
    return _of_type(values, name, default, str)


def numbers_of(values: Values, name: str) -> tuple[float, ...]:
    """Numbers of a list. Raises KeyError without a value, TypeError as number_of()."""
    return tuple(number_of({name: item}, name) for item in _items(values, name))


def texts_of(values: Values, name: str) -> tuple[str, ...]:
    """Texts of a list. Raises KeyError without a value, TypeError as number_of()."""
    return tuple(text_of({name: item}, name) for item in _items(values, name))


def _value(values: Values, name: str, default: object) -> object:
    return values[name] if default is None else values.get(name, default)


def _of_type(values: Values, name: str, default: T | None, kind: type[T]) -> T:
    value = _value(values, name, default)
    if isinstance(value, kind):
        return value
    raise _another_type(name, value, f'a value of type {kind.__name__}')


def _items(values: Values, name: str) -> Sequence[object]:
    value = values[name]
    if isinstance(value, list | tuple):
        return value
    raise _another_type(name, value, 'a list')


def _another_type(name: str, value: object, expected: str) -> TypeError:
    return TypeError(f'{name} is {value!r}, expected {expected}')
