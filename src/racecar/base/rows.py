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

from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
import functools
import sys
from typing import Any, NamedTuple, TypeVar

from racecar.base.compiled import COMPILED, pure
from racecar.base.elementary import NEGLIGIBLE, settled, sine_cosine

T = TypeVar('T')


class Part(NamedTuple):
    """Where tuples like `example` lie: from the row `first` on, in rows of `lanes` numbers.

    absent: rows of the part, counted from its first one, that nobody reads: they are not stored
    and 0 when loaded.
    """

    example: Any
    first: int = 0
    lanes: int = 1
    absent: tuple[int, ...] = ()

    @property
    def after(self) -> int:
        """The row after the last one of the part."""
        return self.first + count_numbers(self.example)


def flatten(value: Any) -> Iterator[float]:
    """Numbers of a tuple in order, those of nested ones included."""
    if not isinstance(value, tuple):
        yield value
        return
    for part in value:
        if isinstance(part, tuple):
            yield from flatten(part)
        else:
            yield part


def count_numbers(value: Any) -> int:
    """Rows that a tuple takes."""
    return sum(1 for _ in flatten(value))


def filled(example: T, numbers: Iterable[float]) -> T:
    """Tuple like the example with these numbers, in order. Raises ValueError if they are few."""
    try:
        return _filled(example, iter(numbers))  # type: ignore[no-any-return]
    except StopIteration:
        raise ValueError('there are fewer numbers than the tuple has') from None


def _filled(example: Any, numbers: Iterator[float]) -> Any:
    if not isinstance(example, tuple):
        return float(next(numbers))
    parts: list[Any] = [
        _filled(part, numbers) if isinstance(part, tuple) else float(next(numbers))
        for part in example]
    return tuple.__new__(type(example), parts)


def zeroed(example: T) -> T:
    """Tuple like the example whose numbers are 0."""
    return filled(example, [0.0] * count_numbers(example))


def first_row(example: Any, *path: str) -> int:
    """First row of a part of a tuple, counted from that of the tuple.

    path: fields from the outermost to the part.
    """
    row = 0
    for field in path:
        index = example._fields.index(field)
        row += count_numbers(tuple(example[:index]))
        example = example[index]
    return row


def load(rows: Sequence[float], part: Part, lane: int) -> Any:
    """Tuple of a part in a lane."""
    example, first, lanes, absent = part
    if not absent and _is_flat(example):
        at = first * lanes + lane
        numbers: Any = rows[at:at + len(example) * lanes:lanes]
        if len(numbers) < len(example):
            raise IndexError(f'lane {lane} of {part} lies beyond the {len(rows)} numbers')
        # Numbers of Python are several times faster than those of NumPy.
        return tuple.__new__(type(example), numbers if isinstance(
            numbers, (list, tuple)) else numbers.tolist())
    # Without end: as many are taken as the tuple has.
    numbers = map(rows.__getitem__, range(first * lanes + lane, sys.maxsize, lanes))
    return _filled(example, (
        0.0 if k in absent else number for k, number in enumerate(numbers)) if absent else numbers)


def store(rows: MutableSequence[float], part: Part, lane: int, value: Any) -> None:
    """Write a tuple to a part in a lane; any tuple of as many numbers."""
    example, first, lanes, absent = part
    at = first * lanes + lane
    if not absent and _is_flat(example) and len(value) == len(example):
        for number in value:
            rows[at] = number
            at += lanes
        return
    for k, number in enumerate(flatten(value)):
        if k not in absent:
            rows[at + k * lanes] = number


@functools.lru_cache(maxsize=1024)
def _is_flat(example: Any) -> bool:
    return not any(isinstance(part, tuple) for part in example)


def zeros_like(value: Any) -> Any:
    """Tuple like this one whose numbers are 0."""
    return filled(value, (0.0 for _ in flatten(value)))


def plus(a: Any, h: float, b: Any) -> Any:
    """A + h b of two tuples of one kind."""
    return filled(a, (x + h * y for x, y in zip(flatten(a), flatten(b), strict=True)))


def settle(value: Any) -> Any:
    """Tuple with 0 for the numbers that are NEGLIGIBLE, see settled()."""
    return filled(value, map(settled, flatten(value)))


def within(value: Any, limits: Any) -> bool:
    """Whether the modulus of each number is at most its limit; False for NaN."""
    return all(abs(x) <= most for x, most in zip(flatten(value), flatten(limits), strict=True))


_POSE = ('x', 'y', 'yaw')


def pose_of(value: Any) -> tuple[float, float, float]:
    """Fields x, y [m], yaw [rad] of a NamedTuple; 0 for those that it has not."""
    return getattr(value, 'x', 0.0), getattr(value, 'y', 0.0), getattr(value, 'yaw', 0.0)


def with_pose(value: Any, x: float, y: float, yaw: float) -> Any:
    """NamedTuple with other x, y [m], yaw [rad], as far as it has such fields."""
    pose = dict(zip(_POSE, (x, y, yaw), strict=True))
    return value._replace(**{
        field: number for field, number in pose.items() if field in value._fields})


if COMPILED:
    from llvmlite import ir
    from numba import extending
    from numba import types as numba_types
    from numba.core import cgutils as code
    from numba.core import imputils
    from numba.core.datamodel import models
    from numba.extending import register_model, type_callable, typeof_impl

    # Numba has no types for what extensions use.
    types: Any = numba_types
    cgutils: Any = code
    builtin: Any = extending.lower_builtin
    constant: Any = imputils.lower_constant

    def lower_builtin(function: Any, *kinds: Any) -> Callable[[T], T]:
        """Decorator of what writes the code of a function for arguments of these types."""
        return builtin(function, *kinds)  # type: ignore[no-any-return]

    def lower_constant(kind: Any) -> Callable[[T], T]:
        """Decorator of what writes the code of a constant of a type."""
        return constant(kind)  # type: ignore[no-any-return]

    class PartType(numba_types.Type):
        """Type of a Part: what it says is known when code is compiled."""

        def __init__(self, kind: Any, part: Part) -> None:
            """Note the type of the tuples and where they lie."""
            self.kind, self.place = kind, tuple(part[1:])
            _, self.first, self.lanes, self.absent = part
            super().__init__(f'Part({kind}, {self.place})')

        @property
        def key(self) -> Any:
            """What makes the type: two classes may have one name."""
            return self.kind, self.place

    register_model(PartType)(models.OpaqueModel)

    @typeof_impl.register(Part)
    def _type_of_part(part: Part, context: Any) -> PartType:
        return PartType(typeof_impl(part.example, context), part)

    @lower_constant(PartType)
    def _constant_part(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        return context.get_dummy_value()

    def _leaves(builder: Any, kind: Any, value: Any) -> Iterator[Any]:
        """Numbers of a tuple in the code that is being written."""
        for _, number in _typed_leaves(builder, kind, value):
            yield number

    def _typed_leaves(builder: Any, kind: Any, value: Any) -> Iterator[Any]:
        if isinstance(kind, types.BaseTuple):
            for part, inner in zip(kind.types, cgutils.unpack_tuple(builder, value), strict=True):
                yield from _typed_leaves(builder, part, inner)
        else:
            yield kind, value

    def _made(context: Any, builder: Any, kind: Any, numbers: Iterator[Any]) -> Any:
        """Tuple of numbers in the code that is being written."""
        if isinstance(kind, types.BaseTuple):
            return context.make_tuple(
                builder, kind, [_made(context, builder, part, numbers) for part in kind.types])
        return next(numbers)

    def _count_numbers(kind: Any) -> int:
        """Numbers in a tuple; what is none makes it something else."""
        if isinstance(kind, types.BaseTuple):
            return sum(map(_count_numbers, kind.types))
        return 1 if isinstance(kind, (types.Number, types.Boolean)) else 1 << 30

    def _is_numbers(kind: Any) -> bool:
        if isinstance(kind, types.BaseTuple):
            return all(map(_is_numbers, kind.types))
        return bool(kind == types.float64)

    def _places(context: Any, builder: Any, signature: Any, arguments: Any) -> Iterator[Any]:
        """Pointers to the numbers of a part; signature, arguments: rows, part, lane and more."""
        rows, part = signature.args[0], signature.args[1]
        data = context.make_array(rows)(context, builder, arguments[0]).data
        row = part.first
        while True:
            at = context.get_constant(types.intp, row * part.lanes)
            yield builder.gep(data, [builder.add(at, arguments[2])], inbounds=True)
            row += 1

    _ROWS = types.Array

    def _is_rows(rows: Any) -> bool:
        return isinstance(rows, types.Array) and rows.ndim == 1 and rows.layout == 'C' \
            and rows.dtype == types.float64

    @type_callable(load)
    def _type_load(context: Any) -> Callable[..., Any]:
        def typer(rows: Any, part: Any, lane: Any) -> Any:
            if _is_rows(rows) and isinstance(part, PartType) and _is_numbers(part.kind):
                return part.kind(rows, part, types.intp)
            return None

        return typer

    @lower_builtin(load, _ROWS, PartType, types.intp)
    def _load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        part, zero = signature.args[1], context.get_constant(types.float64, 0.0)
        numbers = (zero if row in part.absent else builder.load(place) for row, place in enumerate(
            _places(context, builder, signature, arguments)))
        return _made(context, builder, part.kind, numbers)

    @type_callable(store)
    def _type_store(context: Any) -> Callable[..., Any]:
        def typer(rows: Any, part: Any, lane: Any, value: Any) -> Any:
            if _is_rows(rows) and isinstance(part, PartType) and _is_numbers(part.kind) \
                    and _count_numbers(value) == _count_numbers(part.kind):
                return types.none(rows, part, types.intp, value)
            return None

        return typer

    @lower_builtin(store, _ROWS, PartType, types.intp, types.Any)
    def _store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        places = enumerate(_places(context, builder, signature, arguments))
        for kind, number in _typed_leaves(builder, signature.args[3], arguments[3]):
            row, place = next(places)
            if row not in signature.args[1].absent:
                builder.store(context.cast(builder, number, kind, types.float64), place)
        return context.get_dummy_value()

    def _types_like_first(function: Any, *others: Any) -> None:
        """Type a function that returns what its first argument is; others: types, None: as it."""
        @type_callable(function)
        def _type(context: Any) -> Callable[..., Any]:
            def typer(value: Any, *rest: Any) -> Any:
                wanted = [value if kind is None else kind for kind in others]
                if isinstance(value, types.BaseTuple) and _is_numbers(value) and all(
                        kind is not None or given == value
                        for kind, given in zip(others, rest, strict=True)):
                    return value(value, *wanted)
                return None

            return _with_parameters(typer, 1 + len(others))

    def _with_parameters(typer: Callable[..., Any], count: int) -> Callable[..., Any]:
        """Typer with as many named parameters, which Numba asks it for."""
        named: dict[int, Callable[..., Any]] = {
            1: lambda a: typer(a), 2: lambda a, b: typer(a, b),
            3: lambda a, b, c: typer(a, b, c), 4: lambda a, b, c, d: typer(a, b, c, d)}
        return named[count]

    _types_like_first(zeros_like)
    _types_like_first(plus, types.float64, None)
    _types_like_first(settle)
    _types_like_first(with_pose, types.float64, types.float64, types.float64)

    @lower_builtin(zeros_like, types.BaseTuple)
    def _zeros_like(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zero = context.get_constant(types.float64, 0.0)
        return _made(context, builder, signature.return_type, iter(lambda: zero, None))

    @lower_builtin(plus, types.BaseTuple, types.float64, types.BaseTuple)
    def _plus(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.return_type
        a, h, b = arguments
        return _made(context, builder, kind, (
            builder.fadd(x, builder.fmul(h, y))
            for x, y in zip(_leaves(builder, kind, a), _leaves(builder, kind, b), strict=True)))

    def _modulus(builder: Any, number: Any) -> Any:
        kind = ir.DoubleType()
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(kind, [kind]), 'llvm.fabs.f64')
        return builder.call(function, [number])

    @lower_builtin(settle, types.BaseTuple)
    def _settle(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.return_type
        zero, least = (context.get_constant(types.float64, x) for x in (0.0, NEGLIGIBLE))
        return _made(context, builder, kind, (
            builder.select(builder.fcmp_ordered('<', _modulus(builder, x), least), zero, x)
            for x in _leaves(builder, kind, arguments[0])))

    @type_callable(within)
    def _type_within(context: Any) -> Callable[..., Any]:
        def typer(value: Any, limits: Any) -> Any:
            is_pair = isinstance(value, types.BaseTuple) and value == limits
            return types.boolean if is_pair and _is_numbers(value) else None

        return typer

    @lower_builtin(within, types.BaseTuple, types.BaseTuple)
    def _within(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        found = context.get_constant(types.boolean, True)
        for x, most in zip(*(_leaves(builder, kind, each) for each in arguments), strict=True):
            found = builder.and_(found, builder.fcmp_ordered('<=', _modulus(builder, x), most))
        return found

    @type_callable(pose_of)
    def _type_pose_of(context: Any) -> Callable[..., Any]:
        def typer(value: Any) -> Any:
            return types.UniTuple(types.float64, 3) if hasattr(value, 'fields') else None

        return typer

    @lower_builtin(pose_of, types.BaseTuple)
    def _pose_of(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        fields = signature.args[0].fields
        numbers = dict(zip(fields, cgutils.unpack_tuple(builder, arguments[0]), strict=True))
        zero = context.get_constant(types.float64, 0.0)
        return context.make_tuple(
            builder, signature.return_type, [numbers.get(field, zero) for field in _POSE])

    @lower_builtin(with_pose, types.BaseTuple, types.float64, types.float64, types.float64)
    def _with_pose(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, *pose = arguments
        kind = signature.return_type
        numbers = dict(zip(kind.fields, cgutils.unpack_tuple(builder, value), strict=True))
        numbers |= {field: number for field, number in zip(_POSE, pose, strict=True)
                    if field in numbers}
        return context.make_tuple(builder, kind, list(numbers.values()))


@pure
def at_origin(state: Any) -> Any:
    """State with x, y and yaw 0."""
    return with_pose(state, 0.0, 0.0, 0.0)


@pure
def moved(start: Any, end: Any) -> Any:
    """End of a step that began at_origin() of the start; what has decayed is 0, see settle()."""
    x, y, yaw = pose_of(start)
    ahead, left, turned = pose_of(end)
    sine, cosine = sine_cosine(yaw)
    return with_pose(settle(end), x + (ahead * cosine - left * sine),
                     y + (ahead * sine + left * cosine), yaw + turned)
