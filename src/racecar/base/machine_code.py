# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code of functions on rows, written out for the types of their arguments.

Needs Numba: what is in with_compiler() imports it. The functions themselves, in plain Python, are
in base/rows.py and where they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
import itertools
from typing import NamedTuple, TypeAlias

from llvmlite import ir
from numba import extending
from numba.core import cgutils, imputils, types
from numba.core.base import BaseContext
from numba.core.datamodel import models
from numba.core.typing.templates import Signature

from racecar.base.elementary import NEGLIGIBLE
from racecar.base.vectors import POSE

_TUPLES = (types.NamedTuple, types.NamedUniTuple, types.Tuple, types.UniTuple)


class PartType(types.Type):
    """Type of a Part: what it says is known when code is compiled."""

    def __init__(self, kind: types.Type, place: tuple[int, int, tuple[int, ...]]) -> None:
        """Note the type of the tuples and where they lie: first row, lanes, rows not stored."""
        self.kind, self.place = kind, place
        self.first, self.lanes, self.absent = place
        super().__init__(f'Part({kind}, {self.place})')

    @property
    def key(self) -> tuple[types.Type, tuple[object, ...]]:
        """What makes the type: two classes may have one name."""
        return self.kind, self.place


class Call(NamedTuple):
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


Typer: TypeAlias = Callable[..., Signature | types.Type | None]
Writer: TypeAlias = Callable[[Call], ir.Value]


def write_code(
    function: Callable[..., object], typer: Typer, kinds: Sequence[object], write: Writer,
) -> None:
    """Let compiled functions run, in place of a function, the code that is written for a call.

    typer: what the function returns for types of its arguments, None where it takes others; kinds:
    of arguments that the writer knows.
    """
    extending.type_callable(function)(lambda context: typer)
    extending.lower_builtin(function, *kinds)(lambda *call: write(Call(*call)))


class _Code(NamedTuple):
    """What write_code() takes besides the function."""

    typer: Typer
    kinds: tuple[object, ...]
    write: Writer


_CODE_OF_ROWS: dict[str, _Code] = {}


def write_code_of_rows(part: type, functions: Mapping[str, Callable[..., object]]) -> None:
    """Do so for the functions of base/rows.py, by their names; part: the type Part there."""
    extending.register_model(PartType)(models.OpaqueModel)
    extending.typeof_impl.register(part)(lambda value, context: PartType(
        extending.typeof_impl(value.example, context), tuple(value[1:])))
    imputils.lower_constant(PartType)(
        lambda context, builder, kind, value: context.get_dummy_value())
    for name, code in _CODE_OF_ROWS.items():
        write_code(functions[name], *code)


def _writes(name: str, typer: Typer, *kinds: object) -> Callable[[Writer], Writer]:
    """Decorator of what writes the code of a function of base/rows.py."""
    def decorate(write: Writer) -> Writer:
        _CODE_OF_ROWS[name] = _Code(typer, kinds, write)
        return write

    return decorate


def _is_part(rows: types.Type, part: types.Type) -> bool:
    return (isinstance(rows, types.Array) and rows.ndim == 1 and rows.layout == 'C'
            and rows.dtype == types.float64 and isinstance(part, PartType)
            and _is_numbers(part.kind))


@_writes(
    'load',
    lambda rows, part, lane: part.kind(rows, part, types.intp) if _is_part(
        rows, part) else None,
    types.Array, PartType, types.intp)
def _load(call: Call) -> ir.Value:
    part, zero = call.signature.args[1], call.number(0.0)
    return call.tuple_of(part.kind, (
        zero if row in part.absent else call.builder.load(place)
        for row, place in enumerate(call.places())))


@_writes(
    'store',
    lambda rows, part, lane, value: types.none(
        rows, part, types.intp, value) if _is_part(rows, part) and _count_numbers(
            value) == _count_numbers(part.kind) else None,
    types.Array, PartType, types.intp, types.Any)
def _store(call: Call) -> ir.Value:
    places = enumerate(call.places())
    for kind, number in call.leaves(3):
        row, place = next(places)
        if row not in call.signature.args[1].absent:
            call.builder.store(
                call.context.cast(call.builder, number, kind, types.float64), place)
    return call.context.get_dummy_value()


@_writes(
    'span',
    lambda array, first, last: array(array, types.intp, types.intp) if isinstance(
        array, types.Array) and array.layout == 'C' else None,
    types.Array, types.intp, types.intp)
def _span(call: Call) -> ir.Value:
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

    call: Call
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


@_writes(
    'lent',
    lambda arrays: arrays(arrays) if _may_be_lent(arrays) else None,
    types.Any)
def _lent(call: Call) -> ir.Value:
    return _without_owner(call, call.signature.args[0], call.arguments[0])


def _without_owner(call: Call, kind: types.Type, value: ir.Value) -> ir.Value:
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


@_writes('zeros_like', lambda value: _like_first(value), types.BaseTuple)
def _zeros_like(call: Call) -> ir.Value:
    return call.result(itertools.repeat(call.number(0.0)))


@_writes(
    'plus',
    lambda a, h, b: _like_first(a, types.float64, a) if a == b else None,
    types.BaseTuple, types.float64, types.BaseTuple)
def _plus(call: Call) -> ir.Value:
    h = call.arguments[1]
    return call.result(
        call.builder.fadd(x, call.builder.fmul(h, y))
        for x, y in zip(call.numbers(0), call.numbers(2), strict=True))


@_writes('settle', lambda value: _like_first(value), types.BaseTuple)
def _settle(call: Call) -> ir.Value:
    zero, least = call.number(0.0), call.number(NEGLIGIBLE)
    return call.result(
        call.builder.select(
            call.builder.fcmp_ordered('<', call.modulus(x), least), zero, x)
        for x in call.numbers(0))


@_writes(
    'within',
    lambda value, limits: types.boolean if isinstance(
        value, _TUPLES) and value == limits and _is_numbers(value) else None,
    types.BaseTuple, types.BaseTuple)
def _within(call: Call) -> ir.Value:
    found = call.context.get_constant(types.boolean, True)
    for x, most in zip(call.numbers(0), call.numbers(1), strict=True):
        found = call.builder.and_(
            found, call.builder.fcmp_ordered('<=', call.modulus(x), most))
    return found


@_writes(
    'pose_of',
    lambda value: types.UniTuple(types.float64, 3) if hasattr(value, 'fields') else None,
    types.BaseTuple)
def _pose_of(call: Call) -> ir.Value:
    fields, zero = call.fields(), call.number(0.0)
    return call.result(fields.get(field, zero) for field in POSE)


@_writes(
    'with_pose',
    lambda value, x, y, yaw: _like_first(value, *(types.float64,) * 3),
    types.BaseTuple, types.float64, types.float64, types.float64)
def _with_pose(call: Call) -> ir.Value:
    pose = dict(zip(POSE, call.arguments[1:], strict=True))
    return call.result(pose.get(field, number) for field, number in call.fields().items())
