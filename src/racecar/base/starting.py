# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How processes of this package begin; programs of users are left as they are."""

from __future__ import annotations

import gc
import sys

# Objects made and not let go of, after which Python searches for garbage; by itself after 700.
_SELDOM = 50_000


def collect_seldom() -> None:
    """Search this process for garbage a seventieth as often as Python by itself does.

    What is imported and loaded stays, and what runs then leaves few objects in circles.
    """
    gc.set_threshold(_SELDOM, *gc.get_threshold()[1:])


def child_code(module: str, function: str, *arguments: object) -> str:
    """Text for `python -c` of a process of its own, which calls a function of a module.

    It imports from where this program does, which may have been started with a path of its own.
    arguments: plain values, whose repr() is read there.
    """
    return (f'import sys; sys.path[:] = {sys.path!r};'
            f' from {__name__} import collect_seldom; collect_seldom();'
            f' from {module} import {function}; {function}(*{arguments!r})')
