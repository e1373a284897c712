# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameter files: values by node, in YAML."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass
import functools
from pathlib import Path
import re

import yaml

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest, USE_SIM_TIME
from racecar.base.values import Values
from racecar.base.yaml_file import (
    compose_yaml,
    describe_error,
    entries,
    is_quoted,
    is_text,
    plain_value,
    read_yaml,
    value_of,
)

_PARAMETERS = 'ros__parameters'
_NAME = re.compile(r'[A-Za-z_][A-Za-z0-9_]*|[*]{1,2}')
# Booleans of parameter files only: elsewhere they are names.
_LETTERS = {'Y': True, 'y': True, 'N': False, 'n': False}


@dataclass(frozen=True)
class Section:
    """A part of a parameter file: what stands below one name of nodes.

    pattern: the name in full, `*` for one part of it and `**` for any number. line: of the file.
    parameters: raw values by dotted name; lines: where each stands.
    """

    pattern: str
    line: int
    parameters: Values
    lines: Mapping[str, int]

    def matches(self, full_name: str) -> bool:
        """Whether it is for a node, given by namespace and name."""
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

    def of_node(self, full_name: str, known: Container[str] | None = None) -> dict[str, object]:
        """Raw values for one node.

        known: its parameters; others are left out of the sections that are for nodes of any name.
        """
        return {
            # Lists belong to whoever asks.
            name: [*value] if isinstance(value, list) else value
            for section in self.sections if section.matches(full_name)
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
                    f' {where}; {suggest(section.pattern, names)}')
            for name, line in section.lines.items():
                if not any(name in known for known in found) and name != USE_SIM_TIME:
                    names = dict.fromkeys(other for known in found for other in known)
                    raise self._error(
                        line, f'parameter {excerpt(name)} is unknown to what'
                        f" '{excerpt(section.pattern)[1:-1]}' stands for;"
                        f' {suggest(name, names)}')

    def _error(self, line: int, problem: str) -> ConfigurationError:
        return ConfigurationError(
            f'parameter file {excerpt(str(self.path))}, line {line}: {problem}')


def read_parameter_file(path: Path | str) -> ParameterFile:
    """Read a parameter file.

    Raises ConfigurationError naming the file, the line and the reason if it is not one.
    """
    try:
        return ParameterFile(Path(path), read_yaml('parameter file', path, _sections_of))
    except _NoParameterFileError as error:
        raise ConfigurationError(f'parameter file {excerpt(str(path))}{error}') from error


# Nodes of a stack share few files; the text, and not the path, says whether one has changed.
@functools.lru_cache(maxsize=64)
def _sections_of(text: str) -> tuple[Section, ...]:
    """Sections of a text. Raises _NoParameterFileError, and yaml.YAMLError if it is not YAML."""
    root = compose_yaml(text, knows_aliases=False)
    try:
        if not isinstance(root, yaml.MappingNode):
            raise _NoParameterFileError(
                f" holds {'nothing' if root is None else _shown(root)}, expected node names"
                f' with {_PARAMETERS} below')
        sections = tuple(_sections(root, None))
        seen: dict[str, int] = {}
        for section in sections:
            if section.pattern in seen:
                raise _MalformedError(
                    section.line, f"section '{section.pattern}' stands twice, first in line"
                                  f' {seen[section.pattern]}')
            seen[section.pattern] = section.line
    except _MalformedError as error:
        raise _NoParameterFileError(f', line {error.line}: {error}') from error
    except yaml.YAMLError as error:
        raise _NoParameterFileError(f', {describe_error(error)}') from error
    return sections


def load_parameter_file(path: Path | str, node: str, namespace: str = '') -> dict[str, object]:
    """Read the parameters of one node from a parameter file.

    node: its name; namespace: empty for the root.
    Returns dotted names and raw values. Raises ConfigurationError if the file is not one.
    """
    return read_parameter_file(path).of_node(f"{namespace.strip('/')}/{node}")


class _NoParameterFileError(Exception):
    """A text is no parameter file: what follows its name in the message."""


class _MalformedError(Exception):
    """Something of a parameter file has another form than the middleware gives it."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


def _sections(node: yaml.MappingNode, outer: str | None) -> Iterator[Section]:
    """The sections below a namespace; outer: its name, None for the whole file."""
    for key, line, below in entries(node):
        full = f"/{key.removeprefix('/')}" if outer is None else f'{outer}/{key}'
        pattern = full.removesuffix('/')
        _check_pattern(pattern, key, line)
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
        if full.endswith('/'):
            raise _MalformedError(
                line, f'{excerpt(key)} has {_PARAMETERS} below it but no node name at its end')
        if len(below.value) > 1:
            other = next(name for name, _, _ in entries(below) if name != _PARAMETERS)
            raise _MalformedError(
                line, f'{excerpt(other)} stands beside {_PARAMETERS} of {excerpt(key)}, expected'
                      ' it below')
        if not isinstance(parameters[0], yaml.MappingNode):
            raise _MalformedError(
                line, f'{_PARAMETERS} of {excerpt(key)} is {_shown(parameters[0])}, expected'
                      ' parameters below it')
        yield _section(pattern, line, parameters[0])


def _check_pattern(pattern: str, key: str, line: int) -> None:
    """Raise _MalformedError for a key that makes a pattern which matches no node."""
    for part in pattern.split('/')[1:]:
        if not _NAME.fullmatch(part):
            raise _MalformedError(
                line, f'{excerpt(part)} in {excerpt(key)} is no part of a node name, expected'
                      ' letters, digits and _, or * or **')


def _section(pattern: str, line: int, node: yaml.MappingNode) -> Section:
    """Build the section of a pattern from the parameters below it."""
    values: dict[str, object] = {}
    lines: dict[str, int] = {}
    for name, place, value in _parameters(node, ''):
        if name in values:
            raise _MalformedError(
                place, f'parameter {excerpt(name)} stands twice, first in line {lines[name]}')
        values[name], lines[name] = value, place
    return Section(pattern, line, values, lines)


def _parameters(node: yaml.MappingNode, prefix: str) -> Iterator[tuple[str, int, object]]:
    """Yield dotted name, line and value of each parameter."""
    for key, line, below in entries(node):
        name = f'{prefix}{key}'
        if not key or '\0' in key:
            raise _MalformedError(
                line, f'{excerpt(key)} is no name of a parameter')
        if isinstance(below, yaml.MappingNode):
            if not below.value:
                raise _no_value(name, below)
            yield from _parameters(below, f'{name}.')
        elif isinstance(below, yaml.SequenceNode):
            yield name, line, _list(name, below)
        else:
            yield name, line, _single(name, below)


def _shown(node: yaml.Node) -> str:
    value = value_of(node)
    return 'empty' if value is None else excerpt(value)


def _single(name: str, node: yaml.Node) -> object:
    if not node.value and not is_quoted(node):
        raise _no_value(name, node)
    value = value_of(node)
    if '\0' in node.value:
        raise _MalformedError(
            node.start_mark.line + 1,
            f'parameter {excerpt(name)} is {excerpt(value)}, expected a text without \\0')
    # What other YAML files have besides: here null is just the word.
    return value if is_text(node) else _LETTERS.get(node.value, plain_value(node.value))


def _no_value(name: str, node: yaml.Node) -> _MalformedError:
    return _MalformedError(
        node.start_mark.line + 1,
        f'parameter {excerpt(name)} has no value; give it one, or take the line out')


def _list(name: str, node: yaml.SequenceNode) -> list[object]:
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
