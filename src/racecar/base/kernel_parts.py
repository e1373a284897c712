# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a kernel is made of, and a name that is one for each content."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import hashlib
import inspect
import operator
import types
from typing import cast, NamedTuple

from racecar.base.kernel_contents import content_of, is_own, origin_of, Written
from racecar.base.kernel_sources import sources_of

Implementations = dict[type, Callable[..., object]]
"""Of a function by type: for each type of its first argument."""

_implementations: list[Implementations] = []
_NEUTRAL = {'builtins', 'typing'}
# What all kernels are made with.
_COMPILED = f'{__package__}.compiled'


class Parts(NamedTuple):
    """What a kernel is made of.

    modules: of this package; others: functions and types that are not of it, in a fixed order,
    without the closure itself; are_known: closure and others by their content; has_users: whether
    code of a user's is in it.
    """

    modules: frozenset[str]
    others: tuple[Written, ...]
    are_known: bool
    has_users: bool

    @property
    def are_kept(self) -> bool:
        """Whether a file may keep the kernel: its content is known, and that of its sources."""
        return self.are_known and sources_of(self.modules).are_imported


def note_implementations(table: Implementations) -> None:
    """Let parts_of() look among the implementations of a function by type."""
    _implementations.append(table)


def is_ours(value: object) -> bool:
    """Whether a function or type bears the name of a module of this package."""
    return is_own(str(getattr(value, '__module__', '')))


def cells_of(function: Callable[..., object]) -> list[object]:
    """Values that a function is closed over."""
    return [cell.cell_contents for cell in getattr(function, '__closure__', None) or ()]


def parts_of(function: Callable[..., object], signature: object = None) -> Parts:
    """All functions and types that a closure and the types of its arguments reach."""
    todo: list[object] = [function, signature]
    seen: dict[int, object] = {}
    written: list[Written] = []
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        # Kept, so that no other object gets its id.
        seen[id(value)] = value
        if isinstance(value, tuple):
            todo += [type(value), *value]
        elif isinstance(value, type):
            written.append(value)
            todo += [*value.__bases__, *_made_for(value)]
        elif isinstance(value, types.FunctionType) or hasattr(value, 'py_func'):
            plain = inspect.unwrap(cast(
                'Callable[..., object]', operator.attrgetter('py_func')(value)
                if hasattr(value, 'py_func') else value))
            written.append(plain)
            todo += cells_of(plain)
        else:
            # Types of Numba: of a NamedTuple, of its fields, of the example of a Part.
            todo += [getattr(value, name, None) for name in ('instance_class', 'types', 'kind')]
    others = sorted(
        {id(each): each for each in written if each is not function
         and not is_ours(each) and each.__module__ not in _NEUTRAL}.values(),
        key=lambda each: (each.__module__, each.__qualname__))
    contents, was_written_here = [content_of(each) for each in others], is_own(origin_of(function))
    return Parts(
        frozenset({_COMPILED, *filter(is_own, map(origin_of, written))}).union(
            *(content.modules for content in contents if content)),
        tuple(others), was_written_here and all(contents), bool(others) or not was_written_here)


def _made_for(kind: type) -> Iterator[Callable[..., object]]:
    """Implementations for a type that are closures, or the user's: no import leads to them."""
    for table in _implementations:
        implementation = table.get(kind)
        if implementation and (cells_of(implementation) or not is_ours(implementation)):
            yield implementation


def home_of(function: Callable[..., object], parts: Parts) -> str:
    """Module of a function, or of the user's code among what it reaches."""
    return parts.others[0].__module__ if parts.others else function.__module__


def kernel_name(
    function: Callable[..., object], parts: Parts, signature: object = None,
) -> str:
    """Name of what is compiled: one for each content, so that nobody overwrites it by another.

    Processes that write at once write the same. An u at the end: code of the user's is in it.
    Raises TypeError for a closure over anything but pure functions, Parts and plain values.
    """
    digest = hashlib.sha256(str(signature).encode())
    for value in (*cells_of(function), *parts.others):
        digest.update(f'{_described(value)};'.encode())
    sources, users = sources_of(parts.modules), 'u' if parts.others else ''
    return (f"{function.__qualname__.replace('.<locals>', '').replace('.', '_')}"
            f'_s{sources.digest}_{digest.hexdigest()[:12]}{users}')


def _described(value: object) -> str:
    """Text that tells a value of a closure from all others, the same in every process."""
    if isinstance(value, (types.FunctionType, type)) or hasattr(value, 'py_func'):
        known = '.'.join(operator.attrgetter('__module__', '__qualname__')(value))
        if is_ours(value):
            return known
        content = content_of(cast('Written', value))
        # A file of the user's may be read twice.
        return f'{known}@{content.digest if content else id(value)}'
    if isinstance(value, tuple):
        inner = ','.join(map(_described, value))
        return f'{type(value).__module__}.{type(value).__qualname__}({inner})'
    if isinstance(value, (bool, int, float, str)):
        return repr(value)
    raise TypeError(
        f'a compiled function is closed over {value!r}, expected pure functions, Parts, numbers'
        ' and texts')


def plain_function(function: object) -> types.FunctionType:
    """The function itself. Raises TypeError for what is not written in Python."""
    if not isinstance(function, types.FunctionType):
        raise TypeError(f'{function!r} is to be compiled, expected a function written in Python')
    return function


def named(function: object, name: str, home: str) -> types.FunctionType:
    """Copy of a function with another name, and module that it names as its own."""
    source = plain_function(function)
    copy = types.FunctionType(
        source.__code__, source.__globals__, name.rpartition('.')[2], source.__defaults__,
        source.__closure__)
    copy.__qualname__ = name
    copy.__module__ = home
    copy.__doc__ = source.__doc__
    return copy
