# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What each of several robots sees of all that can move, made once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import itertools

from racecar.scene.scene import Box, Objects


class SeenByEach:
    """What sensors of each of several robots see of all that can move, made once for all."""

    def __init__(self, look: Callable[[], tuple[Objects, Sequence[Sequence[Box]]]]) -> None:
        """look: gives what is loose, and the boxes of each robot."""
        self._look = look
        self._seen: list[Objects] = []

    def forget(self) -> None:
        """Note that something has moved."""
        self._seen = []

    def of(self, own: int) -> Objects:
        """What a robot sees: all but its own boxes."""
        if not self._seen:
            loose, boxes = self._look()
            self._seen = Objects(
                loose.cones, (*loose.boxes, *itertools.chain.from_iterable(boxes)),
                loose.cylinders).around_each([len(loose.boxes), *map(len, boxes)])[1:]
        return self._seen[own]
