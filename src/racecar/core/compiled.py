# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compile scalar kernels with Numba where it is installed; run them as plain Python elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar('F', bound=Callable[..., Any])

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
        """Compile without fast-math, so that results equal the plain Python ones bit for bit."""
        return numba.njit(cache=True, error_model='numpy')(function)  # type: ignore[no-any-return]
