# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a rectangle on the ground overlaps with what stands there, by separating axes."""

from __future__ import annotations

import math
from typing import Any

from racecar.base.compiled import kernel, routine
from racecar.scene.distance_field import MARGIN, WALL


@routine
def _overlaps_wall(
    x1: float, y1: float, x2: float, y2: float, length: float, width: float,
) -> bool:
    """Whether a segment meets the rectangle |x| < length, |y| < width."""
    if max(x1, x2) <= -length or min(x1, x2) >= length:
        return False
    if max(y1, y2) <= -width or min(y1, y2) >= width:
        return False
    # Across the segment, unless it is a point.
    nx, ny = y1 - y2, x2 - x1
    reach = length * abs(nx) + width * abs(ny)
    return reach == 0.0 or abs(nx * x1 + ny * y1) < reach


@routine
def _overlaps_box(
    x: float, y: float, cosine: float, sine: float, half_length: float, half_width: float,
    length: float, width: float,
) -> bool:
    """Whether a rectangle about (x, y) meets the rectangle |x| < length, |y| < width."""
    c, s = abs(cosine), abs(sine)
    if abs(x) >= length + half_length * c + half_width * s:
        return False
    if abs(y) >= width + half_length * s + half_width * c:
        return False
    if abs(x * cosine + y * sine) >= half_length + length * c + width * s:
        return False
    return abs(y * cosine - x * sine) < half_width + length * s + width * c


@routine
def _overlaps_grid(
    room: Any, stride: int, scale: float, origin_x: float, origin_y: float, origin_cosine: float,
    origin_sine: float, grid_length: float, grid_width: float, x: float, y: float, cosine: float,
    sine: float, length: float, width: float,
) -> bool:
    """Whether the rectangle about (x, y), of this cosine and sine, meets a wall of a grid."""
    px, py = x - origin_x, y - origin_y
    along, across = px * origin_cosine + py * origin_sine, py * origin_cosine - px * origin_sine
    c = cosine * origin_cosine + sine * origin_sine
    s = sine * origin_cosine - cosine * origin_sine
    if 0.0 <= along < grid_length and 0.0 <= across < grid_width:
        free = room[int(across * scale + MARGIN) * stride + int(along * scale + MARGIN)]
        if free >= 0.0 and free * free > (length * length + width * width) * scale * scale:
            return False
    reach_x, reach_y = length * abs(c) + width * abs(s), length * abs(s) + width * abs(c)
    columns = stride - 2 * MARGIN
    rows = len(room) // stride - 2 * MARGIN
    half = 0.5 / scale
    for row in range(max(math.floor((across - reach_y) * scale), 0),
                     min(math.floor((across + reach_y) * scale), rows - 1) + 1):
        for column in range(max(math.floor((along - reach_x) * scale), 0),
                            min(math.floor((along + reach_x) * scale), columns - 1) + 1):
            if room[(row + MARGIN) * stride + column + MARGIN] != WALL:
                continue
            dx, dy = (column + 0.5) / scale - along, (row + 0.5) / scale - across
            # In the rectangle's own axes the cell is turned the other way.
            if _overlaps_box(
                    dx * c + dy * s, dy * c - dx * s, c, -s, half, half, length, width):
                return True
    return False


@kernel
def overlaps(
    walls: Any, boxes: Any, cones: Any, room: Any, stride: int, scale: float, origin_x: float,
    origin_y: float, origin_cosine: float, origin_sine: float, grid_length: float,
    grid_width: float, x: float, y: float, cosine: float, sine: float, length: float,
    width: float,
) -> bool:
    """Whether a rectangle overlaps with anything; to touch is not to overlap.

    walls, boxes, cones: rows of numbers as Scene gives them, of any height; the fields of
    GridNumbers; x, y, cosine, sine: middle and heading of the rectangle; length, width: half of
    them [m].
    """
    reach = length + width
    for row in range(len(walls)):
        x1, y1 = walls[row, 0] - x, walls[row, 1] - y
        x2, y2 = walls[row, 2] - x, walls[row, 3] - y
        if (max(x1, x2) > -reach and min(x1, x2) < reach
                and max(y1, y2) > -reach and min(y1, y2) < reach
                and _overlaps_wall(
                    x1 * cosine + y1 * sine, y1 * cosine - x1 * sine, x2 * cosine + y2 * sine,
                    y2 * cosine - x2 * sine, length, width)):
            return True
    for row in range(len(boxes)):
        dx, dy = boxes[row, 0] - x, boxes[row, 1] - y
        c, s = boxes[row, 2], boxes[row, 3]
        if _overlaps_box(
                dx * cosine + dy * sine, dy * cosine - dx * sine, c * cosine + s * sine,
                s * cosine - c * sine, boxes[row, 4], boxes[row, 5], length, width):
            return True
    for row in range(len(cones)):
        dx, dy = cones[row, 0] - x, cones[row, 1] - y
        along, across = dx * cosine + dy * sine, dy * cosine - dx * sine
        # From the nearest point of the rectangle.
        gap_x, gap_y = max(abs(along) - length, 0.0), max(abs(across) - width, 0.0)
        if gap_x * gap_x + gap_y * gap_y < cones[row, 2] * cones[row, 2]:
            return True
    if grid_length > 0.0:
        return _overlaps_grid(
            room, stride, scale, origin_x, origin_y, origin_cosine, origin_sine, grid_length,
            grid_width, x, y, cosine, sine, length, width)
    return False
