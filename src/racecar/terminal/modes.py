# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Modes of a terminal that are left again however the process ends, and while it is suspended."""

from __future__ import annotations

import atexit
from collections.abc import Callable
import contextlib
import os
import signal
import termios
import threading
from types import FrameType

from racecar.signals import at_end

GONE = (OSError, termios.error)
"""What is raised by a terminal that has gone."""

# Those that end a process, and of which nobody else thinks here.
_ENDINGS = (signal.SIGHUP, signal.SIGQUIT)


class TerminalMode:
    """Something that is switched on in a terminal, between enter() and leave().

    However the process ends but by SIGKILL, what is on is left: at its end, after an error, by a
    signal, and while Ctrl-Z (SIGTSTP) suspends it.
    """

    def __init__(
        self, terminal: int, switch_on: Callable[[], object], switch_off: Callable[[], object],
    ) -> None:
        """terminal: a file descriptor."""
        self._terminal = terminal
        self._switch_on = switch_on
        self._switch_off = switch_off
        self.is_on = False

    def enter(self) -> None:
        """Switch it on."""
        _watch()
        _entered.append(self)
        self.resume()

    def leave(self) -> None:
        """Switch it off, and before that what was entered after it; again does nothing."""
        while self in _entered:
            last = _entered.pop()
            last.suspend()
        if not _entered:
            _let_go()

    def suspend(self) -> None:
        """Switch it off for the time being."""
        if self.is_on:
            self.is_on = False
            with contextlib.suppress(*GONE):
                self._switch_off()

    def resume(self) -> None:
        """Switch it on again, if it was not left and the terminal lets this process do so."""
        if not self.is_on and self in _entered and is_in_foreground(self._terminal):
            with contextlib.suppress(*GONE):
                self._switch_on()
                self.is_on = True


_entered: list[TerminalMode] = []
_former: dict[signal.Signals, Callable[[int, FrameType | None], object] | int | None] = {}
_acts_at_the_end = False


def leave_all() -> None:
    """Leave every mode, the last one first."""
    if _entered:
        _entered[0].leave()


def is_in_foreground(terminal: int) -> bool:
    """Whether a terminal lets this process read and set it; terminal: a file descriptor."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        # It is not the one that this session is controlled by, so nobody is stopped for it.
        return True


def _watch() -> None:
    """Take over the signals, in the main thread: elsewhere nobody can."""
    global _acts_at_the_end
    if not _acts_at_the_end:
        _acts_at_the_end = True
        atexit.register(leave_all)
        at_end(leave_all)
    if threading.current_thread() is not threading.main_thread() or _former:
        return
    for number in (signal.SIGTSTP, *_ENDINGS):
        # One that is ignored, as by nohup, stays so.
        if signal.getsignal(number) is signal.SIG_DFL:
            _former[number] = signal.signal(
                number, _on_suspend if number == signal.SIGTSTP else _on_end)


def _let_go() -> None:
    """Give the signals back."""
    if threading.current_thread() is threading.main_thread():
        while _former:
            signal.signal(*_former.popitem())


def _on_suspend(number: int, _: object) -> None:
    for mode in reversed(_entered):
        mode.suspend()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    # Here it goes on after SIGCONT.
    signal.signal(number, _on_suspend)
    for mode in _entered:
        mode.resume()


def _on_end(number: int, _: object) -> None:
    leave_all()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
