# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a program says while it compiles, which depends on the cache and not on the program."""

from collections.abc import Callable
from typing import Any


def without_compilation(text):
    """Return the lines but those that say that the first start takes longer."""
    return ''.join(line for line in text.splitlines(keepends=True)
                   if 'compiling the simulation for this machine' not in line)


def plain(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The Python function of a compiled one; what is not compiled is its own."""
    function: Callable[..., Any] = getattr(kernel, 'py_func', kernel)
    return function
