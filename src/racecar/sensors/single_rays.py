# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rays from points and in directions of their own: of a sensor that is tilted, or moves meanwhile.

Ray i goes through (x, y, z) + t (dx, dy, slope) with a unit vector (dx, dy), so t is what it has
come over ground [m]. Every ray is tried with everything: slower than a fan, and as exact.
"""

from __future__ import annotations

import math
from typing import Any

from racecar.base.compiled import njit


@njit
def send_rays(
    cosines: Any, sines: Any, ages: Any, place: Any, matrix: Any, twist: Any, x: Any, y: Any,
    z: Any, dx: Any, dy: Any, slopes: Any, shares: Any, least_share: float,
) -> None:
    """Write where rays in the x-y plane of a sensor begin and go, which moves meanwhile.

    cosines, sines: of their angles; ages: how long before the time of the pose they go out [s];
    place, matrix: pose of the sensor in the map, (3,) and (9,) row by row; twist: of the sensor in
    its own axes, (6,), which is held: before its time the pose is exp(-age twist) away (Lynch and
    Park, Modern Robotics, 2017, section 3.3). shares: of a ray's length that goes over ground, at
    least least_share.
    """
    for i in range(len(cosines)):
        age = ages[i]
        wx, wy, wz = -age * twist[3], -age * twist[4], -age * twist[5]
        vx, vy, vz = -age * twist[0], -age * twist[1], -age * twist[2]
        square = wx * wx + wy * wy + wz * wz
        angle = math.sqrt(square)
        first, second, third = 1.0, 0.5, 1.0 / 6.0
        if angle > 1e-4:
            first = math.sin(angle) / angle
            second = (1.0 - math.cos(angle)) / square
            third = (1.0 - first) / square
        # exp(w) of the direction and the place on the way, both by w x and w x w x.
        ux, uy = cosines[i], sines[i]
        ax, ay, az = -wz * uy, wz * ux, wx * uy - wy * ux
        bx, by, bz = wy * az - wz * ay, wz * ax - wx * az, wx * ay - wy * ax
        ux, uy, uz = ux + first * ax + second * bx, uy + first * ay + second * by, \
            first * az + second * bz
        ax, ay, az = wy * vz - wz * vy, wz * vx - wx * vz, wx * vy - wy * vx
        bx, by, bz = wy * az - wz * ay, wz * ax - wx * az, wx * ay - wy * ax
        px, py, pz = vx + second * ax + third * bx, vy + second * ay + third * by, \
            vz + second * az + third * bz
        x[i] = place[0] + matrix[0] * px + matrix[1] * py + matrix[2] * pz
        y[i] = place[1] + matrix[3] * px + matrix[4] * py + matrix[5] * pz
        z[i] = place[2] + matrix[6] * px + matrix[7] * py + matrix[8] * pz
        rx = matrix[0] * ux + matrix[1] * uy + matrix[2] * uz
        ry = matrix[3] * ux + matrix[4] * uy + matrix[5] * uz
        rz = matrix[6] * ux + matrix[7] * uy + matrix[8] * uz
        share = math.sqrt(rx * rx + ry * ry)
        share = share if share > least_share else least_share
        dx[i], dy[i], slopes[i], shares[i] = rx / share, ry / share, rz / share, share


@njit
def meet_ground(z: Any, slopes: Any, ways: Any) -> None:
    """Lower ways [m] to where rays meet the ground."""
    for i in range(len(ways)):
        if slopes[i] < 0.0:
            way = max(-z[i] / slopes[i], 0.0)
            ways[i] = way if way < ways[i] else ways[i]


@njit
def meet_wall(
    x1: float, y1: float, x2: float, y2: float, height: float, x: Any, y: Any, z: Any, dx: Any,
    dy: Any, slopes: Any, ways: Any,
) -> None:
    """Lower ways [m] to where rays meet an upright wall."""
    ex, ey = x2 - x1, y2 - y1
    for i in range(len(ways)):
        px, py = x1 - x[i], y1 - y[i]
        across = dx[i] * ey - dy[i] * ex
        if across == 0.0:
            continue
        way = (px * ey - py * ex) / across
        share = (px * dy[i] - py * dx[i]) / across
        if 0.0 <= share <= 1.0 and 0.0 <= way < ways[i] and z[i] + way * slopes[i] <= height:
            ways[i] = way


@njit
def meet_box(
    box: Any, x: Any, y: Any, z: Any, dx: Any, dy: Any, slopes: Any, ways: Any,
) -> None:
    """Lower ways [m] to where rays meet a box, also its top; box: a row of box_rows()."""
    bx, by, cosine, sine, length, width, height = (
        box[0], box[1], box[2], box[3], box[4], box[5], box[6])
    for i in range(len(ways)):
        px, py = x[i] - bx, y[i] - by
        px, py = px * cosine + py * sine, py * cosine - px * sine
        ux, uy = dx[i] * cosine + dy[i] * sine, dy[i] * cosine - dx[i] * sine
        begin, end = 0.0, ways[i]
        for side in range(3):
            # Between a plane ahead and one behind; below the top.
            place = px if side == 0 else py if side == 1 else z[i]
            speed = ux if side == 0 else uy if side == 1 else slopes[i]
            low = -length if side == 0 else -width if side == 1 else -math.inf
            high = length if side == 0 else width if side == 1 else height
            if speed == 0.0:
                if place < low or place > high:
                    end = -1.0
            else:
                one, other = (low - place) / speed, (high - place) / speed
                begin = max(begin, min(one, other))
                end = min(end, max(one, other))
        if begin <= end and begin < ways[i]:
            ways[i] = begin


@njit
def meet_cone(
    cx: float, cy: float, radius: float, height: float, x: Any, y: Any, z: Any, dx: Any, dy: Any,
    slopes: Any, ways: Any,
) -> None:
    """Lower ways [m] to where rays meet a cone; as in cone_rows()."""
    for i in range(len(ways)):
        px, py = x[i] - cx, y[i] - cy
        # At t the radius is wide - narrowing t.
        wide = radius * (1.0 - z[i] / height)
        narrowing = radius * slopes[i] / height
        if wide < 0.0 and narrowing >= 0.0:
            continue
        square = 1.0 - narrowing * narrowing
        half = px * dx[i] + py * dy[i] + wide * narrowing
        rest = px * px + py * py - wide * wide
        if rest <= 0.0 <= wide:
            ways[i] = 0.0
            continue
        depth = half * half - square * rest
        if depth < 0.0 or square <= 0.0:
            # None, or steeper than the cone's side: that is for the ground below it.
            continue
        way = (-half - math.sqrt(depth)) / square
        if 0.0 <= way < ways[i] and wide - narrowing * way >= 0.0:
            ways[i] = way


@njit
def meet_all(
    walls: Any, fixed: Any, loose: Any, cones: Any, reach: float, x: Any, y: Any, z: Any, dx: Any,
    dy: Any, slopes: Any, ways: Any,
) -> None:
    """Lower ways [m] to what stands around, rows of numbers as Scene and Objects give them.

    reach: how far anything can be from where the last ray begins [m].
    """
    meet_ground(z, slopes, ways)
    here_x, here_y = x[len(x) - 1], y[len(y) - 1]
    for row in range(len(walls)):
        x1, y1, x2, y2 = walls[row, 0], walls[row, 1], walls[row, 2], walls[row, 3]
        middle = math.hypot(0.5 * (x1 + x2) - here_x, 0.5 * (y1 + y2) - here_y)
        if middle - 0.5 * math.hypot(x2 - x1, y2 - y1) < reach:
            meet_wall(x1, y1, x2, y2, walls[row, 4], x, y, z, dx, dy, slopes, ways)
    for boxes in (fixed, loose):
        for row in range(len(boxes)):
            middle = math.hypot(boxes[row, 0] - here_x, boxes[row, 1] - here_y)
            if middle - math.hypot(boxes[row, 4], boxes[row, 5]) < reach:
                meet_box(boxes[row], x, y, z, dx, dy, slopes, ways)
    for row in range(len(cones)):
        meet_cone(
            cones[row, 0], cones[row, 1], cones[row, 2], cones[row, 3], x, y, z, dx, dy, slopes,
            ways)
