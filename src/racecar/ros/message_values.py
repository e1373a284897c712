# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages from plain values, checked field by field, and plain values from messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import importlib
import math
import re
from typing import Any, cast, NamedTuple, Protocol, TypeVar

import numpy as np
import yaml

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest
from racecar.base.yaml_file import describe_error, parse_yaml

LONGEST = 128
"""Elements of a list, and characters of a text, that are shown unless more is asked for."""

_INTEGERS = {f'{sign}int{bits}': (0 if sign else -2 ** (bits - 1), 2 ** (bits - (not sign)) - 1)
             for sign in ('', 'u') for bits in (8, 16, 32, 64)}
_DTYPES: dict[str, type[np.generic]] = {
    'double': np.float64, 'float': np.float32, **{kind: getattr(np, kind) for kind in _INTEGERS}}
_LARGEST_FLOAT = float(np.finfo(np.float32).max)
_SEQUENCE = re.compile(r'sequence<(.+?)(?:, (\d+))?>')
_ARRAY = re.compile(r'(.+)\[(\d+)\]')
# Of a line.
_NO_END = 2 ** 31 - 1
_TEXT = re.compile(r'w?string(?:<(\d+)>)?')


class Message(Protocol):
    """A message of ROS, whatever its type."""

    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...


M = TypeVar('M', bound=Message)


def type_name(message_type: type) -> str:
    """Name of a type of messages or requests, as std_msgs/msg/Bool."""
    package, kind, *_ = message_type.__module__.split('.')
    return f'{package}/{kind}/{message_type.__name__}'


def load_type(name: str, kind: str) -> Any:
    """Class of a type, as std_msgs/msg/Bool; the kind, msg or srv, may be left out.

    Raises ConfigurationError if it has another form or is not installed.
    """
    package, *between, last = name.split('/') if '/' in name else ('', '')
    if between not in ([], [kind]) or not (package.isidentifier() and last.isidentifier()):
        raise ConfigurationError(
            f'type {excerpt(name)} is none, expected package/{kind}/Name, for example'
            f" {'std_msgs/msg/Bool' if kind == 'msg' else 'std_srvs/srv/SetBool'}")
    try:
        module = importlib.import_module(f'{package}.{kind}')
    except ImportError as error:
        raise ConfigurationError(
            f'type {excerpt(name)}: package {package} has no Python module {kind} here ({error});'
            ' is it installed and sourced?') from error
    found = getattr(module, last, None)
    if found is None:
        known = [other for other in dir(module) if other[0].isupper()]
        raise ConfigurationError(
            f'type {excerpt(name)}: {package} has no {kind} {last}; {suggest(last, known)}')
    return found


def parse_message(message_type: type[M], text: str, now: object = None) -> M:
    """Message that a YAML text of its fields stands for; fields left out are default.

    now: what a time called now, and the stamp of a header called auto, is. Raises
    ConfigurationError that names the field, its value and what was expected.
    """
    try:
        values = parse_yaml(text)
    except yaml.YAMLError as error:
        raise ConfigurationError(
            f'values {excerpt(text)} are not YAML: {describe_error(error)}') from error
    message = message_type()
    _fill(message, {} if values is None else values, type_name(message_type), '', now)
    return message


def _fill(message: Message, values: object, owner: str, path: str, now: object) -> None:
    fields = message.get_fields_and_field_types()
    if not isinstance(values, Mapping):
        where = f'field {path!r} of {owner} is' if path else f'the value of {owner} is'
        shown = ', '.join(f'{name}: ...' for name in fields)
        raise ConfigurationError(
            f'{where} {excerpt(values)}, expected a mapping {{{shown}}}')
    for name, value in values.items():
        if name not in fields:
            raise ConfigurationError(
                f'field {f"{path}.{name}".lstrip(".")!r} is not in {owner};'
                f' {suggest(name, fields) if fields else "it has no fields"}')
        place = f'{path}.{name}' if path else name
        setattr(message, name, _value(value, _Field(fields[name], owner, place), now))


class _Field(NamedTuple):
    """kind: as get_fields_and_field_types() names it; owner: type of the message; path: in it."""

    kind: str
    owner: str
    path: str

    def error(self, value: object, expected: str) -> ConfigurationError:
        """Error for a value that the field cannot have."""
        return ConfigurationError(
            f'field {self.path!r} of {self.owner} is {excerpt(value)}, expected {expected}')


def _value(value: object, field: _Field, now: object) -> object:
    """Value of a field for what stands in a YAML text; raises ConfigurationError."""
    kind = field.kind
    if _SEQUENCE.fullmatch(kind) or _ARRAY.fullmatch(kind):
        return _items(value, field, now)
    if kind in _INTEGERS:
        low, high = _INTEGERS[kind]
        return _integer(value, field, low, high)
    if kind == 'octet':
        return bytes([_integer(value, field, 0, 255)])
    if kind in ('double', 'float'):
        return _number(value, field)
    if kind == 'boolean':
        if not isinstance(value, bool):
            raise field.error(value, 'true or false')
        return value
    if text := _TEXT.fullmatch(kind):
        if not isinstance(value, str):
            raise field.error(value, 'a text; put it in quotes')
        if text[1] and len(value) > int(text[1]):
            raise field.error(value, f'at most {text[1]} characters')
        return value
    return _nested(value, field, now)


def _items(value: object, field: _Field, now: object) -> object:
    array = _ARRAY.fullmatch(field.kind)
    element, count = (array or _SEQUENCE.fullmatch(field.kind)).groups()  # type: ignore[union-attr]
    most = f'{count} ' if array else f'at most {count} ' if count else ''
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise field.error(value, f'a list of {most}{element}')
    if count and (len(value) != int(count) if array else len(value) > int(count)):
        raise field.error(value, f'{most}elements, not {len(value)}')
    items = [_value(item, field._replace(kind=element, path=f'{field.path}[{index}]'), now)
             for index, item in enumerate(value)]
    # rclpy has arrays of a fixed length as NumPy's.
    dtype = _DTYPES.get(element) if array else None
    return items if dtype is None else np.array(items, dtype)


def _integer(value: object, field: _Field, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise field.error(value, f'an integer from {low} to {high} ({field.kind})')
    return value


def _number(value: object, field: _Field) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise field.error(value, f'a number ({field.kind})')
    if field.kind == 'float' and math.isfinite(value) and abs(value) > _LARGEST_FLOAT:
        raise field.error(value, f'a number up to {_LARGEST_FLOAT:g} (float)')
    return float(value)


def _nested(value: object, field: _Field, now: object) -> object:
    message = load_type(field.kind, 'msg')()
    if now is not None and field.kind == 'builtin_interfaces/Time' and value == 'now':
        return now
    if now is not None and field.kind == 'std_msgs/Header' and value == 'auto':
        message.stamp = now
        return message
    _fill(message, value, field.owner, field.path, now)
    return message


def plain(value: object, longest: int | None = LONGEST, *, with_lists: bool = True) -> Any:
    """Message as mappings, lists, texts and numbers.

    longest: elements of lists and characters of texts; what is beyond becomes '...'; None for
    all. with_lists: False for a word on their length in their place.
    """
    if hasattr(value, 'get_fields_and_field_types'):
        return {name: plain(getattr(value, name), longest, with_lists=with_lists)
                for name in value.get_fields_and_field_types()}
    if isinstance(value, bytes):
        return value[0] if len(value) == 1 else [*value]
    if isinstance(value, str):
        return value if longest is None or len(value) <= longest else f'{value[:longest]}...'
    if isinstance(value, np.generic):
        # Some of which are numbers of Python, too.
        return value.item()
    if isinstance(value, bool | int | float):
        return value
    elements = cast(Sequence[object], value)
    if not with_lists:
        return f'<{len(elements)} elements>'
    items = [plain(item, longest, with_lists=with_lists) for item in elements[:longest]]
    return items if len(items) == len(elements) else [*items, '...']


def yaml_text(values: object) -> str:
    """Plain values as YAML, as ros2 topic echo prints it."""
    if not isinstance(values, dict | list):
        return f'{values}\n'
    return str(yaml.dump(values, sort_keys=False, width=_NO_END, allow_unicode=True,
                         Dumper=_Dumper))


class _Dumper(yaml.CSafeDumper if yaml.__with_libyaml__ else yaml.SafeDumper):  # type: ignore[misc]
    """Without anchors: what stands twice is written twice."""

    def ignore_aliases(self, _: object) -> bool:
        return True


def select_field(message: object, path: str) -> object:
    """Field by its path, as pose.pose.position or poses[0].x.

    Raises ConfigurationError naming what there is.
    """
    value: Any = message
    for part in re.findall(r'[^.\[\]]+', path):
        if hasattr(value, 'get_fields_and_field_types'):
            fields = value.get_fields_and_field_types()
            if part not in fields:
                raise ConfigurationError(
                    f'--field {excerpt(path)}: {part!r} is not in {type_name(type(value))};'
                    f' {suggest(part, fields)}')
            value = getattr(value, part)
        elif not part.isdecimal() or isinstance(value, str | bool | int | float) \
                or int(part) >= len(value):
            has = f'{len(value)} elements' if isinstance(value, Sequence | np.ndarray) else \
                'no parts'
            raise ConfigurationError(
                f'--field {excerpt(path)}: {part!r} is not there, what is before it has {has}')
        else:
            value = value[int(part)]
    return value


def flat(values: object) -> list[object]:
    """All numbers and texts of plain values in order, for CSV."""
    if isinstance(values, Mapping):
        values = [*values.values()]
    if isinstance(values, list):
        return [leaf for value in values for leaf in flat(value)]
    return [values]
