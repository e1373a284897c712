# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compile scalar kernels with Numba where it is installed; run them as plain Python elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
import functools
import gc
import hashlib
import inspect
import operator
from pathlib import Path
import sys
import types
from typing import cast, Generic, NamedTuple, ParamSpec, Protocol, TypeVar
import warnings

import numpy as np

from racecar.base.kernel_contents import content_of, is_own, origin_of, Written
from racecar.base.kernel_files import is_kept, note_sources, note_use
from racecar.base.kernel_sources import sources_of

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


def _is_ours(function: object) -> bool:
    return is_own(str(getattr(function, '__module__', '')))


def _folder(function: Callable[..., object]) -> str:
    return function.__module__.rpartition('.')[0]


def _to_stderr(text: str) -> None:
    print(f'racecar: {text}', file=sys.stderr, flush=True)


_announce: Callable[[str], object] = _to_stderr


def announce_compilation(tell: Callable[[str], object]) -> None:
    """Let this function, instead of stderr, say that kernels are being compiled.

    It is called with a sentence once in a process, when the first kernel of this package is not
    in the cache on disk; never where Numba is absent.
    """
    global _announce
    _announce = tell


try:
    import numba
    from numba import extending
    from numba.core import caching, event
except ImportError:
    COMPILED = False
else:
    COMPILED = not getattr(numba.config, 'DISABLE_JIT', False)

    class _Compilation(event.Listener):
        """Announces the first compilation; Numba reports none that its cache makes needless.

        Meanwhile nothing is collected: Numba makes objects by the million that live until the
        kernel is done, and each collection would look through all of them.
        """

        cached = True
        # Whether the code of what kernels call is kept: not where there is no room, and not beside
        # code of a user's. Numba takes unions of types for the same whose names are, so that a
        # file could name a type of the user's, which no other process has.
        keeps_parts = True
        announced = False
        # One kernel compiles others; Numba's lock keeps other threads out.
        _depth = 0
        _collects = False

        def on_start(self, event: event.Event) -> None:
            if self._depth == 0:
                self._collects = gc.isenabled()
                gc.disable()
            self._depth += 1
            if not self.announced and _is_ours(event.data['dispatcher'].py_func):
                self.announced = True
                later = 'later ones do not' if self.cached else (
                    'so will later ones, as no folder is writable to keep the result')
                _announce('compiling the simulation for this machine; the first start takes some'
                          f' seconds, {later}')

        def on_end(self, event: event.Event) -> None:
            self._depth -= 1
            if self._depth == 0 and self._collects:
                gc.enable()

    _compilation = _Compilation()
    event.register('numba:compile', _compilation)
    _overload: Callable[..., Callable[[F], F]] = extending.overload
    # Numba 0.58 says so where the disk is full, and then compiles without keeping it, as is meant.
    warnings.filterwarnings(
        'ignore', 'Code using Numba extension API maybe depending',
        numba.errors.NumbaPendingDeprecationWarning)

_registered: set[Callable[..., object]] = set()


def _register_for_kernels(function: F, options: dict[str, bool | str]) -> F:
    if COMPILED and function not in _registered:
        _implement(function, options, lambda *types, **named: function)
        _registered.add(function)
    return function


def _implement(
    function: Callable[..., object], options: dict[str, bool | str],
    choose: Callable[..., Callable[..., object] | None],
) -> None:
    """Let compiled functions call, in place of a function, what is chosen for types of arguments.

    Its machine code is cached on disk, as that of compiled(): most of what a kernel is made of is
    part of kernels of other processes too.
    """
    def choose_cached(*types: object, **named: object) -> Callable[..., object] | None:
        chosen = choose(*types, **named)
        return chosen and _cachable(chosen, (*types, *named.values()), (*named, options))

    _overload(function, jit_options={**options, 'cache': True}, strict=False)(choose_cached)
    # For what the first has nothing.
    _overload(function, jit_options=options, strict=False)(choose)


def _cachable(
    function: Callable[..., object], types: tuple[object, ...], how: tuple[object, ...],
) -> Callable[..., object] | None:
    """Function under a name of its content, None if its code cannot be found or kept by that.

    types: of arguments; how: names of the last of them, and options of the compiler.
    """
    if _take_functions(types):
        return None
    parts = _parts(function, types)
    if not parts.are_known or not sources_of(parts.modules).are_imported:
        return None
    named = _named(_plain(function), _kernel_name(function, parts, (types, how)))
    named.__module__ = _home(function, parts)
    try:
        folder = Path(caching.FunctionCache(named).cache_path)
    except RuntimeError:
        return None
    if _compilation.keeps_parts:
        note_sources(folder, parts.modules)
    elif not is_kept(folder, named.__name__):
        return None
    return named


def _take_functions(kinds: Iterable[object]) -> bool:
    """Whether functions are among arguments: Numba cannot write their types into a file."""
    return any(isinstance(kind, numba.types.Callable) or _take_functions(
        getattr(kind, 'types', ())) for kind in kinds)


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


def compiled_as(implementation: Callable[..., object]) -> Callable[[F], F]:
    """Decorator of a plain function in whose place compiled functions call a pure one."""
    def decorate(function: F) -> F:
        if COMPILED:
            _implement(function, _INLINED, lambda *arguments: implementation)
        return function

    return decorate


def kernel(function: F) -> F:
    """Compile a routine that Python calls too, at its first call, for the types of that call.

    Calls with other types compile it again. The machine code is cached as that of compiled().
    """
    if not COMPILED:
        return function
    made: list[F] = []

    @functools.wraps(function)
    def call(*arguments: object) -> object:
        for one in made:
            try:
                return one(*arguments)
            # Numba's error for arguments of other types. With contextlib.suppress a call takes a
            # microsecond more.
            except TypeError:
                continue
        made.append(compiled(function, types_of(*arguments)))
        return made[-1](*arguments)

    _implement(call, _CALLED, lambda *arguments: function)
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


_implementations: list[dict[type, Callable[..., object]]] = []


def by_type(function: Callable[P, Result_co]) -> ByType[P, Result_co]:
    """Decorate a function that only says what its implementations have in common.

    A call of a type without implementation raises TypeError, where it is compiled a typing error.
    """
    table: dict[type, Callable[..., object]] = {}
    _implementations.append(table)
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
            if _is_ours(implementation) and _folder(implementation) != folder:
                raise TypeError(
                    f'{implementation.__module__} registers an implementation of'
                    f' {function.__module__}.{function.__qualname__}, expected one in a module of'
                    f' {folder}: move it there')
            table[kind] = pure(implementation)
            return implementation

        return add

    if COMPILED:
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
    parts = _parts(function)
    name, home = _kernel_name(function, parts), _home(function, parts)
    # A file of the user's may be read twice: its types are others then, whatever they contain.
    key = (home, name, _plain(function).__code__, *map(id, parts.others))
    if key not in _importable:
        made = _plain(function)
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
    return tuple(map(numba.typeof, arguments)) if COMPILED else ()


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
    if not COMPILED:
        return function
    parts = _parts(function, signature)
    name = _kernel_name(function, parts, signature)
    named = _named(_plain(function), name)
    jit = functools.partial(
        numba.njit, signature, error_model='numpy', nogil=nogil, no_cfunc_wrapper=True)
    named.__module__ = _home(function, parts)
    if parts.are_known and sources_of(parts.modules).are_imported:
        try:
            kernel = jit(cache=True)(named)
        except RuntimeError:
            # No folder is writable: compile at every start rather than fail.
            _compilation.cached = False
        except OSError:
            # A full disk, which the next start may find emptier.
            _compilation.keeps_parts = False
        else:
            folder = Path(kernel.stats.cache_path or '')
            if kernel.stats.cache_misses and kernel.stats.cache_path:
                note_sources(folder, parts.modules)
            elif parts.others:
                note_use(folder, name)
            return cast('F', kernel)
    return cast('F', jit()(named))


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
        if COMPILED and self._kernel is None:
            self._kernel = compiled(self._function, self._signature)

    def _is_worth_while(self, cost: float) -> bool:
        if COMPILED and cost > _BRIEF_SECONDS:
            self._spent += cost
        return self._spent > _PLAIN_SECONDS


def _for_python(argument: object) -> object:
    """Argument whose numbers plain Python reads fast: a view of the memory of an array."""
    if isinstance(argument, tuple):
        return tuple(map(_for_python, argument))
    return memoryview(argument.data) if isinstance(argument, np.ndarray) else argument


def _cells(function: Callable[..., object]) -> list[object]:
    return [cell.cell_contents for cell in getattr(function, '__closure__', None) or ()]


class _Parts(NamedTuple):
    """What a kernel is made of.

    modules: of this package; others: functions and types that are not of it, in a fixed order,
    without the closure itself; are_known: closure and others by their content.
    """

    modules: frozenset[str]
    others: tuple[Written, ...]
    are_known: bool


def _parts(function: Callable[..., object], signature: object = None) -> _Parts:
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
            todo += _cells(plain)
        else:
            # Types of Numba: of a NamedTuple, of its fields, of the example of a Part.
            todo += [getattr(value, name, None) for name in ('instance_class', 'types', 'kind')]
    others = sorted(
        {id(each): each for each in written if each is not function
         and not _is_ours(each) and each.__module__ not in _NEUTRAL}.values(),
        key=lambda each: (each.__module__, each.__qualname__))
    contents, is_ours = [content_of(each) for each in others], is_own(origin_of(function))
    if COMPILED and (others or not is_ours):
        _compilation.keeps_parts = False
    return _Parts(
        frozenset({__name__, *filter(is_own, map(origin_of, written))}).union(
            *(content.modules for content in contents if content)),
        tuple(others), is_ours and all(contents))


_NEUTRAL = {'builtins', 'typing'}


def _made_for(kind: type) -> Iterator[Callable[..., object]]:
    """Implementations for a type that are closures, or the user's: no import leads to them."""
    for table in _implementations:
        implementation = table.get(kind)
        if implementation and (_cells(implementation) or not _is_ours(implementation)):
            yield implementation


def _home(function: Callable[..., object], parts: _Parts) -> str:
    """Module of a function, or of the user's code among what it reaches."""
    return parts.others[0].__module__ if parts.others else function.__module__


def _kernel_name(
    function: Callable[..., object], parts: _Parts, signature: object = None,
) -> str:
    """Name of what is compiled: one for each content, so that nobody overwrites it by another.

    Processes that write at once write the same. An u at the end: code of the user's is in it.
    """
    digest = hashlib.sha256(str(signature).encode())
    for value in (*_cells(function), *parts.others):
        digest.update(f'{_described(value)};'.encode())
    sources, users = sources_of(parts.modules), 'u' if parts.others else ''
    return (f"{function.__qualname__.replace('.<locals>', '').replace('.', '_')}"
            f'_s{sources.digest}_{digest.hexdigest()[:12]}{users}')


def _described(value: object) -> str:
    """Text that tells a value of a closure from all others, the same in every process."""
    if isinstance(value, (types.FunctionType, type)) or hasattr(value, 'py_func'):
        known = '.'.join(operator.attrgetter('__module__', '__qualname__')(value))
        if _is_ours(value):
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


NO_NUMBA = 'Numba is not installed'
"""Why nothing is compiled."""

def compilation_failure(compile_it: Callable[[], object]) -> str:
    """Call what compiles a kernel; the reason, in one line, why that is not possible, or ''."""
    if not COMPILED:
        return NO_NUMBA
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


def _plain(function: object) -> types.FunctionType:
    if not isinstance(function, types.FunctionType):
        raise TypeError(f'{function!r} is to be compiled, expected a function written in Python')
    return function


def _named(source: types.FunctionType, name: str) -> types.FunctionType:
    """Copy of a function with another name."""
    copy = types.FunctionType(
        source.__code__, source.__globals__, name.rpartition('.')[2], source.__defaults__,
        source.__closure__)
    copy.__qualname__ = name
    copy.__module__ = source.__module__
    copy.__doc__ = source.__doc__
    return copy
