# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""SIGINT and SIGTERM while nodes run."""

from __future__ import annotations

import signal
import socket
import threading

from rclpy.task import Future

from racecar.signals import end_process, ExitCode, Interruption, STOPS

# Whoever asked to stop waits so long for the end of the construction, which may compile [s].
_PATIENCE = 2.0


class Interrupted:
    """Turns SIGINT and SIGTERM into the result of a future, between two callbacks.

    rclpy's handlers would take the context away from under a callback that publishes, Python's
    would raise KeyboardInterrupt anywhere, also in C++ code that cannot pass it on. And as Ctrl-C
    reaches a node both directly and through launch, a second one must not abort the clean-up.
    """

    def __init__(self, exit_code: ExitCode) -> None:
        """Take over both signals in the main thread; elsewhere none ever comes.

        exit_code: of a process that is still constructing nodes long after the signal; it ends
        then.
        """
        self._number: int | None = None
        self._done: Future | None = None
        self._exit_code = exit_code
        self._constructed = threading.Event()
        self._reader, self._writer = socket.socketpair()
        self._is_main = threading.current_thread() is threading.main_thread()
        if not self._is_main:
            return
        self._writer.setblocking(False)
        # A Python handler would wait for the executor to return from C++; this does not.
        self._former_fd = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._former = {number: signal.signal(number, self._note) for number in STOPS}
        threading.Thread(target=self._wait, daemon=True).start()

    def check(self) -> None:
        """Raise Interruption if a signal has come."""
        if self._number is not None:
            raise Interruption(self._number)

    def then_end(self, done: Future) -> None:
        """Give the future a result as soon as a signal has come or comes; nodes exist now."""
        self._done = done
        self._constructed.set()
        if self._number is not None:
            self._end()

    def ignore(self) -> None:
        """Ignore both signals until the process ends."""
        self._let_go(dict.fromkeys(STOPS, signal.SIG_IGN))

    def restore(self) -> None:
        """Give the signals back to whom they were taken from."""
        if self._is_main:
            self._let_go(self._former)

    def _let_go(self, handlers: dict[signal.Signals, signal._HANDLER]) -> None:
        self._constructed.set()
        if not self._is_main:
            return
        signal.set_wakeup_fd(self._former_fd)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        self._writer.close()

    def _note(self, number: int, _: object) -> None:
        self._number = number

    def _wait(self) -> None:
        while data := self._reader.recv(1):
            if data[0] not in STOPS:
                continue
            self._number = data[0]
            if not self._constructed.wait(_PATIENCE):
                end_process(self._exit_code(data[0]))
            self._end()
        self._reader.close()

    def _end(self) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_result(None)
