# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters as text for people and for YAML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from racecar.base.parameters import Parameter
from racecar.base.values import Value


def described(rows: Iterable[Parameter]) -> Iterator[str]:
    """Yield two lines for each parameter: name, type and default; meaning, range and unit."""
    for row in rows:
        yield (f'{row.name} ({row.type.__name__}, default {shown(row.default)})'
               f'{" read-only" if row.read_only else ""}')
        yield f'    {row.description}{facts(row)}'


def facts(row: Parameter) -> str:
    """Range and unit behind a semicolon, empty if there is neither."""
    found = [f'one of {row.range}' if row.choices else f'in {row.range}'] if row.range else []
    found += [row.unit] if row.unit else []
    return f'; {" ".join(found)}' if found else ''


def yaml_value(value: Value | None) -> str:
    """Value as YAML 1.1 reads it back."""
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, float):
        # YAML 1.1 reads 1e-06 as a text.
        text = repr(value)
        return text if '.' in text or 'e' not in text else text.replace('e', '.0e')
    return str(value) or "''"


def shown(value: Value | None) -> str:
    """Default for people."""
    if value is None:
        return 'required'
    if value == '':
        return 'empty'
    if isinstance(value, list):
        return ', '.join(map(str, value)) or 'empty'
    return yaml_value(value)
