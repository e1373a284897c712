# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A renderer in a process of its own: pictures never hold up what asks for them.

It also keeps a driver that ends its process from ending the simulation. The process ends when the
one that started it does, however that ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from multiprocessing.connection import Connection
import os
import pickle
from queue import SimpleQueue
import signal
import socket
import subprocess
import sys
import threading
from typing import NamedTuple
import weakref

import numpy as np

from racecar.base.errors import ConfigurationError, RacecarError, RenderingError
from racecar.base.starting import child_code
from racecar.base.types import Pose3
from racecar.rendering.lens import Lens
from racecar.rendering.renderer import Depths, Pixels, Renderer
from racecar.rendering.sight import DrawnRobot, Quality, Sight
from racecar.scene.scene import Scene

# How often the process looks whether its parent is still there [s]: the end of the connection
# tells it at once, but for a copy of the parent that holds the connection open.
_WATCH_PERIOD = 1.0
_END_TIMEOUT = 5.0

_DRAWN, _FAILED = b'\x01', b'\x00'


class _Stage(NamedTuple):
    """What a process is told at its start."""

    scene: Scene
    robots: tuple[DrawnRobot, ...]
    quality: Quality


class _Request(NamedTuple):
    """One picture that is asked for, or the depths on it."""

    sight: Sight
    viewpoint: Pose3
    lens: Lens
    of_depths: bool = False


class DrawingProcess:
    """Draws what Renderer draws, to the byte, in another process; any thread may ask."""

    def __init__(self, scene: Scene, robots: Sequence[DrawnRobot], quality: Quality) -> None:
        """Start the process and wait until it can draw.

        Raises ConfigurationError as Renderer does.
        """
        own, other = socket.socketpair()
        with other:
            code = child_code(__name__, 'serve', other.fileno(), os.getpid())
            process = subprocess.Popen(
                [sys.executable, '-c', code], pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self._process = process
        self._connection = Connection(own.detach())
        self._lock = threading.Lock()
        self.close = weakref.finalize(self, _end, self._connection, process)
        """Ends the process; a second call does nothing."""
        try:
            self._ask(pickle.dumps(_Stage(scene, tuple(robots), quality)))
        except RenderingError as error:
            self.close()
            raise ConfigurationError(str(error)) from None

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def draw(self, sight: Sight, viewpoint: Pose3, lens: Lens) -> Pixels:
        """Picture (height, width, 3), as Renderer.draw() does.

        Raises RenderingError if the process cannot draw it or is gone.
        """
        data = self._ask(pickle.dumps(_Request(sight, viewpoint, lens)))
        return np.frombuffer(data, np.uint8, offset=1).reshape(lens.height, lens.width, 3)

    def measure(self, sight: Sight, viewpoint: Pose3, lens: Lens) -> Depths:
        """Depths (height, width), as Renderer.measure(); raises RenderingError as draw()."""
        data = self._ask(pickle.dumps(_Request(sight, viewpoint, lens, of_depths=True)))
        return np.frombuffer(data[1:], np.float32).reshape(lens.height, lens.width)

    def _ask(self, request: bytes) -> bytes:
        try:
            with self._lock:
                self._connection.send_bytes(request)
                answer = self._connection.recv_bytes()
        except (OSError, EOFError):
            raise RenderingError(
                f'the process that draws pictures ended ({self._ending()}); OpenGL may be broken'
                ' on this machine: MUJOCO_GL=osmesa draws without the graphics card') from None
        if answer[:1] != _DRAWN:
            raise RenderingError(answer[1:].decode())
        return answer

    def _ending(self) -> str:
        try:
            code = self._process.wait(_END_TIMEOUT)
        except subprocess.TimeoutExpired:
            return 'it does not answer'
        return f'signal {-code}' if code < 0 else f'exit code {code}'


class DrawingTeam:
    """Several processes that draw one scene, as many pictures at a time as there are of them.

    A context manager, at whose end they end.
    """

    def __init__(
        self, scene: Scene, robots: Sequence[DrawnRobot], quality: Quality, *, size: int,
    ) -> None:
        """size: number of processes. Raises ConfigurationError as Renderer does."""
        self.size = size
        self._idle: SimpleQueue[DrawingProcess] = SimpleQueue()
        self._members: list[DrawingProcess] = []
        try:
            for _ in range(size):
                self._members.append(DrawingProcess(scene, robots, quality))
                self._idle.put(self._members[-1])
        except ConfigurationError:
            self.close()
            raise

    def draw(self, sight: Sight, viewpoint: Pose3, lens: Lens) -> Pixels:
        """Picture (height, width, 3), by the next process that is idle; see Renderer.draw().

        Threads may ask. Raises RenderingError if the process cannot draw it or is gone.
        """
        member = self._idle.get()
        try:
            return member.draw(sight, viewpoint, lens)
        finally:
            self._idle.put(member)

    def close(self) -> None:
        """End the processes; closing twice is allowed."""
        for member in self._members:
            member.close()

    def __enter__(self) -> DrawingTeam:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _end(connection: Connection, process: subprocess.Popen[bytes]) -> None:
    connection.close()
    try:
        process.wait(_END_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def serve(handle: int, parent: int) -> None:
    """Draw what comes over a connection until it, or the parent, is gone.

    handle: file descriptor of the connection; parent: number of the process at its other end.
    """
    # Ctrl-C is for the parent, whose end is the end of this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = Connection(handle)

    def next_request() -> bytes | None:
        while not connection.poll(_WATCH_PERIOD):
            if os.getppid() != parent:
                return None
        try:
            return connection.recv_bytes()
        except (EOFError, OSError):
            return None

    start = next_request()
    if start is None:
        return
    stage: _Stage = pickle.loads(start)
    try:
        renderer = Renderer(*stage)
    except RacecarError as error:
        connection.send_bytes(_FAILED + str(error).encode())
        return
    with renderer:
        connection.send_bytes(_DRAWN)
        while (data := next_request()) is not None:
            request: _Request = pickle.loads(data)
            see = renderer.measure if request.of_depths else renderer.draw
            picture = see(request.sight, request.viewpoint, request.lens)
            try:
                connection.send_bytes(_DRAWN + picture.tobytes())
            except OSError:
                return
