# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Read a YAML file, or say in one line why not.

Plain values are what the middleware takes them for, which reads the same files: that is neither
YAML 1.1 nor 1.2, 1e1 is a number, 010 is eight, 1:30 and 2026-01-01 are texts. Keys are texts.
Size and nesting are bounded before anything is built, so that no file takes long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import contextlib
import math
import os
from pathlib import Path
import re
import sys
from typing import cast, ClassVar, TypeVar

import yaml

from racecar.base.errors import ConfigurationError, excerpt, RacecarError
from racecar.base.values import Value

MOST_BYTES = 1_000_000
"""Size of a file that is read [bytes]."""
MOST_DEPTH = 50
MOST_VALUES = 100_000
"""Scalars, lists and mappings in a file, with each alias written out."""

_TRUE = frozenset(['yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'])
_FALSE = frozenset(['no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'])
_NULL = frozenset(('', '~', 'null', 'Null', 'NULL'))
# As strtoll() with base 0 and strtod() read a whole text.
_INTEGER = re.compile(r'([-+]?)(?:0[xX]([0-9a-fA-F]+)|0([0-7]*)|([1-9][0-9]*))')
_DECIMAL = re.compile(r'[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?')
_HEXADECIMAL = re.compile(
    r'[-+]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][-+]?[0-9]+)?')
# What has no digit but 0 before its exponent.
_ZERO = re.compile(r'[-+]?(?:0[xX])?[0.]+(?:$|[eEpP])')
_NOT_FINITE = re.compile(
    r'\.(?:nan|NaN|NAN)|[-+]?\.(?:inf|Inf|INF)|[-+]?(?i:nan(?:\([0-9A-Z_]*\))?|inf|infinity)')
_INT64 = 2**63

T = TypeVar('T')

_TAG = 'tag:yaml.org,2002:'
_PLAIN = '!plain'
_QUOTES = ('"', "'")


def load_yaml(kind: str, path: Path | str, remedy: str = 'check the path') -> Value:
    """Content of a YAML file.

    kind: what the file is, and remedy: what to do where it cannot be read, for the message.
    Raises ConfigurationError if it cannot be read, is not YAML, is too large, or has a key twice.
    """
    return read_yaml(kind, path, parse_yaml, remedy)


def load_mapping(kind: str, path: Path | str, keys: str) -> dict[str, object]:
    """Content of a YAML file that is a mapping; keys: which it has, for the message.

    Raises ConfigurationError as load_yaml() does, and for a file that holds something else.
    """
    content = load_yaml(kind, path)
    if not isinstance(content, dict):
        raise ConfigurationError(
            f"{kind} '{path}' holds {excerpt(content)}, expected a mapping with {keys}")
    return content


@contextlib.contextmanager
def naming_file(kind: str, path: str | os.PathLike[str] | None) -> Iterator[None]:
    """Name a file in the errors that its content raises; path: None without a file."""
    try:
        yield
    except RacecarError as error:
        if path is None:
            raise
        raise type(error)(f"{kind} '{path}': {error}") from error


def read_yaml(kind: str, path: Path | str, read: Callable[[str], T],
              remedy: str = 'check the path') -> T:
    """What read() makes of the text of a YAML file.

    Raises ConfigurationError, for a file that cannot be read and for yaml.YAMLError that read()
    raises.
    """
    name = f'{kind} {excerpt(str(path))}'
    try:
        return read(_text(path))
    except OSError as error:
        raise ConfigurationError(f'{name} cannot be read: {error.strerror}; {remedy}') from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(
            f'{name} is not YAML: byte {error.start + 1} is not UTF-8; save it as UTF-8'
        ) from error
    except _TooLarge as error:
        raise ConfigurationError(f'{name} is too large: {describe_error(error)}') from error
    except yaml.YAMLError as error:
        raise ConfigurationError(f'{name} is not YAML: {describe_error(error)}') from error
    except ValueError as error:  # a NUL in the path
        raise ConfigurationError(f'{name} cannot be read: {error}; {remedy}') from error


def compose_yaml(text: str, knows_aliases: bool = True) -> yaml.Node | None:
    """Nodes of a YAML text, which know their lines; None if it is empty.

    knows_aliases: False for what the middleware reads too, which refuses them.
    Raises yaml.YAMLError as parse_yaml() does, but for a key that stands twice.
    """
    _check_size(text, knows_aliases)
    node: yaml.Node | None = yaml.compose(text, Loader=_Loader)
    return node


def parse_yaml(text: str) -> Value:
    """Content of a YAML text. Raises yaml.YAMLError, see describe_error()."""
    node = compose_yaml(text)
    return None if node is None else value_of(node)


def value_of(node: yaml.Node) -> Value:
    """Value of a YAML node. Raises yaml.YAMLError."""
    loader = _Loader('')
    try:
        value: Value = loader.construct_document(node)
        return value
    finally:
        loader.dispose()


def is_quoted(node: yaml.Node) -> bool:
    """Whether a value stands in quotes."""
    return isinstance(node, yaml.ScalarNode) and node.style in _QUOTES


def is_text(node: yaml.Node) -> bool:
    """Whether a value is a text whatever it looks like: by quotes or by its tag."""
    return is_quoted(node) or bool(node.tag == f'{_TAG}str')


def describe_error(error: yaml.YAMLError) -> str:
    """Error in one line, with the place where there is one."""
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        place = f'line {mark.line + 1}, column {mark.column + 1}: ' if mark else ''
        context = f'{error.context}: ' if error.context else ''
        text = f'{place}{context}{error.problem}'
    else:
        text = str(error)
    return ' '.join(text.split())


def entries(node: yaml.MappingNode) -> Iterator[tuple[str, int, yaml.Node]]:
    """Yield key, its line and the value of each entry.

    Raises yaml.YAMLError for a key that is no text or stands twice.
    """
    lines: dict[str, int] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise _error(key, 'a list or mapping stands as a key, expected a name')
        line = key.start_mark.line + 1
        if key.value in lines:
            raise _error(
                key, f'key {excerpt(key.value)} stands twice, first in line {lines[key.value]}')
        lines[key.value] = line
        yield key.value, line, value


def _text(path: Path | str) -> str:
    with open(path, 'rb') as stream:
        # Also from what has no size, as /dev/zero.
        data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise _TooLarge(None, None, f'expected at most {MOST_BYTES // 1000} kB')
    return data.decode('utf-8-sig')


class _TooLarge(yaml.MarkedYAMLError):
    """What is well-formed but more than a configuration can be."""


class _Loader(yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader):  # type: ignore[misc]
    """Takes plain values for what the middleware takes them for, and keys for texts.

    Also those of several lines, behind | or >.
    """

    DEFAULT_SCALAR_TAG = _PLAIN
    yaml_implicit_resolvers: ClassVar[dict[str, object]] = {}
    yaml_constructors: ClassVar[dict[str, object]] = {}


def _construct_mapping(loader: _Loader, node: yaml.Node) -> dict[str, object]:
    if not isinstance(node, yaml.MappingNode):
        raise _error(node, 'expected a mapping')
    return {key: loader.construct_object(value, deep=True) for key, _, value in entries(node)}


def _construct_list(loader: _Loader, node: yaml.Node) -> list[object]:
    if not isinstance(node, yaml.SequenceNode):
        raise _error(node, 'expected a list')
    return [loader.construct_object(item, deep=True) for item in node.value]


def _construct_scalar(_: object, node: yaml.Node) -> object:
    if not isinstance(node, yaml.ScalarNode):
        raise _error(node, 'expected a single value')
    text = str(node.value)
    if is_text(node):
        return text
    return None if text in _NULL else plain_value(text)


def _refuse(_: object, node: yaml.Node) -> object:
    raise _error(node, f'tag {excerpt(node.tag)} has no meaning here')


_Loader.add_implicit_resolver(_PLAIN, re.compile('', re.DOTALL), None)
for _tag in (_PLAIN, *(_TAG + _name for _name in ('str', 'bool', 'int', 'float', 'null'))):
    _Loader.add_constructor(_tag, _construct_scalar)
_Loader.add_constructor(f'{_TAG}seq', _construct_list)
_Loader.add_constructor(f'{_TAG}map', _construct_mapping)
_Loader.add_constructor(None, _refuse)


def plain_value(text: str) -> bool | int | float | str:
    """Value that rcl reads from a text without quotes, except for y and n."""
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if match := _INTEGER.fullmatch(text):
        sign, hexadecimal, octal, decimal = match.groups()
        digits, base = next(
            pair for pair in ((hexadecimal, 16), (octal, 8), (decimal, 10)) if pair[0] is not None)
        # Python refuses to convert very many digits; these are too many in any base.
        if len(digits.lstrip('0')) <= 22:
            integer = int(sign + (digits or '0'), base)
            if -_INT64 <= integer < _INT64:
                return integer
    if _NOT_FINITE.fullmatch(text):
        return float(text.replace('.', '').partition('(')[0])
    try:
        if _DECIMAL.fullmatch(text):
            number = float(text)
        elif _HEXADECIMAL.fullmatch(text):
            number = float.fromhex(text)
        else:
            return text
    except OverflowError:
        return text
    # C calls both a range error, and the value then stays a text.
    is_tiny = abs(number) < sys.float_info.min and not _ZERO.match(text)
    return text if math.isinf(number) or is_tiny and not _is_exact(text, number) else number


def _is_exact(text: str, number: float) -> bool:
    """Whether a hexadecimal text stands for a tiny number to its last digit.

    A decimal one needs hundreds of digits for this and counts as inexact.
    """
    if number == 0.0 or not _HEXADECIMAL.fullmatch(text):
        return False
    mantissa, _, exponent = text.lower().partition('x')[2].partition('p')
    whole, _, fraction = mantissa.partition('.')
    missing = -1074 - (int(exponent or '0') - 4 * len(fraction))
    return missing <= 0 or int(whole + fraction, 16) % 2**missing == 0


def _check_size(text: str, knows_aliases: bool) -> None:
    """Raise _TooLarge for what would take long to build or to walk through.

    An alias counts as all that it stands for, and one within its own anchor never ends.
    Raises yaml.YAMLError for an alias if these are not known.
    """
    if len(text) > MOST_BYTES:
        raise _TooLarge(None, None, f'expected at most {MOST_BYTES // 1000} kB')
    try:
        text.encode()
    except UnicodeEncodeError as error:  # bytes of a command line that are no text
        raise yaml.YAMLError(
            f'character {error.start + 1}, {excerpt(text[error.start])}, is none of Unicode'
        ) from error
    extent = _Extent()
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent) and not knows_aliases:
            raise _error(
                event, f'alias {excerpt(event.anchor)} cannot stand here: the middleware'
                       ' knows none; write out what it stands for')
        extent.add(event)
        if extent.depth > MOST_DEPTH:
            raise _too_large(event, f'nested more than {MOST_DEPTH} levels deep')
        if extent.count > MOST_VALUES:
            raise _too_large(event, f'more than {MOST_VALUES} values, aliases written out')


class _Extent:
    """Number of values in the events so far, aliases written out, and their depth.

    Attributes:
        count: scalars, lists and mappings
    """

    def __init__(self) -> None:
        self.count = 0
        self._sizes: dict[str, int] = {}
        # Anchor of each list or mapping that is open, and the count before it.
        self._parents: list[tuple[str | None, int]] = []

    @property
    def depth(self) -> int:
        """Lists and mappings that are open."""
        return len(self._parents)

    def add(self, event: yaml.Event) -> None:
        """Count one more event. Raises _TooLarge for an alias within its own anchor."""
        if isinstance(event, yaml.CollectionStartEvent):
            self._parents.append((event.anchor, self.count))
            self.count += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = self._parents.pop()
            if anchor is not None:
                self._sizes[anchor] = self.count - before
        elif isinstance(event, yaml.ScalarEvent):
            self.count += 1
            if event.anchor is not None:
                self._sizes[event.anchor] = 1
        elif isinstance(event, yaml.AliasEvent):
            if any(anchor == event.anchor for anchor, _ in self._parents):
                raise _too_large(event, f'alias {excerpt(event.anchor)} contains itself')
            self.count += self._sizes.get(str(event.anchor), 1)


def _too_large(event: yaml.Event, problem: str) -> _TooLarge:
    return _TooLarge(None, None, problem, _start(event))


def _error(node: yaml.Node | yaml.Event, problem: str) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, problem, _start(node))


def _start(part: yaml.Node | yaml.Event) -> yaml.Mark | None:
    """Where a part begins; the marks of the parser in C have the same attributes."""
    return cast(yaml.Mark, part.start_mark)
