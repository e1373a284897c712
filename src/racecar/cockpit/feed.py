# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a cockpit shows: the interface between the server and a simulation, a bag or a run.

A frame is one message to a page as it goes over the WebSocket: binary if its first byte is one of
the kinds in racecar.cockpit.frames, JSON text if it begins with a brace.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, ClassVar, Protocol

Message = Mapping[str, Any]
"""What a page sent, checked by racecar.cockpit.page_messages: `type` and the fields of that."""


class Outlet(Protocol):
    """Where a feed puts its frames; none of this waits, and all of it is for the server's loop.

    A viewer is the number of a page that is connected; numbers are not used twice.
    """

    def publish(self, frame: bytes) -> None:
        """Give a frame to all viewers.

        Meshes stay with the server. The last frame of each kind that describes something (robot,
        scene, path, map, session, parameters, muxes, ...) is also given to those who come later.
        """

    def keep(self, frame: bytes) -> None:
        """Give a frame only to those who come later: the others know it by pieces."""

    def tell(self, viewer: int, frame: bytes) -> None:
        """Give a frame to one viewer; nothing if that has left."""

    def forget(self) -> None:
        """Drop what is kept for those who come later, meshes too: something else is shown now."""


class RecordingFiles(Protocol):
    """What was recorded, by number, for pages that fetch it."""

    async def file(self, number: int, kind: str) -> tuple[Path, str]:
        """File of a recording, and its name for people; kind: report, csv or bag.

        Raises RacecarError if there is none.
        """

    async def replay(self, number: int, host: str) -> str:
        """Address of a page that replays a recording. Raises RacecarError if there is none."""


class Feed(ABC):
    """A source of frames that takes what pages ask for.

    takes: the types of messages that ask() accepts; the server refuses others.
    """

    takes: ClassVar[Collection[str]] = ()
    report: Path | None = None
    """The HTML report of the run, which the server gives as /report."""
    recordings: RecordingFiles | None = None
    """What the server gives as /recordings/NUMBER/KIND; None where nothing can be recorded."""

    @property
    @abstractmethod
    def welcome(self) -> Mapping[str, object]:
        """What the first message to a page says: `mode`, and `configurations` to choose from."""

    @abstractmethod
    async def run(self, outlet: Outlet) -> None:
        """Give frames until cancelled; to return early ends the server.

        What was started ends with it. Raises RacecarError, with which the command then ends.
        """

    async def ask(self, viewer: int, message: Message) -> None:
        """Handle a request of a page; a RacecarError that this raises answers the page.

        Messages of one viewer come in order, each after the one before has been dealt with.
        """
        raise NotImplementedError(f"message '{message['type']}' is accepted, but not dealt with")

    def joined(self, viewer: int) -> None:  # noqa: B027
        """Greet a viewer that has been given what is kept."""

    def left(self, viewer: int) -> None:  # noqa: B027
        """Let go of what a viewer held."""

    def want_pictures(self, wanted: bool) -> None:  # noqa: B027
        """Note whether any viewer wants pictures of the camera."""
