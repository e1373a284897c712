#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write stubs/: what type checkers need to know of the messages and services of ROS 2.

The Python modules of messages carry no types, and are not installed everywhere. There is a stub
for each type that our code imports and for those that they contain, made from the classes
themselves. Run it with `./run python tools/make_message_stubs.py` where ROS 2 is found.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
import functools
import importlib
from pathlib import Path
import re
from typing import NamedTuple

from rosidl_parser.definition import (
    AbstractGenericString,
    AbstractNestedType,
    AbstractSequence,
    Array,
    BasicType,
    NamespacedType,
)

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / 'stubs'
SOURCES = ('benchmarks', 'docs', 'launch', 'src', 'test', 'tools')

_KINDS = ('msg', 'srv')
# To parse only files that may have one: of all it takes seconds.
_IMPORT = re.compile(r'from \w+\.(msg|srv) import')
_HEADER = """\
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.
"""
_PARTS = ('Request', 'Response', 'Event')

# Of rosidl, with the type of Python and, for arrays of fixed length, that of NumPy.
_PLAIN = {
    'boolean': 'bool', 'octet': 'bytes', 'char': 'str', 'wchar': 'str', 'float': 'float',
    'double': 'float', 'long double': 'float',
    **{f'{sign}int{bits}': 'int' for sign in ('', 'u') for bits in (8, 16, 32, 64)},
}
_NUMBERS = {
    'float': 'float32', 'double': 'float64',
    **{f'{sign}int{bits}': f'{sign}int{bits}' for sign in ('', 'u') for bits in (8, 16, 32, 64)},
}


class Interface(NamedTuple):
    """Name of a message or service: its package, `msg` or `srv`, and its class."""

    package: str
    kind: str
    name: str

    @property
    def module(self) -> str:
        """The module that exports it."""
        return f'{self.package}.{self.kind}'

    def load(self) -> type:
        """The class itself; ImportError or AttributeError where it is not installed."""
        found: type = getattr(importlib.import_module(self.module), self.name)
        return found


class Field(NamedTuple):
    """Name of a field, the type of what it holds, and that of what may be assigned."""

    name: str
    held: str
    taken: str


def imported() -> set[Interface]:
    """Messages and services that our Python files import."""
    found = set()
    for path in (path for folder in SOURCES for path in (ROOT / folder).rglob('*.py')):
        found |= _imported_by(path.read_text(encoding='utf-8'))
    return found


@functools.cache
def _imported_by(text: str) -> set[Interface]:
    found: set[Interface] = set()
    if not _IMPORT.search(text):
        return found
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            package, _, kind = node.module.partition('.')
            if kind in _KINDS:
                found |= {Interface(package, kind, name.name) for name in node.names}
    return found


def with_contents(interfaces: Iterable[Interface]) -> set[Interface]:
    """These messages and services, and all messages that they contain, at any depth."""
    found: set[Interface] = set()
    waiting = list(interfaces)
    while waiting:
        interface = waiting.pop()
        if interface not in found:
            found.add(interface)
            waiting += [inner for shape in _shapes(interface) for inner in _contents(shape)]
    return found


def _parts(interface: Interface) -> dict[str, type]:
    """Classes with fields: the message itself, or the three of a service."""
    loaded = interface.load()
    if interface.kind == 'msg':
        return {interface.name: loaded}
    return {f'{interface.name}_{part}': getattr(loaded, part) for part in _PARTS}


def _shapes(interface: Interface) -> Iterator[type]:
    yield from _parts(interface).values()


def _contents(shape: type) -> Iterator[Interface]:
    for kind in shape.SLOT_TYPES:  # type: ignore[attr-defined] # each class of rosidl has it
        inner = kind.value_type if isinstance(kind, AbstractNestedType) else kind
        if isinstance(inner, NamespacedType) and not inner.name.endswith(_PARTS):
            package, category = inner.namespaces
            yield Interface(package, category, inner.name)


def _fields(shape: type, own: str) -> list[Field]:
    names = shape.get_fields_and_field_types()  # type: ignore[attr-defined]
    kinds = shape.SLOT_TYPES  # type: ignore[attr-defined]
    return [Field(name, *_types(kind, own)) for name, kind in zip(names, kinds, strict=True)]


def _types(kind: object, own: str) -> tuple[str, str]:
    """Types of Python for what a field holds and for what may be assigned to it."""
    if not isinstance(kind, AbstractNestedType):
        return _single(kind, own), _single(kind, own)
    inner = kind.value_type
    single = _single(inner, own)
    if isinstance(inner, BasicType) and inner.typename in _NUMBERS:
        if isinstance(kind, AbstractSequence):
            return f'array[{single}]', f'Iterable[{single}]'
        assert isinstance(kind, Array)
        numbers = f'NDArray[np.{_NUMBERS[inner.typename]}]'
        return numbers, f'Sequence[{single}] | {numbers}'
    return f'list[{single}]', f'Sequence[{single}]'


def _single(kind: object, own: str) -> str:
    if isinstance(kind, AbstractGenericString):
        return 'str'
    if isinstance(kind, BasicType):
        return _PLAIN[kind.typename]
    assert isinstance(kind, NamespacedType)
    module = '.'.join(kind.namespaces)
    return kind.name if module == own else f'{module}.{kind.name}'


def _constants(shape: type) -> dict[str, str]:
    """Names and types of constants: rosidl declares them as properties of the metaclass."""
    return {name: type(getattr(shape, name)).__name__ for name in vars(type(shape))
            if name.isupper() and not name.startswith('_')}


def _class_text(name: str, shape: type, own: str) -> str:
    fields = _fields(shape, own)
    lines = [f'class {name}:']
    lines += [f'    {constant}: ClassVar[{kind}]' for constant, kind in _constants(shape).items()]
    lines += ['    def __init__(',
              '        self,',
              *(['        *,'] if fields else []),
              *(f'        {field.name}: {field.taken} = ...,' for field in fields),
              '    ) -> None: ...']
    for field in fields:
        if field.held == field.taken:
            lines.append(f'    {field.name}: {field.held}')
        else:
            lines += ['    @property',
                      f'    def {field.name}(self) -> {field.held}: ...',
                      f'    @{field.name}.setter',
                      f'    def {field.name}(self, value: {field.taken}) -> None: ...']
    lines += ['    @classmethod',
              '    def get_fields_and_field_types(cls) -> dict[str, str]: ...']
    return '\n'.join(lines) + '\n'


def _service_text(interface: Interface) -> str:
    inner = '\n'.join(f'    {part}: TypeAlias = {interface.name}_{part}' for part in _PARTS)
    return f'class {interface.name}:\n{inner}\n'


def _module_text(own: str, interfaces: Iterable[Interface]) -> str:
    texts = []
    modules = set()
    for interface in sorted(interfaces):
        for name, shape in _parts(interface).items():
            modules |= {inner.module for inner in _contents(shape)}
            texts.append(_class_text(name, shape, own))
        if interface.kind == 'srv':
            texts.append(_service_text(interface))
    body = '\n'.join(texts)
    abstract = [name for name in ('Iterable', 'Sequence') if f'{name}[' in body]
    typing = [name for name in ('ClassVar', 'TypeAlias') if name in body]
    standard = [
        *(['from array import array'] if 'array[' in body else []),
        *([f'from collections.abc import {", ".join(abstract)}'] if abstract else []),
        *([f'from typing import {", ".join(typing)}'] if typing else []),
    ]
    others = [f'import {module}' for module in modules - {own}]
    if 'NDArray[' in body:
        others += ['import numpy as np', 'from numpy.typing import NDArray']
    others.sort(key=lambda line: line.split()[1])
    paragraphs = ['\n'.join(lines) + '\n' for lines in (standard, others) if lines]
    return '\n'.join([_HEADER, *paragraphs, body])


def stub_files() -> dict[Path, str]:
    """Path and text of each stub."""
    modules: dict[tuple[str, str], list[Interface]] = {}
    for interface in with_contents(imported()):
        modules.setdefault((interface.package, interface.kind), []).append(interface)
    files = {}
    for (package, kind), interfaces in modules.items():
        files[FOLDER / package / '__init__.pyi'] = _HEADER
        path = FOLDER / package / kind / '__init__.pyi'
        files[path] = _module_text(f'{package}.{kind}', interfaces)
    return files


def outdated() -> list[str]:
    """Files of stubs/ that are missing, hold something else or are of no use, by relative path."""
    wanted = stub_files()
    wrong = {path for path, text in wanted.items()
             if not path.is_file() or path.read_text(encoding='utf-8') != text}
    wrong |= set(FOLDER.rglob('*.pyi')) - set(wanted)
    return sorted(str(path.relative_to(FOLDER)) for path in wrong)


def main() -> None:
    """Write all stubs, and remove those that nothing needs."""
    files = stub_files()
    for path in set(FOLDER.rglob('*.pyi')) - set(files):
        path.unlink()
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')


if __name__ == '__main__':
    main()
