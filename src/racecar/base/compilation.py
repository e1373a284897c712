# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels by Numba, which this module needs: only what has asked has_compiler() imports it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import functools
from pathlib import Path
from typing import cast, TypeVar
import warnings

import numba
from numba import extending
from numba.core import caching, event
from numba.core.dispatcher import Dispatcher

from racecar.base.kernel_files import (
    are_parts_kept,
    is_kept,
    keep_no_parts,
    keep_nothing,
    note_sources,
    note_use,
)
from racecar.base.kernel_parts import home_of, kernel_name, named, parts_of, plain_function

F = TypeVar('F', bound=Callable[..., object])
Chosen = Callable[..., Callable[..., object] | None]
"""What is to be compiled in place of a function for these types of arguments; None: nothing."""

# Numba 0.58 says so where the disk is full, and then compiles without keeping it, as is meant.
warnings.filterwarnings(
    'ignore', 'Code using Numba extension API maybe depending',
    numba.errors.NumbaPendingDeprecationWarning)


class Compilations(event.Listener):
    """Tells of compilations; Numba reports none that its cache makes needless."""

    def __init__(self, begins: Callable[[Callable[..., object]], object]) -> None:
        """Call begins(function) before each function is compiled."""
        self._begins = begins

    def on_start(self, event: event.Event) -> None:
        """Begin a compilation."""
        self._begins(event.data['dispatcher'].py_func)

    def on_end(self, event: event.Event) -> None:
        """End a compilation, which may have failed."""


def listen(begins: Callable[[Callable[..., object]], object]) -> None:
    """Call begins(function) before Numba compiles any function, of this package or not."""
    event.register('numba:compile', Compilations(begins))


def types_of(arguments: Iterable[object]) -> tuple[object, ...]:
    """Types of arguments."""
    return tuple(map(numba.typeof, arguments))


def implement(
    function: Callable[..., object], options: dict[str, bool | str], choose: Chosen,
) -> None:
    """Let compiled functions call, in place of a function, what is chosen for types of arguments.

    Its machine code is cached on disk, as that of compile_kernel(): most of what a kernel is made
    of is part of kernels of other processes too.
    """
    def choose_cached(*types: object, **by_name: object) -> Callable[..., object] | None:
        chosen = choose(*types, **by_name)
        return chosen and _cachable(
            chosen, (*types, *by_name.values()), (*by_name, options))

    overload = cast('Callable[..., Callable[[Chosen], object]]', extending.overload)
    overload(function, jit_options={**options, 'cache': True}, strict=False)(choose_cached)
    # For what the first has nothing.
    overload(function, jit_options=options, strict=False)(choose)


def _cachable(
    function: Callable[..., object], types: tuple[object, ...], how: tuple[object, ...],
) -> Callable[..., object] | None:
    """Function under a name of its content, None if its code cannot be found or kept by that.

    types: of arguments; how: names of the last of them, and options of the compiler.
    """
    if _take_functions(types):
        return None
    parts = parts_of(function, types)
    if parts.has_users:
        keep_no_parts()
    if not parts.are_kept:
        return None
    found = named(function, kernel_name(function, parts, (types, how)), home_of(function, parts))
    try:
        folder = Path(caching.FunctionCache(found).cache_path)
    except RuntimeError:
        return None
    if are_parts_kept():
        note_sources(folder, parts.modules)
    elif not is_kept(folder, found.__name__):
        return None
    return found


def _take_functions(kinds: Iterable[object]) -> bool:
    """Whether functions are among arguments: Numba cannot write their types into a file."""
    return any(isinstance(kind, numba.types.Callable) or _take_functions(
        getattr(kind, 'types', ())) for kind in kinds)


def compile_kernel(function: F, signature: str | tuple[object, ...], *, nogil: bool) -> F:
    """Compile what compiled() takes, or load it from the cache on disk."""
    parts = parts_of(function, signature)
    if parts.has_users:
        keep_no_parts()
    name = kernel_name(function, parts, signature)
    found = named(plain_function(function), name, home_of(function, parts))
    jit = functools.partial(
        numba.njit, signature, error_model='numpy', nogil=nogil, no_cfunc_wrapper=True)
    if parts.are_kept:
        try:
            kernel = jit(cache=True)(found)
        except RuntimeError:
            # No folder is writable: compile at every start rather than fail.
            keep_nothing()
        except OSError:
            # A full disk, which the next start may find emptier.
            keep_no_parts()
        else:
            folder = Path(kernel.stats.cache_path or '')
            if kernel.stats.cache_misses and kernel.stats.cache_path:
                note_sources(folder, parts.modules)
            elif parts.others:
                note_use(folder, name)
            return cast('F', kernel)
    return cast('F', jit()(found))


def add_types(kernel: Callable[..., object], other: Callable[..., object]) -> None:
    """Let a kernel, of compile_kernel(), take also the types of another of the same function."""
    known = cast(Dispatcher, kernel)
    for types, machine_code in cast(Dispatcher, other).overloads.items():
        # With the same types twice Numba cannot choose.
        if types not in known.overloads:
            known.add_overload(machine_code)


def failure_of(compile_it: Callable[[], object]) -> str:
    """Call what compiles a kernel; the reason, in one line, why that is not possible, or ''."""
    try:
        compile_it()
    except numba.core.errors.NumbaError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        # Errors stand within those of the callers: the last one is what was not possible.
        begin = max((k + 1 for k, line in enumerate(lines) if 'Failed in ' in line), default=0)
        said = next((line for line in lines[begin:] if not line.startswith('During')), '')
        where = next((line for line in lines[begin:] if line.startswith('File ')), '')
        return f'{said} {where}'.strip()
    except Exception as error:
        # Numba meets some code with errors of its own making.
        return f'{type(error).__name__}: {error}'.partition('\n')[0]
    return ''
