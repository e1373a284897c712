# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""End a process that DDS does not let go.

Fast DDS 2.14 deadlocks once in some hundred times when a participant goes away while it hears of
others: rmw_fastrtps takes the participant's listener off and waits, with a lock held, for a
callback that wants this lock. Python's own lock is held, too, so that neither a thread nor a
signal handler of Python could end it; a timer of the C library does. That of faulthandler would,
too, but always with exit code 1 and a traceback, as if what was done before had failed.
"""

from __future__ import annotations

import ctypes
import sys

_SIGEV_THREAD = 2
_CLOCK_MONOTONIC = 1


class _SigEvent(ctypes.Structure):
    """struct sigevent of Linux, 64 bytes."""

    _fields_ = (
        ('value', ctypes.c_void_p), ('signo', ctypes.c_int), ('notify', ctypes.c_int),
        ('function', ctypes.c_void_p), ('attributes', ctypes.c_void_p),
        ('padding', ctypes.c_char * 32))


class _Duration(ctypes.Structure):
    """struct timespec."""

    _fields_ = (('seconds', ctypes.c_long), ('nanoseconds', ctypes.c_long))


class _Setting(ctypes.Structure):
    """struct itimerspec."""

    _fields_ = (('interval', _Duration), ('value', _Duration))


class ExitTimer:
    """A context that takes so many seconds at most; then the process ends at once.

    The exit code is that given. Does nothing but on Linux.
    """

    def __init__(self, seconds: int, code: int) -> None:
        """Prepare it; it runs in the with block."""
        self._seconds = seconds
        self._code = code
        self._timer = ctypes.c_void_p()
        self._library: ctypes.CDLL | None = None

    def __enter__(self) -> ExitTimer:
        if sys.platform != 'linux':
            return self
        library = ctypes.CDLL(None)
        if not hasattr(library, 'timer_create'):  # before glibc 2.34
            library = ctypes.CDLL('librt.so.1')
        event = _SigEvent(
            value=self._code, notify=_SIGEV_THREAD,
            function=ctypes.cast(ctypes.CDLL(None)['_exit'], ctypes.c_void_p))
        if library.timer_create(
                _CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(self._timer)) == 0:
            self._library = library
            setting = _Setting(value=_Duration(self._seconds, 0))
            library.timer_settime(self._timer, 0, ctypes.byref(setting), None)
        return self

    def __exit__(self, *_: object) -> None:
        if self._library is not None:
            self._library.timer_delete(self._timer)
            self._library = None
