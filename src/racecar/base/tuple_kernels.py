# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that only spell out the fields of a NamedTuple: sums, and moves to and from arrays.

Numba makes tuples of a length that stands in the source, so a function for NamedTuples of any kind
would have to be written once for each. These are written by the program, from `_fields`.

Many tuples stand in one flat array as rows of `lanes` numbers, a row for each number of the tuple
(nested ones included, in order): the distances are constants, so that a loop over the lanes
vectorises. One tuple in an array of its own has lanes 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import types
from typing import Any

from racecar.base.compiled import inlined
from racecar.base.elementary import settled
from racecar.base.rows import count_numbers

Kernel = Callable[..., Any]

_made: dict[tuple[str, str], Kernel] = {}


def reader(name: str, example: Any, lanes: int = 1) -> Kernel:
    """Return read(array, row, lane), which returns a tuple like the example.

    name: of what is read, one for each kind of tuple; row: of its first number.
    """
    kinds: dict[str, Any] = {}
    numbers = iter(range(count_numbers(example)))

    def spelled(value: Any) -> str:
        if not isinstance(value, tuple):
            return f'array[at + {next(numbers) * lanes}]'
        inner = ', '.join(spelled(part) for part in value)
        if type(value) is tuple:
            return f'({inner},)' if value else '()'
        kinds[type(value).__name__] = type(value)
        return f'{type(value).__name__}({inner})'

    return written_kernel(f'read_{name}_{lanes}', 'array, row, lane',
                   f'    at = row * {lanes} + lane\n    return {spelled(example)}\n', kinds)


def writer(name: str, example: Any, lanes: int = 1, first: int = 0) -> Kernel:
    """Return write(array, row, lane, value); name as in reader().

    first: row, counted from the one given, that a value takes which is a part of another; see
    first_row().
    """
    def spelled(value: Any, path: str) -> Iterator[str]:
        if isinstance(value, tuple):
            for index, part in enumerate(value):
                yield from spelled(part, f'{path}[{index}]')
        else:
            yield path

    lines = ''.join(f'    array[at + {(first + number) * lanes}] = {path}\n'
                    for number, path in enumerate(spelled(example, 'value')))
    return written_kernel(f'write_{name}_{lanes}', 'array, row, lane, value',
                   f'    at = row * {lanes} + lane\n{lines}')


def first_row(example: Any, *path: str) -> int:
    """Return the first row of a part of a tuple; path: fields from the outermost to the part."""
    row = 0
    for field in path:
        index = example._fields.index(field)
        row += count_numbers(tuple(example[:index]))
        example = example[index]
    return row


def summing(kind: type) -> Kernel:
    """Return plus(a, h, b), which returns a + h b of two states of a kind."""
    return _spelled('plus', 'a, h, b', kind, {}, 'a.{0} + h * b.{0}')


def at_origin(kind: type) -> Kernel:
    """Return a kernel that puts a state to x, y, yaw 0."""
    return _spelled('at_origin', 'a', kind, dict.fromkeys(('x', 'y', 'yaw'), '0.0'), 'a.{0}')


def moving(kind: type) -> Kernel:
    """Return moved(start, end, sine, cosine): the end of a step that began at_origin().

    sine, cosine: of the yaw at the start. What has decayed is 0, see settled().
    """
    return _spelled('moved', 'start, end, sine, cosine', kind, {
        'x': 'start.x + (end.x * cosine - end.y * sine)',
        'y': 'start.y + (end.x * sine + end.y * cosine)',
        'yaw': 'start.yaw + end.yaw'}, 'settled(end.{0})', {'settled': settled})


def _spelled(
    name: str, arguments: str, kind: Any, special: dict[str, str], common: str,
    called: dict[str, Any] | None = None,
) -> Kernel:
    fields = ', '.join(special.get(field, common.format(field)) for field in kind._fields)
    return written_kernel(f'{name}_{kind.__name__}', arguments,
                   f'    return {kind.__name__}({fields})\n',
                   {kind.__name__: kind, **(called or {})})


def written_kernel(
    name: str, arguments: str, body: str, kinds: dict[str, Any] | None = None,
    module: str = __name__,
) -> Kernel:
    """Return an inlined kernel whose body is a text.

    kinds: the NamedTuples that it makes and the kernels that it calls, by name; module: that it
    counts as part of; what is not of this package is not cached on disk. Raises ValueError if
    the name stands for another text already: it names the file in the cache.
    """
    source = f'def {name}({arguments}):\n{body}'
    if (name, source) in _made:
        return _made[name, source]
    if any(name == other for other, _ in _made):
        raise ValueError(f'{name!r} is already a kernel with another source')
    # Numba's cache on disk goes by the file that a function is of.
    names: dict[str, Any] = {'__name__': module, **(kinds or {})}
    exec(compile(source, __file__, 'exec'), names)
    function: types.FunctionType = names[name]
    _made[name, source] = inlined(function)
    return _made[name, source]
