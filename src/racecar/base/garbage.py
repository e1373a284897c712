# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""When and where Python does not search for garbage."""

from collections.abc import Iterator
import contextlib
import gc
import threading

# Held while something is frozen, by this module or, from when that was seen, by somebody else.
_frozen = threading.Lock()


def _freeze() -> bool:
    """Take what exists out of each search, unless something is frozen already; whether it did."""
    if not _frozen.acquire(blocking=False):
        return False
    if gc.get_freeze_count():
        # The lock stays held: Python counts them one by one, 10 ms and more for a million.
        return False
    gc.freeze()
    return True


def _unfreeze() -> None:
    """Let full searches, and no others, look through what _freeze() has taken out."""
    gc.unfreeze()
    _frozen.release()


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
            # Otherwise Python would now look through all that is new.
            if _freeze():
                _unfreeze()
            gc.enable()


@contextlib.contextmanager
def collecting_only_what_is_new() -> Iterator[None]:
    """Search for garbage among what is made meanwhile: what exists by now stays.

    A search that looks through all of it holds up several ticks of a simulation. Where something
    is frozen already all stays as it is, as gc.unfreeze() would take that too.
    """
    freezes = _freeze()
    try:
        yield
    finally:
        if freezes:
            _unfreeze()
