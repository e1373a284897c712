# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A scene: what stands still around the robots of a plant, in the frame `map`.

Each plant and sensor makes of it what it needs, such as line segments or the bodies of a physics
engine.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Wall(NamedTuple):
    """An upright wall without thickness from (x1, y1) to (x2, y2); height above the ground [m]."""

    x1: float
    y1: float
    x2: float
    y2: float
    height: float = math.inf


class Box(NamedTuple):
    """A box on the ground: centre x, y [m], yaw [rad]; length (along x), width, height [m]."""

    x: float
    y: float
    yaw: float
    length: float
    width: float
    height: float

    @property
    def sides(self) -> tuple[Wall, ...]:
        """Its four upright sides, counter-clockwise."""
        cosine, sine = math.cos(self.yaw), math.sin(self.yaw)
        corners = [
            (self.x + along * cosine - across * sine, self.y + along * sine + across * cosine)
            for along, across in (
                (0.5 * self.length, -0.5 * self.width), (0.5 * self.length, 0.5 * self.width),
                (-0.5 * self.length, 0.5 * self.width), (-0.5 * self.length, -0.5 * self.width))]
        return tuple(
            Wall(*start, *end, self.height)
            for start, end in zip(corners, (*corners[1:], corners[0]), strict=True))


class Scene(NamedTuple):
    """Walls and boxes."""

    walls: tuple[Wall, ...] = ()
    boxes: tuple[Box, ...] = ()

    @property
    def surfaces(self) -> tuple[Wall, ...]:
        """All that is upright: the walls and the sides of the boxes."""
        return (*self.walls, *(side for box in self.boxes for side in box.sides))


EMPTY_SCENE = Scene()
