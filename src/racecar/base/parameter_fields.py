# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameter tables from the annotated fields of a NamedTuple or dataclass: one list of both.

class Spring(NamedTuple):
rate: Annotated[float, Row('Stiffness', 'N/m', minimum=0.0)] = 0.0

SPRING_PARAMETERS = table_of(Spring, 'spring.')
made_of(Spring, 'spring.', SPRING_PARAMETERS.resolve(values))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, MISSING, replace
import functools
from typing import cast, get_args, get_origin, get_type_hints, NamedTuple, TypeVar

from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.values import Value, Values

T = TypeVar('T')


class Row(NamedTuple):
    """What the annotation of a field says of its parameter, beside type, name and default.

    name: dotted, if it is not that of the field. The others are those of Parameter.
    """

    description: str
    unit: str = ''
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    choices: tuple[Value, ...] = ()
    name: str = ''


class _Field(NamedTuple):
    """A field that is a parameter: its name, and its row of a table without a prefix."""

    name: str
    row: Parameter


def with_plain_signature(kind: type[T]) -> type[T]:
    """Class decorator that leaves the rows out of the signature in help() and documentation."""
    made: Callable[..., object] = getattr(
        kind, '__init__' if is_dataclass(kind) else '__new__')
    made.__annotations__ = get_type_hints(kind)
    return kind


def table_of(kind: type, prefix: str, *, read_only: bool = True) -> ParameterTable:
    """Table of the fields of a NamedTuple or dataclass whose annotation has a Row.

    The type of a parameter is that of the field, a list for a tuple; its default is that of the
    field, and a field without one is mandatory. prefix: of the names.
    """
    return ParameterTable(
        replace(row, name=f'{prefix}{row.name}', read_only=read_only) for _, row in _fields(kind))


def made_of(kind: Callable[..., T], prefix: str, values: Values, **others: object) -> T:
    """Object of a class that table_of() makes rows of, from the values of its fields.

    values, prefix: as of fields_of(); others: fields that are no parameters.
    """
    return kind(**fields_of(cast(type, kind), prefix, values), **others)


def fields_of(kind: type, prefix: str, values: Values) -> dict[str, object]:
    """Value of each field that table_of() makes a row of, by the name of the field.

    values: resolved, by the names of the table; others are left alone. Lists become tuples.
    """
    found = {}
    for name, row in _fields(kind):
        value = values[f'{prefix}{row.name}']
        found[name] = tuple(value) if isinstance(value, list) else value
    return found


@functools.cache
def _fields(kind: type) -> tuple[_Field, ...]:
    defaults = _defaults(kind)
    return tuple(
        _Field(name, _parameter(name, get_args(hint)[0], row, defaults.get(name)))
        for name, hint in get_type_hints(kind, include_extras=True).items()
        for row in getattr(hint, '__metadata__', ()) if isinstance(row, Row))


def _defaults(kind: type) -> Values:
    if is_dataclass(kind):
        return {field.name: field.default for field in fields(kind)
                if field.default is not MISSING}
    defaults: Values = getattr(kind, '_field_defaults', {})
    return defaults


def _parameter(name: str, hint: type, row: Row, default: object) -> Parameter:
    is_list = get_origin(hint) is tuple
    given = [*default] if isinstance(default, tuple) else default
    return Parameter(
        row.name or name, list if is_list else hint, cast(Value, given), row.description, row.unit,
        minimum=row.minimum, maximum=row.maximum, above=row.above, choices=row.choices,
        item=get_args(hint)[0] if is_list else str)
