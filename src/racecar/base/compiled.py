# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compile scalar kernels with Numba where it is installed; run them as plain Python elsewhere."""

from __future__ import annotations

from collections.abc import Callable
import functools
import os
import sys
import threading
from typing import cast, Generic, ParamSpec, Protocol, TYPE_CHECKING, TypeVar

import numpy as np

from racecar.base.garbage import without_collecting
from racecar.base.kernel_files import is_anything_kept, keep_no_parts
from racecar.base.kernel_parts import (
    home_of,
    is_ours,
    kernel_name,
    note_implementations,
    parts_of,
    plain_function,
)

if TYPE_CHECKING:
    from racecar.base.compilation import Chosen

F = TypeVar('F', bound=Callable[..., object])
P = ParamSpec('P')
Result_co = TypeVar('Result_co', covariant=True)

# Of functions that only kernels call: without entries for Python and C. The code of inlined ones
# becomes part of their callers; only then does the compiler move what is constant out of a loop
# and vectorise the loop.
_CALLED: dict[str, bool | str] = {
    'error_model': 'numpy', 'no_cpython_wrapper': True, 'no_cfunc_wrapper': True}
_INLINED: dict[str, bool | str] = {**_CALLED, 'forceinline': True}
# Whoever says nothing has it from the first that calls it.
_NEVER_INLINED: dict[str, bool | str] = {**_CALLED, 'forceinline': False}


def _folder(function: Callable[..., object]) -> str:
    return function.__module__.rpartition('.')[0]


def _to_stderr(text: str) -> None:
    print(f'racecar: {text}', file=sys.stderr, flush=True)


class _Compiler:
    """Numba, which is imported when somebody first wants a kernel: that takes its time."""

    def __init__(self) -> None:
        self.tell: Callable[[str], object] | None = _to_stderr
        self._is_there: bool | None = None
        self._lock = threading.RLock()
        self._with_it: list[Callable[[], object]] = []
        self._before_compiling: list[Callable[[], object]] = []

    def is_there(self) -> bool:
        """Whether it can be imported and is not switched off."""
        if self._is_there is None:
            with self._lock, without_collecting():
                if self._is_there is None:
                    self._is_there = self._begin()
        return self._is_there

    @staticmethod
    def _is_on() -> bool:
        if os.environ.get('NUMBA_DISABLE_JIT') == '1':
            return False
        try:
            import numba
        except ImportError:
            return False
        return not getattr(numba.config, 'DISABLE_JIT', False)

    def _begin(self) -> bool:
        if not self._is_on():
            return False
        from racecar.base.compilation import listen

        listen(self._on_compilation)
        for hook in self._with_it:
            hook()
        return True

    def with_it(self, hook: Callable[[], object]) -> None:
        """Call this when it has been imported."""
        with self._lock:
            if self._is_there:
                hook()
            else:
                self._with_it.append(hook)

    def before_compiling(self, hook: Callable[[], object]) -> None:
        """Call this when something is compiled that is in no cache."""
        self._before_compiling.append(hook)

    def _on_compilation(self, function: Callable[..., object]) -> None:
        while self._before_compiling:
            self._before_compiling.pop(0)()
        if self.tell and is_ours(function):
            later = 'later ones do not' if is_anything_kept() else (
                'so will later ones, as no folder is writable to keep the result')
            tell, self.tell = self.tell, None
            tell('compiling the simulation for this machine; the first start takes some seconds,'
                 f' {later}')


_compiler = _Compiler()


def has_compiler() -> bool:
    """Whether kernels are compiled: Numba can be imported and is not switched off.

    Imports Numba, which takes a quarter of a second: to be asked where kernels are wanted.
    """
    return _compiler.is_there()


def with_compiler(hook: Callable[[], object]) -> Callable[[], object]:
    """Decorator of what is called once when Numba has been imported, never where it is not."""
    _compiler.with_it(hook)
    return hook


def announce_compilation(tell: Callable[[str], object]) -> None:
    """Let this function, instead of stderr, say that kernels are being compiled.

    It is called with a sentence once in a process, when the first kernel of this package is not
    in the cache on disk; never where Numba is absent.
    """
    if _compiler.tell:
        _compiler.tell = tell


_registered: set[Callable[..., object]] = set()


def _register_for_kernels(function: F, options: dict[str, bool | str]) -> F:
    if function not in _registered:
        code = _code_of(function)
        _implement(function, options, lambda *types, **named: code)
        _registered.add(function)
    return function


def _implement(
    function: Callable[..., object], options: dict[str, bool | str], choose: Chosen,
) -> None:
    """Let compiled functions call what is chosen: as soon as something is to be compiled.

    What is loaded from the cache needs none of it.
    """
    def implement() -> None:
        from racecar.base import compilation

        compilation.implement(function, options, choose)

    _compiler.before_compiling(implement)


def pure(function: F) -> F:
    """Let compiled functions call a plain one, which becomes part of them.

    It stays what it is to Python and to the cache on disk, which finds it by its name. It takes
    and returns numbers and NamedTuples of them and changes nothing. Global constants are frozen in
    what is compiled: they come from the module itself or from what it imports.
    """
    return _register_for_kernels(function, _INLINED)


def routine(function: F) -> F:
    """Let compiled functions call a plain one, which is compiled once for all of them.

    It may write into arrays. Where a pure function calls it, it becomes part of that all the same;
    subroutine() does not.
    """
    return _register_for_kernels(function, _CALLED)


def subroutine(function: F) -> F:
    """Make a routine that is part of no caller, a pure one or other.

    For what is long and called by pure functions: the machine code of each, and of all that call
    it, would have a copy, to be optimised and translated anew.
    """
    return _register_for_kernels(function, _NEVER_INLINED)


_modular: dict[Callable[..., object], Callable[..., object]] = {}


def modular(function: F) -> F:
    """Let a kernel or routine count modulo 2^64 in plain Python too, where NumPy warns of it."""
    silent = np.errstate(over='ignore')(function)
    _modular[silent] = function
    return silent


def _code_of(function: Callable[..., object]) -> Callable[..., object]:
    """What is compiled for a function."""
    return _modular.get(function, function)


def compiled_as(implementation: Callable[..., object]) -> Callable[[F], F]:
    """Decorator of a plain function in whose place compiled functions call a pure one."""
    def decorate(function: F) -> F:
        _implement(function, _INLINED, lambda *arguments: implementation)
        return function

    return decorate


def kernel(function: F) -> F:
    """Compile a routine that Python calls too, at its first call, for the types of that call.

    Calls with other types compile it again. The machine code is cached as that of compiled().
    """
    code = _code_of(function)
    known: Callable[..., object] | None = None
    one_at_a_time = threading.Lock()

    @functools.wraps(function)
    def call(*arguments: object) -> object:
        nonlocal known
        if known is not None:
            # Numba's error for arguments of other types. With contextlib.suppress a call takes a
            # microsecond more.
            try:
                return known(*arguments)
            except TypeError:
                pass
        if not has_compiler():
            return function(*arguments)
        with one_at_a_time:
            one = compiled(code, types_of(*arguments))
            if known is None:
                known = one
            else:
                from racecar.base import compilation

                # It chooses among its types in a microsecond. That none fits takes Numba fifty.
                compilation.add_types(known, one)
        return one(*arguments)

    _implement(call, _CALLED, lambda *arguments: code)
    return cast('F', call)


class ByType(Protocol[P, Result_co]):
    """A function whose implementation the type of its first argument chooses."""

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> Result_co:
        """Value of the implementation for this first argument."""

    def register(self, kind: type) -> Callable[[F], F]:
        """Decorator of the pure implementation for first arguments of a type.

        One of this package is in a module of the folder of the function, where the digest of the
        sources finds it. Raises TypeError elsewhere.
        """


def by_type(function: Callable[P, Result_co]) -> ByType[P, Result_co]:
    """Decorate a function that only says what its implementations have in common.

    A call of a type without implementation raises TypeError, where it is compiled a typing error.
    """
    table: dict[type, Callable[..., object]] = {}
    note_implementations(table)
    folder = _folder(function)

    @functools.wraps(function)
    def chosen(first: object, *rest: object) -> object:
        try:
            implementation = table[type(first)]
        except KeyError:
            raise TypeError(f'{function.__qualname__} is not implemented for'
                            f' {type(first).__qualname__}') from None
        return implementation(first, *rest)

    def register(kind: type) -> Callable[[F], F]:
        """Decorator of the pure implementation for first arguments of a type."""
        def add(implementation: F) -> F:
            if is_ours(implementation) and _folder(implementation) != folder:
                raise TypeError(
                    f'{implementation.__module__} registers an implementation of'
                    f' {function.__module__}.{function.__qualname__}, expected one in a module of'
                    f' {folder}: move it there')
            table[kind] = pure(implementation)
            return implementation

        return add

    def implementation_for(first: object, *rest: object) -> Callable[..., object] | None:
        return table.get(getattr(first, 'instance_class', type(None)))

    _implement(chosen, _INLINED, implementation_for)

    vars(chosen)['register'] = register
    return cast(ByType[P, Result_co], chosen)


_importable: dict[tuple[object, ...], Callable[..., object]] = {}


def importable(function: F) -> F:
    """Make a closure over pure functions, Parts and plain values a pure function with a name.

    The cache on disk knows functions by their names only: this one gets one of its own in its
    module, or in that of the user's code in it. Made anew from the same values it is the same
    function. Raises TypeError for a closure over anything else.
    """
    parts = parts_of(function)
    if parts.has_users:
        keep_no_parts()
    name, home = kernel_name(function, parts), home_of(function, parts)
    made = plain_function(function)
    # A file of the user's may be read twice: its types are others then, whatever they contain.
    key = (home, name, made.__code__, *map(id, parts.others))
    if key not in _importable:
        made.__name__ = made.__qualname__ = name
        made.__module__ = home
        if home in sys.modules:
            setattr(sys.modules[home], name, made)
        _importable[key] = pure(made)
    return cast('F', _importable[key])


def types_of(*arguments: object) -> tuple[object, ...]:
    """Types, for compiled(), of arguments like these: numbers, arrays and NamedTuples of them.

    None without Numba.
    """
    if not has_compiler():
        return ()
    from racecar.base import compilation

    return compilation.types_of(arguments)


def compiled(
    function: F, signature: str | tuple[object, ...], *, nogil: bool = True,
) -> F:
    """Compile a closure over pure functions, Parts and plain values for the types of a signature.

    Without fast-math, so that results equal those of plain Python bit for bit; plain Python
    without Numba. signature: as Numba writes it, '(float64[::1], int64)', or types_of() arguments.
    The machine code is cached on disk under a name that changes with the values of the closure,
    with the sources of all that it may be made of, and with the content of the user's functions
    and types in it; not if one of these is not known by its content, see content_of(), or if a
    source was changed since this process began, which may have imported the old one. nogil:
    whether other threads run while it does, which costs a tenth of a microsecond a call. Raises
    TypeError for a closure over anything else.
    """
    if not has_compiler():
        return function
    from racecar.base import compilation

    with without_collecting():
        return compilation.compile_kernel(function, signature, nogil=nogil)


_PLAIN_SECONDS, _BRIEF_SECONDS = 0.05, 1e-3


class CompiledLater(Generic[Result_co]):
    """A function that is plain Python until it has done as much as makes compiling it worth while.

    For what a short run hardly uses: to compile it takes seconds where no cache has it, the bits
    are the same. Brief calls remain plain for ever, so that a live view, which makes nothing but
    these, never waits for the compiler.
    """

    def __init__(
        self, function: Callable[..., Result_co], signature: str,
        cost: Callable[..., float],
    ) -> None:
        """Take what compiled() does. cost: time of a call of it in plain Python, roughly [s]."""
        self._function, self._signature, self._cost = function, signature, cost
        self._spent = 0.0
        self._kernel: Callable[..., Result_co] | None = None

    def __call__(self, *arguments: object) -> Result_co:
        """Result of the function for arrays, numbers and tuples of them."""
        if self._kernel is None and self._is_worth_while(self._cost(*arguments)):
            self.compile()
        if self._kernel is None:
            return self._function(*map(_for_python, arguments))
        return self._kernel(*arguments)

    @property
    def is_compiled(self) -> bool:
        """Whether calls run machine code; True for good once it is."""
        return self._kernel is not None

    def compile(self) -> None:
        """Compile it now, or load it from the cache, so that no call does."""
        if self._kernel is None and has_compiler():
            self._kernel = compiled(self._function, self._signature)

    def _is_worth_while(self, cost: float) -> bool:
        if cost > _BRIEF_SECONDS and has_compiler():
            self._spent += cost
        return self._spent > _PLAIN_SECONDS


def _for_python(argument: object) -> object:
    """Argument whose numbers plain Python reads fast: a view of the memory of an array."""
    if isinstance(argument, tuple):
        return tuple(map(_for_python, argument))
    return memoryview(argument.data) if isinstance(argument, np.ndarray) else argument


NO_NUMBA = 'Numba is not installed'
"""Why nothing is compiled."""

def compilation_failure(compile_it: Callable[[], object]) -> str:
    """Call what compiles a kernel; the reason, in one line, why that is not possible, or ''."""
    if not has_compiler():
        return NO_NUMBA
    from racecar.base import compilation

    return compilation.failure_of(compile_it)
