# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What each of several robots sees of all that can move, made once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import itertools
from typing import NamedTuple

from racecar.scene.scene import Box, Objects


class Among(NamedTuple):
    """What can move around one of several robots, itself included.

    things: of all robots, one and the same as long as nothing has moved. first, after: its own
    boxes are those from the first to before another one.
    """

    things: Objects
    first: int
    after: int


class SeenByEach:
    """What sensors of each of several robots see of all that can move, made once for all."""

    def __init__(self, look: Callable[[], tuple[Objects, Sequence[Sequence[Box]]]]) -> None:
        """look: gives what is loose, and the boxes of each robot."""
        self._look = look
        self._among: list[Among] = []
        self._seen: list[Objects] = []

    def forget(self) -> None:
        """Note that something has moved."""
        self._among, self._seen = [], []

    def among(self, own: int) -> Among:
        """All that can move, and which of it is a robot itself."""
        if not self._among:
            loose, boxes = self._look()
            things = Objects(
                loose.cones, (*loose.boxes, *itertools.chain.from_iterable(boxes)),
                loose.cylinders)
            first = len(loose.boxes)
            for mine in boxes:
                self._among.append(Among(things, first, first + len(mine)))
                first += len(mine)
        return self._among[own]

    def of(self, own: int) -> Objects:
        """What a robot sees: all but its own boxes."""
        if not self._seen:
            things, loose, _ = self.among(0)
            self._seen = things.around_each(
                [loose, *(among.after - among.first for among in self._among)])[1:]
        return self._seen[own]
