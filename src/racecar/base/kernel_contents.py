# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Content of functions and types outside this package, by which their machine code is cached.

A user's file may be edited, or read values from another when it is imported, so that neither its
name nor its text says what a compiled function of it does. Its bytecode says it, with the global
values that this names: Numba freezes these in what it compiles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import hashlib
import inspect
import operator
import sys
import types
from typing import NamedTuple, TypeAlias

import numpy as np

Written: TypeAlias = Callable[..., object] | type
"""A function or type."""

_PACKAGE = __name__.partition('.')[0]
# What is in them is what its name says.
_STANDARD = {'builtins', 'math', 'numpy', 'typing'}


class Content(NamedTuple):
    """Digest of what a function or type is, and modules of this package that it uses."""

    digest: str
    modules: frozenset[str]


class _UnknownError(Exception):
    """A value has no content that could be compared."""


def is_own(module: str) -> bool:
    """Whether a module is of this package."""
    return module.startswith(f'{_PACKAGE}.')


def origin_of(value: Written) -> str:
    """Module where a function or type was written, also if it bears the name of another."""
    return str(getattr(value, '__globals__', {}).get('__name__', value.__module__))


def content_of(value: Written) -> Content | None:
    """Content of a function or type, None if it is not known.

    Known are functions and NamedTuples that their modules have by their names, if all that they
    name is a number, a text, an array, of math or NumPy or this package, a tuple of these, or
    another such function or NamedTuple. Not known is what is in __main__: no other process has it.
    """
    reader = _Reader()
    try:
        parts = b''.join(reader.described(value))
    except _UnknownError:
        return None
    return Content(hashlib.sha256(parts).hexdigest(), frozenset(reader.modules))


class _Reader:
    """Reads the content of values, of each function and type once."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self._seen: dict[int, int] = {}

    def described(self, value: object) -> Iterator[bytes]:
        """Parts of the content of a value. Raises _UnknownError."""
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
            yield f'{type(value).__name__} {value!r};'.encode()
        elif isinstance(value, (np.ndarray, np.generic)) and value.dtype != object:
            yield f'{value.dtype} {np.shape(value)} {value.tobytes().hex()};'.encode()
        elif isinstance(value, types.ModuleType) and value.__name__ in _STANDARD:
            yield f'{value.__name__};'.encode()
        elif isinstance(value, tuple):
            yield b'('
            if type(value) is not tuple:
                yield from self._named(type(value))
            for each in value:
                yield from self.described(each)
            yield b')'
        elif isinstance(value, types.CodeType):
            yield from self._code(value)
        else:
            yield from self._named(value)

    def _code(self, code: types.CodeType) -> Iterator[bytes]:
        yield code.co_code
        yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
                    code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount,
                    code.co_flags)).encode()
        for constant in code.co_consts:
            yield from self.described(constant)

    def _named(self, value: object) -> Iterator[bytes]:
        """Of a function or type."""
        if not isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type)):
            raise _UnknownError
        if id(value) in self._seen:
            yield f'{self._seen[id(value)]};'.encode()
            return
        self._seen[id(value)] = len(self._seen)
        module = str(value.__module__)
        yield f'{module}.{value.__qualname__};'.encode()
        if module in _STANDARD:
            return
        _check_that_it_is_found(value)
        if is_own(module):
            self.modules.add(module)
        elif isinstance(value, types.FunctionType):
            yield from self._function(value)
        elif isinstance(value, type) and hasattr(value, '_fields'):
            defaults = operator.attrgetter('_field_defaults')(value)
            yield from self.described((value._fields, *defaults.items()))
        else:
            raise _UnknownError

    def _function(self, function: types.FunctionType) -> Iterator[bytes]:
        yield from self.described(function.__defaults__)
        yield from self.described(tuple((function.__kwdefaults__ or {}).items()))
        for cell in function.__closure__ or ():
            yield from self.described(cell.cell_contents)
        if is_own(origin_of(function)):
            # Of this package, but for what it is closed over.
            self.modules.add(origin_of(function))
            return
        yield from self.described(function.__code__)
        for name in sorted(_names(function.__code__)):
            if name in function.__globals__:
                yield f'{name}='.encode()
                yield from self.described(function.__globals__[name])


def _names(code: types.CodeType) -> set[str]:
    """Names that code and the code within it use: globals, and some that are none."""
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _check_that_it_is_found(value: Written) -> None:
    """Raise _UnknownError for what its module does not have by its name, or not any more."""
    found: object = sys.modules.get(value.__module__)
    for name in value.__qualname__.split('.'):
        found = getattr(found, name, None)
    if value.__module__ == '__main__' or not callable(found) or (
            found is not value and inspect.unwrap(found) is not value):
        raise _UnknownError
