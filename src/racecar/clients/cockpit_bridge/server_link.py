# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The bridge's end of the local socket to the cockpit's server."""

from __future__ import annotations

from collections.abc import Callable
import contextlib
import select
import socket
import threading
import time

from racecar.base.errors import ConfigurationError
from racecar.cockpit.frame_queue import FrameQueue
from racecar.cockpit.frames import FrameError
from racecar.cockpit.link import check_length, LENGTH, packed

_LONGEST_CLOSE = 0.5  # [s]


class ServerLink:
    """Sends frames without waiting for the server, and hands on those that come, from a thread.

    Threads may send. What the server has not taken yet is bounded as in FrameQueue, and is sent
    by the next call: to wake a thread for it cost the nodes half a millisecond on a busy computer.
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
        # Of the queue, the rest and the order of bytes in the socket.
        self._sending = threading.Lock()
        self._queue = FrameQueue()
        # Of a frame that the server has taken in part.
        self._rest = memoryview(b'')
        self._is_closing = False

    def start(self, on_frame: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        """Begin; both are called by a thread: for each frame, and once if the server goes."""
        threading.Thread(
            target=self._read, args=(on_frame, on_end), name='cockpit reader', daemon=True).start()

    def send(self, frame: bytes, key: str = '') -> None:
        """Send a frame, now or at a later flush(); key: as FrameQueue.put()."""
        with self._sending:
            self._queue.put(frame, key)
            self._flush()

    def flush(self) -> bool:
        """Send what the server takes by now; return whether nothing is left.

        To be called some times a second.
        """
        with self._sending:
            return self._flush()

    def _flush(self) -> bool:
        while True:
            if not self._rest:
                frame = self._queue.take()
                if frame is None:
                    return True
                self._rest = memoryview(packed(frame))
            try:
                sent = self._socket.send(self._rest, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return False
            except OSError:
                # The server has gone, as the thread that reads says.
                sent = len(self._rest)
            self._rest = self._rest[sent:]

    def close(self) -> None:
        """Send what waits, for a moment, and close."""
        self._is_closing = True
        poll = select.poll()
        poll.register(self._socket, select.POLLOUT)
        until = time.monotonic() + _LONGEST_CLOSE
        while not self.flush() and (left := until - time.monotonic()) > 0.0:
            poll.poll(1e3 * left)
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

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
