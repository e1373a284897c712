# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How processes of this package begin; programs of users are left as they are."""

from __future__ import annotations

import gc
import os
import sys

# Objects made and not let go of, after which Python searches for garbage; by itself after 700.
_SELDOM = 50_000


def begin_process() -> None:
    """Set up a process of this package, before it imports NumPy.

    Linear algebra stays in the thread that asks for it, unless the user has said otherwise:
    matrices are narrow here, further threads of OpenBLAS only wait, with a processor of their own
    at the start and after each call, and the bits of sums can depend on how many they are.

    Python searches for garbage a seventieth as often as by itself: what is imported and loaded
    stays, and what runs then leaves few objects in circles.
    """
    os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
    gc.set_threshold(_SELDOM, *gc.get_threshold()[1:])


def child_code(module: str, function: str, *arguments: object) -> str:
    """Text for `python -c` of a process of its own, which calls a function of a module.

    It imports from where this program does, which may have been started with a path of its own.
    arguments: plain values, whose repr() is read there.
    """
    return (f'import sys; sys.path[:] = {sys.path!r};'
            f' from {__name__} import begin_process; begin_process();'
            f' from {module} import {function}; {function}(*{arguments!r})')
