# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""When and where Python does not search for garbage."""

from collections.abc import Iterator
import contextlib
import gc


@contextlib.contextmanager
def without_collecting() -> Iterator[None]:
    """Search for no garbage meanwhile: what is imported, compiled or loaded stays.

    Such work makes objects by the hundred thousand, and each full search looks through all of
    them. Nested or in several threads, it is searched for again after the first that began.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextlib.contextmanager
def collecting_only_what_is_new() -> Iterator[None]:
    """Search for garbage among what is made meanwhile: what exists by now stays.

    A search that looks through all of it holds up several ticks of a simulation. Where something
    is frozen already all stays as it is, as gc.unfreeze() would take that too.
    """
    freezes = not gc.get_freeze_count()
    if freezes:
        gc.freeze()
    try:
        yield
    finally:
        if freezes:
            gc.unfreeze()
