# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which source files the machine code of a kernel depends on, and a digest of them.

They are the modules of what a kernel is made of and all that these import, by the text of the
files: functions, constants and NamedTuples can come from nowhere else. Imports within functions
count, as factories close over what they import. Those under TYPE_CHECKING do not: they are never
executed. The package that a module lies in counts only where something is imported from it.
"""

from __future__ import annotations

from collections.abc import Iterable
import contextlib
import functools
import hashlib
import os
import re
import time
from typing import NamedTuple

_PACKAGE = __name__.partition('.')[0]
_FOLDER = os.path.dirname(os.path.dirname(__file__))
_INIT = os.sep + '__init__.py'
_BEGIN = time.time()

# Parsing takes 40 times as long. More than the syntax tree has is a compilation too many; a test
# sees that it is not less.
_FOR_TYPES = re.compile(rb'^if (?:typing\.)?TYPE_CHECKING:\n(?:(?:[ \t].*)?\n)+', re.MULTILINE)
_IMPORT = re.compile(
    rb'^[ \t]*(?:from[ \t]+(%(package)s[.\w]*)[ \t]+import[ \t]*'
    rb'(\((?:[^)#]|#[^\n]*)*\)|(?:[^\n\\]|\\\n)*)'
    rb'|import[ \t]+(%(package)s\b[^\n]*))' % {b'package': _PACKAGE.encode()}, re.MULTILINE)
_NAME = re.compile(rb'[.\w]+')
_COMMENT = re.compile(rb'#[^\n]*')
_CHOOSES = b'\n@by_type\n'
_REGISTERS = b'.register('


class Sources(NamedTuple):
    """Digest of source files, and whether they are those that this process imported."""

    digest: str
    are_imported: bool


class _Source(NamedTuple):
    path: str
    content: bytes
    digest: bytes
    is_imported: bool

    @property
    def is_package(self) -> bool:
        """Whether it is that of a folder."""
        return self.path.endswith(_INIT)

    def imports(self) -> Iterable[str]:
        """Modules of this package that it imports, and names of no module."""
        for match in _IMPORT.finditer(_FOR_TYPES.sub(b'', self.content)):
            origin, names, plain = match.groups()
            if plain is not None:
                yield from (name.strip().partition(b' ')[0].decode()
                            for name in _COMMENT.sub(b'', plain).split(b','))
                continue
            module = origin.decode()
            yield module
            source = _source(module)
            if source and source.is_package:
                for name in _NAME.findall(_COMMENT.sub(b'', names)):
                    yield f'{module}.{name.decode()}'


@functools.cache
def _source(module: str) -> _Source | None:
    """Source of a module of this package; None for names that are none."""
    base = os.path.join(_FOLDER, *module.split('.')[1:])
    for path in (f'{base}.py', base + _INIT):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError), open(path, 'rb') as file:
            status, content = os.fstat(file.fileno()), file.read()
            return _Source(path, content, hashlib.sha256(content).digest(),
                           max(status.st_mtime, status.st_ctime) < _BEGIN)
    return None


@functools.cache
def _needed(module: str) -> frozenset[str]:
    """Modules that a module imports, or whose implementations its functions by type have."""
    source = _source(module)
    if source is None:
        return frozenset()
    found = {name for name in source.imports() if _source(name)}
    if _CHOOSES in source.content:
        package = module if source.is_package else module.rpartition('.')[0]
        files = sorted(os.listdir(os.path.dirname(source.path)))
        others = (f'{package}.{file[:-3]}' for file in files if file.endswith('.py'))
        found |= {other for other in others if _registers(other)}
    return frozenset(found)


def _registers(module: str) -> bool:
    source = _source(module)
    return source is not None and _REGISTERS in source.content


def modules_of(roots: frozenset[str]) -> frozenset[str]:
    """These modules of the package and all that they import, one by the other."""
    todo, seen = list(roots), set()
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo += _needed(module)
    return frozenset(seen)


@functools.cache
def sources_of(roots: frozenset[str]) -> Sources:
    """Digest of the sources of modules_of(roots): ten hexadecimal digits.

    A module without a file makes a digest of its own.
    """
    digest, are_imported = hashlib.sha256(), True
    for module in sorted(modules_of(roots)):
        source = _source(module)
        digest.update(module.encode())
        digest.update(source.digest if source else b'none')
        are_imported = are_imported and source is not None and source.is_imported
    return Sources(digest.hexdigest()[:10], are_imported)
