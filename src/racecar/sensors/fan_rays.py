# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A level fan of rays from one point against upright things: which rays each of them meets.

What stands upright covers a run of neighbouring rays, so it costs only these, and ranges are
exact. All is in the frame of the fan; its rays are at first + i * increment [rad], in increasing
order, through at most a full turn.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from racecar.base.columns import Array
from racecar.base.compiled import kernel, routine
from racecar.base.elementary import arctangent2, quotient
from racecar.scene.distance_field import MARGIN
from racecar.scene.grid_map import GridNumbers
from racecar.scene.scene import Rows
from racecar.sensors.grid_rays import march, MarchFrom
from racecar.sensors.standing import Standing

_TURN = 2.0 * math.pi
# Beyond the ends of a run [rad], so that no ray passes between two walls that touch.
_OVERLAP = 1e-9
# So near the edge of a grid a fan counts as outside [cells].
_EDGE = 1e-3
# Nearer than this the sensor touches a wall [m].
_TOUCH = 1e-9
# Against rounding, where boxes out of reach are not looked at [m].
_SLACK = 1e-3


class Fan(NamedTuple):
    """Rays of a fan, at first + i * increment [rad].

    reach: how far they go [m], for what is further away altogether; size: how many there are;
    cosines, sines: of their angles, and limits: of each ray [m], up to a whole number of blocks of
    march().
    """

    first: float
    increment: float
    size: int
    reach: float
    cosines: Array
    sines: Array
    limits: Array


class FanPlace(NamedTuple):
    """Where a level fan is in the map [m]; cosine, sine: of the angle that it is turned by."""

    x: float
    y: float
    z: float
    cosine: float
    sine: float


@routine
def see_segment(
    x1: float, y1: float, x2: float, y2: float, fan: Fan, ranges: Array,
) -> None:
    """Lower ranges [m] where rays meet the segment from (x1, y1) to (x2, y2) [m]."""
    first, increment, count = fan.first, fan.increment, fan.size
    cosines, sines = fan.cosines, fan.sines
    ex, ey = x2 - x1, y2 - y1
    square = ex * ex + ey * ey
    share = -(x1 * ex + y1 * ey) / square if square > 0.0 else 0.0
    share = min(max(share, 0.0), 1.0)
    near = math.hypot(x1 + share * ex, y1 + share * ey)
    if near > fan.reach:
        return
    far = max(math.hypot(x1, y1), math.hypot(x2, y2))
    start = arctangent2(y1, x1)
    width = arctangent2(y2, x2) - start
    width = width - _TURN if width > math.pi else width
    width = width + _TURN if width < -math.pi else width
    if width < 0.0:
        start, width = start + width, -width
    cross = x1 * ey - y1 * ex
    if near < _TOUCH:
        # To which side it is cannot be told.
        start, width = -_TURN, 2.0 * _TURN
        cross = 0.0
    for turn in range(-1, 2):
        begin = (start + turn * _TURN - _OVERLAP - first) / increment
        end = (start + turn * _TURN + width + _OVERLAP - first) / increment
        low, high = max(math.ceil(max(begin, -1.0)), 0), min(
            math.floor(min(end, float(count))), count - 1)
        for i in range(low, high + 1):
            # The line's point on the ray; of a segment seen end on, its nearer end.
            distance = quotient(cross, cosines[i] * ey - sines[i] * ex)
            distance = distance if distance > near else near
            distance = distance if distance < far else far
            ranges[i] = distance if distance < ranges[i] else ranges[i]


@routine
def see_circle(x: float, y: float, radius: float, fan: Fan, ranges: Array) -> None:
    """Lower ranges [m] where rays meet a circle about (x, y) [m]; 0 for a sensor inside."""
    first, increment, count = fan.first, fan.increment, fan.size
    cosines, sines = fan.cosines, fan.sines
    square = x * x + y * y
    gap = square - radius * radius
    if gap > fan.reach * (fan.reach + 2.0 * radius):
        return
    if gap <= 0.0:
        for i in range(count):
            ranges[i] = 0.0
        return
    half = arctangent2(radius, math.sqrt(gap))
    middle = arctangent2(y, x)
    for turn in range(-1, 2):
        begin = (middle + turn * _TURN - half - first) / increment
        end = (middle + turn * _TURN + half - first) / increment
        low, high = max(math.ceil(max(begin, -1.0)), 0), min(
            math.floor(min(end, float(count))), count - 1)
        for i in range(low, high + 1):
            along = x * cosines[i] + y * sines[i]
            depth = along * along - gap
            distance = along - math.sqrt(depth if depth > 0.0 else 0.0)
            ranges[i] = distance if distance < ranges[i] else ranges[i]


@routine
def _see_box(
    x: float, y: float, along: tuple[float, float], across: tuple[float, float], fan: Fan,
    ranges: Array,
) -> None:
    """Lower ranges [m] where rays meet a box about (x, y) [m]; 0 for a sensor inside.

    along, across: from its centre to the middle of its front and of its left side [m].
    """
    along_x, along_y = along
    across_x, across_y = across
    hidden = 0
    for side in range(4):
        # Front right, front left, rear left, rear right, front right.
        u1 = 1.0 if side == 0 or side == 1 else -1.0
        v1 = 1.0 if side == 1 or side == 2 else -1.0
        u2 = 1.0 if side == 3 or side == 0 else -1.0
        v2 = 1.0 if side == 0 or side == 1 else -1.0
        x1, y1 = x + u1 * along_x + v1 * across_x, y + u1 * along_y + v1 * across_y
        x2, y2 = x + u2 * along_x + v2 * across_x, y + u2 * along_y + v2 * across_y
        if x1 * (y2 - y1) - y1 * (x2 - x1) > 0.0:
            # It is seen from within only.
            hidden += 1
        else:
            see_segment(x1, y1, x2, y2, fan, ranges)
    if hidden == 4:
        for i in range(fan.size):
            ranges[i] = 0.0


@routine
def _see_boxes(boxes: Array, place: FanPlace, fan: Fan, ranges: Array) -> None:
    """Lower ranges [m] to boxes, rows of numbers as Scene and Objects give them."""
    cosine, sine = place.cosine, place.sine
    for row in range(len(boxes)):
        if boxes[row, 6] >= place.z:
            dx, dy = boxes[row, 0] - place.x, boxes[row, 1] - place.y
            length, width = boxes[row, 4], boxes[row, 5]
            # Most of many cars are out of reach altogether.
            gap = fan.reach + length + width + _SLACK
            if dx * dx + dy * dy > gap * gap:
                continue
            c, s = boxes[row, 2], boxes[row, 3]
            turn_x, turn_y = c * cosine + s * sine, s * cosine - c * sine
            _see_box(
                dx * cosine + dy * sine, dy * cosine - dx * sine,
                (length * turn_x, length * turn_y), (-width * turn_y, width * turn_x), fan, ranges)


@routine
def see_all(standing: Standing, place: FanPlace, fan: Fan, ranges: Array) -> None:
    """Lower ranges [m] to what stands around."""
    walls, cones = standing.walls, standing.cones
    x, y, z, cosine, sine = place.x, place.y, place.z, place.cosine, place.sine
    for row in range(len(walls)):
        if walls[row, 4] >= z:
            x1, y1 = walls[row, 0] - x, walls[row, 1] - y
            x2, y2 = walls[row, 2] - x, walls[row, 3] - y
            see_segment(
                x1 * cosine + y1 * sine, y1 * cosine - x1 * sine,
                x2 * cosine + y2 * sine, y2 * cosine - x2 * sine, fan, ranges)
    _see_boxes(standing.fixed, place, fan, ranges)
    _see_boxes(standing.loose, place, fan, ranges)
    for row in range(len(cones)):
        radius = cones[row, 2] * (1.0 - z / cones[row, 3])
        if radius > 0.0 and z <= cones[row, 4]:
            dx, dy = cones[row, 0] - x, cones[row, 1] - y
            see_circle(
                dx * cosine + dy * sine, dy * cosine - dx * sine, radius, fan, ranges)


@kernel
def look_level(
    standing: tuple[Rows, Rows, Rows, Rows], grid: tuple[Any, ...],
    place: tuple[float, float, float, float, float], fan: tuple[Any, ...], ways: Array,
) -> bool:
    """Write how far each ray goes [m], infinity for what is out of reach.

    standing, grid, place, fan: the fields of Standing, GridNumbers, FanPlace and Fan as plain
    tuples: of named ones Numba takes 10 us to see of which types they are. Returns False, having
    done nothing, if the fan is outside the grid.
    """
    return look_from(
        Standing(*standing), GridNumbers(*grid), FanPlace(*place), Fan(*fan), ways)


@routine
def look_from(
    standing: Standing, grid: GridNumbers, place: FanPlace, fan: Fan, ways: Array,
) -> bool:
    """Do what look_level() does, for compiled callers."""
    px, py = place.x - grid.x, place.y - grid.y
    # In cells, as rounding may put into the margin what is just within.
    along = (px * grid.cosine + py * grid.sine) * grid.scale
    across = (py * grid.cosine - px * grid.sine) * grid.scale
    has_grid = grid.length > 0.0
    columns, rows = grid.stride - 2 * MARGIN, len(grid.room) // grid.stride - 2 * MARGIN
    if has_grid and not (
            _EDGE < along < columns - _EDGE and _EDGE < across < rows - _EDGE):
        return False
    for i in range(len(ways)):
        ways[i] = math.inf
    see_all(standing, place, fan, ways)
    if has_grid:
        start = MarchFrom(
            along, across, place.cosine * grid.cosine + place.sine * grid.sine,
            place.sine * grid.cosine - place.cosine * grid.sine, 0.0)
        march(grid, start, (fan.cosines, fan.sines), (fan.cosines[:0], fan.cosines[:0]),
              fan.limits, ways)
    return True
