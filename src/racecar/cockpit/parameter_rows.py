# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters as pages show them, and which of them pages may know and set.

Numbers, switches and texts of a list of choices. Another text may name a file of this computer,
of which a message about it would tell.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import TypedDict

from racecar.base.parameters import Parameter
from racecar.base.values import Values
from racecar.control.trajectories import CHOICES_WITH_PARAMETER

_TYPES = {bool: 'bool', int: 'int', float: 'float', str: 'string'}
_SHAPE = 'trajectory'


class Condition(TypedDict):
    """The parameter of the same node that must have one of these values."""

    name: str
    values: Sequence[str]


class ParameterRow(TypedDict):
    """A parameter that pages may know.

    type: bool, int, float or string. default: the value at the start of the run. minimum,
    maximum: None where there is none. choices: values of a text; empty for others. range: text
    for people. only_with: the condition under which the parameter counts, None for always.
    """

    name: str
    type: str
    value: object
    default: object
    unit: str
    minimum: object
    maximum: object
    choices: Sequence[object]
    description: str
    range: str
    read_only: bool
    only_with: Condition | None


def parameter_rows(
    table: Iterable[Parameter], values: Values, first: Values,
) -> list[ParameterRow]:
    """Rows of the message `parameters` for a node whose parameters are these.

    first: values at the start of the run.
    """
    rows = [*table]
    names = {row.name for row in rows}
    return [_row(row, values[row.name], first[row.name], names) for row in rows
            if _is_showable(row)]


def is_settable(row: Parameter) -> bool:
    """Whether pages may set a parameter while it runs."""
    return not row.read_only and _is_showable(row)


def condition_of(name: str, names: Container[str]) -> Condition | None:
    """Condition under which a parameter counts, among all names of its node."""
    if name not in CHOICES_WITH_PARAMETER or _SHAPE not in names:
        return None
    return {'name': _SHAPE, 'values': CHOICES_WITH_PARAMETER[name]}


def _is_showable(row: Parameter) -> bool:
    return row.type in _TYPES and (row.type is not str or bool(row.choices))


def _row(
    row: Parameter, value: object, default: object, names: Container[str],
) -> ParameterRow:
    lower = row.minimum if row.above is None else row.above
    low = high = None
    if lower is not None and row.maximum is not None and row.type in (int, float):
        low, high = row.type(min((lower, *row.also))), row.type(row.maximum)
    return {
        'name': row.name, 'type': _TYPES[row.type], 'value': value, 'default': default,
        'unit': row.unit, 'minimum': low, 'maximum': high,
        'choices': [*row.choices] if row.type is str else [], 'description': row.description,
        'range': f'{row.range} {row.unit}'.strip(), 'read_only': row.read_only,
        'only_with': condition_of(row.name, names)}
