# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a rectangle touches what it overlaps with, and how much room there is around it.

Rectangles by the axis of least overlap, the point from the side of one cut to the other, as
physics engines do it (Catto, Iterative dynamics with temporal coherence, 2005). In a map the
normal is that of the wall around: cells of a wall that runs across the axes are steps, which would
catch a car.
"""

from __future__ import annotations

import math

from racecar.base.compiled import pure, routine
from racecar.base.elementary import arctangent2, sine_cosine
from racecar.base.touch import NO_TOUCH, Touch
from racecar.scene.distance_field import MARGIN, WALL
from racecar.scene.grid_map import GridNumbers
from racecar.scene.overlaps import in_grid, meets_box, Rectangle
from racecar.scene.scene import Rows
from racecar.scene.surroundings import grid_of, part_of, Surroundings

# How far around a touch the wall of a map decides about its normal [cells].
_AROUND = 3
# Depth that a touch with a map is given, where the cells say little about it [m].
_GRID_DEPTH = 1e-3
# A wall is one for the normal if its cells lie so much more along it than across [-].
_LONG = 1.2


@pure
def _sign(number: float) -> float:
    return math.copysign(1.0, number)


@pure
def _face_touch(face: Rectangle, other: Rectangle, across: bool) -> Touch:
    """Touch of a side of a rectangle, front or rear or across that, with the other rectangle."""
    dx, dy = other.x - face.x, other.y - face.y
    # In axes of which the first is the normal of the side.
    c, s = (-face.sine, face.cosine) if across else (face.cosine, face.sine)
    depth_of, reach = (face.width, face.length) if across else (face.length, face.width)
    away, aside = dx * c + dy * s, dy * c - dx * s
    turn_c, turn_s = other.cosine * c + other.sine * s, other.sine * c - other.cosine * s
    side = _sign(away)
    # The side of the other one that looks most against the normal: its middle, half of it.
    if abs(turn_c) >= abs(turn_s):
        back = -side * _sign(turn_c) * other.length
        mx, my = away + back * turn_c, aside + back * turn_s
        hx, hy = -other.width * turn_s, other.width * turn_c
    else:
        back = side * _sign(turn_s) * other.width
        mx, my = away - back * turn_s, aside + back * turn_c
        hx, hy = other.length * turn_c, other.length * turn_s
    # Ends of that side, cut to the width of this one: shares of the half.
    low, high = -1.0, 1.0
    if abs(hy) > 1e-12:
        one, two = (-reach - my) / hy, (reach - my) / hy
        low, high = max(low, min(one, two)), min(high, max(one, two))
    low, high = (low, high) if low <= high else (0.0, 0.0)
    deep_low = depth_of - side * (mx + low * hx)
    deep_high = depth_of - side * (mx + high * hx)
    if deep_low < 0.0 or deep_high < 0.0:
        at = low if deep_low >= deep_high else high
    else:
        at = 0.5 * (low + high)
    px, py = mx + at * hx, my + at * hy
    return Touch(face.x + px * c - py * s, face.y + px * s + py * c, side * c, side * s,
                 max(deep_low, deep_high))


@routine
def rectangles_touch(one: Rectangle, other: Rectangle) -> Touch:
    """Where two rectangles touch, the normal from the first to the second."""
    dx, dy = other.x - one.x, other.y - one.y
    along, across = dx * one.cosine + dy * one.sine, dy * one.cosine - dx * one.sine
    behind, beside = dx * other.cosine + dy * other.sine, dy * other.cosine - dx * other.sine
    c = abs(one.cosine * other.cosine + one.sine * other.sine)
    s = abs(one.cosine * other.sine - one.sine * other.cosine)
    first = one.length + other.length * c + other.width * s - abs(along)
    second = one.width + other.length * s + other.width * c - abs(across)
    third = other.length + one.length * c + one.width * s - abs(behind)
    fourth = other.width + one.length * s + one.width * c - abs(beside)
    depth = min(min(first, second), min(third, fourth))
    if depth <= 0.0:
        return NO_TOUCH
    if depth >= min(first, second):
        found = _face_touch(one, other, depth != first)
        return Touch(found.x, found.y, found.nx, found.ny, depth)
    found = _face_touch(other, one, depth != third)
    return Touch(found.x, found.y, -found.nx, -found.ny, depth)


@pure
def disc_touch(place: Rectangle, x: float, y: float, radius: float) -> Touch:
    """Where a rectangle touches a disc."""
    dx, dy = x - place.x, y - place.y
    along, across = dx * place.cosine + dy * place.sine, dy * place.cosine - dx * place.sine
    px = min(max(along, -place.length), place.length)
    py = min(max(across, -place.width), place.width)
    gap = math.sqrt((along - px) * (along - px) + (across - py) * (across - py))
    if gap >= radius:
        return NO_TOUCH
    if gap > 0.0:
        nx, ny, depth = (along - px) / gap, (across - py) / gap, radius - gap
    elif place.length - abs(along) < place.width - abs(across):
        nx, ny, depth = _sign(along), 0.0, radius + place.length - abs(along)
    else:
        nx, ny, depth = 0.0, _sign(across), radius + place.width - abs(across)
    c, s = place.cosine, place.sine
    return Touch(place.x + px * c - py * s, place.y + px * s + py * c, nx * c - ny * s,
                 nx * s + ny * c, depth)


@pure
def _deeper(one: Touch, other: Touch) -> Touch:
    return other if other.depth > one.depth else one


@pure
def _wall_of(walls: Rows, row: int) -> Rectangle:
    """A wall as a rectangle of no width."""
    dx, dy = walls[row, 2] - walls[row, 0], walls[row, 3] - walls[row, 1]
    length = math.sqrt(dx * dx + dy * dy)
    c, s = (dx / length, dy / length) if length > 0.0 else (1.0, 0.0)
    return Rectangle(walls[row, 0] + 0.5 * dx, walls[row, 1] + 0.5 * dy, c, s, 0.5 * length, 0.0)


@pure
def _box_of(boxes: Rows, row: int) -> Rectangle:
    return Rectangle(boxes[row, 0], boxes[row, 1], boxes[row, 2], boxes[row, 3], boxes[row, 4],
                     boxes[row, 5])


@pure
def _is_wall(grid: GridNumbers, row: int, column: int) -> bool:
    """Whether a cell is a wall; what is beyond the grid is none."""
    columns, rows = grid.stride - 2 * MARGIN, len(grid.room) // grid.stride - 2 * MARGIN
    return (0 <= row < rows and 0 <= column < columns
            and grid.room[(row + MARGIN) * grid.stride + column + MARGIN] == WALL)


@routine
def _wall_direction(grid: GridNumbers, along: float, across: float) -> tuple[float, float]:
    """Cosine and sine of the direction of the wall around a point of a grid [m]; 0, 0 for none."""
    row, column = math.floor(across * grid.scale), math.floor(along * grid.scale)
    count, x, y, xx, xy, yy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(-_AROUND, _AROUND + 1):
        for i in range(-_AROUND, _AROUND + 1):
            if i * i + j * j <= _AROUND * _AROUND + 1 and _is_wall(grid, row + j, column + i):
                count += 1.0
                x, y = x + i, y + j
                xx, xy, yy = xx + i * i, xy + i * j, yy + j * j
    if count < 2.0:
        return 0.0, 0.0
    xx, xy, yy = xx - x * x / count, xy - x * y / count, yy - y * y / count
    # Moments about the longest and the shortest axis.
    middle, spread = 0.5 * (xx + yy), math.sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy)
    if middle + spread < _LONG * (middle - spread):
        return 0.0, 0.0
    sine, cosine = sine_cosine(0.5 * arctangent2(2.0 * xy, xx - yy))
    return cosine, sine


@routine
def _grid_touch(grid: GridNumbers, place: Rectangle) -> Touch:
    """Where a rectangle touches the walls of a grid."""
    if grid.length == 0.0:
        return NO_TOUCH
    length, width, scale = place.length, place.width, grid.scale
    along, across, c, s = in_grid(grid, place)
    reach_x, reach_y = length * abs(c) + width * abs(s), length * abs(s) + width * abs(c)
    half, count, x, y = 0.5 / scale, 0.0, 0.0, 0.0
    for row in range(math.floor((across - reach_y) * scale),
                     math.floor((across + reach_y) * scale) + 1):
        for column in range(math.floor((along - reach_x) * scale),
                            math.floor((along + reach_x) * scale) + 1):
            if _is_wall(grid, row, column):
                dx, dy = (column + 0.5) / scale - along, (row + 0.5) / scale - across
                if meets_box(Rectangle(dx * c + dy * s, dy * c - dx * s, c, -s, half, half),
                             length, width):
                    count, x, y = count + 1.0, x + dx, y + dy
    if count == 0.0:
        return NO_TOUCH
    x, y = x / count, y / count
    wall_c, wall_s = _wall_direction(grid, along + x, across + y)
    distance = math.sqrt(x * x + y * y)
    # Across the wall; without one, away from the middle of the car.
    nx, ny = (x / distance, y / distance) if distance > 0.0 else (c, s)
    if wall_c != 0.0 or wall_s != 0.0:
        side = _sign(-wall_s * x + wall_c * y)
        nx, ny = -side * wall_s, side * wall_c
    return Touch(
        place.x + x * grid.cosine - y * grid.sine, place.y + x * grid.sine + y * grid.cosine,
        nx * grid.cosine - ny * grid.sine, nx * grid.sine + ny * grid.cosine, _GRID_DEPTH)


@routine
def scene_touch(around: Surroundings, scene: int, place: Rectangle) -> Touch:
    """Where a rectangle is deepest in something of a scene, the normal towards that."""
    walls, boxes = part_of(around.walls, around, scene, 0), part_of(around.boxes, around, scene, 2)
    feet, found = part_of(around.feet, around, scene, 4), NO_TOUCH
    for row in range(len(walls)):
        found = _deeper(found, rectangles_touch(place, _wall_of(walls, row)))
    for row in range(len(boxes)):
        found = _deeper(found, rectangles_touch(place, _box_of(boxes, row)))
    for row in range(len(feet)):
        found = _deeper(found, disc_touch(place, feet[row, 0], feet[row, 1], feet[row, 2]))
    return _deeper(found, _grid_touch(grid_of(around, scene), place))


@pure
def _gap_to_wall(walls: Rows, row: int, x: float, y: float) -> float:
    """Distance from a point to a wall [m]."""
    x1, y1 = walls[row, 0] - x, walls[row, 1] - y
    dx, dy = walls[row, 2] - walls[row, 0], walls[row, 3] - walls[row, 1]
    square = dx * dx + dy * dy
    share = min(max(-(x1 * dx + y1 * dy) / square, 0.0), 1.0) if square > 0.0 else 0.0
    px, py = x1 + share * dx, y1 + share * dy
    return math.sqrt(px * px + py * py)


@routine
def clearance(around: Surroundings, scene: int, place: Rectangle) -> float:
    """How far a rectangle may go, and turn, without meeting anything of a scene, at least [m].

    0 or less says nothing.
    """
    walls, boxes = part_of(around.walls, around, scene, 0), part_of(around.boxes, around, scene, 2)
    feet, free = part_of(around.feet, around, scene, 4), math.inf
    for row in range(len(walls)):
        free = min(free, _gap_to_wall(walls, row, place.x, place.y))
    for row in range(len(boxes)):
        half = math.sqrt(boxes[row, 4] * boxes[row, 4] + boxes[row, 5] * boxes[row, 5])
        dx, dy = boxes[row, 0] - place.x, boxes[row, 1] - place.y
        free = min(free, math.sqrt(dx * dx + dy * dy) - half)
    for row in range(len(feet)):
        dx, dy = feet[row, 0] - place.x, feet[row, 1] - place.y
        free = min(free, math.sqrt(dx * dx + dy * dy) - feet[row, 2])
    free = min(free, _gap_to_grid(grid_of(around, scene), place.x, place.y))
    return free - math.sqrt(place.length * place.length + place.width * place.width)


@pure
def _gap_to_grid(grid: GridNumbers, x: float, y: float) -> float:
    """Distance from a point to the walls of a grid [m], at least; 0 if that is not known."""
    if grid.length == 0.0:
        return math.inf
    px, py = x - grid.x, y - grid.y
    along, across = px * grid.cosine + py * grid.sine, py * grid.cosine - px * grid.sine
    if 0.0 <= along < grid.length and 0.0 <= across < grid.width:
        room = grid.room[int(across * grid.scale + MARGIN) * grid.stride
                         + int(along * grid.scale + MARGIN)]
        return max(float(room), 0.0) / grid.scale
    return 0.0
