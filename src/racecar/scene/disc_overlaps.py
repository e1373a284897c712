# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a disc on the ground overlaps with what stands there, by the nearest points."""

from __future__ import annotations

import math
from typing import Any

from racecar.base.compiled import kernel, routine
from racecar.scene.distance_field import MARGIN, WALL


@routine
def _meets_box(x: float, y: float, half_length: float, half_width: float, radius: float) -> bool:
    """Whether the point (x, y) is nearer than the radius to the rectangle about 0."""
    gap_x, gap_y = max(abs(x) - half_length, 0.0), max(abs(y) - half_width, 0.0)
    return gap_x * gap_x + gap_y * gap_y < radius * radius


@kernel
def disc_overlaps(
    walls: Any, boxes: Any, cones: Any, room: Any, stride: int, scale: float, origin_x: float,
    origin_y: float, origin_cosine: float, origin_sine: float, grid_length: float,
    grid_width: float, x: float, y: float, radius: float,
) -> bool:
    """Whether a disc overlaps with anything; to touch is not to overlap.

    What stands around is given as to racecar.scene.overlaps.overlaps(); x, y, radius: of the
    disc [m].
    """
    for row in range(len(walls)):
        x1, y1 = walls[row, 0] - x, walls[row, 1] - y
        dx, dy = walls[row, 2] - walls[row, 0], walls[row, 3] - walls[row, 1]
        square = dx * dx + dy * dy
        share = min(max(-(x1 * dx + y1 * dy) / square, 0.0), 1.0) if square > 0.0 else 0.0
        px, py = x1 + share * dx, y1 + share * dy
        if px * px + py * py < radius * radius:
            return True
    for row in range(len(boxes)):
        dx, dy = x - boxes[row, 0], y - boxes[row, 1]
        c, s = boxes[row, 2], boxes[row, 3]
        if _meets_box(dx * c + dy * s, dy * c - dx * s, boxes[row, 4], boxes[row, 5], radius):
            return True
    for row in range(len(cones)):
        dx, dy = cones[row, 0] - x, cones[row, 1] - y
        reach = cones[row, 2] + radius
        if dx * dx + dy * dy < reach * reach:
            return True
    if grid_length == 0.0:
        return False
    dx, dy = x - origin_x, y - origin_y
    along, across = dx * origin_cosine + dy * origin_sine, dy * origin_cosine - dx * origin_sine
    rows, columns = len(room) // stride - 2 * MARGIN, stride - 2 * MARGIN
    half = 0.5 / scale
    for row in range(max(math.floor((across - radius) * scale), 0),
                     min(math.floor((across + radius) * scale), rows - 1) + 1):
        for column in range(max(math.floor((along - radius) * scale), 0),
                            min(math.floor((along + radius) * scale), columns - 1) + 1):
            if room[(row + MARGIN) * stride + column + MARGIN] == WALL and _meets_box(
                    along - (column + 0.5) / scale, across - (row + 0.5) / scale, half, half,
                    radius):
                return True
    return False
