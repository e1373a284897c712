# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""NamedTuples of numbers in rows of a flat array, for one car and for cars side by side.

A Part says where a NamedTuple lies: a row for each of its numbers, those of nested tuples
included, in order; a row has a number for each lane. First row and number of lanes are part of
the type that the compiler sees, so distances are constants: a tuple of one car stays in registers,
and a loop over lanes vectorises. All functions work on NamedTuples of any kind; to the compiler
they are code written out for the kind, to Python they are the loops below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
import functools
import sys
from typing import cast, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import pure, with_compiler
from racecar.base.elementary import settled, sine_cosine
from racecar.base.vectors import Flat, POSE, Vector

Numbers: TypeAlias = 'tuple[float | Numbers, ...]'
"""NamedTuples of numbers and of such tuples: states, inputs, parameters and the like."""

N = TypeVar('N', bound=Numbers)
N_co = TypeVar('N_co', bound=Numbers, covariant=True)
Lent = TypeVar('Lent')
Spanned = TypeVar('Spanned', bound=Vector | NDArray[np.generic])


class Part(NamedTuple, Generic[N_co]):
    """Where tuples like `example` lie: from the row `first` on, in rows of `lanes` numbers.

    absent: rows of the part, counted from its first one, that nobody reads: they are not stored
    and 0 when loaded.
    """

    example: N_co
    first: int = 0
    lanes: int = 1
    absent: tuple[int, ...] = ()

    @property
    def after(self) -> int:
        """The row after the last one of the part."""
        return self.first + count_numbers(self.example)


def flatten(value: float | Numbers) -> Iterator[float]:
    """Numbers of a tuple in order, those of nested ones included."""
    if not isinstance(value, tuple):
        yield value
        return
    for part in value:
        if isinstance(part, tuple):
            yield from flatten(part)
        else:
            yield part


def count_numbers(value: float | Numbers) -> int:
    """Rows that a tuple takes."""
    return sum(1 for _ in flatten(value))


def filled(example: N, numbers: Iterable[float]) -> N:
    """Tuple like the example with these numbers, in order. Raises ValueError if they are few."""
    try:
        return _filled(example, iter(numbers))
    except StopIteration:
        raise ValueError('there are fewer numbers than the tuple has') from None


def _filled(example: N, numbers: Iterator[float]) -> N:
    parts: list[float | Numbers] = [
        _filled(part, numbers) if isinstance(part, tuple) else float(next(numbers))
        for part in example]
    return tuple.__new__(type(example), parts)


class Kind(NamedTuple):
    """Type of a tuple and kinds of the tuples in it, None for a number.

    Tuples of different types with equal numbers are equal, their kinds are not.
    """

    kind: type[Numbers]
    parts: tuple[Kind | None, ...]

    @property
    def zeros(self) -> Numbers:
        """Tuple of this kind whose numbers are 0."""
        return tuple.__new__(
            self.kind, [0.0 if part is None else part.zeros for part in self.parts])


def kind_of(value: Numbers) -> Kind:
    """Kind of a tuple."""
    return Kind(type(value), tuple(
        kind_of(part) if isinstance(part, tuple) else None for part in value))


def zeros_of(kind: type[N]) -> N:
    """NamedTuple of a kind without nested ones whose numbers are 0."""
    names: tuple[str, ...] = getattr(kind, '_fields', ())
    return tuple.__new__(kind, (0.0,) * len(names))


def field_names(value: Numbers) -> tuple[str, ...]:
    """Names of the fields of a NamedTuple; none of a plain tuple."""
    names: tuple[str, ...] = getattr(value, '_fields', ())
    return names


def first_row(example: Numbers, *path: str) -> int:
    """First row of a part of a tuple, counted from that of the tuple.

    path: fields from the outermost to the part.
    """
    row = 0
    part: float | Numbers = example
    for field in path:
        assert isinstance(part, tuple), f'{path} leads to a number'
        index = field_names(part).index(field)
        row += count_numbers(part[:index])
        part = part[index]
    return row


def load(rows: Vector, part: Part[N], lane: int) -> N:
    """Tuple of a part in a lane."""
    example, first, lanes, absent = part
    if not absent and _is_flat(example):
        at = first * lanes + lane
        found = rows[at:at + len(example) * lanes:lanes]
        if len(found) < len(example):
            raise IndexError(f'lane {lane} of {part} lies beyond the {len(rows)} numbers')
        # Numbers of Python are several times faster than those of NumPy.
        return tuple.__new__(
            type(example), found.tolist() if hasattr(found, 'tolist') else found)
    # Without end: as many are taken as the tuple has.
    numbers = map(rows.__getitem__, range(first * lanes + lane, sys.maxsize, lanes))
    return _filled(example, (
        0.0 if k in absent else number for k, number in enumerate(numbers)) if absent else numbers)


def store(rows: Flat, part: Part[Numbers], lane: int, value: Numbers) -> None:
    """Write a tuple to a part in a lane; any tuple of as many numbers."""
    example, first, lanes, absent = part
    at = first * lanes + lane
    if not absent and _is_flat(example) and len(value) == len(example):
        for number in value:
            rows[at] = number  # type: ignore[assignment]  # a float, as the example is flat
            at += lanes
        return
    for k, number in enumerate(flatten(value)):
        if k not in absent:
            rows[at + k * lanes] = number


@functools.lru_cache(maxsize=1024)
def _is_flat(example: Numbers) -> bool:
    return not any(isinstance(part, tuple) for part in example)


def zeros_like(value: N) -> N:
    """Tuple like this one whose numbers are 0."""
    return filled(value, (0.0 for _ in flatten(value)))


def plus(a: N, h: float, b: N) -> N:
    """A + h b of two tuples of one kind."""
    return filled(a, (x + h * y for x, y in zip(flatten(a), flatten(b), strict=True)))


def settle(value: N) -> N:
    """Tuple with 0 for the numbers that are NEGLIGIBLE, see settled()."""
    return filled(value, map(settled, flatten(value)))


def within(value: N, limits: N) -> bool:
    """Whether the modulus of each number is at most its limit; False for NaN."""
    return all(abs(x) <= most for x, most in zip(flatten(value), flatten(limits), strict=True))


def pose_of(value: Numbers) -> tuple[float, float, float]:
    """Fields x, y [m], yaw [rad] of a NamedTuple; 0 for those that it has not."""
    return getattr(value, 'x', 0.0), getattr(value, 'y', 0.0), getattr(value, 'yaw', 0.0)


def with_pose(value: N, x: float, y: float, yaw: float) -> N:
    """NamedTuple with other x, y [m], yaw [rad], as far as it has such fields."""
    pose = dict(zip(POSE, (x, y, yaw), strict=True))
    return tuple.__new__(type(value), map(pose.get, field_names(value), value))


def span(array: Spanned, first: int, last: int) -> Spanned:
    """Rows `first` to before `last` of an array, which stays with its owner.

    In compiled code nobody counts who refers to the slice: to count takes longer than what is done
    with a few numbers of it. So the array must outlive it, as arguments of a kernel do. All of a
    list is the list itself, which can be written to.
    """
    whole = first == 0 and last == len(array)
    return array if whole else cast(Spanned, array[first:last])


def lent(arrays: Lent) -> Lent:
    """What a kernel got, arrays and tuples of arrays and numbers, for use in it alone.

    In compiled code nobody counts who refers to its arrays, see span().
    """
    return arrays


@with_compiler
def _write_machine_code() -> None:
    from racecar.base.machine_code import write_code_of_rows

    write_code_of_rows(Part, {function.__name__: function for function in (
        load, store, span, lent, zeros_like, plus, settle, within, pose_of, with_pose)})


@pure
def at_origin(state: N) -> N:
    """State with x, y and yaw 0."""
    return with_pose(state, 0.0, 0.0, 0.0)


@pure
def moved(start: N, end: N) -> N:
    """End of a step that began at_origin() of the start; what has decayed is 0, see settle()."""
    x, y, yaw = pose_of(start)
    ahead, left, turned = pose_of(end)
    sine, cosine = sine_cosine(yaw)
    return with_pose(settle(end), x + (ahead * cosine - left * sine),
                     y + (ahead * sine + left * cosine), yaw + turned)
