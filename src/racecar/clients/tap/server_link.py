# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tap's end of the local socket to the cockpit's server, served by two threads."""

from __future__ import annotations

from collections.abc import Callable
import contextlib
import socket
import threading

from racecar.cockpit.frame_queue import FrameQueue
from racecar.cockpit.frames import FrameError
from racecar.cockpit.link import check_length, LENGTH, packed
from racecar.core.errors import ConfigurationError

_LONGEST_CLOSE = 0.5  # [s]


class ServerLink:
    """Sends frames without ever waiting, and hands on those that come.

    What the server has not taken yet is bounded as in FrameQueue.
    """

    def __init__(self, path: str) -> None:
        """Connect. Raises ConfigurationError if nobody listens there."""
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(path)
        except OSError as error:
            raise ConfigurationError(
                f'no cockpit listens on {path}: {error.strerror}; the option is for the cockpit'
                ' itself') from error
        self._queue = FrameQueue()
        self._filled = threading.Condition()
        self._is_closing = False
        self._writer = threading.Thread(target=self._write, name='tap writer', daemon=True)

    def start(self, on_frame: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        """Begin; both are called by a thread: for each frame, and once if the server goes."""
        self._writer.start()
        threading.Thread(
            target=self._read, args=(on_frame, on_end), name='tap reader', daemon=True).start()

    def send(self, frame: bytes, key: str = '') -> None:
        """Send a frame soon; key: as FrameQueue.put()."""
        with self._filled:
            self._queue.put(frame, key)
            self._filled.notify()

    def close(self) -> None:
        """Send what waits, for a moment, and close."""
        with self._filled:
            self._is_closing = True
            self._filled.notify()
        if self._writer.is_alive():
            self._writer.join(_LONGEST_CLOSE)
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _write(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                with self._filled:
                    while (frame := self._queue.take()) is None:
                        if self._is_closing:
                            return
                        self._filled.wait()
                self._socket.sendall(packed(frame))

    def _read(self, on_frame: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        with contextlib.suppress(OSError, FrameError), self._socket.makefile('rb') as stream:
            while len(head := stream.read(LENGTH.size)) == LENGTH.size:
                length = check_length(head)
                frame = stream.read(length)
                if len(frame) < length:
                    break
                on_frame(frame)
        if not self._is_closing:
            on_end()
