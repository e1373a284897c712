# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code that calls a C function of the physics engine by its address."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir
from numba.core import types

from racecar.base.machine_code import Call, write_code

_ADDRESSES = (types.int64,) * 3


def write_code_of_call(function: Callable[..., object]) -> None:
    """Let compiled functions call what a function calls: (address, model, data), all addresses."""
    write_code(
        function, lambda address, model, data: types.void(*_ADDRESSES), _ADDRESSES, _call)


def _call(call: Call) -> ir.Value:
    address, *pointers = call.arguments
    word = ir.IntType(64)
    kind = ir.FunctionType(ir.VoidType(), [word] * len(pointers))
    call.builder.call(call.builder.inttoptr(address, kind.as_pointer()), pointers)
    return call.context.get_dummy_value()
