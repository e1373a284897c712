# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters as data: declared once in a table that nodes, files, simulation and docs share."""

from __future__ import annotations

from array import array
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
import math
import numbers
from pathlib import Path
import re
from typing import Any, cast

import yaml

from racecar.core.errors import ConfigurationError, excerpt, ParameterError
from racecar.core.yaml_file import (
    compose_yaml,
    describe_error,
    entries,
    is_plain,
    plain_value,
    value_of,
)

Value = bool | int | float | str | list[Any]

USE_SIM_TIME = 'use_sim_time'
"""What every node has besides its table."""

_PARAMETERS = 'ros__parameters'
_NAME = re.compile(r'[A-Za-z_][A-Za-z0-9_]*|[*]{1,2}')
# Booleans of parameter files only: elsewhere they are names.
_LETTERS = {'Y': True, 'y': True, 'N': False, 'n': False}
# Names that are compared cost the product of their lengths.
_LONGEST_NAME = 100

_TYPE_NAMES = {
    bool: 'a boolean', int: 'an integer', float: 'a number', str: 'a string', list: 'a list',
}


@dataclass(frozen=True)
class Parameter:
    """One row of a parameter table.

    name: dotted. type: bool, int, float, str or list; item: type of a list's
    elements, str or float.
    default: None makes the parameter mandatory. unit: SI symbol, empty where there is none.
    minimum, maximum: inclusive bounds; `above` is an exclusive lower bound.
    choices: the allowed values; read_only: fixed once the node has started.
    """

    name: str
    type: type
    default: Value | None
    description: str
    unit: str = ''
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    choices: tuple[Value, ...] = ()
    read_only: bool = False
    item: Callable[[Any], Any] = str

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
        return f'{lower}, {upper}'

    def validate(self, value: Any) -> Value:
        """Return the value in the declared type.

        Raises ParameterError if it has another type, is not finite, or is out of range.
        """
        converted = self._convert(value)
        if converted is None:
            raise self._error(value)
        if self.choices and converted not in self.choices:
            raise self._error(value)
        if isinstance(converted, int | float) and not isinstance(converted, bool):
            inside = (
                (self.minimum is None or converted >= self.minimum)
                and (self.maximum is None or converted <= self.maximum)
                and (self.above is None or converted > self.above)
            )
            if not inside:
                raise self._error(value)
        return converted

    def _convert(self, value: Any) -> Value | None:
        if self.type is float:
            return float(value) if _is_number(value) else None
        if self.type is int:
            is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
            return int(value) if is_integer else None
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

    def _error(self, value: Any) -> ParameterError:
        expected = _TYPE_NAMES[self.type]
        if self.type is list and self.item is float:
            expected += ' of finite numbers'
        if self.choices:
            expected = f'one of {self.range}'
        elif self.range:
            expected += f' in {self.range}'
        unit = f' [{self.unit}]' if self.unit else ''
        given = 'has no value' if value is None else f'is {excerpt(value)}'
        return ParameterError(
            f"parameter '{self.name}' {given}, expected {expected}{unit}:"
            f' {self.description}')


def _is_number(value: Any) -> bool:
    try:
        return (not isinstance(value, bool) and isinstance(value, numbers.Real)
                and math.isfinite(value))
    except OverflowError:  # an integer beyond the largest number
        return False


class ParameterTable:
    """An ordered set of parameters with unique names."""

    def __init__(self, rows: Iterable[Parameter]) -> None:
        """Raise ValueError if a name stands twice."""
        self._rows: dict[str, Parameter] = {}
        for row in rows:
            if row.name in self._rows:
                raise ValueError(f'parameter {row.name!r} is declared twice')
            self._rows[row.name] = row

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self._rows.values())

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    @property
    def names(self) -> Collection[str]:
        """The dotted names in order."""
        return self._rows.keys()

    def __getitem__(self, name: str) -> Parameter:
        try:
            return self._rows[name]
        except KeyError:
            raise ParameterError(self._unknown(name)) from None

    def __add__(self, other: ParameterTable) -> ParameterTable:
        return ParameterTable([*self, *other])

    def resolve(self, overrides: Mapping[str, Any]) -> dict[str, Value]:
        """Return every parameter's value: the override, else the default.

        Raises ParameterError naming the first unknown, missing, ill-typed or out-of-range key.
        """
        for name in overrides:
            if name not in self:
                raise ParameterError(self._unknown(name))
        values: dict[str, Value] = {}
        for row in self:
            value = overrides.get(row.name, row.default)
            if value is None and row.name not in overrides:
                raise ParameterError(
                    f"parameter '{row.name}' is missing and has no default, expected"
                    f' {_TYPE_NAMES[row.type]} {row.range}: {row.description}.'
                    ' Give it in a parameter file or on the command line')
            values[row.name] = row.validate(value)
        return values

    def _unknown(self, name: str) -> str:
        return f'parameter {excerpt(name)} is unknown here; {_suggest(name, self._rows)}'


@dataclass(frozen=True)
class Section:
    """A part of a parameter file: what stands below one name of nodes.

    pattern: the name in full, `*` for one part of it and `**` for any number. line: of the file.
    parameters: raw values by dotted name; lines: where each stands.
    """

    pattern: str
    line: int
    parameters: Mapping[str, Any]
    lines: Mapping[str, int]

    def matches(self, full_name: str) -> bool:
        """Tell whether it is for a node, given by namespace and name."""
        # As the middleware does it; stars side by side would only make the search long.
        text = re.sub(r'(/[*]{2})+', '/**', self.pattern).replace('/*', r'(/\w+)')
        return re.fullmatch(text, '/' + full_name.lstrip('/')) is not None

    @property
    def is_for_any(self) -> bool:
        """Whether it stands for nodes of any name, not all of which know all it holds."""
        return self.pattern.endswith('*')


@dataclass(frozen=True)
class ParameterFile:
    """A parameter file, read as the middleware reads it.

    Namespaces may be nested or joined by slashes; of the sections that match a node all count,
    later ones over earlier ones.
    """

    path: Path
    sections: tuple[Section, ...]

    def of_node(self, full_name: str, known: Container[str] | None = None) -> dict[str, Any]:
        """Return the raw values for one node.

        known: its parameters; others are left out of the sections that are for nodes of any name.
        """
        return {
            name: value for section in self.sections if section.matches(full_name)
            for name, value in section.parameters.items()
            if known is None or name in known or not section.is_for_any}

    def check(self, nodes: Mapping[str, Collection[str]], where: str) -> None:
        """Raise ConfigurationError for a section without a node and a name that no node knows.

        nodes: full name of each that there can be, and its parameters. where: of what they are
        part, for the message.
        """
        for section in self.sections:
            found = [known for name, known in nodes.items() if section.matches(name)]
            if not found:
                names = {f'/{name}': None for name in nodes}
                raise self._error(
                    section.line, f"section '{excerpt(section.pattern)[1:-1]}' matches no node of"
                    f' {where}; {_suggest(section.pattern, names)}')
            for name, line in section.lines.items():
                if not any(name in known for known in found) and name != USE_SIM_TIME:
                    names = dict.fromkeys(other for known in found for other in known)
                    raise self._error(
                        line, f'parameter {excerpt(name)} is unknown to what'
                        f" '{excerpt(section.pattern)[1:-1]}' stands for;"
                        f' {_suggest(name, names)}')

    def _error(self, line: int, problem: str) -> ConfigurationError:
        return ConfigurationError(
            f'parameter file {excerpt(str(self.path))}, line {line}: {problem}')


def read_parameter_file(path: Path | str) -> ParameterFile:
    """Read a parameter file.

    Raises ConfigurationError naming the file, the line and the reason if it is not one.
    """
    name = f'parameter file {excerpt(str(path))}'
    root = compose_yaml('parameter file', path)
    try:
        if not isinstance(root, yaml.MappingNode):
            raise ConfigurationError(
                f"{name} holds {'nothing' if root is None else _shown(root)}, expected node names"
                f' with {_PARAMETERS} below')
        sections = tuple(_sections(root, ''))
        seen: dict[str, int] = {}
        for section in sections:
            if section.pattern in seen:
                raise _MalformedError(
                    section.line, f"section '{section.pattern}' stands twice, first in line"
                                  f' {seen[section.pattern]}')
            seen[section.pattern] = section.line
    except _MalformedError as error:
        raise ConfigurationError(f'{name}, line {error.line}: {error}') from error
    except yaml.YAMLError as error:
        raise ConfigurationError(f'{name}, {describe_error(error)}') from error
    return ParameterFile(Path(path), sections)


def load_parameter_file(path: Path | str, node: str, namespace: str = '') -> dict[str, Any]:
    """Read the parameters of one node from a parameter file.

    node: its name; namespace: empty for the root.
    Returns dotted names and raw values. Raises ConfigurationError if the file is not one.
    """
    return read_parameter_file(path).of_node(f"{namespace.strip('/')}/{node}")


class _MalformedError(Exception):
    """Something of a parameter file has another form than the middleware gives it."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


def _sections(node: yaml.MappingNode, outer: str) -> Iterator[Section]:
    """Yield the sections below a namespace."""
    for key, line, below in entries(node):
        pattern = (f'{outer}/{key}' if outer else f"/{key.removeprefix('/')}").removesuffix('/')
        wrong = next((part for part in pattern.split('/')[1:] if not _NAME.fullmatch(part)), None)
        if wrong is not None:
            raise _MalformedError(
                line, f'{excerpt(wrong)} in {excerpt(key)} is no part of a node name, expected'
                      ' letters, digits and _, or * or **')
        if not isinstance(below, yaml.MappingNode):
            raise _MalformedError(
                line, f'{excerpt(key)} is {_shown(below)}, expected a node name with'
                      f' {_PARAMETERS} below it')
        parameters = [value for name, _, value in entries(below) if name == _PARAMETERS]
        if not parameters:
            if not below.value:
                raise _MalformedError(line, f'{excerpt(key)} has no {_PARAMETERS} below it')
            yield from _sections(below, pattern)
            continue
        if len(below.value) > 1:
            other = next(name for name, _, _ in entries(below) if name != _PARAMETERS)
            raise _MalformedError(
                line, f'{excerpt(other)} stands beside {_PARAMETERS} of {excerpt(key)}, expected'
                      ' it below')
        if not isinstance(parameters[0], yaml.MappingNode):
            raise _MalformedError(
                line, f'{_PARAMETERS} of {excerpt(key)} is {_shown(parameters[0])}, expected'
                      ' parameters below it')
        values: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for name, place, value in _parameters(parameters[0], ''):
            if name in values:
                raise _MalformedError(
                    place,
                    f'parameter {excerpt(name)} stands twice, first in line {lines[name]}')
            values[name], lines[name] = value, place
        yield Section(pattern, line, values, lines)


def _parameters(node: yaml.MappingNode, prefix: str) -> Iterator[tuple[str, int, Any]]:
    """Yield dotted name, line and value of each parameter."""
    for key, line, below in entries(node):
        name = f'{prefix}{key}'
        if isinstance(below, yaml.MappingNode):
            yield from _parameters(below, f'{name}.')
        elif isinstance(below, yaml.SequenceNode):
            yield name, line, _list(name, below)
        else:
            yield name, line, _single(name, below)


def _shown(node: yaml.Node) -> str:
    value = value_of(node)
    return 'empty' if value is None else excerpt(value)


def _single(name: str, node: yaml.Node) -> Any:
    if not is_plain(node):
        return value_of(node)
    if not node.value:
        raise _MalformedError(
            node.start_mark.line + 1,
            f'parameter {excerpt(name)} has no value; give it one, or take the line out')
    # What other YAML files have besides: here null is just the word.
    return _LETTERS.get(node.value, plain_value(node.value))


def _list(name: str, node: yaml.SequenceNode) -> list[Any]:
    values = []
    for item in node.value:
        if not isinstance(item, yaml.ScalarNode):
            raise _MalformedError(
                item.start_mark.line + 1,
                f'parameter {excerpt(name)} holds a list or mapping within a list, expected'
                ' values')
        values.append(_single(name, item))
    # Whole numbers among others are numbers to everybody but the middleware.
    kinds = {float if type(value) is int else type(value) for value in values}
    if len(kinds) > 1:
        raise _MalformedError(
            node.start_mark.line + 1,
            f'parameter {excerpt(name)} is {excerpt(values)}, expected one type')
    return values


def _suggest(name: str, known: Iterable[str]) -> str:
    """Return the nearest names, or all."""
    import difflib

    names = list(known)
    close = difflib.get_close_matches(name[:_LONGEST_NAME], names, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(names)}"
