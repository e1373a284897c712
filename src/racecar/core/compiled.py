# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compile scalar kernels with Numba where it is installed; run them as plain Python elsewhere."""

from __future__ import annotations

from collections.abc import Callable
import functools
import hashlib
from pathlib import Path
import types
from typing import Any, cast, TypeVar

F = TypeVar('F', bound=Callable[..., Any])

_PACKAGE = __name__.rpartition('.')[0]

try:
    import numba
except ImportError:
    COMPILED = False

    def njit(function: F) -> F:
        """Return the function as it is: Numba is not installed."""
        return function
else:
    COMPILED = True

    def njit(function: F) -> F:
        """Compile without fast-math, so that results equal the plain Python ones bit for bit.

        The machine code is cached on disk and discarded as soon as any kernel source of this
        package changes. Global constants are frozen in it: define them in a file with kernels.
        """
        options = {'error_model': 'numpy'}
        if not function.__module__.startswith(f'{_PACKAGE}.'):
            # The cache would not notice changes of a foreign function that this one calls.
            return cast('F', numba.njit(**options)(function))
        try:
            kernel = numba.njit(cache=True, **options)(function)
        except RuntimeError:
            # No folder is writable: compile at every start rather than fail.
            return cast('F', numba.njit(**options)(function))
        # Numba's own stamp covers the file of the function, not the files of those it calls.
        index = getattr(getattr(kernel, '_cache', None), '_cache_file', None)
        if hasattr(index, '_source_stamp'):
            index._source_stamp = _kernel_sources_digest()
        return cast('F', kernel)


@functools.cache
def _kernel_sources_digest() -> str:
    """Return a digest of all files of this package that hold kernels."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob('*.py')):
        content = path.read_bytes()
        if b'.compiled import' in content or path.name == 'compiled.py':
            digest.update(content)
    return digest.hexdigest()


_specialised: dict[tuple[Any, str], tuple[dict[str, Any], Any]] = {}


def specialise(function: F, name: str, **bindings: Callable[..., Any]) -> F:
    """Return a compiled copy of a function with some of its global names bound anew.

    Numba inlines what is bound this way and caches the result on disk; it does not cache
    functions that take others as arguments or in a closure.

    function: plain or compiled; name: of the copy, one for each set of bindings;
    bindings: global names of the function and the compiled functions that replace them.
    Raises ValueError if the name stands for other bindings already.
    """
    source = getattr(function, 'py_func', function)
    known = _specialised.get((source, name))
    if known is not None:
        if known[0] != bindings:
            raise ValueError(f'{name!r} is already a copy of {source.__qualname__} with others')
        return cast('F', known[1])
    copy = types.FunctionType(
        source.__code__, {**source.__globals__, **bindings}, name, source.__defaults__)
    copy.__qualname__ = name
    copy.__doc__ = source.__doc__
    copy.__module__ = next(
        (bound.__module__ for bound in bindings.values()
         if not bound.__module__.startswith(f'{_PACKAGE}.')), source.__module__)
    kernel = njit(copy)
    _specialised[source, name] = bindings, kernel
    return cast('F', kernel)
