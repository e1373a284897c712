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

from collections.abc import Callable, Iterable, Iterator, Sequence
import functools
import itertools
import sys
from typing import cast, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import COMPILED, pure
from racecar.base.elementary import NEGLIGIBLE, settled, sine_cosine
from racecar.base.vectors import Flat, Vector

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


_POSE = ('x', 'y', 'yaw')


def pose_of(value: Numbers) -> tuple[float, float, float]:
    """Fields x, y [m], yaw [rad] of a NamedTuple; 0 for those that it has not."""
    return getattr(value, 'x', 0.0), getattr(value, 'y', 0.0), getattr(value, 'yaw', 0.0)


def with_pose(value: N, x: float, y: float, yaw: float) -> N:
    """NamedTuple with other x, y [m], yaw [rad], as far as it has such fields."""
    pose = dict(zip(_POSE, (x, y, yaw), strict=True))
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


if COMPILED:
    from llvmlite import ir
    from numba import extending
    from numba.core import cgutils, imputils, types
    from numba.core.base import BaseContext
    from numba.core.datamodel import models
    from numba.core.typing.templates import Signature

    _TUPLES = (types.NamedTuple, types.NamedUniTuple, types.Tuple, types.UniTuple)

    class PartType(types.Type):
        """Type of a Part: what it says is known when code is compiled."""

        def __init__(self, kind: types.Type, part: Part[Numbers]) -> None:
            """Note the type of the tuples and where they lie."""
            self.kind, self.place = kind, tuple(part[1:])
            _, self.first, self.lanes, self.absent = part
            super().__init__(f'Part({kind}, {self.place})')

        @property
        def key(self) -> tuple[types.Type, tuple[object, ...]]:
            """What makes the type: two classes may have one name."""
            return self.kind, self.place

    class _Call(NamedTuple):
        """A call whose code is being written."""

        context: BaseContext
        builder: ir.IRBuilder
        signature: Signature
        arguments: Sequence[ir.Value]

        def number(self, value: float) -> ir.Value:
            """Constant."""
            return self.context.get_constant(types.float64, value)

        def tuple_of(self, kind: types.Type, numbers: Iterator[ir.Value]) -> ir.Value:
            """Tuple of a type with these numbers, nested or not."""
            if isinstance(kind, _TUPLES):
                return self.context.make_tuple(
                    self.builder, kind, [self.tuple_of(part, numbers) for part in kind.types])
            return next(numbers)

        def result(self, numbers: Iterator[ir.Value]) -> ir.Value:
            """Tuple of the type that the call returns."""
            return self.tuple_of(self.signature.return_type, numbers)

        def leaves(self, k: int) -> Iterator[tuple[types.Type, ir.Value]]:
            """Numbers of an argument, each with its type."""
            return _leaves(self.builder, self.signature.args[k], self.arguments[k])

        def numbers(self, k: int) -> Iterator[ir.Value]:
            """Numbers of an argument."""
            return (number for _, number in self.leaves(k))

        def fields(self) -> dict[str, ir.Value]:
            """Fields of the first argument, a NamedTuple."""
            return dict(zip(self.signature.args[0].fields, cgutils.unpack_tuple(
                self.builder, self.arguments[0]), strict=True))

        def modulus(self, number: ir.Value) -> ir.Value:
            """Modulus of a number."""
            kind = ir.DoubleType()
            function = cgutils.get_or_insert_function(
                self.builder.module, ir.FunctionType(kind, [kind]), 'llvm.fabs.f64')
            return self.builder.call(function, [number])

        def places(self) -> Iterator[ir.Value]:
            """Pointers to the numbers of a part; arguments: rows, part, lane and more."""
            rows, part = self.signature.args[:2]
            data = self.context.make_array(rows)(
                self.context, self.builder, self.arguments[0]).data
            for row in itertools.count(part.first):
                at = self.context.get_constant(types.intp, row * part.lanes)
                yield self.builder.gep(
                    data, [self.builder.add(at, self.arguments[2])], inbounds=True)

    def _leaves(
        builder: ir.IRBuilder, kind: types.Type, value: ir.Value,
    ) -> Iterator[tuple[types.Type, ir.Value]]:
        if isinstance(kind, _TUPLES):
            for part, inner in zip(kind.types, cgutils.unpack_tuple(builder, value), strict=True):
                yield from _leaves(builder, part, inner)
        else:
            yield kind, value

    def _count_numbers(kind: types.Type) -> int:
        """Numbers in a tuple; what is none makes it something else."""
        if isinstance(kind, _TUPLES):
            return sum(map(_count_numbers, kind.types))
        return 1 if isinstance(kind, (types.Number, types.Boolean)) else 1 << 30

    def _is_numbers(kind: types.Type) -> bool:
        """Whether a type is that of a tuple of float64, nested or not, or float64 itself."""
        if isinstance(kind, _TUPLES):
            return all(map(_is_numbers, kind.types))
        return bool(kind == types.float64)

    _Typer: TypeAlias = Callable[..., Signature | types.Type | None]
    _Writer: TypeAlias = Callable[[_Call], ir.Value]

    def _typed(function: Callable[..., object], typer: _Typer) -> None:
        """Let a function say what it returns for types of its arguments; None: it takes others."""
        extending.type_callable(function)(lambda context: typer)

    def _writes(function: Callable[..., object], *kinds: object) -> Callable[[_Writer], _Writer]:
        """Decorator of what writes the code of a function for arguments of these types."""
        def decorate(write: _Writer) -> _Writer:
            extending.lower_builtin(function, *kinds)(lambda *call: write(_Call(*call)))
            return write

        return decorate

    extending.register_model(PartType)(models.OpaqueModel)
    extending.typeof_impl.register(Part)(
        lambda part, context: PartType(extending.typeof_impl(part.example, context), part))
    imputils.lower_constant(PartType)(
        lambda context, builder, kind, value: context.get_dummy_value())

    def _is_part(rows: types.Type, part: types.Type) -> bool:
        return (isinstance(rows, types.Array) and rows.ndim == 1 and rows.layout == 'C'
                and rows.dtype == types.float64 and isinstance(part, PartType)
                and _is_numbers(part.kind))

    _typed(load, lambda rows, part, lane: part.kind(rows, part, types.intp) if _is_part(
        rows, part) else None)

    @_writes(load, types.Array, PartType, types.intp)
    def _load(call: _Call) -> ir.Value:
        part, zero = call.signature.args[1], call.number(0.0)
        return call.tuple_of(part.kind, (
            zero if row in part.absent else call.builder.load(place)
            for row, place in enumerate(call.places())))

    _typed(store, lambda rows, part, lane, value: types.none(
        rows, part, types.intp, value) if _is_part(rows, part) and _count_numbers(
            value) == _count_numbers(part.kind) else None)

    @_writes(store, types.Array, PartType, types.intp, types.Any)
    def _store(call: _Call) -> ir.Value:
        places = enumerate(call.places())
        for kind, number in call.leaves(3):
            row, place = next(places)
            if row not in call.signature.args[1].absent:
                call.builder.store(
                    call.context.cast(call.builder, number, kind, types.float64), place)
        return call.context.get_dummy_value()

    _typed(span, lambda array, first, last: array(array, types.intp, types.intp) if isinstance(
        array, types.Array) and array.layout == 'C' else None)

    @_writes(span, types.Array, types.intp, types.intp)
    def _span(call: _Call) -> ir.Value:
        builder, (whole, first, last) = call.builder, call.arguments
        array = _ArrayFields(call, call.signature.args[0])
        row = call.context.get_constant(types.intp, 1)
        for axis in range(1, array.kind.ndim):
            row = builder.mul(row, array.of(whole, 'shape', axis))
        count = builder.sub(last, first)
        found = array.without_owner(whole)
        found = array.put(found, builder.gep(
            array.of(whole, 'data'), [builder.mul(first, row)], inbounds=True), 'data')
        found = array.put(found, builder.mul(count, row), 'nitems')
        return array.put(found, count, 'shape', 0)

    class _ArrayFields(NamedTuple):
        """Fields of arrays of a kind."""

        call: _Call
        kind: types.Array

        def _at(self, field: str, *axis: int) -> list[int]:
            model = self.call.context.data_model_manager[self.kind]
            return [model.get_field_position(field), *axis]

        def of(self, array: ir.Value, field: str, *axis: int) -> ir.Value:
            """Field of an array, or a number of it."""
            return self.call.builder.extract_value(array, self._at(field, *axis))

        def put(self, array: ir.Value, value: ir.Value, field: str, *axis: int) -> ir.Value:
            """Array with another field, or number of it."""
            return self.call.builder.insert_value(array, value, self._at(field, *axis))

        def without_owner(self, array: ir.Value) -> ir.Value:
            """Array of which nobody counts who refers to it."""
            for field in ('meminfo', 'parent'):
                none = ir.Constant(self.of(array, field).type, None)
                array = self.put(array, none, field)
            return array

    def _may_be_lent(kind: types.Type) -> bool:
        return isinstance(kind, (types.Array, types.Number, types.Boolean)) or (
            isinstance(kind, _TUPLES) and all(map(_may_be_lent, kind.types)))

    _typed(lent, lambda arrays: arrays(arrays) if _may_be_lent(arrays) else None)

    @_writes(lent, types.Any)
    def _lent(call: _Call) -> ir.Value:
        return _without_owner(call, call.signature.args[0], call.arguments[0])

    def _without_owner(call: _Call, kind: types.Type, value: ir.Value) -> ir.Value:
        if isinstance(kind, _TUPLES):
            return call.context.make_tuple(call.builder, kind, [
                _without_owner(call, part, inner) for part, inner in zip(
                    kind.types, cgutils.unpack_tuple(call.builder, value), strict=True)])
        if not isinstance(kind, types.Array):
            return value
        return _ArrayFields(call, kind).without_owner(value)

    def _like_first(value: types.Type, *wanted: types.Type) -> Signature | None:
        """Signature of a function that returns what its first argument is, a tuple."""
        is_tuple = isinstance(value, _TUPLES) and _is_numbers(value)
        return value(value, *wanted) if is_tuple else None

    _typed(zeros_like, lambda value: _like_first(value))
    _typed(plus, lambda a, h, b: _like_first(a, types.float64, a) if a == b else None)
    _typed(settle, lambda value: _like_first(value))
    _typed(with_pose, lambda value, x, y, yaw: _like_first(value, *(types.float64,) * 3))

    @_writes(zeros_like, types.BaseTuple)
    def _zeros_like(call: _Call) -> ir.Value:
        return call.result(itertools.repeat(call.number(0.0)))

    @_writes(plus, types.BaseTuple, types.float64, types.BaseTuple)
    def _plus(call: _Call) -> ir.Value:
        h = call.arguments[1]
        return call.result(
            call.builder.fadd(x, call.builder.fmul(h, y))
            for x, y in zip(call.numbers(0), call.numbers(2), strict=True))

    @_writes(settle, types.BaseTuple)
    def _settle(call: _Call) -> ir.Value:
        zero, least = call.number(0.0), call.number(NEGLIGIBLE)
        return call.result(
            call.builder.select(
                call.builder.fcmp_ordered('<', call.modulus(x), least), zero, x)
            for x in call.numbers(0))

    _typed(within, lambda value, limits: types.boolean if isinstance(
        value, _TUPLES) and value == limits and _is_numbers(value) else None)

    @_writes(within, types.BaseTuple, types.BaseTuple)
    def _within(call: _Call) -> ir.Value:
        found = call.context.get_constant(types.boolean, True)
        for x, most in zip(call.numbers(0), call.numbers(1), strict=True):
            found = call.builder.and_(
                found, call.builder.fcmp_ordered('<=', call.modulus(x), most))
        return found

    _typed(pose_of, lambda value: types.UniTuple(types.float64, 3) if hasattr(
        value, 'fields') else None)

    @_writes(pose_of, types.BaseTuple)
    def _pose_of(call: _Call) -> ir.Value:
        fields, zero = call.fields(), call.number(0.0)
        return call.result(fields.get(field, zero) for field in _POSE)

    @_writes(with_pose, types.BaseTuple, types.float64, types.float64, types.float64)
    def _with_pose(call: _Call) -> ir.Value:
        pose = dict(zip(_POSE, call.arguments[1:], strict=True))
        return call.result(pose.get(field, number) for field, number in call.fields().items())


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
